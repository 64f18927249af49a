//===- Brief.cpp - Kinds of schedules in few words ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Brief.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Brief.h"
#include "BriefTexts.h"
#include "hone/Schedule/WholeKernel.h"
#include "hone/Space/Catalogue.h"
#include "hone/Space/Space.h"
#include "hone/Text/Replace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>

using namespace hone;
using namespace hone::detail;
using llvm::ArrayRef;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// A walk among legal schedules
//===----------------------------------------------------------------------===//

/// Values of a decision up to this number are listed, and tried one by one.
static constexpr int64_t kMaxTried = 8;

namespace {
class Survey {
public:
  /// Starts at the schedules of `kind` in `listed`.
  Survey(const Kind &kind, const Problem &problem, const Arch &arch,
         ArrayRef<Schedule> listed);

  std::vector<const Decision *> free; ///< that a legal schedule can take
  std::set<int> broken;               ///< numbers of laws
  /// The legal values of a listed decision.
  std::map<const Decision *, std::vector<int64_t>> values;

private:
  /// The number of a law, 0 if all are kept.
  int brokenBy(const Schedule &schedule) const;
  void walk(ArrayRef<const Decision *> decisions);
  void tryValues(const Decision &decision);

  const Kind &kind;
  const KnownFacts facts;
  std::map<std::string, Schedule> legal; ///< one of each form
};
} // namespace

static ArrayRef<Choice> numbersOf(const Decision &decision) {
  return ArrayRef(decision.choices).take_front(decision.size());
}

static bool isListed(const Decision &decision) {
  return decision.size() == 1 && decision.choices[0].count() <= kMaxTried;
}

int Survey::brokenBy(const Schedule &schedule) const {
  for (const Law &law : kind.laws)
    if (law.broken(schedule, facts))
      return law.number;
  constexpr int kMemory = 5;
  return kind.refuseMemory && kind.refuseMemory(schedule, *facts.problem)
             ? kMemory
             : 0;
}

/// A value of a choice: half the current one, twice it, or any.
static int64_t drawValue(const Choice &choice, int64_t current, Dice &dice) {
  int64_t wanted = dice.below(2) ? current * 2 : current / 2;
  for (int64_t at = 0; dice.below(3) && at < choice.count(); ++at)
    if (choice.at(at) == wanted)
      return wanted;
  return choice.at(int64_t(dice.below(size_t(choice.count()))));
}

/// Changes a decision at random.
static void change(Schedule &schedule, const Decision &decision, Dice &dice) {
  std::vector<std::string> parts;
  for (auto [choice, current] :
       llvm::zip_equal(numbersOf(decision), schedule[decision.name]))
    parts.push_back(llvm::itostr(decision.words.empty() && dice.below(2)
                                     ? current
                                     : drawValue(choice, current, dice)));
  llvm::cantFail(schedule.decide(
      decision.name,
      decision.words.empty()
          ? llvm::join(parts, "x")
          : decision.words[dice.below(decision.words.size())].str()));
}

/// Changes a few decisions at random, from legal schedule to legal schedule.
void Survey::walk(ArrayRef<const Decision *> decisions) {
  constexpr size_t kWalks = 300, kSteps = 20, kMaxChanges = 4, kMaxLegal = 256;
  broken.clear();
  Dice dice(1);
  for (size_t walk = 0; walk < kWalks; ++walk) {
    Schedule last = std::next(legal.begin(), dice.below(legal.size()))->second;
    for (size_t step = 0; step < kSteps; ++step) {
      Schedule changed = last;
      for (size_t count = 0; count <= step % kMaxChanges; ++count)
        change(changed, *decisions[dice.below(decisions.size())], dice);
      if (int law = brokenBy(changed)) {
        broken.insert(law);
        continue;
      }
      last = changed;
      if (legal.size() < kMaxLegal)
        legal.emplace(formOf(changed), changed);
    }
  }
}

/// Tries each value of a listed decision in the legal schedules.
void Survey::tryValues(const Decision &decision) {
  const Choice &choice = decision.choices[0];
  for (int64_t at = 0; at < choice.count(); ++at) {
    int64_t value = choice.at(at);
    bool isLegal = llvm::any_of(legal, [&](const auto &one) {
      Schedule changed = one.second;
      llvm::cantFail(changed.decide(decision.name, decision.print({value})));
      return (value == choice.usual || !decision.matters ||
              decision.matters(changed)) &&
             !brokenBy(changed);
    });
    if (isLegal)
      values[&decision].push_back(value);
  }
}

static const BriefDecision *rowOfBrief(const Kind &kind,
                                       const Decision &decision) {
  for (const BriefDecision &brief : briefDecisions())
    if (brief.kind == kind.name && brief.name == decision.name)
      return &brief;
  return nullptr;
}

