//===- KernelText.h - Kernel IR of a record ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the kernels that a schedule has for a problem, and prints them. A
// whole kernel's text comes from the caller.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MATMUL_KERNELTEXT_H
#define HONE_MATMUL_KERNELTEXT_H

#include "hone/Schedule/Schedule.h"
#include "mlir/IR/MLIRContext.h"
#include <functional>
#include <map>
#include <memory>

namespace hone {

/// The text of a whole kernel; empty if it is unknown.
using WholeKernelText = std::function<std::string(llvm::StringRef name)>;

class KernelTexts {
public:
  explicit KernelTexts(WholeKernelText whole) : whole(std::move(whole)) {}
  /// The gpu.module that a build has for the problem on the chip, as text; on a
  /// CPU, the functions.
  llvm::Expected<std::string> of(const Problem &problem, llvm::StringRef arch,
                                 const Schedule &schedule);

private:
  WholeKernelText whole;
  std::unique_ptr<mlir::MLIRContext> context;
  std::map<std::string, std::string> built; ///< by kernelKey()
};

} // namespace hone

#endif // HONE_MATMUL_KERNELTEXT_H
