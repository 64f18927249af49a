//===- Menu.h - The rewrites, one function each -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the menu's table (Rewrite.cpp). docs/Rewrites.md describes
// each of them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_REWRITE_MENU_H
#define HONE_PASSES_REWRITE_MENU_H

#include "passes/Rewrite/Rewrite.h"

namespace hone::rewrite {

//===----------------------------------------------------------------------===//
// The role that loads (Producer.cpp)
//===----------------------------------------------------------------------===//
Outcome orderLoads(mlir::gpu::GPUFuncOp kernel, llvm::StringRef value);
Outcome prefetchAhead(mlir::gpu::GPUFuncOp kernel, llvm::StringRef value);

//===----------------------------------------------------------------------===//
// The role that multiplies (Consumers.cpp)
//===----------------------------------------------------------------------===//
Outcome keepInFlight(mlir::gpu::GPUFuncOp kernel, llvm::StringRef value);
Outcome orderProducts(mlir::gpu::GPUFuncOp kernel, llvm::StringRef value);
Outcome handOver(mlir::gpu::GPUFuncOp kernel, llvm::StringRef value);

//===----------------------------------------------------------------------===//
// The loop over K (Steps.cpp)
//===----------------------------------------------------------------------===//
Outcome skewConsumers(mlir::gpu::GPUFuncOp kernel, llvm::StringRef value);
Outcome unrollSteps(mlir::gpu::GPUFuncOp kernel, llvm::StringRef value);

//===----------------------------------------------------------------------===//
// The epilogue (Stores.cpp)
//===----------------------------------------------------------------------===//
Outcome joinStores(mlir::gpu::GPUFuncOp kernel, llvm::StringRef value);
Outcome guardStaging(mlir::gpu::GPUFuncOp kernel, llvm::StringRef value);

//===----------------------------------------------------------------------===//
// The overlap of launches (Launches.cpp)
//===----------------------------------------------------------------------===//
Outcome startNext(mlir::gpu::GPUFuncOp kernel, llvm::StringRef value);
Outcome beginTogether(mlir::gpu::GPUFuncOp kernel, llvm::StringRef value);

} // namespace hone::rewrite

#endif // HONE_PASSES_REWRITE_MENU_H