Survey::Survey(const Kind &kind, const Problem &problem, const Arch &arch,
               ArrayRef<Schedule> listed)
    : kind(kind), facts{&problem, &arch, /*wantsReason=*/false} {
  Schedule start = kind.makeDefault(problem, arch);
  legal.emplace(formOf(start), start);
  for (const Schedule &schedule : listed)
    if (&schedule.kind() == &kind)
      legal.emplace(formOf(schedule), schedule);
  std::vector<const Decision *> all;
  for (const Decision &decision : kind.decisions)
    if (!namesWholeKernel(decision))
      all.push_back(&decision);
  walk(all);
  for (const Decision *decision : all) {
    const BriefDecision *brief = rowOfBrief(kind, *decision);
    if (brief && brief->mayPay && !brief->mayPay(problem))
      continue;
    if (isListed(*decision))
      tryValues(*decision);
    if (!isListed(*decision) ||
        values[decision] != std::vector<int64_t>{decision->choices[0].usual})
      free.push_back(decision);
  }
  // The laws that forbid the other decisions are left out, too.
  walk(free);
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

static std::string inWords(const Choice &choice) {
  std::vector<std::string> values;
  for (int64_t at = 0; at < choice.count() && at <= kMaxTried; ++at)
    values.push_back(llvm::itostr(choice.at(at)));
  if (choice.step > 1 && choice.count() <= kMaxTried)
    return llvm::join(values, "|");
  std::string text = formatv("{0}..{1}", choice.min, choice.max);
  if (choice.step == 0)
    return text + " doubling";
  return choice.step == 1 ? text : text + formatv(" by {0}", choice.step).str();
}

/// "stages 4, 2..16", "chunk 64|16|32|128" or "flight(0|2)".
static std::string inWords(const Decision &decision, const Schedule &usual,
                           const Survey &survey) {
  const std::string often = decision.print(usual[decision.name]);
  std::string text = (decision.name + " " + often).str();
  auto at = survey.values.find(&decision);
  if (at == survey.values.end())
    return text + ", " +
           llvm::join(llvm::map_range(
                          numbersOf(decision),
                          [](const Choice &choice) { return inWords(choice); }),
                      " x ");
  std::vector<std::string> others;
  for (int64_t value : at->second)
    if (decision.print({value}) != often)
      others.push_back(decision.print({value}));
  std::string listed = llvm::join(others, "|");
  if (decision.isRewrite)
    return formatv("{0}({1})", decision.name, listed);
  if (others.size() == at->second.size())
    return formatv("{0} must be {1}", decision.name, listed);
  return text + "|" + listed;
}

StringRef hone::briefOf(const Kind &kind, const Decision &decision) {
  const BriefDecision *brief = rowOfBrief(kind, decision);
  return brief ? brief->text : decision.help;
}

static std::string decisionsText(const Kind &kind, const Survey &survey) {
  std::string text;
  bool hasRewrites = false;
  const Schedule usual(kind);
  for (const Decision *decision : survey.free) {
    if (decision->isRewrite && !std::exchange(hasRewrites, true))
      text += "rewrites, usually none:\n";
    text += formatv("{0}: {1}\n", inWords(*decision, usual, survey),
                    briefOf(kind, *decision));
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

/// Whether lines of an operand's slots run along K: wgmma reads elements of
/// other than two bytes in no other way.
static bool isAlongK(const Operand &operand, Order order) {
  return operand.order == order || sizeOf(operand.type) != 2;
}

static std::string filledIn(std::string text, const Problem &problem,
                            const Arch &arch) {
  for (const auto &[name, value] :
       {std::pair<StringRef, std::string>("$S",
                                          llvm::itostr(arch.sharedPerBlock)),
        {"$A", llvm::itostr(sizeOf(problem.a.type))},
        {"$B", llvm::itostr(sizeOf(problem.b.type))},
        {"$D", llvm::itostr(2 * 64 * sizeOf(problem.c))},
        {"$M", isAlongK(problem.a, Order::row) ? "m" : "k"},
        {"$N", isAlongK(problem.b, Order::col) ? "n" : "k"}})
    replaceAll(text, name, value);
  return text;
}

/// The laws of a group follow its name, then those without a group, one a line.
static std::string lawsText(const Kind &kind, const Survey &survey,
                            const Problem &problem, const Arch &arch) {
  std::set<int> rest = survey.broken;
  std::string text;
  StringRef group;
  const bool are16Bits =
      sizeOf(problem.a.type) == 2 && sizeOf(problem.b.type) == 2;
  for (const BriefLaw &brief : briefLaws()) {
    if (brief.kind != kind.name || (brief.isOf16Bits && !are16Bits) ||
        !rest.erase(brief.number) || brief.text.empty())
      continue;
    bool isSame = !brief.group.empty() && brief.group == group;
    text += isSame ? "; " : text.empty() ? "" : "\n";
    text += isSame ? "" : brief.group.str();
    text += filledIn(brief.text.str(), problem, arch);
    group = brief.group;
  }
  for (const Law &law : kind.laws)
    if (rest.count(law.number))
      text += (text.empty() ? "" : "\n") + law.statement.str();
  return text + "\n";
}

std::string hone::describeKinds(Kinds kinds, const Problem &problem,
                                const Arch &arch) {
  const std::vector<Schedule> listed = catalogue(problem, arch);
  std::string text;
  for (const Kind *kind : kinds) {
    Survey survey(*kind, problem, arch, listed);
    StringRef letters = briefLetters(kind->name);
    text += formatv("# {0}; the usual value is first\n{1}laws{2}{3}:\n{4}",
                    kind->name, decisionsText(*kind, survey),
                    letters.empty() ? "" : "; ", letters,
                    lawsText(*kind, survey, problem, arch));
  }
  return text;
}
