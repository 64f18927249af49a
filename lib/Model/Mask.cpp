//===- Mask.cpp - Legal next words of a prefix ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Mask.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Mask.h"
#include "hone/Space/Power.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>
#include <numeric>

using namespace hone;
using llvm::ArrayRef;

static constexpr double kNever = std::numeric_limits<double>::infinity();

double hone::exponentOf(double power) {
  constexpr double kLog2E = 1.44269504088896340736, kMin = -700;
  return power < kMin ? 0 : detail::binaryPower(power * kLog2E);
}

double hone::softMinimum(ArrayRef<double> logSeconds) {
  if (logSeconds.empty())
    return kNever;
  double min = *std::min_element(logSeconds.begin(), logSeconds.end());
  if (min == kNever)
    return kNever;
  double sum = 0;
  for (double value : logSeconds)
    sum += exponentOf((min - value) / kWriterTau);
  return min - kWriterTau * logOf(sum);
}

std::optional<Mask::Step> Mask::follow(State state, Word word) {
  ArrayRef<Step> steps = next(state);
  auto at =
      llvm::find_if(steps, [&](const Step &step) { return step.word == word; });
  return at == steps.end() ? std::nullopt : std::optional(*at);
}

static std::vector<Sentence> spell(const Language &language,
                                   ArrayRef<Schedule> pool) {
  std::vector<Sentence> sentences;
  for (const Schedule &schedule : pool)
    sentences.push_back(language.spell(schedule));
  return sentences;
}

//===----------------------------------------------------------------------===//
// Trie
//===----------------------------------------------------------------------===//

Trie::Trie(const Language &language, ArrayRef<Schedule> pool,
           ArrayRef<Reading> readings)
    : pool(pool), readings(readings), sentences(spell(language, pool)),
      order(pool.size()) {
  assert(!pool.empty() && pool.size() == readings.size() &&
         "expected schedules and a reading of each");
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](size_t one, size_t other) {
    return sentences[one] < sentences[other];
  });
  order.erase(llvm::unique(order,
                           [&](size_t one, size_t other) {
                             return sentences[one] == sentences[other];
                           }),
              order.end());
  nodes.push_back({0, order.size()});
  for (State state = 0; state < nodes.size(); ++state)
    split(state);
  std::vector<double> estimates;
  for (const Reading &reading : readings)
    estimates.push_back(reading.logEstimate);
  minima = softMinima(estimates);
}

/// Splits by the first word in which the sentences of a state differ.
void Trie::split(State state) {
  auto [begin, end, first, after, witness] = nodes[state];
  nodes[state].witness = *std::min_element(
      order.begin() + begin, order.begin() + end,
      [&](size_t one, size_t other) {
        return readings[one].logEstimate < readings[other].logEstimate;
      });
  nodes[state].first = nodes[state].after = steps.size();
  if (end - begin == 1)
    return;
  // Every sentence between two sorted ones has their common prefix.
  const Sentence &min = sentences[order[begin]];
  const Sentence &max = sentences[order[end - 1]];
  size_t at =
      std::mismatch(min.begin(), min.end(), max.begin()).first - min.begin();
  while (begin < end) {
    Word word = sentences[order[begin]][at];
    size_t next = begin;
    while (next < end && sentences[order[next]][at] == word)
      ++next;
    steps.push_back({word, nodes.size()});
    nodes.push_back({begin, next});
    begin = next;
  }
  nodes[state].after = steps.size();
}

ArrayRef<Mask::Step> Trie::next(State state) {
  const Node &node = nodes[state];
  return ArrayRef(steps).slice(node.first, node.after - node.first);
}

Mask::Ahead Trie::ahead(State state) {
  const Node &node = nodes[state];
  return {minima[state], double(node.end - node.begin),
          &readings[node.witness]};
}

Schedule Trie::written(State state) { return pool[nodes[state].witness]; }

std::vector<double> Trie::softMinima(ArrayRef<double> logSeconds) const {
  std::vector<double> result(nodes.size());
  std::vector<double> ahead;
  for (State state = nodes.size(); state-- > 0;) {
    const Node &node = nodes[state];
    if (node.first == node.after) {
      result[state] = logSeconds[node.witness];
      continue;
    }
    ahead.clear();
    for (size_t step = node.first; step < node.after; ++step)
      ahead.push_back(result[steps[step].to]);
    result[state] = softMinimum(ahead);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Loose
//===----------------------------------------------------------------------===//

Loose::Loose(const Language &language, ArrayRef<Schedule> pool,
             ArrayRef<Reading> readings)
    : language(language), pool(pool), readings(readings),
      sentences(spell(language, pool)) {
  assert(!pool.empty() && pool.size() == readings.size() &&
         "expected schedules and a reading of each");
  Node &node = nodes[begin()];
  for (const Reading &reading : readings)
    node.logSeconds.push_back(reading.logEstimate);
}

/// Schedules of another kind have no such word.
Mask::State Loose::add(const Node &from, Word word) {
  // Each word that differs from a schedule's own adds this penalty to its
  // estimate.
  constexpr double kPenalty = 0.1;
  size_t at = from.prefix.size();
  Node node = {from.prefix, from.logSeconds, {}};
  node.prefix.push_back(word);
  for (auto [sentence, seconds] : llvm::zip_equal(sentences, node.logSeconds))
    if (at >= sentence.size() || sentence[at].slot != word.slot ||
        (at == 0 && !(sentence[at] == word)))
      seconds = kNever;
    else if (!(sentence[at] == word))
      seconds += kPenalty;
  State state = nodes.size();
  nodes[state] = std::move(node);
  return state;
}

ArrayRef<Mask::Step> Loose::next(State state) {
  Node &node = nodes.at(state);
  size_t at = node.prefix.size();
  if (!node.steps.empty() || !language.next(node.prefix))
    return node.steps;
  std::vector<Word> words;
  for (auto [sentence, seconds] : llvm::zip_equal(sentences, node.logSeconds))
    if (seconds < kNever)
      words.push_back(sentence[at]);
  llvm::sort(words);
  words.erase(llvm::unique(words), words.end());
  for (Word word : words)
    node.steps.push_back({word, add(node, word)});
  return node.steps;
}

Mask::Ahead Loose::ahead(State state) {
  const std::vector<double> &seconds = nodes.at(state).logSeconds;
  size_t witness = llvm::min_element(seconds) - seconds.begin();
  auto count = llvm::count_if(seconds, [](double one) { return one < kNever; });
  return {softMinimum(seconds), double(count), &readings[witness]};
}

Schedule Loose::written(State state) {
  return llvm::cantFail(language.read(nodes.at(state).prefix),
                        "a word does not belong to its slot");
}
