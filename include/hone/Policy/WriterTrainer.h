//===- WriterTrainer.h - Training of a writer -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task has the time of every schedule, so the correct probability of every
// word is known: it follows from the soft minimum of the times of all schedules
// after the word, compared with those of the other words. The trie of a task is
// its lesson:
//
//   of a state   cross entropy between the actual and the correct odds of the
//                words that may follow
//   of all       the sum over states, each weighted with its correct
//                probability: the cross entropy over whole schedules, the usual
//                objective of a language model
//   of a word    the squared error of the predicted soft minimum, as other
//                networks learn times (Trainer.h)
//
// States of low probability add little. A lesson has the likeliest states and
// some random ones, about `candidates` words in all.
//
// As in a search, some schedules of the task are shown with their times, and
// may not be written again.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_WRITERTRAINER_H
#define HONE_POLICY_WRITERTRAINER_H

#include "hone/Model/Writer.h"
#include "hone/Policy/Trainer.h"

namespace hone {

/// A batch for a writer, and the correct results.
struct WritingLesson {
  Batch batch; ///< a candidate is a word
  std::vector<double> softEstimates, softSeconds;
  /// Words that may follow one state: the first, their number, and the correct
  /// probability of the state.
  struct Group {
    size_t first, size;
    double weight;
  };
  std::vector<Group> groups;
};

class WriterTrainer : public Trainer {
public:
  /// `writer` must outlive this. Schedules of tasks are of `kinds`.
  WriterTrainer(Ensemble &writer, size_t at, TrainOptions options,
                Kinds kinds = allKinds());

  double teach(const Task &task, Vector &gradient,
               std::mt19937_64 &dice) const override;

  WritingLesson lessonOf(const Task &task, std::mt19937_64 &dice) const;
  /// The loss of one lesson; adds to `gradient`.
  double learn(const WritingLesson &lesson, Vector &gradient,
               std::mt19937_64 &dice) const;

private:
  Language language;
};

/// Some words that may follow somewhere in the task, for Ensemble::normalizeBy.
std::vector<Reading> wordsOf(const Task &task);

/// By task: best time over that of the best of the first `k` written schedules.
/// With results, the writer receives each one before it writes the next.
std::vector<double> replayWriter(const Ensemble &writer,
                                 llvm::ArrayRef<Task> tasks, size_t k,
                                 bool withResults);

/// The result of drawing until `k` schedules of each task have a time.
struct Draws {
  size_t drawn = 0;
  size_t illegal = 0;         ///< break a law
  size_t unknown = 0;         ///< break none, but have no time
  std::vector<double> ratios; ///< of the best, by task
};
Draws drawFrom(const Ensemble &writer, llvm::ArrayRef<Task> tasks,
               const Arch &arch, size_t k, bool hasMask, uint64_t seed);

} // namespace hone

#endif // HONE_POLICY_WRITERTRAINER_H
