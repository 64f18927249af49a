//===- RangedSource.cpp - Several kernels for an unknown extent -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RangedSource.h. The dynamic program is in RangeRuns.cpp.
//
//===----------------------------------------------------------------------===//

#include "hone/Search/RangedSource.h"
#include "RangePrices.h"
#include "hone/Search/Draw.h"
#include "hone/Search/Power.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>

using namespace hone;
using namespace hone::detail;

//===----------------------------------------------------------------------===//
// The open extent
//===----------------------------------------------------------------------===//

std::optional<char> hone::openExtent(const Problem &problem) {
  std::optional<char> open;
  for (char letter : {'m', 'n', 'k'})
    if (namedExtent(problem, letter) == kDynamic) {
      if (open)
        return std::nullopt;
      open = letter;
    }
  return problem.batch == kDynamic ? std::nullopt : open;
}

/// The alignment of lines of `extent` elements side by side.
static int64_t alignOf(int64_t extent, ElementType type) {
  int64_t bytes = extent * sizeOf(type), align = 1;
  while (align < kBestAlign && bytes % (2 * align) == 0)
    align *= 2;
  return align;
}

Problem hone::withExtent(Problem problem, char letter, int64_t extent) {
  (letter == 'm' ? problem.m : letter == 'n' ? problem.n : problem.k) = extent;
  bool isLineA = letter == (problem.a.order == Order::row ? 'k' : 'm');
  bool isLineB = letter == (problem.b.order == Order::row ? 'n' : 'k');
  if (isLineA)
    problem.a.align = alignOf(extent, problem.a.type);
  if (isLineB)
    problem.b.align = alignOf(extent, problem.b.type);
  if (letter == 'n')
    problem.alignC = alignOf(extent, problem.c);
  return problem;
}

//===----------------------------------------------------------------------===//
// Values of it
//===----------------------------------------------------------------------===//

static constexpr int64_t kLargest = 8192;

std::vector<int64_t> hone::rangeLadder() {
  std::vector<int64_t> values = {1, 8};
  for (int64_t value = 16; value < kLargest; value *= 2) {
    values.push_back(value);
    values.push_back(value + value / 2);
  }
  values.push_back(kLargest);
  return values;
}

/// Tiles come in 8s; from 64 on there are eight values in a doubling, and four
/// from 2048 on, where a round of tiles is one of many.
std::vector<int64_t> hone::fineRangeLadder() {
  constexpr int64_t kFine = 64, kMany = 2048;
  std::set<int64_t> values;
  for (int64_t value : rangeLadder())
    values.insert(value);
  for (int64_t value = 16; value < kFine; value += 8)
    values.insert(value);
  for (int64_t value = kFine; value < kLargest;
       value +=
       int64_t(llvm::bit_floor(uint64_t(value))) / (value < kMany ? 8 : 4))
    values.insert(value);
  return {values.begin(), values.end()};
}

/// Where bounds may be: sixteen values in each doubling, all of those below 32.
/// Each stands for those between it and the one before, along log M.
static std::vector<RangePoint> grid(int64_t largest) {
  std::vector<RangePoint> points = {{1, 0.5}};
  for (int64_t value = 2; value <= largest;
       value +=
       std::max<int64_t>(1, int64_t(llvm::bit_floor(uint64_t(value))) / 16))
    points.push_back(
        {value, binaryLog(double(value) / double(points.back().extent))});
  return points;
}

/// Values that were measured count more, because who measured them will meet
/// them, and the ladder's, because doublings are what programs have most.
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

namespace {

class RangedSource : public ScheduleSource {
public:
  RangedSource(ScheduleSources sources,
               std::vector<std::shared_ptr<Lookup>> measured, RangeRule rule,
               RangeJudge judge)
      : sources(std::move(sources)), measured(std::move(measured)), rule(rule),
        judge(std::move(judge)) {}

  std::optional<Answer> ask(const Problem &problem, const Arch &arch) override;
  std::optional<std::string> kernel(llvm::StringRef name) override;

private:
  std::set<int64_t> measuredValues(const Problem &problem, char letter,
                                   const Arch &arch) const;
  std::optional<Answer> askStatic(const Problem &asked, const Problem &problem,
                                  const Arch &arch) const;
  std::vector<Answer> candidatesFor(const Problem &problem, char letter,
                                    const std::set<int64_t> &values,
                                    RangePrices &prices,
                                    const Arch &arch) const;
  void addFitted(const Problem &problem, char letter,
                 llvm::ArrayRef<RangePrices::Owner> owners, const Arch &arch,
                 std::vector<Answer> &candidates) const;
  Answer answerOf(char letter, llvm::ArrayRef<Answer> candidates,
                  llvm::ArrayRef<RangeRun> runs,
                  llvm::ArrayRef<RangePoint> points) const;

  ScheduleSources sources;
  std::vector<std::shared_ptr<Lookup>> measured;
  RangeRule rule;
  RangeJudge judge;
};

} // namespace

std::set<int64_t> RangedSource::measuredValues(const Problem &problem,
                                               char letter,
                                               const Arch &arch) const {
  std::set<int64_t> values;
  for (const std::shared_ptr<Lookup> &lookup : measured)
    for (const Problem &other : lookup->problems(arch.chip))
      if (int64_t extent = namedExtent(other, letter);
          extent > 0 && withExtent(problem, letter, extent) == other)
        values.insert(extent);
  return values;
}

