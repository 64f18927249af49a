//===- Kind.h - The table of schedule kinds ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// There are a few ways to write the kernel of a matmul: with the copy engine
// and wgmma, with mma.sync, as vector code for a CPU. Each is a *kind*, and its
// degrees of freedom are its *decisions*. A kind is a row:
//
//   | column     | for example                                            |
//   |------------|--------------------------------------------------------|
//   | name       | `mma_sync`                                             |
//   | decisions  | `stages`: 2 to 12, usually 4, at compile time, "slots" |
//   | laws       | 14: stages is 2 to 12                                  |
//   | refusals   | archs, element types and memory it does not support    |
//   | default    | a legal schedule for every problem it supports         |
//   | facts      | tile, threads, shared memory ...: for the cost model   |
//   | check grid | schedules that exercise every part of its builder      |
//   | spellings  | names that stand for some of its schedules             |
//
// Code that parses, prints, searches, prices, mutates or lists schedules
// iterates over the rows and names none of them. To add a decision, add it to
// its row and to the builder; to add a kind, write a row, a builder and a
// proposer (CONTRIBUTING.md shows both).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_KIND_H
#define HONE_SCHEDULE_KIND_H

#include "hone/Schedule/Arch.h"
#include "hone/Schedule/Problem.h"
#include <optional>
#include <string>
#include <vector>

namespace hone {

class Schedule;

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// When a decision takes effect: it changes the kernel's text, or is a number
/// that the launch passes. One compiled kernel serves all schedules that differ
/// only in run-time decisions.
enum class When { compileTime, runTime };

/// The values that a number may have: from `min` to `max` in steps, or
/// doubling if the step is 0. Laws forbid some of them.
struct Choice {
  /// The value if the text does not give one.
  int64_t usual = 0;
  int64_t min = 0, max = 0, step = 1;

  bool has(int64_t value) const;
  /// The number of values, and the value at an index.
  int64_t count() const;
  int64_t at(int64_t index) const;
};

/// A decision: one number, or up to three that belong together
/// ("128x256x64"). A choice between words is a number, too, from 1 on.
struct Decision {
  llvm::StringLiteral name;
  When when;
  llvm::StringLiteral help;
  Choice choices[3];
  llvm::ArrayRef<llvm::StringLiteral> words = {};
  /// False if it has no effect given the other decisions: then it keeps its
  /// usual value and is neither printed nor passed. Null: it always matters.
  bool (*matters)(const Schedule &) = nullptr;
  /// Printed only where it differs from its usual value. For rare decisions
  /// that were added after schedules had been stored as text.
  bool quiet = false;
  /// Taken after the kernel is built: a rewrite of its IR, from a menu
  /// (docs/Rewrites.md). The first word leaves the kernel as built; the text
  /// lists the others, as `rewrites = [name(word), ...]`. All rewrites are
  /// quiet.
  bool isRewrite = false;
  /// One value is never worse where the problem allows it, and a search always
  /// uses that value (`Kind::settle`). The decision makes no other form of
  /// schedule (Space.h).
  bool isSettled = false;

