//===- RangedSource.cpp - Several kernels for an unknown extent -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RangedSource.h. The dynamic program is in RangeRuns.cpp, and the values
// of an extent are in RangeValues.cpp.
//
//===----------------------------------------------------------------------===//

#include "Ranged.h"
#include "hone/Space/Draw.h"
#include "hone/Space/Power.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>

using namespace hone;
using namespace hone::detail;

/// Possible bounds: sixteen values in each doubling, all values below 32. Each
/// represents those between it and the one before, along log M.
static std::vector<RangePoint> grid(int64_t largest) {
  std::vector<RangePoint> points = {{1, 0.5}};
  for (int64_t value = 2; value <= largest;
       value +=
       std::max<int64_t>(1, int64_t(llvm::bit_floor(uint64_t(value))) / 16))
    points.push_back(
        {value, binaryLog(double(value) / double(points.back().extent))});
  return points;
}

/// Measured values count more, because the program that measured them will run
/// at them. So do the ladder's values, because doublings are the most common
/// sizes.
static void addValues(std::vector<RangePoint> &points,
                      const std::set<int64_t> &values, double share) {
  double all = 0;
  for (const RangePoint &point : points)
    all += point.weight;
  for (int64_t value : values) {
    auto at = llvm::find_if(
        points, [&](const RangePoint &point) { return point.extent >= value; });
    if (at == points.end() || at->extent != value)
      at = points.insert(at, {value, 0});
    at->weight += share * all / double(values.size());
  }
}

std::set<int64_t> Ranged::measuredValues(const Problem &problem, char letter,
                                         const Arch &arch) const {
  std::set<int64_t> values;
  for (const std::shared_ptr<Lookup> &lookup : measured)
    for (const Problem &other : lookup->problems(arch.chip))
      if (int64_t extent = namedExtent(other, letter);
          extent > 0 && withExtent(problem, letter, extent) == other)
        values.insert(extent);
  return values;
}

bool detail::areClose(int64_t one, int64_t other, double factor) {
  return double(one) < factor * double(other) &&
         double(other) < factor * double(one);
}

/// `values`, and those of a ladder that are not close to one of them.
static std::set<int64_t> joinLadder(const std::set<int64_t> &values,
                                    llvm::ArrayRef<int64_t> ladder,
                                    double close) {
  std::set<int64_t> all = values;
  for (int64_t value : ladder)
    if (llvm::none_of(values, [&](int64_t other) {
          return areClose(other, value, close);
        }))
      all.insert(value);
  return all;
}

/// The first source's legal answer for one value.
std::optional<Answer> Ranged::askStatic(const Problem &asked,
                                        const Problem &problem,
                                        const Arch &arch) const {
  for (const std::shared_ptr<ScheduleSource> &source : sources)
    if (std::optional<Answer> answer = source->ask(asked, arch);
        answer && !check(answer->schedule, &asked, &arch)) {
      answer->schedule = settled(std::move(answer->schedule), problem);
      if (!check(answer->schedule, &problem, &arch))
        return answer;
    }
  return std::nullopt;
}

std::optional<std::string> Ranged::kernel(llvm::StringRef name) {
  for (const std::shared_ptr<Lookup> &lookup : measured)
    if (std::optional<std::string> text = lookup->kernel(name))
      return text;
  return std::nullopt;
}

static Answer answerOf(char letter, const Plan &plan) {
  llvm::ArrayRef<Answer> candidates = plan.candidates;
  llvm::ArrayRef<RangeRun> runs = plan.runs;
  Answer answer = candidates[runs.back().candidate];
  std::vector<std::string> origins;
  std::set<std::string> kernels;
  for (const RangeRun &run : runs) {
    const Answer &one = candidates[run.candidate];
    kernels.insert(compileTimeText(one.schedule));
    answer.basis = std::max(answer.basis, one.basis);
    if (!llvm::is_contained(origins, one.source))
      origins.push_back(one.source);
    if (&run != &runs.back())
      answer.ranges.push_back(
          {letter, plan.points[run.end - 1].extent, one.schedule});
  }
  answer.basis = std::max(answer.basis, Basis::rounded);
  answer.source =
      llvm::formatv("{0} by {1} ({2})",
                    kernels.size() == 1
                        ? "one kernel"
                        : std::to_string(kernels.size()) + " kernels",
                    letter, llvm::join(origins, "; "))
          .str();
  return answer;
}

