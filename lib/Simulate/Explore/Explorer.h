//===- Explorer.h - Every order of a cluster's events -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a state, any agent may take its next visible step, and any pending
// operation may complete. Invisible steps (arithmetic, branches, commits, waits
// for own engines that are done) are taken at once: they stay possible and
// affect no other agent, so orders that differ only in them count as one. The
// same holds for orders that differ in the completion of copies, products and
// stores, which only their own wait observes. They complete at that wait,
// because until then they can conflict with more accesses.
//
// A state is a fault if
//   - two agents could access the same bytes next, or one could access bytes
//     that an engine uses, and one of them writes;
//   - an engine reads unwritten bytes;
//   - nothing can happen, and an agent has not ended;
//   - the last agent of a block has ended, and an engine uses its memory.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_EXPLORER_H
#define HONE_LIB_SIMULATE_EXPLORER_H

#include "ExploreState.h"
#include "dialects/Kernel/KernelInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace hone::simulate {

/// The visibility of a step to other agents, from the effects of its op.
enum class Visibility : uint8_t {
  place,    ///< private: a place or a number
  hidden,   ///< private: registers, global memory, or an order of accesses
  commits,  ///< private: counts a group of operations
  waits,    ///< private once its groups are complete
  forGroup, ///< visible when the leader executes it, private for the others
  forAll,   ///< visible
};
Visibility visibilityOf(mlir::Operation *op);
/// The engine whose groups `op` commits or waits for, or none.
kernel::Engine engineOf(mlir::Operation *op);

class Explorer {
public:
  Explorer(const Program &program, const LaunchValues &launch,
           Exploration &result, int64_t maxStates,
           llvm::function_ref<void(int64_t)> progress);
  void run();

private:
  using Key = std::pair<uint64_t, uint64_t>;
  /// A state of the search, and the transitions left to try from it.
  struct Frame {
    ExploreState state;
    Key key;
    llvm::SmallVector<int> choices;
    size_t next = 0;
    double orders = 0;
  };

  // Explorer.cpp
  void search();
  ExploreState startState();
  void enter(std::vector<Frame> &path, ExploreState state);
  void leave(std::vector<Frame> &path);
  /// The next possible transitions: agents by number, then pending operations.
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
  bool takeInvisible(ExploreState &state, int agent, const Step &step);
  void commit(ExploreState &state, int agent);
  bool isOver(const ExploreState &state, int agent, mlir::Operation *op) const;

  // ExplorerTouches.cpp
  SlotPlace slotOf(const ExploreState &state, int agent, mlir::Value ring,
                   mlir::Value slot) const;
  llvm::SmallVector<int64_t, 4> blocksOf(const ExploreState &state, int agent,
                                         mlir::Value mask, int64_t count) const;
  llvm::SmallVector<int64_t, 4> receiversOf(const ExploreState &state,
                                            int agent, kernel::LoadOp op) const;
  Touches touchesOf(const ExploreState &state, int agent) const;
  Touches touchesOfLoad(const ExploreState &state, int agent,
                        kernel::LoadOp op) const;
  Touches touchesOfSum(const ExploreState &state, int agent,
                       kernel::PartialSumOp op) const;
  Ranges readsOf(const ExploreState &state, int agent,
                 mlir::Operation *op) const;
  Ranges writesOf(const ExploreState &state, int agent,
                  mlir::Operation *op) const;

  // ExplorerSteps.cpp
  bool isReady(const ExploreState &state, int agent) const;
  void act(ExploreState &state, int agent);
  std::optional<bool> meetOthers(ExploreState &state, int agent,
                                 const Step &step);
  void access(ExploreState &state, int agent, const Step &step);
  void initBarriers(ExploreState &state, int agent, kernel::BarriersInitOp op);
  void arriveAt(ExploreState &state, int agent, kernel::ArriveOp op);
  void complete(ExploreState &state, int index);
  void arrive(ExploreState &state, int agent, int block, int64_t at,
              int64_t bytes);
  void endPhase(PhaseState &barrier);
  void meet(ExploreState &state, int agent, int64_t id, int64_t wanted);
  void clusterArrive(ExploreState &state, int agent);
  void startLoad(ExploreState &state, int agent, kernel::LoadOp op);
  void start(ExploreState &state, UnderWay event);
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
  llvm::function_ref<void(int64_t)> progress;
  std::vector<Member> roster;
  std::vector<llvm::BitVector> live;
  /// Of each step; only those of events are used.
  std::vector<Visibility> visibility;
  std::vector<kernel::Engine> engines;
  /// The number of orders from a state to the end.
  llvm::DenseMap<Key, double> orders;
  bool stop = false;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_EXPLORER_H
