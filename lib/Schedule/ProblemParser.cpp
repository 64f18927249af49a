//===- ProblemParser.cpp - Parser of a problem's text ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each field is one entry of a table, which parser and error messages share.
//
//===----------------------------------------------------------------------===//

#include "Text.h"
#include "hone/Schedule/EpilogueFunction.h"
#include "hone/Schedule/Problem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

static Error parseExtent(StringRef name, StringRef text, int64_t &extent) {
  extent = kDynamic;
  if (text == "?")
    return Error::success();
  std::optional<int64_t> value = parseNatural(text);
  if (!value || *value == 0)
    return failure("expected extent of '" + name +
                   "' to be a positive integer or '?', but got " +
                   quoted(text));
  if (*value > kLargestExtent)
    return failure("expected extent of '" + name + "' to be at most " +
                   llvm::Twine(kLargestExtent) + ", but got " + quoted(text));
  extent = *value;
  return Error::success();
}

static Error parseType(StringRef name, StringRef text, ElementType &type,
                       bool (*isAllowed)(ElementType) = isResult) {
  std::optional<ElementType> value = parseElementType(text);
  if (!value || !isAllowed(*value)) {
    llvm::SmallVector<StringRef> names;
    for (int at = 0; at <= int(ElementType::i32); ++at)
      if (auto each = static_cast<ElementType>(at); isAllowed(each))
        names.push_back(toString(each));
    return failure("expected element type of '" + name + "' to be one of " +
                   listed(names) + ", but got " + quoted(text));
  }
  type = *value;
  return Error::success();
}

/// A sum has more bits than i8, so i8 would truncate it.
static bool isSum(ElementType type) {
  return isResult(type) && sizeOf(type) > 1;
}

static Error parseAlign(StringRef name, StringRef text, int64_t &align) {
  std::optional<int64_t> value = parseNatural(text);
  if (!value || *value > 16 || !llvm::isPowerOf2_64(*value))
    return failure("expected alignment of '" + name +
                   "' to be one of 1, 2, 4, 8, 16, but got " + quoted(text));
  align = *value;
  return Error::success();
}

/// `row`, `col` or an access, whose order is that of its contiguous digit.
static Error parseAccess(StringRef name, StringRef text, Operand &operand) {
  if (!text.contains('[')) {
    if (text != "row" && text != "col")
      return failure("expected order of '" + name +
                     "' to be 'row' or 'col', but got " + quoted(text));
    operand.order = text == "row" ? Order::row : Order::col;
    return Error::success();
  }
  bool isA = name == "a";
  Expected<OperandAccess> access = OperandAccess::parse(text, isA ? 'm' : 'n');
  if (!access)
    return failure("'" + name + "': " + llvm::toString(access.takeError()));
  if (access->order())
    return failure("expected '" + name +
                   "' to be 'row' or 'col', which its "
                   "access is, but got " +
                   quoted(text) + "; use that word");
  bool isLineContiguous = !access->lines().empty() &&
                          access->lines().back().axis < 0 &&
                          access->lines().back().step == 1;
  operand.order = isLineContiguous == isA ? Order::col : Order::row;
  operand.access = *access;
  return Error::success();
}

static Error parseOperand(StringRef name, StringRef text, Operand &operand) {
  llvm::SmallVector<StringRef, 4> parts;
  text.split(parts, ':');
  if (parts.size() < 3 || parts.size() > 4)
    return failure("expected '" + name +
                   "' to be type:order:alignment, but got " + quoted(text));
  if (Error error = parseType(name, parts[0], operand.type, isFactor))
    return error;
  if (Error error = parseAccess(name, parts[1], operand))
    return error;
  operand.shared = parts.size() == 4;
  if (operand.shared && parts[3] != "shared")
    return failure("expected last part of '" + name +
                   "' to be 'shared', but got " + quoted(parts[3]));
  return parseAlign(name, parts[2], operand.align);
}

static Error parseResult(StringRef name, StringRef text, Problem &problem) {
  if (text.count(':') != 1)
    return failure("expected '" + name + "' to be type:alignment, but got " +
                   quoted(text));
  auto [type, align] = text.split(':');
  if (Error error = parseType(name, type, problem.c))
    return error;
  return parseAlign(name, align, problem.alignC);
}

/// `ragged:8`, `ragged:?`, `ragged:8:indexed` or `indexed`
static Error parseRows(StringRef, StringRef text, Problem &problem) {
  StringRef count = text;
  problem.isIndexed = text == "indexed" || count.consume_back(":indexed");
  if (text == "indexed")
    return Error::success();
  if (!count.consume_front("ragged:"))
    return failure("expected 'rows' to be ragged:GROUPS, indexed or both, but "
                   "got " +
                   quoted(text) + "; leave it out where one B serves all rows");
  return parseExtent("groups", count, problem.groups.emplace());
}

/// `exact` is the default; accepting it would allow a second spelling.
static Error parseProducts(StringRef, StringRef text, Problem &problem) {
  std::optional<Products> products = hone::parseProducts(text);
  if (!products || products == Products::exact)
    return failure(
        "expected 'products' to be tf32x3, tf32, blocks or short, but got " +
        quoted(text) + "; leave it out where products are exact");
  problem.products = *products;
  return Error::success();
}

