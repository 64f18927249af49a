//===- Geometry.h - Tiles, blocks and waves of a launch ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of a launch that are known before it is compiled: how the result
// is cut into tiles, how many blocks fit on a processor at once, and how many
// waves of blocks there are.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_GEOMETRY_H
#define HONE_SCHEDULE_GEOMETRY_H

#include "hone/Schedule/Schedule.h"
#include <optional>
#include <string>

namespace hone {

struct Geometry {
  std::string tiles;             ///< "8 x 16 of 128 x 128", "?" where unknown
  std::optional<int64_t> blocks; ///< independent pieces of work
  std::optional<double> waves;   ///< blocks over those that fit at once

  //===--------------------------------------------------------------------===//
  // On a GPU
  //===--------------------------------------------------------------------===//
  int64_t threads = 0, sharedBytes = 0, registers = 0;
  int64_t resident = 0; ///< blocks on a processor at once
  std::string limit;    ///< the resource that limits that number
};

Geometry geometryOf(const Problem &problem, const Schedule &schedule,
                    const Arch &arch);

/// The most groups of ragged rows: kernels look at the ends of all of them.
constexpr int64_t kMaxGroups = 65536;

/// The problem with a batch for each group of ragged rows, and an equal part of
/// the rows, or of the sum, in each: the number of a group's rows is known on
/// the device alone.
Problem withEqualGroups(Problem problem);

} // namespace hone

#endif // HONE_SCHEDULE_GEOMETRY_H
