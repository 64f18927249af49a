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
#include "hone/Search/Power.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
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

/// Where bounds may be: eight values in each doubling, all of those below 16.
/// Each stands for those between it and the one before, along log M.
static std::vector<RangePoint> grid(int64_t largest) {
  std::vector<RangePoint> points = {{1, 0.5}};
  for (int64_t value = 2; value <= largest;
       value +=
       std::max<int64_t>(1, int64_t(llvm::bit_floor(uint64_t(value))) / 8))
    points.push_back(
        {value, binaryLog(double(value) / double(points.back().extent))});
  return points;
}

/// The values that were asked about count more: who measured them will meet them,
/// and of those that nobody measured doublings are what programs have most.
static void addValues(std::vector<RangePoint> &points,
                      llvm::ArrayRef<int64_t> values, double share) {
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
  std::set<int64_t> valuesFor(const Problem &problem, char letter,
                              const Arch &arch) const;
  std::optional<Answer> askStatic(const Problem &asked, const Problem &problem,
                                  const Arch &arch) const;
  std::vector<Answer> candidatesFor(const Problem &problem, char letter,
                                    RangePrices &prices,
                                    const Arch &arch) const;
  Answer answerOf(char letter, llvm::ArrayRef<Answer> candidates,
                  llvm::ArrayRef<RangeRun> runs,
                  llvm::ArrayRef<RangePoint> points) const;

  ScheduleSources sources;
  std::vector<std::shared_ptr<Lookup>> measured;
  RangeRule rule;
  RangeJudge judge;
};

} // namespace

/// Those that were measured, and of the ladder those that are not close to one
/// of them: a guess has nothing to add there, and takes its time.
std::set<int64_t> RangedSource::valuesFor(const Problem &problem, char letter,
                                          const Arch &arch) const {
  constexpr double kClose = 1.3;
  std::set<int64_t> known;
  for (const std::shared_ptr<Lookup> &lookup : measured)
    for (const Problem &other : lookup->problems(arch.chip))
      if (int64_t extent = namedExtent(other, letter);
          extent > 0 && withExtent(problem, letter, extent) == other)
        known.insert(extent);
  std::set<int64_t> values = known;
  for (int64_t value : rangeLadder())
    if (llvm::none_of(known, [&](int64_t other) {
          return other < kClose * value && value < kClose * other;
        }))
      values.insert(value);
  return values;
}

/// What the first source that has something legal says of one value.
std::optional<Answer> RangedSource::askStatic(const Problem &asked,
                                              const Problem &problem,
                                              const Arch &arch) const {
  for (const std::shared_ptr<ScheduleSource> &source : sources)
    if (std::optional<Answer> answer = source->ask(asked, arch);
        answer && !check(answer->schedule, &asked, &arch) &&
        !check(answer->schedule, &problem, &arch))
      return answer;
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
  for (const RangeRun &run : runs) {
    const Answer &one = candidates[run.candidate];
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
                    runs.size() == 1 ? "one kernel"
                                     : std::to_string(runs.size()) + " kernels",
                    letter, llvm::join(origins, "; "))
          .str();
  return answer;
}

/// What the sources choose at each value; each schedule once.
std::vector<Answer> RangedSource::candidatesFor(const Problem &problem,
                                                char letter,
                                                RangePrices &prices,
                                                const Arch &arch) const {
  std::vector<Answer> candidates;
  for (int64_t value : valuesFor(problem, letter, arch)) {
    Problem asked = withExtent(problem, letter, value);
    if (asked.fault())
      continue;
    std::optional<Answer> answer = askStatic(asked, problem, arch);
    if (!answer)
      continue;
    auto known = llvm::find_if(candidates, [&](const Answer &other) {
      return other.schedule == answer->schedule;
    });
    prices.addOwner(value, asked, known - candidates.begin(), answer->basis);
    if (known == candidates.end())
      candidates.push_back(std::move(*answer));
    else if (answer->basis < known->basis)
      *known = std::move(*answer);
  }
  return candidates;
}

std::optional<Answer> RangedSource::ask(const Problem &problem,
                                        const Arch &arch) {
  std::optional<char> letter = openExtent(problem);
  if (!letter || arch.isHost())
    return std::nullopt;
  RangePrices prices(arch, rule, judge);
  std::vector<Answer> candidates =
      candidatesFor(problem, *letter, prices, arch);
  if (candidates.empty())
    return std::nullopt;
  std::vector<Schedule> schedules;
  for (const Answer &candidate : candidates)
    schedules.push_back(candidate.schedule);
  prices.setCandidates(std::move(schedules));
  for (const std::shared_ptr<Lookup> &lookup : measured)
    prices.addTimes(*lookup);

  std::vector<RangePoint> points =
      grid(std::max(kLargest, prices.values().back()));
  addValues(points, prices.values(), rule.asked);
  std::vector<std::vector<double>> table(candidates.size());
  for (const RangePoint &point : points) {
    Problem there = withExtent(problem, *letter, point.extent);
    for (auto [candidate, row] : llvm::enumerate(table))
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
