//===- AccessText.cpp - Printer and parser of an access -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Access.h. The parser ignores spaces, since an attribute's text has none.
//
//===----------------------------------------------------------------------===//

#include "Text.h"
#include "hone/Schedule/Access.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;
using namespace hone::detail;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using Digits = OperandAccess::Digits;

/// The most axes that an access may have: `x`, `y` and `z`.
static constexpr size_t kMaxAxes = 3;
/// The most digits of a list.
static constexpr size_t kMaxDigits = 8;
/// The largest step and the largest padding.
static constexpr int64_t kMaxStep = int64_t(1) << 47;

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string print(int64_t number) {
  return number == kDynamic ? "?" : std::to_string(number);
}

static std::string print(const OperandAccess::Digit &digit) {
  std::string text = print(digit.extent) + "*";
  if (digit.axis < 0)
    return text + print(digit.step);
  if (digit.step != 1)
    text += print(digit.step);
  return text + char('x' + digit.axis);
}

static std::string print(llvm::ArrayRef<OperandAccess::Digit> digits) {
  std::string text;
  for (const OperandAccess::Digit &digit : digits)
    text += (text.empty() ? "" : ", ") + print(digit);
  return "[" + text + "]";
}

std::string OperandAccess::str(char lines) const {
  for (Order order : {Order::row, Order::col})
    if (*this == OperandAccess(order))
      return order == Order::row ? "row" : "col";
  std::string text;
  if (!batch().empty())
    text += "b" + print(batch()) + " ";
  text += lines + print(this->lines()) + " k" + print(sum());
  for (auto [i, axis] : llvm::enumerate(axes())) {
    text += std::string(" ") + char('x' + i) + "[" + print(axis.extent) + "*" +
            print(axis.pitch);
    if (axis.low != 0)
      text += ", low " + print(axis.low);
    text += "]";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// The lists of a text, by name.
struct Lists {
  Digits batch, lines, sum;
  std::vector<OperandAccess::Axis> axes;
  size_t usedAxes = 0; ///< those that digits name
};
} // namespace

static Error parseNumber(StringRef what, StringRef text, int64_t min,
                         int64_t max, int64_t &number) {
  text = text.trim();
  number = kDynamic;
  if (text == "?")
    return Error::success();
  std::optional<int64_t> value = parseNatural(text);
  if (!value || *value < min || *value > max)
    return failure("expected " + what + " to be " + llvm::Twine(min) + " to " +
                   llvm::Twine(max) + " or '?', but got " + quoted(text));
  number = *value;
  return Error::success();
}

static Error parseDigit(StringRef text, Lists &lists, Digits &digits) {
  auto [extent, step] = text.split('*');
  if (step.empty())
    return failure("expected a digit of an access as extent*step, but got " +
                   quoted(text) + "; use '64*1' for 64 adjacent elements");
  OperandAccess::Digit digit = {1, 1};
  step = step.trim();
  if (char name = step.back(); name >= 'x' && name < char('x' + kMaxAxes)) {
    digit.axis = name - 'x';
    lists.usedAxes = std::max(lists.usedAxes, size_t(digit.axis + 1));
    step = step.drop_back();
  }
  if (Error error = parseNumber("an extent of an access", extent, 1,
                                kLargestExtent, digit.extent))
    return error;
  bool moves = digit.axis >= 0;
  if (!moves || !step.trim().empty())
    if (Error error = parseNumber(
            moves ? "a step along an axis" : "a step of an access", step,
            moves ? 1 : 0, moves ? kLargestExtent : kMaxStep, digit.step))
      return error;
  if (digits.size() == kMaxDigits)
    return failure("expected at most " + llvm::Twine(kMaxDigits) +
                   " digits in a list of an access, but got more; use fewer "
                   "dimensions");
  digits.push_back(digit);
  return Error::success();
}

/// `56*3584, low 1`
static Error parseAxis(char name, StringRef text, Lists &lists) {
  if (size_t(name - 'x') != lists.axes.size())
    return failure("expected axes of an access in the order x, y, z, but got "
                   "'" +
                   llvm::Twine(name) + "'; use the first free name");
  OperandAccess::Axis axis = {1, 1, 0};
  auto [numbers, low] = text.split(',');
  auto [extent, pitch] = numbers.split('*');
  low = low.trim();
  if (text.contains(',') && !low.consume_front("low"))
    return failure("expected 'low' and a number after the positions of an "
                   "axis, but got " +
                   quoted(low) + "; use 'low 1' for one position of padding");
  if (Error error = parseNumber("positions of an axis", extent, 1,
                                kLargestExtent, axis.extent))
    return error;
  if (Error error = parseNumber("the distance of positions", pitch, 1, kMaxStep,
                                axis.pitch))
    return error;
  if (text.contains(','))
    if (Error error =
            parseNumber("'low' of an axis", low, 0, kLargestExtent, axis.low))
      return error;
  lists.axes.push_back(axis);
  return Error::success();
}

static Error parseList(char name, char lines, StringRef text, Lists &lists) {
  if (name >= 'x' && name < char('x' + kMaxAxes))
    return parseAxis(name, text, lists);
  Digits *digits = name == 'b'     ? &lists.batch
                   : name == lines ? &lists.lines
                   : name == 'k'   ? &lists.sum
                                   : nullptr;
  if (!digits || !digits->empty())
    return failure("expected lists b, " + llvm::Twine(lines) +
                   ", k, x, y and z of an access, each once, but got '" +
                   llvm::Twine(llvm::isPrint(name) ? name : '.') +
                   "'; use a list for each index");
  if (text.trim().empty())
    return Error::success();
  for (StringRef digit : llvm::split(text, ','))
    if (Error error = parseDigit(digit, lists, *digits))
      return error;
  return Error::success();
}

Expected<OperandAccess> OperandAccess::parse(StringRef text, char lines) {
  text = text.trim();
  if (text == "row" || text == "col")
    return OperandAccess(text == "row" ? Order::row : Order::col);
  Lists lists;
  std::string names;
  for (StringRef rest = text; !rest.empty();) {
    size_t end = rest.find(']');
    if (rest.size() < 3 || rest[1] != '[' || end == StringRef::npos)
      return failure("expected an access to be 'row', 'col' or lists such as " +
                     llvm::Twine(lines) + "[128*64] k[64*1], but got " +
                     quoted(rest));
    names += rest[0];
    if (Error error = parseList(rest[0], lines, rest.slice(2, end), lists))
      return std::move(error);
    rest = rest.drop_front(end + 1).ltrim();
  }
  if (!StringRef(names).contains(lines) || !StringRef(names).contains('k'))
    return failure("expected an access with lists " + llvm::Twine(lines) +
                   " and k, but got " + quoted(text) +
                   "; use an empty list for an index of one value");
  if (lists.usedAxes > lists.axes.size())
    return failure("expected a list of axis '" +
                   llvm::Twine(char('x' + lists.axes.size())) +
                   "', along which a digit moves, but got none; use x[56*64, "
                   "low 1] for 56 positions after one of padding");
  OperandAccess access(lists.batch, lists.lines, lists.sum, lists.axes);
  if (std::optional<std::string> fault = access.fault())
    return failure(*fault);
  return access;
}
