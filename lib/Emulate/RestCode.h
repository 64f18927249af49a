//===- RestCode.h - Kernels of the rest, for this CPU -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles what hone-lower-kernel leaves of the kernels of the rest: the LLVM
// IR that PTX is made of, with functions in the place of NVVM's intrinsics, and
// a call before each access of memory.
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

/// Makes a module of kernels code for the host: adds to each of `kernels` a
/// function that takes its parameters from words (shimName), and says which of
/// them make threads meet. An error if one uses what is not known.
llvm::Error prepareForCpu(llvm::Module &module,
                          llvm::ArrayRef<std::string> kernels,
                          llvm::StringSet<> &meeting);
std::string shimName(llvm::StringRef kernel);

class RestCode {
public:
  RestCode();
  ~RestCode();

  /// Compiles those functions of the lowered module's kernels that `names`
  /// lists.
  llvm::Error add(mlir::ModuleOp lowered, const llvm::StringSet<> &names);
  /// The kernel's code, and whether its threads meet; null if it is not known.
  KernelCode find(llvm::StringRef kernel, bool &meets) const;

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
  llvm::StringMap<KernelCode> code;
  llvm::StringSet<> meeting;
};

} // namespace hone::emulate

#endif // HONE_LIB_EMULATE_RESTCODE_H
