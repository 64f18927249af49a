//===- RaggedProducts.h - Products of ragged rows as loops ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definition of a `hone.matmul` of ragged rows, in ops of other dialects:
// a loop over the groups, with a linalg op on the rows of each. Rows that are
// read through an index are copied first.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_REFERENCE_RAGGEDPRODUCTS_H
#define HONE_LIB_REFERENCE_RAGGEDPRODUCTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace hone {

/// Replaces the module's matmuls of ragged rows, and those of indexed rows by
/// others. An error for one on memrefs, or of ragged rows of integers.
llvm::Error expandRaggedProducts(mlir::ModuleOp module);

} // namespace hone

#endif // HONE_LIB_REFERENCE_RAGGEDPRODUCTS_H
