//===- Spelling.h - Short names of plain products ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a Problem is complete but long. On a command line or in a table a
// plain product is "nt f16:f32", in the manner of BLAS, plus its extents; its
// matrices have no padding.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_SPELLING_H
#define HONE_SCHEDULE_SPELLING_H

#include "hone/Schedule/Problem.h"

namespace hone {

/// "nn", "nt", "tn" or "tt": which of A and B are transposed in memory.
std::string layoutOf(const Problem &problem);
llvm::Error setLayout(Problem &problem, llvm::StringRef text);
/// "f16:f32", of the inputs and of the result; "f8E4M3FN/f8E5M2:f32" where A
/// and B differ, and "f8E4M3FN.short:f32" where sums are short from end to end.
std::string typesOf(const Problem &problem);
llvm::Error setTypes(Problem &problem, llvm::StringRef text);

/// The problem with these extents, and with the alignment of matrices without
/// padding.
Problem withExtents(Problem problem, int64_t m, int64_t n, int64_t k);

} // namespace hone

#endif // HONE_SCHEDULE_SPELLING_H
