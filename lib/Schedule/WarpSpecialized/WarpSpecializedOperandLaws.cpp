//===- WarpSpecializedOperandLaws.cpp - Laws of ws on A and B -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands in a layout or type that the tensor cores cannot multiply are packed
// first. For factors that are multiplied block by block, not every form of the
// kernel exists.
//
//===----------------------------------------------------------------------===//

#include "../CommonLaws.h"
#include "WarpSpecializedParts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::detail;
using llvm::formatv;

/// The tensor cores read columns from shared memory unchanged.
static Broken packsParts(const WarpSpecialized &knobs,
                         const KnownFacts &facts) {
  if (!facts.problem || passesOf(*facts.problem) == 1 ||
      (knobs.transposes ? knobs.packsA() : knobs.packsB()))
    return std::nullopt;
  llvm::StringRef packed = knobs.packsA() ? "a" : knobs.packsB() ? "b" : "none";
  return refuse(facts,
                "expected {0}, whose parts tensor cores read as columns, to be "
                "split by the kernel that packs it where products are tf32x3, "
                "but got pack = {1}; use ab",
                knobs.transposes ? "a" : "b", packed);
}

/// The tensor cores multiply factors of one type.
static Broken packsConverted(const WarpSpecialized &knobs,
                             const KnownFacts &facts) {
  if (!facts.problem || knobs.packsB() || !facts.problem->convertsB() ||
      knobs.transposes)
    return std::nullopt;
  return refuse(
      facts,
      "expected b to be packed, or to be the rows of the tensor cores, "
      "where it is {0} and a is {1}, but got pack = {2}; use {3}",
      toString(facts.problem->b.type), toString(facts.problem->a.type),
      knobs.packsA() ? "a" : "none", knobs.packsA() ? "ab" : "b");
}

static Broken readsAlongK(const WarpSpecialized &knobs,
                          const KnownFacts &facts) {
  if (!facts.problem)
    return std::nullopt;
  const Problem &problem = *facts.problem;
  bool liesA = problem.a.order == Order::row || !readsAlongA(problem);
  bool liesB = problem.b.order == Order::col || !readsAlongB(problem);
  bool fetches = knobs.fetchesRows(problem);
  bool fetchesA = fetches && !knobs.transposes;
  bool fetchesB = fetches && knobs.transposes;
  bool lacksA = !liesA && !knobs.packsA() && !fetchesA;
  bool lacksB = !liesB && !knobs.packsB() && !fetchesB;
  if (!lacksA && !lacksB)
    return std::nullopt;
  bool both = (lacksA || knobs.packsA()) && (lacksB || knobs.packsB());
  return refuse(facts,
                "expected {0} to be {1} where it is {2} and not packed, but "
                "got {3}; use pack = {4}",
                lacksA ? "a" : "b", lacksA ? "row" : "col",
                toString(problem.a.type), lacksA ? "col" : "row",
                both     ? "ab"
                : lacksA ? "a"
                         : "b");
}

/// A slot consists of whole panels of the copy engine.
static Broken fetchesPanels(const WarpSpecialized &knobs,
                            const KnownFacts &facts) {
  if (!facts.problem || !knobs.fetchesRows(*facts.problem) ||
      knobs.fetchesPanels(*facts.problem))
    return std::nullopt;
  static constexpr const char *kSides[] = {"tile.m", "tile.n", "tile.k"};
  bool isA = !knobs.transposes;
  size_t side = knobs.sideOfLines(*facts.problem, isA);
  return multipleBecause(
      facts, kSides[side], knobs.tile[side], knobs.panelOf(*facts.problem, isA),
      formatv(", a panel of the lines of {0}, which are {1} and fetched",
              isA ? "a" : "b", toString(knobs.slotType(*facts.problem, isA)))
          .str());
}

/// These rewrites change how products are started and awaited, which kernels
/// with blocks or fetched rows do in their own way. `prefetch` takes a step for
/// a part of K, which is wrong where factors have parts.
static Broken blocksAsBuilt(const Schedule &schedule, const KnownFacts &facts) {
  static constexpr llvm::StringLiteral kOfProducts[] = {
      "flight", "products", "handover", "skew", "unroll"};
  if (!facts.problem)
    return std::nullopt;
  bool addsBlocks = blockOf(*facts.problem);
  if (!addsBlocks && !WarpSpecialized(schedule).fetchesRows(*facts.problem))
    return std::nullopt;
  bool hasParts = passesOf(*facts.problem) > 1;
  for (const auto &rewrite : schedule.rewrites())
    if (llvm::is_contained(kOfProducts, rewrite.decision->name) ||
        (hasParts && rewrite.decision->name == "prefetch"))
      return refuse(facts,
                    "expected products as they are built where {0}, but got "
                    "{1}({2}); leave it out",
                    addsBlocks ? "they are added in blocks"
                               : "their rows are fetched into registers",
                    rewrite.decision->name, rewrite.text());
  return std::nullopt;
}

static constexpr Law kOperandLaws[] = {
    {84,
     "an operand that tensor cores read as columns is packed where products "
     "are tf32x3",
     lawOf<WarpSpecialized, packsParts>},
    {85,
     "products added in blocks or of fetched rows are not rewritten; parts are "
     "not fetched ahead",
     blocksAsBuilt},
    {86,
     "where elements do not have 2 bytes, a is row and b is col, or packed, or "
     "tensor cores' rows",
     lawOf<WarpSpecialized, readsAlongK>},
    {90,
     "pack has b, or b is the rows of the tensor cores, where b has 8 bits and "
     "a has 16",
     lawOf<WarpSpecialized, packsConverted>},
    {92, "lines of fetched rows are whole panels of 128 bytes",
     lawOf<WarpSpecialized, fetchesPanels>},
};

llvm::ArrayRef<Law> detail::wsOperandLaws() { return kOperandLaws; }
