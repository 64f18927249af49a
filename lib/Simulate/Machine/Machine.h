//===- Machine.h - A cluster of blocks, run with clocks ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the agents of one cluster in turns, each until it waits, and checks
// their actions with clocks (Simulate.h has the rules, Clock.h and Barrier.h
// the parts). Clusters share nothing but global memory and run one after the
// other, unless they meet at counters.
//
// Lines of events, in addition to one for each agent:
//
//   | line             | its events, in order            | past after         |
//   |------------------|---------------------------------|--------------------|
//   | phases of each   | ends of phases, and of the      | kernel.await       |
//   | PhaseBarrier     | loads that they count           |                    |
//   | meetings         | meetings                        | the barrier        |
//   | copies of an     | groups of kernel.copy           | kernel.copy.wait   |
//   | agent            |                                 |                    |
//   | products of a    | groups of kernel.mma.async      | kernel.mma.wait    |
//   | group            |                                 |                    |
//   | stores of an     | groups of kernel.store.async,   | kernel.store.wait  |
//   | agent, two lines | read and written                |                    |
//   | the dependence   | one: the end of earlier kernels | kernel.depend.wait |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_MACHINE_H
#define HONE_LIB_SIMULATE_MACHINE_H

#include "../Roster.h"
#include "Footprint.h"
#include "Recorder.h"
#include "Shadow.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace hone::simulate {

class Values;
struct Tile;

/// Global memory as far as the protocol needs it: the written elements of C,
/// and the bytes of the workspace that copying kernels have written.
class Output {
public:
  Output(const LaunchValues &launch, int64_t m, int64_t n);

  /// Writes `rows` x `cols` elements at `element` of C. Returns the event that
  /// has written one of them before, or -1.
  int write(int64_t element, int64_t rows, int64_t cols, int64_t stride,
            int event);
  /// An element of C that was never written, as (batch, row, column).
  std::optional<std::array<int64_t, 3>> missing() const;

  /// Marks bytes of the workspace as written; false if some already are.
  bool fill(int64_t address, int64_t bytes);
  /// True if all of these bytes are written, or one of them.
  bool isFilled(int64_t address, int64_t bytes) const;
  bool hasFilled(int64_t address, int64_t bytes) const;

private:
  const OperandRegion &c, &workspace;
  /// Bytes of the workspace.
  std::vector<bool> filled;
  int64_t m, n;
  std::vector<int32_t> writers; ///< event + 1
};

struct Agent : Member {
  size_t at = 0;
  enum State { running, waiting, ended } state = running;
  /// The barrier at which it waits, and the phase.
  const void *barrier = nullptr;
  int64_t awaited = 0;

  std::vector<Register> registers;
  std::vector<std::shared_ptr<Tile>> tiles;
  std::vector<uint32_t> counts; ///< executions of each step
  Knowledge knowledge;
  uint32_t now = 1; ///< number of its next event in its own line

  Line copies, storesRead, storesWritten;
  uint32_t copyGroups = 0, storeGroups = 0, productGroups = 0;
  /// The number of its events, and of its last fence of accumulators.
  uint32_t order = 0, lastMmaFence = 0;
  /// Meetings of the cluster that it has arrived at but not yet waited for.
  std::optional<int64_t> clusterPhase;
};

struct Group {
  std::vector<int> agents;
  Line products;
  /// By group of products: the reads of threads before they passed rows to one
  /// of them. No product completes before all warps have passed their rows.
  std::map<uint32_t, Clock> fetched;
};

struct BlockState {
  Shadow shadow;
  std::map<int64_t, PhaseBarrier> barriers;
  std::vector<ByteRange> barrierBytes;
  std::map<int64_t, MeetingBarrier> meetings;
  /// By line, the last access of another block, or of an engine, to this
  /// block's memory.
  llvm::MapVector<Line, std::pair<uint32_t, int>> outstanding;
  Clock atEnd;
};

/// The number in the register of a fragment read from unwritten memory.
constexpr int64_t kNeverWritten = 1;

/// The source of an op that copies lines, and its one or two targets.
struct CopiedLines {
  Register source;
  int64_t size; ///< bytes of an element
  llvm::SmallVector<Register, 2> targets;
};

/// One executed access or wait, for messages.
struct Event {
  int step, role, group;
  int64_t grid;
  bool isLeader;
  size_t loops; ///< the first one of its numbers in Machine::loops
};

class Machine {
public:
  Machine(const Program &program, const LaunchValues &launch, Output &output,
          Verdict &verdict, const SimulateOptions &options, Values *values);

  /// Runs the clusters, one by one if they do not wait for each other, up to
  /// the first one with a finding.
  void runAll();
  /// Reports elements that were never written.
  void finish();

private:
  friend class ValuesOfAgent;

