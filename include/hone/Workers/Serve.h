//===- Serve.h - The two roles of hone worker -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other end of Workers.h: the two roles of `hone worker`. Standard input
// and output belong to the protocol until the input ends. Both functions return
// the exit status.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_WORKERS_SERVE_H
#define HONE_WORKERS_SERVE_H

#include <string>

namespace hone {

/// Answers `compile`. In a rehearsal it fails as planned. It stores its
/// verdicts on kernels in the file `verdicts`, if there is one.
int serveCompiler(bool isRehearsal, const std::string &verdicts);
/// Opens a device and answers questions about it.
int serveDevice(bool isRehearsal);

} // namespace hone

#endif // HONE_WORKERS_SERVE_H
