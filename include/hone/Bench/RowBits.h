//===- RowBits.h - Bits of rows, alone and among others ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of A are multiplied one by one, and then at places that are drawn, in
// products of several rows. Anything that multiplies can be compared.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_BENCH_ROWBITS_H
#define HONE_BENCH_ROWBITS_H

#include "hone/Bench/RowProduct.h"
#include "hone/Schedule/Problem.h"
#include <random>

namespace hone {

/// Differences from the bits of m = 1.
struct Exceptions {
  int64_t rows = 0, values = 0; ///< that were compared
  int64_t wrongRows = 0, wrongValues = 0;
  std::string first; ///< "m = 33, row 7"
};

/// One product: rows to place, and the bits of each by itself.
class RowBits {
public:
  using Multiply =
      llvm::function_ref<llvm::Error(int64_t m, void *a, void *b, void *c)>;

  RowBits(const Problem &problem, Memory &memory, int64_t seed)
      : problem(problem), memory(memory), random(seed),
        bytesA(problem.k * sizeOf(problem.a.type)),
        bytesC(problem.n * sizeOf(problem.c)) {}

  /// Draws `count` rows of A, and B; room for `max` rows.
  llvm::Error prepare(int64_t count, int64_t max, int64_t seed);
  /// The bits of each row by itself.
  llvm::Expected<std::vector<uint8_t>> alone(Multiply multiply);
  /// Places rows at random, and compares.
  llvm::Error compare(int64_t m, Multiply multiply,
                      llvm::ArrayRef<uint8_t> expected, Exceptions &found);

private:
  llvm::Error place(llvm::ArrayRef<int64_t> rows);

  const Problem &problem;
  Memory &memory;
  std::mt19937_64 random;
  size_t bytesA, bytesC;
  int64_t count = 0;
  std::vector<uint8_t> rowsA, placed, results;
  std::optional<OperandMemory> a, b, c;
};
/// Compares products of so many rows each; `expected` gets the bits of the rows
/// alone.
llvm::Expected<Exceptions> compareAll(RowBits &bits,
                                      llvm::ArrayRef<int64_t> rows,
                                      RowBits::Multiply multiply,
                                      std::vector<uint8_t> &expected);

} // namespace hone

#endif // HONE_BENCH_ROWBITS_H
