//===- WarpSpecializedParts.h - The row of ws in parts ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The row is in WarpSpecializedRow.cpp; what follows from its decisions, its
// laws and its default have files of their own.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SCHEDULE_WARPSPECIALIZEDPARTS_H
#define HONE_LIB_SCHEDULE_WARPSPECIALIZEDPARTS_H

#include "hone/Schedule/WarpSpecialized.h"

namespace hone::detail {

/// Registers of a consumer's thread besides what it holds and the epilogue.
constexpr int64_t kConsumerAddresses = 40;

/// Registers of a consumer's thread for the short sum of a block, of one band
/// of 64 rows at a time, beside the accumulators to which it is added. For the
/// result of `turned`.
int64_t blockSums(const WarpSpecialized &knobs, const Problem *problem);

/// The same for rows that are fetched: a register has four bytes of k, and
/// those of a slot's bands, or of a block and both parts of it, are there at
/// once.
int64_t fetchedRegisters(const WarpSpecialized &knobs, const Problem *problem);

/// All that a consumer's thread holds while it multiplies.
inline int64_t heldRegisters(const WarpSpecialized &knobs,
                             const Problem *problem) {
  return knobs.accumulators() + blockSums(knobs, problem) +
         fetchedRegisters(knobs, problem);
}

/// Those of addresses, and of an epilogue, which may reuse the ones of a block's
/// sum.
int64_t otherRegisters(const WarpSpecialized &knobs, const Problem *problem);

Broken wsRefuseArch(const Arch &arch);
Broken wsRefuseTypes(const Problem &problem);
Broken wsRefuseMemory(const Schedule &schedule, const Problem &problem);
BlockFacts wsFacts(const Schedule &schedule, const Problem &problem);
/// By number; those of tiles among them.
llvm::ArrayRef<Law> wsLaws();
llvm::ArrayRef<Law> wsTileLaws();
/// Those about what A and B hold and how they lie.
llvm::ArrayRef<Law> wsOperandLaws();

Schedule wsDefault(const Problem &problem, const Arch &arch);
void wsSettle(Schedule &schedule, const Problem &problem);

/// Whether a kernel reads what it stores, or what may lie in the same place:
/// then nothing may be stored twice.
bool readsResult(const Problem &problem);
std::vector<Schedule> wsCheckGrid();

} // namespace hone::detail

#endif // HONE_LIB_SCHEDULE_WARPSPECIALIZEDPARTS_H
