//===- LaunchPlan.h - The launch of a kernel, as text -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A LaunchPlan describes the launch of a compiled matmul, without MLIR. The
// compiler writes one per kernel, and `honeLaunch` reads it. It is the only
// source of grid rules, launch attributes and parameter lists.
//
// A plan has *arguments* (named 64-bit values: addresses, extents, strides),
// which the caller passes in order, and *alternatives*, of which the first one
// whose bound and guard hold runs. As text, one line per fact:
//
//   hone-plan 2
//   args a b c m n k lda ldb ldc
//   alternative a % 16 == 0 && b % 16 == 0 && lda % 8 == 0 && ldb % 8 == 0
//   launch hone_mma_sync_f16_f16_1f3a
//   grid ceildiv(m, 128) * ceildiv(n, 128) ; 1 ; 1
//   block 128 ; 1 ; 1
//   shared 65536
//   param ptr a
//   param i32 m
//   param tensormap a : f16 dims (k, m) strides (k * 2) box (64, 8) swizzle 128
//   alternative 1
//   ...
//
// A plan for an extent that is unknown until the launch may have several
// kernels, each for the values up to a bound:
//
//   alternative k > 0
//   upto m 64
//   with group 4
//   launch hone_ws_f16_f16_77c0
//   ...
//   alternative k > 0
//   with group 8
//   ...
//
// A map that reads the windows of a convolution has as dims channels, pixels
// and images, for each dimension of pixels a corner at which windows begin, one
// at which they end, relative to the last pixel, and the distance of adjacent
// windows, and a box of channels and windows:
//
//   param tensormap a : f16 dims (c, w, h, n) strides (c * 2, ...)
//     window (-1, -1) to (-1, -1) step (2, 2) box (64, 128) swizzle 128
//
// (in one line).
//
// | line        | meaning                                                     |
// |-------------|-------------------------------------------------------------|
// | args        | names of the 64-bit arguments, in the order of the call     |
// | alternative | guard; `1` always holds. Owns the launches below it         |
// | workspace   | bytes of scratch memory, argument `ws`, of the stream or,   |
// |             | in a capture, of the graph (hone-c/Runtime.h);              |
// |             | `zero` after it: cleared once when it is allocated, and its |
// |             | first 8192 bytes by every launch that changes them          |
// | upto        | the alternative is for values of this argument up to the    |
// |             | bound. Its kernels are also correct for others: picking     |
// |             | compares one integer, before the guard is evaluated         |
// | with        | the value of an argument in this alternative, overriding    |
// |             | the caller's: a run-time decision of its schedule           |
// | launch      | entry point of the next kernel, looked up in the images     |
// | grid, block | three expressions; `cluster` likewise where there is one    |
// | shared      | bytes of dynamic shared memory                              |
// | attribute   | `programmatic`: programmatic stream serialization           |
// | param       | one kernel parameter: `ptr`, `i32`, `i64`, `f32` (its bits) |
// |             | and an expression, or a tensor map                          |
//
// `args` comes first, `upto`, `with` and `workspace` before the first launch of
// their alternative, and the other lines after the launch they belong to, in
// any order. Bounds are of one argument, do not fall from one alternative to
// the next, and the last alternative has none: no value is left without a
// kernel.
//
// An expression (hone/Runtime/Expression.h) consists of integers, argument
// names, the operators + - * / % (64-bit, toward zero), comparisons, && and ||
// (1 or 0), parentheses, and the functions ceildiv, min and max. It is parsed
// once; a launch only evaluates it. Division by zero and overflow are errors of
// the launch.
//
// A grid may also depend on the device: resident(15, 16) is the number of the
// launch's clusters (of blocks, if it has none) that an otherwise idle chip
// holds at once, but at most 16; 15 if the driver cannot tell. It is determined
// when the launch's function is loaded. Kernels whose blocks wait for each
// other rely on it.
//
// A grid with a zero in it means an empty matrix: that launch is skipped. All
// launches of one owner with `zero` share a workspace, so each must leave its
// start cleared. The rest of the workspace, and all of one without `zero`, has
// undefined contents.
//
// The first line is the version. `hone-plan 1` is read as well, but not for
// kernels of the rest: programs with such plans may pass wrong addresses to
// them (parts of buffers of booleans).
//
// A plan is untrusted text: a malformed one is an error with its line number.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_LAUNCHPLAN_H
#define HONE_RUNTIME_LAUNCHPLAN_H

