//===- Reference.h - A module's results in f64 ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference of `hone run` shares no lowering with the code that it checks:
// it is the original module, in f64, through upstream's one-shot bufferization
// and loops. Each float is a pair, its value and the possible error of a
// correct result at that point (ReferenceErrors.h); matmuls are calls
// (ReferenceProducts.h).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REFERENCE_REFERENCE_H
#define HONE_REFERENCE_REFERENCE_H

#include "hone/Jit/Jit.h"
#include "hone/Reference/ReferenceErrors.h"
#include "hone/Reference/ReferenceProducts.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/Passes.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace hone {

/// A module on pairs, compiled. Its buffers hold `Inexact<double>`.
class ReferenceProgram {
public:
  /// Fails if an op means something else on f64, such as a bit cast. Products
  /// have the errors that `permitted` allows where their ops do not state it.
  static llvm::Expected<std::unique_ptr<ReferenceProgram>>
  create(mlir::ModuleOp module, Decisions decisions = Decisions::asComputed,
         const MatchOptions &permitted = {});

  Jit &getJit() { return *jit; }
  /// Sets the way in which errors add up in the next call.
  void setErrorSum(ErrorSum sum);
  /// The engine that multiplies in the next call; null for the CPU.
  void setEngine(ProductEngine *engine);
  /// True if a decision that rounding may turn affects more than errors can
  /// track: then the other reference shows the elements that depend on it.
  bool hasDecisions() const { return decides; }

private:
  ReferenceProducts products;
  std::unique_ptr<Jit> jit;
  bool decides = false;
};

} // namespace hone

#endif // HONE_REFERENCE_REFERENCE_H
