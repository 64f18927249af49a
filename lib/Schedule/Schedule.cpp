//===- Schedule.cpp - Decisions and text of schedules ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts that all kinds share: reading and printing. The laws are in
// ScheduleLaws.cpp.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Schedule.h"
#include "Decisions.h"
#include "Text.h"
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

Schedule::Schedule() : Schedule(*allKinds().front()) {}

Schedule::Schedule(const Kind &kind) : row(&kind) {
  for (const Decision &decision : kind.decisions)
    for (const Choice &choice : choicesOf(decision))
      values.push_back(choice.usual);
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
