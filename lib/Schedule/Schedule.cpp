//===- Schedule.cpp - Text and laws of every schedule ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is the same for all families: reading and printing knobs through a
// family's `visit`, and walking its laws. No family is named here; the list is
// the alternatives of `Schedule`.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Schedule.h"
#include "Families.h"
#include "Text.h"
#include "llvm/ADT/STLExtras.h"
#include <vector>

using namespace hone;
using namespace hone::detail;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::MutableArrayRef;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The list of families
//===----------------------------------------------------------------------===//

namespace {
/// Carries a family's type into a generic lambda.
template <typename FamilyT>
struct Tag {
  using Type = FamilyT;
};

template <typename... FamilyTs>
struct List {
  static constexpr StringRef names[] = {FamilyTs::name...};
  /// Calls `function` with the tag of every family, in order.
  template <typename Function>
  static void forEach(Function &&function) {
    (function(Tag<FamilyTs>()), ...);
  }
};

template <typename T>
struct ListOf;
template <typename... FamilyTs>
struct ListOf<std::variant<FamilyTs...>> {
  using Type = List<FamilyTs...>;
};
using Families = ListOf<Schedule>::Type;
} // namespace

ArrayRef<StringRef> hone::familyNames() { return Families::names; }

StringRef hone::familyOf(const Schedule &schedule) {
  return Families::names[schedule.index()];
}

//===----------------------------------------------------------------------===//
// Knobs
//===----------------------------------------------------------------------===//

// A knob is one number or several; both are looked at as a range of numbers.
static ArrayRef<int64_t> numbers(const int64_t &knob) { return knob; }
static MutableArrayRef<int64_t> numbers(int64_t &knob) { return knob; }
template <size_t size>
static ArrayRef<int64_t> numbers(const std::array<int64_t, size> &knob) {
  return knob;
}
template <size_t size>
static MutableArrayRef<int64_t> numbers(std::array<int64_t, size> &knob) {
  return knob;
}

/// Calls `function(name, when, numbers, help)` for every knob. The numbers can
/// be written where the schedule can.
template <typename ScheduleT, typename Function>
static void forEachKnob(ScheduleT &schedule, Function &&function) {
  std::visit(
      [&](auto &family) {
        std::decay_t<decltype(family)>::visit(
            family, [&](StringRef name, When when, auto &knob, StringRef help) {
              function(name, when, numbers(knob), help);
            });
      },
      schedule);
}

static std::string printKnob(ArrayRef<int64_t> values) {
  return llvm::join(
      llvm::map_range(values,
                      [](int64_t value) { return std::to_string(value); }),
      "x");
}

static Error parseKnob(StringRef name, StringRef text,
                       MutableArrayRef<int64_t> values) {
  llvm::SmallVector<StringRef, 4> parts;
  text.split(parts, 'x');
  bool wellFormed = parts.size() == values.size();
  for (size_t i = 0; wellFormed && i < parts.size(); ++i) {
    std::optional<int64_t> value = parseNatural(parts[i]);
    wellFormed = value && *value >= kSmallestKnob;
    if (wellFormed && *value > kLargestKnob)
      return failure("expected '" + name + "' to be at most " +
                     llvm::Twine(kLargestKnob) + ", but got " +
                     quoted(parts[i]));
    if (wellFormed)
      values[i] = *value;
  }
  if (wellFormed)
    return Error::success();
  std::string form =
      values.size() == 1
          ? "a positive integer"
          : std::to_string(values.size()) + " positive integers joined by 'x'";
  return failure("expected '" + name + "' to be " + form + ", but got " +
                 quoted(text));
}

llvm::SmallVector<KnobInfo> hone::knobsOf(const Schedule &schedule) {
  llvm::SmallVector<KnobInfo> result;
  forEachKnob(schedule, [&](StringRef name, When when, ArrayRef<int64_t> values,
                            StringRef help) {
    result.push_back({name, when, printKnob(values), help});
  });
  return result;
}

