//===- Interrupt.h - Ending a long command ----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ctrl-C asks a search or a training to stop where nothing is lost; a second
// one ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_INTERRUPT_H
#define HONE_TOOLS_INTERRUPT_H

namespace hone {

/// From now on SIGINT and SIGTERM end the program with the status of one that
/// was interrupted: for what comes before there is anything to keep.
void exitOnInterrupt();

/// From now on SIGINT and SIGTERM ask, the first time.
void heedInterrupts();
bool isInterrupted();

} // namespace hone

#endif // HONE_TOOLS_INTERRUPT_H
