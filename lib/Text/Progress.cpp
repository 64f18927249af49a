//===- Progress.cpp - Progress with the remaining time --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Progress.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Text/Progress.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;
using llvm::formatv;

void Progress::show(size_t next, const llvm::Twine &what) {
  using namespace std::chrono;
  Clock::time_point now = Clock::now();
  double passed = duration<double>(now - start).count();
  done = next;
  size_t before = next - 1;
  if (passed < 2 || now - last < milliseconds(100) ||
      !llvm::sys::Process::StandardErrIsDisplayed())
    return;
  last = now;
  shown = true;
  double left = before ? passed / before * (total - before) : 0;
  llvm::errs() << formatv("\r\033[K{0}/{1}, {2:F0} s to go: {3}", done, total,
                          left, what.str());
}

void Progress::clear() {
  if (shown)
    llvm::errs() << "\r\033[K";
  shown = false;
}
