//===- Interrupt.h - Interruption of a long command -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first Ctrl-C makes a search or a training stop at a point where nothing
// is lost; the second ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_INTERRUPT_H
#define HONE_TOOLS_INTERRUPT_H

namespace hone {

/// From now on SIGINT and SIGTERM end the program with the status of an
/// interrupted one. For phases before there is any result to keep.
void exitOnInterrupt();

/// From now on the first SIGINT or SIGTERM only sets the flag that
/// isInterrupted returns.
void heedInterrupts();
bool isInterrupted();

} // namespace hone

#endif // HONE_TOOLS_INTERRUPT_H
