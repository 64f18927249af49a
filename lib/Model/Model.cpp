//===- Model.cpp - Model written by hone train ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Model.h; the file's form is in ModelFile.cpp.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Model.h"
#include "ModelFile.h"
#include "hone/Model/CardedFile.h"
#include "hone/Model/Writer.h"
#include "hone/Text/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <limits>

using namespace hone;
using namespace hone::detail;
using llvm::StringRef;

Model::Model(NetworkShape shape, size_t count, Kinds kinds)
    : Ensemble(shape, count, Reader::names(kinds)) {}

Ensemble hone::untrainedWriter(NetworkShape shape, size_t count, Kinds kinds) {
  return Ensemble(shape, count, WordReader::names(kinds));
}

void Model::take(FilePart part, Ensemble &into,
                 llvm::ArrayRef<std::string> known) {
  into.networks.clear();
  for (const Vector &parameters : part.networks) {
    into.networks.emplace_back(part.shape);
    into.networks.back().parameters() = parameters;
  }
  into.names = std::move(part.names);
  into.means = std::move(part.means);
  into.spreads = std::move(part.spreads);
  into.findNames(known);
}

FilePart Model::partOf(const Ensemble &from) {
  FilePart part = {
      from.networks.front().shape(), from.names, from.means, from.spreads, {}};
  for (const Network &network : from.networks)
    part.networks.push_back(network.parameters());
  return part;
}

llvm::Expected<Model> Model::parse(llvm::StringRef bytes, Kinds kinds) {
  llvm::Expected<ModelFile> file = ModelFile::parse(bytes);
  if (!file)
    return file.takeError();
  Model model(file->shape, 0, kinds);
  model.card = file->card;
  if (file->writer) {
    model.writer = untrainedWriter(file->writer->shape, 0, kinds);
    take(std::move(*file->writer), *model.writer, WordReader::names(kinds));
  }
  take(std::move(*file), model, Reader::names(kinds));
  return model;
}

llvm::Expected<Model> Model::readFile(const std::string &path, Kinds kinds) {
  auto buffer =
      hone::readFile(path, {"weights of a policy", detail::kMaxPolicyBytes});
  if (!buffer)
    return buffer.takeError();
  return parse((*buffer)->getBuffer(), kinds);
}

std::string Model::str() const {
  ModelFile file = {partOf(*this), card, std::nullopt};
  if (writer)
    file.writer = partOf(*writer);
  return file.str();
}

void Model::roundToHalves() {
  auto round = [](Ensemble &part) {
    for (Network &network : part.networks)
      for (float &value : network.parameters())
        value = detail::roundedToHalf(value);
  };
  round(*this);
  if (writer)
    round(*writer);
}

bool Model::covers(const Kind &kind, const Decision &decision) const {
  return Ensemble::covers(kind, decision) &&
         (!trees || trees->covers(firstNameOf(kind, decision)));
}

/// Trees are better at a first choice. They do not read measurements, so their
/// share falls as those increase.
double Model::treesShare(size_t received) const {
  constexpr double kOfFirst = 2.0 / 3;
  if (networks.empty())
    return 1;
  return received == 0 ? kOfFirst : 1 / (2 + 0.5 * double(received));
}

std::vector<double> Model::judge(llvm::ArrayRef<Tried> context,
                                 llvm::ArrayRef<Reading> candidates) const {
  std::vector<double> seconds = Ensemble::judge(context, candidates);
  if (!trees)
    return seconds;
  double share = treesShare(context.size());
  std::vector<double> residuals = trees->residuals(candidates);
  for (auto [value, reading, off] :
       llvm::zip_equal(seconds, candidates, residuals))
    value = (1 - share) * value + share * (reading.logEstimate + off);
  return seconds;
}

Reader Model::writersReader(const Problem &problem, const Arch &arch,
                            Kinds kinds) const {
  Reader reader(problem, arch, {}, kinds);
  if (writer && trees)
    reader.correctBy(*trees, shareOn(arch));
  return reader;
}

/// A card lists them as `machines`, "h200,h100,h100/64".
std::vector<Arch> Model::machines() const {
  constexpr StringRef kFirst = "h200"; // of cards without a list
  auto at = card.find("machines");
  StringRef names = at == card.end() ? kFirst : StringRef(at->second);
  std::vector<Arch> machines;
  for (llvm::StringRef name : llvm::split(names, ',')) {
    // A card is untrusted input: it must not name a file to read.
    if (Arch::isFile(name))
      continue;
    llvm::Expected<Arch> arch = Arch::lookup(name);
    if (arch)
      machines.push_back(std::move(*arch));
    else
      llvm::consumeError(arch.takeError());
  }
  return machines;
}

NearMachine Model::closestTo(const Arch &machine) const {
  std::vector<NearMachine> near = nearMachines(machine, machines());
  return near.empty() ? NearMachine{"", std::numeric_limits<double>::infinity()}
                      : near.front();
}

std::string Model::limitOn(const Arch &machine) const {
  NearMachine closest = closestTo(machine);
  if (closest.distance < kSameMachine)
    return "";
  if (closest.chip.empty())
    return "was trained on no machine with the instruction set " + machine.isa;
  return llvm::formatv(
      "was not trained on this machine; the closest is {0}, at "
      "{1:f2} doublings, so the policy has {2:f2} of an "
      "estimate and the cost model the rest",
      closest.chip, closest.distance, shareOn(machine));
}

double Model::shareOn(const Arch &machine) const {
  double distance = closestTo(machine).distance;
  if (distance < kSameMachine)
    return 1;
  double ratio = distance / kHalfDistance;
  return std::isfinite(ratio) ? 1 / (1 + ratio * ratio) : 0;
}
