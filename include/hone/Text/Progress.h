//===- Progress.h - A progress line with remaining time ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A status line that a terminal overwrites; silent anywhere else.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEXT_PROGRESS_H
#define HONE_TEXT_PROGRESS_H

#include "llvm/ADT/Twine.h"
#include <chrono>

namespace hone {

/// A line on the terminal with the completed work and the remaining time, from
/// the third second on; silent if standard error is not a terminal.
class Progress {
public:
  explicit Progress(size_t total) : total(total) {}
  ~Progress() { clear(); }
  /// The next one of `total` is about to start.
  void step(const llvm::Twine &what) { show(done + 1, what); }
  /// Number `next` of `total` is about to start.
  void show(size_t next, const llvm::Twine &what);
  /// Erases the line, to print something else.
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  size_t total, done = 0;
  bool shown = false;
  Clock::time_point start = Clock::now(), last = start;
};

} // namespace hone

#endif // HONE_TEXT_PROGRESS_H
