//===- Modelled.h - Kernels of which a proof can speak ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel IR has ops of the kernel dialect, loops, branches, integer arithmetic
// and the scalar arithmetic of epilogues. The simulator runs these; a kernel
// that was written by hand may have no others, and says how large a block is.
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

/// The first op of the kernel that is not modelled, wherever it stands: inline
/// PTX, calls, loads and stores through pointers. Null if a proof can speak of
/// the kernel as a whole.
mlir::Operation *firstUnmodelled(mlir::gpu::GPUFuncOp kernel);

/// Why blocks of the kernel have no number of threads that a GPU takes.
std::optional<std::string> faultOfBlock(mlir::gpu::GPUFuncOp kernel);

} // namespace hone::kernel

#endif // HONE_DIALECTS_KERNEL_MODELLED_H