/// The index of a schedule among the candidates; adds it if it is new.
static size_t placeOf(Answer answer, std::vector<Answer> &candidates) {
  auto known = llvm::find_if(candidates, [&](const Answer &other) {
    return other.schedule == answer.schedule;
  });
  size_t place = known - candidates.begin();
  if (known == candidates.end())
    candidates.push_back(std::move(answer));
  else if (answer.basis < known->basis)
    *known = std::move(answer);
  return place;
}

/// The values at which a build asks the sources: one of each order of
/// magnitude, and 144 for tiles that fit no power of two. An answer takes some
/// milliseconds.
static constexpr int64_t kAskedValues[] = {1, 16, 64, 144, 512, 2048, 8192};

/// `answer` with the tile that fits the extents of `asked`, if `problem`, whose
/// extent is open, permits it.
static std::optional<Answer> fittedTo(const Problem &asked, Answer answer,
                                      const Problem &problem,
                                      const Arch &arch) {
  std::optional<Schedule> fitted = fittedTile(answer.schedule, asked, arch);
  if (!fitted)
    return std::nullopt;
  answer.schedule = settled(std::move(*fitted), problem);
  answer.basis = Basis::guess;
  if (check(answer.schedule, &problem, &arch))
    return std::nullopt;
  return answer;
}

/// Adds the choices at the neighbours of each value of the ladder, with the
/// tile that fits the value.
void Ranged::fitBetween(const Problem &problem, char letter, const Arch &arch,
                        const std::map<int64_t, size_t> &places,
                        std::vector<Answer> &candidates) const {
  std::vector<Answer> fitted;
  for (int64_t value : fineRangeLadder()) {
    auto above = places.lower_bound(value);
    bool isAsked = above != places.end() && above->first == value;
    Problem asked = withExtent(problem, letter, value);
    if (isAsked || asked.fault())
      continue;
    auto add = [&](size_t place) {
      if (auto answer = fittedTo(asked, candidates[place], problem, arch))
        fitted.push_back(std::move(*answer));
    };
    std::set<size_t> neighbours;
    auto after = above;
    for (int i = 0; i < 2 && after != places.end(); ++i)
      neighbours.insert((after++)->second);
    for (int i = 0; i < 2 && above != places.begin(); ++i)
      neighbours.insert((--above)->second);
    llvm::for_each(neighbours, add);
  }
  for (Answer &answer : fitted)
    placeOf(std::move(answer), candidates);
}

/// The sources' choices at the values where they are asked; each schedule once.
/// Values without an answer of their own have that of the value below.
std::vector<Answer> Ranged::candidatesFor(const Problem &problem, char letter,
                                          const std::set<int64_t> &values,
                                          RangePrices &prices, const Arch &arch,
                                          Said &said) const {
  std::set<int64_t> few = measuredValues(problem, letter, arch);
  few.insert(std::begin(kAskedValues), std::end(kAskedValues));
  std::vector<Answer> candidates;
  std::map<int64_t, size_t> places;
  for (int64_t value : values) {
    Problem asked = withExtent(problem, letter, value);
    if (asked.fault())
      continue;
    bool isAsked = rule.asksAll || few.count(value);
    if (!isAsked && !places.empty()) {
      prices.addOwner(value, asked, std::prev(places.end())->second,
                      Basis::guess);
      continue;
    }
    auto [at, isNew] = said.try_emplace(value);
    if (isNew)
      at->second = askStatic(asked, problem, arch);
    std::optional<Answer> answer = at->second;
    if (!answer)
      continue;
    Basis basis = answer->basis;
    places[value] = placeOf(std::move(*answer), candidates);
    prices.addOwner(value, asked, places[value], basis);
  }
  if (!rule.asksAll)
    fitBetween(problem, letter, arch, places, candidates);
  return candidates;
}

