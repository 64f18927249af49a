//===- Simulate.h - Kernels on the CPU, proven and computed -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs kernel IR without a GPU and decides whether its barriers are correct in
// every order in which a GPU may run it, and whether its numbers are.
//
// **Who acts.** Every op of kernel IR is one hardware event, so a kernel is a
// handful of *agents* and what they do. All threads of a group act alike,
// except the leader, the one thread that does what a single thread has to do.
// So each group has two agents, and engines act as well:
//
//   | agent    | threads                       | does                         |
//   |----------|-------------------------------|------------------------------|
//   | leader   | the first of a group or block | everything, also what one    |
//   |          |                               | thread does on behalf of all |
//   | follower | all others                    | what every thread does       |
//   | engine   | copies, products and stores   | reads and writes memory some |
//   |          | in flight                     | time after they were issued  |
//
// An access by "every thread" may touch any of its bytes from any thread, so it
// must be ordered between each pair of agents. That reveals a missing barrier
// inside a group.
//
// **One run for all orders.** In these kernels only barriers make a thread
// wait, and no branch depends on time. The run keeps a vector clock for each
// agent: how much of every other agent's past is certain to be over. Two
// accesses to the same bytes that no clock orders are a race. A barrier could
// make one run differ from another only if an arrival counted for a different
// phase there. So every barrier must obey three rules:
//
//   | rule    | what must be certain                                          |
//   |---------|---------------------------------------------------------------|
//   | arrival | that the phase before the one it counts for is over; the same |
//   |         | for bytes that land                                           |
//   | wait    | that the phase before the one it waits for is over            |
//   | parity  | that no phase ends while an agent still waits for the one     |
//   |         | before: a single bit distinguishes phases                     |
//
// Then each phase has the same arrivals in every order (by induction over the
// phases), and the clocks of this run are the clocks of all.
//
// **How it is used.**
//
//   for (const Subject &subject : *subjectsOf(module))       every kernel
//     for (const Trial &trial : *trialsFor(subject))         sizes, ring wraps
//       for (const Finding &finding : simulate(subject, trial)->findings)
//         emit(finding);                                     error and note
//   untriedIn(subject, trials)                 and nothing lies beyond the sizes
//
// `explore` instead walks through every order, for small kernels and without
// clocks: it validates the clocks.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_SIMULATE_H
#define HONE_SIMULATE_SIMULATE_H

#include "hone/Runtime/LaunchPlan.h"
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
// What can be wrong
//===----------------------------------------------------------------------===//

enum class Fault {
  unfilled,    ///< read before it is certain to be filled
  overwritten, ///< written while something may still read or write it
  proxy,       ///< an engine may not see what threads wrote
  fence,       ///< accumulators given to the tensor cores without a fence
  pending,     ///< accumulators used before their products are done
  count,       ///< a phase that never ends, or may end early
  phase,       ///< an arrival or a wait that may meet another phase
  barrier,     ///< a barrier that does not exist, or not yet
  deadlock,    ///< agents that wait for each other, or for nobody
  depend,      ///< global memory before the programmatic wait
  bounds,      ///< an access that the hardware does not clip
  coverage,    ///< part of the result never written, or twice, unless tiles
               ///< stand back and write the same numbers
  gone,        ///< memory of a block that may have ended
  plan,        ///< a launch that does not fit the kernel or the GPU
  value,       ///< a number that is not the reference's
  untried,     ///< a decision that no size of the proof comes to
  limit,       ///< more work than a proof may take: nothing is known
  notModelled, ///< an op that the simulator does not know
};
/// Its name: "unfilled", ...
llvm::StringRef toString(Fault fault);

/// Who did something, and when.
struct Place {
  mlir::Location loc;
  std::string op;    ///< "kernel.load"
  std::string role;  ///< empty outside of roles
  int64_t block = 0; ///< in the grid
  int64_t group = 0; ///< in the role
  std::string agent; ///< "leader", "follower"
  /// Values of the loops around it, outermost first.
  std::vector<int64_t> steps;

