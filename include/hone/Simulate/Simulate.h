//===- Simulate.h - Kernels on the CPU, proven and computed -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs kernel IR without a GPU and says whether its barriers are right, for
// every order in which a GPU may run it, and whether its numbers are.
//
// **Who acts.** Every op of kernel IR is one hardware event, so a kernel is a
// handful of *agents* and what they do. All threads of a group do the same,
// except that one thread, the leader, does what one thread is to do. Two
// threads that are not the leader are alike, so each group is two agents:
//
//   | agent     | threads                        | does |
//   |-----------|--------------------------------|-----------------------------|
//   | leader    | the first of a group or block  | everything, and what one |
//   |           |                                | thread does for all | |
//   follower  | all others                     | what every thread does      |
//   | engine    | copies, products, stores that  | reads and writes memory at |
//   |           | are under way                  | some time after their issue
//   |
//
// An access by "every thread" may touch any of its bytes from any thread: to be
// ordered, it must be so between each pair of agents. So a missing barrier
// inside a group shows.
//
// **One run for all orders.** Nothing in these kernels but barriers makes a
// thread wait, and no branch depends on time. The run keeps a vector clock for
// each agent: how much of every other's past is certain to be past. Two
// accesses to the same bytes that no clock orders are a race. A barrier is what
// could make one run differ from another, if an arrival counted for another
// phase there. So three things are required of every barrier:
//
//   | rule    | what must be certain                                          |
//   |---------|---------------------------------------------------------------|
//   | arrival | that the phase before the one it counts for is over; the same |
//   |         | for bytes that land                                           |
//   | wait    | that the phase before the one it waits for is over            |
//   | parity  | that no phase ends while somebody still waits for the one     |
//   |         | before: phases are told apart by one bit                      |
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
//
// `explore` walks through every order instead, for kernels small enough, with
// no clocks at all: it validates the clocks.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_SIMULATE_H
#define HONE_SIMULATE_SIMULATE_H

#include "hone/Runtime/LaunchPlan.h"
#include "hone/Schedule/Problem.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Location.h"
#include "mlir/Support/LogicalResult.h"
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
  count,       ///< a phase that never ends, or that may end early
  phase,       ///< an arrival or a wait that may meet another phase
  barrier,     ///< a barrier that is not there, or not yet
  deadlock,    ///< agents that wait for each other, or for nobody
  depend,      ///< global memory before the programmatic wait
  bounds,      ///< an access that the hardware does not clip
  coverage,    ///< part of the result never written, or twice
  gone,        ///< memory of a block that may have ended
  value,       ///< a number that is not the reference's
  notModelled, ///< an op that the simulator does not know
};
/// The word for it: "unfilled", ...
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
  std::string text; ///< in the house style
  Place at;
  /// The other side of a race, and what it does.
  std::optional<Place> other;
  std::string otherText;
};

//===----------------------------------------------------------------------===//
// What is run
//===----------------------------------------------------------------------===//

/// Sizes for one launch of a kernel.
struct Trial {
  int64_t m = 0, n = 0, k = 0;
  /// All batches together, and the inner ones of each outer one.
  int64_t batch = 1, heads = 1;
  /// Extents of lines are padded to a multiple of so many elements.
  int64_t pad = 8;
  /// Run-time knobs.
  llvm::StringMap<int64_t> knobs;
  /// At most so many clusters where blocks take tiles in turn; the launch's
  /// own number where they do not.
  int64_t mostClusters = 2;

  std::string str() const;
};

/// A kernel, how it is launched, and what it is to compute. Where nobody says
/// (no `kernel.launch`), A and B lie in rows.
struct Subject {
  mlir::gpu::GPUFuncOp kernel;
  LaunchPlan plan;
  size_t alternative = 0, launch = 0;
  Problem problem;
  /// Elements and dimensions ("mn", "n", ...) of each epilogue operand.
  std::vector<std::pair<ElementType, std::string>> operands;
  /// Of two batches, "bh", those that A and B have; empty if there are not two.
  std::string batchesA, batchesB;
  /// What the module's launch passes as constants: run-time knobs.
  llvm::StringMap<int64_t> constants;
};

/// Every kernel that a module's plans launch. Fails with a diagnostic.
mlir::FailureOr<std::vector<Subject>> subjectsOf(mlir::ModuleOp module);

/// The sizes that prove a kernel, with remainders in every dimension and, where
/// blocks take tiles in turn, several tiles a block:
///
///   | steps of K                        | because                            |
///   |-----------------------------------|------------------------------------|
///   | slots of a ring and 3, in each of | every slot is filled, waited for,  |
///   | the parts that K is split in      | given back and filled again        |
///   | 1 in all                          | nothing is in flight yet where a   |
///   |                                   | tile ends; parts of K are empty    |
///   | 2                                 | fewer than slots                   |
llvm::Expected<std::vector<Trial>> trialsFor(const Subject &subject);

/// What C is to hold.
class Reference; // Reference.h

struct SimulateOptions {
  /// Compute, and compare with this; null: the protocol alone.
  const Reference *reference = nullptr;
  uint64_t seed = 1;
  size_t mostFindings = 8;
};

//===----------------------------------------------------------------------===//
// What comes out
//===----------------------------------------------------------------------===//

struct Verdict {
  std::vector<Finding> findings;
  int64_t agents = 0, events = 0;
  /// Orders of these events, were nobody to wait: the run stands for those of
  /// them that barriers allow. As a decimal logarithm.
  double logOrders = 0;
  /// How often the ring that was filled least, and the one that was filled
  /// most, were gone through.
  int64_t leastRounds = 0, mostRounds = 0;
  /// Largest error in units of what is allowed; only with values.
  std::optional<double> error;
  double seconds = 0;

  bool passed() const { return findings.empty(); }
};

/// One run with clocks. Fails where the launch makes no sense (a plan that does
/// not evaluate); what is wrong with the kernel are findings.
llvm::Expected<Verdict> simulate(const Subject &subject, const Trial &trial,
                                 const SimulateOptions &options = {});

struct Exploration {
  std::vector<Finding> findings;
  int64_t states = 0, steps = 0;
  /// Different orders that end, as a decimal logarithm.
  double logOrders = 0;
  bool complete = false; ///< no bound was met

  bool passed() const { return complete && findings.empty(); }
};

/// Every order of one launch, up to a number of states.
llvm::Expected<Exploration> explore(const Subject &subject, const Trial &trial,
                                    int64_t mostStates = 2'000'000);

/// The finding as an error at its op with a note at the other one.
void emit(const Finding &finding);

} // namespace hone::simulate

#endif // HONE_SIMULATE_SIMULATE_H
