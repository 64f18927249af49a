//===- ProblemModule.cpp - A program for a problem ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reverse of dialects/Hone/Epilogue.cpp; a test holds them to each other.
//
//===----------------------------------------------------------------------===//

#include "hone/Evaluate/ProblemModule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The epilogue
//===----------------------------------------------------------------------===//

namespace {
/// A value as the IR names it.
struct Named {
  std::string name, type;
};

/// Turns the steps of an epilogue's text into lines of IR.
class EpilogueReader {
public:
  explicit EpilogueReader(const Problem &problem) : problem(problem) {}
  Error read();

  std::vector<EpilogueOperand> operands;
  std::string body; ///< the region's lines, with its yield

private:
  Error collectOperands(StringRef text);
  void addOperand(StringRef dims, ElementType type, size_t number);
  llvm::Expected<Named> valueOf(StringRef text);
  llvm::Expected<Named> constantOf(StringRef number, StringRef type);
  Error addStep(StringRef text);
  Error addOp(StringRef op, StringRef attributes,
              llvm::ArrayRef<Named> arguments, StringRef resultType);
  void finish(Named last);
  static Error fault(StringRef text) {
    return llvm::createStringError(formatv(
        "expected an epilogue that can be read back, but got '{0}'", text));
  }

  const Problem &problem;
  llvm::StringMap<std::string> names; ///< of operands, by "n:f32@2"
  std::vector<Named> steps;
  size_t constants = 0;
};
} // namespace

static bool isDims(StringRef text) {
  return text == "scalar" ||
         (!text.empty() && text.find_first_not_of("bhmn") == StringRef::npos);
}

/// Splits "n:f32@2" into its parts; nothing where the text is something else.
static bool parseOperand(StringRef text, StringRef &dims, ElementType &type,
                         size_t &number) {
  auto [kind, numberText] = text.split('@');
  auto [dimsText, typeText] = kind.split(':');
  std::optional<ElementType> parsed = parseElementType(typeText);
  number = 1;
  if (!parsed || !isDims(dimsText) ||
      (!numberText.empty() && numberText.getAsInteger(10, number)))
    return false;
  dims = dimsText == "scalar" ? "" : dimsText;
  type = *parsed;
  return number >= 1;
}

static std::string kindOf(StringRef dims, ElementType type) {
  return ((dims.empty() ? "scalar" : dims) + ":" + toString(type)).str();
}

/// An operand that is the second of its kind has a first.
void EpilogueReader::addOperand(StringRef dims, ElementType type,
                                size_t number) {
  constexpr size_t kMost = 16;
  for (size_t at = 1; at <= std::min(number, kMost); ++at) {
    std::string kind = kindOf(dims, type);
    std::string key = at == 1 ? kind : kind + "@" + std::to_string(at);
    if (!names.try_emplace(key, formatv("%e{0}", operands.size()).str()).second)
      continue;
    operands.push_back({type, dims.str()});
  }
}

/// Operands are numbered before any step is written, whatever their order.
Error EpilogueReader::collectOperands(StringRef text) {
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(text, words, " |(),");
  for (StringRef word : words) {
    StringRef dims;
    ElementType type;
    size_t number;
    if (parseOperand(word, dims, type, number))
      addOperand(dims, type, number);
  }
  return Error::success();
}

llvm::Expected<Named> EpilogueReader::constantOf(StringRef number,
                                                 StringRef type) {
  if (!parseElementType(type))
    return fault(number);
  double value;
  bool isBits = number.starts_with("0x");
  if (!isBits && number.getAsDouble(value))
    return fault(number);
  // MLIR wants a point in what is a real number.
  std::string literal = number.str();
  if (!isBits && !number.contains('.'))
    literal = number.contains('E') ? number.split('E').first.str() + ".0E" +
                                         number.split('E').second.str()
                                   : literal + ".0";
  Named result = {formatv("%c{0}", constants++), type.str()};
  body += formatv("    {0} = arith.constant {1} : {2}\n", result.name, literal,
                  type);
  return result;
}

llvm::Expected<Named> EpilogueReader::valueOf(StringRef text) {
  if (text == "acc")
    return Named{"%acc", toString(problem.acc).str()};
  if (text == "true" || text == "false") {
    Named result = {formatv("%c{0}", constants++), "i1"};
    body += formatv("    {0} = arith.constant {1}\n", result.name, text);
    return result;
  }
  size_t step;
  if (StringRef(text).starts_with("$")) {
    if (text.drop_front().getAsInteger(10, step) || step >= steps.size())
      return fault(text);
    return steps[step];
  }
  if (auto found = names.find(text); found != names.end())
    return Named{found->second, text.split(':').second.split('@').first.str()};
  return constantOf(text.split(':').first, text.split(':').second);
}

/// "arith" or "math"; empty for an op that no epilogue has.
static StringRef dialectOf(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Cases({"addf", "cmpf", "divf", "extf", "maxnumf", "maximumf"}, "arith")
      .Cases({"minnumf", "minimumf", "mulf", "negf", "select"}, "arith")
      .Cases({"subf", "truncf"}, "arith")
      .Cases({"absf", "copysign", "erf", "exp2", "exp", "fma"}, "math")
      .Cases({"log2", "log", "rsqrt", "sqrt", "tanh"}, "math")
      .Default("");
}

/// Behind a comparison's predicate and a rounding mode there may be flags.
static std::string fastMath(StringRef flags) {
  return flags.empty() ? "" : (" fastmath<" + flags + ">").str();
}

