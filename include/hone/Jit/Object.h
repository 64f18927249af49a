//===- Object.h - Compile here, run elsewhere -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a Jit does in two halves, for two processes of one machine: one compiles
// a module and may break down over it, the other links what came of it and
// calls it, and needs no MLIR to do so.
//
//   auto object = hone::compileObject(module);     // in a compiler
//   ...                                            // bytes, on their way
//   auto linked = hone::LinkedObject::create(bytes);
//   auto kernel = (*linked)->lookup("matmul");
//   reinterpret_cast<void (*)(void *, void *)>(*kernel)(&a, &b);
//
// A function gets what the C interface of MLIR has: scalars as they are, and
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

/// The machine code of a copy of `module` for this CPU, as an object file. Of
/// the options only the level counts: what the module refers to by name is
/// looked for in the process that links it.
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
