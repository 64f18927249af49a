//===- Object.h - Compile here, run elsewhere -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two halves of a Jit, for two processes on one machine: one compiles a
// module and may crash over it, the other links the result and calls it, and
// needs no MLIR to do so.
//
//   auto object = hone::compileObject(module);     // in a compiler
//   ...                                            // bytes, sent over
//   auto linked = hone::LinkedObject::create(bytes);
//   auto kernel = (*linked)->lookup("matmul");
//   reinterpret_cast<void (*)(void *, void *)>(*kernel)(&a, &b);
//
// A function takes what MLIR's C interface prescribes: scalars as they are, and
// the address of a descriptor for a memref (hone/Jit/Jit.h).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_JIT_OBJECT_H
#define HONE_JIT_OBJECT_H

#include "hone/Jit/Jit.h"

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace hone {

/// Compiles a copy of `module` for this CPU to an object file. Of the options
/// only the optimization level counts: symbols are resolved in the process that
/// links the object.
llvm::Expected<std::string> compileObject(mlir::ModuleOp module,
                                          const JitOptions &options = {});

/// An object file in memory that can be called.
class LinkedObject {
public:
  static llvm::Expected<std::unique_ptr<LinkedObject>>
  create(llvm::StringRef bytes);
  ~LinkedObject();

  /// The address of a public function of the module.
  llvm::Expected<void *> lookup(llvm::StringRef name);

private:
  LinkedObject(std::unique_ptr<llvm::orc::LLJIT> linker);

  std::string complaints; ///< outlives the linker, which writes them
  std::unique_ptr<llvm::orc::LLJIT> linker;
};

} // namespace hone

#endif // HONE_JIT_OBJECT_H
