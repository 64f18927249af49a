//===- Simulate.h - Kernels on the CPU, proven and computed -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs kernel IR without a GPU and decides whether its barriers are correct in
// every order in which a GPU may run it, and whether its results are correct.
//
// **Agents.** Every op of kernel IR is one hardware event, so a kernel is a
// handful of *agents* and their events. All threads of a group act alike,
// except the leader, the thread that executes the ops of a single thread. So
// each group has two agents, and engines are agents as well:
//
//   | agent    | threads                       | does                         |
//   |----------|-------------------------------|------------------------------|
//   | leader   | the first of a group or block | all ops, including those of  |
//   |          |                               | one thread on behalf of all  |
//   | follower | all others                    | the ops of every thread      |
//   | engine   | copies, products and stores   | reads and writes memory some |
//   |          | in flight                     | time after they were issued  |
//
// An access by "every thread" may touch any of its bytes from any thread, so it
// must be ordered between each pair of agents. That reveals a missing barrier
// inside a group.
//
// **One run for all orders.** In these kernels only barriers make a thread
// wait, and no branch depends on time. The run keeps a vector clock for each
// agent: the events of every other agent that are certain to be over. Two
// accesses to the same bytes that no clock orders are a race. A barrier could
// make one run differ from another only if an arrival counted for a different
// phase there. So every barrier must obey three rules:
//
//   | rule    | condition                                                     |
//   |---------|---------------------------------------------------------------|
//   | arrival | the phase before the one it counts for is certain to be over; |
//   |         | the same for bytes that land                                  |
//   | wait    | the phase before the one it waits for is certain to be over   |
//   | parity  | no phase can end while an agent still waits for the one       |
//   |         | before: a single bit distinguishes phases                     |
//
// Then each phase has the same arrivals in every order (by induction over the
// phases), and the clocks of this run are the clocks of all.
//
// **Use.**
//
//   for (const Subject &subject : *subjectsOf(module))       every kernel
//     for (const Trial &trial : *trialsFor(subject))         sizes, ring wraps
//       for (const Finding &finding : simulate(subject, trial)->findings)
//         emit(finding);                                     error and note
//   untriedIn(subject, trials)              decisions that no size reaches
//
// `explore` instead walks through every order, for small kernels and without
// clocks: it validates the clocks.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_SIMULATE_H
#define HONE_SIMULATE_SIMULATE_H

#include "hone/Runtime/PlanArguments.h"
#include "hone/Schedule/Problem.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Location.h"
#include "mlir/Support/LogicalResult.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hone::simulate {

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

enum class Fault {
  unfilled,    ///< read before it is certain to be filled
  overwritten, ///< written while something may still read or write it
  proxy,       ///< writes of threads may be invisible to an engine
  fence,       ///< accumulators given to the tensor cores without a fence
  pending,     ///< accumulators used before their products are done
  count,       ///< a phase that never ends, or may end early
  phase,       ///< an arrival or a wait that may meet another phase
  barrier,     ///< a barrier that does not exist, or not yet
  deadlock,    ///< agents that wait for each other, or forever
  depend,      ///< global memory before the programmatic wait
  bounds,      ///< an access that the hardware does not clip
  coverage,    ///< part of the result never written, or twice, unless tiles
               ///< stand back and write the same numbers
  gone,        ///< memory of a block that may have ended
  plan,        ///< a launch that does not fit the kernel or the GPU
  value,       ///< a number that is not the reference's
  order,       ///< products that are added in another order than the problem's
               ///< `numbers` state
  untried,     ///< a decision that no size of the proof reaches
  limit,       ///< more work than a proof may take: undecided
  notModelled, ///< an op that the simulator does not model
};
/// Its name: "unfilled", ...
llvm::StringRef toString(Fault fault);

/// An agent and a point in its execution.
struct Place {
  mlir::Location loc;
  std::string op;         ///< "kernel.load"
  std::string role = "";  ///< empty outside of roles
  int64_t block = 0;      ///< in the grid
  int64_t group = 0;      ///< in the role
  std::string agent = ""; ///< "leader", "follower"; empty for all agents
  /// Values of the loops around it, outermost first.
  std::vector<int64_t> steps = {};

  /// An op, whatever executes it.
  static Place of(mlir::Operation *op);
  /// "consumer 1 of block 0, step (0, 3)"
  std::string str() const;
};

