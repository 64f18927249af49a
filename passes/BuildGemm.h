//===- BuildGemm.h - What the GPU kernels share -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matmul's operands as they lie in memory, the 64-bit values that the host
// passes for them, and its epilogue as kernel IR. Every GPU kernel gets the
// same values, by the same names:
//
// | name             | what                                                   |
// |------------------|--------------------------------------------------------|
// | a, b, c, e0 ...  | addresses; e0 is the first epilogue operand            |
// | m, n, k          | extents                                                |
// | group ...        | run-time decisions of the schedule                         |
// | lda, ldb, ldc    | elements from one line to the next                     |
// | batch            | number of matrices, if batched                         |
// | sa, sb, sc       | elements from one batch to the next, if batched        |
// | heads            | number of inner batches, if there are two batches      |
// | ha, hb, hc       | elements from one inner batch to the next, likewise    |
// | e0m, e0n, e0b e0h| strides of epilogue operand 0, those it has            |
//
// `batch` counts all matrices: of two batches (`b` outside, `h` inside; think of
// attention's sequences and heads) it is the product. Kernels know no more of
// them; further ones are loops on the host (BuildBatches.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_BUILDGEMM_H
#define HONE_PASSES_BUILDGEMM_H

#include "passes/BuildKernel.h"
#include <map>

namespace hone {

/// Letters of the batches that kernels know, outermost first.
constexpr llvm::StringLiteral kKernelBatches = "bh";

/// Which dimensions of a memref are what, in memory: the one that steps from
/// line to line (the other of the last two is contiguous), and the letters of
/// those before, which are batches.
struct MatrixDims {
  int64_t line;
  std::string batches;
};

struct GemmOperands {
  explicit GemmOperands(MatmulOp op);
  /// True if there are an inner and an outer batch.
  bool hasHeads() const { return c.batches.size() > 1; }
  Problem problem;
  MatrixDims a, b, c;
};
/// "sa" or "ha": the stride of operand `name` along a batch.
std::string batchStride(char batch, llvm::StringRef name);
/// The place of a tile in each batch as 64-bit numbers; null for a batch that
/// there is not.
struct BatchPlace {
  mlir::Value batch, head;
};

/// "e0", or "e0m" with a dimension.
std::string epilogueName(int64_t index, char dim = 0);

/// True if kernels on `arch` may start before their predecessor has ended: they
/// then say where they depend on it, and their plans ask for it.
inline bool overlaps(const Arch &arch) { return arch.capability >= 90; }

/// The type of a memref's elements.
mlir::Type elementOf(mlir::Value memref);

/// A parameter of a kernel, by a name as above.
struct KernelParam {
  LaunchParam::Kind kind;
  std::string name;
  mlir::Type type;
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
/// Makes the kernel, which has no body yet.
mlir::gpu::GPUFuncOp createKernel(KernelModule &module, MatmulOp op,
                                  llvm::StringRef name,
                                  const KernelParams &params, int64_t threads,
                                  int64_t clusterBlocks);

/// Everything the host passes, by the names above.
void collectArgs(LaunchArgs &args, MatmulOp op, const GemmOperands &operands,
                 const Schedule &schedule);

/// What must hold at run time for a kernel that relies on the alignments of
/// `problem`: "1" where nothing is left to ask.
std::string alignmentGuard(const Problem &problem, bool hasHeads);

/// What must hold of C's strides at run time, so that no two elements are at one
/// place: empty where the types prove it.
std::string placesGuard(MatmulOp op);

/// Adds mma_sync kernels, which take what others can not, to a plan as its last
/// alternatives.
void addFallback(MatmulOp op, const GemmOperands &operands, LaunchPlan &plan);

/// Writes a matmul's epilogue into a kernel whose parameters are known by the
/// names above.
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
  /// Says where the epilogue's operands of this batch are: C's old values,
  /// where the sum starts from them, then the op's.
  void placeOperands(const BatchPlace &place);
  /// The elements of C that the accumulators at [`row`, `col`] become.
  mlir::Value apply(mlir::Value acc, mlir::Value row, mlir::Value col);

private:
  mlir::Value i64(int64_t value);
  mlir::Value stride(int64_t index, char dim);
  mlir::Value operand(mlir::Value buffer, mlir::Value offset,
                      mlir::Type element, llvm::StringRef dims,
                      mlir::Value rowStride, mlir::Value colStride);
  mlir::Value convert(mlir::Value value, mlir::Type type);
  mlir::Value inlineRegion(mlir::Value sum, mlir::ValueRange inputs);
  mlir::Type elementC();

  mlir::OpBuilder &builder;
  mlir::Location loc;
  MatmulOp op;
  const Problem &problem;
  const std::map<std::string, mlir::Value> &params;
  llvm::SmallVector<mlir::Value> operands;
};

} // namespace hone

#endif // HONE_PASSES_BUILDGEMM_H
