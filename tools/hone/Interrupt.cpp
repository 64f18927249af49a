//===- Interrupt.cpp - Interruption of a long command ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Interrupt.h.
//
//===----------------------------------------------------------------------===//

#include "tools/hone/Interrupt.h"
#include "tools/hone/Options.h"
#include <csignal>
#include <unistd.h>

/// A signal handler can access nothing else.
static volatile std::sig_atomic_t stopRequested = 0;

static void requestStop(int signal) {
  stopRequested = 1;
  std::signal(signal, SIG_DFL);
}

static void exitNow(int) { ::_exit(hone::kExitInterrupted); }

void hone::exitOnInterrupt() {
  std::signal(SIGINT, exitNow);
  std::signal(SIGTERM, exitNow);
}

void hone::heedInterrupts() {
  std::signal(SIGINT, requestStop);
  std::signal(SIGTERM, requestStop);
}

bool hone::isInterrupted() { return stopRequested != 0; }
