//===- WarpSpecializedWindowLaws.cpp - Laws of ws on other accesses -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copy engine reads a convolution's A through windows. It has limits for
// them, and some decisions are for matrices. Others are for rows of one group.
//
//===----------------------------------------------------------------------===//

#include "WarpSpecializedParts.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::detail;
using llvm::formatv;

static Broken refuseOtherWindows(const Problem &problem) {
  bool isB = problem.b.access.has_value();
  if (isB || !problem.a.access->window())
    return formatv("expected {0} for ws, but got {1} = {2}; use a copy of it "
                   "that is a matrix",
                   isB ? "b to be a matrix"
                       : "a to be a matrix or the windows of images",
                   isB ? "b" : "a",
                   isB ? problem.b.access->str('n') : problem.a.access->str())
        .str();
  if (problem.batch)
    return "expected windows without a batch for ws, but got batch = " +
           (*problem.batch == kDynamic ? "?" : std::to_string(*problem.batch)) +
           "; use a product for each";
  for (auto [name, operand] : {std::pair("a", &problem.a), {"b", &problem.b}})
    if (operand->align < kBestAlign)
      return formatv("expected the lines of {0} to start at multiples of {1} "
                     "bytes where a has windows, but got {2}; use a copy of it "
                     "that does",
                     name, kBestAlign, operand->align)
          .str();
  if (passesOf(problem) > 1)
    return std::string("expected products of windows to be tf32, but got "
                       "tf32x3; use products = tf32");
  return std::nullopt;
}

/// Decisions for operands that are matrices.
static Broken refuseOfMatrices(const Schedule &schedule) {
  constexpr int64_t kMaxLines = 256;
  WarpSpecialized knobs = WarpSpecialized(schedule).turned();
  if (knobs.packsA() || knobs.packsB())
    return formatv("expected no operand to be packed where a has windows, but "
                   "got pack = {0}; leave it out",
                   !knobs.packsB()  ? "a"
                   : knobs.packsA() ? "ab"
                                    : "b")
        .str();
  if (knobs.prefetch != 1)
    return std::string("expected no prefetch where a has windows, but got one; "
                       "leave it out");
  int side = knobs.transposes;
  int64_t lines = knobs.tile[side] / knobs.cluster[1 - side];
  if (lines > kMaxLines)
    return formatv("expected a block to load at most {0} windows of a tile, "
                   "but got {1}; use tile.m = {2}",
                   kMaxLines, lines, kMaxLines * knobs.cluster[1 - side])
        .str();
  return std::nullopt;
}

static Broken outsideOfEngine(llvm::StringRef what, int64_t min, int64_t max,
                              int64_t got) {
  return formatv("expected {0} of windows to be {1} to {2} for the copy "
                 "engine, but got {3}; use a copy of a that is a matrix",
                 what, min, max, got)
      .str();
}

/// The copy engine's limits, for the numbers that are known.
static Broken refuseWindowSide(const Window::Side &side) {
  constexpr int64_t kMaxStep = 8, kMaxOffset = 255, kMaxCorner = 127;
  auto isKnown = [](std::initializer_list<int64_t> numbers) {
    return llvm::all_of(numbers, [](int64_t one) { return one != kDynamic; });
  };
  if (!isKnown({side.extent, side.count}))
    return std::string("expected images of a known height and width for the "
                       "copy engine, but got ?; use a copy of a that is a "
                       "matrix");
  if (isKnown({side.step}) && (side.step < 1 || side.step > kMaxStep))
    return outsideOfEngine("the step", 1, kMaxStep, side.step);
  if (isKnown({side.size, side.dilation}))
    if (int64_t reach = side.size * side.dilation; reach > kMaxOffset + 1)
      return outsideOfEngine("size * dilation", 1, kMaxOffset + 1, reach);
  if (isKnown({side.low}) && (side.low < 0 || side.low > kMaxCorner + 1))
    return outsideOfEngine("the padding", 0, kMaxCorner + 1, side.low);
  if (isKnown({side.count, side.step, side.low, side.extent})) {
    int64_t corner = (side.count - 1) * side.step - side.low - side.extent + 1;
    if (corner < -kMaxCorner - 1 || corner > kMaxCorner)
      return outsideOfEngine("the last corner, from the last pixel on,",
                             -kMaxCorner - 1, kMaxCorner, corner);
  }
  return std::nullopt;
}

/// A group's rows begin and end anywhere. The blocks of a cluster have rows of
/// one group, and share its columns.
static Broken refuseOfRagged(const Schedule &schedule) {
  WarpSpecialized knobs = WarpSpecialized(schedule).turned();
  struct {
    bool isBroken;
    const char *expected, *use;
  } const rules[] = {
      {knobs.transposes, "rows of A in the tensor cores' rows", "side = a"},
      {knobs.cluster[1] > 1, "clusters along M alone", "cluster = 2x1"},
      {knobs.splits > 1, "a whole K in each block", "splits = 1"},
      {knobs.streams, "whole tiles", "streams = no"},
      {knobs.packsAny(), "no packed operand", "pack = none"},
      {knobs.standsBack, "tiles that do not move back", "edge = beyond"},
      {knobs.teams > 1, "one team", "teams = 1"},
      {!schedule.rewrites().empty(), "no rewrites", "rewrites = []"},
  };
  for (const auto &rule : rules)
    if (rule.isBroken)
      return formatv("expected {0} where rows are ragged, but got a schedule "
                     "of ws with others; use {1}",
                     rule.expected, rule.use)
          .str();
  return std::nullopt;
}

Broken hone::refuseWindow(const Window &window, ElementType type) {
  constexpr int64_t kUnitBytes = 16;
  int64_t unit = kUnitBytes / sizeOf(type);
  if (window.channels != kDynamic && window.channels % unit)
    return formatv("expected the channels of windows to be a multiple of {0}, "
                   "16 bytes, but got {1}; use a copy of a that is a matrix",
                   unit, window.channels)
        .str();
  if (Broken broken = refuseWindowSide(window.h))
    return broken;
  return refuseWindowSide(window.w);
}

Broken detail::wsRefuseAccess(const Schedule &schedule,
                              const Problem &problem) {
  if (problem.groups)
    return refuseOfRagged(schedule);
  if (Broken broken = refuseOtherWindows(problem))
    return broken;
  if (Broken broken = refuseOfMatrices(schedule))
    return broken;
  return refuseWindow(*problem.a.access->window(), problem.a.type);
}
