//===- Writer.cpp - Generation of schedules word by word ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Writer.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Writer.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;
using llvm::ArrayRef;
using State = Mask::State;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::vector<std::string> WordReader::names(Kinds kinds) {
  std::vector<std::string> names = Reader::names(kinds);
  for (const char *name : {"ahead.count", "ahead.words", "ahead.beside",
                           "ahead.behind", "ahead.spread"})
    names.push_back(name);
  Language language(kinds);
  for (const Slot &slot : language.slots()) {
    names.push_back("word." + slot.name);
    names.push_back("value." + slot.name);
  }
  return names;
}

Reading WordReader::read(Mask &mask, State state,
                         const Mask::Step &step) const {
  Mask::Ahead ahead = mask.ahead(step.to);
  Reading reading = *ahead.witness;
  auto log2Of = [](double value) { return float(logOf(value) / logOf(2)); };
  // Larger differences carry no further information.
  constexpr double kMax = 2;
  auto less = [&](double other) {
    return float(std::min(ahead.logSeconds - other, kMax));
  };
  std::vector<float> &numbers = reading.numbers;
  numbers.push_back(log2Of(ahead.count));
  numbers.push_back(log2Of(double(mask.next(state).size())));
  numbers.push_back(less(mask.ahead(state).logSeconds));
  numbers.push_back(less(mask.ahead(mask.begin()).logSeconds));
  numbers.push_back(less(ahead.witness->logEstimate));
  size_t first = numbers.size();
  numbers.resize(first + 2 * language.slots().size());
  numbers[first + 2 * step.word.slot] = 1;
  // The witness has the kind.
  if (language.slots()[step.word.slot].kind)
    numbers[first + 2 * step.word.slot + 1] = log2Of(double(step.word.value));
  reading.logEstimate = ahead.logSeconds;
  return reading;
}

Reading WordReader::whole(const Reading &reading) const {
  Reading all = reading;
  constexpr size_t kAhead = 5;
  all.numbers.resize(reading.numbers.size() + kAhead +
                     2 * language.slots().size());
  return all;
}

//===----------------------------------------------------------------------===//
// Probabilities
//===----------------------------------------------------------------------===//

Writer::Writer(const Ensemble &networks, const Language &language, Mask &mask,
               ArrayRef<Tried> given, const Ensemble *judges)
    : networks(networks), language(language), reader(language), mask(mask),
      judges(judges), received(given.vec()) {
  for (const Tried &tried : received)
    context.push_back({reader.whole(tried.reading), tried.logSeconds});
}

/// Words whose estimates are slower by such a factor (e^1) keep them, without
/// the networks, whose corrections are smaller.
static constexpr double kHopeless = 1;

void Writer::ask(ArrayRef<State> states) {
  std::vector<double> said;
  std::vector<Reading> readings, witnesses;
  std::vector<size_t> places;
  std::vector<State> after(states);
  for (State state : states)
    for (const Mask::Step &step : mask.next(state))
      after.push_back(step.to);
  mask.lookAhead(after);
  for (State state : states) {
    double min = mask.ahead(state).logSeconds;
    for (const Mask::Step &step : mask.next(state))
      min = std::min(min, mask.ahead(step.to).logSeconds);
    for (const Mask::Step &step : mask.next(state)) {
      said.push_back(mask.ahead(step.to).logSeconds);
      if (said.back() > min + kHopeless)
        continue;
      places.push_back(said.size() - 1);
      readings.push_back(reader.read(mask, state, step));
      if (judges)
        witnesses.push_back(*mask.ahead(step.to).witness);
    }
  }
  for (auto [place, value] :
       llvm::zip_equal(places, networks.judge(context, readings)))
    said[place] = value;
  if (judges)
    for (auto [place, judged, witness] :
         llvm::zip_equal(places, judges->judge(received, witnesses), witnesses))
      said[place] += judged - witness.logEstimate;
  ArrayRef<double> rest = said;
  for (State state : states) {
    ArrayRef<double> own = rest.take_front(mask.next(state).size());
    rest = rest.drop_front(own.size());
    Answer &answer = answers[state];
    answer.logSeconds = own.vec();
    double all = softMinimum(own);
    for (double logSeconds : own)
      answer.logOdds.push_back((all - logSeconds) / kWriterTau);
  }
}

const Writer::Answer &Writer::answerTo(State state) {
  auto at = answers.find(state);
  if (at == answers.end()) {
    ask(state);
    at = answers.find(state);
  }
  return at->second;
}

ArrayRef<double> Writer::logOdds(State state) {
  return answerTo(state).logOdds;
}

