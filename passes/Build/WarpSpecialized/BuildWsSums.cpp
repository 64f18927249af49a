//===- BuildWsSums.cpp - Exchange of sums before the store ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Consumers whose sums cover only a part of K, or are transposed, write them to
// shared memory, in place of the slots, where other threads read them. See
// BuildWsKernel.h.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Build/WarpSpecialized/BuildWsKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

/// Finishes a part: stores the tile if the part's sums are complete.
void WsKernel::finishPart(const Part &part, const Place &place,
                          ArrayRef<Value> accs, Value residualPhase) {
  if (knobs.meets())
    return reduceTile(place, accs);
  if (!part.isWhole)
    return storeTile(place, accs, residualPhase);
  auto branch = scf::IfOp::create(builder, loc, part.isWhole,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  storeTile(place, accs, residualPhase);
  builder.setInsertionPointToStart(branch.elseBlock());
  leaveSums(part, accs);
}

Value WsKernel::placePartial() {
  auto type = PartialType::get(builder.getContext(), knobs.tileRows(),
                               knobs.tileCols());
  return PartialOp::create(builder, loc, type, 0);
}

/// Puts this group's bands at their place in the tile of C.
void WsKernel::putSums(ArrayRef<Value> accs) {
  for (auto [band, acc] : llvm::enumerate(accs)) {
    Value row = add(groupRow, i32(band * kBandRows)), col = groupCol;
    if (knobs.transposes)
      std::swap(row, col);
    PartialPutOp::create(builder, loc, acc, placePartial(), row, col,
                         knobs.transposes);
  }
}

AccType WsKernel::runType(int64_t rows) {
  // For lines that start anywhere, elements are stored one by one, by adjacent
  // threads.
  int64_t run = knobs.threadsStore ? 1 : 8, cols = knobs.tileCols();
  while (rows * cols % (128 * run))
    run /= 2;
  return AccType::get(builder.getContext(), rows, cols,
                      hone::accumulatorOf(elementA), /*warpsM=*/4,
                      /*warpsN=*/1, run);
}

/// C, for threads that store it; the launch's guard ensures its alignment.
Value WsKernel::placeMatrixC(const Place &place) {
  int64_t align = knobs.alignC(elementC.getIntOrFloatBitWidth() / 8);
  auto type = MatrixType::get(builder.getContext(), elementC, align);
  return MatrixOp::create(builder, loc, type, params["c"],
                          epilogue.batchOffset(batchOf(place), "sc", "hc"),
                          params["m"], params["n"], params["ldc"]);
}

/// Each consumer of the blocks that share the tile finishes some lines of it.
void WsKernel::reduceTile(const Place &place, ArrayRef<Value> accs) {
  // The sums overwrite the slots once no consumer reads these any more.
  if (knobs.groups() > 1)
    RoleBarrierOp::create(builder, loc);
  putSums(accs);
  ClusterSyncOp::create(builder, loc);
  AccType share = runType(knobs.tileRows() / (knobs.splits * knobs.groups()));
  Value number = add(mul(shareOfK, knobs.groups()), group);
  Value line = mul(number, share.getRows());
  int64_t apart = knobs.clusterBlocks() / knobs.splits;
  Value first = knobs.sharesLoads() ? sub(rank, mul(shareOfK, apart)) : Value();
  Value sum =
      PartialSumOp::create(builder, loc, share, placePartial(), line,
                           knobs.splits, /*parts=*/1, first, first ? apart : 1);
  // A thread that has read all its sums releases the other blocks.
  ClusterArriveOp::create(builder, loc);
  placeEpilogue(place);
  Value row = add(knobs.transposes ? place.col : place.row, line);
  Value col = knobs.transposes ? place.row : place.col;
  StoreOp::create(builder, loc, epilogue.apply(sum, row, col),
                  placeMatrixC(place), row, col);
  ClusterWaitOp::create(builder, loc);
}
