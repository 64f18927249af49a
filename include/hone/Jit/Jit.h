//===- Jit.h - Execution of a module on this CPU ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Jit takes a module whose functions are bufferized (func, linalg on memrefs,
// vector, scf, arith, math, memref, calls of the launcher), lowers a copy of it
// to LLVM, compiles that for the CPU it runs on, and calls its functions.
//
//   llvm::Expected<std::unique_ptr<hone::Jit>> jit = hone::Jit::create(module);
//   if (!jit)
//     return jit.takeError();
//
//   // func.func @scale(%factor: f32, %data: memref<?x4xf32>)
//   hone::JitArguments arguments;
//   arguments.add(2.0f);
//   arguments.addMemRef(data, /*sizes=*/{rows, 4}, /*strides=*/{4, 1});
//   return (*jit)->invoke("scale", arguments);
//
// Every public function with a body can be invoked. It receives one pointer to
// each argument; a memref argument is a descriptor:
//
//   | words      | meaning                                        |
//   |------------|------------------------------------------------|
//   | 2          | pointer that was allocated, pointer to data    |
//   | 1          | offset of the first element                    |
//   | rank       | sizes                                          |
//   | rank       | strides, in elements                           |
//
// A scalar result is written through one more pointer at the end (`addResult`);
// a memref result is written to a descriptor passed at the *front*
// (`addMemRefResult`), as in MLIR's C interface.
//
// Nothing here aborts: a failure to lower, compile or find a function is an
// error.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_JIT_JIT_H
#define HONE_JIT_JIT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <deque>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace hone {

struct JitOptions {
  /// LLVM's optimization level, 0 to 3.
  unsigned optLevel = 3;
  /// Functions and variables that the module may refer to by name, in addition
  /// to those of the process: `honeLaunch` and the like.
  llvm::StringMap<void *> symbols;
  /// Shared libraries to open and search for symbols.
  std::vector<std::string> libraries;
};

/// The functions of libhone_rt that compiled code calls. In a program that
/// links it statically, or loads it with local symbols, there is no other way
/// to find them.
llvm::StringMap<void *> runtimeSymbols();

/// The arguments of one call. It owns the descriptors and copies of the
/// scalars, not the data, and must outlive the call.
class JitArguments {
public:
  template <typename T>
  void add(const T &scalar) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16,
                  "a scalar argument has at most 16 bytes");
    llvm::MutableArrayRef<int64_t> words = allocate(2);
    __builtin_memcpy(words.data(), &scalar, sizeof(T));
    pointers.push_back(words.data());
  }
  /// The element at index zero is `offset` elements after `data`; a function
  /// uses the offset of its type, if there is one. Strides count elements.
  void addMemRef(void *data, llvm::ArrayRef<int64_t> sizes,
                 llvm::ArrayRef<int64_t> strides, int64_t offset = 0);
  /// A contiguous memref.
  void addMemRef(void *data, llvm::ArrayRef<int64_t> sizes);
  /// Where to write a scalar result. Must come last.
  void addResult(void *result) { pointers.push_back(result); }
  /// Room for the descriptor of a memref result. Must come first.
  llvm::ArrayRef<int64_t> addMemRefResult(size_t rank);

  llvm::MutableArrayRef<void *> get() { return pointers; }

private:
  llvm::MutableArrayRef<int64_t> allocate(size_t words);
  llvm::MutableArrayRef<int64_t> addDescriptor(size_t rank);

  std::deque<std::vector<int64_t>> storage; ///< addresses stay valid
  /// Addresses of descriptors, which the callee takes for memrefs.
  std::deque<void *> descriptors;
  std::vector<void *> pointers;
};

class Jit {
public:
  /// A compiled function: it takes an array of pointers to its arguments.
  using Function = void (*)(void **);

  /// Compiles a copy of `module`, which is not changed, and runs its global
  /// constructors. Loads the dialects that lowering needs into its context.
  static llvm::Expected<std::unique_ptr<Jit>>
  create(mlir::ModuleOp module, const JitOptions &options = {});
  ~Jit();

  /// The function, to be called many times.
  llvm::Expected<Function> lookup(llvm::StringRef name);
  /// The same with MLIR's C interface: it takes scalars, and the addresses of
  /// descriptors.
  llvm::Expected<void *> lookupAddress(llvm::StringRef name);
  llvm::Error invoke(llvm::StringRef name,
                     llvm::MutableArrayRef<void *> arguments);
  llvm::Error invoke(llvm::StringRef name, JitArguments &arguments) {
    return invoke(name, arguments.get());
  }

private:
  Jit(std::unique_ptr<mlir::ExecutionEngine> engine);

  std::unique_ptr<mlir::ExecutionEngine> engine;
};

} // namespace hone

#endif // HONE_JIT_JIT_H
