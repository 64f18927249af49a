//===- Writer.h - Schedules, word by word -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A language model of schedules. It says how probable each next word is, given
// the problem, the arch, what was measured, and the words so far:
//
//   Language language;
//   Trie mask(language, pool, readings);
//   Writer writer(networks, language, mask, context);
//   writer.likeliest(4)          the schedules it would write, the best first
//   writer.draw(dice)            one by chance
//   writer.logOddsOf(schedule)   how probable it is: exact, not a sample
//
// A word is judged by what it leads to. Of everything that lies ahead the cost
// model has a soft minimum (Mask.h), and the network says how wrong that is:
//
//   log t(word) = soft minimum ahead + residual(word, words so far | measured)
//   odds        = softmax(- log t / tau) over the words that may follow
//
// With a residual of 0 the odds of a schedule, word times word, are those of
// softmax(-log estimate / tau) over all schedules: it begins as the cost model
// and learns where that is wrong. The network is that of Network.h. To it a
// word is one token, and so is each measured schedule of its context:
//
// | group             | numbers                                               |
// |-------------------|-------------------------------------------------------|
// | the witness       | all of its Reading: problem, arch, terms, decisions.  |
// |                   | Decisions up to this word are what was written, those |
// |                   | behind it what the cost model would write             |
// | `word.SLOT`       | 1 if this word fills the slot: its embedding          |
// | `value.SLOT`      | log2 of the value it has, so values that were never   |
// |                   | seen lie between those that were                      |
// | `ahead.`          | how many schedules lie ahead, and how much better or  |
// |                   | worse their estimates are than those of other words   |
//
// The words so far need no attention of their own, as a text's would: each slot
// stands once and in its place, so they are numbers of the token.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_WRITER_H
#define HONE_POLICY_WRITER_H

#include "hone/Policy/Ensemble.h"
#include "hone/Policy/Mask.h"

namespace hone {

/// What a writer reads of a word.
class WordReader {
public:
  explicit WordReader(const Language &language) : language(language) {}

  /// Of what `step` leads to from `state`. Its estimate is the soft minimum.
  Reading read(Mask &mask, Mask::State state, const Mask::Step &step) const;
  /// A schedule that was measured.
  Reading whole(const Reading &reading) const;

  static std::vector<std::string> names(Kinds kinds = allKinds());

private:
  const Language &language;
};

/// A schedule that was written.
struct Written {
  Schedule schedule;
  Mask::State state;
  double logOdds;    ///< how probable it was
  double logSeconds; ///< what its last word was judged by: its value
};

class Writer {
public:
  /// `context` are readings of a Reader. All but the context have to live as
  /// long.
  Writer(const Ensemble &networks, const Language &language, Mask &mask,
         llvm::ArrayRef<Tried> context);

  /// Of each word that may follow, the logarithm of its probability.
  llvm::ArrayRef<double> logOdds(Mask::State state);
  /// Of a schedule; nothing if the mask has no words for it.
  std::optional<double> logOddsOf(const Schedule &schedule);

  /// At most `count`, the likeliest first. Words are asked for where most
  /// probability lies until no other schedule can be likelier.
  std::vector<Written> likeliest(size_t count);
  Written draw(std::mt19937_64 &dice);

private:
  struct Answer {
    std::vector<double> logSeconds, logOdds;
  };
  /// Asks about the words behind several states at once.
  void ask(llvm::ArrayRef<Mask::State> states);
  const Answer &answerTo(Mask::State state);

  const Ensemble &networks;
  const Language &language;
  const WordReader reader;
  Mask &mask;
  std::vector<Tried> context;
  std::map<Mask::State, Answer> answers;
};

} // namespace hone

#endif // HONE_POLICY_WRITER_H
