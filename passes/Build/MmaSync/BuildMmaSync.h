//===- BuildMmaSync.h - Parameters of mma_sync kernels ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contract of the launch side (BuildMmaSync.cpp) and the kernel
// (BuildMmaSyncKernel.cpp): the kernel's parameters, in order, by the names
// that the plan's expressions use.
//
// | name              | kind | meaning                                     |
// |-------------------|------|---------------------------------------------|
// | a, b, c, e0, ...  | ptr  | operands; epilogue operands are e0, e1, ... |
// | m, n, k           | i32  | extents                                     |
// | group             | i32  | rows of tiles that are walked together      |
// | lda, ldb, ldc     | i64  | elements from one line to the next          |
// | sa, sb, sc        | i64  | elements from batch to batch, if batched    |
// | heads             | i32  | inner batches, if there are two batches     |
// | ha, hb, hc        | i64  | elements from one inner batch to the next   |
// | e0m, e0n, e0b e0h | i64  | strides of epilogue operand 0, those it has |
// | segments          | ptr  | ends of ragged rows                         |
// | groups            | i32  | number of these; sb is then B's only stride |
// | index             | ptr  | index of A's rows                           |
// | ma                | i32  | number of A's rows, if these have an index  |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_BUILD_MMASYNC_BUILDMMASYNC_H
#define HONE_PASSES_BUILD_MMASYNC_BUILDMMASYNC_H

#include "hone/Schedule/MmaSync.h"
#include "passes/Build/BuildGemm.h"

namespace hone {

/// The parameters of the kernel for `op`, in order.
KernelParams mmaSyncParams(MatmulOp op);

/// Writes the kernel for `problem`, and relies on its alignments.
void buildMmaSyncKernel(KernelModule &module, llvm::StringRef name, MatmulOp op,
                        const Problem &problem, const MmaSync &schedule);

} // namespace hone

#endif // HONE_PASSES_BUILD_MMASYNC_BUILDMMASYNC_H
