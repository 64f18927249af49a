//===- Schedule.cpp - Text and laws common to all schedules ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts that all kinds share: reading, printing, checking the laws.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Schedule.h"
#include "Text.h"
#include "hone/Schedule/LawTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;
using namespace hone::detail;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

static ArrayRef<Choice> choicesOf(const Decision &decision) {
  return ArrayRef<Choice>(decision.choices).take_front(decision.size());
}

/// Whether a decision with these numbers has its usual value.
static bool isUsual(const Decision &decision, ArrayRef<int64_t> numbers) {
  return llvm::equal(numbers, choicesOf(decision),
                     [](int64_t number, const Choice &choice) {
                       return number == choice.usual;
                     });
}

Schedule::Schedule() : Schedule(*allKinds().front()) {}

Schedule::Schedule(const Kind &kind) : row(&kind) {
  for (const Decision &decision : kind.decisions)
    for (const Choice &choice : choicesOf(decision))
      values.push_back(choice.usual);
}

/// Calls `each` with every decision and the index of its first number.
template <typename Function>
static void forEachDecision(const Kind &kind, Function &&each) {
  size_t at = 0;
  for (const Decision &decision : kind.decisions) {
    each(decision, at);
    at += decision.size();
  }
}

llvm::SmallVector<Schedule::Decided> Schedule::decided() const {
  llvm::SmallVector<Decided> result;
  forEachDecision(*row, [&](const Decision &decision, size_t at) {
    ArrayRef<int64_t> here = numbers().slice(at, decision.size());
    // A decision that breaks law 4 must stay visible in the text.
    if (!decision.matters || !isUsual(decision, here) ||
        decision.matters(*this))
      result.push_back({&decision, here});
  });
  return result;
}

llvm::SmallVector<Schedule::Decided> Schedule::unusual() const {
  llvm::SmallVector<Decided> result;
  forEachDecision(*row, [&](const Decision &decision, size_t at) {
    ArrayRef<int64_t> here = numbers().slice(at, decision.size());
    if (!isUsual(decision, here))
      result.push_back({&decision, here});
  });
  return result;
}

ArrayRef<int64_t> Schedule::operator[](StringRef name) const {
  ArrayRef<int64_t> found;
  forEachDecision(*row, [&](const Decision &decision, size_t at) {
    if (decision.name == name)
      found = numbers().slice(at, decision.size());
  });
  return found;
}

llvm::SmallVector<Schedule::Decided> Schedule::rewrites() const {
  llvm::SmallVector<Decided> result = unusual();
  llvm::erase_if(result, [](const Decided &decided) {
    return !decided.decision->isRewrite;
  });
  return result;
}

/// The names of a kind's rewrites, or those of its other decisions.
static llvm::SmallVector<StringRef> decisionNames(const Kind &kind,
                                                  bool rewrites) {
  llvm::SmallVector<StringRef> names;
  for (const Decision &decision : kind.decisions)
    if (decision.isRewrite == rewrites)
      names.push_back(decision.name);
  if (!rewrites && names.size() < kind.decisions.size())
    names.push_back(kRewrites);
  return names;
}

/// Reads `name(word)`.
static Error decideRewrite(Schedule &schedule, StringRef text) {
  StringRef name = text.split('(').first.trim();
  StringRef word = text.split('(').second;
  if (!word.consume_back(")"))
    return failure("expected a rewrite as name(value), but got " +
                   quoted(text));
  auto same = [&](const Decision &decision) {
    return decision.isRewrite && decision.name == name;
  };
  auto found = llvm::find_if(schedule.kind().decisions, same);
  if (found == schedule.kind().decisions.end()) {
    return failure(
        "expected a rewrite of " + schedule.kind().name + ", one of " +
        oneOf(decisionNames(schedule.kind(), /*rewrites=*/true), name));
  }
  return schedule.decide(name, word.trim());
}