static Error readInit(StringRef, StringRef text, Init &init) {
  std::optional<Init> parsed = hone::parseInit(text);
  if (!parsed)
    return failure("expected 'init' to be 'zero' or 'read', but got " +
                   quoted(text));
  init = *parsed;
  return Error::success();
}

/// `deterministic` is the default, and has no second spelling.
static Error parseNumbers(StringRef, StringRef text, Problem &problem) {
  Expected<Numbers> numbers = Numbers::parse(text);
  if (!numbers)
    return numbers.takeError();
  if (numbers->isDefault())
    return failure("expected 'numbers' to be free or invariant, but got " +
                   quoted(text) + "; leave it out");
  problem.numbers = *numbers;
  return Error::success();
}

static Error readEpilogue(StringRef, StringRef text, std::string &epilogue) {
  StringRef inner = text;
  if (!inner.consume_front("\"") || !inner.consume_back("\""))
    return failure("expected 'epilogue' to be in double quotes, but got " +
                   quoted(text));
  // Text that a quoted attribute has to escape would have two spellings.
  auto isPlain = [](char character) {
    return llvm::isPrint(character) && character != '"' && character != '\\';
  };
  if (!llvm::all_of(inner, isPlain))
    return failure("expected 'epilogue' to be printable text without quotes "
                   "and backslashes, but got " +
                   quoted(text));
  epilogue = inner.str();
  return Error::success();
}

namespace {
struct Field {
  llvm::StringLiteral name;
  bool required;
  Error (*parse)(StringRef name, StringRef text, Problem &problem);
};
} // namespace

/// The parser of a field that sets one member.
template <auto parse, auto field>
static Error member(StringRef name, StringRef text, Problem &problem) {
  return parse(name, text, problem.*field);
}

static constexpr Field kFields[] = {
    {"batch", false,
     [](StringRef name, StringRef text, Problem &problem) {
       return parseExtent(name, text, problem.batch.emplace());
     }},
    {"m", true, member<parseExtent, &Problem::m>},
    {"n", true, member<parseExtent, &Problem::n>},
    {"k", true, member<parseExtent, &Problem::k>},
    {"rows", false, parseRows},
    {"sum", false,
     [](StringRef, StringRef text, Problem &problem) -> Error {
       problem.isRaggedSum = text == "ragged";
       if (problem.isRaggedSum)
         return Error::success();
       return failure("expected 'sum' to be ragged, but got " + quoted(text) +
                      "; leave it out where each batch sums over all of k");
     }},
    {"a", true, member<parseOperand, &Problem::a>},
    {"b", true, member<parseOperand, &Problem::b>},
    {"acc", true,
     [](StringRef name, StringRef text, Problem &problem) {
       return parseType(name, text, problem.acc, isSum);
     }},
    {"products", false, parseProducts},
    {"c", true, parseResult},
    {"init", true, member<readInit, &Problem::init>},
    {"numbers", false, parseNumbers},
    {"epilogue", false, member<readEpilogue, &Problem::epilogue>}};

static Expected<const Field *> findField(const Assignment &assignment) {
  const Field *field = llvm::find_if(kFields, [&](const Field &candidate) {
    return candidate.name == assignment.name;
  });
  if (field == std::end(kFields))
    return failure("expected field to be one of " +
                   listed(llvm::map_range(
                       kFields, [](const Field &f) { return f.name; })) +
                   ", but got " + quoted(assignment.name));
  if (!assignment.assigned)
    return failure("expected '=' and a value after field " +
                   quoted(assignment.name) + ", but got nothing");
  return field;
}

Expected<Problem> Problem::parse(StringRef text) {
  Problem problem;
  llvm::SmallVector<const Field *> seen;
  for (const Assignment &assignment : splitAssignments(text)) {
    Expected<const Field *> field = findField(assignment);
    if (!field)
      return field.takeError();
    if (llvm::is_contained(seen, *field))
      return failure("expected field '" + (*field)->name +
                     "' once, but got it twice");
    seen.push_back(*field);
    if (Error error =
            (*field)->parse((*field)->name, assignment.value, problem))
      return std::move(error);
  }
  for (const Field &field : kFields)
    if (field.required && !llvm::is_contained(seen, &field))
      return failure("expected field '" + field.name +
                     "', but got a problem without it");
  if (!problem.batch && (problem.a.shared || problem.b.shared))
    return failure("expected a batch that can be shared, but got a problem "
                   "without one; use 'shared' only with 'batch'");
  if (problem.products != Products::exact &&
      (!areMultiplied(problem.a.type, problem.b.type) ||
       !llvm::is_contained(permissionsOf(problem.a.type), problem.products)))
    return failure("expected 'products' with a and b of f32, or blocks or "
                   "short with 8-bit floats, but got " +
                   toString(problem.products) + " with " +
                   toString(problem.a.type) + " and " +
                   toString(problem.b.type) + "; leave it out");
  if (std::optional<std::string> fault = problem.fault())
    return failure(*fault);
  if (problem.epilogue.empty() || problem.isAbbreviated())
    return problem;
  Expected<EpilogueFunction> epilogue =
      EpilogueFunction::parse(problem.epilogue, problem);
  if (!epilogue)
    return epilogue.takeError();
  problem.epilogue = epilogue->str();
  return problem;
}
