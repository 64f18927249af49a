//===- Object.h - Object code for another process ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two halves of a Jit, for two processes on one machine: one compiles a
// module and may crash, the other links the result and calls it, without MLIR.
//
//   auto object = hone::compileObject(module);     // in a compiler
//   ...                                            // bytes, sent over
//   auto linked = hone::LinkedObject::create(bytes);
//   auto kernel = (*linked)->lookup("matmul");
//   reinterpret_cast<void (*)(void *, void *)>(*kernel)(&a, &b);
//
// A function has MLIR's C interface: it takes scalars by value, and the address
// of a descriptor for a memref (hone/Jit/Jit.h).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_JIT_OBJECT_H
#define HONE_JIT_OBJECT_H

#include "hone/Jit/Jit.h"
#include <functional>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace hone {

struct ObjectOptions {
  /// LLVM's optimization level, 0 to 3.
  unsigned optLevel = 3;
  /// The CPU to compile for, as LLVM names it (x86-64-v3); this one if empty.
  std::string cpu;
  /// For linking into a running process, where symbols may be at any distance
  /// (LinkedObject); a linker of files places them near.
  bool isLinkedInMemory = true;
  /// Called with the module in the LLVM dialect, before it is translated; may
  /// add to it.
  std::function<mlir::LogicalResult(mlir::ModuleOp lowered)> finish;
};

/// Compiles a copy of `module` to an object file, of position-independent code.
/// Images of a `gpu.binary` are in it, and register
/// themselves with libhone_rt when it is loaded.
llvm::Expected<std::string> compileObject(mlir::ModuleOp module,
                                          const ObjectOptions &options = {});

/// The LLVM IR that `compileObject` optimizes and compiles, as text.
llvm::Expected<std::string> llvmIrOf(mlir::ModuleOp module);

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
