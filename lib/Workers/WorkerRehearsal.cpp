//===- WorkerRehearsal.cpp - Simulated measurements -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times are those of the cost model with a noise of about a percent, or none,
// the same in every run. A small product is computed here and checked like a
// kernel's result, so that injected errors are detected as on a device.
//
//===----------------------------------------------------------------------===//

#include "WorkerBackend.h"
#include "hone/Database/Record.h"
#include "hone/Numerics/Tolerance.h"
#include "hone/Schedule/Roofline.h"
#include "hone/Space/CostModel.h"
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
class RehearsalBackend : public WorkerBackend {
public:
  RehearsalBackend(Arch arch, double noise)
      : arch(std::move(arch)), noise(noise) {}

  protocol::Opened describe() override {
    // The chip of a file is in no table.
    return {"a rehearsal on " + arch.chip,
            Arch::isFile(arch.name) ? arch.name : arch.chip,
            kRehearsalDriver.str(), /*cuda=*/0};
  }
  Error setProblem(const Problem &given) override {
    problem = given;
    return Error::success();
  }
  Error load(size_t at, const protocol::Entered &entered, double,
             llvm::function_ref<void()>) override;
  Error launch(size_t) override { return Error::success(); }
  llvm::Expected<double> check(size_t at, bool whole,
                               StringRef inject) override;
  llvm::Expected<std::vector<double>>
  timeBriefly(size_t at, double, llvm::function_ref<void()> beat) override {
    beat();
    return times(at, /*count=*/3, "brief");
  }
  llvm::Expected<std::vector<TimedRounds>>
  timeInTurns(llvm::ArrayRef<size_t> who, const Turns &turns,
              llvm::function_ref<void(size_t)> announce) override {
    std::vector<TimedRounds> timed;
    for (size_t at : who) {
      announce(at);
      std::vector<double> seconds = times(at, turns.rounds, "turn");
      timed.push_back({seconds, seconds});
    }
    return timed;
  }
  void clear() override { candidates.clear(); }

private:
  struct Candidate {
    std::string text;
    double seconds;
  };
  std::vector<double> times(size_t at, size_t count, StringRef what);

  double secondsOf(const Entrant &entrant) const;

  Arch arch;
  double noise;
  Problem problem;
  std::map<size_t, Candidate> candidates;
};
} // namespace

/// A library takes two microseconds more than the roofline, and so does a
/// kernel that reads and writes C once more.
double RehearsalBackend::secondsOf(const Entrant &entrant) const {
  constexpr double kLaunch = 2e-6;
  if (!entrant.schedule)
    return kLaunch + rooflineSeconds(problem, arch);
  double seconds =
      estimateSeconds(problemFor(entrant, problem), arch, *entrant.schedule);
  if (entrant.part != Part::separate)
    return seconds;
  double bytes = 2.0 * problem.m * problem.n * sizeOf(problem.c);
  return seconds + kLaunch + bytes / (arch.memoryGBs * 1e9);
}

Error RehearsalBackend::load(size_t at, const protocol::Entered &entered,
                             double, llvm::function_ref<void()>) {
  if (entered.entrant.rank > 0)
    return llvm::createStringError("expected an algorithm, but got no more");
  candidates[at] = {toString(entered.entrant), secondsOf(entered.entrant)};
  return Error::success();
}

std::vector<double> RehearsalBackend::times(size_t at, size_t count,
                                            StringRef what) {
  const Candidate &candidate = candidates.at(at);
  std::mt19937_64 random(
      llvm::xxh3_64bits(candidate.text + problem.str() + what.str()));
  std::normal_distribution<double> normal;
  std::vector<double> seconds(count);
  for (double &each : seconds)
    each = candidate.seconds * std::exp(noise * normal(random));
  return seconds;
}

/// Computes one row times one matrix, in the problem's types.
llvm::Expected<double> RehearsalBackend::check(size_t, bool, StringRef inject) {
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
  double worst = 0;
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
    worst = std::max(worst, tolerance.units(got, sum));
  }
  if (wrong == 0)
    return worst;
  return llvm::createStringError(
      formatv("expected a correct product, but got {0} wrong elements", wrong));
}

llvm::Expected<std::unique_ptr<WorkerBackend>>
hone::openRehearsalBackend(StringRef name, double noise) {
  llvm::Expected<Arch> arch = Arch::lookup(name);
  if (!arch)
    return arch.takeError();
  return std::make_unique<RehearsalBackend>(*arch, noise);
}
