//===- BuildHost.h - Host kernels of matmuls --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of `hone-build-kernel` for the `host` kind. docs/Pipeline.md
// describes the loops it writes.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_BUILD_HOST_BUILDHOST_H
#define HONE_PASSES_BUILD_HOST_BUILDHOST_H

#include "dialects/Hone/Hone.h"
#include "mlir/IR/PatternMatch.h"

namespace hone {

/// Replaces `op`, a scheduled matmul on memrefs whose arch is the host, with a
/// call to a private function `@hone_host_...` of loops and vectors. The
/// function takes every extent and stride at run time, so matmuls that differ
/// only in these share it. Fails with a diagnostic, and leaves `op` alone, if
/// the operands are not strided memrefs or the schedule has another kind.
mlir::LogicalResult buildHostKernel(mlir::RewriterBase &rewriter, MatmulOp op,
                                    const Schedule &schedule, bool fallback);

} // namespace hone

#endif // HONE_PASSES_BUILD_HOST_BUILDHOST_H
