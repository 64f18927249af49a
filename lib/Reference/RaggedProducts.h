//===- RaggedProducts.h - Products of ragged rows as loops ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definition of a `hone.matmul` of ragged rows, in ops of other dialects:
// a loop over the groups, with a linalg op on the rows of each.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_REFERENCE_RAGGEDPRODUCTS_H
#define HONE_LIB_REFERENCE_RAGGEDPRODUCTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace hone {

/// Replaces the module's matmuls of ragged rows. An error for one on memrefs or
/// of integers.
llvm::Error expandRaggedProducts(mlir::ModuleOp module);

} // namespace hone

#endif // HONE_LIB_REFERENCE_RAGGEDPRODUCTS_H
