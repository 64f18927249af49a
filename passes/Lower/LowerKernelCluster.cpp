//===- LowerKernelCluster.cpp - Exchange between blocks and kernels -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers ops that cross the border of a block: the exchange of partial sums
// within a cluster, and the points at which kernels of a stream may overlap.
// PartialMap.h has the layout of the sums.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/PartialMap.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/Lower/LowerKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

//===----------------------------------------------------------------------===//
// Partial sums
//===----------------------------------------------------------------------===//

namespace {

/// Two adjacent sums of a thread are one write, unless their places are in
/// different lines.
void lowerPartialPut(PartialPutOp op, PartialPutOp::Adaptor adaptor,
                     KernelLowering &emit) {
  AccType acc = op.getAcc().getType();
  int64_t cols = op.getPartial().getType().getCols();
  IndexValue thread = emit.threadOf(op), lane = thread % kWarpSize;
  auto place = placeOf(thread, acc.getWarpsN());
  IndexValue firstLine = emit.index(adaptor.getLine());
  IndexValue firstCol = emit.index(adaptor.getColumn());
  IndexValue partial = emit.index(adaptor.getPartial());
  int64_t together = op.getTransposed() ? 1 : 2;
  for (int64_t i = 0; i < acc.getElements(); i += together) {
    auto [row, column] = elementOf(lane, i, acc.getWarpCols());
    IndexValue line = place.warpM * acc.getWarpRows() + row;
    IndexValue col = place.warpN * acc.getWarpCols() + column;
    if (op.getTransposed())
      std::swap(line, col);
    IndexValue offset = partialOffset(firstLine + line, firstCol + col, cols);
    LLVM::StoreOp::create(emit.builder, emit.loc,
                          emit.neighbours(adaptor.getAcc(), i, together),
                          emit.shared(partial + offset),
                          /*alignment=*/together * 4);
  }
}

/// One thread's part of a sum over blocks and parts.
class SumEmitter {
public:
  SumEmitter(PartialSumOp op, PartialSumOp::Adaptor adaptor, OpBuilder &builder)
      : emit(builder, op.getLoc()), type(op.getAcc().getType()),
        together(std::min(type.getRun(), kChunkSums)), parts(op.getParts()),
        partLines(op.getPartial().getType().getRows() / parts),
        thread(emit.threadOf(op)), firstLine(emit.index(adaptor.getLine())) {
    // The shared memory of a block is a window of the cluster's shared memory.
    int64_t blocks = op.getBlocks();
    IndexValue first =
        adaptor.getFirst() ? emit.index(adaptor.getFirst()) : emit.i32(0);
    for (int64_t i = 0; i < blocks; ++i)
      windows.push_back(blocks == 1
                            ? Value(adaptor.getPartial())
                            : windowOf(adaptor.getPartial(),
                                       first + i * int64_t(op.getStride())));
  }

  /// This thread's sums of the result.
  SmallVector<Value> run() {
    SmallVector<Value> sums;
    for (int64_t i = 0; i < type.getElements(); i += together) {
      auto [line, col] = runElementOf(thread, i, type.getThreads(),
                                      type.getCols(), type.getRun());
      Value sum;
      for (Value window : windows)
        for (int64_t part = 0; part < parts; ++part) {
          Value next = load(window, firstLine + line + part * partLines, col);
          sum = sum ? emit.add(sum, next) : next;
        }
      for (int64_t j = 0; j < together; ++j)
        sums.push_back(LLVM::ExtractElementOp::create(emit.builder, emit.loc,
                                                      sum, emit.i32(j)));
    }
    return sums;
  }

private:
  Value windowOf(Value partial, Value rank) {
    OpBuilder &b = emit.builder;
    Type cluster = LLVM::LLVMPointerType::get(b.getContext(), kClusterSpace);
    return NVVM::MapaOp::create(b, emit.loc, cluster, emit.shared(partial),
                                rank);
  }

  /// Neighbouring sums in a window. The window is an address in this block's
  /// memory, or a pointer to that of another block.
  Value load(Value window, IndexValue line, IndexValue col) {
    OpBuilder &b = emit.builder;
    IndexValue offset = partialOffset(line, col, type.getCols());
    Type vector = VectorType::get(together, type.getElement());
    Value address =
        isa<LLVM::LLVMPointerType>(window.getType())
            ? emit.element(window, offset.to(b.getI64Type()), b.getI8Type())
            : emit.shared(emit.index(window) + offset);
    return LLVM::LoadOp::create(b, emit.loc, vector, address, together * 4);
  }

  KernelEmitter emit;
  AccType type;
  /// The number of sums that are read at once.
  int64_t together;
  int64_t parts, partLines;
  IndexValue thread, firstLine;
  SmallVector<Value> windows;
};

Value lowerPartialSum(PartialSumOp op, PartialSumOp::Adaptor adaptor,
                      KernelLowering &emit) {
  SmallVector<Value> sums = SumEmitter(op, adaptor, emit.builder).run();
  return emit.packAs(op.getAcc().getType(), sums);
}

/// An op that is one instruction.
template <typename Op, typename To>
void lowerClusterBarrier(Op, typename Op::Adaptor, KernelLowering &emit) {
  To::create(emit.builder, emit.loc, UnitAttr());
}

//===----------------------------------------------------------------------===//
// Ranks and barriers of a cluster
//===----------------------------------------------------------------------===//

Value lowerClusterRank(ClusterRankOp, ClusterRankOp::Adaptor,
                       KernelLowering &emit) {
  return NVVM::ClusterId::create(emit.builder, emit.loc,
                                 emit.builder.getI32Type());
}

/// The unaligned form: a role of one thread leaves its warp divergent.
void lowerClusterSync(ClusterSyncOp, ClusterSyncOp::Adaptor,
                      KernelLowering &emit) {
  NVVM::ClusterArriveOp::create(emit.builder, emit.loc, UnitAttr());
  NVVM::ClusterWaitOp::create(emit.builder, emit.loc, UnitAttr());
}

//===----------------------------------------------------------------------===//
// Kernels that overlap
//===----------------------------------------------------------------------===//

/// Both points are one instruction.
template <typename Op, NVVM::GridDepActionKind kind>
void lowerDepend(Op, typename Op::Adaptor, KernelLowering &emit) {
  NVVM::GriddepcontrolOp::create(emit.builder, emit.loc, kind);
}

} // namespace

void hone::populateClusterPatterns(const TypeConverter &types,
                                   RewritePatternSet &patterns) {
  addLowerings<
      lowerClusterRank, lowerClusterSync, lowerPlace<PartialOp>,
      lowerPartialPut, lowerPartialSum,
      lowerClusterBarrier<ClusterArriveOp, NVVM::ClusterArriveOp>,
      lowerClusterBarrier<ClusterWaitOp, NVVM::ClusterWaitOp>,
      lowerDepend<DependWaitOp, NVVM::GridDepActionKind::wait>,
      lowerDepend<DependReleaseOp, NVVM::GridDepActionKind::launch_dependents>>(
      types, patterns);
}
