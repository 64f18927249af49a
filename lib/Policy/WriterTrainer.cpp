//===- WriterTrainer.cpp - Training of a writer ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WriterTrainer.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/WriterTrainer.h"
#include "WriterPool.h"
#include "hone/Policy/Objective.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace hone;
using namespace hone::detail;
using llvm::ArrayRef;
using State = Mask::State;

WriterTrainer::WriterTrainer(Ensemble &writer, size_t at, TrainOptions options,
                             Kinds kinds)
    : Trainer(writer, at, options), language(kinds) {}

double WriterTrainer::teach(const Task &task, Vector &gradient,
                            std::mt19937_64 &dice) const {
  return learn(lessonOf(task, dice), gradient, dice);
}

//===----------------------------------------------------------------------===//
// Lessons
//===----------------------------------------------------------------------===//

static double uniform(std::mt19937_64 &dice) {
  return double(dice() >> 11) * 0x1p-53;
}

/// Every other lesson leaves some schedules out. So the best reachable schedule
/// of a word varies, which reduces overfitting.
static std::vector<size_t> drawLeftOut(const Task &task, size_t min,
                                       std::mt19937_64 &dice) {
  std::vector<size_t> out;
  if (dice() % 2)
    return out;
  constexpr double kMax = 0.7;
  double part = kMax * uniform(dice);
  for (size_t at = 0; at < task.size() && task.size() - out.size() > min; ++at)
    if (uniform(dice) < part)
      out.push_back(at);
  return out;
}

/// The number of schedules in the context: 0 in a fourth of the lessons, like
/// the first proposal of a search, and a few in half of the others.
static size_t drawCount(size_t max, std::mt19937_64 &dice) {
  constexpr size_t kFew = 4;
  if (max == 0 || dice() % 4 == 0)
    return 0;
  return 1 + dice() % (dice() % 2 ? max : std::min(max, kFew));
}

/// One half are likely proposals of a policy that has an approximate correction
/// of the cost model, and one half is random.
static std::vector<size_t> drawContext(const Task &task, size_t count,
                                       std::mt19937_64 &dice) {
  constexpr double kNoise = 0.1;
  double known = uniform(dice);
  std::vector<std::pair<double, size_t>> order;
  for (size_t at = 0; at < task.size(); ++at) {
    double estimate = task.readings[at].logEstimate;
    order.emplace_back(estimate + known * (task.logSeconds[at] - estimate) +
                           kNoise * uniform(dice),
                       at);
  }
  llvm::sort(order);
  std::vector<size_t> shown;
  for (const auto &[key, at] : ArrayRef(order).take_front((count + 1) / 2))
    shown.push_back(at);
  while (shown.size() < count)
    if (size_t at = dice() % task.size(); !llvm::is_contained(shown, at))
      shown.push_back(at);
  return shown;
}

/// The probability of reaching each state, given these times.
static std::vector<double> massesOf(Trie &trie, ArrayRef<double> minima) {
  std::vector<double> masses(trie.states());
  masses[trie.begin()] = 1;
  for (State state = 0; state < masses.size(); ++state)
    for (const Mask::Step &step : trie.next(state))
      masses[step.to] =
          masses[state] *
          exponentOf((minima[state] - minima[step.to]) / kWriterTau);
  return masses;
}

/// The states to train on: the most probable first, and some random ones, until
/// their words number `words`.
static std::vector<State> chosenStates(Trie &trie, ArrayRef<double> masses,
                                       size_t words, std::mt19937_64 &dice) {
  constexpr double kByChance = 0.02;
  std::vector<std::pair<double, State>> order;
  for (State state = 0; state < masses.size(); ++state)
    if (!trie.next(state).empty())
      order.emplace_back(-std::max(masses[state], kByChance * uniform(dice)),
                         state);
  llvm::sort(order);
  std::vector<State> chosen;
  size_t count = 0;
  for (const auto &[mass, state] : order) {
    if (count >= words)
      break;
    count += trie.next(state).size();
    chosen.push_back(state);
  }
  return chosen;
}

WritingLesson WriterTrainer::lessonOf(const Task &task,
                                      std::mt19937_64 &dice) const {
  assert(task.schedules.size() == task.size() && "expected schedules to write");
  size_t max = std::min<size_t>(options.context, task.size() / 4);
  size_t count = options.hasContext ? drawCount(max, dice) : 0;
  std::vector<size_t> shown = drawContext(task, count, dice);
  WordReader reader(language);
  std::vector<Tried> context;
  for (size_t at : shown)
    context.push_back({reader.whole(task.readings[at]), task.logSeconds[at]});
  // One schedule alone has no word to choose.
  std::vector<size_t> out =
      drawLeftOut(task, std::max<size_t>(task.size() / 4, 2) + count, dice);
  llvm::append_range(out, shown);
  WriterPool rest(task, out);
  Trie trie(language, rest.schedules, rest.readings);
  std::vector<double> minima = trie.softMinima(rest.logSeconds);
  std::vector<double> masses = massesOf(trie, minima);
  WritingLesson lesson;
  std::vector<Reading> words;
  for (State state :
       chosenStates(trie, masses, size_t(options.candidates), dice)) {
    lesson.groups.push_back(
        {words.size(), trie.next(state).size(), masses[state]});
    for (const Mask::Step &step : trie.next(state)) {
      words.push_back(reader.read(trie, state, step));
      lesson.softEstimates.push_back(words.back().logEstimate);
      lesson.softSeconds.push_back(minima[step.to]);
    }
  }
  lesson.batch = model.batchOf(context, words);
  return lesson;
}

std::vector<Reading> hone::wordsOf(const Task &task) {
  constexpr size_t kEvery = 7;
  Language language;
  WordReader reader(language);
  Trie trie(language, task.schedules, task.readings);
  std::vector<Reading> words;
  size_t count = 0;
  for (State state = 0; state < trie.states(); ++state)
    for (const Mask::Step &step : trie.next(state))
      if (count++ % kEvery == 0)
        words.push_back(reader.read(trie, state, step));
  return words;
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

double WriterTrainer::learn(const WritingLesson &lesson, Vector &gradient,
                            std::mt19937_64 &dice) const {
  return follow(
      lesson.batch, gradient, dice,
      [&](const Vector &residual, std::vector<double> &bySaid) {
        std::vector<double> said;
        for (auto [at, estimate] : llvm::enumerate(lesson.softEstimates))
          said.push_back(estimate + double(residual[at]));
        double loss =
            valueLoss(said, lesson.softSeconds, options.value, bySaid);
        for (const WritingLesson::Group &group : lesson.groups) {
          auto logitsOf = [&](ArrayRef<double> logSeconds) {
            std::vector<double> logits;
            for (double one : logSeconds.slice(group.first, group.size))
              logits.push_back(-one / kWriterTau);
            return logits;
          };
          Valued entropy = crossEntropy(
              logitsOf(said), softmaxOf(logitsOf(lesson.softSeconds)));
          double weight = options.listwise * group.weight;
          loss += weight * entropy.value;
          for (auto [at, slope] : llvm::enumerate(entropy.gradient))
            bySaid[group.first + at] -= weight * slope / kWriterTau;
        }
        return loss;
      });
}
