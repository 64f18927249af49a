//===- OnlineWriter.cpp - Online training of a writing policy -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hone/Policy/Online.h.
//
//===----------------------------------------------------------------------===//

#include "OnlineKnown.h"
#include "hone/Model/Trace.h"
#include "hone/Policy/Objective.h"
#include "hone/Policy/WriterTrainer.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;
using State = Mask::State;

namespace {
class OnlineWriter : public Online {
public:
  OnlineWriter(Ensemble &writer, size_t at, OnlineOptions given,
               llvm::ArrayRef<Problem> problems, Evaluator &evaluator)
      : Online(writer, at, given, problems, evaluator,
               std::make_unique<WriterTrainer>(writer, at, given.train)),
        reader(language) {}

protected:
  void prepare(Known &known) override {
    known.mask.emplace(language, known.schedules, known.readings);
  }
  std::vector<size_t> draw(Known &known, size_t count) override;
  void reward(const Group &group, llvm::ArrayRef<double> advantages,
              Vector &gradient) override;

private:
  const Language language;
  const WordReader reader;
};

/// A state that draws passed through.
struct Visit {
  double count = 0;              ///< share of the draws
  std::map<State, double> given; ///< sum of advantages, by next state
};
} // namespace

std::vector<size_t> OnlineWriter::draw(Known &known, size_t count) {
  Ensemble alone = model;
  alone.networks = {network};
  Writer writer(alone, language, *known.mask, {});
  std::vector<size_t> draws;
  while (draws.size() < count)
    draws.push_back(known.mask->placeOf(writer.draw(dice).state));
  return draws;
}

/// Walks the states of a schedule's sentence, and the word taken in each.
static void visit(Trie &mask, const Sentence &sentence, double part,
                  double advantage, std::map<State, Visit> &visits) {
  State state = mask.begin();
  while (!mask.next(state).empty()) {
    auto taken = llvm::find_if(mask.next(state), [&](const Mask::Step &step) {
      return llvm::is_contained(sentence, step.word);
    });
    Visit &here = visits[state];
    here.count += part;
    state = taken->to;
    here.given[state] += advantage;
  }
}

void OnlineWriter::reward(const Group &group, llvm::ArrayRef<double> advantages,
                          Vector &gradient) {
  Known &known = *group.known;
  Trie &mask = *known.mask;
  std::map<State, Visit> visits;
  for (auto [at, advantage] : llvm::zip_equal(group.draws, advantages))
    visit(mask, language.spell(known.schedules[at]),
          1 / double(group.draws.size()), advantage, visits);
  std::vector<Reading> words;
  for (const auto &[state, here] : visits)
    for (const Mask::Step &step : mask.next(state))
      words.push_back(reader.read(mask, state, step));
  if (words.empty())
    return;
  Batch batch = model.batchOf({}, words);
  Network::Trace trace;
  Vector residual = network.forward(batch, trace, {});
  Vector old = before.forward(batch), by = Vector::Zero(residual.size());
  size_t first = 0;
  for (const auto &[state, here] : visits) {
    llvm::ArrayRef<Mask::Step> steps = mask.next(state);
    std::vector<double> logits, others;
    for (size_t at = first; at < first + steps.size(); ++at) {
      double estimate = words[at].logEstimate;
      logits.push_back(-(estimate + double(residual[at])) / kWriterTau);
      others.push_back(-(estimate + double(old[at])) / kWriterTau);
    }
    Valued away = divergence(logits, others);
    std::vector<double> probabilities = softmaxOf(logits);
    double given = 0;
    for (const auto &[to, worth] : here.given)
      given += worth;
    // By each logit: gradient of KL minus that of the gain.
    for (auto [at, step] : llvm::enumerate(steps)) {
      auto went = here.given.find(step.to);
      double gained = (went == here.given.end() ? 0 : went->second) -
                      given * probabilities[at];
      by[first + at] =
          float(-(options.divergence * here.count * away.gradient[at] -
                  options.policy * gained) /
                kWriterTau);
    }
    first += steps.size();
  }
  network.backward(trace, by, gradient);
}

std::unique_ptr<Online> hone::makeOnlineWriter(Ensemble &writer, size_t network,
                                               OnlineOptions options,
                                               llvm::ArrayRef<Problem> problems,
                                               Evaluator &evaluator) {
  return std::make_unique<OnlineWriter>(writer, network, std::move(options),
                                        problems, evaluator);
}
