//===- Clock.h - Events that are certain to be past -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector clock has a number for each *line of events*: the actions of one
// agent, the phases of one barrier, the copies of one thread, the products of
// one group. Number n of a line means that its events up to the n-th are
// certain to be past. An event is a line and its number there, an epoch. It is
// past for every agent with that number or a higher one.
//
//   agent A    write x; arrive (publishes {A: 1})             epoch of x: A 1
//   agent B    wait (joins {A: 1});  read x       B has A: 1, so x is past
//
// Pending operations complete in order within their line, so an engine needs no
// clock: the epoch of a load is the phase that counts its bytes.
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
  bool includes(Epoch epoch) const { return at(epoch.line) >= epoch.number; }
  /// `epoch` and all earlier events of its line are past.
  void learn(Epoch epoch) {
    if (size_t(epoch.line) >= numbers.size())
      numbers.resize(epoch.line + 1);
    uint32_t &number = numbers[epoch.line];
    number = std::max(number, epoch.number);
  }
  void join(const Clock &other) {
    if (numbers.empty()) {
      numbers = other.numbers;
      return;
    }
    if (other.numbers.size() > numbers.size())
      numbers.resize(other.numbers.size());
    uint32_t *own = numbers.data();
    const uint32_t *others = other.numbers.data();
    for (size_t i = 0, end = other.numbers.size(); i < end; ++i)
      own[i] = std::max(own[i], others[i]);
  }

  /// No event is past; the memory is kept.
  void clear() { numbers.clear(); }

private:
  std::vector<uint32_t> numbers;
};

/// The knowledge of an agent. A past event does not make its writes visible: if
/// an agent has observed the arrival of a load, the wait for a free slot by the
/// thread that issued the load is past, but that thread's writes are not
/// visible.
///
///   | clock  | certain property of its events | checked                      |
///   |--------|--------------------------------|------------------------------|
///   | past   | they are over                  | before bytes are overwritten |
///   |        |                                | and by the rules of barriers |
///   | seen   | their writes are visible to    | before bytes are read        |
///   |        | threads                        |                              |
///   | fenced | threads' writes are visible to | before an engine reads or    |
///   |        | engines: they have fenced      | overwrites                   |
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
