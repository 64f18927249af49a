//===- Recorder.h - Virtual times of a run's events -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine calls this around its events. The clocks say what an event waits
// for: each epoch that an agent learns in it has a time, of the agent that was
// there, or of an engine.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_RECORDER_H
#define HONE_LIB_SIMULATE_RECORDER_H

#include "Clock.h"
#include "hone/Simulate/Timeline.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>
#include <vector>

namespace hone::simulate {

class Timeline::Recorder {
public:
  /// The cluster that was run has ended. The lines of the next are new, and
  /// all clusters begin at 0.
  void finishCluster();
  void addAgent(int agent, int64_t block, std::string name);

  /// An event of an agent is tried, as number `now` of its line.
  void begin(int agent, uint32_t now);
  /// The event is over; `past` is the agent's knowledge after it. `at` is the
  /// place of the barrier that it waited for, if there is one.
  void done(int agent, llvm::StringRef op, const std::string &at,
            std::vector<int64_t> steps, const Clock &past);

  /// The agent's event counts for a phase.
  void arrive(int agent, Epoch end, int64_t block, const std::string &barrier);
  /// The agent's load does; it fills a slot of a block.
  void load(int agent, Epoch end, int64_t block, const std::string &slot);
  /// The agent uses a slot, or its products do until they are over.
  void touch(int agent, int64_t block, const std::string &slot, bool isProduct);
  /// A product starts in the group with this line.
  void product(Line line) { ++products[line]; }
  void commitProducts(int agent, Epoch group);
  /// The agent commits a group of stores or copies; it has a number in each of
  /// these lines.
  void commit(int agent, llvm::StringRef what, llvm::ArrayRef<Line> lines,
              uint32_t number);

  std::string json();
  std::vector<Wait> waits() const;
  int64_t length() const { return end; }

private:
  struct Slice {
    int64_t block;
    std::string track, name;
    int64_t start, length;
    std::vector<int64_t> steps;
  };
  struct AgentState {
    int64_t block = 0, time = 0, begun = 0;
    std::string name, role; ///< no role: a follower
    Clock known;
  };
  struct Use {
    int64_t filled = 0, last = 0;
  };
  int64_t timeOf(Epoch epoch) const;
  void set(Epoch epoch, int64_t time);
  void addWait(const AgentState &state, const std::string &what);
  void separateOverlaps();
  void emptySlot(int64_t block, const std::string &slot, const Use &use);

  std::map<int, AgentState> agents;
  /// By line and number.
  std::map<Line, std::vector<int64_t>> times;
  std::map<Line, std::pair<int64_t, std::string>> barriers;
  std::map<Line, int64_t> products; ///< started, not committed
  std::map<std::pair<int64_t, std::string>, Use> uses;
  /// Ticks of all events, by role; waits, by role and event.
  std::map<std::string, int64_t> busy;
  std::map<std::pair<std::string, std::string>, Wait> waited;
  int64_t end = 0;
  std::map<int64_t, int64_t> engines; ///< by block: free from then on
  std::map<Line, int64_t> groupEngines;
  std::vector<Slice> slices;
  std::vector<std::pair<int64_t, std::string>> tracks;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_RECORDER_H
