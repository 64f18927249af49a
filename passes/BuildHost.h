//===- BuildHost.h - Matmuls as vector code for the CPU ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `host` kind's half of `hone-build-kernel`. See docs/Host.md for the
// loops it writes.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_BUILDHOST_H
#define HONE_PASSES_BUILDHOST_H

#include "dialects/Hone/Hone.h"
#include "mlir/IR/PatternMatch.h"

namespace hone {

/// Replaces `op`, a scheduled matmul on memrefs whose arch is the host, by a
/// call of a private function `@hone_host_...` of loops and vectors. The
/// function takes every extent and stride at run time, so matmuls that differ
/// only in these share it. Fails with a diagnostic, and leaves `op` alone,
/// where the operands are no strided memrefs or the schedule is of another
/// kind.
mlir::LogicalResult buildHostKernel(mlir::RewriterBase &rewriter, MatmulOp op,
                                    const Schedule &schedule, bool fallback);

} // namespace hone

#endif // HONE_PASSES_BUILDHOST_H
