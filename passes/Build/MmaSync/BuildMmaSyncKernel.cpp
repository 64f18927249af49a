//===- BuildMmaSyncKernel.cpp - Kernel of mma_sync ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the multistage pipeline as kernel IR:
//
//   copy tiles 0 .. stages-2 into their slots, a group each
//   wait for slot 0; barrier; read its first step of k
//   for each tile of K:
//     copy the tile stages-1 later into the slot that was read before; commit
//     for each step of the slot (16 elements of k, 8 of f32, 32 of 8 bits):
//       read the next step; before that of the next slot: wait for it, barrier
//       multiply
//   epilogue, store
//
// Threads compute exact products of f32, in steps of 4 elements of k, from
// slots whose lines run along k: other operands are transposed by the copy.
//
// With splits, each block of a cluster has a run of K's tiles, and all finish
// equal parts of the tile of C together: see ClusterOps.td.
//
// One barrier a tile is enough. It makes the copies of all threads visible
// before the slot is read. It is also between the last read of a slot (one step
// before the barrier) and the copy that overwrites it (after the barrier, in
// the next round).
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/AddressMap.h"
#include "hone/Schedule/ExactF32.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Build/MmaSync/MmaSyncTile.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace {

class MmaSyncKernel : MmaSyncTile {
public:
  using MmaSyncTile::MmaSyncTile;

  void build() {
    placeTile();
    if (schedule.splits > 1)
      rank = ClusterRankOp::create(builder, loc, builder.getI32Type());
    if (schedule.slices > 1)
      multiplyInSlices();
    else
      multiply();
    matrixC =
        matrix("c", elementC, problem.alignC, true, params["m"], params["n"]);
    epilogue.placeOperands(place);
    if (!schedule.meets())
      storeTile(sums, row);
    else
      storeShare();
    gpu::ReturnOp::create(builder, loc);
  }

private:
  //===--------------------------------------------------------------------===//
  // Places of operands
  //===--------------------------------------------------------------------===//

  /// Places this group's steps of K: all, or one of equal runs of them. If K
  /// has too few steps, the last runs are empty.
  void placeRun() {
    Value k = params["k"], start;
    Value length = endK = k;
    if (problem.isRaggedSum) {
      Type type = builder.getI32Type();
      auto bounds =
          SegmentBoundsOp::create(builder, loc, type, type, batch,
                                  params["segments"], params["groups"], k);
      firstK = start = bounds.getFirst();
      k = endK = bounds.getEnd();
      length = arith::SubIOp::create(builder, loc, k, start);
    }
    steps = arith::CeilDivUIOp::create(builder, loc, length, i32(tileK()));
    if (schedule.runs() == 1)
      return;
    Value number = rank ? rank : i32(0);
    if (group)
      number = add(mul(number, schedule.slices), group);
    Value run =
        arith::CeilDivUIOp::create(builder, loc, steps, i32(schedule.runs()));
    Value first = arith::MinUIOp::create(
        builder, loc, arith::MulIOp::create(builder, loc, number, run), steps);
    Value end = arith::MinUIOp::create(builder, loc, add(first, run), steps);
    steps = arith::SubIOp::create(builder, loc, end, first);
    auto place = [&](Value step) {
      Value at = mul(step, tileK());
      return start ? add(start, at) : at;
    };
    firstK = place(first);
    // For this group, the matrices end at the end of its run.
    endK = arith::MinUIOp::create(builder, loc, k, place(end));
  }

  void placeMatrices() {
    Value m = params["m"], n = params["n"];
    matrixA = matrix("a", elementA, problem.a.align, rowA(),
                     problem.isIndexed ? params["ma"] : m, endK);
    matrixB = matrix("b", elementB, problem.b.align, rowB(), endK, n);
    auto ring = [&](int64_t offset, int64_t extent, bool alongK, Type element) {
      int64_t lines = extent, width = tileK();
      if (!alongK)
        std::swap(lines, width);
      auto type =
          RingType::get(builder.getContext(), schedule.slices * schedule.stages,
                        lines, width, element);
      return RingOp::create(builder, loc, type, offset);
    };
    auto first = ring(0, tileM(), linesA(), elementA);
    // A ring starts at a multiple of 1024 bytes, where every swizzle restarts.
    int64_t offset = llvm::alignTo(first.getRing().getType().getBytes(), 1024);
    ringA = first;
    ringB = ring(offset, tileN(), linesB(), elementB);
  }

