//===- Threads.cpp - Values that the threads of a block exchange ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread's numbers, parts of sums, and bytes of shared memory.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "../Program.h"
#include "Poison.h"
#include "dialects/Kernel/Modelled.h"
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

/// Joins two parts, if they are adjacent in the value as they are in the sum.
static std::optional<Part> join(Part low, Part high) {
  if (low.at > high.at)
    std::swap(low, high);
  if (low.sum != high.sum || low.result != high.result ||
      low.type != high.type || low.at + low.width != high.at ||
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
      operands[1].result == x.result && x.type == term.type) {
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
    for (int64_t i = 0; i < count; ++i)
      parts.push_back({tokenOf(term.index, i), term.index, term.type, 0, 0,
                       widthOf(term.type)});
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

std::optional<int64_t> Threads::numberOf(const Term &term, int64_t number,
                                         ArrayRef<const Numbers *> operands) {
  if (term.kind == Term::number)
    return terms.symbols.evaluate(
        term.position, [&](Symbol symbol) -> std::optional<int64_t> {
          return symbol == thread ? std::optional(number) : std::nullopt;
        });
  SmallVector<uint64_t, 3> own;
  for (auto [id, values] : llvm::zip_equal(term.operands, operands))
    own.push_back(uint64_t((*values)[number]) &
                  llvm::maskTrailingOnes<uint64_t>(widthOf(terms[id].type)));
  if (isa<arith::SelectOp>(term.op))
    return own[0] ? own[1] : own[2];
  auto value = evaluateInteger(term.op, own);
  if (!value || isPoison(term.op, own))
    return std::nullopt;
  return int64_t(*value);
}

const Threads::Numbers *Threads::numbersOf(TermId id) {
  auto [found, isNew] = numbers.try_emplace(id);
  std::optional<Numbers> &own = found->second;
  if (!isNew)
    return own ? &*own : nullptr;
  const Term &term = terms[id];
  bool isComputed = term.kind == Term::result && term.op &&
                    hone::kernel::isIntegerArithmetic(term.op);
  if (term.kind != Term::number && !isComputed)
    return nullptr;
  SmallVector<const Numbers *, 3> operands;
  for (TermId operand : term.operands) {
    operands.push_back(numbersOf(operand));
    if (!operands.back())
      return nullptr;
  }
  Numbers values;
  for (int64_t i = 0; i < count; ++i)
    if (auto value = numberOf(term, i, operands))
      values.push_back(*value);
    else
      return nullptr;
  own = std::move(values);
  return &*own;
}

//===----------------------------------------------------------------------===//
// Exchange
//===----------------------------------------------------------------------===//

std::optional<ThreadFault> Threads::shuffle(TermId result, TermId value,
                                            TermId distance) {
  const Numbers *by = numbersOf(distance);
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

/// Checks that a value of `bytes` lies inside of `memory`, at a valid
/// alignment.
std::optional<ThreadFault> Threads::checkStart(StringRef what, int64_t start,
                                               int64_t bytes,
                                               const Shared &memory) {
  if (start >= 0 && start + bytes <= memory.bytes && start % bytes == 0 &&
      memory.align % bytes == 0)
    return std::nullopt;
  return ThreadFault{
      Fault::bounds,
      formatv("{0} {1} bytes at byte {2} of {3} of shared memory, which are "
              "aligned to {4}",
              what, bytes, start, memory.bytes, memory.align)};
}

std::optional<ThreadFault> Threads::store(const Shared &at, TermId address,
                                          TermId value, int64_t bytes,
                                          const Mask &active) {
  const Numbers *starts = numbersOf(address);
  const Parts *parts = partsOf(value);
  if (!starts || !parts)
    return ThreadFault{Fault::notModelled,
                       "stores something else than parts of sums"};
  for (int64_t i = 0; i < count; ++i) {
    if (!active[i])
      continue;
    int64_t start = (*starts)[i];
    if (auto fault = checkStart("stores", start, bytes, at))
      return fault;
    for (int64_t offset = start; offset < start + bytes; ++offset) {
      Byte &byte = memory[{at.symbol, offset}];
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

/// Thread `i` reads `byte`, which is part of a value of `bytes` from `start`.
std::optional<ThreadFault> Threads::read(Byte &byte, int64_t i, int64_t start,
                                         int64_t bytes) {
  if (byte.writer < 0)
    return ThreadFault{Fault::unfilled,
                       "reads shared memory that was never written"};
  if (byte.written == epoch && byte.writer != i)
    return ThreadFault{Fault::unfilled,
                       formatv("reads shared memory that thread {0} writes, "
                               "without a barrier in between",
                               byte.writer)};
  if (byte.start != start || byte.bytes != bytes)
    return ThreadFault{Fault::notModelled, "reads a part of a stored value"};
  byte.hasReaders = byte.read == epoch && (byte.hasReaders || byte.reader != i);
  byte.reader = i;
  byte.read = epoch;
  return std::nullopt;
}

std::optional<ThreadFault> Threads::load(const Shared &at, TermId address,
                                         TermId result, int64_t bytes,
                                         const Mask &active) {
  const Numbers *starts = numbersOf(address);
  if (!starts)
    return ThreadFault{Fault::notModelled,
                       "reads shared memory at a place that is not known"};
  Parts loaded(count);
  for (int64_t i = 0; i < count; ++i) {
    if (!active[i])
      continue;
    int64_t start = (*starts)[i];
    if (auto fault = checkStart("reads", start, bytes, at))
      return fault;
    for (int64_t offset = start; offset < start + bytes; ++offset)
      if (auto fault = read(memory[{at.symbol, offset}], i, start, bytes))
        return fault;
    loaded[i] = memory[{at.symbol, start}].part;
  }
  known[result] = std::move(loaded);
  return std::nullopt;
}
