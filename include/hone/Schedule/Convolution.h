//===- Convolution.h - Short names of convolutions --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a command line or in a table, a convolution with channels last is the
// extents of its image, the filters, and where they differ from 1 and 0 the
// step of the windows and the positions of padding on each side:
//
//   conv:32x56x56x64:128x3x3:2:1     NxHxWxC:FILTERSxROWSxCOLUMNS:STEP:PAD
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_CONVOLUTION_H
#define HONE_SCHEDULE_CONVOLUTION_H

#include "hone/Schedule/Problem.h"

namespace hone {

constexpr llvm::StringLiteral kConvolution = "conv:";

struct Convolution {
  int64_t images = 1, height = 1, width = 1, channels = 1;
  int64_t filters = 1, rows = 1, columns = 1;
  int64_t step = 1, pad = 0;

  /// Parses the output of `str`; step and pad may be left out.
  static llvm::Expected<Convolution> parse(llvm::StringRef text);
  std::string str() const;
  /// The convolution that a problem with windows is; nothing for another
  /// problem, or for windows that have no such name.
  static std::optional<Convolution> of(const Problem &problem);

  /// The product that a program with this convolution has: its windows times
  /// its filters, with the types of `form` and the order of its B: `row` for
  /// filters innermost, `col` for filters outermost.
  Problem in(Problem form) const;
};

} // namespace hone

#endif // HONE_SCHEDULE_CONVOLUTION_H
