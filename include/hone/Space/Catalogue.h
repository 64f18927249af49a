//===- Catalogue.h - Schedules worth trying ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only a small part of the legal schedules is worth a measurement. A catalogue
// is a fixed part of them that every kind chooses: some tens of kernels, with
// those values of their run-time knobs that make a difference for the problem.
// Because the kernels do not depend on the extents, a run over a thousand
// shapes compiles each of them once.
//
//   catalogue   every schedule of the fixed set that is legal for a problem
//   shortlist   the default, then the first few schedules that are drawn for
//               the problem (Draw.h); a draw starts at the catalogue
//
// A kind that can be searched has a proposer: one function in a file of its
// own, and one line in lib/Search/Proposers.h.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SPACE_CATALOGUE_H
#define HONE_SPACE_CATALOGUE_H

#include "hone/Schedule/Schedule.h"
#include <vector>

namespace hone {

/// Legal for `problem` on `arch`, each once, kind by kind.
std::vector<Schedule> catalogue(const Problem &problem, const Arch &arch);

/// At most `max`: the default, then the schedules that are drawn for the
/// problem, the most promising first. Extents must be known.
std::vector<Schedule> shortlist(const Problem &problem, const Arch &arch,
                                size_t max);

} // namespace hone

#endif // HONE_SPACE_CATALOGUE_H
