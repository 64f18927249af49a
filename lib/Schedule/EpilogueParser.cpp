//===- EpilogueParser.cpp - Parser of an epilogue's text ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts come from files and are not trusted. Each step is read once, from left
// to right, and can refer to earlier steps only, so parsing is linear and does
// not recurse.
//
//===----------------------------------------------------------------------===//

#include "Text.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "hone/Schedule/EpilogueFunction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

using Place = Expected<size_t>;

static constexpr StringRef kPredicates[] = {
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
    "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};
static constexpr StringRef kIntegerPredicates[] = {
    "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
static constexpr StringRef kModes[] = {"to_nearest_even", "downward", "upward",
                                       "toward_zero", "to_nearest_away"};
/// In the order in which they are printed.
static constexpr StringRef kFlags[] = {"reassoc", "nnan",     "ninf", "nsz",
                                       "arcp",    "contract", "afn"};

namespace {
class Parser {
public:
  explicit Parser(const Problem &problem) : problem(problem) {}
  Expected<EpilogueFunction> parse(StringRef text);

private:
  Place parseValue(StringRef text);
  Place parseOperand(StringRef text);
  Place parseConstant(StringRef text);
  Place parseStep(StringRef text);
  Error parseAttributes(StringRef text, EpilogueValue &step);
  Error giveType(StringRef resultType, EpilogueValue &step);

  const EpilogueValue &at(size_t place) const { return function.values[place]; }

  const Problem &problem;
  EpilogueFunction function;
  std::vector<size_t> steps;        ///< indices, by number
  llvm::StringMap<size_t> operands; ///< indices, by text
};
} // namespace

static Error noValue(StringRef text) {
  return failure("expected 'epilogue' to name a value, as in 'acc', '$0', "
                 "'n:f32' or '0.5:f32', but got " +
                 quoted(text));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// `mn:f16`, `scalar:f32`, `n:f32@2`; the latter may occur without the first.
Place Parser::parseOperand(StringRef text) {
  if (auto known = operands.find(text); known != operands.end())
    return known->second;
  auto [kind, number] = text.split('@');
  auto [dims, typeText] = kind.split(':');
  EpilogueValue value;
  value.kind = EpilogueValue::operand;
  std::optional<EpilogueType> type = EpilogueType::parse(typeText);
  value.type = type.value_or(EpilogueType());
  value.dims = dims == "scalar" ? "" : dims.str();
  bool isTwice = llvm::any_of(
      value.dims, [&](char dim) { return llvm::count(value.dims, dim) > 1; });
  if (!value.type.element || dims.empty() || isTwice ||
      StringRef(value.dims).find_first_not_of("bmn") != StringRef::npos)
    return noValue(text);
  if (dims.contains('b') && !problem.batch)
    return failure("expected 'epilogue' to have operands with dimensions of C, "
                   "but got " +
                   quoted(text) + " in a problem without a batch");
  if (text.contains('@')) {
    std::optional<int64_t> parsed = parseNatural(number);
    if (!parsed || *parsed == 0)
      return noValue(text);
    value.number = *parsed;
  }
  return operands[text] = function.add(std::move(value));
}

/// `0.5:f32`, `0x7FC00000:f32`, `-5:i32`
Place Parser::parseConstant(StringRef text) {
  // The time to read decimal digits is quadratic in their number.
  constexpr size_t kLongest = 64;
  auto [digits, typeText] = text.split(':');
  std::optional<EpilogueType> type = EpilogueType::parse(typeText);
  if (!type || type->isTruth() || digits.size() > kLongest)
    return noValue(text);
  EpilogueValue value;
  value.kind = EpilogueValue::constant;
  value.type = *type;
  unsigned width = 8 * type->bytes();
  if (type->isInteger()) {
    int64_t number;
    if (digits.getAsInteger(10, number) || !llvm::isIntN(width, number))
      return noValue(text);
    value.bits = uint64_t(number) & llvm::maskTrailingOnes<uint64_t>(width);
    return function.add(std::move(value));
  }
  if (StringRef bits = digits; bits.consume_front("0x")) {
    if (bits.getAsInteger(16, value.bits) || (value.bits >> (width - 1)) > 1)
      return noValue(text);
    return function.add(std::move(value));
  }
  llvm::APFloat number(semanticsOf(*type->element));
  if (digits.empty() ||
      digits.find_first_not_of("0123456789.eE+-") != StringRef::npos)
    return noValue(text);
  Expected<llvm::APFloat::opStatus> status =
      number.convertFromString(digits, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return noValue(text);
  }
  value.bits = number.bitcastToAPInt().getZExtValue();
  return function.add(std::move(value));
}

Place Parser::parseValue(StringRef text) {
  if (text == "acc")
    return 0;
  if (text == "true" || text == "false") {
    EpilogueValue value;
    value.kind = EpilogueValue::constant;
    value.bits = text == "true";
    return function.add(std::move(value));
  }
  if (StringRef digits = text; digits.consume_front("$")) {
    std::optional<int64_t> number = parseNatural(digits);
    if (!number || size_t(*number) >= steps.size())
      return failure("expected 'epilogue' to name one of " +
                     llvm::Twine(steps.size()) + " earlier steps, but got " +
                     quoted(text));
    return steps[*number];
  }
  bool isNumber = !text.empty() && StringRef("0123456789.+-").contains(text[0]);
  return isNumber ? parseConstant(text) : parseOperand(text);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The canonical text of a set of flags.
static std::optional<std::string> canonicalFlags(StringRef text) {
  constexpr unsigned kAll = (1u << std::size(kFlags)) - 1;
  llvm::SmallVector<StringRef, 7> words, kept;
  text.split(words, ',');
  unsigned set = 0;
  for (StringRef word : words) {
    auto found = llvm::find(kFlags, word.trim());
    if (found == std::end(kFlags) && word.trim() != "fast")
      return std::nullopt;
    set |= found == std::end(kFlags) ? kAll : 1u << (found - kFlags);
  }
  for (auto [i, flag] : llvm::enumerate(kFlags))
    if (set >> i & 1)
      kept.push_back(flag);
  return set == kAll ? "fast" : llvm::join(kept, ",");
}

/// "olt fast", "downward", "nnan,nsz"
Error Parser::parseAttributes(StringRef text, EpilogueValue &step) {
  ScalarOp::Form form = step.op->form;
  ArrayRef<StringRef> modes;
  bool ofIntegers = step.op->ofIntegers;
  if (form == ScalarOp::comparison)
    modes = ofIntegers ? ArrayRef(kIntegerPredicates) : ArrayRef(kPredicates);
  if (form == ScalarOp::narrowing && !ofIntegers)
    modes = kModes;
  auto [first, rest] = text.trim().split(' ');
  StringRef flags = text.trim();
  if (llvm::is_contained(modes, first)) {
    step.mode = first.str();
    flags = rest.trim();
  } else if (form == ScalarOp::comparison) {
    return failure("expected 'epilogue' to compare by one of " + listed(modes) +
                   ", but got " + quoted(text));
  }
  if (flags.empty())
    return Error::success();
  std::optional<std::string> canonical = canonicalFlags(flags);
  if (!canonical || form == ScalarOp::selection ||
      form == ScalarOp::toInteger || ofIntegers)
    return failure("expected 'epilogue' to have attributes that " +
                   step.op->shortName() + " takes, but got " + quoted(text));
  step.flags = *canonical;
  return Error::success();
}

/// Whether a value of one type is converted to the other by an op of this form.
static bool converts(const ScalarOp &op, EpilogueType from, EpilogueType to) {
  bool isNumber = op.givesIntegers() ? to.isInteger() : to.isFloat();
  if (op.form == ScalarOp::widening)
    return isNumber && to.bytes() > from.bytes();
  if (op.form == ScalarOp::narrowing)
    return isNumber && to.bytes() < from.bytes();
  return isNumber;
}

/// Sets the type of the step, and checks the types of its arguments.
Error Parser::giveType(StringRef resultType, EpilogueValue &step) {
  ScalarOp::Form form = step.op->form;
  step.type = at(step.arguments.back()).type;
  bool fits =
      form == ScalarOp::selection ||
      (step.op->ofIntegers ? step.type.isInteger() : step.type.isFloat());
  for (auto [i, argument] : llvm::enumerate(step.arguments)) {
    bool isCondition = form == ScalarOp::selection && i == 0;
    fits &= at(argument).type == (isCondition ? EpilogueType() : step.type);
  }
  if (step.op->converts() && fits) {
    std::optional<EpilogueType> to = EpilogueType::parse(resultType);
    fits = to && ::converts(*step.op, step.type, *to);
    step.type = to.value_or(step.type);
  }
  if (form == ScalarOp::comparison)
    step.type = EpilogueType();
  if (fits && (step.op->converts() || resultType.empty()))
    return Error::success();
  std::string types = llvm::join(
      llvm::map_range(step.arguments,
                      [&](size_t place) { return at(place).type.name(); }),
      ", ");
  return failure("expected 'epilogue' to have types that " +
                 step.op->shortName() + " takes, but got (" + types + ")" +
                 (resultType.empty() ? "" : ":" + quoted(resultType)));
}

/// `mulf<fast>(acc, n:f32)`, `extf($0):f32`
Place Parser::parseStep(StringRef text) {
  auto [head, tail] = text.split('(');
  auto [list, after] = tail.rsplit(')');
  auto [name, attributes] = head.trim().split('<');
  if (!tail.contains(')') || !StringRef(":").starts_with(after.take_front()) ||
      (head.contains('<') && !attributes.consume_back(">")))
    return failure(
        "expected 'epilogue' to have steps as in 'addf(acc, n:f32)', "
        "but got " +
        quoted(text));
  EpilogueValue step;
  step.kind = EpilogueValue::step;
  step.op = findEpilogueOp(name.trim());
  if (!step.op)
    return failure("expected 'epilogue' to be made of " +
                   listed(llvm::map_range(
                       epilogueOps(),
                       [](const ScalarOp *op) { return op->shortName(); })) +
                   ", but got " + quoted(name.trim()));
  if (Error error = parseAttributes(attributes, step))
    return std::move(error);
  size_t count = list.trim().empty() ? 0 : 1 + list.count(',');
  if (count != step.op->arity)
    return failure("expected 'epilogue' to have " +
                   llvm::Twine(step.op->arity) + " operands in " +
                   step.op->shortName() + ", but got " + llvm::Twine(count));
  for (StringRef each : llvm::split(list, ',')) {
    Place place = parseValue(each.trim());
    if (!place)
      return place;
    step.arguments.push_back(*place);
  }
  if (Error error = giveType(after.drop_front(!after.empty()).trim(), step))
    return std::move(error);
  return steps.emplace_back(function.add(std::move(step)));
}

Expected<EpilogueFunction> Parser::parse(StringRef text) {
  EpilogueValue sum;
  sum.type = problem.acc;
  function.add(sum);
  llvm::SmallVector<StringRef> parts;
  text.split(parts, '|');
  size_t last = 0;
  for (auto [i, part] : llvm::enumerate(parts)) {
    bool isValue = i + 1 == parts.size() && !part.contains('(');
    Place place = isValue ? parseValue(part.trim()) : parseStep(part.trim());
    if (!place)
      return place.takeError();
    last = *place;
  }
  EpilogueType type = at(last).type;
  bool isRounded = type.isFloat() && !isInteger(problem.c) &&
                   type.bytes() > sizeOf(problem.c);
  if (type != problem.c && !isRounded)
    return failure(
        "expected 'epilogue' to end in " + toString(problem.c) +
        (isInteger(problem.c) ? "" : " or a type that rounds to it") +
        ", but got " + type.name());
  function.setResult(last);
  return std::move(function);
}

Expected<EpilogueFunction> EpilogueFunction::parse(StringRef text,
                                                   const Problem &problem) {
  return Parser(problem).parse(text);
}