/// `values`, and those of a ladder that are not close to one of them.
static std::set<int64_t> joinLadder(const std::set<int64_t> &values,
                                    llvm::ArrayRef<int64_t> ladder,
                                    double close) {
  std::set<int64_t> all = values;
  for (int64_t value : ladder)
    if (llvm::none_of(values, [&](int64_t other) {
          return other < close * value && value < close * other;
        }))
      all.insert(value);
  return all;
}

/// What the first source that has something legal says of one value.
std::optional<Answer> RangedSource::askStatic(const Problem &asked,
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

std::optional<std::string> RangedSource::kernel(llvm::StringRef name) {
  for (const std::shared_ptr<Lookup> &lookup : measured)
    if (std::optional<std::string> text = lookup->kernel(name))
      return text;
  return std::nullopt;
}

Answer RangedSource::answerOf(char letter, llvm::ArrayRef<Answer> candidates,
                              llvm::ArrayRef<RangeRun> runs,
                              llvm::ArrayRef<RangePoint> points) const {
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
          {letter, points[run.end - 1].extent, one.schedule});
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

/// Where a schedule is among the candidates, or has come to be.
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

/// What the sources choose at each value; each schedule once.
std::vector<Answer> RangedSource::candidatesFor(const Problem &problem,
                                                char letter,
                                                const std::set<int64_t> &values,
                                                RangePrices &prices,
                                                const Arch &arch) const {
  std::vector<Answer> candidates;
  for (int64_t value : values) {
    Problem asked = withExtent(problem, letter, value);
    if (asked.fault())
      continue;
    std::optional<Answer> answer = askStatic(asked, problem, arch);
    if (!answer)
      continue;
    Basis basis = answer->basis;
    prices.addOwner(value, asked, placeOf(std::move(*answer), candidates),
                    basis);
  }
  addFitted(problem, letter, prices.owners(), arch, candidates);
  return candidates;
}

/// Where there is but a guess, what was measured next to it, below and above,
/// with a tile that suits: the form is known to be good, and its time near by.
void RangedSource::addFitted(const Problem &problem, char letter,
                             llvm::ArrayRef<RangePrices::Owner> owners,
                             const Arch &arch,
                             std::vector<Answer> &candidates) const {
  auto isMeasured = [](const RangePrices::Owner &owner) {
    return owner.basis == Basis::exact;
  };
  for (size_t at = 0; at < owners.size(); ++at) {
    if (isMeasured(owners[at]))
      continue;
    Problem asked = withExtent(problem, letter, owners[at].value);
    auto add = [&](const RangePrices::Owner *from) {
      Answer answer = candidates[from->candidate];
      std::optional<Schedule> fitted = fittedTile(answer.schedule, asked, arch);
      if (!fitted)
        return;
      answer.schedule = settled(std::move(*fitted), problem);
      if (check(answer.schedule, &problem, &arch))
        return;
      answer.basis = owners[at].basis;
      placeOf(std::move(answer), candidates);
    };
    auto below =
        llvm::find_if(llvm::reverse(owners.take_front(at)), isMeasured);
    auto above = llvm::find_if(owners.drop_front(at), isMeasured);
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

std::optional<Answer> RangedSource::ask(const Problem &problem,
                                        const Arch &arch) {
  std::optional<char> letter = openExtent(problem);
  if (!letter || arch.isHost())
    return std::nullopt;
  // A guess has nothing to add to a measurement.
  constexpr double kSame = 1.05, kClose = 1.3;
  std::set<int64_t> known = measuredValues(problem, *letter, arch);
  RangePrices prices(arch, rule, judge);
  std::vector<Answer> candidates =
      candidatesFor(problem, *letter,
                    joinLadder(known, fineRangeLadder(), kSame), prices, arch);
  if (candidates.empty())
    return std::nullopt;
  std::vector<Schedule> schedules;
  for (const Answer &candidate : candidates)
    schedules.push_back(candidate.schedule);
  RangeCandidates table = {{}, kernelsOf(schedules)};
  prices.setCandidates(std::move(schedules));
  for (const std::shared_ptr<Lookup> &lookup : measured)
    prices.addTimes(*lookup);
  prices.spreadTimes();

  std::vector<RangePoint> points =
      grid(std::max(kLargest, prices.owners().back().value));
  addValues(points, joinLadder(known, rangeLadder(), kClose), rule.asked);
  table.prices.resize(candidates.size());
  for (const RangePoint &point : points) {
    Problem there = withExtent(problem, *letter, point.extent);
    for (auto [candidate, row] : llvm::enumerate(table.prices))
      row.push_back(prices.at(candidate, there, point.extent));
  }
  return answerOf(*letter, candidates, chooseRuns(table, points, rule), points);
}

std::shared_ptr<ScheduleSource>
hone::makeRangedSource(ScheduleSources sources,
                       std::vector<std::shared_ptr<Lookup>> measured,
                       RangeRule rule, RangeJudge judge) {
  return std::make_shared<RangedSource>(std::move(sources), std::move(measured),
                                        rule, std::move(judge));
}
