//===- Ensemble.cpp - Averaged networks and their inputs ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Ensemble.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Ensemble.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace hone;

Ensemble::Ensemble(NetworkShape shape, size_t count,
                   std::vector<std::string> all)
    : names(std::move(all)), means(names.size()), spreads(names.size(), 1) {
  findNames(names);
  shape.inputs = names.size();
  networks.assign(count, Network(shape));
}

void Ensemble::findNames(llvm::ArrayRef<std::string> known) {
  origins = placesAmong(known, names);
  inputs.clear();
  for (const std::string &name : names)
    inputs.insert(name);
}

std::string hone::firstNameOf(const Kind &kind, const Decision &decision) {
  std::string name = kind.name.str();
  name.append(1, '.').append(decision.name).append(".0");
  return name;
}

bool Ensemble::covers(const Kind &kind, const Decision &decision) const {
  return inputs.contains(firstNameOf(kind, decision));
}

bool Ensemble::covers(const Schedule &schedule) const {
  return inputs.contains(schedule.kind().name) &&
         llvm::all_of(schedule.unusual(), [&](const Schedule::Decided &one) {
           return covers(schedule.kind(), *one.decision);
         });
}

llvm::Error Ensemble::join(const Ensemble &other) {
  if (names != other.names || means != other.means || spreads != other.spreads)
    return llvm::createStringError(
        "expected weights that read the same numbers, but got others; use "
        "networks that were trained on the same tables");
  llvm::append_range(networks, other.networks);
  return llvm::Error::success();
}

/// Of an input that never varied in training: it carries no information and
/// must not dominate when it does vary.
static constexpr float kMinSpread = 0.05;

void Ensemble::normalizeBy(llvm::ArrayRef<Reading> sample) {
  for (auto [at, origin] : llvm::enumerate(origins)) {
    double sum = 0, squares = 0;
    for (const Reading &reading : sample) {
      double value = origin < 0 ? 0 : reading.numbers[origin];
      sum += value;
      squares += value * value;
    }
    double mean = sum / sample.size();
    means[at] = float(mean);
    double variance = std::max(squares / sample.size() - mean * mean, 0.0);
    spreads[at] = float(std::max(std::sqrt(variance), double(kMinSpread)));
  }
}

void Ensemble::widen(llvm::ArrayRef<Reading> sample) {
  for (auto [at, origin] : llvm::enumerate(origins)) {
    if (origin < 0 || spreads[at] > kMinSpread)
      continue;
    double squares = 0;
    for (const Reading &reading : sample) {
      double off = reading.numbers[origin] - means[at];
      squares += off * off;
    }
    spreads[at] =
        std::max(float(std::sqrt(squares / sample.size())), kMinSpread);
  }
}

void Ensemble::learnNames(llvm::ArrayRef<std::string> known,
                          llvm::ArrayRef<Reading> sample) {
  std::vector<std::string> more;
  for (const std::string &name : known)
    if (!llvm::is_contained(names, name))
      more.push_back(name);
  if (more.empty())
    return;
  // Means and spreads of the known names stay, or the results would change.
  Ensemble added({}, 0, more);
  added.findNames(known);
  added.normalizeBy(sample);
  llvm::append_range(names, more);
  llvm::append_range(means, added.means);
  llvm::append_range(spreads, added.spreads);
  findNames(known);
  for (Network &network : networks)
    network.addInputs(int64_t(more.size()));
}

//===----------------------------------------------------------------------===//
// Judging
//===----------------------------------------------------------------------===//

void Ensemble::place(const Reading &reading, Matrix &rows,
                     Eigen::Index row) const {
  // Values far outside the training range are clamped.
  constexpr float kFarthest = 5;
  for (size_t at = 0; at < origins.size(); ++at) {
    float value = origins[at] < 0 ? means[at] : reading.numbers[origins[at]];
    rows(row, at) =
        std::clamp((value - means[at]) / spreads[at], -kFarthest, kFarthest);
  }
}

Matrix hone::standingsOf(llvm::ArrayRef<Tried> context) {
  double sum = 0, best = 0;
  size_t count = 0;
  for (const Tried &one : context)
    if (one.logSeconds) {
      best = count ? std::min(best, *one.logSeconds) : *one.logSeconds;
      sum += *one.logSeconds - one.reading.logEstimate;
      ++count;
    }
  double mean = count ? sum / count : 0;
  Matrix standings = Matrix::Zero(context.size(), kStandings);
  for (auto [row, one] : llvm::enumerate(context)) {
    standings(row, 5) = float(count) / 8;
    if (!one.logSeconds) {
      standings(row, 0) = 1;
      continue;
    }
    // A difference of a tenth, in a time or in an estimate, becomes 1.
    constexpr double kUnit = 0.1, kMax = 10;
    double wrong = *one.logSeconds - one.reading.logEstimate;
    auto unit = [&](double value) {
      return float(std::clamp(value / kUnit, -kMax, kMax));
    };
    standings(row, 1) = unit(wrong);
    standings(row, 2) = unit(wrong - mean);
    standings(row, 3) = unit(*one.logSeconds - best);
    standings(row, 4) = *one.logSeconds == best;
  }
  return standings;
}

/// Cuts a long context to its fastest half and its latest half.
static std::vector<Tried> shortened(llvm::ArrayRef<Tried> context) {
  if (context.size() <= kMaxContext)
    return context.vec();
  llvm::ArrayRef<Tried> latest = context.take_back(kMaxContext / 2);
  std::vector<Tried> older = context.drop_back(kMaxContext / 2).vec();
  llvm::stable_sort(older, [](const Tried &left, const Tried &right) {
    return left.logSeconds.value_or(1e9) < right.logSeconds.value_or(1e9);
  });
  older.resize(kMaxContext / 2);
  llvm::append_range(older, latest);
  return older;
}

Batch Ensemble::batchOf(llvm::ArrayRef<Tried> context,
                        llvm::ArrayRef<Reading> candidates) const {
  std::vector<Tried> kept = shortened(context);
  Batch batch;
  batch.context.resize(kept.size(), names.size());
  batch.candidates.resize(candidates.size(), names.size());
  for (auto [row, one] : llvm::enumerate(kept))
    place(one.reading, batch.context, row);
  for (auto [row, reading] : llvm::enumerate(candidates))
    place(reading, batch.candidates, row);
  batch.standing = standingsOf(kept);
  return batch;
}

std::vector<double> Ensemble::judge(llvm::ArrayRef<Tried> context,
                                    llvm::ArrayRef<Reading> candidates) const {
  std::vector<double> seconds;
  for (const Reading &reading : candidates)
    seconds.push_back(reading.logEstimate);
  if (candidates.empty())
    return seconds;
  Batch batch = batchOf(context, candidates);
  for (const Network &network : networks) {
    Vector residual = network.forward(batch);
    // Weights from an untrusted file may overflow; such a result is left out.
    for (auto [at, value] : llvm::enumerate(seconds))
      if (std::isfinite(residual[at]))
        value += double(residual[at]) / double(networks.size());
  }
  return seconds;
}
