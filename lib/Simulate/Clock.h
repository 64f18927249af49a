//===- Clock.h - What is certain to be past ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector clock has a number for each *line of events*: what one agent does,
// the phases of one barrier, the copies of one thread, the products of one
// group. Number n of a line means that its events up to the n-th are certain to
// be past. An event is a line and its number there, an epoch, and is past to
// whoever has that number or a higher one.
//
//   agent A    write x; arrive (publishes {A: 1})             epoch of x: A 1
//   agent B    wait (joins {A: 1});  read x       B has A: 1, so x is past
//
// What is under way ends in order within its line, so an engine needs no clock:
// the epoch of a load is the phase that its bytes count for.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_CLOCK_H
#define HONE_LIB_SIMULATE_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hone::simulate {

using Line = int;

struct Epoch {
  Line line = 0;
  uint32_t number = 0; ///< 0: before everything
};

class Clock {
public:
  uint32_t at(Line line) const {
    return size_t(line) < numbers.size() ? numbers[line] : 0;
  }
  bool knows(Epoch epoch) const { return at(epoch.line) >= epoch.number; }
  /// `epoch` and what came before it in its line are past.
  void learn(Epoch epoch) {
    if (size_t(epoch.line) >= numbers.size())
      numbers.resize(epoch.line + 1);
    uint32_t &number = numbers[epoch.line];
    number = std::max(number, epoch.number);
  }
  void join(const Clock &other) {
    if (other.numbers.size() > numbers.size())
      numbers.resize(other.numbers.size());
    uint32_t *own = numbers.data();
    const uint32_t *others = other.numbers.data();
    for (size_t i = 0, end = other.numbers.size(); i < end; ++i)
      own[i] = std::max(own[i], others[i]);
  }

  /// Nothing is past; the memory is kept.
  void clear() { numbers.clear(); }

private:
  std::vector<uint32_t> numbers;
};

/// What an agent knows. That something is past does not make what it wrote
/// visible: who sees that a load has landed knows that whoever asked for it had
/// waited for a free slot before, but sees nothing that one has written.
///
///   | clock  | what is certain of its events | asked for                      |
///   |--------|-------------------------------|--------------------------------|
///   | past   | they are over                 | before bytes are overwritten,  |
///   |        |                               | and by the rules of barriers   |
///   | seen   | what they wrote is visible to | before bytes are read          |
///   |        | threads                       |                                |
///   | fenced | what threads wrote is visible | before an engine reads or      |
///   |        | to engines: they have fenced  | overwrites                     |
struct Knowledge {
  Clock past, seen, fenced;

  void learn(Epoch epoch) {
    past.learn(epoch);
    seen.learn(epoch);
  }
  void join(const Knowledge &other) {
    past.join(other.past);
    seen.join(other.seen);
    fenced.join(other.fenced);
  }
  void clear() {
    past.clear();
    seen.clear();
    fenced.clear();
  }
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_CLOCK_H
