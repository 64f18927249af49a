//===- Shadow.h - Last accesses to each byte --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For every byte of a block's shared memory: the accesses that must precede the
// next one. Rings, partial sums and barriers may overlap in memory, so accesses
// are tracked by bytes and not by names. Bytes that were always accessed
// together are one cell.
//
// An op that every thread executes is one access by several agents, an
// *instance*. Its parts are not ordered among themselves and need not be, but
// each of them must come after all earlier accesses.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_SHADOW_H
#define HONE_LIB_SIMULATE_SHADOW_H

#include "Barrier.h"
#include "llvm/ADT/SmallVector.h"
#include <map>

namespace hone::simulate {

/// Bytes begin .. end - 1.
struct ByteRange {
  int64_t begin, end;
};

struct Access {
  /// The end of the access.
  Epoch epoch;
  /// Executed by an engine, not by threads.
  bool async = false;
  uint64_t instance = 0;
  /// For messages.
  int event = -1;
};

class Shadow {
public:
  /// An access, with the knowledge `who` of its issuer.
  void read(ByteRange range, const Access &access, const Knowledge &who,
            Complaints complain);
  void write(ByteRange range, const Access &access, const Knowledge &who,
             Complaints complain);

private:
  using Accesses = llvm::SmallVector<Access, 2>;
  struct Cell {
    int64_t end;
    /// The last instance of a write, and the reads since.
    Accesses writes, reads;
    /// The writes before that instance, and the reads of them.
    Accesses writesBefore, readsBefore;
  };
  /// Calls `visit` for the cells that make up `range`.
  void forCells(ByteRange range, llvm::function_ref<void(Cell &)> visit);
  void split(int64_t at);

  std::map<int64_t, Cell> cells;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_SHADOW_H