  //===--------------------------------------------------------------------===//
  // The frame (Machine.cpp)
  //===--------------------------------------------------------------------===//
  void makeAgents(int64_t first, int64_t count);
  /// Runs all agents of `count` clusters to their end or to a deadlock.
  void runClusters(int64_t first, int64_t count);
  void runAgent(Agent &agent);
  /// Takes one step. False if the agent waits or has ended.
  bool step(Agent &agent);
  // Steps of a kind; those that return false end the agent's turn.
  bool compute(Agent &agent, const Step &step);
  void move(Agent &agent, const Step &step);
  bool happen(Agent &agent, const Step &step);
  /// Adds the cost of a step. False if that exceeds the limit of a proof.
  bool spend(Agent &agent, const Step &step);
  void end(Agent &agent);
  void checkEnds();
  void checkDependence();
  void checkCounters();
  void reportStuck();
  std::pair<Fault, std::string> describeWait(const Agent &agent) const;
  int event(const Agent &agent);
  Place placeOf(int event) const;
  void complain(const Agent &agent, Fault fault, std::string text,
                int other = -1);
  auto complaints(Agent &agent) {
    return [this, &agent](Fault fault, std::string text, int other) {
      complain(agent, fault, std::move(text), other);
    };
  }
  bool isScopeLeader(const Agent &agent) const;
  uint64_t instanceOf(const Agent &agent) const;
  /// The agent's next event, which happens now.
  Epoch nowOf(const Agent &agent) const { return {agent.number, agent.now}; }
  /// Makes the agent's earlier events known to the receivers of its knowledge.
  void release(Agent &agent);
  /// The agent waits; the waking agent executes the step.
  void wait(Agent &agent, const void *barrier, int64_t what);
  void goOn(Agent &agent);

  //===--------------------------------------------------------------------===//
  // The timeline (MachineTimeline.cpp), if one is recorded
  //===--------------------------------------------------------------------===//
  void recordAgents();
  /// The agent's event is over.
  void recordEvent(const Agent &agent);
  void recordArrival(const Agent &agent, int block, mlir::Value barriers,
                     mlir::Value slot, Epoch end, bool isLoad);
  void recordSlot(const Agent &agent, mlir::Value ring, int64_t index);
  /// The agent commits products, stores or copies.
  void recordCommit(const Agent &agent, mlir::Operation *op);

  //===--------------------------------------------------------------------===//
  // Events (MachineSync.cpp, MachineMemory.cpp, MachineProducts.cpp)
  //===--------------------------------------------------------------------===//
  bool run(Agent &agent, mlir::Operation *op);
  void checkPlace(Agent &agent, mlir::Operation *op);
  std::optional<bool> mayWait(Agent &agent, mlir::Operation *op);
  bool signal(Agent &agent, mlir::Operation *op);
  bool transfer(Agent &agent, mlir::Operation *op);
  bool multiply(Agent &agent, mlir::Operation *op);
  bool passSums(Agent &agent, mlir::Operation *op);
  void init(Agent &agent, kernel::BarriersInitOp op);
  PhaseBarrier *barrierAt(Agent &agent, int block, mlir::Value barriers,
                          mlir::Value slot);
  bool await(Agent &agent, kernel::AwaitOp op);
  void finishPhase(PhaseBarrier &barrier);
  void arrive(Agent &agent, kernel::ArriveOp op);
  void arriveAt(Agent &agent, int block, kernel::ArriveOp op);
  /// The blocks whose sums are added.
  llvm::SmallVector<int, 4> sharersOf(Agent &agent, kernel::PartialSumOp op);
  /// The ranks of a mask or, without one, of a number of blocks; none where not
  /// all of them exist.
  llvm::SmallVector<int64_t, 4> blocksOf(Agent &agent, mlir::Value mask,
                                         int64_t count);
  void expect(Agent &agent, kernel::ExpectOp op);
  bool meet(Agent &agent, int64_t id, int64_t wanted);
  MeetingBarrier &clusterOf(const Agent &agent) {
    return clusters[agent.block / launch.cluster];
  }
  /// Block `rank` of the agent's cluster.
  int blockOf(const Agent &agent, int64_t rank) const {
    return agent.block - agent.block % launch.cluster + rank;
  }
  CounterBarrier &counterAt(Agent &agent, mlir::Value counters,
                            mlir::Value index);
  void countArrive(Agent &agent, kernel::CountArriveOp op);
  bool countAwait(Agent &agent, kernel::CountAwaitOp op);
  void countLeave(Agent &agent, kernel::CountLeaveOp op);
  void finishMeeting(MeetingBarrier &meeting);
  void clusterArrive(Agent &agent);
  bool clusterWait(Agent &agent);
  void commitProducts(Agent &agent);
  bool waitForProducts(Agent &agent, kernel::MmaWaitOp op);
  bool finishProducts(Agent &agent, kernel::MmaWaitOp op);
  void waitForStores(Agent &agent, kernel::StoreWaitOp op);

