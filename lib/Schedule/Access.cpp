//===- Access.cpp - Canonical form and numbers of an access ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Access.h. Products of numbers have up to 78 bits before `fault` has
// refused them, so they saturate.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Access.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace hone;
using Digit = OperandAccess::Digit;
using Digits = OperandAccess::Digits;

/// More than any number that `fault` accepts.
static constexpr int64_t kTooMany = int64_t(1) << 60;
/// The last place in memory, in elements.
static constexpr int64_t kMaxSpan = int64_t(1) << 47;

static int64_t times(int64_t left, int64_t right) {
  if (left == kDynamic || right == kDynamic)
    return kDynamic;
  return std::min<__int128>(__int128(left) * right, kTooMany);
}

static int64_t plus(int64_t left, int64_t right) {
  if (left == kDynamic || right == kDynamic)
    return kDynamic;
  return std::min(left + right, kTooMany);
}

/// How far a digit moves.
static int64_t reachOf(const Digit &digit) {
  if (digit.extent == kDynamic)
    return kDynamic;
  return times(digit.extent - 1, digit.step);
}

static int64_t reachOf(llvm::ArrayRef<Digit> digits) {
  int64_t reach = 0;
  for (const Digit &digit : digits)
    reach = plus(reach, reachOf(digit));
  return reach;
}

//===----------------------------------------------------------------------===//
// The canonical form
//===----------------------------------------------------------------------===//

OperandAccess::OperandAccess(Digits batch, Digits lines, Digits sum,
                             std::vector<Axis> axes)
    : lists{std::move(batch), std::move(lines), std::move(sum)},
      moving(std::move(axes)) {
  canonicalize();
}

OperandAccess::OperandAccess(Order order)
    : lists{{},
            {{kDynamic, order == Order::row ? kDynamic : 1}},
            {{kDynamic, order == Order::row ? 1 : kDynamic}}} {}

OperandAccess::OperandAccess(const Window &window)
    : OperandAccess({},
                    {{window.images, window.imagePitch},
                     {window.h.count, window.h.step, 0},
                     {window.w.count, window.w.step, 1}},
                    {{window.h.size, window.h.dilation, 0},
                     {window.w.size, window.w.dilation, 1},
                     {window.channels, 1}},
                    {{window.h.extent, window.h.pitch, window.h.low},
                     {window.w.extent, window.w.pitch, window.w.low}}) {}

Digits OperandAccess::digitsOn(int axis) const {
  Digits result;
  for (const Digits &list : lists)
    for (const Digit &digit : list)
      if (digit.axis == axis)
        result.push_back(digit);
  return result;
}

template <typename Action>
void OperandAccess::changeDigitsOn(int axis, Action action) {
  for (Digits &list : lists)
    for (Digit &digit : list)
      if (digit.axis == axis)
        action(digit);
}

/// The largest sum of steps of `digits` that is at most `bound`; nothing if
/// there are too many sums to look at.
static std::optional<int64_t> largestSum(Digits digits, int64_t bound) {
  constexpr int64_t kMaxSums = 1 << 16;
  if (digits.empty())
    return 0;
  llvm::sort(digits, [](const Digit &left, const Digit &right) {
    return left.extent < right.extent;
  });
  int64_t sums = 1;
  for (const Digit &digit : llvm::drop_end(digits))
    sums = times(sums, digit.extent);
  if (sums > kMaxSums)
    return std::nullopt;
  int64_t best = -1;
  for (int64_t which = 0; which < sums; ++which) {
    int64_t sum = 0, rest = which;
    for (const Digit &digit : llvm::drop_end(digits)) {
      sum = plus(sum, times(rest % digit.extent, digit.step));
      rest /= digit.extent;
    }
    if (sum > bound)
      continue;
    const Digit &last = digits.back();
    sum += std::min((bound - sum) / last.step, last.extent - 1) * last.step;
    best = std::max(best, sum);
  }
  return best;
}