  size_t size() const {
    size_t size = 0;
    for (const Choice &choice : choices)
      size += choice.max > 0;
    return size;
  }
  std::string print(llvm::ArrayRef<int64_t> numbers) const;
  llvm::Error parse(llvm::StringRef text,
                    llvm::MutableArrayRef<int64_t> numbers) const;
};

constexpr llvm::StringLiteral kNoOrYes[] = {"no", "yes"};

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

/// How a law is broken, as "expected ..., but got ...; use ..."; nothing if it
/// is kept. Empty if the reason is not wanted.
using Broken = std::optional<std::string>;

/// The facts that a law may use besides the schedule; null if unknown.
struct KnownFacts {
  const Problem *problem;
  const Arch *arch;
  bool wantsReason = true; ///< a search breaks laws too often for texts
};

/// Laws apply in the order of their numbers until one is broken, so a law may
/// rely on the ones before it.
struct Law {
  int number;
  llvm::StringLiteral statement;
  Broken (*broken)(const Schedule &, const KnownFacts &);
};

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// The hardware that multiplies.
enum class Multiplier {
  vectors, ///< vector instructions of a CPU thread
  warps,   ///< mma.sync: each warp reads its operands into registers
  groups,  ///< wgmma: four warps multiply straight from shared memory
};

/// The make-up of a block: all that the cost model uses of a schedule.
struct BlockFacts {
  Multiplier multiplier = Multiplier::warps;
  std::array<int64_t, 3> tile = {128, 128, 64};
  int64_t stages = 1; ///< slots of operands
  int64_t splits = 1; ///< blocks of a cluster that share a tile's K
  int64_t slices = 1; ///< groups of a block's warps that share it, too
  int64_t passes = 1; ///< steps for each part of K, of factors that have parts
  int64_t productsPerStep = 1; ///< of parts of the same factors
  int64_t parts = 0; ///< workers per tile, if steps are dealt out in runs
  int64_t group = 8; ///< rows of tiles that are walked together
  bool bandsAlongN = false;                ///< or columns of tiles are
  std::array<int64_t, 2> cluster = {1, 1}; ///< blocks that share their loads
  bool persistent = false;  ///< blocks take tiles until none is left
  int64_t teams = 1;        ///< teams, each with a tile of its own
  int64_t sharers = 1;      ///< warps, or groups, that share a tile and its K
  int64_t productCols = 0;  ///< columns of one product of a group
  int64_t groupRows = 128;  ///< rows that are multiplied, or skipped, together
  int64_t blockSums = 0;    ///< elements of k whose sums threads add; 0: none
  bool fetchesRows = false; ///< a group waits for its products, then reads rows
  /// The last tiles along M, and along N, stand back, so that they end with the
  /// matrix, where it is as large as a tile.
  std::array<bool, 2> standsBack = {false, false};
  std::array<int64_t, 2> elementBytes = {2, 2}; ///< of A and B in slots
  double sharedBytesPerStep = 0;                ///< read from shared memory
  /// Whether lines of A and of B start within a sector of the L2: for such
  /// lines the L2 transfers more bytes than the block requested.
  std::array<bool, 2> cutsSectors = {false, false};
  /// Accesses of a thread that copies operands, each as wide as their alignment
  /// allows; 0 with a copy engine.
  double copiesPerStep = 0;
  bool copiesWait = false; ///< they go through registers
  int64_t storeBytes = 16; ///< of C, that a thread or the engine writes at once
  /// How a consumer cuts its part of C for the copy engine: chunks, the lines
  /// of one, the bytes of one of these, and chunks that are under way at once.
  int64_t storeChunks = 0, storeLines = 0, storeLineBytes = 0, storeSlots = 0;
  int64_t threads = 0, sharedBytes = 0;
  int64_t registers = 0;       ///< of a block: an estimate of its use
  int64_t launchRegisters = 0; ///< of a thread: granted by the launch
  int64_t launches = 1;        ///< those before it included
  double packBytes = 0;        ///< read and written by those before it

  //===--------------------------------------------------------------------===//
  // For vectors
  //===--------------------------------------------------------------------===//
  std::array<int64_t, 2> micro = {0, 0}; ///< block of C in registers
  int64_t unroll = 1;
};

/// The number of blocks that fit on a processor, and the resource that limits
/// it.
struct Occupancy {
  int64_t blocks = 0;
  llvm::StringLiteral limit = "";
};
/// From threads, registers and shared memory of a block.
Occupancy occupancy(int64_t threads, int64_t registers, int64_t sharedBytes,
                    const Arch &arch);

/// Registers that a launch gives each of a block's threads.
int64_t launchRegisters(int64_t threads);

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// A name of an older version, and the decisions that it stands for.
struct Spelling {
  llvm::StringLiteral name, decisions;
};

struct Kind {
  llvm::StringLiteral name;
  llvm::ArrayRef<Decision> decisions;
  /// Law 1: can the arch run it?
  Broken (*refuseArch)(const Arch &);
  /// Law 2: does it support the problem's element types?
  Broken (*refuseTypes)(const Problem &);
  /// Law 5: can the schedule's kernels address the operands as they lie? Null:
  /// always.
  Broken (*refuseMemory)(const Schedule &, const Problem &);
  /// Its own laws, by number.
  llvm::ArrayRef<Law> laws;
  /// Legal for every problem and arch that laws 1 and 2 accept.
  Schedule (*makeDefault)(const Problem &, const Arch &);
  BlockFacts (*facts)(const Schedule &, const Problem &);
  /// Null: its kernels are not checked on a GPU.
  std::vector<Schedule> (*checkGrid)() = nullptr;
  llvm::ArrayRef<Spelling> spellings = {};
  /// Fixes decisions of which one value is never worse for the problem, so that
  /// a search need not try both. Null: the kind has no such decision.
  void (*settle)(Schedule &, const Problem &) = nullptr;
  /// Law 6: can the schedule's kernels read operands that are not matrices?
  /// Null: none of them can.
  Broken (*refuseAccess)(const Schedule &, const Problem &) = nullptr;
  /// Law 6: do the schedule's kernels find the group of a row?
  bool takesRaggedRows = false;
  /// Law 6: do they read rows of A through an index?
  bool takesIndexedRows = false;
  /// Law 6: do they sum over segments?
  bool takesRaggedSums = false;
};

using Kinds = llvm::ArrayRef<const Kind *>;
/// The table, in order of preference.
Kinds allKinds();

} // namespace hone

#endif // HONE_SCHEDULE_KIND_H
