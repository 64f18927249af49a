//===- Prove.h - What the proof says of kernels -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For commands that show kernels which nobody has proven yet: hone rewrite, and
// hone tune with a kernel of one's own.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_PROVE_H
#define HONE_TOOLS_PROVE_H

#include "hone/Simulate/Reference.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace hone {

/// Of all kernels together.
enum class Proven {
  no,
  barriers, ///< of one, nobody said what it is to compute
  numbers   ///< too
};

/// Proves every kernel of a module, and says what came of it in one line each;
/// findings are emitted. `references` say what kernels are to compute.
llvm::Expected<Proven>
proveKernels(mlir::ModuleOp module,
             llvm::ArrayRef<simulate::Reference> references, bool protocolOnly);

} // namespace hone

#endif // HONE_TOOLS_PROVE_H
