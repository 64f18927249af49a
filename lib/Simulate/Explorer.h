//===- Explorer.h - Every order of a cluster's events -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a moment, any agent may take its next visible step, and anything that is
// under way may complete. Steps that only the agent itself sees (arithmetic,
// branches, commits, waits for its own engines that are over) are taken at
// once: they stay possible and disturb nobody, so orders that differ only in
// them are one. So are orders that differ in when copies, products and stores
// complete, which only their own wait sees: they do at that wait, because until
// then they are in the way of more.
//
// Wrong is a moment in which
//   - two agents could touch the same bytes next, or one could touch bytes that
//     an engine is at, and one of them writes;
//   - an engine reads bytes that hold nothing;
//   - nothing can happen, and an agent has not ended;
//   - the last agent of a block has ended, and an engine is at its memory.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_EXPLORER_H
#define HONE_LIB_SIMULATE_EXPLORER_H

#include "ExploreState.h"
#include "llvm/ADT/DenseMap.h"

namespace hone::simulate {

class Explorer {
public:
  Explorer(const Program &program, const LaunchValues &launch,
           Exploration &result, int64_t maxStates);
  void run();

private:
  using Key = std::pair<uint64_t, uint64_t>;

  // Explorer.cpp
  void search();
  /// What can happen next: agents by number, then what is under way.
  llvm::SmallVector<int> enabled(const ExploreState &state) const;
  bool isAwaited(const ExploreState &state, const UnderWay &event) const;
  bool mayComplete(const ExploreState &state, size_t index) const;
  void checkConflicts(const ExploreState &state);
  void complain(const ExploreState &state, int agent, Fault fault,
                std::string text);
  Place placeOf(const ExploreState &state, int agent) const;

  // ExplorerSettle.cpp
  /// Takes invisible steps of `agent` until a visible one is next.
  void settle(ExploreState &state, int agent);
  bool takeInvisible(ExploreState &state, int agent, mlir::Operation *op);
  bool isOver(const ExploreState &state, int agent, mlir::Operation *op) const;

  // ExplorerSteps.cpp
  bool isReady(const ExploreState &state, int agent) const;
  Touches touchesOf(const ExploreState &state, int agent) const;
  void act(ExploreState &state, int agent);
  void complete(ExploreState &state, int index);
  void arrive(ExploreState &state, int agent, int block, int64_t at,
              int64_t bytes);
  void endPhase(PhaseState &barrier);
  void meet(ExploreState &state, int agent, int64_t id, int64_t wanted);
  void clusterArrive(ExploreState &state, int agent);
  llvm::SmallVector<int64_t, 4> blocksOf(const ExploreState &state, int agent,
                                         mlir::Value mask, int64_t count) const;
  llvm::SmallVector<int64_t, 4> receiversOf(const ExploreState &state,
                                            int agent, kernel::LoadOp op) const;
  void startLoad(ExploreState &state, int agent, kernel::LoadOp op);
  void start(ExploreState &state, UnderWay event);
  SlotPlace slotOf(const ExploreState &state, int agent, mlir::Value ring,
                   mlir::Value slot) const;
  int64_t number(const ExploreState &state, int agent,
                 mlir::Value value) const {
    return state.agents[agent].registers[program.registerOf(value)].number;
  }
  std::pair<int, int64_t> barrierOf(const ExploreState &state, int agent,
                                    int block, mlir::Value barriers,
                                    mlir::Value slot) const;

  const Program &program;
  const LaunchValues &launch;
  Exploration &result;
  int64_t maxStates;
  std::vector<Member> roster;
  std::vector<llvm::BitVector> live;
  /// Orders from a moment to the end.
  llvm::DenseMap<Key, double> orders;
  bool stop = false;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_EXPLORER_H