Error EpilogueReader::addOp(StringRef op, StringRef attributes,
                            llvm::ArrayRef<Named> arguments,
                            StringRef resultType) {
  std::string list = llvm::join(
      llvm::map_range(arguments, [](const Named &each) { return each.name; }),
      ", ");
  Named result = {formatv("%s{0}", steps.size()), arguments.back().type};
  std::string head =
      formatv("    {0} = {1}.{2} ", result.name, dialectOf(op), op);
  auto [first, rest] = attributes.split(' ');
  if (op == "cmpf") {
    body += formatv("{0}{1}, {2}{3} : {4}\n", head, first, list, fastMath(rest),
                    arguments[0].type);
    result.type = "i1";
  } else if (op == "extf" || op == "truncf") {
    bool hasMode =
        first.starts_with("to_") || first == "upward" || first == "downward";
    std::string mode = hasMode ? (" " + first).str() : "";
    body += formatv("{0}{1}{2}{3} : {4} to {5}\n", head, list, mode,
                    fastMath(hasMode ? rest : attributes), arguments[0].type,
                    resultType);
    result.type = resultType.str();
  } else {
    body += formatv("{0}{1}{2} : {3}\n", head, list, fastMath(attributes),
                    result.type);
  }
  steps.push_back(result);
  return Error::success();
}

/// "mulf<fast>(acc, n:f32)", "extf($0):f32"
Error EpilogueReader::addStep(StringRef text) {
  auto [head, tail] = text.split('(');
  auto [list, resultType] = tail.rsplit(')');
  resultType.consume_front(":");
  auto [op, attributes] = head.split('<');
  attributes.consume_back(">");
  bool isConversion = op == "extf" || op == "truncf";
  if (dialectOf(op).empty() || list.empty() ||
      isConversion != parseElementType(resultType).has_value())
    return fault(text);
  std::vector<Named> arguments;
  for (StringRef each : llvm::split(list, ", ")) {
    llvm::Expected<Named> value = valueOf(each);
    if (!value)
      return value.takeError();
    arguments.push_back(std::move(*value));
  }
  return addOp(op, attributes, arguments, resultType);
}

/// Rounds to C's type, which no text mentions.
void EpilogueReader::finish(Named last) {
  StringRef c = toString(problem.c);
  if (last.type != c) {
    body += formatv("    %stored = arith.truncf {0} : {1} to {2}\n", last.name,
                    last.type, c);
    last.name = "%stored";
  }
  body += formatv("    hone.yield {0} : {1}\n", last.name, c);
}

Error EpilogueReader::read() {
  StringRef text = problem.epilogue;
  if (text.contains(" ... #"))
    return llvm::createStringError(
        "expected an epilogue of at most 300 characters, but got a longer one, "
        "of which only a hash is known; use the program that has it");
  if (Error error = collectOperands(text))
    return error;
  llvm::SmallVector<StringRef> parts;
  text.split(parts, " | ");
  for (StringRef part : llvm::ArrayRef(parts).drop_back())
    if (Error error = addStep(part))
      return error;
  if (!parts.back().contains('(')) {
    llvm::Expected<Named> last = valueOf(parts.back());
    if (!last)
      return last.takeError();
    finish(*last);
    return Error::success();
  }
  if (Error error = addStep(parts.back()))
    return error;
  finish(steps.back());
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

/// Strides are unknown but for the last.
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
static std::string regionOf(const EpilogueReader &epilogue, ElementType acc) {
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

/// What stands before and behind B: its order, or the dimensions that it has.
static std::pair<const char *, const char *> dimsOfB(const Problem &problem,
                                                     StringRef batchesB) {
  bool inCols = problem.b.order == Order::col;
  if (batchesB == "h")
    return {"", inCols ? "[h, n, k]" : "[h, k, n]"};
  return {inCols ? "col " : "", ""};
}

llvm::Expected<ProblemModule> ProblemModule::of(const Problem &problem,
                                                StringRef batchesB) {
  EpilogueReader epilogue(problem);
  if (!problem.epilogue.empty())
    if (Error error = epilogue.read())
      return std::move(error);
  size_t batches = !problem.batch ? 0 : batchesB.empty() ? 1 : 2;
  size_t batchesOfB = batchesB.empty() ? batches : batchesB.size();
  std::string a =
      memrefOf(2 + (problem.a.shared ? 0 : batches), problem.a.type);
  std::string b =
      memrefOf(2 + (problem.b.shared ? 0 : batchesOfB), problem.b.type);
  std::string c = memrefOf(2 + batches, problem.c);
  auto [before, behind] = dimsOfB(problem, batchesB);
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
              "init({7}) acc({8}){9}\n  return\n}\n",
              a, b, c, parameters, problem.a.order == Order::col ? "col " : "",
              before, behind, problem.init == Init::zero ? "zero" : "read",
              toString(problem.acc), tail);
  return module;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Problem hone::openProblem(const Problem &problem) {
  constexpr int64_t kAligned = 16;
  Problem open = problem;
  open.m = open.n = open.k = kDynamic;
  if (open.batch)
    open.batch = kDynamic;
  open.a.align = open.b.align = open.alignC = kAligned;
  return open;
}

std::string hone::kernelKey(const Problem &problem, const Schedule &schedule,
                            const Arch &arch) {
  return arch.isa + " | " + openProblem(problem).str() + " | " +
         compileTimeText(schedule);
}