/// The smallest steps along an axis that move within whole blocks of it: these
/// digits decide nothing about what is outside. Returns the largest of these
/// steps; 0: none.
static int64_t largestFreeStep(const OperandAccess::Axis &axis, Digits digits) {
  if (axis.low == kDynamic || axis.pitch == kDynamic ||
      axis.extent == kDynamic || reachOf(digits) == kDynamic)
    return 0;
  llvm::sort(digits, [](const Digit &left, const Digit &right) {
    return left.step < right.step;
  });
  for (size_t free = digits.size(); free > 0; --free) {
    llvm::ArrayRef<Digit> rest = llvm::ArrayRef(digits).drop_front(free);
    int64_t block = axis.low,
            reach = reachOf(llvm::ArrayRef(digits).take_front(free));
    for (const Digit &digit : rest)
      block = std::gcd(block, digit.step);
    if (block != 0 && reach >= block)
      continue;
    std::optional<int64_t> last =
        largestSum(Digits(rest), axis.extent - 1 + axis.low);
    if (last && *last >= axis.low && *last - axis.low + reach < axis.extent)
      return digits[free - 1].step;
  }
  return 0;
}

/// Digits that decide nothing about what is outside have steps in memory.
void OperandAccess::freeAxes() {
  for (int i = 0; i < int(moving.size()); ++i) {
    int64_t max = largestFreeStep(moving[i], digitsOn(i));
    if (max == 0)
      continue;
    changeDigitsOn(i, [&](Digit &digit) {
      if (digit.step > max)
        return;
      digit.step = times(digit.step, moving[i].pitch);
      digit.axis = -1;
    });
  }
}

/// Steps along an axis and `low` without a common factor, and the axis without
/// positions after the last one that a digit reaches.
void OperandAccess::reduceAxes() {
  for (int i = 0; i < int(moving.size()); ++i) {
    Axis &axis = moving[i];
    Digits digits = digitsOn(i);
    int64_t factor = axis.low;
    for (const Digit &digit : digits)
      factor = factor == kDynamic || digit.step == kDynamic
                   ? kDynamic
                   : std::gcd(factor, digit.step);
    if (factor == kDynamic || digits.empty())
      continue;
    if (factor > 1) {
      changeDigitsOn(i, [&](Digit &digit) { digit.step /= factor; });
      axis.low /= factor;
      axis.pitch = times(axis.pitch, factor);
      if (axis.extent != kDynamic)
        axis.extent = (axis.extent + factor - 1) / factor;
      digits = digitsOn(i);
    }
    if (axis.extent == kDynamic || reachOf(digits) == kDynamic)
      continue;
    std::optional<int64_t> last =
        largestSum(digits, axis.extent - 1 + axis.low);
    if (last && *last >= axis.low)
      axis.extent = *last - axis.low + 1;
    if (axis.extent == 1)
      axis.pitch = 1;
  }
}

/// Digits that count on from each other are one.
static void mergeDigits(Digits &digits) {
  for (size_t inner = digits.size(); inner-- > 1;) {
    Digit &outer = digits[inner - 1];
    const Digit &other = digits[inner];
    int64_t next = times(other.extent, other.step);
    if (outer.axis != other.axis || next == kDynamic || outer.step != next)
      continue;
    outer.extent = times(outer.extent, other.extent);
    outer.step = other.step;
    digits.erase(digits.begin() + inner);
  }
}

/// Axes in the order in which digits first use them. One that none uses is
/// dropped, unless its only position is outside.
void OperandAccess::nameAxes() {
  std::vector<int> names(moving.size(), -1);
  std::vector<Axis> named;
  auto name = [&](int axis) {
    if (names[axis] < 0) {
      names[axis] = named.size();
      named.push_back(moving[axis]);
    }
    return names[axis];
  };
  for (Digits &list : lists)
    for (Digit &digit : list)
      if (digit.axis >= 0)
        digit.axis = name(digit.axis);
  for (int i = 0; i < int(moving.size()); ++i)
    if (names[i] < 0 && moving[i].low > 0)
      name(i);
  moving = std::move(named);
}

void OperandAccess::canonicalize() {
  for (Digits &list : lists)
    llvm::erase_if(list, [](const Digit &digit) { return digit.extent == 1; });
  freeAxes();
  nameAxes();
  reduceAxes();
  for (Digits &list : lists)
    mergeDigits(list);
}

OperandAccess OperandAccess::form() const {
  OperandAccess form = *this;
  for (Digits &list : form.lists)
    for (Digit &digit : list) {
      digit.extent = kDynamic;
      if (digit.axis >= 0 || digit.step != 1)
        digit.step = kDynamic;
    }
  for (Axis &axis : form.moving)
    axis = {kDynamic, kDynamic, kDynamic};
  return form;
}

