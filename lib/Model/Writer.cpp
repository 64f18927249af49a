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
               ArrayRef<Tried> heard)
    : networks(networks), language(language), reader(language), mask(mask) {
  for (const Tried &tried : heard)
    context.push_back({reader.whole(tried.reading), tried.logSeconds});
}

void Writer::ask(ArrayRef<State> states) {
  std::vector<Reading> readings;
  for (State state : states)
    for (const Mask::Step &step : mask.next(state))
      readings.push_back(reader.read(mask, state, step));
  std::vector<double> said = networks.judge(context, readings);
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
    auto taken = llvm::find_if(steps, [&](const Mask::Step &step) {
      return llvm::is_contained(sentence, step.word);
    });
    if (taken == steps.end())
      return std::nullopt;
    sum += logOdds(state)[taken - steps.begin()];
    state = taken->to;
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
