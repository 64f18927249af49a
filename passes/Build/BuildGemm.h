//===- BuildGemm.h - Operands and arguments of GPU kernels ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matmul's operands in memory, the 64-bit values that the host passes for
// them, and its epilogue as kernel IR. Every GPU kernel gets the same values,
// under the same names:
//
// | name              | meaning                                             |
// |-------------------|-----------------------------------------------------|
// | a, b, c, e0 ...   | addresses; e0 is the first epilogue operand         |
// | m, n, k           | extents                                             |
// | group ...         | run-time decisions of the schedule                  |
// | lda, ldb, ldc     | elements from one line to the next                  |
// | batch             | number of matrices, if batched                      |
// | sa, sb, sc        | elements from one batch to the next, if batched     |
// | heads             | number of inner batches, if there are two batches   |
// | ha, hb, hc        | elements from one inner batch to the next, likewise |
// | e0m, e0n, e0b e0h | strides of epilogue operand 0, those it has         |
// | segments, groups  | address and number of the ends of ragged rows; sb   |
// |                   | is then from group to group                         |
// | index, ma         | address of the index of A's rows, and their number  |
// | images ...        | of windows, with the strides lda, ha and sa         |
// |                   | (hone/Runtime/PlanArguments.h)                      |
//
// `batch` counts all matrices: with two batches (`b` outside, `h` inside; think
// of attention's sequences and heads) it is their product. Kernels support at
// most these two; further ones are loops on the host (BuildBatches.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_BUILD_BUILDGEMM_H
#define HONE_PASSES_BUILD_BUILDGEMM_H

#include "passes/Build/BuildKernel.h"
#include <map>

namespace hone {

/// On a matmul whose strides are unknown: the expected alignment in bytes of
/// the starts of lines of A, B and C, where that is not 16. It only selects the
/// kernel to build first; a guard checks the alignment at the launch.
constexpr llvm::StringLiteral kLinesAttr = "hone.lines";
/// Letters of the batches that kernels support, outermost first.
constexpr llvm::StringLiteral kKernelBatches = "bh";

/// The roles of a memref's dimensions: the one that steps from line to line
/// (the other of the last two is contiguous), and the letters of the leading
/// dimensions, which are batches.
struct MatrixDims {
  int64_t line;
  std::string batches;

  /// The dimension along which elements are adjacent.
  int64_t inner() const { return 2 * int64_t(batches.size()) + 1 - line; }
  bool hasBatch(char batch) const {
    return batches.find(batch) != std::string::npos;
  }
};

struct GemmOperands {
  explicit GemmOperands(MatmulOp op);
  /// True if there are an inner and an outer batch.
  bool hasHeads() const { return c.batches.size() > 1; }
  Problem problem;
  MatrixDims a, b, c;
  /// A is read through the windows of a convolution.
  bool hasWindows;
};
/// "sa" or "ha": the stride of operand `name` along a batch.
std::string batchStride(char batch, llvm::StringRef name);
/// A tile's position in each batch as 64-bit numbers; null for a batch that
/// does not exist.
struct BatchPlace {
  mlir::Value batch, head;
};

/// "e0", or "e0m" with a dimension.
std::string epilogueName(int64_t index, char dim = 0);

/// True if kernels on `arch` may start before their predecessor has ended. They
/// then mark the point where they depend on it, and their plans request it.
inline bool overlaps(const Arch &arch) { return arch.capability >= 90; }

/// The type of a memref's elements.
mlir::Type elementOf(mlir::Value memref);

/// The argument of this name.
inline PlanFormula argument(const llvm::Twine &name) {
  return PlanFormula::argument(name.str());
}
/// `number` is a multiple of `unit`.
inline PlanFormula isMultiple(PlanFormula number, int64_t unit) {
  return equals(std::move(number) % unit, 0);
}

/// A parameter of a kernel: an argument with a name as above, or a formula.
struct KernelParam {
  LaunchParam::Kind kind;
  PlanFormula value;
  mlir::Type type;