Error Schedule::decideRewrites(StringRef list) {
  StringRef text = list;
  if (decisionNames(*row, /*rewrites=*/true).empty())
    return failure("expected no rewrites of " + row->name + ", but got " +
                   quoted(list));
  if (!text.consume_front("[") || !text.consume_back("]"))
    return failure("expected rewrites as [name(value), ...], but got " +
                   quoted(list));
  // The list is complete: rewrites that it does not name are off.
  Schedule decided = *this;
  const Schedule usual(*row);
  forEachDecision(*row, [&](const Decision &decision, size_t at) {
    if (decision.isRewrite)
      llvm::copy(usual.numbers().slice(at, decision.size()),
                 decided.numbers().begin() + at);
  });
  llvm::SmallVector<StringRef> seen;
  for (StringRef part : splitAtCommas(text)) {
    part = part.trim();
    if (part.empty() && text.trim().empty())
      break;
    if (Error error = decideRewrite(decided, part))
      return error;
    StringRef name = part.split('(').first.trim();
    if (llvm::is_contained(seen, name))
      return failure("expected '" + name + "' once, but got it twice");
    seen.push_back(name);
  }
  *this = std::move(decided);
  return Error::success();
}

Error Schedule::decideInText(StringRef name, StringRef text) {
  for (const Decision &decision : row->decisions)
    if (decision.isRewrite && decision.name == name) {
      bool isWord =
          decision.words.empty() || llvm::is_contained(decision.words, text);
      return failure("expected '" + name +
                     "' among the rewrites, but got it as a decision; use " +
                     kRewrites + " = [" + name + "(" +
                     (isWord ? text : StringRef(decision.words.back())) + ")]");
    }
  return decide(name, text);
}

