//===- ProblemModule.cpp - Program for a problem --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reverse of hone.matmul's getProblem; a test checks that they agree.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/ProblemModule.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "hone/Schedule/EpilogueFunction.h"
#include "passes/Build/BuildGemm.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The epilogue
//===----------------------------------------------------------------------===//

namespace {
/// Writes an epilogue's function as the lines of a region.
class RegionWriter {
public:
  /// `c` is the stored type.
  void write(const EpilogueFunction &function, ElementType c);

  std::vector<EpilogueOperand> operands;
  std::string body; ///< the region's lines, with its yield

private:
  /// A value's name and type in the IR.
  struct Named {
    std::string name, type;
  };
  void writeStep(const EpilogueValue &step, const Named &result);

  std::vector<Named> values;
};
} // namespace

void RegionWriter::writeStep(const EpilogueValue &step, const Named &result) {
  std::string arguments = llvm::join(
      llvm::map_range(step.arguments,
                      [&](size_t place) { return values[place].name; }),
      ", ");
  std::string flags = step.flags.empty() ? "" : " fastmath<" + step.flags + ">";
  std::string type = values[step.arguments.back()].type, mode;
  if (step.op->form == ScalarOp::comparison)
    arguments = step.mode + ", " + arguments;
  else if (!step.mode.empty())
    mode = " " + step.mode;
  if (step.op->converts())
    type += " to " + result.type;
  body += formatv("    {0} = {1} {2}{3}{4} : {5}\n", result.name, step.op->name,
                  arguments, mode, flags, type);
}

