//===- Program.h - A kernel as a flat list of steps -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Agents stop in the middle of loops, wait, and go on, and the exploration
// copies them by the million. So the kernel's regions are flattened once: an
// agent consists of its position and an array of registers.
//
//   scf.for %i = %lo to %hi step %s      move   i, acc <- lo, init
//       iter_args(%acc = %init) {     L: test   i < hi else E
//     ...                                ...
//     scf.yield %next                    move   acc <- next
//   }                                    add    i <- i + s
//                                        jump   L
//                                     E: move   result <- acc
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_PROGRAM_H
#define HONE_LIB_SIMULATE_PROGRAM_H

#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {
struct ScalarOp;
} // namespace hone

namespace hone::simulate {

/// An agent's register for a value.
///
/// | type             | number                    | extra                     |
/// |------------------|---------------------------|---------------------------|
/// | integers         | the value, zero-extended  |                           |
/// | ring, barriers,  | byte offset in shared     |                           |
/// | partial          | memory                    |                           |
/// | buffer           | address in global memory  |                           |
/// | map              | index of the parameter    |                           |
/// | matrix           | address                   | lines, width, stride      |
/// | operand          | address                   | row stride, column stride |
/// | acc              | group of products that is | clock at which threads    |
/// |                  | to be done before its use | last touched it, nothing, |
/// |                  |                           | elements of k that tensor |
/// |                  |                           | cores have added up in it |
struct Register {
  int64_t number = 0;
  int64_t extra[3] = {};
};

struct Step {
  enum Kind : uint8_t {
    compute, ///< integers: `op` on `in`
    move,    ///< all `out` <- `in` at once
    test,    ///< in[0] < in[1], signed or not, else `target`
    branch,  ///< in[0] != 0, else `target`
    jump,    ///< `target`
    enter,   ///< if the agent has this role, else `target`
    event,   ///< an op of kernel IR
    end,
  } kind;
  mlir::Operation *op = nullptr;
  // To compute: the row of `op`, bits of its operands and result; a constant.
  const ScalarOp *row = nullptr;
  unsigned width = 0, resultWidth = 0;
  std::optional<int64_t> constant;
  llvm::SmallVector<int, 4> in, out;
  int target = -1;
  /// The role around it, or -1.
  int role = -1;
  /// For an event, the registers of the induction variables of the loops around
  /// it, outermost first.
  llvm::SmallVector<int, 2> loops;
};

struct Role {
  kernel::RoleOp op;
  int64_t firstWarp, warps, groups, groupThreads;
  bool oneThread;
};

class Program {
public:
  /// Flattens `kernel`. Ops that are not modelled are listed in `unknown`.
  explicit Program(mlir::gpu::GPUFuncOp kernel);

  llvm::SmallVector<mlir::Operation *> unknown;
  std::vector<Step> steps;
  std::vector<Role> roles;
  int registers = 0;
  int64_t threads = 0;
  /// Blocks of a cluster.
  int64_t clusterBlocks = 1;
  /// True if blocks take tiles in turn: any grid computes all tiles.
  bool isPersistent = false;
  /// True if tiles at the edge move back, and store elements of their
  /// neighbours again.
  bool standsBack = false;
  /// True if blocks of different clusters wait for each other.
  bool meetsAcrossClusters = false;

  int registerOf(mlir::Value value) const { return numbers.lookup(value); }
  /// The registers that a step and its successors still read.
  std::vector<llvm::BitVector> liveRegisters() const;

private:
  int number(mlir::Value value);
  llvm::SmallVector<int, 2> loopsAround(mlir::Operation *op) const;
  void flatten(mlir::Block &block, int role);
  void flattenOp(mlir::Operation &op, int role);
  void flattenEvent(mlir::Operation &op, int role);
  void flattenFor(mlir::Operation &op, int role);
  void flattenIf(mlir::Operation &op, int role);
  void flattenRole(kernel::RoleOp op);
  Step &add(Step::Kind kind, mlir::Operation *op, int role,
            mlir::ValueRange in = {}, mlir::ValueRange out = {});

  llvm::DenseMap<mlir::Value, int> numbers;
};

/// Reads the facts of a step's op that `compute` needs.
void prepareStep(Step &step);
/// Executes one `compute` step: kernel::isIntegerArithmetic. Fails where the
/// result is undefined: for a division by zero, a shift by at least the
/// number's bits, and for a loop whose step is not positive.
bool compute(const Step &step, std::vector<Register> &registers);
/// The result of an integer op on the bits of its operands, in the width of its
/// result; nothing if it is undefined.
std::optional<uint64_t> evaluateInteger(mlir::Operation *op,
                                        llvm::ArrayRef<uint64_t> operands);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_PROGRAM_H
