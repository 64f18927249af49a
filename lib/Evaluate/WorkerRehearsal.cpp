//===- WorkerRehearsal.cpp - Measuring without a device -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times are the cost model's with a noise of about a percent, the same in every
// run. A small product is computed here and compared as a result would be, so
// that what is spoiled is found as it would be.
//
//===----------------------------------------------------------------------===//

#include "WorkerBed.h"
#include "hone/Measure/Tolerance.h"
#include "hone/Search/CostModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <limits>
#include <map>
#include <random>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

namespace {
class RehearsalBed : public WorkerBed {
public:
  explicit RehearsalBed(Arch arch) : arch(std::move(arch)) {}

  protocol::Opened describe() override {
    return {"a rehearsal on " + arch.chip, arch.chip, "rehearsal", /*cuda=*/0};
  }
  Error setProblem(const Problem &given) override {
    problem = given;
    return Error::success();
  }
  Error load(size_t at, const Schedule &schedule, StringRef) override {
    candidates[at] = {toString(schedule),
                      estimateSeconds(problem, arch, schedule)};
    return Error::success();
  }
  Error launch(size_t) override { return Error::success(); }
  Error check(size_t at, bool whole, StringRef inject) override;
  llvm::Expected<std::vector<double>>
  timeBriefly(size_t at, double, llvm::function_ref<void()> beat) override {
    beat();
    return times(at, /*count=*/3, "brief");
  }
  llvm::Expected<std::vector<std::vector<double>>>
  timeInTurns(llvm::ArrayRef<size_t> who, size_t rounds, double,
              llvm::function_ref<void(size_t)> announce) override {
    std::vector<std::vector<double>> seconds;
    for (size_t at : who) {
      announce(at);
      seconds.push_back(times(at, rounds, "turn"));
    }
    return seconds;
  }
  void clear() override { candidates.clear(); }

private:
  struct Candidate {
    std::string text;
    double seconds;
  };
  std::vector<double> times(size_t at, size_t count, StringRef what);

  Arch arch;
  Problem problem;
  std::map<size_t, Candidate> candidates;
};
} // namespace

std::vector<double> RehearsalBed::times(size_t at, size_t count,
                                        StringRef what) {
  constexpr double kNoise = 0.01;
  const Candidate &candidate = candidates.at(at);
  std::mt19937_64 random(
      llvm::xxh3_64bits(candidate.text + problem.str() + what.str()));
  std::normal_distribution<double> normal;
  std::vector<double> seconds(count);
  for (double &each : seconds)
    each = candidate.seconds * std::exp(kNoise * normal(random));
  return seconds;
}

/// One row times one matrix, in the problem's types.
Error RehearsalBed::check(size_t, bool, StringRef inject) {
  constexpr int64_t kExtent = 16;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  ElementType in = problem.a.type, out = problem.c;
  std::vector<double> a(kExtent), b(kExtent * kExtent);
  for (std::vector<double> *values : {&a, &b})
    for (double &value : *values)
      value = roundTo(in, normal(random));
  Tolerance tolerance = Tolerance::ofSum(out, kExtent);
  int64_t wrong = 0;
  for (int64_t n = 0; n < kExtent; ++n) {
    double sum = 0;
    for (int64_t k = 0; k < kExtent; ++k)
      sum = std::fma(a[k], b[k * kExtent + n], sum);
    double got = roundTo(out, sum);
    if (inject == "wrong" && n == kExtent / 2)
      got += 1;
    if (inject == "nan" && n == kExtent / 2)
      got = std::numeric_limits<double>::quiet_NaN();
    wrong += tolerance.units(got, sum) > 1;
  }
  if (wrong == 0)
    return Error::success();
  return llvm::createStringError(
      formatv("expected a right product, but got {0} wrong elements", wrong));
}

llvm::Expected<std::unique_ptr<WorkerBed>>
hone::openRehearsalBed(StringRef name) {
  llvm::Expected<Arch> arch = Arch::lookup(name);
  if (!arch)
    return arch.takeError();
  return std::make_unique<RehearsalBed>(*arch);
}
