//===- Modelled.h - Kernels that the proof models ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel IR has ops of the kernel dialect, loops, branches, integer arithmetic
// and the scalar arithmetic of epilogues. The simulator runs these. A
// hand-written kernel may have no others, and must state the size of a block.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_MODELLED_H
#define HONE_DIALECTS_KERNEL_MODELLED_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <optional>
#include <string>

namespace hone::kernel {

/// True if `op` computes one integer of up to 64 bits from such integers.
bool isIntegerArithmetic(mlir::Operation *op);

/// True if the proof models `op`, apart from its regions.
bool isModelled(mlir::Operation *op);

/// The first op of the kernel that is not modelled, at any depth: inline PTX,
/// calls, loads and stores through pointers. Null if the proof models the whole
/// kernel.
mlir::Operation *firstUnmodelled(mlir::gpu::GPUFuncOp kernel);

/// The reason why a GPU cannot run blocks of the kernel's size.
std::optional<std::string> faultOfBlock(mlir::gpu::GPUFuncOp kernel);

} // namespace hone::kernel

#endif // HONE_DIALECTS_KERNEL_MODELLED_H
