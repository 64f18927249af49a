//===- BuildHostParts.h - Functions of a host kernel ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host kernel is one function of loops over cache blocks that calls four
// small ones:
//
//   hone_host_f32          loops over blocks of N, K, M, then over micro-tiles
//   hone_host_f32_pack_a   a block of A  -> micro-panels, f32, zero padded
//   hone_host_f32_pack_b   a block of B  -> micro-panels, f32, zero padded
//   hone_host_f32_multiply two micro-panels -> one micro-tile, in registers
//   hone_host_f32_store    a micro-tile  -> C: old sums, epilogue, conversion
//
// They are separate so that each can be read, tested and replaced alone. They
// stay separate in LLVM: a call is cheap compared to their work, and loops six
// deep around the registers of a micro-tile take the optimizer twice as long as
// the rest together. This header is shared by the files that write them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_BUILD_HOST_BUILDHOSTPARTS_H
#define HONE_PASSES_BUILD_HOST_BUILDHOSTPARTS_H

#include "dialects/Hone/Hone.h"
#include "hone/Schedule/Host.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace hone::host {

/// The facts that are known when a kernel is written. Extents and strides are
/// not.
struct Kernel {
  MatmulOp op; ///< the matmul whose epilogue is copied
  Host knobs;
  int64_t lanes; ///< f32 elements in one vector
  std::string name;
  /// Parameter types, as `generalize` makes them.
  mlir::MemRefType a, b, c;
  llvm::SmallVector<mlir::MemRefType> epilogue;
  std::string lettersA, lettersB, lettersC;        ///< "bmk", ...
  llvm::SmallVector<llvm::StringRef> epilogueDims; ///< "n", "bmn", ...

  int64_t microM() const { return knobs.micro[0]; }
  int64_t microN() const { return knobs.micro[1]; }
  /// True if sums of all but the last block of K need a buffer of their own: C
  /// is too narrow, or an epilogue operand with C's shape may be C itself.
  bool keepsSums() const;
};

/// `type` with every extent, stride and offset dynamic, except the one stride
/// that is known to be 1.
mlir::FailureOr<mlir::MemRefType> generalize(mlir::MemRefType type);
/// A generalized type whose dimensions are `letters`, without its batches.
mlir::MemRefType dropBatches(mlir::MemRefType type, llvm::StringRef letters);

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

/// The packing of an operand into micro-panels. Both operands are matrices of
/// `depth` (K) by `across` (M of A, N of B).
struct Packing {
  mlir::MemRefType source;
  int64_t width;     ///< elements of `across` in one panel
  bool depthIsFirst; ///< the memref's first dimension is K
  WindowAttr window; ///< of an image; null for a matrix
};

/// (%source, %panels, %depth): `%depth` is K rounded up to whole iterations of
/// the micro-kernel; elements beyond the source are packed as zero.
mlir::func::FuncOp buildPack(mlir::ImplicitLocOpBuilder &builder,
                             const Kernel &kernel, llvm::StringRef suffix,
                             const Packing &packing);
/// The same for windows of an image, with (%source, %panels, %depth,
/// %firstLine, %lines, %firstStep, %steps).
mlir::func::FuncOp buildWindowPack(mlir::ImplicitLocOpBuilder &builder,
                                   const Kernel &kernel, llvm::StringRef suffix,
                                   const Packing &packing);
/// (%panelA, %panelB, %tile, %oldSums): the tile is written, the old sums are
/// only prefetched.
mlir::func::FuncOp buildMultiply(mlir::ImplicitLocOpBuilder &builder,
                                 const Kernel &kernel);
/// (%tile, %c, %first, %last, [%sums], epilogue operands...), all cut to the
/// rows and columns that exist.
mlir::func::FuncOp buildStore(mlir::ImplicitLocOpBuilder &builder,
                              const Kernel &kernel);
/// (%a, %b, %c, epilogue operands...): the loops, and everything above.
mlir::func::FuncOp buildLoops(mlir::ImplicitLocOpBuilder &builder,
                              const Kernel &kernel);

/// Memref types of the values that the functions exchange.
mlir::MemRefType panelsType(mlir::MLIRContext *context, int64_t width);
mlir::MemRefType panelType(mlir::MLIRContext *context, int64_t width);
mlir::MemRefType tileType(mlir::MLIRContext *context, const Kernel &kernel);
mlir::MemRefType sumsType(mlir::MLIRContext *context);

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Starts a private function and moves `builder` into it, before its return.
mlir::func::FuncOp startFunction(mlir::ImplicitLocOpBuilder &builder,
                                 llvm::StringRef name,
                                 mlir::TypeRange arguments);
/// Starts a loop and moves `builder` into it; returns the induction variable.
mlir::Value enterLoop(mlir::ImplicitLocOpBuilder &builder, mlir::Value from,
                      mlir::Value to, int64_t step);
mlir::Value index(mlir::ImplicitLocOpBuilder &builder, int64_t value);
/// `value` / `unit`, rounded up.
mlir::Value ceilDiv(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                    int64_t unit);
/// `value` as a vector (or scalar) of floating-point type `element`.
mlir::Value convertFloat(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                         mlir::Type element);
/// Reads `lanes` elements along the last of `indices`; zeros past the end of
/// the memref.
mlir::Value readVector(mlir::ImplicitLocOpBuilder &builder, mlir::Value memref,
                       mlir::ValueRange indices, int64_t lanes);

} // namespace hone::host

#endif // HONE_PASSES_BUILD_HOST_BUILDHOSTPARTS_H