  //===--------------------------------------------------------------------===//
  // The pipeline
  //===--------------------------------------------------------------------===//

  /// Starts the copies of the tiles of A and B of this run's `step` into
  /// `slot`, as one group. After the run's end the group is empty.
  void copyStep(Value step, Value slot) {
    {
      Value inside = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, step, steps);
      auto branch = scf::IfOp::create(builder, loc, inside);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      Value k = mul(step, tileK());
      if (firstK)
        k = add(firstK, k);
      auto copy = [&](Value from, Value line, Value column, Value to,
                      bool transposed, Value index) {
        CopyOp::create(builder, loc, from, line, column, index,
                       index ? params["m"] : Value(), to, slotOf(slot),
                       transposed);
      };
      copy(matrixA, rowA() ? row : k, rowA() ? k : row, ringA,
           linesA() != rowA(), problem.isIndexed ? params["index"] : Value());
      copy(matrixB, rowB() ? k : col, rowB() ? col : k, ringB,
           linesB() == rowB(), /*index=*/Value());
    }
    CopyCommitOp::create(builder, loc);
  }

  /// The first access to global memory. The next kernel may start once these
  /// copies are in flight, but not before this kernel has waited itself.
  /// Otherwise one kernel after the other would start and wait, and occupy the
  /// processors of those that work.
  void fillRings() {
    bool mayOverlap = overlaps(op.getArchAttr().getValue());
    if (mayOverlap && !op.getRagged())
      DependWaitOp::create(builder, loc);
    for (int64_t stage = 0; stage + 1 < schedule.stages; ++stage)
      copyStep(i32(stage), i32(stage));
    if (mayOverlap)
      DependReleaseOp::create(builder, loc);
  }

  /// The groups' slots follow each other.
  Value slotOf(Value slot) {
    return group ? add(mul(group, schedule.stages), slot) : slot;
  }

  /// The next slot of a ring.
  Value next(Value slot) {
    Value following = arith::AddIOp::create(builder, loc, slot, i32(1));
    Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        following, i32(schedule.stages));
    return arith::SelectOp::create(builder, loc, wraps, i32(0), following);
  }

  /// The fragments of the next multiplication.
  struct Fragments {
    Value a, b;
  };

  Fragments read(Value slot, int64_t step) {
    auto readSide = [&](StringRef side, Value ring, int64_t rows, Type element,
                        bool transposed) {
      auto type = FragmentType::get(builder.getContext(), side, rows, element,
                                    schedule.warps[0], schedule.warps[1],
                                    isExact ? kThreadStep : 0);
      return ReadOp::create(builder, loc, type, ring, slotOf(slot), step,
                            transposed);
    };
    // A B that is converted has the type of A once it is read.
    Type multipliedB = problem.convertsB() ? elementA : elementB;
    return {readSide("a", ringA, tileM(), elementA, !linesA()),
            readSide("b", ringB, tileN(), multipliedB, !linesB())};
  }

  /// This group's sums over its run.
  void multiply() {
    placeRun();
    placeMatrices();
    fillRings();
    sums = mainLoop();
  }

  /// Waits until the oldest slot in flight is full, for all threads.
  void waitForSlot() {
    CopyWaitOp::create(builder, loc, schedule.stages - 2);
    if (group)
      GroupBarrierOp::create(builder, loc);
    else
      BarrierOp::create(builder, loc);
  }

  Value mainLoop() {
    auto type = AccType::get(builder.getContext(), tileM(), tileN(),
                             hone::accumulatorOf(elementA), schedule.warps[0],
                             schedule.warps[1]);
    Value zero = ZeroOp::create(builder, loc, type);
    waitForSlot();
    Fragments first = read(i32(0), 0);
    auto loop = scf::ForOp::create(
        builder, loc, i32(0), steps, i32(1),
        ValueRange{zero, first.a, first.b, i32(0), i32(schedule.stages - 1)});
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      scf::YieldOp::create(
          builder, loc,
          multiplySlot(loop.getInductionVar(), loop.getRegionIterArgs()));
    }
    return loop.getResult(0);
  }

  /// One slot. Fragments are read one step before their multiplication, and the
  /// first of the next slot after its barrier, so that neither the reads nor
  /// the barrier leave the tensor cores idle.
  SmallVector<Value> multiplySlot(Value step, ValueRange state) {
    Value acc = state[0], full = state[3], empty = state[4];
    Fragments current = {state[1], state[2]};
    copyStep(add(step, i32(schedule.stages - 1)), empty);
    Value following = next(full);
    int64_t ofStep = isExact ? kThreadStep : stepOf(sizeOf(problem.a.type));
    int64_t last = tileK() / ofStep - 1;
    for (int64_t part = 0; part <= last; ++part) {
      if (part == last)
        waitForSlot();
      Fragments upcoming =
          part == last ? read(following, 0) : read(full, part + 1);
      acc = multiplied(current, acc);
      current = upcoming;
    }
    return {acc, current.a, current.b, following, next(empty)};
  }

  Value multiplied(const Fragments &factors, Value acc) {
    if (isExact)
      return FmaOp::create(builder, loc, acc.getType(), factors.a, factors.b,
                           acc);
    return MmaOp::create(builder, loc, acc.getType(), factors.a, factors.b, acc,
                         /*split=*/problem.products == Products::tf32x3,
                         /*apart=*/problem.products == Products::blocks);
  }

  //===--------------------------------------------------------------------===//
  // From sums to C
  //===--------------------------------------------------------------------===//

  void storeTile(Value acc, Value line) {
    StoreOp::create(builder, loc, epilogue.apply(acc, line, col), matrixC, line,
                    col);
  }

  /// Each group of warps is a group of one role, and leaves its sums in memory.
  void multiplyInSlices() {
    OpBuilder::InsertionGuard guard(builder);
    auto role = RoleOp::create(builder, loc, "slice", schedule.threads() / 32,
                               IntegerAttr(), /*one_thread=*/false);
    Block *body = &role.getBody().emplaceBlock();
    group = body->addArgument(builder.getI32Type(), loc);
    builder.setInsertionPointToStart(body);
    multiply();
    // The sums of a group overwrite the rings of all groups.
    BarrierOp::create(builder, loc);
    putSums(mul(group, tileM()));
    group = nullptr;
  }

  Value placePartial() {
    auto type = PartialType::get(builder.getContext(),
                                 schedule.slices * tileM(), tileN());
    return PartialOp::create(builder, loc, type, 0);
  }

  void putSums(Value line) {
    PartialPutOp::create(builder, loc, sums, placePartial(), line, i32(0));
  }

  /// The lines that this block finishes, with runs of neighbours for each
  /// thread: eight if there are enough elements.
  AccType shareType() {
    int64_t rows = tileM() / schedule.splits, run = 8;
    while (rows * tileN() % (schedule.threads() * run))
      run /= 2;
    return AccType::get(builder.getContext(), rows, tileN(),
                        hone::accumulatorOf(elementA), schedule.threads() / 32,
                        1, run);
  }

  /// All groups that share the tile have sums over a part of K. They exchange
  /// them in shared memory, in place of the rings, and each block finishes some
  /// lines. A single block stores longer runs this way.
  void storeShare() {
    AccType share = shareType();
    if (schedule.slices == 1) {
      BarrierOp::create(builder, loc);
      putSums(i32(0));
    }
    bool crosses = schedule.splits > 1;
    if (crosses)
      ClusterSyncOp::create(builder, loc);
    else
      BarrierOp::create(builder, loc);
    Value line = crosses ? mul(rank, share.getRows()) : i32(0);
    Value sum = PartialSumOp::create(builder, loc, share, placePartial(), line,
                                     schedule.splits, schedule.slices,
                                     /*first=*/Value());
    if (crosses)
      ClusterArriveOp::create(builder, loc);
    storeTile(sum, add(row, line));
    if (crosses)
      ClusterWaitOp::create(builder, loc);
  }

  /// This group's part of K: its start (null for 0), its steps, and its end;
  /// and its sums.
  Value firstK, steps, endK, sums;
  Value matrixA, matrixB, matrixC, ringA, ringB;
};

} // namespace

void hone::buildMmaSyncKernel(KernelModule &module, StringRef name, MatmulOp op,
                              const Problem &problem, const MmaSync &schedule) {
  // mma.sync of 8-bit floats needs a later PTX version than sm_89 itself.
  if (isShortFloat(problem.a.type))
    module.raise("+ptx84");
  auto func = createKernel(module, op, name, mmaSyncParams(op),
                           schedule.threads(), schedule.splits);
  MmaSyncKernel(func, op, problem, schedule).build();
}