  /// "consumer 1 of block 0, step (0, 3)"
  std::string str() const;
};

struct Finding {
  Fault fault;
  std::string text; ///< the message
  Place at;
  /// The other side of a race, and what it did.
  std::optional<Place> other;
  std::string otherText;
};

//===----------------------------------------------------------------------===//
// What is run
//===----------------------------------------------------------------------===//

/// Sizes for one launch of a kernel.
struct Trial {
  int64_t m = 0, n = 0, k = 0;
  /// The plan's guard wants n to be a multiple of this.
  int64_t unitN = 1;
  /// The number of all batches, and of inner ones per outer one.
  int64_t batch = 1, heads = 1;
  /// Starts, lines and batches are multiples of this many elements from each
  /// other, and no more than that;
  int64_t pad = 8;
  /// Elements behind each line, and behind each matrix of a batch, that belong
  /// to nobody: at least so many, where the plan is told the distance.
  int64_t room = 1;
  /// but by argument of the plan ("a", "lda", "sa", "ha", "b", ...) of this
  /// many, where it says so.
  llvm::StringMap<int64_t> aligns;
  /// Arguments of the plan that are to have a value, whatever the others say:
  /// run-time decisions.
  llvm::StringMap<int64_t> knobs;
  /// The clusters that the device holds at once. If blocks take tiles in turn,
  /// there are no more of them; otherwise the launch's own number.
  int64_t maxClusters = 2;
  /// Only where threads go, and what that uses of the workspace: so many blocks
  /// that what they wait for is tried with fewer.
  bool reachOnly = false;
  /// Not even that, but the plan alone. Where one block has one tile, the
  /// launch is to have so many; 0: any number.
  std::optional<int64_t> blocks;

  int64_t alignOf(llvm::StringRef argument) const;
  std::string str() const;
};

/// A kernel, how it is launched, and what it should compute. Without a
/// `kernel.launch`, A and B are stored in rows. A plan's kernels run one after
/// the other in one memory, and it is the last one that computes.
struct Subject {
  mlir::gpu::GPUFuncOp kernel;
  /// Those of the alternative's launches before this one.
  std::vector<mlir::gpu::GPUFuncOp> before;
  LaunchPlan plan;
  size_t alternative = 0, launch = 0;
  Problem problem;
  /// Nobody said so: the problem is what the parameters suggest.
  bool isGuessed = false;
  /// Elements and dimensions ("mn", "n", ...) of each epilogue operand.
  std::vector<std::pair<ElementType, std::string>> operands;
  /// With two batches, those of "bh" that A and B have; else empty.
  std::string batchesA, batchesB;
  /// The constants of the module's launch: run-time decisions.
  llvm::StringMap<int64_t> constants;
  /// What is wrong with that launch, whatever the kernel does.
  std::vector<Finding> findings;
  /// It does what is not a matmul: `function`, if that is still there. Such a
  /// kernel has no problem and no trials, only a proof.
  bool isRest = false;
  mlir::func::FuncOp function;
};

/// Every alternative of a module's plans. Fails with a diagnostic.
mlir::FailureOr<std::vector<Subject>> subjectsOf(mlir::ModuleOp module);

/// True if the guard of the subject's alternative holds: else the plan launches
/// another kernel at such sizes.
llvm::Expected<bool> guardHolds(const Subject &subject, const Trial &trial);

