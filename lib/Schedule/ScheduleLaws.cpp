//===- ScheduleLaws.cpp - Laws of every kind, and their check -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Schedule.h and LawTable.h.
//
//===----------------------------------------------------------------------===//

#include "CommonLaws.h"
#include "Decisions.h"
#include "Text.h"
#include "hone/Schedule/LawTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;
using namespace hone::detail;
using llvm::ArrayRef;
using llvm::StringRef;

static Broken archRunsKind(const Schedule &schedule, const KnownFacts &facts) {
  return facts.arch ? schedule.kind().refuseArch(*facts.arch) : std::nullopt;
}

static Broken kindTakesTypes(const Schedule &schedule,
                             const KnownFacts &facts) {
  return facts.problem ? schedule.kind().refuseTypes(*facts.problem)
                       : std::nullopt;
}

/// The parser ensures this, but not every schedule comes from text.
static Broken numbersInRange(const Schedule &schedule,
                             const KnownFacts &facts) {
  Broken result;
  forEachDecision(schedule.kind(), [&](const Decision &decision, size_t at) {
    int64_t max =
        decision.words.empty() ? kLargestNumber : decision.words.size();
    for (int64_t value : schedule.numbers().slice(at, decision.size()))
      if ((value < kSmallestNumber || value > max) && !result)
        result = refuse(facts,
                        "expected '{0}' to be {1} to {2}, but got {3}; use {4}",
                        decision.name, kSmallestNumber, max, value,
                        value < kSmallestNumber ? kSmallestNumber : max);
  });
  return result;
}

bool hone::hasNumbersInRange(const Schedule &schedule) {
  return !numbersInRange(schedule, {});
}

static Broken idleIsUsual(const Schedule &schedule, const KnownFacts &facts) {
  Broken result;
  forEachDecision(schedule.kind(), [&](const Decision &decision, size_t at) {
    ArrayRef<int64_t> numbers = schedule.numbers().slice(at, decision.size());
    // Most decisions have their usual value, and checking whether they matter
    // takes longer.
    if (result || !decision.matters || isUsual(decision, numbers) ||
        decision.matters(schedule))
      return;
    if (!facts.wantsReason) {
      result.emplace();
      return;
    }
    const Schedule usual(schedule.kind());
    result = refuse(facts,
                    "expected '{0}' to be {1} with the other decisions, but "
                    "got {2}; leave it out",
                    decision.name, decision.print(usual[decision.name]),
                    decision.print(numbers));
  });
  return result;
}

static Broken kindTakesMemory(const Schedule &schedule,
                              const KnownFacts &facts) {
  auto refuse = schedule.kind().refuseMemory;
  return refuse && facts.problem ? refuse(schedule, *facts.problem)
                                 : std::nullopt;
}

static Broken kindReadsOperands(const Schedule &schedule,
                                const KnownFacts &facts) {
  if (!facts.problem)
    return std::nullopt;
  if (facts.problem->groups && !schedule.kind().takesRaggedRows)
    return ("expected one B for all rows for " + schedule.kind().name +
            ", but got rows of groups; use mma_sync")
        .str();
  if (facts.problem->isIndexed && !schedule.kind().takesIndexedRows)
    return ("expected rows of A in order for " + schedule.kind().name +
            ", but got an index of them; use mma_sync")
        .str();
  if (facts.problem->isRaggedSum && !schedule.kind().takesRaggedSums)
    return ("expected each batch to sum over all of k for " +
            schedule.kind().name + ", but got a ragged sum; use mma_sync")
        .str();
  if (facts.problem->hasMatrices() && !facts.problem->groups)
    return std::nullopt;
  if (auto refuse = schedule.kind().refuseAccess)
    return refuse(schedule, *facts.problem);
  if (facts.problem->hasMatrices())
    return std::nullopt;
  bool isA = facts.problem->a.access.has_value();
  const Operand &operand = isA ? facts.problem->a : facts.problem->b;
  return ("expected a and b to be matrices for " + schedule.kind().name +
          ", but got " + (isA ? "a = " : "b = ") +
          operand.access->str(isA ? 'm' : 'n') +
          "; use a copy of it that is a matrix")
      .str();
}

