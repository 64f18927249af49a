//===- Mask.h - Which words may follow --------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most rows of numbers break a law. A mask lets a writer choose only between
// words from which a legal schedule can still be reached, so whatever it writes
// is legal:
//
//   mask.begin()              nothing is written
//   mask.next(state)          the words that may follow, and where each leads;
//                             none where the schedule is complete
//   mask.ahead(state)         what is known of everything that lies ahead
//   mask.written(state)       the schedule, where it is complete
//
// A word that follows by itself is not asked for: only where two or more may
// stand, there is a state.
//
//   kind=ws ws.side=a ...tile.0= 64 -> ...tile.1= 128 -> ... -> (complete)
//                                                 256 -> ... -> (complete)
//                               128 -> ... -> (complete)
//
// What lies ahead of a state is told as one of it, the *witness* that the cost
// model takes for the fastest, and by the soft minimum of all estimates
//
//   soft minimum = - tau log (sum of exp(- log t / tau))
//
// so that exp(-(difference of two) / tau) is the probability of a word where
// schedules are drawn from softmax(-log t / tau).
//
// | mask    | the words that may follow                                    |
// |---------|--------------------------------------------------------------|
// | `Trie`  | those of a pool of schedules that are known to be legal:     |
// |         | exact, for spaces that can be listed                         |
// | `Loose` | any that some schedule of the pool has in this place: breaks |
// |         | laws, and is there to say what a mask is worth               |
//
// A space that can not be listed needs neither the list nor all that lies ahead
// of a state, but a search for one legal schedule that begins with a prefix: a
// witness is a proof that a word may follow. It would be another mask here;
// states are made when somebody asks, and writers see no more than the above.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_MASK_H
#define HONE_POLICY_MASK_H

#include "hone/Policy/Language.h"
#include "hone/Policy/Reader.h"
#include <map>

namespace hone {

/// Of the distribution over schedules that a writer begins with.
constexpr double kWriterTau = 0.03;

/// Less than each of them, by more the more there are. Infinite for none.
double softMinimum(llvm::ArrayRef<double> logSeconds);
/// e to a power, the same to the bit on every machine.
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
  virtual Schedule written(State state) = 0;
};

/// The schedules of a pool, by how they begin.
class Trie : public Mask {
public:
  /// One schedule or more. Both lists have to live as long; of equal schedules
  /// the first counts.
  Trie(const Language &language, llvm::ArrayRef<Schedule> pool,
       llvm::ArrayRef<Reading> readings);

  llvm::ArrayRef<Step> next(State state) override;
  Ahead ahead(State state) override;
  Schedule written(State state) override;

  size_t states() const { return nodes.size(); }
  /// Of a complete state, the place in the pool.
  size_t placeOf(State state) const { return nodes[state].witness; }
  /// By state, the soft minimum of what lies ahead of it, where schedules have
  /// these times.
  std::vector<double> softMinima(llvm::ArrayRef<double> logSeconds) const;

private:
  struct Node {
    size_t begin, end;            ///< in `order`: all that lies ahead
    size_t first = 0, behind = 0; ///< in `steps`
    size_t witness = 0;           ///< in the pool
  };
  void split(State state);

  llvm::ArrayRef<Schedule> pool;
  llvm::ArrayRef<Reading> readings;
  std::vector<Sentence> sentences; ///< by place in the pool
  std::vector<size_t> order;       ///< of the pool, by sentence
  std::vector<Node> nodes;         ///< whatever lies ahead stands behind
  std::vector<Step> steps;
  std::vector<double> minima; ///< of the estimates
};

/// No mask: every word that is somewhere in its place. Schedules of the pool
/// count the less, the more words of a prefix they have otherwise.
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

#endif // HONE_POLICY_MASK_H
