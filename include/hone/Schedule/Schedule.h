//===- Schedule.h - How a matmul runs ---------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Schedule is every decision about how a Problem runs on an Arch, as plain
// values. It is the thing that is searched, stored, printed and read back, so
// there is one parser, one printer and one table of laws, all here, and the
// attribute `#hone.schedule<...>` only wraps them.
//
// A schedule belongs to a *family*: a way of writing the kernel, with its own
// knobs. Its text is the family's name and every knob, so it has one spelling:
//
//   mma_sync, tile = 64x64x64, warps = 2x2, stages = 4, slices = 1, splits = 2,
//   run = 2, group = 8
//
// A knob is either *compile-time* (it changes the kernel's text) or *run-time*
// (a number the launch passes): one compiled kernel serves every schedule that
// differs only in run-time knobs.
//
// A family is one struct with a `visit` that names its knobs, and one .cpp with
// its laws and its default. Registering it is one line in `Schedule` below and
// one in lib/Schedule/Families.h; parser, printer, attribute, help and tests
// follow.
//
// A *law* is a numbered reason why a schedule can not run. `check` returns the
// first law that is broken, as "schedule_c3: expected ..., but got ...; use
// ...". Some laws need only the schedule, some the problem, some the arch;
// `check` applies those it has the facts for, so the attribute's verifier, the
// op's verifier and the passes share the table.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_SCHEDULE_H
#define HONE_SCHEDULE_SCHEDULE_H

#include "hone/Schedule/Arch.h"
#include "hone/Schedule/Problem.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <variant>

namespace hone {

//===----------------------------------------------------------------------===//
// The families
//===----------------------------------------------------------------------===//

/// cp.async copies into a ring of swizzled shared-memory slots, ldmatrix, and
/// mma.sync m16n8k16. Runs on sm_80 and up and takes any extents, strides and
/// alignments: the family that always has an answer. Groups of warps, and from
/// sm_90 on the blocks of a cluster, may share a tile, each with a part of K.
struct MmaSync {
  static constexpr llvm::StringLiteral name = "mma_sync";
  std::array<int64_t, 3> tile = {128, 128, 32};
  std::array<int64_t, 2> warps = {2, 4};
  int64_t stages = 4;
  int64_t slices = 1;
  int64_t splits = 1;
  int64_t run = 2;
  int64_t group = 8;

  template <typename Self, typename Visitor>
  static void visit(Self &self, Visitor &&knob) {
    knob("tile", When::compileTime, self.tile,
         "block tile, MxNxK elements of C and of one step");
    knob("warps", When::compileTime, self.warps,
         "warps that share a tile, along M and along N");
    knob("stages", When::compileTime, self.stages,
         "slots of the shared-memory ring");
    knob("slices", When::compileTime, self.slices,
         "groups of such warps in a block, each with a part of K");
    knob("splits", When::compileTime, self.splits,
         "blocks of a cluster that share a tile, each with a part of K");
    knob("run", When::compileTime, self.run,
         "neighbours in C that a thread stores: 2 as they are computed, 8 by "
         "way of shared memory, as all that share a tile do");
    knob("group", When::runTime, self.group,
         "tile rows that are walked together, for L2 reuse");
  }
  int64_t groupThreads() const { return warps[0] * warps[1] * 32; }
  int64_t threads() const { return groupThreads() * slices; }
  /// How many runs K is cut into.
  int64_t runs() const { return slices * splits; }
  /// True if sums meet in shared memory before they are stored.
  bool meets() const { return runs() > 1 || run > 2; }
  /// Bytes of shared memory for inputs of `elementBytes` each: the rings, and
  /// when those are done with, the sums of those who share a tile.
  int64_t sharedBytes(int64_t elementBytes = 2) const {
    return meets() ? std::max(ringBytes(elementBytes), partialBytes())
                   : ringBytes(elementBytes);
  }
  /// The ring of A for all groups, rounded up to where B's may start, and B's.
  int64_t ringBytes(int64_t elementBytes = 2) const {
    int64_t ringA = slices * stages * tile[0] * tile[2] * elementBytes;
    int64_t ringB = slices * stages * tile[1] * tile[2] * elementBytes;
    return (ringA + 1023) / 1024 * 1024 + ringB;
  }
  /// A tile of f32 sums for each group; lines are padded to 32 columns if they
  /// have more than 16.
  int64_t partialBytes() const {
    int64_t width = tile[1] == 16 ? 16 : (tile[1] + 31) / 32 * 32;
    return slices * tile[0] * width * 4;
  }
  /// Accumulators a thread holds.
  int64_t accumulators() const { return tile[0] * tile[1] / groupThreads(); }
  /// Estimate of the registers a thread needs: accumulators, one step's
  /// fragments, and addresses.
  int64_t registers() const;
};

/// Vector code for the CPU: panels of A and B packed for the caches, and a
/// register-blocked micro-kernel.
struct Host {
  static constexpr llvm::StringLiteral name = "host";
  std::array<int64_t, 3> tile = {192, 4096, 256};
  std::array<int64_t, 2> micro = {8, 32};
  int64_t unroll = 4;

