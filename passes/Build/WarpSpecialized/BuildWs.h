//===- BuildWs.h - Parameters of ws kernels ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contract of the launch side (BuildWs.cpp) and the kernel
// (BuildWsKernel.cpp): the kernel's parameters, in order. Both use the schedule
// from the tensor cores' view (`turned`): M are the rows of a product, which
// come from B if C is transposed.
//
// | parameters        | kind | present if                            |
// |-------------------|------|---------------------------------------|
// | a, b              | map  | always: how the copy engine sees them |
// | c                 | map  | the copy engine stores                |
// | e0                | map  | the copy engine brings that residual  |
// | c                 | ptr  | threads store, or read C's old values |
// | ws                | ptr  | workers share tiles: their workspace  |
// | e0, e1, ...       | ptr  | threads read operands of the epilogue |
// | m, n, k, group    | i32  | always, but k not with windows        |
// | images ...        | i32  | the numbers of windows                |
// | batch             | i32  | batched                               |
// | heads             | i32  | two batches                           |
// | ldc, sc, hc       | i64  | with the pointer c; sc, hc if batched |
// | e0m, e0n, e0b e0h | i64  | the strides that operand 0 has        |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_BUILD_WARPSPECIALIZED_BUILDWS_H
#define HONE_PASSES_BUILD_WARPSPECIALIZED_BUILDWS_H

#include "hone/Schedule/WarpSpecialized.h"
#include "passes/Build/BuildGemm.h"

namespace hone {

/// A workspace: counters, then slots of sums.
constexpr int64_t kCounterBytes = LaunchPlan::clearedBytes;

/// One of the two factors, from the tensor cores' view.
struct WsSide {
  const char *name;    ///< a or b
  const char *extent;  ///< its extent, m or n
  bool alongK;         ///< lines in memory run along k, not the extent
  bool hasParts;       ///< it was split by the kernel that packs it
  std::string batches; ///< letters of its batches
  bool hasWindows;     ///< the engine reads windows
  bool hasTaps;        ///< the last coordinate is a tap of the filter
  /// Elements of the extent per tile, and blocks that load a tile together.
  int64_t tile, sharing;
  int64_t tileK;

  /// Lines and width of a slot.
  int64_t lines() const { return alongK ? tile : tileK; }
  int64_t width() const { return alongK ? tileK : tile; }
  /// Dimensions of its map. The last one of a factor that was split selects the
  /// part.
  int64_t rank() const {
    return hasWindows ? 4 : 2 + hasParts + hasTaps + int64_t(batches.size());
  }
};
/// The factors that provide the product's rows and columns.
WsSide leftOf(const GemmOperands &operands, const WarpSpecialized &knobs);
WsSide rightOf(const GemmOperands &operands, const WarpSpecialized &knobs);

/// A matrix that the copy engine loads, to be added to the sums while they are
/// in registers: C's old values, or an operand of the epilogue with C's layout.
struct WsResidual {
  /// The operand's number; negative for C's old values.
  int64_t index;
  std::string batches; ///< letters of its batches

  bool isC() const { return index < 0; }
  std::string name() const { return isC() ? "c" : epilogueName(index); }
  /// The names of its strides.
  std::string lineStride() const;
  std::string batchStride(char batch) const;
};
/// The first residual that the engine can read, if the schedule uses the engine
/// for it.
std::optional<WsResidual> residualOf(MatmulOp op, const GemmOperands &operands,
                                     const WarpSpecialized &knobs);

/// The parameters of the kernel for `op`, in order.
KernelParams wsParams(MatmulOp op, const GemmOperands &operands,
                      const WarpSpecialized &knobs);
/// The map of a parameter that is a tensor map, before operands are packed.
TensorMap wsMapOf(const std::string &name, const GemmOperands &operands,
                  const WarpSpecialized &knobs,
                  const std::optional<WsResidual> &residual);

void buildWsKernel(KernelModule &module, llvm::StringRef name, MatmulOp op,
                   const GemmOperands &operands, const WarpSpecialized &knobs);

} // namespace hone

#endif // HONE_PASSES_BUILD_WARPSPECIALIZED_BUILDWS_H
