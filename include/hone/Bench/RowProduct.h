//===- RowProduct.h - A product of any number of rows -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan that a build has for m = ?, compiled once and called with any m, on
// the GPU or on a stand-in. Rows of A and C have no gaps.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_BENCH_ROWPRODUCT_H
#define HONE_BENCH_ROWPRODUCT_H

#include "hone/Reference/Program.h"

namespace hone {

struct RowProductOptions {
  std::string arch = "native", schedule, database;
  int64_t ranges = 0; ///< 0: the pipeline's
  bool standIn = false;
};

class RowProduct {
public:
  /// `problem` has n and k, A in rows, no batches and no epilogue; its m is
  /// ignored.
  static llvm::Expected<std::unique_ptr<RowProduct>>
  compile(mlir::MLIRContext &context, const Problem &problem,
          const RowProductOptions &options);

  /// The memory of operands.
  Memory &memory() { return *operands; }
  /// Enqueues C = A * B.
  llvm::Error enqueue(int64_t m, void *a, void *b, void *c);
  /// The same, and waits.
  llvm::Error run(int64_t m, void *a, void *b, void *c);

private:
  Problem problem;
  std::unique_ptr<Program> program;
  std::unique_ptr<Memory> operands;
};

/// Memory of operands with an owner.
class OperandMemory {
public:
  static llvm::Expected<OperandMemory> allocate(Memory &memory, size_t bytes);
  OperandMemory(OperandMemory &&other)
      : memory(other.memory), pointer(std::exchange(other.pointer, nullptr)) {}
  OperandMemory &operator=(OperandMemory &&) = delete;
  ~OperandMemory() {
    if (pointer)
      memory.free(pointer);
  }
  void *get() const { return pointer; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(pointer); }

private:
  OperandMemory(Memory &memory, void *pointer)
      : memory(memory), pointer(pointer) {}
  Memory &memory;
  void *pointer;
};

/// N(0, 1) data of a type, the same for a seed on every machine.
std::vector<uint8_t> drawElements(ElementType type, size_t count,
                                  uint64_t seed);

} // namespace hone

#endif // HONE_BENCH_ROWPRODUCT_H