  int64_t number(const Agent &agent, mlir::Value value) const {
    return agent.registers[program.registerOf(value)].number;
  }
  /// The slot of a ring, or nothing if there is none.
  std::optional<SlotPlace> slot(Agent &agent, mlir::Value ring,
                                mlir::Value slot);
  bool inShared(Agent &agent, ByteRange range);
  void readShared(Agent &agent, int block, llvm::ArrayRef<ByteRange> ranges,
                  Access access);
  void writeShared(Agent &agent, int block, llvm::ArrayRef<ByteRange> ranges,
                   Access access);
  Access byThreads(Agent &agent);
  void touchGlobal(Agent &agent);
  /// Lines and columns of a slot of sums, as ranges of the workspace.
  Ranges sumsRanges(Agent &agent, mlir::Value sums, int64_t slot, int64_t line,
                    int64_t lines, int64_t column, int64_t columns);
  void stage(Agent &agent, mlir::Operation *op);
  void writeSums(Agent &agent, llvm::ArrayRef<ByteRange> ranges);
  void putPartial(Agent &agent, kernel::PartialPutOp op);
  void sumPartials(Agent &agent, kernel::PartialSumOp op);
  void putSums(Agent &agent, kernel::SumsPutOp op);
  void totalSums(Agent &agent, kernel::SumsTotalOp op);
  void useAccumulators(Agent &agent, mlir::Operation *op);
  void expectSums(Agent &agent, int64_t held);
  /// The tensor cores add up `added` more elements of k, to a sum of `before`.
  /// Returns the new number.
  int64_t countProducts(Agent &agent, int64_t before, int64_t added);
  void multiplyFragments(Agent &agent, kernel::MmaOp op);

  void readFragment(Agent &agent, kernel::ReadOp op);
  template <typename OpT>
  void checkWindow(Agent &agent, OpT op);
  void load(Agent &agent, kernel::LoadOp op);
  void prefetch(Agent &agent, kernel::PrefetchOp op);
  template <typename OpT>
  std::optional<int64_t> partOf(Agent &agent, OpT op);
  /// The blocks that receive a load.
  llvm::SmallVector<int, 4> receiversOf(Agent &agent, kernel::LoadOp op);
  void storeAsync(Agent &agent, kernel::StoreAsyncOp op);
  Epoch productOf(const Agent &agent) const;
  void readByProduct(Agent &agent, mlir::Value ring, mlir::Value index,
                     int64_t step, bool transposed, int64_t first, int64_t rows,
                     int here);
  template <typename OpT>
  void startProduct(Agent &agent, OpT op, int here);
  void mmaAsync(Agent &agent, kernel::MmaAsyncOp op);
  void mmaFetched(Agent &agent, kernel::MmaFetchedOp op);
  void split(Agent &agent, kernel::SplitOp op);
  void fillFragment(Agent &agent, mlir::Value fragment, int64_t state);
  void expectWritten(Agent &agent, mlir::Value fragment);
  void copy(Agent &agent, kernel::CopyOp op);
  void store(Agent &agent, kernel::StoreOp op);
  void storeLines(Agent &agent, kernel::StoreLinesOp op);
  void copyLines(Agent &agent, kernel::CopyLinesOp op);
  void transposeLines(Agent &agent, kernel::TransposeLinesOp op);
  template <typename Op>
  std::optional<CopiedLines> copiedLines(Agent &agent, Op op);
  bool readsLine(Agent &agent, const Register &source, int64_t line,
                 int64_t column, int64_t count, int64_t size);
  void fillPieces(Agent &agent, int64_t to, int64_t bytes);
  void checkFilled(Agent &agent, kernel::LoadOp op, int64_t part);
  void checkOperands(Agent &agent, kernel::EpilogueOp op);
  void checkAlignment(Agent &agent, mlir::Value matrix);
  void checkCopyBounds(Agent &agent, kernel::CopyOp op);
  void checkIndexedLines(Agent &agent, kernel::CopyOp op);
  void writeResult(Agent &agent, int64_t address, int64_t rows, int64_t cols,
                   int64_t stride);
  void countRound(const void *op, int64_t block, int64_t slot);

  const Program &program;
  const LaunchValues &launch;
  Output &output;
  Verdict &verdict;
  Timeline::Recorder *recorder; ///< or null
  const size_t maxFindings;
  const int64_t maxWork;
  bool isSpent = false;
  Values *values;
  /// The cost of each step; only where numbers are computed.
  std::vector<int64_t> costs;

  std::vector<Agent> agents;
  std::vector<Group> groups;
  std::vector<BlockState> blocks;
  std::vector<MeetingBarrier> clusters;
  /// Agents of one cluster.
  int64_t perCluster = 0;
  std::map<int64_t, CounterBarrier> counters;
  Shadow workspace;
  Line depended = 0;
  Line lines = 0;
  std::vector<Event> events;
  std::vector<int32_t> loops; ///< iterations of the loops around events
  /// The number of times that each op has filled each slot of each block.
  std::map<std::tuple<const void *, int64_t, int64_t>, int64_t> rounds;
  llvm::DenseSet<std::tuple<int, const void *, const void *>> known;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_MACHINE_H
