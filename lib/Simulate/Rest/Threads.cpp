//===- Threads.cpp - What the threads of a block exchange -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread's numbers, parts of sums, and bytes of shared memory.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "../Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone::simulate;
using namespace hone::simulate::rest;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Parts of sums
//===----------------------------------------------------------------------===//

/// A number for the part of one thread (splitmix64).
static uint64_t tokenOf(unsigned result, int64_t thread) {
  uint64_t x = (uint64_t(result) << 32) + thread + 1;
  x *= 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t Threads::sumOfAll(unsigned index) const {
  uint64_t sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += tokenOf(index, i);
  return sum;
}

/// Two parts as one, if they stand side by side as they do in the sum.
static std::optional<Part> join(Part low, Part high) {
  if (low.at > high.at)
    std::swap(low, high);
  if (low.sum != high.sum || low.result != high.result ||
      low.bits != high.bits || low.at + low.width != high.at ||
      low.from + low.width != high.from)
    return std::nullopt;
  low.width += high.width;
  return low;
}

std::optional<Part> Threads::partOf(const Term &term, ArrayRef<Part> operands) {
  Part x = operands[0];
  auto shift = [&]() -> std::optional<unsigned> {
    const Term &by = terms[term.operands[1]];
    auto bits = by.kind == Term::number ? by.position.constant() : std::nullopt;
    return bits && *bits >= 0 && *bits < 64 ? std::optional(unsigned(*bits))
                                            : std::nullopt;
  };
  unsigned width = widthOf(term.type);
  auto combiner = combiners.find(x.result);
  if (combiner != combiners.end() && term.name == combiner->second &&
      operands.size() == 2 && x.isWhole() && operands[1].isWhole() &&
      operands[1].result == x.result && x.bits == width) {
    x.sum += operands[1].sum;
    return x;
  }
  if (term.name == "arith.bitcast" || term.name == "arith.extui")
    return x;
  if (term.name == "arith.trunci") {
    x.width = std::min(x.width, width > x.at ? width - x.at : 0);
    return x;
  }
  if (term.name == "arith.ori" && operands.size() == 2)
    return join(x, operands[1]);
  auto by = term.operands.size() == 2 ? shift() : std::nullopt;
  if (by && term.name == "arith.shli" && x.at + x.width + *by <= width) {
    x.at += *by;
    return x;
  }
  if (by && term.name == "arith.shrui") {
    unsigned lost = *by > x.at ? std::min(*by - x.at, x.width) : 0;
    x.at -= std::min(*by, x.at);
    x.from += lost;
    x.width -= lost;
    return x;
  }
  return std::nullopt;
}

const Threads::Parts *Threads::partsOf(TermId id) {
  if (auto found = known.find(id); found != known.end())
    return &found->second;
  const Term term = terms[id];
  Parts parts;
  if (term.kind == Term::partial) {
    unsigned bits = widthOf(term.type);
    for (int64_t i = 0; i < count; ++i)
      parts.push_back({tokenOf(term.index, i), term.index, bits, 0, 0, bits});
  } else if (term.kind == Term::result) {
    SmallVector<const Parts *, 2> operands;
    for (TermId operand : term.operands)
      if (terms[operand].kind != Term::number)
        operands.push_back(partsOf(operand));
    if (operands.empty() || llvm::is_contained(operands, nullptr))
      return nullptr;
    for (int64_t i = 0; i < count; ++i) {
      SmallVector<Part, 2> own;
      for (const Parts *operand : operands)
        own.push_back((*operand)[i]);
      std::optional<Part> part = partOf(term, own);
      if (!part)
        return nullptr;
      parts.push_back(*part);
    }
  } else {
    return nullptr;
  }
  return &(known[id] = std::move(parts));
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

std::optional<int64_t> Threads::numberOf(TermId id, int64_t number) {
  const Term &term = terms[id];
  if (term.kind == Term::number)
    return terms.symbols.evaluate(
        term.position, [&](Symbol symbol) -> std::optional<int64_t> {
          return symbol == thread ? std::optional(number) : std::nullopt;
        });
  if (term.kind != Term::result || !term.op || !isInteger(term.op))
    return std::nullopt;
  SmallVector<uint64_t, 3> operands;
  for (TermId operand : term.operands) {
    auto value = numberOf(operand, number);
    if (!value)
      return std::nullopt;
    operands.push_back(uint64_t(*value) & llvm::maskTrailingOnes<uint64_t>(
                                              widthOf(terms[operand].type)));
  }
  if (isa<arith::SelectOp>(term.op))
    return operands[0] ? operands[1] : operands[2];
  auto value = evaluateInteger(term.op, operands);
  return value ? std::optional(int64_t(*value)) : std::nullopt;
}

std::optional<std::vector<int64_t>> Threads::numbersOf(TermId id) {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < count; ++i)
    if (auto number = numberOf(id, i))
      numbers.push_back(*number);
    else
      return std::nullopt;
  return numbers;
}

//===----------------------------------------------------------------------===//
// Exchange
//===----------------------------------------------------------------------===//

std::optional<ThreadFault> Threads::shuffle(TermId result, TermId value,
                                            TermId distance) {
  auto by = numbersOf(distance);
  const Parts *parts = partsOf(value);
  if (!by || !parts)
    return ThreadFault{Fault::notModelled, "exchanges something else than "
                                           "parts of sums"};
  Parts received;
  constexpr int64_t kWarp = 32;
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = (*by)[i];
    if (from < 0 || from >= kWarp)
      return ThreadFault{Fault::bounds,
                         "reads from a lane that does not exist"};
    received.push_back((*parts)[i ^ from]);
  }
  known[result] = std::move(received);
  return std::nullopt;
}