static constexpr Law kCommonLaws[] = {
    {1, "the arch can run the kind", archRunsKind},
    {2, "the kind takes the problem's element types", kindTakesTypes},
    {3, "every number is between 1 and 1048576", numbersInRange},
    {4, "a decision that has no effect with the others has its default",
     idleIsUsual},
    {6, "the kind can read operands that are not matrices", kindReadsOperands},
};
/// Checked separately, not by `check`.
static constexpr Law kMemoryLaw = {
    5, "the kind can address the operands as they lie; else its sibling runs",
    kindTakesMemory};

//===----------------------------------------------------------------------===//
// The table of laws
//===----------------------------------------------------------------------===//

/// Kinds may share a law; it is listed once.
static void addLaw(std::vector<LawInfo> &all, const Law &law, StringRef kind) {
  auto same = llvm::find_if(
      all, [&](const LawInfo &other) { return other.number == law.number; });
  if (same == all.end())
    all.push_back({law.number, kind.str(), law.statement});
  else
    same->kind += (", " + kind).str();
}

std::vector<LawInfo> hone::laws(Kinds kinds) {
  std::vector<LawInfo> all;
  for (const Law &law : kCommonLaws)
    addLaw(all, law, "");
  addLaw(all, kMemoryLaw, "");
  for (const Kind *kind : kinds)
    for (const Law &law : kind->laws)
      addLaw(all, law, kind->name);
  llvm::sort(all, [](const LawInfo &left, const LawInfo &right) {
    return left.number < right.number;
  });
  return all;
}

std::vector<Law> hone::lawsOf(const Kind &kind) {
  std::vector<Law> all(std::begin(kCommonLaws), std::end(kCommonLaws));
  all.insert(all.end(), kind.laws.begin(), kind.laws.end());
  all.push_back(kMemoryLaw);
  return all;
}

static std::string numbered(const Law &law, const std::string &broken) {
  return "schedule_c" + std::to_string(law.number) + ": " + broken;
}

static std::optional<std::string> firstBroken(const Schedule &schedule,
                                              const KnownFacts &facts) {
  for (ArrayRef<Law> laws : {ArrayRef<Law>(kCommonLaws), schedule.kind().laws})
    for (const Law &law : laws)
      if (Broken broken = law.broken(schedule, facts))
        return facts.wantsReason ? numbered(law, *broken) : std::string();
  return std::nullopt;
}

std::optional<std::string> hone::check(const Schedule &schedule,
                                       const Problem *problem,
                                       const Arch *arch) {
  return firstBroken(schedule, {problem, arch});
}

bool hone::keepsLaws(const Schedule &schedule, const Problem &problem,
                     const Arch &arch) {
  return !firstBroken(schedule, {&problem, &arch, /*wantsReason=*/false});
}

bool hone::isLegal(const Schedule &schedule, const Problem &problem,
                   const Arch &arch) {
  return keepsLaws(schedule, problem, arch) &&
         !kindTakesMemory(schedule, {&problem, &arch, /*wantsReason=*/false});
}

std::optional<std::string> hone::checkMemory(const Schedule &schedule,
                                             const Problem &problem) {
  if (Broken broken = kindTakesMemory(schedule, {&problem, nullptr}))
    return numbered(kMemoryLaw, *broken);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

Schedule hone::settled(Schedule schedule, const Problem &problem) {
  if (auto *settle = schedule.kind().settle)
    settle(schedule, problem);
  return schedule;
}

Schedule hone::defaultSchedule(const Problem &problem, const Arch &arch,
                               Kinds kinds) {
  const Kind *runs = nullptr;
  for (const Kind *kind : kinds) {
    if (kind->refuseArch(arch))
      continue;
    if (!runs)
      runs = kind;
    if (kind->refuseTypes(problem))
      continue;
    Schedule usual = settled(kind->makeDefault(problem, arch), problem);
    if (isLegal(usual, problem, arch))
      return usual;
  }
  // Law 2 reports the reason.
  return runs ? runs->makeDefault(problem, arch) : Schedule(*kinds.front());
}