Error hone::setKnob(Schedule &schedule, StringRef knob, StringRef value) {
  bool found = false;
  Error result = Error::success();
  llvm::SmallVector<StringRef> known;
  // Parsed into a copy, so that a bad value leaves the schedule as it was.
  Schedule changed = schedule;
  forEachKnob(changed, [&](StringRef name, When,
                           MutableArrayRef<int64_t> values, StringRef) {
    known.push_back(name);
    if (name != knob)
      return;
    found = true;
    result =
        llvm::joinErrors(std::move(result), parseKnob(name, value, values));
  });
  if (!found)
    result = llvm::joinErrors(std::move(result),
                              failure("expected knob of " + familyOf(schedule) +
                                      " to be one of " + listed(known) +
                                      ", but got " + quoted(knob)));
  if (result)
    return result;
  schedule = changed;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string hone::toString(const Schedule &schedule) {
  std::string text = familyOf(schedule).str();
  for (const KnobInfo &knob : knobsOf(schedule))
    text += (", " + knob.name + " = " + knob.value).str();
  return text;
}

std::string hone::compileTimeText(const Schedule &schedule) {
  std::string text = familyOf(schedule).str();
  for (const KnobInfo &knob : knobsOf(schedule))
    if (knob.when == When::compileTime)
      text += (", " + knob.name + " = " + knob.value).str();
  return text;
}

Expected<Schedule> hone::makeSchedule(StringRef family) {
  std::optional<Schedule> schedule;
  Families::forEach([&](auto tag) {
    using FamilyT = typename decltype(tag)::Type;
    if (family == FamilyT::name)
      schedule = FamilyT();
  });
  if (schedule)
    return *schedule;
  return failure("expected schedule family to be one of " +
                 listed(familyNames()) + ", but got " + quoted(family));
}

Expected<Schedule> hone::parseSchedule(StringRef text) {
  llvm::SmallVector<Assignment> parts = splitAssignments(text);
  StringRef family = parts.front().name;
  if (parts.front().assigned)
    return failure("expected a schedule to start with its family, but got "
                   "knob " +
                   quoted(family));
  Expected<Schedule> schedule = makeSchedule(family);
  if (!schedule)
    return schedule;
  llvm::SmallVector<StringRef> seen;
  for (const Assignment &part : llvm::drop_begin(parts)) {
    if (Error error = setKnob(*schedule, part.name, part.value))
      return std::move(error);
    if (llvm::is_contained(seen, part.name))
      return failure("expected knob '" + part.name +
                     "' once, but got it twice");
    seen.push_back(part.name);
  }
  return schedule;
}

//===----------------------------------------------------------------------===//
// Laws of every family
//===----------------------------------------------------------------------===//

static Broken archRunsFamily(const Schedule &schedule, const Facts &facts) {
  if (!facts.arch)
    return std::nullopt;
  return std::visit(
      [&](auto &knobs) {
        return family<std::decay_t<decltype(knobs)>>().refuseArch(*facts.arch);
      },
      schedule);
}

static Broken familyTakesTypes(const Schedule &schedule, const Facts &facts) {
  if (!facts.problem)
    return std::nullopt;
  return std::visit(
      [&](auto &knobs) {
        return family<std::decay_t<decltype(knobs)>>().refuseProblem(
            *facts.problem);
      },
      schedule);
}

/// The parser sees to this, but not every schedule comes from text.
static Broken knobsInRange(const Schedule &schedule, const Facts &) {
  Broken result;
  forEachKnob(
      schedule, [&](StringRef name, When, ArrayRef<int64_t> values, StringRef) {
        for (int64_t value : values)
          if (!result && (value < kSmallestKnob || value > kLargestKnob))
            result =
                ("expected '" + name + "' to be " + llvm::Twine(kSmallestKnob) +
                 " to " + llvm::Twine(kLargestKnob) + ", but got " +
                 llvm::Twine(value) + "; use " +
                 llvm::Twine(value < 1 ? kSmallestKnob : kLargestKnob))
                    .str();
      });
  return result;
}

static constexpr Law<Schedule> kCommonLaws[] = {
    {1, "the arch can run the family", archRunsFamily},
    {2, "the family takes the problem's element types", familyTakesTypes},
    {3, "every number in a knob is between 1 and 1048576", knobsInRange},
};

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Families may share a law; it is listed once.
static void addLaw(std::vector<LawInfo> &all, LawInfo law) {
  auto same = llvm::find_if(
      all, [&](const LawInfo &other) { return other.number == law.number; });
  if (same == all.end())
    all.push_back(std::move(law));
  else
    same->family += ", " + law.family;
}

ArrayRef<LawInfo> hone::laws() {
  static const std::vector<LawInfo> table = [] {
    std::vector<LawInfo> all;
    for (const Law<Schedule> &law : kCommonLaws)
      all.push_back({law.number, "", law.statement});
    Families::forEach([&](auto tag) {
      using FamilyT = typename decltype(tag)::Type;
      for (const Law<FamilyT> &law : family<FamilyT>().laws)
        addLaw(all, {law.number, FamilyT::name.str(), law.statement});
    });
    llvm::sort(all, [](const LawInfo &left, const LawInfo &right) {
      return left.number < right.number;
    });
    return all;
  }();
  return table;
}

/// The first of `laws` that `subject` breaks, with its number.
template <typename SubjectT>
static Broken firstBroken(ArrayRef<Law<SubjectT>> laws, const SubjectT &subject,
                          const Facts &facts) {
  for (const Law<SubjectT> &law : laws)
    if (Broken broken = law.broken(subject, facts))
      return "schedule_c" + std::to_string(law.number) + ": " + *broken;
  return std::nullopt;
}

std::optional<std::string> hone::check(const Schedule &schedule,
                                       const Problem *problem,
                                       const Arch *arch) {
  Facts facts = {problem, arch};
  if (Broken broken = firstBroken<Schedule>(kCommonLaws, schedule, facts))
    return broken;
  return std::visit(
      [&](auto &knobs) {
        using FamilyT = std::decay_t<decltype(knobs)>;
        return firstBroken<FamilyT>(family<FamilyT>().laws, knobs, facts);
      },
      schedule);
}

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

/// The first family that runs on the arch and takes the problem; else the first
/// that runs on the arch, whose law 2 says what is the matter.
Schedule hone::defaultSchedule(const Problem &problem, const Arch &arch) {
  std::optional<Schedule> taken, runs;
  Families::forEach([&](auto tag) {
    using FamilyT = typename decltype(tag)::Type;
    const Family<FamilyT> &candidate = family<FamilyT>();
    if (taken || candidate.refuseArch(arch))
      return;
    if (!runs)
      runs = candidate.makeDefault(problem, arch);
    if (!candidate.refuseProblem(problem))
      taken = candidate.makeDefault(problem, arch);
  });
  return taken ? *taken : runs.value_or(Schedule());
}

Expected<Schedule> hone::defaultSchedule(StringRef family,
                                         const Problem &problem,
                                         const Arch &arch) {
  Expected<Schedule> schedule = makeSchedule(family);
  if (!schedule)
    return schedule;
  return std::visit(
      [&](auto &knobs) -> Schedule {
        using FamilyT = std::decay_t<decltype(knobs)>;
        return detail::family<FamilyT>().makeDefault(problem, arch);
      },
      *schedule);
}
