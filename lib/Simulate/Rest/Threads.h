//===- Threads.h - Values that the threads of a block exchange --*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where threads combine their parts of a sum, every thread of a block is
// followed separately. For a sum, the proof records *which threads' parts* it
// contains: a part is a random number of 64 bits, and a sum of parts the sum of
// these numbers, whatever op combines the values. A part that is missing or
// counted twice makes another number.
//
// Shared memory is tracked by bytes. Between two barriers, no two threads may
// touch a byte if one of them writes it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REST_THREADS_H
#define HONE_LIB_SIMULATE_REST_THREADS_H

#include "Terms.h"
#include "hone/Simulate/Simulate.h"

namespace hone::simulate::rest {

/// Bits of a sum: `width` of them, from bit `from` of the sum on, placed at bit
/// `at`. All other bits are zero.
struct Part {
  uint64_t sum = 0;    ///< the parts in it
  unsigned result = 0; ///< of the sum
  mlir::Type type;     ///< of the sum
  unsigned from = 0, at = 0, width = 0;

  bool isWhole() const {
    return type && from == 0 && at == 0 && width == widthOf(type);
  }
};

/// A symbol of shared memory.
struct Shared {
  std::string symbol;
  int64_t bytes = 0, align = 1;
};

/// A fault in the exchange of threads.
struct ThreadFault {
  Fault fault;
  std::string text;
};

class Threads {
public:
  Threads(Terms &terms, Symbol thread, int64_t count)
      : terms(terms), thread(thread), count(count) {}

  using Mask = std::vector<bool>;
  using Parts = std::vector<Part>;
  using Numbers = std::vector<int64_t>;

  int64_t size() const { return count; }
  /// Sets the op that combines the parts of result `index`.
  void setCombiner(unsigned index, std::string name) {
    combiners[index] = std::move(name);
  }
  /// All parts of result `index` together.
  uint64_t sumOfAll(unsigned index) const;

  /// A number or truth value in each thread; nothing if it does not depend on
  /// the thread alone.
  const Numbers *numbersOf(TermId id);
  /// Each thread's part of a sum; nothing if it is something else.
  const Parts *partsOf(TermId id);

  void passBarrier() { ++epoch; }
  /// The value of a shuffle: that of the thread whose lane differs in the bits
  /// of `distance`.
  std::optional<ThreadFault> shuffle(TermId result, TermId value,
                                     TermId distance);
  std::optional<ThreadFault> store(const Shared &memory, TermId address,
                                   TermId value, int64_t bytes,
                                   const Mask &active);
  std::optional<ThreadFault> load(const Shared &memory, TermId address,
                                  TermId result, int64_t bytes,
                                  const Mask &active);

private:
  struct Byte {
    int64_t writer = -1, written = -1; ///< the thread, and its epoch
    int64_t reader = -1, read = -1;    ///< some thread, and the last epoch
    bool hasReaders = false;           ///< several threads
    int64_t start = 0, bytes = 0;      ///< of the value that contains it
    Part part;
  };

  std::optional<Part> partOf(const Term &term, llvm::ArrayRef<Part> operands);
  std::optional<int64_t> numberOf(const Term &term, int64_t number,
                                  llvm::ArrayRef<const Numbers *> operands);
  std::optional<ThreadFault> checkStart(llvm::StringRef what, int64_t start,
                                        int64_t bytes, const Shared &memory);
  std::optional<ThreadFault> read(Byte &byte, int64_t i, int64_t start,
                                  int64_t bytes);

  Terms &terms;
  Symbol thread;
  int64_t count, epoch = 0;
  std::map<unsigned, std::string> combiners;
  std::map<TermId, Parts> known;
  std::map<TermId, std::optional<Numbers>> numbers;
  std::map<std::pair<std::string, int64_t>, Byte> memory;
};

} // namespace hone::simulate::rest

#endif // HONE_LIB_SIMULATE_REST_THREADS_H