/// Where there is only a guess, adds the winners of the neighbouring values,
/// below and above, with a tile that fits: their form is measured, and their
/// time is close.
static void addFitted(const Problem &problem, char letter,
                      llvm::ArrayRef<RangePrices::Owner> owners,
                      llvm::function_ref<bool(const RangePrices::Owner &)> won,
                      const Arch &arch, std::vector<Answer> &candidates) {
  for (size_t at = 0; at < owners.size(); ++at) {
    if (won(owners[at]))
      continue;
    Problem asked = withExtent(problem, letter, owners[at].value);
    auto add = [&](const RangePrices::Owner *from) {
      if (auto answer =
              fittedTo(asked, candidates[from->candidate], problem, arch))
        placeOf(std::move(*answer), candidates);
    };
    auto below = llvm::find_if(llvm::reverse(owners.take_front(at)), won);
    auto above = llvm::find_if(owners.drop_front(at), won);
    if (below != owners.take_front(at).rend())
      add(&*below);
    if (above != owners.end())
      add(&*above);
  }
}

/// Schedules that differ in decisions of the launch are one kernel.
static std::vector<size_t> kernelsOf(llvm::ArrayRef<Schedule> schedules) {
  std::map<std::string, size_t> seen;
  std::vector<size_t> kernels;
  for (const Schedule &schedule : schedules)
    kernels.push_back(
        seen.try_emplace(compileTimeText(schedule), seen.size()).first->second);
  return kernels;
}

/// The known values, and those of the fine ladder.
std::set<int64_t> Ranged::valuesFor(const Problem &problem, char letter,
                                    const Arch &arch) const {
  // A guess adds nothing next to a measurement.
  constexpr double kSame = 1.05;
  return joinLadder(measuredValues(problem, letter, arch), fineRangeLadder(),
                    kSame);
}

/// `searched`: the searched values. At other values a measured schedule had no
/// competitors, so it counts as no winner there.
std::optional<Plan>
Ranged::planFor(const Problem &problem, char letter, const Arch &arch,
                const std::set<int64_t> &values, Said &said,
                std::optional<llvm::ArrayRef<int64_t>> searched) const {
  constexpr double kClose = 1.3;
  Plan plan = {{}, RangePrices(arch, rule, judge), {}, {}, {}};
  plan.candidates =
      candidatesFor(problem, letter, values, plan.prices, arch, said);
  if (plan.candidates.empty())
    return std::nullopt;
  auto won = [&](const RangePrices::Owner &owner) {
    return owner.basis == Basis::exact &&
           (!searched || llvm::is_contained(*searched, owner.value));
  };
  addFitted(problem, letter, plan.prices.owners(), won, arch, plan.candidates);
  std::vector<Schedule> schedules;
  for (const Answer &candidate : plan.candidates)
    schedules.push_back(candidate.schedule);
  plan.table.kernels = kernelsOf(schedules);
  plan.prices.setCandidates(std::move(schedules));
  for (const std::shared_ptr<Lookup> &lookup : measured)
    plan.prices.addTimes(*lookup);
  plan.prices.spreadTimes();

  plan.points =
      grid(std::max(rangeLadder().back(), plan.prices.owners().back().value));
  addValues(
      plan.points,
      joinLadder(measuredValues(problem, letter, arch), rangeLadder(), kClose),
      rule.asked);
  plan.table.prices.resize(plan.candidates.size());
  for (const RangePoint &point : plan.points) {
    Problem there = withExtent(problem, letter, point.extent);
    for (auto [candidate, row] : llvm::enumerate(plan.table.prices))
      row.push_back(plan.prices.at(candidate, there, point.extent));
  }
  plan.runs = chooseRuns(plan.table, plan.points, rule);
  return plan;
}

std::optional<Answer> Ranged::ask(const Problem &problem, const Arch &arch) {
  std::optional<char> letter = openExtent(problem);
  if (!letter || arch.isHost() || problem.readsPlaces())
    return std::nullopt;
  Said said;
  std::optional<Plan> plan =
      planFor(problem, *letter, arch, valuesFor(problem, *letter, arch), said);
  return plan ? std::optional(answerOf(*letter, *plan)) : std::nullopt;
}

std::shared_ptr<RangedSource>
hone::makeRangedSource(ScheduleSources sources,
                       std::vector<std::shared_ptr<Lookup>> measured,
                       RangeRule rule, RangeJudge judge) {
  return std::make_shared<Ranged>(std::move(sources), std::move(measured), rule,
                                  std::move(judge));
}
