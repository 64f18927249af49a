//===- Mask.h - Legal next words --------------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most rows of numbers break a law. A mask lets a writer choose only between
// words from which a legal schedule can still be reached, so all its schedules
// are legal:
//
//   mask.begin()              nothing is written
//   mask.next(state)          the words that may follow, and where each leads;
//                             none if the schedule is complete
//   mask.ahead(state)         a summary of all schedules after this state
//   mask.written(state)       the schedule, where it is complete
//
// There is a state only where two or more words may follow: a single possible
// word is added without a choice.
//
//   kind=ws ws.side=a ...tile.0= 64 -> ...tile.1= 128 -> ... -> (complete)
//                                                 256 -> ... -> (complete)
//                               128 -> ... -> (complete)
//
// The schedules after a state are summarized by one of them, the *witness*,
// which is fastest by the cost model, and by the soft minimum of all estimates
//
//   soft minimum = - tau log (sum of exp(- log t / tau))
//
// so that exp(-(difference of two) / tau) is the probability of a word where
// schedules are drawn from softmax(-log t / tau).
//
// | mask      | the words that may follow                                  |
// |-----------|------------------------------------------------------------|
// | `Trie`    | those of a pool of schedules that are known to be legal:   |
// |           | exact, for spaces that can be listed                       |
// | `LawMask` | those for which a legal schedule is found (LawMask.h), of  |
// |           | spaces that cannot be listed                               |
// | `Loose`   | any that some schedule of the pool has in this place: it   |
// |           | may break laws, and is only for measuring the benefit of a |
// |           | mask                                                       |
//
// States are made on demand, and writers use only the functions above.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MODEL_MASK_H
#define HONE_MODEL_MASK_H

#include "hone/Model/Language.h"
#include "hone/Model/Reader.h"
#include <map>

namespace hone {

/// The temperature of the distribution that a writer begins with.
constexpr double kWriterTau = 0.03;

/// Smaller than each of them; the more there are, the smaller. Infinite for
/// none.
double softMinimum(llvm::ArrayRef<double> logSeconds);
/// e to a power, identical to the bit on every machine.
double exponentOf(double power);

class Mask {
public:
  using State = size_t;
  /// A word that may follow.
  struct Step {
    Word word;
    State to;
  };
  struct Ahead {
    double logSeconds = 0; ///< the soft minimum of the estimates
    double count = 0;      ///< of schedules, as far as known
    const Reading *witness = nullptr;
  };

  virtual ~Mask() = default;
  State begin() const { return 0; }
  /// In the order of their values.
  virtual llvm::ArrayRef<Step> next(State state) = 0;
  virtual Ahead ahead(State state) = 0;
  /// Prepares `ahead` of several states, in less time than one by one.
  virtual void lookAhead(llvm::ArrayRef<State>) {}
  virtual Schedule written(State state) = 0;
  /// The step with this word; nothing if it may not follow. A mask that lists
  /// only some of the words that may follow adds it to them.
  virtual std::optional<Step> follow(State state, Word word);
};

/// The schedules of a pool, by how they begin.
class Trie : public Mask {
public:
  /// At least one schedule. Both lists must outlive the trie; of equal
  /// schedules the first counts.
  Trie(const Language &language, llvm::ArrayRef<Schedule> pool,
       llvm::ArrayRef<Reading> readings);

  llvm::ArrayRef<Step> next(State state) override;
  Ahead ahead(State state) override;
  Schedule written(State state) override;

  size_t states() const { return nodes.size(); }
  /// Of a complete state, the place in the pool.
  size_t placeOf(State state) const { return nodes[state].witness; }
  /// By state, the soft minimum of the schedules after it, if schedules have
  /// these times.
  std::vector<double> softMinima(llvm::ArrayRef<double> logSeconds) const;

private:
  struct Node {
    size_t begin, end;           ///< in `order`: all schedules after it
    size_t first = 0, after = 0; ///< in `steps`
    size_t witness = 0;          ///< in the pool
  };
  void split(State state);

  llvm::ArrayRef<Schedule> pool;
  llvm::ArrayRef<Reading> readings;
  std::vector<Sentence> sentences; ///< by place in the pool
  std::vector<size_t> order;       ///< of the pool, by sentence
  std::vector<Node> nodes;         ///< parents before children
  std::vector<Step> steps;
  std::vector<double> minima; ///< of the estimates
};

/// No mask: every word that occurs in its place anywhere in the pool. A
/// schedule of the pool counts less for each word in which it differs from the
/// prefix.
class Loose : public Mask {
public:
  Loose(const Language &language, llvm::ArrayRef<Schedule> pool,
        llvm::ArrayRef<Reading> readings);

  llvm::ArrayRef<Step> next(State state) override;
  Ahead ahead(State state) override;
  Schedule written(State state) override;

private:
  struct Node {
    Sentence prefix;
    std::vector<double> logSeconds; ///< by place in the pool, with a penalty
    std::vector<Step> steps;
  };
  State add(const Node &from, Word word);

  const Language &language;
  llvm::ArrayRef<Schedule> pool;
  llvm::ArrayRef<Reading> readings;
  std::vector<Sentence> sentences;
  std::map<State, Node> nodes;
};

} // namespace hone

#endif // HONE_MODEL_MASK_H