std::optional<Order> OperandAccess::order() const {
  if (!moving.empty() || lines().size() > 1 || sum().size() > 1)
    return std::nullopt;
  if (sum().empty() || sum()[0].step == 1)
    return Order::row;
  if (lines().empty() || lines()[0].step == 1)
    return Order::col;
  return std::nullopt;
}

llvm::hash_code hone::hash_value(const OperandAccess &access) {
  llvm::hash_code code = llvm::hash_value(access.moving.size());
  for (const OperandAccess::Axis &axis : access.moving)
    code = llvm::hash_combine(code, axis.extent, axis.pitch, axis.low);
  for (const Digits &list : access.lists) {
    code = llvm::hash_combine(code, list.size());
    for (const Digit &digit : list)
      code = llvm::hash_combine(code, digit.extent, digit.step, digit.axis);
  }
  return code;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

int64_t OperandAccess::extentOf(llvm::ArrayRef<Digit> digits) {
  int64_t extent = 1;
  for (const Digit &digit : digits)
    extent = times(extent, digit.extent);
  return extent;
}

bool OperandAccess::isStatic() const {
  for (const Digits &list : lists)
    for (const Digit &digit : list)
      if (digit.extent == kDynamic || digit.step == kDynamic)
        return false;
  return llvm::all_of(moving, [](const Axis &axis) {
    return axis.extent != kDynamic && axis.pitch != kDynamic &&
           axis.low != kDynamic;
  });
}

std::optional<int64_t> OperandAccess::at(int64_t batch, int64_t line,
                                         int64_t sum) const {
  int64_t place = 0;
  llvm::SmallVector<int64_t, 3> positions;
  for (const Axis &axis : moving)
    positions.push_back(-axis.low);
  for (auto [list, index] : llvm::zip(lists, std::array{batch, line, sum}))
    for (size_t i = list.size(); i-- > 0;) {
      const Digit &digit = list[i];
      // The outermost digit's extent may be unknown.
      int64_t value = i == 0 ? index : index % digit.extent;
      (digit.axis < 0 ? place : positions[digit.axis]) += value * digit.step;
      index = i == 0 ? 0 : index / digit.extent;
    }
  for (auto [axis, position] : llvm::zip(moving, positions)) {
    if (position < 0 || position >= axis.extent)
      return std::nullopt;
    place += position * axis.pitch;
  }
  return place;
}

std::optional<int64_t> OperandAccess::span() const {
  int64_t last = reachOf(digitsOn(-1));
  for (const Axis &axis : moving)
    last = plus(last, axis.extent == kDynamic
                          ? kDynamic
                          : times(axis.extent - 1, axis.pitch));
  if (last == kDynamic)
    return std::nullopt;
  return last + 1;
}

std::optional<double> OperandAccess::elements() const {
  if (!isStatic())
    return std::nullopt;
  // Each step of a digit that overlaps with smaller ones shows only so many
  // places more.
  Digits digits = digitsOn(-1);
  llvm::sort(digits, [](const Digit &left, const Digit &right) {
    return left.step < right.step;
  });
  double count = 1;
  for (const Digit &digit : digits)
    count += (digit.extent - 1) * std::min<double>(digit.step, count);
  for (const Axis &axis : moving)
    count *= axis.extent;
  return count;
}

std::optional<std::string> OperandAccess::fault() const {
  for (const Digits &list : lists)
    if (int64_t extent = extentOf(list); extent > kLargestExtent)
      return "expected an index of an access to have at most " +
             std::to_string(kLargestExtent) + " values, but got " +
             std::to_string(extent) + "; use a smaller product";
  if (std::optional<int64_t> places = span(); places && *places > kMaxSpan)
    return "expected an access to reach at most " + std::to_string(kMaxSpan) +
           " elements, but got more; use a smaller operand";
  for (auto [i, axis] : llvm::enumerate(moving)) {
    Digits digits = digitsOn(i);
    if (axis.extent == kDynamic || axis.low == kDynamic)
      continue;
    std::optional<int64_t> last;
    if (reachOf(digits) != kDynamic)
      last = largestSum(digits, axis.extent - 1 + axis.low);
    if (last && *last < axis.low)
      return std::string("expected windows that reach into the image, but got "
                         "padding alone along axis ") +
             char('x' + i) + "; use zeros";
  }
  return std::nullopt;
}
