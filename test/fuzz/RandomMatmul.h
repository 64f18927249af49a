//===- RandomMatmul.h - Legal (problem, schedule, arch) triples -*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a `hone.matmul` on memrefs, as text, with a schedule that keeps every
// law: any layout, type, batch, alignment and epilogue, knobs over their whole
// range.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_FUZZ_RANDOMMATMUL_H
#define HONE_TEST_FUZZ_RANDOMMATMUL_H

#include "Fuzz.h"

namespace hone::fuzz {

struct RandomMatmul {
  std::string arch;     ///< name of a chip or ISA
  std::string schedule; ///< empty: the default is taken
  std::string module;   ///< a function with the matmul

  /// The options of hone-select-schedule that belong to it.
  std::string selectOptions() const;
};

RandomMatmul drawMatmul(Random &random);

} // namespace hone::fuzz

#endif // HONE_TEST_FUZZ_RANDOMMATMUL_H