  /// The argument's name; empty for another formula.
  llvm::StringRef name() const { return value.name(); }
};
/// The parameters of a kernel, in order.
class KernelParams : public llvm::SmallVector<KernelParam> {
public:
  void addPointer(std::string name, mlir::Value memref);
  void addNumbers(MatmulOp op, LaunchParam::Kind kind,
                  llvm::ArrayRef<llvm::StringRef> names);
  /// The strides of the epilogue's operands.
  void addEpilogueStrides(MatmulOp op);
};
/// Creates the kernel, without a body yet.
mlir::gpu::GPUFuncOp createKernel(KernelModule &module, MatmulOp op,
                                  llvm::StringRef name,
                                  const KernelParams &params, int64_t threads,
                                  int64_t clusterBlocks);

/// All arguments of the host, by the names above: run-time decisions of all
/// schedules, with the values of the last one that has them.
LaunchArgs collectArgs(MatmulOp op, const GemmOperands &operands,
                       const RangedSchedule &schedules);

/// The guard of a kernel that relies on the alignments of `problem`: 1 if there
/// is nothing to check at run time.
PlanFormula alignmentGuard(const Problem &problem,
                           const GemmOperands &operands);

/// The guard that C's strides place no two elements at one address. It is empty
/// if the types prove that. Otherwise the op states it (matmul_c13), and a
/// launch of an incorrect program ends with an error.
PlanFormula placesGuard(MatmulOp op);

/// The guard that kernels can count the tiles of ragged rows, which the op
/// states (matmul_c18); empty if rows have one B.
PlanFormula groupsGuard(MatmulOp op);

/// The segment of a tile of ragged rows, by the kernel's parameters. The search
/// begins `after` the three values of a lower tile, or at the first segment.
kernel::SegmentOp createSegment(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value tile,
                                std::map<std::string, mlir::Value> &params,
                                int64_t height, mlir::Value columns,
                                mlir::ValueRange after = {});

/// The matrix of B that the rows of a segment are multiplied by; the first one
/// for rows of no group, which have no depth.
mlir::Value groupOf(mlir::OpBuilder &builder, kernel::SegmentOp segment);

/// Adds mma_sync kernels to a plan as its last alternatives; the last one
/// supports all operands. False if invariant numbers exclude the kind.
bool addFallback(MatmulOp op, const GemmOperands &operands, KernelPlan &plan);
/// True if the last alternative of `plan` holds for every launch.
bool alwaysHolds(MatmulOp op, const GemmOperands &operands,
                 const KernelPlan &plan);

/// Writes a matmul's epilogue into a kernel whose parameters have the names
/// above.
class EpilogueWriter {
public:
  EpilogueWriter(mlir::OpBuilder &builder, MatmulOp op, const Problem &problem,
                 const std::map<std::string, mlir::Value> &params)
      : builder(builder), loc(op.getLoc()), op(op), problem(problem),
        params(params) {}

  /// Elements from the start of a matrix to the one at `place`, by the names of
  /// its strides.
  mlir::Value batchOffset(const BatchPlace &place, const std::string &stride,
                          const std::string &headStride);
  /// Creates the epilogue's operands for this batch: C's old values, if the sum
  /// starts from them, then the op's. `transposed`: the accumulators' rows are
  /// C's columns. An operand without a parameter can be applied as a tile only.
  void placeOperands(const BatchPlace &place, bool transposed = false);
  /// The number of operands, and the position of epilogue operand `index`, or
  /// of C for a negative one.
  size_t numOperands() const;
  size_t operandAt(int64_t index) const;
  /// Turns the accumulators at [`row`, `col`], in their own order, into
  /// elements of C. A tile in `tiles` replaces its operand.
  mlir::Value apply(mlir::Value acc, mlir::Value row, mlir::Value col,
                    llvm::ArrayRef<mlir::Value> tiles = {});

private:
  mlir::Value i64(int64_t value);
  mlir::Value stride(int64_t index, char dim);
  mlir::Value operand(mlir::Value buffer, mlir::Value offset,
                      mlir::Type element, llvm::StringRef dims,
                      mlir::Value rowStride, mlir::Value colStride);
  mlir::Value inlineRegion(mlir::Value sum, mlir::ValueRange inputs);
  mlir::Type elementC();

  bool turned = false;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  MatmulOp op;
  const Problem &problem;
  const std::map<std::string, mlir::Value> &params;
  llvm::SmallVector<mlir::Value> operands;
};

} // namespace hone

#endif // HONE_PASSES_BUILD_BUILDGEMM_H
