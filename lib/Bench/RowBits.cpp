//===- RowBits.cpp - Bits of rows, alone and among others -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RowBits.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/RowBits.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace hone;
using llvm::Error;
using llvm::formatv;

Error RowBits::prepare(int64_t rows, int64_t max, int64_t seed) {
  count = rows;
  rowsA = drawElements(problem.a.type, size_t(rows) * problem.k, seed);
  std::vector<uint8_t> dataB =
      drawElements(problem.b.type, size_t(problem.n) * problem.k, seed + 1);
  for (auto [memoryOf, bytes] :
       {std::pair(&a, max * bytesA), {&b, dataB.size()}, {&c, max * bytesC}}) {
    auto made = OperandMemory::allocate(memory, bytes);
    if (!made)
      return made.takeError();
    memoryOf->emplace(std::move(*made));
  }
  return memory.copyIn(b->get(), dataB.data(), dataB.size());
}

Error RowBits::place(llvm::ArrayRef<int64_t> rows) {
  placed.resize(rows.size() * bytesA);
  for (auto [i, row] : llvm::enumerate(rows))
    std::memcpy(&placed[i * bytesA], &rowsA[row * bytesA], bytesA);
  return memory.copyIn(a->get(), placed.data(), placed.size());
}

llvm::Expected<std::vector<uint8_t>> RowBits::alone(Multiply multiply) {
  std::vector<uint8_t> bits(count * bytesC);
  for (int64_t row = 0; row < count; ++row) {
    if (Error error = place(row))
      return std::move(error);
    if (Error error = multiply(1, a->get(), b->get(), c->get()))
      return std::move(error);
    if (Error error = memory.copyOut(&bits[row * bytesC], c->get(), bytesC))
      return std::move(error);
  }
  return bits;
}

Error RowBits::compare(int64_t m, Multiply multiply,
                       llvm::ArrayRef<uint8_t> expected, Exceptions &found) {
  std::vector<int64_t> rows(count);
  for (int64_t i = 0; i < count; ++i)
    rows[i] = i;
  std::shuffle(rows.begin(), rows.end(), random);
  rows.resize(m);
  for (int64_t i = count; i < m; ++i)
    rows[i] = int64_t(random() % count);
  if (Error error = place(rows))
    return error;
  if (Error error = multiply(m, a->get(), b->get(), c->get()))
    return error;
  results.resize(m * bytesC);
  if (Error error = memory.copyOut(results.data(), c->get(), results.size()))
    return error;
  size_t size = sizeOf(problem.c);
  found.rows += m;
  found.values += m * problem.n;
  for (int64_t i = 0; i < m; ++i) {
    const uint8_t *got = &results[i * bytesC],
                  *is = &expected[rows[i] * bytesC];
    if (std::memcmp(got, is, bytesC) == 0)
      continue;
    if (!found.wrongRows++)
      found.first = formatv("m = {0}, row {1}", m, i);
    for (size_t at = 0; at < bytesC; at += size)
      found.wrongValues += std::memcmp(got + at, is + at, size) != 0;
  }
  return Error::success();
}

llvm::Expected<Exceptions> hone::compareAll(RowBits &bits,
                                            llvm::ArrayRef<int64_t> rows,
                                            RowBits::Multiply multiply,
                                            std::vector<uint8_t> &expected) {
  if (Error error = bits.alone(multiply).moveInto(expected))
    return std::move(error);
  Exceptions found;
  for (int64_t m : rows)
    if (Error error = bits.compare(m, multiply, expected, found))
      return std::move(error);
  return found;
}
