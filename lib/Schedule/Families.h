//===- Families.h - What a schedule family brings ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A family is a struct of knobs in Schedule.h and, in one .cpp of its own, the
// value described here: where it runs, what it takes, its laws, its default.
// Everything is typed by the struct, so a law reads knobs and never asks which
// family it looks at. Schedule.cpp walks the alternatives of `Schedule`, so the
// declaration at the end of this file is all that registers a family.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SCHEDULE_FAMILIES_H
#define HONE_LIB_SCHEDULE_FAMILIES_H

#include "hone/Schedule/Schedule.h"
#include "llvm/ADT/ArrayRef.h"

namespace hone::detail {

/// Values a knob can have at all, whatever the family's laws say. The upper
/// bound keeps every product a law forms inside 64 bits.
constexpr int64_t kSmallestKnob = 1;
constexpr int64_t kLargestKnob = 1 << 20;

/// How a law is broken, as "expected ..., but got ...; use ..."; nothing if it
/// is kept.
using Broken = std::optional<std::string>;

/// What a law may look at besides the schedule; null where nobody knows.
struct Facts {
  const Problem *problem;
  const Arch *arch;
};

/// Laws apply by number and the first broken one ends it, so a law may rely on
/// the ones before it.
template <typename FamilyT>
struct Law {
  int number;
  llvm::StringLiteral statement;
  Broken (*broken)(const FamilyT &, const Facts &);
};

template <typename FamilyT>
struct Family {
  /// Law 1: can the arch run it?
  Broken (*refuseArch)(const Arch &);
  /// Law 2: does it take the problem's element types?
  Broken (*refuseProblem)(const Problem &);
  /// Its own laws, by number.
  llvm::ArrayRef<Law<FamilyT>> laws;
  /// Legal for every problem and arch that are not refused above.
  FamilyT (*makeDefault)(const Problem &, const Arch &);
};

template <typename FamilyT>
const Family<FamilyT> &family();

template <>
const Family<MmaSync> &family<MmaSync>();
template <>
const Family<WsCoop> &family<WsCoop>();
template <>
const Family<WsPingpong> &family<WsPingpong>();
template <>
const Family<Small> &family<Small>();
template <>
const Family<ClusterSplitK> &family<ClusterSplitK>();
template <>
const Family<StreamK> &family<StreamK>();
template <>
const Family<SwapAb> &family<SwapAb>();
template <>
const Family<Host> &family<Host>();

/// The default of mma_sync, in a file of its own.
MmaSync mmaSyncDefault(const Problem &problem, const Arch &arch);

} // namespace hone::detail

#endif // HONE_LIB_SCHEDULE_FAMILIES_H
