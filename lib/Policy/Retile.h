//===- Retile.h - Tiles that a model may like -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules are drawn by the cost model (Draw.h), which is wrong now and then
// about what a tile costs, or who should share loads; what it thinks too dear
// is never drawn. A model knows better what it has seen measured. So it is
// asked about every tile in the forms (Space.h) that it likes best:
//
//   drawn -> judged -> the best of each form -> with any tile -> judged again
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_POLICY_RETILE_H
#define HONE_LIB_POLICY_RETILE_H

#include "hone/Schedule/Schedule.h"
#include <vector>

namespace hone::detail {

struct Judged {
  const Schedule *schedule;
  double logSeconds;
};

/// The best of each form, of so many forms; the best first.
std::vector<Schedule> bestOfForms(llvm::ArrayRef<Judged> all, size_t forms);

/// These with any tile, as far as the cost model does not think them hopeless
/// beside `all`.
std::vector<Schedule> retiled(llvm::ArrayRef<Judged> all, size_t forms,
                              const Problem &problem, const Arch &arch);

} // namespace hone::detail

#endif // HONE_LIB_POLICY_RETILE_H
