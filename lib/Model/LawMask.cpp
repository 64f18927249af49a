//===- LawMask.cpp - Legal next words of a space without a list -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LawMask.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/LawMask.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;
using State = Mask::State;

/// The beginning is the only state without a kind. Its witness is the best one
/// of a kind.
LawMask::LawMask(Completion &completion, const Language &language,
                 const Reader &reader, LawMaskOptions options)
    : completion(completion), language(language), reader(reader),
      options(options) {
  add(Schedule(*completion.kinds.front()), 0, /*isImproved=*/true);
  Node &root = nodes.front();
  root.isOpen = true;
  for (const Kind *kind : completion.kinds) {
    std::optional<Schedule> legal = completion.begin(*kind);
    if (!legal)
      continue;
    Schedule good = improved(*legal, 0, options.firstLooks);
    Word word = language.spell(good).front();
    root.steps.push_back({word, add(good, 0, /*isImproved=*/true)});
  }
  for (const Step &step : root.steps)
    if (Ahead one = ahead(step.to);
        !root.reading || one.logSeconds < root.reading->logEstimate) {
      root.witness = nodes[step.to].witness;
      root.reading = *one.witness;
    }
  hasBegun = !root.steps.empty();
  // A single kind is not a choice.
  if (root.steps.size() == 1) {
    root.steps.clear();
    open(root);
  }
}

LawMask::LawMask(Completion &completion, const Language &language,
                 const Reader &reader, const Schedule &schedule, size_t fixed)
    : completion(completion), language(language), reader(reader),
      options({0, 0}), hasBegun(true) {
  add(schedule, fixed, /*isImproved=*/true);
}

Schedule LawMask::improved(const Schedule &witness, size_t fixed,
                           size_t looks) {
  return completion.improved(
      witness, fixed, looks, [&](llvm::ArrayRef<Schedule> schedules) {
        std::vector<double> prices;
        for (const Reading &reading : reader.readAll(schedules))
          prices.push_back(reading.logEstimate);
        return prices;
      });
}

State LawMask::add(Schedule witness, size_t fixed, bool isImproved) {
  nodes.push_back({std::move(witness), fixed, isImproved});
  return nodes.size() - 1;
}

/// The legal values of the next number, with a witness of each; none for the
/// value that the witness of the state has. If there is no other, a value whose
/// search gave up is searched for thoroughly: a word that is implied must not
/// exclude schedules.
std::vector<std::pair<int64_t, std::optional<Schedule>>>
LawMask::valuesAfter(const Node &node) {
  const Kind &kind = node.witness.kind();
  const size_t at = node.fixed;
  const int64_t own = node.witness.numbers()[at];
  std::vector<std::pair<int64_t, std::optional<Schedule>>> legal = {
      {own, std::nullopt}};
  std::vector<int64_t> open;
  auto tryOne = [&](int64_t value, bool isThorough) {
    Schedule wish = node.witness;
    wish.numbers()[at] = value;
    if (auto found = completion.complete(wish, at + 1, isThorough))
      legal.emplace_back(value, std::move(found));
    else if (completion.gaveUp(kind))
      open.push_back(value);
  };
  for (int64_t value : completion.valuesOf(kind, at))
    if (value != own)
      tryOne(value, /*isThorough=*/false);
  constexpr size_t kFew = 4;
  if (legal.size() == 1 && open.size() <= kFew)
    for (int64_t value : std::exchange(open, {}))
      tryOne(value, /*isThorough=*/true);
  llvm::sort(legal, llvm::less_first());
  return legal;
}

/// Finds the first number of which two or more values may follow, or which may
/// have values that are not offered.
void LawMask::open(Node &node) {
  node.isOpen = true;
  if (!node.isImproved) {
    Schedule better = improved(node.witness, node.fixed, options.looks);
    node.witness = std::move(better);
    node.isImproved = true;
    node.reading.reset();
  }
  const Sentence sentence = language.spell(node.witness);
  for (; node.fixed < node.witness.numbers().size(); ++node.fixed) {
    auto legal = valuesAfter(node);
    if (legal.size() == 1 &&
        completion.offersAll(node.witness.kind(), node.fixed))
      continue;
    size_t slot = sentence[node.fixed + 1].slot;
    for (auto &[value, found] : legal) {
      bool isSame = !found;
      State to = add(isSame ? node.witness : std::move(*found), node.fixed + 1,
                     isSame);
      node.steps.push_back({{slot, value}, to});
    }
    return;
  }
}

llvm::ArrayRef<Mask::Step> LawMask::next(State state) {
  Node &node = nodes[state];
  if (!node.isOpen)
    open(node);
  return node.steps;
}

Mask::Ahead LawMask::ahead(State state) {
  Node &node = nodes[state];
  if (!node.reading)
    node.reading = reader.read(node.witness);
  return {node.reading->logEstimate, 1, &*node.reading};
}

void LawMask::lookAhead(llvm::ArrayRef<State> states) {
  std::vector<State> unread;
  std::vector<Schedule> witnesses;
  for (State state : states)
    if (!nodes[state].reading) {
      unread.push_back(state);
      witnesses.push_back(nodes[state].witness);
    }
  for (auto [state, reading] :
       llvm::zip_equal(unread, reader.readAll(witnesses)))
    nodes[state].reading = std::move(reading);
}

Schedule LawMask::written(State state) { return nodes[state].witness; }

std::optional<Mask::Step> LawMask::follow(State state, Word word) {
  if (std::optional<Step> step = Mask::follow(state, word))
    return step;
  Node &node = nodes[state];
  size_t at = node.fixed;
  if (node.steps.empty() || node.steps.front().word.slot != word.slot ||
      !language.slots()[word.slot].kind)
    return std::nullopt;
  const Slot &slot = language.slots()[word.slot];
  if (!slot.decision->choices[slot.part].has(word.value))
    return std::nullopt;
  Schedule wish = node.witness;
  wish.numbers()[at] = word.value;
  std::optional<Schedule> found =
      completion.complete(wish, at + 1, /*isThorough=*/true);
  if (!found)
    return std::nullopt;
  Step step = {word, add(std::move(*found), at + 1, /*isImproved=*/false)};
  node.steps.insert(llvm::upper_bound(node.steps, step,
                                      [](const Step &one, const Step &other) {
                                        return one.word < other.word;
                                      }),
                    step);
  return step;
}
