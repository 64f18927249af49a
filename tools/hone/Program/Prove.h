//===- Prove.h - Proofs of kernels ------------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For commands that show unproven kernels: hone rewrite, and hone tune with a
// kernel of one's own.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_PROGRAM_PROVE_H
#define HONE_TOOLS_PROGRAM_PROVE_H

#include "hone/Simulate/Reference.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace hone {

/// The result for all kernels together.
enum class Proven {
  no,
  barriers, ///< one has no reference
  numbers   ///< too
};

/// Proves every kernel of a module, and prints the result in one line each;
/// findings are emitted. `references` define the results of the kernels.
llvm::Expected<Proven>
proveKernels(mlir::ModuleOp module,
             llvm::ArrayRef<simulate::Reference> references, bool protocolOnly);

} // namespace hone

#endif // HONE_TOOLS_PROGRAM_PROVE_H
