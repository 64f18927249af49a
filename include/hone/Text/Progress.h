//===- Progress.h - How long there is to go ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line on a terminal that is written over; nothing anywhere else.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEXT_PROGRESS_H
#define HONE_TEXT_PROGRESS_H

#include "llvm/ADT/Twine.h"
#include <chrono>

namespace hone {

/// A line on the terminal that says what is done and how long there is to go,
/// from the third second on; silent where standard error is no terminal.
class Progress {
public:
  explicit Progress(size_t total) : total(total) {}
  ~Progress() { clear(); }
  /// One more of `total` is about to be done.
  void step(const llvm::Twine &what);
  /// Takes the line away, to print something else.
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  size_t total, done = 0;
  bool shown = false;
  Clock::time_point start = Clock::now(), last = start;
};

} // namespace hone

#endif // HONE_TEXT_PROGRESS_H