#include "hone/Runtime/Expression.h"
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hone {

/// The arguments of `cuTensorMapEncodeTiled` for one operand, or, with corners,
/// of `cuTensorMapEncodeIm2col`. Extents, strides and corners are formulas,
/// innermost first; the innermost stride is one element and is omitted.
struct TensorMap {
  PlanFormula base;                 ///< the address
  std::string type;                 ///< f16, bf16, f32, tf32 (f32 that arrive
                                    ///< rounded to it), f8E4M3FN, f8E5M2, i8,
                                    ///< i32
  std::vector<PlanFormula> dims;    ///< elements
  std::vector<PlanFormula> strides; ///< bytes, one fewer than dims
  /// Of a window, for each dimension of pixels: the first start, the last one
  /// less the last pixel, and the distance of starts.
  std::vector<PlanFormula> lower, upper, steps;
  std::vector<int64_t> box; ///< elements
  int64_t swizzle = 0;      ///< bytes: 0, 32, 64 or 128

  bool isWindow() const { return !lower.empty(); }
  bool operator==(const TensorMap &other) const;
};

struct LaunchParam {
  enum Kind { ptr, i32, i64, f32, tensorMap } kind;
  PlanFormula value; ///< empty for a tensor map
  TensorMap map;

  bool operator==(const LaunchParam &other) const;
};

struct KernelLaunch {
  std::string entry;
  PlanFormula grid[3] = {PlanFormula::one(), PlanFormula::one(),
                         PlanFormula::one()};
  PlanFormula block[3] = {PlanFormula::one(), PlanFormula::one(),
                          PlanFormula::one()};
  PlanFormula cluster[3] = {PlanFormula::one(), PlanFormula::one(),
                            PlanFormula::one()};
  int64_t sharedBytes = 0;
  bool programmatic = false;
  std::vector<LaunchParam> params;

  bool operator==(const KernelLaunch &other) const;
};

/// An argument's value in one alternative.
struct PlanDecision {
  std::string name;
  int64_t value;

  bool operator==(const PlanDecision &other) const;
};

struct PlanAlternative {
  PlanFormula guard = PlanFormula::one();
  std::string extent; ///< the argument that is bounded; empty for none
  int64_t max = 0;    ///< its bound
  std::vector<PlanDecision> decisions;
  PlanFormula workspaceBytes; ///< empty for none
  bool workspaceZeroed = false;
  std::vector<KernelLaunch> launches;

  bool operator==(const PlanAlternative &other) const;
};

struct LaunchPlan {
  std::vector<std::string> args;
  std::vector<PlanAlternative> alternatives;

  /// Size of the start of a `zero` workspace, which launches leave cleared.
  static constexpr int64_t clearedBytes = 8192;
  /// The limits of a plan. A launch works in arrays of these sizes and
  /// allocates nothing.
  static constexpr size_t maxArgs = 64, maxAlternatives = 256, maxLaunches = 16,
                          maxParams = 64, maxTensorMaps = 16, maxDecisions = 16;

  /// The text form, as in the table above.
  std::string str() const;
  /// Parses `text` into `plan`. Returns an empty string, or "line 3: expected
  /// ..., but got ..." and leaves `plan` unspecified.
  static std::string parse(const char *text, LaunchPlan &plan);
  /// An empty string if the plan is valid: its text is then one that `parse`
  /// accepts. Otherwise "expected ..., but got ...".
  std::string fault() const;

  bool operator==(const LaunchPlan &other) const {
    return args == other.args && alternatives == other.alternatives;
  }

  /// True if one of its launches uses programmatic stream serialization.
  bool isProgrammatic() const;
  /// Removes that attribute; true if there was one.
  bool stripProgrammatic();
};

} // namespace hone

#endif // HONE_RUNTIME_LAUNCHPLAN_H
