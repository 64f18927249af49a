//===- HostContestants.h - Contestants of hone bench host -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contestant multiplies square f32 matrices on one thread: a schedule of the
// `host` kind, compiled on the spot, or OpenBLAS.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_BENCH_HOSTCONTESTANTS_H
#define HONE_BENCH_HOSTCONTESTANTS_H

#include "hone/Schedule/Host.h"
#include "hone/Schedule/Schedule.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hone {

/// C = A * B on row-major n x n matrices.
using Matmul = std::function<void(int64_t n, float *a, float *b, float *c)>;

struct Time {
  double median; ///< seconds
  double spread; ///< fraction of the median
};

struct Contestant {
  std::string name;
  Matmul run;
  std::vector<Time> times; ///< one per size
};

llvm::Expected<Contestant> compileHost(const Host &knobs);
/// OpenBLAS on one thread, or nothing if `file` cannot be opened.
std::optional<Contestant> openBlas(const std::string &file);

} // namespace hone

#endif // HONE_BENCH_HOSTCONTESTANTS_H