std::optional<double> Writer::logOddsOf(const Schedule &schedule) {
  Sentence sentence = language.spell(schedule);
  State state = mask.begin();
  double sum = 0;
  for (;;) {
    ArrayRef<Mask::Step> steps = mask.next(state);
    if (steps.empty())
      break;
    auto word = llvm::find_if(sentence, [&](const Word &one) {
      return one.slot == steps.front().word.slot;
    });
    std::optional<Mask::Step> step;
    if (word != sentence.end())
      step = mask.follow(state, *word);
    if (!step)
      return std::nullopt;
    // The word may be new to the mask.
    auto known = answers.find(state);
    if (known != answers.end() &&
        known->second.logOdds.size() != mask.next(state).size())
      answers.erase(known);
    size_t at = llvm::find_if(mask.next(state),
                              [&](const Mask::Step &other) {
                                return other.to == step->to;
                              }) -
                mask.next(state).begin();
    sum += logOdds(state)[at];
    state = step->to;
  }
  // The implied words at the end may belong to another schedule.
  return mask.written(state) == schedule ? std::optional(sum) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Generation
//===----------------------------------------------------------------------===//

std::vector<Written> Writer::likeliest(size_t count) {
  // Evaluates several states in one batch: the next ones in the order.
  constexpr size_t kAtOnce = 8;
  std::map<std::pair<double, State>, double> open = {
      {{0, mask.begin()}, mask.ahead(mask.begin()).logSeconds}};
  std::vector<Written> all;
  while (all.size() < count && !open.empty()) {
    auto [key, logSeconds] = *open.begin();
    auto [unlikely, state] = key;
    if (mask.next(state).empty()) {
      all.push_back({mask.written(state), state, -unlikely, logSeconds});
      open.erase(open.begin());
      continue;
    }
    if (!answers.count(state)) {
      std::vector<State> next;
      for (const auto &[key, value] : open)
        if (next.size() < kAtOnce && !mask.next(key.second).empty() &&
            !answers.count(key.second))
          next.push_back(key.second);
      ask(next);
    }
    open.erase(open.begin());
    const Answer &answer = answers.at(state);
    for (auto [step, odds, value] :
         llvm::zip_equal(mask.next(state), answer.logOdds, answer.logSeconds))
      open.try_emplace({unlikely - odds, step.to}, value);
  }
  return all;
}

std::vector<Written> Writer::beams(size_t width) {
  struct Prefix {
    double logOdds, logSeconds;
    State state;
  };
  std::vector<Prefix> beam = {
      {0, mask.ahead(mask.begin()).logSeconds, mask.begin()}};
  for (;;) {
    std::vector<State> due, unasked;
    for (const Prefix &prefix : beam)
      if (!mask.next(prefix.state).empty()) {
        due.push_back(prefix.state);
        if (!answers.count(prefix.state))
          unasked.push_back(prefix.state);
      }
    if (due.empty())
      break;
    ask(unasked);
    std::vector<Prefix> longer;
    for (const Prefix &prefix : beam) {
      ArrayRef<Mask::Step> steps = mask.next(prefix.state);
      if (steps.empty()) {
        longer.push_back(prefix);
        continue;
      }
      const Answer &answer = answers.at(prefix.state);
      for (auto [step, odds, value] :
           llvm::zip_equal(steps, answer.logOdds, answer.logSeconds))
        longer.push_back({prefix.logOdds + odds, value, step.to});
    }
    llvm::stable_sort(longer, [](const Prefix &one, const Prefix &other) {
      return std::pair(one.logSeconds, -one.logOdds) <
             std::pair(other.logSeconds, -other.logOdds);
    });
    longer.resize(std::min(longer.size(), width));
    beam = std::move(longer);
  }
  std::vector<Written> all;
  for (const Prefix &prefix : beam)
    all.push_back({mask.written(prefix.state), prefix.state, prefix.logOdds,
                   prefix.logSeconds});
  return all;
}

Written Writer::draw(std::mt19937_64 &dice) {
  State state = mask.begin();
  double sum = 0, logSeconds = mask.ahead(state).logSeconds;
  while (!mask.next(state).empty()) {
    double left = double(dice() >> 11) * 0x1p-53;
    ArrayRef<double> odds = logOdds(state);
    size_t at = 0;
    while (at + 1 < odds.size() && (left -= exponentOf(odds[at])) >= 0)
      ++at;
    sum += odds[at];
    logSeconds = answers.at(state).logSeconds[at];
    state = mask.next(state)[at].to;
  }
  return {mask.written(state), state, sum, logSeconds};
}
