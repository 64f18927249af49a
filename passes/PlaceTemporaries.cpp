//===- PlaceTemporaries.cpp - Buffers that kernels touch ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bufferization allocates with `memref.alloc`, which is host memory. A buffer
// that a matmul reads or writes must be where the GPU can reach it: its alloc
// and its deallocs become those of the GPU dialect, and so do copies to and
// from it. One whose elements host code touches too is shared between both.
// Buffers are followed through views, casts and control flow; one that leaves
// the function may be touched by anybody.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "passes/Passes.h"
#include "passes/Support.h"
#include "llvm/ADT/SetVector.h"

namespace hone {
#define GEN_PASS_DEF_PLACETEMPORARIES
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

namespace {

/// Who uses a buffer, under whatever name.
struct Users {
  bool matmul = false;
  /// An op other than a matmul that may touch the elements.
  Operation *host = nullptr;
  llvm::SmallSetVector<memref::CopyOp, 4> copies;
  llvm::SmallSetVector<memref::DeallocOp, 4> deallocs;
};

struct PlaceTemporariesPass
    : hone::impl::PlaceTemporariesBase<PlaceTemporariesPass> {
  using PlaceTemporariesBase::PlaceTemporariesBase;
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// Users
//===----------------------------------------------------------------------===//

/// True if `op` hands a buffer on, or asks for no more than its shape and
/// place.
static bool leavesElementsAlone(Operation *op) {
  bool isReturn = op->hasTrait<OpTrait::ReturnLike>() &&
                  isa_and_present<FunctionOpInterface>(op->getParentOp());
  if (isReturn)
    return false;
  return isa<ViewLikeOpInterface, RegionBranchOpInterface,
             RegionBranchTerminatorOpInterface, BranchOpInterface,
             SelectLikeOpInterface, memref::TransposeOp, memref::DimOp,
             memref::RankOp, memref::ExtractStridedMetadataOp,
             memref::ExtractAlignedPointerAsIndexOp>(op);
}

/// True if a copy of the GPU's can do what `op` does: both sides are
/// contiguous.
static bool isContiguousCopy(memref::CopyOp op) {
  return llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return memref && memref.getLayout().isIdentity();
  });
}

static Users usersOf(memref::AllocOp alloc,
                     const BufferViewFlowAnalysis &aliases) {
  Users users;
  for (Value alias : aliases.resolve(alloc.getMemref()))
    for (Operation *user : alias.getUsers()) {
      auto copy = dyn_cast<memref::CopyOp>(user);
      if (isa<MatmulOp>(user))
        users.matmul = true;
      else if (auto dealloc = dyn_cast<memref::DeallocOp>(user))
        users.deallocs.insert(dealloc);
      else if (copy && isContiguousCopy(copy))
        users.copies.insert(copy);
      else if (!leavesElementsAlone(user) && !users.host)
        users.host = user;
    }
  return users;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Puts `alloc` where the GPU reaches it.
static void placeAlloc(RewriterBase &rewriter, memref::AllocOp alloc,
                       Operation *host) {
  if (host)
    remarkMissed(alloc, "host-shared",
                 "buffer shared with the host, because '" +
                     host->getName().getStringRef() + "' may touch it");
  rewriter.setInsertionPoint(alloc);
  auto placed = gpu::AllocOp::create(
      rewriter, alloc.getLoc(), alloc.getType(), /*asyncToken=*/Type(),
      /*asyncDependencies=*/ValueRange(), alloc.getDynamicSizes(),
      alloc.getSymbolOperands(), /*hostShared=*/host != nullptr);
  rewriter.replaceOp(alloc, placed.getMemref());
}

void PlaceTemporariesPass::runOnOperation() {
  std::optional<Arch> resolved = resolveArchOption(getOperation(), arch);
  if (!resolved)
    return signalPassFailure();
  if (resolved->isHost())
    return;

  BufferViewFlowAnalysis aliases(getOperation());
  SmallVector<std::pair<memref::AllocOp, Operation *>> allocs;
  Users all;
  getOperation().walk([&](memref::AllocOp alloc) {
    Users users = usersOf(alloc, aliases);
    if (!users.matmul)
      return;
    allocs.push_back({alloc, users.host});
    all.copies.insert_range(users.copies);
    all.deallocs.insert_range(users.deallocs);
  });

  IRRewriter rewriter(&getContext());
  for (auto [alloc, host] : allocs)
    placeAlloc(rewriter, alloc, host);
  for (memref::CopyOp copy : all.copies) {
    rewriter.setInsertionPoint(copy);
    rewriter.replaceOpWithNewOp<gpu::MemcpyOp>(
        copy, /*asyncToken=*/Type(), /*asyncDependencies=*/ValueRange(),
        /*dst=*/copy.getTarget(), /*src=*/copy.getSource());
  }
  for (memref::DeallocOp dealloc : all.deallocs) {
    rewriter.setInsertionPoint(dealloc);
    rewriter.replaceOpWithNewOp<gpu::DeallocOp>(
        dealloc, /*asyncToken=*/Type(), /*asyncDependencies=*/ValueRange(),
        dealloc.getMemref());
  }
}
