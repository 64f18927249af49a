//===- Share.h - A worker's share of a run ----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// N workers on any machines run the same command, each with its own number:
//
//   --part=2/8      the second of eight
//
// A hash of a problem's text decides which part has it, so workers need not
// talk to each other, and the same command on another machine, after a crash,
// has the same problems. The hash is the same in every version and on every
// machine.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_BENCH_SHARE_H
#define HONE_BENCH_SHARE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace hone {

struct Share {
  int64_t number = 1, count = 1;

  /// Reads "2/8"; empty text is the whole.
  static llvm::Expected<Share> parse(llvm::StringRef text);
  bool isWhole() const { return count == 1; }
  /// Every text is in one part.
  bool has(llvm::StringRef text) const;
};

} // namespace hone

#endif // HONE_BENCH_SHARE_H
