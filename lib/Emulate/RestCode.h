//===- RestCode.h - CPU code of the rest's kernels --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the output of hone-lower-kernel for the kernels of the rest: the
// LLVM IR of the PTX, with functions instead of NVVM's intrinsics, and a call
// before each access of memory.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_EMULATE_RESTCODE_H
#define HONE_LIB_EMULATE_RESTCODE_H

#include "Fibers.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

namespace llvm {
class Module;
namespace orc {
class LLJIT;
} // namespace orc
} // namespace llvm

namespace hone::emulate {

/// Prepares a module of kernels for the host: adds to each of `kernels` a
/// function that reads its parameters from words (shimName), and collects in
/// `meeting` those whose threads synchronize. Fails if a kernel uses an
/// unsupported intrinsic.
llvm::Error prepareForCpu(llvm::Module &module,
                          llvm::ArrayRef<std::string> kernels,
                          llvm::StringSet<> &meeting);
std::string shimName(llvm::StringRef kernel);

class RestCode {
public:
  RestCode();
  ~RestCode();

  /// Compiles those kernels of the lowered module that `names` lists.
  llvm::Error add(mlir::ModuleOp lowered, const llvm::StringSet<> &names);
  /// The kernel's code, and whether its threads synchronize; null for an
  /// unknown kernel.
  KernelCode find(llvm::StringRef kernel, bool &meets) const;

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
  llvm::StringMap<KernelCode> code;
  llvm::StringSet<> meeting;
};

} // namespace hone::emulate

#endif // HONE_LIB_EMULATE_RESTCODE_H
