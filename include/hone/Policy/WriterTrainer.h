//===- WriterTrainer.h - How a writer learns --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task has the time of every schedule, so for every prefix it is known how
// good what lies ahead is, and for every word how probable it should be: the
// soft minimum of the times ahead of it, beside those of the other words. The
// trie of a task is its lesson:
//
//   of a state   cross entropy between the odds of the words that may follow,
//                as they are and as they should be
//   of all       the sum over states, each by the probability with which it
//                should be reached: the cross entropy over whole schedules,
//                which is what a language model is trained for
//   of a word    the squared error of what the writer thinks lies ahead, as
//                other networks learn times (Trainer.h)
//
// States that should hardly be reached add hardly anything. The likeliest of
// them and some by luck are asked for, `candidates` words or so.
//
// As in a search, some schedules of the task are shown with their times, and
// may not be written again.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_WRITERTRAINER_H
#define HONE_POLICY_WRITERTRAINER_H

#include "hone/Policy/Trainer.h"
#include "hone/Policy/Writer.h"

namespace hone {

/// What is asked of a writer at once, and what is right.
struct WritingLesson {
  Batch batch; ///< a candidate is a word
  std::vector<double> softEstimates, softSeconds;
  /// Words that may follow one state: the first, how many, and how probable the
  /// state should be.
  struct Group {
    size_t first, size;
    double weight;
  };
  std::vector<Group> groups;
};

class WriterTrainer : public Trainer {
public:
  /// `writer` has to live as long. Schedules of tasks are of `kinds`.
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

/// By task: best time over that of the best of the first `k` that are written,
/// hearing of each before the next where `hears`.
std::vector<double> replayWriter(const Ensemble &writer,
                                 llvm::ArrayRef<Task> tasks, size_t k,
                                 bool hears);

/// What becomes of drawing until `k` schedules of each task have a time.
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
