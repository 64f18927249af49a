//===- Model.cpp - Networks, what they read, and their card ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Use; the file's form is in ModelFile.cpp.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/Model.h"
#include "ModelFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>

using namespace hone;
using namespace hone::detail;

Model::Model(NetworkShape shape, size_t count, Kinds kinds)
    : names(Reader::names(kinds)), origins(Reader::placesOf(names, kinds)),
      means(names.size()), spreads(names.size(), 1) {
  shape.inputs = names.size();
  networks.assign(count, Network(shape));
}

llvm::Expected<Model> Model::parse(llvm::StringRef bytes, Kinds kinds) {
  llvm::Expected<ModelFile> file = ModelFile::parse(bytes);
  if (!file)
    return file.takeError();
  Model model(file->shape, 0, kinds);
  model.names = file->names;
  model.origins = Reader::placesOf(model.names, kinds);
  model.means = file->means;
  model.spreads = file->spreads;
  model.card = file->card;
  for (const Vector &parameters : file->networks) {
    model.networks.emplace_back(file->shape);
    model.networks.back().parameters() = parameters;
  }
  return model;
}

llvm::Expected<Model> Model::readFile(const std::string &path, Kinds kinds) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(
        llvm::formatv("expected weights of a policy, but got '{0}' ({1})", path,
                      buffer.getError().message()));
  return parse((*buffer)->getBuffer(), kinds);
}

std::string Model::str() const {
  ModelFile file = {networks.front().shape(), names, means, spreads, card, {}};
  for (const Network &network : networks)
    file.networks.push_back(network.parameters());
  return file.str();
}

bool Model::knows(const Kind &kind, const Decision &decision) const {
  std::string name = (kind.name + "." + decision.name + ".0").str();
  return llvm::is_contained(names, name) && (!trees || trees->knows(name));
}

std::string Model::chip() const {
  auto at = card.find("chip");
  return at == card.end() ? "h200" : at->second;
}

llvm::Error Model::join(const Model &other) {
  if (names != other.names || means != other.means || spreads != other.spreads)
    return llvm::createStringError(
        "expected weights that read the same numbers, but got others; use "
        "networks that were trained on the same tables");
  llvm::append_range(networks, other.networks);
  return llvm::Error::success();
}

void Model::normalizeBy(llvm::ArrayRef<Reading> sample) {
  for (auto [at, origin] : llvm::enumerate(origins)) {
    double sum = 0, squares = 0;
    for (const Reading &reading : sample) {
      double value = origin < 0 ? 0 : reading.numbers[origin];
      sum += value;
      squares += value * value;
    }
    double mean = sum / sample.size();
    means[at] = float(mean);
    // What never varied says nothing, and shall not shout when it does.
    constexpr double kLeast = 0.05;
    double variance = std::max(squares / sample.size() - mean * mean, 0.0);
    spreads[at] = float(std::max(std::sqrt(variance), kLeast));
  }
}

//===----------------------------------------------------------------------===//
// Judging
//===----------------------------------------------------------------------===//

void Model::place(const Reading &reading, Matrix &rows,
                  Eigen::Index row) const {
  // Far outside of what was seen it is all the same.
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
    // A tenth is much, of a time and of an estimate.
    constexpr double kUnit = 0.1, kMost = 10;
    double wrong = *one.logSeconds - one.reading.logEstimate;
    auto unit = [&](double value) {
      return float(std::clamp(value / kUnit, -kMost, kMost));
    };
    standings(row, 1) = unit(wrong);
    standings(row, 2) = unit(wrong - mean);
    standings(row, 3) = unit(*one.logSeconds - best);
    standings(row, 4) = *one.logSeconds == best;
  }
  return standings;
}

/// Of a long context the fastest half and the latest half.
static std::vector<Tried> shortened(llvm::ArrayRef<Tried> context) {
  if (context.size() <= kMostContext)
    return context.vec();
  llvm::ArrayRef<Tried> latest = context.take_back(kMostContext / 2);
  std::vector<Tried> older = context.drop_back(kMostContext / 2).vec();
  llvm::stable_sort(older, [](const Tried &left, const Tried &right) {
    return left.logSeconds.value_or(1e9) < right.logSeconds.value_or(1e9);
  });
  older.resize(kMostContext / 2);
  llvm::append_range(older, latest);
  return older;
}

Batch Model::batchOf(llvm::ArrayRef<Tried> context,
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

void Model::addNetworks(llvm::ArrayRef<Tried> context,
                        llvm::ArrayRef<Reading> candidates, double weight,
                        std::vector<double> &seconds) const {
  Batch batch = batchOf(context, candidates);
  for (const Network &network : networks) {
    Vector residual = network.forward(batch);
    // Weights of somebody else may overflow; that says nothing.
    for (auto [at, value] : llvm::enumerate(seconds))
      if (std::isfinite(residual[at]))
        value += weight * double(residual[at]) / double(networks.size());
  }
}

/// They do not hear, so they have the less to say the more was heard.
double Model::treesShare(size_t heard) const {
  if (!trees)
    return 0;
  return networks.empty() ? 1 : 1 / (2 + 0.5 * double(heard));
}

std::vector<double> Model::judge(llvm::ArrayRef<Tried> context,
                                 llvm::ArrayRef<Reading> candidates) const {
  std::vector<double> seconds;
  for (const Reading &reading : candidates)
    seconds.push_back(reading.logEstimate);
  if (candidates.empty())
    return seconds;
  double share = treesShare(context.size());
  if (!networks.empty())
    addNetworks(context, candidates, 1 - share, seconds);
  if (trees)
    for (auto [value, off] :
         llvm::zip_equal(seconds, trees->residuals(candidates)))
      value += share * off;
  return seconds;
}
