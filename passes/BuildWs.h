//===- BuildWs.h - The two halves of the sm_90a builder ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All families with a copy engine and consumers are one kernel in several
// forms. What the launch side (BuildWs.cpp) and the kernel (BuildWsKernel.cpp)
// must agree on is here: the form, and the kernel's parameters, in order.
//
// | parameters       | kind      | there if                                  |
// |------------------|-----------|-------------------------------------------|
// | a, b             | map       | always: how the copy engine sees them     |
// | c                | map       | the copy engine stores                    |
// | c                | ptr       | threads store, or read C's old values     |
// | e0, e1, ...      | ptr       | the epilogue has operands                 |
// | m, n, k, group   | i32       | always                                    |
// | batch            | i32       | batched                                   |
// | ldc, sc          | i64       | with the pointer c                        |
// | e0m, e0n, e0b    | i64       | the strides operand 0 has                 |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_BUILDWS_H
#define HONE_PASSES_BUILDWS_H

#include "passes/BuildGemm.h"

namespace hone {

/// What tells the families apart, besides their knobs.
struct WsForm {
  const WarpSpecialized &knobs;
  /// Blocks take tiles until none is left; else each has one.
  bool persistent = true;
  int64_t producerWarps = 4;
  /// Budgets of a thread; none: what the launch gives.
  std::optional<RegisterBudget> registers;

  int64_t threads() const { return producerWarps * 32 + knobs.groups() * 128; }
  /// What a cluster has added up is stored by the threads that hold it.
  bool storesByThreads() const { return knobs.splits > 1; }
};

struct WsParam {
  LaunchParam::Kind kind;
  std::string name;
  mlir::Type type;
};
/// The parameters of the kernel for `op`, in order.
llvm::SmallVector<WsParam> wsParams(MatmulOp op, const GemmOperands &operands,
                                    const WsForm &form);

void buildWsKernel(KernelModule &module, llvm::StringRef name, MatmulOp op,
                   const GemmOperands &operands, const WsForm &form);

/// Writes kernel, plan and launch of a matmul in this form.
mlir::LogicalResult buildWs(mlir::RewriterBase &rewriter, MatmulOp op,
                            const Schedule &schedule, const WsForm &form,
                            bool fallback);

} // namespace hone

#endif // HONE_PASSES_BUILDWS_H
