//===- Host.cpp - Row of host ---------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The micro-kernel keeps its block of C in vector registers, and every cache
// block consists of whole micro-blocks; edges are padded when they are packed.
// The laws ensure this, and that the registers suffice: a micro-kernel that
// spills is correct, but too slow to be useful.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Host.h"
#include "CommonLaws.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::detail;
using llvm::formatv;

/// Panels hold f32, whatever the operands' type: packing converts them.
static constexpr int64_t kElementBytes = 4, kElementBits = 32;

//===----------------------------------------------------------------------===//
// Supported machines and types
//===----------------------------------------------------------------------===//

static Broken refuseHostArch(const Arch &arch) {
  if (arch.isHost())
    return std::nullopt;
  return formatv("expected arch 'host', but got '{0}'; use the mma_sync kind",
                 arch.name)
      .str();
}

static Broken refuseTypes(const Problem &problem) {
  if (problem.a.type != problem.b.type)
    return formatv("expected a and b to have the same type, but got {0} and "
                   "{1}; use one of these types for both",
                   toString(problem.a.type), toString(problem.b.type))
        .str();
  if (sizeOf(problem.a.type) == 1)
    return formatv("expected a and b of 16 or 32 bits, but got {0}; use a GPU",
                   toString(problem.a.type))
        .str();
  return refuseAccumulator(problem);
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

static Broken multiple(const KnownFacts &facts, llvm::StringRef what,
                       int64_t value, llvm::StringRef unitName, int64_t unit) {
  return multipleOf(facts, what, value, unit,
                    unitName + " = " + llvm::Twine(unit));
}

static Broken microDividesM(const Host &knobs, const KnownFacts &facts) {
  return multiple(facts, "tile.m", knobs.tile[0], "micro.m", knobs.micro[0]);
}

static Broken microDividesN(const Host &knobs, const KnownFacts &facts) {
  return multiple(facts, "tile.n", knobs.tile[1], "micro.n", knobs.micro[1]);
}

/// The description of a host may lack a vector width; then no law uses it.
static bool knowsVectors(const KnownFacts &facts) {
  return facts.arch && facts.arch->vectorBits >= kElementBits;
}

static Broken wholeVectors(const Host &knobs, const KnownFacts &facts) {
  if (!knowsVectors(facts))
    return std::nullopt;
  return multiple(facts, "micro.n", knobs.micro[1], "the lanes of a vector",
                  facts.arch->vectorBits / kElementBits);
}

/// Registers are needed for the block of C, for one row of B, and for one
/// broadcast element of A.
static Broken registersFit(const Host &knobs, const KnownFacts &facts) {
  if (!knowsVectors(facts))
    return std::nullopt;
  int64_t bits = facts.arch->vectorBits;
  int64_t limit = bits >= 512 ? 32 : 16;
  int64_t vectors = knobs.micro[1] * kElementBits / bits;
  int64_t needed = knobs.micro[0] * vectors + vectors + 1;
  if (needed <= limit)
    return std::nullopt;
  int64_t max = (limit - 1 - vectors) / vectors;
  std::string remedy =
      max >= 1 ? formatv("micro.m = {0}", max).str() : "a smaller micro.n";
  return refuse(facts,
                "expected a micro-kernel of at most {0} vector registers, but "
                "got {1}; use {2}",
                limit, needed, remedy);
}

static Broken unrollInRange(const Host &knobs, const KnownFacts &facts) {
  if (knobs.unroll <= 16)
    return std::nullopt;
  return refuse(facts, "expected unroll to be 1 to 16, but got {0}; use 16",
                knobs.unroll);
}

static Broken unrollDividesK(const Host &knobs, const KnownFacts &facts) {
  return multiple(facts, "tile.k", knobs.tile[2], "unroll", knobs.unroll);
}

static Broken panelsFit(const Host &knobs, const KnownFacts &facts) {
  constexpr int64_t kLimit = int64_t(1) << 30;
  int64_t bytes =
      (knobs.tile[0] + knobs.tile[1]) * knobs.tile[2] * kElementBytes;
  if (bytes <= kLimit)
    return std::nullopt;
  return refuse(facts,
                "expected the panels of A and B to take at most {0} bytes, "
                "but got {1}; use a smaller tile",
                kLimit, bytes);
}

static constexpr Law kHostLaws[] = {
    {30, "tile.m is a multiple of micro.m", lawOf<Host, microDividesM>},
    {31, "tile.n is a multiple of micro.n", lawOf<Host, microDividesN>},
    {32, "micro.n is a whole number of vectors", lawOf<Host, wholeVectors>},
    {33, "the micro-kernel fits the vector registers",
     lawOf<Host, registersFit>},
    {34, "unroll is 1 to 16", lawOf<Host, unrollInRange>},
    {35, "tile.k is a multiple of unroll", lawOf<Host, unrollDividesK>},
    {36, "the packed panels take at most 1 GiB", lawOf<Host, panelsFit>},
};

//===----------------------------------------------------------------------===//
// Default
//===----------------------------------------------------------------------===//

/// A few long rows of C fill the registers: fewer rows waste less at the edge
/// and touch fewer pages than the squarer 14x32 does. Blocks of K are deep,
/// because each of them reads and writes all of C.
/// Extents do not matter, so one compiled kernel serves all of them.
static Schedule makeDefault(const Problem &, const Arch &arch) {
  Host knobs;
  if (arch.vectorBits >= 512)
    knobs.micro = {6, 64};
  else if (arch.vectorBits == 256)
    knobs.micro = {6, 16};
  else
    knobs.micro = {4, 8};
  int64_t depth = arch.vectorBits >= 512 ? 1024 : 512;
  knobs.tile = {16 * knobs.micro[0], 4096, depth};
  return knobs;
}

//===----------------------------------------------------------------------===//
// The row
//===----------------------------------------------------------------------===//

static constexpr Decision kHostDecisions[] = {
    {"tile",
     When::compileTime,
     "cache block, MxNxK elements: A's panel is MxK, B's is KxN",
     {{192, 1, 4096}, {4096, 1, 65536}, {256, 1, 4096}}},
    {"micro",
     When::compileTime,
     "register block of C, MxN elements",
     {{8, 1, 32}, {32, 1, 512}}},
    {"unroll",
     When::compileTime,
     "steps of K per iteration of the micro-kernel",
     {{4, 1, 16}}},
};

static BlockFacts hostFactsOf(const Schedule &schedule, const Problem &) {
  Host knobs(schedule);
  BlockFacts facts;
  facts.multiplier = Multiplier::vectors;
  facts.tile = knobs.tile;
  facts.micro = knobs.micro;
  facts.unroll = knobs.unroll;
  return facts;
}

/// Windows of an image are packed from it.
static Broken refuseHostAccess(const Schedule &, const Problem &problem) {
  if (problem.hasMatrices() ||
      (!problem.b.access && problem.a.access->window() && !problem.batch))
    return std::nullopt;
  bool isA = !problem.b.access;
  const Operand &operand = isA ? problem.a : problem.b;
  return std::string("expected a to be windows of an image, b a matrix, and no "
                     "batch, but got ") +
         (isA ? "a = " : "b = ") + operand.access->str(isA ? 'm' : 'n') +
         "; use a copy of it that is a matrix";
}

const Kind &Host::kind() {
  static constexpr Kind row = {"host",
                               kHostDecisions,
                               refuseHostArch,
                               refuseTypes,
                               /*refuseMemory=*/nullptr,
                               kHostLaws,
                               makeDefault,
                               hostFactsOf,
                               /*checkGrid=*/nullptr,
                               /*spellings=*/{},
                               /*settle=*/nullptr,
                               refuseHostAccess,
                               /*takesRaggedRows=*/true,
                               /*takesIndexedRows=*/true,
                               /*takesRaggedSums=*/true};
  return row;
}
