//===- HostScalars.h - Scalars in tensors of one element --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frontends keep counters, bounds and constants in tensors of one element. As
// buffers of the device, the host would wait for each of them. Before
// bufferization,
//
//   HostScalars.cpp  a scalar that the host can compute leaves its tensor
//   HostLoops.cpp    so does one that a loop carries: a loop that counts is an
//                    scf.for then
//   SinkScalars.cpp  one that the device computes is read where a kernel uses it
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_REST_HOSTSCALARS_H
#define HONE_PASSES_REST_HOSTSCALARS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace hone {

/// True for a tensor of one element.
bool isScalarTensor(mlir::Type type);

/// True if the host can compute the element of `tensor` from those of `known`.
bool canHostCompute(mlir::Value tensor,
                    const llvm::SetVector<mlir::Value> &known);

/// Replaces extractions of elements that the host can compute.
void populateHostScalarPatterns(mlir::RewritePatternSet &patterns);
/// Lets linalg ops take scalars instead of tensors of one element.
void populateScalarOperandPatterns(mlir::RewritePatternSet &patterns);
/// Lets loops carry scalars that the host can compute. True if one changed.
bool carryScalars(mlir::func::FuncOp function);
/// Moves scalars of the device into the ops that use them.
void populateSinkScalarPatterns(mlir::RewritePatternSet &patterns);

} // namespace hone

#endif // HONE_PASSES_REST_HOSTSCALARS_H
