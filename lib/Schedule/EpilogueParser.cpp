//===- EpilogueParser.cpp - An epilogue read from its text ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts come from files and from strangers. Each step is read once, from left
// to right, and names only what stands before it, so that reading neither nests
// nor takes longer than the text is.
//
//===----------------------------------------------------------------------===//

#include "Text.h"
#include "hone/Schedule/EpilogueFunction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

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
static constexpr StringRef kModes[] = {"to_nearest_even", "downward", "upward",
                                       "toward_zero", "to_nearest_away"};
/// In the order in which they are printed.
static constexpr StringRef kFlags[] = {"reassoc", "nnan",     "ninf", "nsz",
                                       "arcp",    "contract", "afn"};

static StringRef nameOf(std::optional<ElementType> type) {
  return type ? toString(*type) : "i1";
}

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
  std::vector<size_t> steps;        ///< places, by number
  llvm::StringMap<size_t> operands; ///< places, by text
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

/// `mn:f16`, `scalar:f32`, `n:f32@2`; the second may stand without a first.
Place Parser::parseOperand(StringRef text) {
  if (auto known = operands.find(text); known != operands.end())
    return known->second;
  auto [kind, number] = text.split('@');
  auto [dims, typeText] = kind.split(':');
  EpilogueValue value;
  value.kind = EpilogueValue::operand;
  value.type = parseElementType(typeText);
  value.dims = dims == "scalar" ? "" : dims.str();
  bool isTwice = llvm::any_of(
      value.dims, [&](char dim) { return llvm::count(value.dims, dim) > 1; });
  if (!value.type || !isResult(*value.type) || dims.empty() || isTwice ||
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
  // The time to read decimal digits grows with the square of their number.
  constexpr size_t kLongest = 64;
  auto [digits, typeText] = text.split(':');
  std::optional<ElementType> type = parseElementType(typeText);
  if (!type || !isResult(*type) || digits.size() > kLongest)
    return noValue(text);
  EpilogueValue value;
  value.kind = EpilogueValue::constant;
  value.type = type;
  if (isInteger(*type)) {
    int32_t number;
    if (*type != ElementType::i32 || digits.getAsInteger(10, number))
      return noValue(text);
    value.bits = uint32_t(number);
    return function.add(std::move(value));
  }
  if (StringRef bits = digits; bits.consume_front("0x")) {
    if (bits.getAsInteger(16, value.bits) ||
        (value.bits >> (8 * sizeOf(*type) - 1)) > 1)
      return noValue(text);
    return function.add(std::move(value));
  }
  llvm::APFloat number(semanticsOf(*type));
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

/// The same set of flags has one text.
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
  EpilogueOpInfo::Form form = step.op->form;
  ArrayRef<StringRef> modes;
  if (form == EpilogueOpInfo::comparison)
    modes = kPredicates;
  if (form == EpilogueOpInfo::narrowing)
    modes = kModes;
  auto [first, rest] = text.trim().split(' ');
  StringRef flags = text.trim();
  if (llvm::is_contained(modes, first)) {
    step.mode = first.str();
    flags = rest.trim();
  } else if (form == EpilogueOpInfo::comparison) {
    return failure("expected 'epilogue' to compare by one of " + listed(modes) +
                   ", but got " + quoted(text));
  }
  if (flags.empty())
    return Error::success();
  std::optional<std::string> canonical = canonicalFlags(flags);
  if (!canonical || form == EpilogueOpInfo::selection || step.op->ofIntegers)
    return failure("expected 'epilogue' to have attributes that " +
                   step.op->name + " takes, but got " + quoted(text));
  step.flags = *canonical;
  return Error::success();
}

/// The type of the step, and whether its arguments have theirs.
Error Parser::giveType(StringRef resultType, EpilogueValue &step) {
  EpilogueOpInfo::Form form = step.op->form;
  bool converts = step.op->converts();
  step.type = at(step.arguments.back()).type;
  bool fits = form == EpilogueOpInfo::selection ||
              (step.type && isInteger(*step.type) == step.op->ofIntegers);
  for (auto [i, argument] : llvm::enumerate(step.arguments)) {
    bool isCondition = form == EpilogueOpInfo::selection && i == 0;
    fits &= at(argument).type == (isCondition ? std::nullopt : step.type);
  }
  if (converts && fits) {
    std::optional<ElementType> to = parseElementType(resultType);
    int64_t from = sizeOf(*step.type);
    fits = to && isResult(*to) && !isInteger(*to) &&
           (form == EpilogueOpInfo::widening    ? sizeOf(*to) > from
            : form == EpilogueOpInfo::narrowing ? sizeOf(*to) < from
                                                : true);
    step.type = to;
  }
  if (form == EpilogueOpInfo::comparison)
    step.type = std::nullopt;
  if (fits && (converts || resultType.empty()))
    return Error::success();
  std::string types = llvm::join(
      llvm::map_range(step.arguments,
                      [&](size_t place) { return nameOf(at(place).type); }),
      ", ");
  return failure("expected 'epilogue' to have types that " + step.op->name +
                 " takes, but got (" + types + ")" +
                 (resultType.empty() ? "" : ":" + quoted(resultType)));
}

/// `mulf<fast>(acc, n:f32)`, `extf($0):f32`
Place Parser::parseStep(StringRef text) {
  auto [head, tail] = text.split('(');
  auto [list, behind] = tail.rsplit(')');
  auto [name, attributes] = head.trim().split('<');
  if (!tail.contains(')') || !StringRef(":").starts_with(behind.take_front()) ||
      (head.contains('<') && !attributes.consume_back(">")))
    return failure(
        "expected 'epilogue' to have steps as in 'addf(acc, n:f32)', "
        "but got " +
        quoted(text));
  EpilogueValue step;
  step.kind = EpilogueValue::step;
  step.op = findEpilogueOp(name.trim());
  if (!step.op)
    return failure(
        "expected 'epilogue' to be made of " +
        listed(llvm::map_range(
            epilogueOps(), [](const EpilogueOpInfo &op) { return op.name; })) +
        ", but got " + quoted(name.trim()));
  if (Error error = parseAttributes(attributes, step))
    return std::move(error);
  size_t count = list.trim().empty() ? 0 : 1 + list.count(',');
  if (count != step.op->arity)
    return failure("expected 'epilogue' to have " +
                   llvm::Twine(step.op->arity) + " operands in " +
                   step.op->name + ", but got " + llvm::Twine(count));
  for (StringRef each : llvm::split(list, ',')) {
    Place place = parseValue(each.trim());
    if (!place)
      return place;
    step.arguments.push_back(*place);
  }
  if (Error error = giveType(behind.drop_front(!behind.empty()).trim(), step))
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
  std::optional<ElementType> type = at(last).type;
  bool isRounded = type && !isInteger(*type) && !isInteger(problem.c) &&
                   sizeOf(*type) > sizeOf(problem.c);
  if (type != problem.c && !isRounded)
    return failure("expected 'epilogue' to end in " + toString(problem.c) +
                   " or what rounds to it, but got " + nameOf(type));
  function.setResult(last);
  return std::move(function);
}

Expected<EpilogueFunction> EpilogueFunction::parse(StringRef text,
                                                   const Problem &problem) {
  return Parser(problem).parse(text);
}
