//===- Interrupt.cpp - Ending a long command ------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Interrupt.h.
//
//===----------------------------------------------------------------------===//

#include "Interrupt.h"
#include <csignal>

/// A handler of signals can reach nothing else.
static volatile std::sig_atomic_t stopRequested = 0;

static void requestStop(int signal) {
  stopRequested = 1;
  std::signal(signal, SIG_DFL);
}

void hone::heedInterrupts() {
  std::signal(SIGINT, requestStop);
  std::signal(SIGTERM, requestStop);
}

bool hone::isInterrupted() { return stopRequested != 0; }
