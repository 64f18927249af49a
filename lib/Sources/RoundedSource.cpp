//===- RoundedSource.cpp - Choice for problems with unknown extents -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See UnseenSource.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Sources/UnseenSource.h"
#include "hone/Space/CostModel.h"
#include "hone/Space/Power.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace hone;

namespace {

class RoundedSource : public ScheduleSource {
public:
  explicit RoundedSource(std::shared_ptr<Lookup> lookup)
      : lookup(std::move(lookup)) {}
  std::optional<Answer> ask(const Problem &problem, const Arch &arch) override;

private:
  std::vector<Found> agreeing(const Problem &problem, const Arch &arch);

  std::shared_ptr<Lookup> lookup;
};

} // namespace

//===----------------------------------------------------------------------===//
// Measured problems that apply
//===----------------------------------------------------------------------===//

static bool agrees(int64_t asked, int64_t measured) {
  return asked == kDynamic || asked == measured;
}

/// An operand whose line has unknown length proves no alignment, so the
/// alignment of the measured one counts there.
static bool agrees(const Operand &asked, int64_t line,
                   const Operand &measured) {
  return asked.type == measured.type && asked.order == measured.order &&
         asked.shared == measured.shared && haveOneForm(asked, measured) &&
         (line == kDynamic || asked.align == measured.align);
}

static bool agrees(const Problem &asked, const Problem &measured) {
  int64_t lineA = asked.a.order == Order::row ? asked.k : asked.m;
  int64_t lineB = asked.b.order == Order::row ? asked.n : asked.k;
  return measured.isStatic() &&
         asked.batch.has_value() == measured.batch.has_value() &&
         agrees(asked.batch.value_or(1), measured.batch.value_or(1)) &&
         asked.isIndexed == measured.isIndexed &&
         asked.isRaggedSum == measured.isRaggedSum &&
         asked.groups.has_value() == measured.groups.has_value() &&
         agrees(asked.groups.value_or(1), measured.groups.value_or(1)) &&
         agrees(asked.m, measured.m) && agrees(asked.n, measured.n) &&
         agrees(asked.k, measured.k) && agrees(asked.a, lineA, measured.a) &&
         agrees(asked.b, lineB, measured.b) && asked.acc == measured.acc &&
         asked.products == measured.products && asked.c == measured.c &&
         asked.init == measured.init &&
         (asked.n == kDynamic || asked.alignC == measured.alignC) &&
         asked.epilogue == measured.epilogue;
}

std::vector<Found> RoundedSource::agreeing(const Problem &problem,
                                           const Arch &arch) {
  std::vector<Found> known;
  for (const Problem &measured : lookup->problems(arch.chip))
    if (agrees(problem, measured))
      if (std::optional<Found> found = lookup->find(measured, arch.chip))
        known.push_back(std::move(*found));
  return known;
}

//===----------------------------------------------------------------------===//
// Choice of the schedule
//===----------------------------------------------------------------------===//

/// The model's estimate of the schedule's loss over all of `known`, whose own
/// schedules take `seconds`: the mean of the logarithms. An illegal schedule
/// loses a factor of four.
static double lossOf(const Schedule &schedule, llvm::ArrayRef<Found> known,
                     llvm::ArrayRef<double> seconds, const Arch &arch) {
  constexpr double kIllegal = 2;
  double sum = 0;
  for (auto [found, min] : llvm::zip_equal(known, seconds)) {
    const Problem &problem = found.record.problem;
    if (check(schedule, &problem, &arch)) {
      sum += kIllegal;
      continue;
    }
    sum += detail::binaryLog(estimateSeconds(problem, arch, schedule) / min);
  }
  return sum / double(known.size());
}

/// "m = 64 to 4096", for the unknown extents.
static std::string rangeText(const Problem &asked,
                             llvm::ArrayRef<Found> known) {
  std::vector<std::string> ranges;
  auto add = [&](const char *name, int64_t extent, auto extentOf) {
    if (extent != kDynamic)
      return;
    int64_t min = INT64_MAX, max = 0;
    for (const Found &found : known) {
      min = std::min(min, extentOf(found.record.problem));
      max = std::max(max, extentOf(found.record.problem));
    }
    ranges.push_back(
        min == max ? llvm::formatv("{0} = {1}", name, min).str()
                   : llvm::formatv("{0} = {1} to {2}", name, min, max).str());
  };
  add("batch", asked.batch.value_or(1),
      [](const Problem &problem) { return problem.batch.value_or(1); });
  add("m", asked.m, [](const Problem &problem) { return problem.m; });
  add("n", asked.n, [](const Problem &problem) { return problem.n; });
  add("k", asked.k, [](const Problem &problem) { return problem.k; });
  return llvm::join(ranges, ", ");
}

std::optional<Answer> RoundedSource::ask(const Problem &problem,
                                         const Arch &arch) {
  if (problem.isStatic() || arch.isHost())
    return std::nullopt;
  std::vector<Found> known = agreeing(problem, arch);
  // By text, so that of equal losses the first counts, in any order of sources.
  std::map<std::string, const Found *> schedules;
  for (const Found &found : known)
    if (!check(found.record.schedule, &problem, &arch))
      schedules.try_emplace(toString(found.record.schedule), &found);
  std::vector<double> seconds;
  for (const Found &found : known)
    seconds.push_back(
        estimateSeconds(found.record.problem, arch, found.record.schedule));
  const Found *best = nullptr;
  double min = 0;
  for (const auto &[text, found] : schedules) {
    double loss = lossOf(found->record.schedule, known, seconds, arch);
    if (best && loss >= min)
      continue;
    best = found;
    min = loss;
  }
  if (!best)
    return std::nullopt;
  bool isStale =
      llvm::any_of(known, [](const Found &found) { return found.isStale; });
  return Answer{best->record.schedule,
                llvm::formatv("{0}, rounded, {1} measured at {2}{3}",
                              lookup->name(), known.size(),
                              rangeText(problem, known),
                              isStale ? ", stale" : ""),
                Basis::rounded};
}

std::shared_ptr<ScheduleSource>
hone::makeRoundedSource(std::shared_ptr<Lookup> lookup) {
  return std::make_shared<RoundedSource>(std::move(lookup));
}
