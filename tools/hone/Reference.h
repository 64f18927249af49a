//===- Reference.h - What a module computes, in f64 -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference of `hone run` shares no lowering with what it checks: it is the
// module as it was read, with f64 in the place of every float type, through
// upstream's one-shot bufferization and loops.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_REFERENCE_H
#define HONE_TOOLS_REFERENCE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace hone {

/// A copy of `module` on f64, bufferized, ready for a Jit. Fails where an op
/// means something else on f64, a bit cast say.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
makeReference(mlir::ModuleOp module);

} // namespace hone

#endif // HONE_TOOLS_REFERENCE_H
