//===- Plan.cpp - Launch plans as attributes ------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attribute holds a LaunchPlan, which the runtime checks, parses and
// prints; this file adds the locations of errors.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/Kernel.h"
#include "hone/Runtime/LaunchPlan.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace hone {
/// Equal plans have equal kernels and guards; few others have these.
static llvm::hash_code hash_value(const LaunchPlan &plan) {
  llvm::hash_code hash =
      llvm::hash_combine_range(plan.args.begin(), plan.args.end());
  for (const PlanAlternative &alternative : plan.alternatives) {
    hash = llvm::hash_combine(hash, alternative.guard.hash());
    for (const KernelLaunch &launch : alternative.launches)
      hash = llvm::hash_combine(hash, launch.entry, launch.grid[0].hash());
  }
  return hash;
}
} // namespace hone

#define GET_ATTRDEF_CLASSES
#include "dialects/Kernel/KernelAttrs.cpp.inc"

void KernelDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Kernel/KernelAttrs.cpp.inc"
      >();
}

static SmallVector<StringRef> linesOf(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return lines;
}

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

namespace {
/// A line of the text, and its location.
struct Line {
  std::string text;
  SMLoc loc;
};
} // namespace

static ParseResult parseLine(AsmParser &parser, Line &line) {
  line.loc = parser.getCurrentLocation();
  if (parser.parseString(&line.text))
    return failure();
  if (llvm::all_of(line.text, llvm::isPrint))
    return success();
  return parser.emitError(line.loc, "expected a line of a launch plan, but got "
                                    "characters that do not print");
}

Attribute PlanAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Line> lines;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
        return parseLine(parser, lines.emplace_back());
      }))
    return {};
  std::string text;
  for (const Line &line : lines)
    text += line.text + "\n";
  LaunchPlan plan;
  std::string fault = LaunchPlan::parse(text.c_str(), plan);
  // "line 3: expected ...": the number is said by the location.
  StringRef what = fault;
  size_t number = 0;
  if (what.consume_front("line ") && !what.consumeInteger(10, number))
    what.consume_front(": ");
  if (number > 0 && number <= lines.size())
    loc = lines[number - 1].loc;
  // The printer states the version; an earlier one guarantees less.
  std::string printed = plan.str();
  StringRef version = linesOf(printed).front();
  if (fault.empty() && lines.front().text != version) {
    fault = ("expected '" + version + "', but got '" + lines.front().text + "'")
                .str();
    loc = lines.front().loc;
    what = fault;
  }
  if (fault.empty())
    return get(parser.getContext(), std::move(plan));
  parser.emitError(loc, "launch plan: ") << what;
  return {};
}

void PlanAttr::print(AsmPrinter &printer) const {
  std::string text = getValue().str();
  printer << "<";
  llvm::interleaveComma(linesOf(text), printer,
                        [&](StringRef line) { printer.printString(line); });
  printer << ">";
}

LogicalResult
PlanAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                 LaunchPlan value) {
  std::string fault = value.fault();
  if (fault.empty())
    return success();
  return emitError() << "expected a launch plan, but got " << fault;
}

//===----------------------------------------------------------------------===//
// Plans of a module
//===----------------------------------------------------------------------===//

ArrayAttr hone::kernel::planLines(PlanAttr plan) {
  std::string text = plan.getValue().str();
  return Builder(plan.getContext()).getStrArrayAttr(linesOf(text));
}

static DictionaryAttr namedPlansOf(Operation *kernels) {
  return kernels->getAttrOfType<DictionaryAttr>(kPlansAttr);
}

ArrayRef<NamedAttribute> hone::kernel::plansOf(Operation *kernels) {
  DictionaryAttr plans = namedPlansOf(kernels);
  return plans ? plans.getValue() : ArrayRef<NamedAttribute>();
}

PlanAttr hone::kernel::planOf(Operation *kernels, LaunchOp launch) {
  DictionaryAttr plans = kernels ? namedPlansOf(kernels) : DictionaryAttr();
  return plans ? plans.getAs<PlanAttr>(launch.getPlan().getLeafReference())
               : PlanAttr();
}