struct Finding {
  Fault fault;
  std::string text; ///< the message
  Place at;
  /// The other side of a race, and its access.
  std::optional<Place> other = std::nullopt;
  std::string otherText = "";
};

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

/// Sizes for one launch of a kernel.
struct Trial {
  int64_t m = 0, n = 0, k = 0;
  /// The plan's guard requires n to be a multiple of this.
  int64_t unitN = 1;
  /// The windows of a convolution, whose rows are m; without them, windows are
  /// chosen by number.
  std::optional<WindowArguments> window;
  unsigned form = 0;
  /// The ends of ragged rows, one for each group; none: one group has all rows.
  std::vector<int32_t> ends;
  /// The number of all batches, and of inner ones per outer one.
  int64_t batch = 1, heads = 1;
  /// Starts, lines and batches are aligned to this many elements, and to no
  /// more, except where `aligns` has another number.
  int64_t pad = 8;
  /// Min number of unused elements after each line, and after each matrix of a
  /// batch, where the distance is an argument of the plan.
  int64_t room = 1;
  /// Other alignments than `pad`, by argument of the plan ("a", "lda", "sa",
  /// "ha", "b", ...).
  llvm::StringMap<int64_t> aligns;
  /// Arguments of the plan with a fixed value: run-time decisions.
  llvm::StringMap<int64_t> knobs;
  /// The clusters that the device holds at once. If blocks are persistent, the
  /// launch has at most this many; otherwise it has its own number.
  int64_t maxClusters = 2;
  /// Checks only the control flow of threads and its use of the workspace, for
  /// launches of very many blocks. Trials with fewer blocks check their waits.
  bool reachOnly = false;
  /// Checks the plan alone. Where a block has one tile, the launch must have
  /// this many blocks; 0: any number.
  std::optional<int64_t> blocks;

  int64_t alignOf(llvm::StringRef argument) const;
  std::string str() const;
};

/// A kernel, its launch, and the problem that it should compute. Without a
/// `kernel.launch`, A and B are stored in rows. A plan's kernels run one after
/// the other in one memory, and the last one computes the product.
struct Subject {
  mlir::gpu::GPUFuncOp kernel;
  /// The kernels of the alternative's launches before this one.
  std::vector<mlir::gpu::GPUFuncOp> before;
  LaunchPlan plan;
  size_t alternative = 0, launch = 0;
  Problem problem;
  /// The problem is not stated, but guessed from the parameters.
  bool isGuessed = false;
  /// Elements and dimensions ("mn", "n", ...) of each epilogue operand.
  std::vector<std::pair<ElementType, std::string>> operands;
  /// With two batches, those of "bh" that A and B have; else empty.
  std::string batchesA, batchesB;
  /// The constants of the module's launch: run-time decisions.
  llvm::StringMap<int64_t> constants;
  /// Faults of that launch, independent of the kernel.
  std::vector<Finding> findings;
  /// The kernel computes something other than a matmul: `function`, if that
  /// still exists. Such a kernel has no problem and no trials, only a proof.
  bool isRest = false;
  mlir::func::FuncOp function;
};

/// Every alternative of a module's plans. Fails with a diagnostic.
mlir::FailureOr<std::vector<Subject>> subjectsOf(mlir::ModuleOp module);

/// True if the guard of the subject's alternative holds; otherwise the plan
/// launches another kernel at these sizes.
llvm::Expected<bool> guardHolds(const Subject &subject, const Trial &trial);

/// The sizes that prove a kernel. The numbers of tiles along M and N always
/// differ, and operands are aligned as badly as the guard allows.
///
///   | steps of K                        | tiles        | because            |
///   |-----------------------------------|--------------|--------------------|
///   | twice a ring's slots and 3, in    | 3 x 1, cut   | both phases of     |
///   | each part that K is split in      | at the edges | every slot, twice  |
///   | twice a ring's slots              | 1 x 2, whole | no remainders      |
///   | 1, and not all of it              | 4 x 3        | counters of tiles, |
///   |                                   |              | twice              |
///   | half the slots, and one more than | 3 x 2, 4 x 1 | rings that continue|
///   | slots                             |              | from tile to tile  |
///   | 2                                 | 2 x 2        | fewer than slots   |
///   | 1                                 | 3 x 2, whole | bands of the raster|
///   |                                   | or cut       | in M and in N      |
///   | 1                                 | one element, | idle workers;      |
///   |                                   | five batches | another number     |
///   | 2; 1 element                      | one row; one | lines whose        |
///   |                                   | column       | distance is free   |
///   | 1 and an element                  | 2 x 2        | one more than whole|
///   | none, if the guard allows it      | 2 x 1        | nothing to add up  |
///   | 1                                 | 4 x 2        | three workers      |
///   | any number                        | 2^17 and more| the plan alone     |
///
/// Where an iteration has several steps, there is a trial for every possible
/// remainder. Where workers share tiles, there are more: with as many on one
/// tile as the launch allows, with fewer steps than workers, with a workspace
/// as small as the plan's formula can make it. docs/Simulate.md explains why
/// they are enough.
llvm::Expected<std::vector<Trial>> trialsFor(const Subject &subject);