std::optional<ThreadFault> Threads::store(StringRef symbol, int64_t symbolBytes,
                                          TermId address, TermId value,
                                          int64_t bytes, const Mask &active) {
  auto starts = numbersOf(address);
  const Parts *parts = partsOf(value);
  if (!starts || !parts)
    return ThreadFault{Fault::notModelled,
                       "stores something else than parts of sums"};
  for (int64_t i = 0; i < count; ++i) {
    if (!active[i])
      continue;
    int64_t start = (*starts)[i];
    if (start < 0 || start + bytes > symbolBytes || start % bytes)
      return ThreadFault{Fault::bounds,
                         formatv("stores at byte {0} of {1} of shared memory",
                                 start, symbolBytes)};
    for (int64_t at = start; at < start + bytes; ++at) {
      Byte &byte = memory[{symbol.str(), at}];
      bool isOther = byte.written == epoch && byte.writer != i;
      bool isRead = byte.read == epoch && (byte.hasReaders || byte.reader != i);
      if (isOther || isRead)
        return ThreadFault{Fault::overwritten,
                           formatv("overwrites shared memory that thread {0} "
                                   "{1}, without a barrier in between",
                                   isOther ? byte.writer : byte.reader,
                                   isOther ? "writes" : "reads")};
      byte = {i, epoch, -1, -1, false, start, bytes, (*parts)[i]};
    }
  }
  return std::nullopt;
}

std::optional<ThreadFault> Threads::load(StringRef symbol, int64_t symbolBytes,
                                         TermId address, TermId result,
                                         int64_t bytes, const Mask &active) {
  auto starts = numbersOf(address);
  if (!starts)
    return ThreadFault{Fault::notModelled,
                       "reads shared memory at a place that is not known"};
  Parts loaded(count);
  for (int64_t i = 0; i < count; ++i) {
    if (!active[i])
      continue;
    int64_t start = (*starts)[i];
    if (start < 0 || start + bytes > symbolBytes || start % bytes)
      return ThreadFault{Fault::bounds,
                         formatv("reads byte {0} of {1} of shared memory",
                                 start, symbolBytes)};
    for (int64_t at = start; at < start + bytes; ++at) {
      Byte &byte = memory[{symbol.str(), at}];
      if (byte.writer < 0)
        return ThreadFault{Fault::unfilled,
                           "reads shared memory that nothing has written"};
      if (byte.written == epoch && byte.writer != i)
        return ThreadFault{Fault::unfilled,
                           formatv("reads shared memory that thread {0} "
                                   "writes, without a barrier in between",
                                   byte.writer)};
      if (byte.start != start || byte.bytes != bytes)
        return ThreadFault{Fault::notModelled,
                           "reads a part of what was stored"};
      byte.hasReaders =
          byte.read == epoch && (byte.hasReaders || byte.reader != i);
      byte.reader = i;
      byte.read = epoch;
    }
    loaded[i] = memory[{symbol.str(), start}].part;
  }
  known[result] = std::move(loaded);
  return std::nullopt;
}
