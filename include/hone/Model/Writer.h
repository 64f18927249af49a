//===- Writer.h - Schedules, word by word -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A language model of schedules. It gives the probability of each next word,
// given the problem, the arch, the measured schedules, and the words so far:
//
//   Language language;
//   Trie mask(language, pool, readings);
//   Writer writer(networks, language, mask, context);
//   writer.likeliest(4)          the schedules it would write, the best first
//   writer.beams(8)              the fastest ones by its estimates, in a bounded
//                                time
//   writer.draw(dice)            a random one
//   writer.logOddsOf(schedule)   its probability: exact, not a sample
//
// A word is judged by the schedules after it. Their estimates have a soft
// minimum (Mask.h), and the network predicts its error:
//
//   log t(word) = soft minimum ahead + residual(word, words so far | measured)
//   odds        = softmax(- log t / tau) over the words that may follow
//
// With a residual of 0 the odds of a schedule, word times word, are those of
// softmax(-log estimate / tau) over all schedules: an untrained writer equals
// the cost model, and training corrects it. The network is that of Network.h. A
// word is one token, and so is each measured schedule of the context:
//
// | group             | numbers                                               |
// |-------------------|-------------------------------------------------------|
// | the witness       | all of its Reading: problem, arch, terms, decisions.  |
// |                   | Decisions up to this word are the written ones, the   |
// |                   | later ones are those of the cost model                |
// | `word.SLOT`       | 1 if this word fills the slot: its embedding          |
// | `value.SLOT`      | log2 of its value, so that values absent from the     |
// |                   | training lie between those in it                      |
// | `ahead.`          | how many schedules come after, and how much better or |
// |                   | worse their estimates are than those of other words   |
//
// The words so far need no attention, unlike those of a text: each slot occurs
// once and in its place, so they are numbers of the token.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MODEL_WRITER_H
#define HONE_MODEL_WRITER_H

#include "hone/Model/Ensemble.h"
#include "hone/Model/Mask.h"

namespace hone {

/// Reads a word as numbers.
class WordReader {
public:
  explicit WordReader(const Language &language) : language(language) {}

  /// The reading of `step` from `state`. Its estimate is the soft minimum.
  Reading read(Mask &mask, Mask::State state, const Mask::Step &step) const;
  /// The reading of a measured schedule.
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
  double logSeconds; ///< the value of its last word
};

class Writer {
public:
  /// `context` has readings of a Reader. All arguments but the context must
  /// outlive this. With `judges`, their correction of a witness is added to the
  /// estimate of a word, so that odds begin with the judges and not with the
  /// cost model.
  Writer(const Ensemble &networks, const Language &language, Mask &mask,
         llvm::ArrayRef<Tried> context, const Ensemble *judges = nullptr);

  /// Of each word that may follow, the logarithm of its probability.
  llvm::ArrayRef<double> logOdds(Mask::State state);
  /// Of a schedule; nothing if the mask has no words for it.
  std::optional<double> logOddsOf(const Schedule &schedule);

  /// At most `count`, the likeliest first. Expands the states of highest
  /// probability until no other schedule can be likelier.
  std::vector<Written> likeliest(size_t count);
  /// At most `width` schedules, for spaces without a list: word by word, the
  /// `width` prefixes with the shortest expected times are kept, of equal ones
  /// the likelier. The odds alone would drop a prefix that has many good
  /// continuations, because these share its odds.
  std::vector<Written> beams(size_t width);
  Written draw(std::mt19937_64 &dice);

private:
  struct Answer {
    std::vector<double> logSeconds, logOdds;
  };
  /// Judges the next words of several states at once.
  void ask(llvm::ArrayRef<Mask::State> states);
  const Answer &answerTo(Mask::State state);

  const Ensemble &networks;
  const Language &language;
  const WordReader reader;
  Mask &mask;
  const Ensemble *const judges;         ///< may be null
  std::vector<Tried> received, context; ///< as they are, and with words
  std::map<Mask::State, Answer> answers;
};

} // namespace hone

#endif // HONE_MODEL_WRITER_H