/// Numbers in a kernel's arithmetic that no trial reaches, so that the trials
/// prove nothing about the code they guard: for example a branch for the
/// hundredth step. A proof requires that there are none.
llvm::Expected<std::vector<Finding>> untriedIn(const Subject &subject,
                                               llvm::ArrayRef<Trial> trials);

/// The expected contents of C.
class Reference; // Reference.h
/// A picture of a run.
class Timeline; // Timeline.h
/// The order of the additions of a run.
class Provenance; // lib/Simulate/Values/Provenance.h

struct SimulateOptions {
  /// Also compute numbers and compare with this; null: barriers only.
  const Reference *reference = nullptr;
  /// Also record in which order products are added, instead of numbers.
  Provenance *provenance = nullptr;
  /// Also record the run in virtual time.
  Timeline *timeline = nullptr;
  uint64_t seed = 1;
  size_t maxFindings = 8;
  /// Max work of all runs of a proof, in steps of a thread; an event counts as
  /// several steps, and as more where numbers are computed. This takes some
  /// twenty seconds; built kernels with clusters of 16 blocks take a quarter of
  /// it, and all others a tenth or less.
  int64_t maxWork = int64_t(1) << 33;
};

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

struct Verdict {
  std::vector<Finding> findings;
  int64_t agents = 0, events = 0;
  int64_t work = 0; ///< as in SimulateOptions
  /// The number of orders of these events without any waits, as a decimal
  /// logarithm: the run represents those orders that barriers permit.
  double logOrders = 0;
  /// The number of rounds through the least and the most used ring.
  int64_t minRounds = 0, maxRounds = 0;
  /// Largest error in units of the tolerance; only with a reference.
  std::optional<double> error;
  double seconds = 0;

  bool passed() const { return findings.empty(); }
};

/// One run with clocks, including the kernels before it. Fails if the launch is
/// invalid (its plan does not evaluate); faults of the kernel are findings.
llvm::Expected<Verdict> simulate(const Subject &subject, const Trial &trial,
                                 const SimulateOptions &options = {});

struct Exploration {
  std::vector<Finding> findings;
  int64_t states = 0, steps = 0;
  /// The number of complete orders, as a decimal logarithm.
  double logOrders = 0;
  bool complete = false; ///< no limit was reached

  bool passed() const { return complete && findings.empty(); }
};

/// The result of a proof.
struct Proof {
  size_t sizes = 0; ///< number of sizes that it tried
  /// No size was tried: formulas hold for all.
  bool isForAllSizes = false;
  /// From the last size, or about all larger sizes: empty if the kernel is
  /// proven.
  std::vector<Finding> findings;
  /// The size of the findings; none for a fault that no size reaches.
  std::optional<Trial> at;
  double logOrders = 0;        ///< max over the sizes
  std::optional<double> error; ///< the largest; only with a reference
  /// The tree of sums of all elements and sizes (SumTree.h), where the
  /// problem's numbers are invariant; empty if there is no such tree.
  std::string sums;

  bool passed() const { return findings.empty(); }
};

/// Runs the sizes that prove a kernel, up to one with findings, and reports the
/// code that no size reaches. Fails if a launch cannot be evaluated.
llvm::Expected<Proof> prove(const Subject &subject,
                            const SimulateOptions &options = {});

constexpr int64_t kMaxExploredStates = 2'000'000;

/// Every order of one launch, up to a number of states. Calls `progress`, if
/// there is one, with the number of states so far now and then.
llvm::Expected<Exploration>
explore(const Subject &subject, const Trial &trial,
        int64_t maxStates = kMaxExploredStates,
        llvm::function_ref<void(int64_t)> progress = nullptr);

/// The finding as an error at its op with a note at the other one.
void emit(const Finding &finding);

} // namespace hone::simulate

#endif // HONE_SIMULATE_SIMULATE_H