Error Schedule::decide(StringRef name, StringRef text) {
  if (name == kRewrites)
    return decideRewrites(text);
  Error result = Error::success();
  bool found = false;
  forEachDecision(*row, [&](const Decision &decision, size_t at) {
    if (decision.name != name)
      return;
    found = true;
    llvm::cantFail(std::move(result));
    result = decision.parse(text, numbers().slice(at, decision.size()));
  });
  if (found)
    return result;
  llvm::cantFail(std::move(result));
  return failure("expected a decision of " + row->name + ", one of " +
                 oneOf(decisionNames(*row, /*rewrites=*/false), name));
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string textOfRewrites(const Schedule &schedule) {
  llvm::SmallVector<std::string> all;
  for (const Schedule::Decided &one : schedule.rewrites())
    all.push_back((one.decision->name + "(" + one.text() + ")").str());
  return all.empty() ? ""
                     : (", " + kRewrites + " = [" + listed(all) + "]").str();
}

static std::string textOf(const Schedule &schedule, bool withRunTime) {
  std::string text = schedule.kind().name.str();
  for (const Schedule::Decided &one : schedule.decided()) {
    const Decision &decision = *one.decision;
    if (decision.isRewrite ||
        (decision.quiet && isUsual(decision, one.numbers)) ||
        (!withRunTime && decision.when == When::runTime))
      continue;
    text += ", ";
    text += decision.name;
    text += " = ";
    text += one.text();
  }
  return text + textOfRewrites(schedule);
}

std::string hone::toString(const Schedule &schedule) {
  return textOf(schedule, /*withRunTime=*/true);
}

std::string hone::compileTimeText(const Schedule &schedule) {
  return textOf(schedule, /*withRunTime=*/false);
}

/// Reads `decision = value, ...` into `schedule`.
static Error decideAll(Schedule &schedule, ArrayRef<Assignment> parts) {
  llvm::SmallVector<StringRef> seen;
  for (const Assignment &part : parts) {
    if (Error error = schedule.decideInText(part.name, part.value))
      return error;
    if (llvm::is_contained(seen, part.name))
      return failure("expected '" + part.name + "' once, but got it twice");
    seen.push_back(part.name);
  }
  return Error::success();
}

Expected<Schedule> hone::makeSchedule(StringRef name, Kinds kinds) {
  for (const Kind *kind : kinds) {
    Schedule schedule(*kind);
    if (kind->name == name)
      return schedule;
    for (const Spelling &spelling : kind->spellings) {
      if (spelling.name != name)
        continue;
      llvm::cantFail(decideAll(schedule, splitAssignments(spelling.decisions)));
      return schedule;
    }
  }
  llvm::SmallVector<StringRef> names;
  for (const Kind *kind : kinds)
    names.push_back(kind->name);
  return failure("expected a kind of schedule, one of " + oneOf(names, name));
}

Expected<Schedule> hone::parseSchedule(StringRef text, Kinds kinds) {
  llvm::SmallVector<Assignment> parts = splitAssignments(text);
  StringRef name = parts.front().name;
  if (parts.front().assigned)
    return failure("expected a schedule to start with its kind, but got "
                   "decision " +
                   quoted(name));
  Expected<Schedule> schedule = makeSchedule(name, kinds);
  if (!schedule)
    return schedule;
  if (Error error = decideAll(*schedule, ArrayRef(parts).drop_front()))
    return std::move(error);
  return schedule;
}

//===----------------------------------------------------------------------===//
// Laws of every kind
//===----------------------------------------------------------------------===//

static Broken archRunsKind(const Schedule &schedule, const KnownFacts &facts) {
  return facts.arch ? schedule.kind().refuseArch(*facts.arch) : std::nullopt;
}

static Broken kindTakesTypes(const Schedule &schedule,
                             const KnownFacts &facts) {
  return facts.problem ? schedule.kind().refuseTypes(*facts.problem)
                       : std::nullopt;
}

/// The parser ensures this, but not every schedule comes from text.
static Broken numbersInRange(const Schedule &schedule, const KnownFacts &) {
  Broken result;
  forEachDecision(schedule.kind(), [&](const Decision &decision, size_t at) {
    int64_t most =
        decision.words.empty() ? kLargestNumber : decision.words.size();
    for (int64_t value : schedule.numbers().slice(at, decision.size()))
      if ((value < kSmallestNumber || value > most) && !result)
        result = ("expected '" + decision.name + "' to be " +
                  llvm::Twine(kSmallestNumber) + " to " + llvm::Twine(most) +
                  ", but got " + llvm::Twine(value) + "; use " +
                  llvm::Twine(value < 1 ? kSmallestNumber : most))
                     .str();
  });
  return result;
}

bool hone::hasNumbersInRange(const Schedule &schedule) {
  return !numbersInRange(schedule, {});
}

static Broken idleIsUsual(const Schedule &schedule, const KnownFacts &) {
  Broken result;
  forEachDecision(schedule.kind(), [&](const Decision &decision, size_t at) {
    ArrayRef<int64_t> numbers = schedule.numbers().slice(at, decision.size());
    // Most decisions have their usual value, and checking whether they matter
    // takes longer.
    if (result || !decision.matters || isUsual(decision, numbers) ||
        decision.matters(schedule))
      return;
    const Schedule usual(schedule.kind());
    result = ("expected '" + decision.name + "' to be " +
              decision.print(usual[decision.name]) +
              " with the other decisions, but got " + decision.print(numbers) +
              "; leave it out")
                 .str();
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

std::optional<std::string> hone::check(const Schedule &schedule,
                                       const Problem *problem,
                                       const Arch *arch) {
  KnownFacts facts = {problem, arch};
  for (ArrayRef<Law> laws : {ArrayRef<Law>(kCommonLaws), schedule.kind().laws})
    for (const Law &law : laws)
      if (Broken broken = law.broken(schedule, facts))
        return numbered(law, *broken);
  return std::nullopt;
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
    if (!check(usual, &problem, &arch) && !checkMemory(usual, problem))
      return usual;
  }
  // Law 2 reports the reason.
  return runs ? runs->makeDefault(problem, arch) : Schedule(*kinds.front());
}