/// The sizes that prove a kernel. Tiles of M and of N are never as many, and
/// operands are aligned as badly as the guard allows.
///
///   | steps of K                        | tiles        | because            |
///   |-----------------------------------|--------------|--------------------|
///   | twice a ring's slots and 3, in    | 3 x 1, cut   | both phases of     |
///   | each part that K is split in      | at the edges | every slot, twice  |
///   | twice a ring's slots              | 1 x 2, whole | no remainders      |
///   | 1, and not all of it              | 4 x 3        | what is counted by |
///   |                                   |              | tiles, twice       |
///   | half the slots, and one more than | 3 x 2, 4 x 1 | rings that go on   |
///   | slots                             |              | from tile to tile  |
///   | 2                                 | 2 x 2        | fewer than slots   |
///   | 1                                 | 3 x 2, whole | bands of the raster|
///   |                                   | or cut       | in M and in N      |
///   | 1                                 | one element, | idle workers;      |
///   |                                   | five batches | another number     |
///   | 2; 1 element                      | one row; one | lines whose        |
///   |                                   | column       | distance is free   |
///   | 1 and an element                  | 2 x 2        | one more than whole|
///   | none, if the guard lets it        | 2 x 1        | nothing to add up  |
///   | 1                                 | 4 x 2        | three workers      |
///   | any number                        | 2^17 and more| the plan alone     |
///
/// Where an iteration has several steps, every number of them that is left
/// over. Where workers share tiles, more: with as many on one tile as the
/// launch allows, with fewer steps than workers, with a workspace as small as
/// the plan's formula can make it. docs/Simulate.md says why they are enough.
llvm::Expected<std::vector<Trial>> trialsFor(const Subject &subject);

/// Numbers in a kernel's arithmetic that none of the trials gets to, so that
/// they prove nothing of what comes behind: a branch for the hundredth step,
/// say. None is part of a proof.
llvm::Expected<std::vector<Finding>> untriedIn(const Subject &subject,
                                               llvm::ArrayRef<Trial> trials);

/// The expected contents of C.
class Reference; // Reference.h

struct SimulateOptions {
  /// Also compute numbers and compare with this; null: barriers only.
  const Reference *reference = nullptr;
  uint64_t seed = 1;
  size_t maxFindings = 8;
  /// What all runs of a proof may take, in steps of a thread; an event counts
  /// as several, and as more where numbers are computed. So many are some ten
  /// seconds, ten times what any kernel of ours takes.
  int64_t maxWork = int64_t(1) << 30;
};

//===----------------------------------------------------------------------===//
// What comes out
//===----------------------------------------------------------------------===//

struct Verdict {
  std::vector<Finding> findings;
  int64_t agents = 0, events = 0;
  int64_t work = 0; ///< as in SimulateOptions
  /// The number of orders of these events if nobody waited, as a decimal
  /// logarithm: the run stands for those of them that barriers permit.
  double logOrders = 0;
  /// How often the least and the most used ring were gone through.
  int64_t minRounds = 0, maxRounds = 0;
  /// Largest error in units of the tolerance; only with a reference.
  std::optional<double> error;
  double seconds = 0;

  bool passed() const { return findings.empty(); }
};

/// One run with clocks, of the kernels before it, too. Fails if the launch is
/// invalid (its plan does not
/// evaluate); faults of the kernel are findings.
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

/// What a proof comes to.
struct Proof {
  size_t sizes = 0; ///< that it tried
  /// No size was tried: formulas hold for all.
  bool isForAllSizes = false;
  /// At the last of them, or beyond all: empty if the kernel is proven.
  std::vector<Finding> findings;
  /// The size at which they are; none where no size gets to something.
  std::optional<Trial> at;
  double logOrders = 0;        ///< the most of a size
  std::optional<double> error; ///< the largest; only with a reference

  bool passed() const { return findings.empty(); }
};

/// Runs the sizes that prove a kernel, up to one with findings, and says what
/// none of them gets to. Fails where a launch cannot be evaluated.
llvm::Expected<Proof> prove(const Subject &subject,
                            const SimulateOptions &options = {});

/// Every order of one launch, up to a number of states.
llvm::Expected<Exploration> explore(const Subject &subject, const Trial &trial,
                                    int64_t maxStates = 2'000'000);

/// The finding as an error at its op with a note at the other one.
void emit(const Finding &finding);

} // namespace hone::simulate

#endif // HONE_SIMULATE_SIMULATE_H