void RegionWriter::write(const EpilogueFunction &function, ElementType c) {
  for (auto [i, value] : llvm::enumerate(function.values)) {
    Named result = {formatv("%v{0}", i), value.type.name().str()};
    if (value.kind == EpilogueValue::operand) {
      result.name = formatv("%e{0}", operands.size());
      operands.push_back({*value.type.element, value.dims});
    } else if (value.kind == EpilogueValue::constant) {
      std::string number = value.bits ? "true" : "false";
      if (value.type.isInteger())
        number = formatv("{0} : {1}",
                         llvm::SignExtend64(value.bits, 8 * value.type.bytes()),
                         result.type);
      else if (!value.type.isTruth())
        number = formatv("0x{0:x-} : {1}", value.bits, result.type);
      body += formatv("    {0} = arith.constant {1}\n", result.name, number);
    } else if (value.kind == EpilogueValue::step) {
      writeStep(value, result);
    } else {
      result.name = "%acc";
    }
    values.push_back(result);
  }
  // The rounding to C's type is not part of the function.
  Named last = values[function.result()];
  if (last.type != toString(c)) {
    body += formatv("    %stored = arith.truncf {0} : {1} to {2}\n", last.name,
                    last.type, toString(c));
    last.name = "%stored";
  }
  body += formatv("    hone.yield {0} : {1}\n", last.name, toString(c));
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

/// All strides but the last are unknown.
static std::string memrefOf(size_t rank, ElementType type) {
  if (rank == 0)
    return formatv("memref<{0}>", toString(type));
  std::string extents, strides;
  for (size_t i = 0; i < rank; ++i) {
    extents += "?x";
    strides += i + 1 < rank ? "?, " : "1";
  }
  return rank == 1 ? formatv("memref<{0}{1}>", extents, toString(type)).str()
                   : formatv("memref<{0}{1}, strided<[{2}]>>", extents,
                             toString(type), strides)
                         .str();
}

/// " epilogue(%arg0[n] : memref<?xf32>) { ... }"
static std::string regionOf(const RegionWriter &epilogue, ElementType acc) {
  std::vector<std::string> operands, types;
  std::string arguments = formatv("%acc: {0}", toString(acc));
  for (auto [i, operand] : llvm::enumerate(epilogue.operands)) {
    auto letters = llvm::map_range(
        operand.dims, [](char dim) { return std::string(1, dim); });
    operands.push_back(formatv("%arg{0}[{1}]", i, llvm::join(letters, ", ")));
    types.push_back(memrefOf(operand.dims.size(), operand.type));
    arguments += formatv(", %e{0}: {1}", i, toString(operand.type));
  }
  std::string list = operands.empty()
                         ? ""
                         : formatv("({0} : {1})", llvm::join(operands, ", "),
                                   llvm::join(types, ", "))
                               .str();
  return formatv(" epilogue{0} {{\n  ^bb0({1}):\n{2}  }", list, arguments,
                 epilogue.body);
}

/// The text before and after B: its order, or its dimensions.
static std::pair<const char *, const char *> dimsOfB(const Problem &problem,
                                                     StringRef batchesB) {
  bool inCols = problem.b.order == Order::col;
  if (batchesB == "h")
    return {"", inCols ? "[h, n, k]" : "[h, k, n]"};
  return {inCols ? "col " : "", ""};
}

/// " products(tf32)"
static std::string productsOf(const Problem &problem) {
  if (problem.products == Products::exact)
    return "";
  return formatv(" products({0})", toString(problem.products));
}

/// " numbers(invariant)"
static std::string numbersOf(const Problem &problem) {
  if (problem.numbers.isDefault())
    return "";
  return formatv(" numbers({0})", problem.numbers.str());
}

/// " {hone.lines = array<i64: 8, 2, 16>}", which strides do not express.
static std::string linesOf(const Problem &problem) {
  if (problem.open() == problem.open(kBestAlign))
    return "";
  return formatv(" {{{0} = array<i64: {1}, {2}, {3}>}", kLinesAttr,
                 problem.a.align, problem.b.align, problem.alignC);
}

llvm::Expected<ProblemModule> ProblemModule::of(const Problem &problem,
                                                StringRef batchesB) {
  RegionWriter epilogue;
  if (problem.isAbbreviated())
    return llvm::createStringError(
        "expected an epilogue that is known as a whole, but got the beginning "
        "and a hash, as older hones kept it; use the program that has it");
  if (!problem.hasMatrices() || problem.groups)
    return llvm::createStringError(
        formatv("expected a problem whose a and b are matrices, but got one "
                "that reads {0}; use the program that has it",
                problem.groups ? "rows of groups" : "windows"));
  if (!problem.epilogue.empty()) {
    llvm::Expected<EpilogueFunction> function =
        EpilogueFunction::parse(problem.epilogue, problem);
    if (!function)
      return function.takeError();
    epilogue.write(*function, problem.c);
  }
  size_t batches = !problem.batch ? 0 : batchesB.empty() ? 1 : 2;
  size_t batchesOfB = batchesB.empty() ? batches : batchesB.size();
  std::string a =
      memrefOf(2 + (problem.a.shared ? 0 : batches), problem.a.type);
  std::string b =
      memrefOf(2 + (problem.b.shared ? 0 : batchesOfB), problem.b.type);
  std::string c = memrefOf(2 + batches, problem.c);
  auto [before, after] = dimsOfB(problem, batchesB);
  std::string parameters, tail;
  for (auto [i, operand] : llvm::enumerate(epilogue.operands))
    parameters += formatv(", %arg{0}: {1}", i,
                          memrefOf(operand.dims.size(), operand.type));
  if (!problem.epilogue.empty())
    tail = regionOf(epilogue, problem.acc);
  ProblemModule module;
  module.operands = epilogue.operands;
  module.text =
      formatv("func.func @matmul(%a: {0}, %b: {1}, %c: {2}{3}) {{\n"
              "  hone.matmul ins({4}%a, {5}%b{6} : {0}, {1}) outs(%c : {2}) "
              "init({7}) acc({8}){9}{10}{11}{12}\n  return\n}\n",
              a, b, c, parameters, problem.a.order == Order::col ? "col " : "",
              before, after, problem.init == Init::zero ? "zero" : "read",
              toString(problem.acc), productsOf(problem), numbersOf(problem),
              tail, linesOf(problem));
  return module;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::string hone::kernelKey(const Problem &problem, const Schedule &schedule,
                            const Arch &arch) {
  return arch.isa + " | " + problem.open().str() + " | " +
         compileTimeText(schedule);
}
