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

using MenuFunction = Outcome(mlir::gpu::GPUFuncOp kernel,
                             llvm::StringRef value);

/// The role that loads (Producer.cpp).
MenuFunction orderLoads, prefetchAhead;
/// The role that multiplies (Consumers.cpp).
MenuFunction keepInFlight, orderProducts, handOver;
/// The loop over K (Steps.cpp).
MenuFunction skewConsumers, unrollSteps;
/// The epilogue (Stores.cpp).
MenuFunction joinStores, guardStaging;
/// The overlap of launches (Launches.cpp).
MenuFunction startNext, beginTogether;

} // namespace hone::rewrite

#endif // HONE_PASSES_REWRITE_MENU_H
