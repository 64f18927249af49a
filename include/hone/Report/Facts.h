//===- Facts.h - Facts about scheduled matmuls ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of hone explain about a matmul: the choice of its schedule, and
// facts that follow from it without a GPU, such as the tiling, the share of a
// processor for a block, and a lower bound of the time.
//
//   Facts facts = factsOf(op, "the default schedule");
//   for (const auto &[name, value] : facts)
//     ...
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REPORT_FACTS_H
#define HONE_REPORT_FACTS_H

#include "dialects/Hone/Hone.h"
#include "hone/Assemble/Assemble.h"

namespace hone {

/// One matmul as pairs of a name and a value.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// Of an op that has its schedule, and the reason for it.
Facts factsOf(MatmulOp op, llvm::StringRef why);
/// The report of ptxas on the kernels of one matmul.
void addAssembled(llvm::ArrayRef<KernelReport> kernels, Facts &facts);
/// The trees of sums of the kernels in a built module, at a few sizes.
llvm::Error addSums(mlir::ModuleOp built, llvm::ArrayRef<Problem> problems,
                    llvm::MutableArrayRef<Facts> matmuls);

/// "FILE:LINE:COLUMN", or "FILE" of a whole module.
std::string placeOf(mlir::Location location);

} // namespace hone

#endif // HONE_REPORT_FACTS_H
