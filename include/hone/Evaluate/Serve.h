//===- Serve.h - What a worker does -----------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other end of Workers.h: a program of two functions, for each of which
// standard input and output belong to the protocol until nobody asks any more.
// Both return the exit status.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_SERVE_H
#define HONE_EVALUATE_SERVE_H

namespace hone {

/// Answers `compile`. In a rehearsal it breaks down where it is told to.
int serveCompiler(bool isRehearsal);
/// Opens a device and answers questions about it.
int serveDevice(bool isRehearsal);

} // namespace hone

#endif // HONE_EVALUATE_SERVE_H