  template <typename Self, typename Visitor>
  static void visit(Self &self, Visitor &&knob) {
    knob("tile", When::compileTime, self.tile,
         "cache block, MxNxK elements: A's panel is MxK, B's is KxN");
    knob("micro", When::compileTime, self.micro,
         "register block of C, MxN elements");
    knob("unroll", When::compileTime, self.unroll,
         "steps of K per iteration of the micro-kernel");
  }
};

/// Every family, in the order in which `explain` and the docs list them.
using Schedule = std::variant<MmaSync, WsCoop, WsPingpong, Small, ClusterSplitK,
                              StreamK, SwapAb, Host>;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Name of the schedule's family.
llvm::StringRef familyOf(const Schedule &schedule);
/// The canonical text: family and every knob.
std::string toString(const Schedule &schedule);
/// Reads `family, knob = value, ...`; a knob that is not named keeps the
/// struct's default. Does not check laws.
llvm::Expected<Schedule> parseSchedule(llvm::StringRef text);

/// The same parser for callers that tokenize themselves (the attribute): starts
/// a schedule of a family, then sets one knob from its text.
llvm::Expected<Schedule> makeSchedule(llvm::StringRef family);
llvm::Error setKnob(Schedule &schedule, llvm::StringRef knob,
                    llvm::StringRef value);

/// What a knob is, for `--help`, the docs and search.
struct KnobInfo {
  llvm::StringRef name;
  When when;
  std::string value; ///< current value as text
  llvm::StringRef help;
};
llvm::SmallVector<KnobInfo> knobsOf(const Schedule &schedule);
llvm::ArrayRef<llvm::StringRef> familyNames();

/// Text of the compile-time knobs only: with the Problem less its extents, the
/// key of a compiled kernel.
std::string compileTimeText(const Schedule &schedule);

//===----------------------------------------------------------------------===//
// Laws and defaults
//===----------------------------------------------------------------------===//

/// One numbered reason why a schedule can not run, as the docs list it.
struct LawInfo {
  int number;
  std::string family;        ///< or several; empty: every family
  llvm::StringRef statement; ///< one sentence
};
/// The whole table, by number.
llvm::ArrayRef<LawInfo> laws();

/// The first law that `schedule` breaks, as one line in the house style;
/// nothing if it keeps them all. Laws about facts that are not given are not
/// applied.
std::optional<std::string> check(const Schedule &schedule,
                                 const Problem *problem = nullptr,
                                 const Arch *arch = nullptr);

/// The schedule that is used where nothing better is known: always legal for
/// `problem` on `arch`, unless no family takes the problem's types there, which
/// `check` then says.
Schedule defaultSchedule(const Problem &problem, const Arch &arch);
/// The default of one family, legal if that takes the problem and the arch; by
/// name, or by type.
llvm::Expected<Schedule> defaultSchedule(llvm::StringRef family,
                                         const Problem &problem,
                                         const Arch &arch);
template <typename FamilyT>
FamilyT defaultOf(const Problem &problem, const Arch &arch) {
  return std::get<FamilyT>(
      llvm::cantFail(defaultSchedule(FamilyT::name, problem, arch)));
}

} // namespace hone

#endif // HONE_SCHEDULE_SCHEDULE_H
