//===- WarpSpecializedParts.h - Parts of the row of ws ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The row is in WarpSpecializedRow.cpp. The properties derived from its
// decisions, its laws and its default have files of their own.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SCHEDULE_WARPSPECIALIZEDPARTS_H
#define HONE_LIB_SCHEDULE_WARPSPECIALIZEDPARTS_H

#include "hone/Schedule/WarpSpecialized.h"

namespace hone::detail {

/// Registers of a consumer's thread in addition to those of heldRegisters and
/// of the epilogue.
constexpr int64_t kConsumerAddresses = 40;

/// Registers of a consumer's thread for the short sum of a block, one band of
/// 64 rows at a time, in addition to the accumulators to which it is added.
/// `knobs` is the result of `turned`.
int64_t blockSums(const WarpSpecialized &knobs, const Problem *problem);

/// The same for rows that are fetched. A register holds four bytes of k. The
/// registers of all bands of a slot are live at once, and so are those of a
/// block and both of its parts.
int64_t fetchedRegisters(const WarpSpecialized &knobs, const Problem *problem);

/// All registers that hold data of a consumer's thread while it multiplies.
inline int64_t heldRegisters(const WarpSpecialized &knobs,
                             const Problem *problem) {
  return knobs.accumulators() + blockSums(knobs, problem) +
         fetchedRegisters(knobs, problem);
}

/// Registers for addresses and for the epilogue. The epilogue may reuse those
/// of a block's sum.
int64_t otherRegisters(const WarpSpecialized &knobs, const Problem *problem);

Broken wsRefuseArch(const Arch &arch);
Broken wsRefuseTypes(const Problem &problem);
Broken wsRefuseMemory(const Schedule &schedule, const Problem &problem);
/// Law 6: windows that the copy engine reads.
Broken wsRefuseAccess(const Schedule &schedule, const Problem &problem);
BlockFacts wsFacts(const Schedule &schedule, const Problem &problem);
/// All laws by number, including those of tiles.
llvm::ArrayRef<Law> wsLaws();
llvm::ArrayRef<Law> wsTileLaws();
/// On parts of K, and the sums that meet.
llvm::ArrayRef<Law> wsShareLaws();
/// Laws about the types and the layouts of A and B.
llvm::ArrayRef<Law> wsOperandLaws();

Schedule wsDefault(const Problem &problem, const Arch &arch);
void wsSettle(Schedule &schedule, const Problem &problem);

/// Whether a kernel reads the result that it stores, or memory that may overlap
/// it: then no element may be stored twice.
bool readsResult(const Problem &problem);
std::vector<Schedule> wsCheckGrid();

} // namespace hone::detail

#endif // HONE_LIB_SCHEDULE_WARPSPECIALIZEDPARTS_H
