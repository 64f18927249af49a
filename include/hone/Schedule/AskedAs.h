//===- AskedAs.h - One machine treated as another ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measurements on one chip are useful on others with the same instruction set:
// an H100 runs the kernels of an H200, with less bandwidth. So a table or a
// policy of one chip is queried for such a machine *as* that chip:
//
//   std::optional<Arch> known = askedAs(machine, "h200");
//
// | field of the answer  | is                                                |
// |----------------------|---------------------------------------------------|
// | name, rates, caches  | the chip's, or those of a part of it that has as  |
// |                      | many processors as the machine                    |
// | processors, clusters | the machine's: grids are sized by them            |
// | shared memory,       | the machine's: a schedule that is legal for one   |
// | registers, threads   | is legal for the other                            |
//
// A schedule found this way is only a guess for the machine, even if it was
// measured on the chip.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_ASKEDAS_H
#define HONE_SCHEDULE_ASKEDAS_H

#include "hone/Schedule/Arch.h"
#include <optional>

namespace hone {

/// `machine` itself where it is `chip` or a part of it; nothing where their
/// instruction sets differ, or there is no such chip.
std::optional<Arch> askedAs(const Arch &machine, llvm::StringRef chip);

} // namespace hone

#endif // HONE_SCHEDULE_ASKEDAS_H
