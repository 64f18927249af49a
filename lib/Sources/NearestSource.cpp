//===- NearestSource.cpp - Winners of the nearest measured problems -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See UnseenSource.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Sources/ModelSource.h"
#include "hone/Sources/UnseenSource.h"
#include "hone/Space/CostModel.h"
#include "hone/Space/Power.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace hone;

namespace {

class NearestSource : public ScheduleSource {
public:
  NearestSource(std::shared_ptr<Lookup> lookup, NearestRule rule)
      : lookup(std::move(lookup)), rule(rule) {}
  std::optional<Answer> ask(const Problem &problem, const Arch &arch) override;

private:
  std::shared_ptr<Lookup> lookup;
  NearestRule rule;
};

} // namespace

//===----------------------------------------------------------------------===//
// Nearest problems
//===----------------------------------------------------------------------===//

/// True if schedules of one may serve the other: all but extents, windows of
/// one form, initial value and epilogue are the same.
static bool isAlike(const Problem &one, const Problem &other) {
  auto areAlike = [](const Operand &one, const Operand &other) {
    return one.type == other.type && one.order == other.order &&
           one.align == other.align && one.shared == other.shared &&
           haveOneForm(one, other);
  };
  return areAlike(one.a, other.a) && areAlike(one.b, other.b) &&
         one.acc == other.acc && one.products == other.products &&
         one.c == other.c && one.alignC == other.alignC &&
         one.batch.has_value() == other.batch.has_value() &&
         one.groups.has_value() == other.groups.has_value() &&
         one.isIndexed == other.isIndexed &&
         one.isRaggedSum == other.isRaggedSum;
}

static bool endsAlike(const Problem &one, const Problem &other) {
  return one.epilogue == other.epilogue && one.init == other.init;
}

/// True if both read the same elements of their images.
static bool readsAlike(const Problem &one, const Problem &other) {
  return one.a == other.a && one.b == other.b;
}

/// The sum of the squares of the extents' doublings.
static double distanceOf(const Problem &one, const Problem &other) {
  auto squared = [](int64_t left, int64_t right) {
    double doublings = detail::binaryLog(double(left) / double(right));
    return doublings * doublings;
  };
  return squared(one.m, other.m) + squared(one.n, other.n) +
         squared(one.k, other.k) +
         squared(one.batch.value_or(1), other.batch.value_or(1)) +
         squared(one.groups.value_or(1), other.groups.value_or(1));
}

std::vector<Neighbour> hone::neighboursOf(const Problem &problem,
                                          llvm::ArrayRef<Problem> measured) {
  std::multimap<double, Neighbour> known;
  for (const Problem &other : measured) {
    if (!other.isStatic() || !isAlike(problem, other))
      continue;
    double distance = distanceOf(problem, other);
    bool isSame = endsAlike(problem, other) && readsAlike(problem, other);
    if (distance == 0 && isSame)
      continue; // it is the same problem
    double after = isSame ? 0 : 1;
    known.emplace(distance + after, Neighbour{&other, distance});
  }
  std::vector<Neighbour> order;
  for (const auto &[place, neighbour] : known)
    order.push_back(neighbour);
  return order;
}

//===----------------------------------------------------------------------===//
// Choice among the neighbours
//===----------------------------------------------------------------------===//

/// The model's estimate of its own choice in the catalogue, which is likely to
/// contain the winners of other problems.
static double ownSeconds(const Problem &problem, const Arch &arch) {
  Schedule own = guessSchedule(problem, arch, /*looks=*/0)
                     .value_or(defaultSchedule(problem, arch));
  return estimateSeconds(problem, arch, own);
}

static std::string describe(const Problem &asked, const Problem &measured) {
  std::string text;
  if (measured.batch)
    text = llvm::formatv("batch = {0}, ", *measured.batch);
  text += llvm::formatv("m = {0}, n = {1}, k = {2}", measured.m, measured.n,
                        measured.k);
  if (asked.epilogue != measured.epilogue)
    text += " (another epilogue)";
  else if (asked.init != measured.init)
    text += " (another init)";
  else if (!readsAlike(asked, measured))
    text += " (another window)";
  return text;
}

std::optional<Answer> NearestSource::ask(const Problem &problem,
                                         const Arch &arch) {
  if (!problem.isStatic() || arch.isHost())
    return std::nullopt;
  // They are sorted by text, so that equally distant ones have one order.
  std::vector<Neighbour> neighbours =
      neighboursOf(problem, lookup->problems(arch.chip));
  llvm::erase_if(neighbours, [&](const Neighbour &neighbour) {
    return neighbour.distance > rule.reach * rule.reach;
  });
  neighbours.resize(std::min(neighbours.size(), rule.neighbours));
  double own = neighbours.empty() ? 0 : ownSeconds(problem, arch);
  for (const Neighbour &neighbour : neighbours) {
    std::optional<Found> found = lookup->find(*neighbour.problem, arch.chip);
    if (!found || check(found->record.schedule, &problem, &arch))
      continue;
    const Schedule &schedule = found->record.schedule;
    double there = estimateSeconds(*neighbour.problem, arch, schedule) /
                   ownSeconds(*neighbour.problem, arch);
    double max = 1 + rule.margin + (there - 1) / (1 + neighbour.distance);
    if (!(estimateSeconds(problem, arch, schedule) <= own * max))
      continue;
    return Answer{schedule,
                  llvm::formatv("{0}, nearest, {1}{2}", lookup->name(),
                                describe(problem, *neighbour.problem),
                                found->isStale ? ", stale" : ""),
                  Basis::nearest};
  }
  return std::nullopt;
}

std::shared_ptr<ScheduleSource>
hone::makeNearestSource(std::shared_ptr<Lookup> lookup, NearestRule rule) {
  return std::make_shared<NearestSource>(std::move(lookup), rule);
}
