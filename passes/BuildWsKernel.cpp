//===- BuildWsKernel.cpp - The kernel of the families for sm_90a ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes roles around two rings as kernel IR:
//
//   producer, one thread             consumer, each group of four warps
//   --------------------------       ------------------------------------------
//   for each tile of this block      for each tile of this block
//     for each step of k               for each step of k
//       await empty[slot]                await full[slot]
//       expect full[slot]                fence; products of the slot; commit
//       load A and B                     wait for the products before them
//                                        arrive at empty[slot before]
//                                      epilogue and stores, chunk by chunk
//
// One group of products stays in flight while the next slot is awaited, so a
// slot is given back one step late. The first step of a tile starts the sums.
// It is not peeled off: two ways to one wait keep ptxas from overlapping
// products (C7514).
//
// A chunk's slot is written when at most `slots - 1` stores of this group have
// not been read yet: the number of slots divides the number of chunks, so each
// chunk of a tile has a slot of its own, the same in every tile.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/BuildWs.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace {

class WsKernel {
public:
  WsKernel(gpu::GPUFuncOp func, MatmulOp op, const GemmOperands &operands,
           const WsForm &form)
      : op(op), operands(operands), problem(operands.problem), form(form),
        knobs(form.knobs),
        builder(OpBuilder::atBlockBegin(&func.getBody().front())),
        loc(op.getLoc()), elementA(elementOf(op.getA())),
        elementC(elementOf(op.getC())), epilogue(builder, op, problem, params) {
    for (auto [param, value] :
         llvm::zip_equal(wsParams(op, operands, form), func.getArguments()))
      if (param.kind == LaunchParam::tensorMap)
        maps[param.name] = value;
      else
        params[param.name] = value;
  }

  void build() {
    placeRings();
    placeBarriers();
    countTiles();
    bool producerFirst = form.producerWarps % 4 == 0;
    if (producerFirst)
      producer();
    consumers();
    if (!producerFirst)
      producer();
    // A block's memory and barriers are there until nobody in the cluster uses
    // them any more.
    if (knobs.clusterBlocks() > 1)
      ClusterSyncOp::create(builder, loc);
    gpu::ReturnOp::create(builder, loc);
  }

private:
  //===--------------------------------------------------------------------===//
  // Where things are
  //===--------------------------------------------------------------------===//

  void placeRings() {
    int64_t offset = 0;
    auto ring = [&](int64_t slots, int64_t lines, int64_t width, Type element) {
      auto type =
          RingType::get(builder.getContext(), slots, lines, width, element);
      Value placed = RingOp::create(builder, loc, type, offset);
      offset += type.getBytes();
      return placed;
    };
    auto [m, n, k] = knobs.tile;
    ringA = rowA() ? ring(knobs.stages, m, k, elementA)
                   : ring(knobs.stages, k, m, elementA);
    ringB = rowB() ? ring(knobs.stages, k, n, elementA)
                   : ring(knobs.stages, n, k, elementA);
    int64_t bytes = elementC.getIntOrFloatBitWidth() / 8;
    ringC = ring(knobs.chunkSlots(bytes), knobs.groups() * kBandRows,
                 knobs.chunkCols(bytes), elementC);
    barrierOffset = offset;
  }

  void placeBarriers() {
    auto barriers = [&](int64_t arrivals) {
      auto type =
          BarriersType::get(builder.getContext(), knobs.stages, arrivals);
      Value placed = BarriersOp::create(builder, loc, type, barrierOffset);
      barrierOffset += type.getBytes();
      return placed;
    };
    // The producer announces what lands; every consumer of the cluster, whose
    // memory a shared load writes, gives the slot back.
    full = barriers(1);
    empty = barriers(knobs.groups() * knobs.clusterBlocks());
    BarriersInitOp::create(builder, loc, ValueRange{full, empty});
    if (knobs.clusterBlocks() > 1)
      ClusterSyncOp::create(builder, loc);
    else
      BarrierOp::create(builder, loc);
  }

  //===--------------------------------------------------------------------===//
  // Tiles
  //===--------------------------------------------------------------------===//

  void countTiles() {
    tilesM = ceilDiv(params["m"], knobs.tile[0] * knobs.cluster[0]);
    tilesN = ceilDiv(params["n"], knobs.tile[1] * knobs.cluster[1]);
    // There is at least one step, which spares the loops a test.
    steps = arith::MaxUIOp::create(builder, loc,
                                   ceilDiv(params["k"], knobs.tile[2]), i32(1));
    total = arith::MulIOp::create(builder, loc, tilesM, tilesN);
    if (problem.batch)
      total = arith::MulIOp::create(builder, loc, total, params["batch"]);
    Type i32Type = builder.getI32Type();
    auto place =
        WorkerOp::create(builder, loc, i32Type, i32Type, knobs.clusterBlocks());
    worker = place.getWorker();
    workers = place.getWorkers();
    if (knobs.clusterBlocks() > 1)
      rank = ClusterRankOp::create(builder, loc, i32Type);
  }

  /// Where a tile starts in C.
  struct Place {
    Value row, col, batch;
  };

  Place placeOf(Value tile) {
    Type type = builder.getI32Type();
    auto at = TileOp::create(builder, loc, type, type, type, tile, tilesM,
                             tilesN, params["group"]);
    // The blocks of a cluster have neighbouring tiles.
    auto start = [&](Value number, int dim) {
      Value first = mul(number, knobs.tile[dim] * knobs.cluster[dim]);
      if (knobs.cluster[dim] == 1)
        return first;
      return add(first, mul(rank, knobs.tile[dim]));
    };
    return {start(at.getTileM(), 0), start(at.getTileN(), 1), at.getBatch()};
  }

  using Body = function_ref<SmallVector<Value>(Value tile, ValueRange state)>;

  /// Runs `body` for each tile of this block.
  void forEachTile(ValueRange initial, Body body) {
    if (!form.persistent) {
      body(worker, initial);
      return;
    }
    auto loop =
        scf::ForOp::create(builder, loc, worker, total, workers, initial);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        builder, loc, body(loop.getInductionVar(), loop.getRegionIterArgs()));
  }

  /// A place in a ring, and the phase its barrier is in.
  struct Turn {
    Value slot, phase;
  };

  Turn next(Turn turn) {
    Value following = add(turn.slot, i32(1));
    Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        following, i32(knobs.stages));
    Value slot =
        arith::SelectOp::create(builder, loc, wraps, i32(0), following);
    Value flip =
        arith::ExtUIOp::create(builder, loc, builder.getI32Type(), wraps);
    return {slot, arith::XOrIOp::create(builder, loc, turn.phase, flip)};
  }

  //===--------------------------------------------------------------------===//
  // The producer
  //===--------------------------------------------------------------------===//

  /// Opens a role; the builder is in its region until the guard goes.
  Block *openRole(StringRef name, int64_t warps, int64_t registers,
                  bool oneThread) {
    auto role = RoleOp::create(builder, loc, name, warps,
                               registers ? builder.getI32IntegerAttr(registers)
                                         : IntegerAttr(),
                               oneThread);
    Block *body = &role.getBody().emplaceBlock();
    if (!oneThread)
      body->addArgument(builder.getI32Type(), loc);
    builder.setInsertionPointToStart(body);
    return body;
  }

  void producer() {
    OpBuilder::InsertionGuard guard(builder);
    openRole("producer", form.producerWarps, form.producerRegisters, true);
    // A slot that nobody has filled yet is free: its barrier's phase before the
    // first counts as over.
    forEachTile({i32(0), i32(1)}, [&](Value tile, ValueRange state) {
      Place place = placeOf(tile);
      auto loop =
          scf::ForOp::create(builder, loc, i32(0), steps, i32(1), state);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      ValueRange turns = loop.getRegionIterArgs();
      Turn turn = {turns[0], turns[1]};
      fillSlot(place, mul(loop.getInductionVar(), knobs.tile[2]), turn);
      Turn following = next(turn);
      scf::YieldOp::create(builder, loc,
                           ValueRange{following.slot, following.phase});
      return SmallVector<Value>(loop.getResults());
    });
  }

  void fillSlot(const Place &place, Value k, Turn turn) {
    auto bytes = [](Value ring) {
      return cast<RingType>(ring.getType()).getSlotBytes();
    };
    AwaitOp::create(builder, loc, empty, turn.slot, turn.phase);
    ExpectOp::create(builder, loc, full, turn.slot,
                     bytes(ringA) + bytes(ringB));
    auto load = [&](const char *name, Value line, Value column, Value ring,
                    bool batched, int64_t parts) {
      LoadOp::create(builder, loc, maps[name], line, column,
                     batched ? place.batch : Value(), ring, turn.slot, full,
                     parts > 1 ? rank : Value(), parts);
    };
    load("a", rowA() ? place.row : k, rowA() ? k : place.row, ringA,
         operands.a.batch.has_value(), knobs.cluster[1]);
    load("b", rowB() ? k : place.col, rowB() ? place.col : k, ringB,
         operands.b.batch.has_value(), knobs.cluster[0]);
  }

  //===--------------------------------------------------------------------===//
  // The consumers
  //===--------------------------------------------------------------------===//

  void consumers() {
    OpBuilder::InsertionGuard guard(builder);
    Block *body =
        openRole("consumer", knobs.groups() * 4, form.consumerRegisters, false);
    group = body->getArgument(0);
    // Groups are numbered along M first.
    Value alongM = group, alongN = i32(0);
    if (knobs.consumers[1] > 1) {
      alongM =
          arith::RemUIOp::create(builder, loc, group, i32(knobs.consumers[0]));
      alongN =
          arith::DivUIOp::create(builder, loc, group, i32(knobs.consumers[0]));
    }
    groupRow = mul(alongM, knobs.groupRows());
    groupCol = mul(alongN, knobs.groupCols());
    forEachTile({i32(0), i32(0)}, [&](Value tile, ValueRange state) {
      Turn turn = {state[0], state[1]};
      SmallVector<Value> accs = multiplyTile(turn);
      storeTile(placeOf(tile), accs);
      return SmallVector<Value>{turn.slot, turn.phase};
    });
    // What the engine still reads must not go away with the block.
    StoreWaitOp::create(builder, loc, 0, /*written=*/false);
  }

  AccType accType(int64_t cols) {
    return AccType::get(builder.getContext(), kBandRows, cols,
                        builder.getF32Type(), /*warpsM=*/4, /*warpsN=*/1);
  }

  /// The products of one slot, for each band. Where `keep` is false the sums
  /// start at zero.
  SmallVector<Value> multiplySlot(Turn turn, ValueRange accs, Value keep) {
    AwaitOp::create(builder, loc, full, turn.slot, turn.phase);
    MmaFenceOp::create(builder, loc);
    SmallVector<Value> sums;
    for (auto [band, acc] : llvm::enumerate(accs)) {
      Value sum = acc, row = add(groupRow, i32(band * kBandRows));
      for (int64_t step = 0; step < knobs.tile[2] / 16; ++step)
        sum = MmaAsyncOp::create(builder, loc, sum.getType(), ringA, turn.slot,
                                 row, ringB, turn.slot, groupCol, step, sum,
                                 step ? Value() : keep, !rowA(), rowB());
      sums.push_back(sum);
    }
    MmaCommitOp::create(builder, loc);
    return sums;
  }

  SmallVector<Value> waitFor(int64_t pending, ValueRange accs) {
    return SmallVector<Value>(
        MmaWaitOp::create(builder, loc, pending, accs).getResults());
  }

  void release(Value slot) {
    ArriveOp::create(builder, loc, empty, slot, knobs.clusterBlocks());
  }

  /// Gives the slot of the step before this one back, if there was one.
  void releaseBefore(Value slot, Value isLater) {
    auto branch = scf::IfOp::create(builder, loc, isLater);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    release(slot);
  }

  /// All steps of a tile, from `turn` on, which moves behind them.
  SmallVector<Value> multiplyTile(Turn &turn) {
    size_t bands = knobs.bands();
    Value undefined =
        AccUndefinedOp::create(builder, loc, accType(knobs.groupCols()));
    SmallVector<Value> state(bands, undefined);
    state.append({turn.slot, turn.slot, turn.phase});
    auto loop = scf::ForOp::create(builder, loc, i32(0), steps, i32(1), state);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      ValueRange args = loop.getRegionIterArgs();
      Turn now = {args[bands + 1], args[bands + 2]};
      Value isLater =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                loop.getInductionVar(), i32(0));
      SmallVector<Value> sums =
          waitFor(1, multiplySlot(now, args.take_front(bands), isLater));
      releaseBefore(args[bands], isLater);
      Turn following = next(now);
      sums.append({now.slot, following.slot, following.phase});
      scf::YieldOp::create(builder, loc, sums);
    }
    ValueRange results = loop.getResults();
    turn = {results[bands + 1], results[bands + 2]};
    SmallVector<Value> sums = waitFor(0, results.take_front(bands));
    release(results[bands]);
    return sums;
  }

  //===--------------------------------------------------------------------===//
  // The epilogue
  //===--------------------------------------------------------------------===//

  void storeTile(const Place &place, ArrayRef<Value> accs) {
    Value batch;
    if (problem.batch)
      batch = arith::ExtUIOp::create(builder, loc, builder.getI64Type(),
                                     place.batch);
    epilogue.placeOperands(batch);
    int64_t cols = cast<RingType>(ringC.getType()).getWidth();
    int64_t slots = cast<RingType>(ringC.getType()).getSlots();
    int64_t chunk = 0;
    for (auto [band, acc] : llvm::enumerate(accs))
      for (int64_t from = 0; from < knobs.groupCols(); from += cols) {
        Place at = place;
        at.row = add(add(place.row, groupRow), i32(band * kBandRows));
        at.col = add(add(place.col, groupCol), i32(from));
        storeChunk(at, acc, from, chunk++ % slots);
      }
  }

  void storeChunk(const Place &at, Value acc, int64_t from, int64_t slot) {
    auto ring = cast<RingType>(ringC.getType());
    Value part =
        SliceOp::create(builder, loc, accType(ring.getWidth()), acc, from);
    Value tile = epilogue.apply(part, at.row, at.col);
    StoreWaitOp::create(builder, loc, ring.getSlots() - 1, /*written=*/false);
    GroupBarrierOp::create(builder, loc);
    Value line = mul(group, kBandRows);
    StageOp::create(builder, loc, tile, ringC, i32(slot), line,
                    /*transposed=*/false);
    ProxyFenceOp::create(builder, loc);
    GroupBarrierOp::create(builder, loc);
    StoreAsyncOp::create(builder, loc, ringC, i32(slot), line, maps["c"],
                         at.row, at.col, operands.c.batch ? at.batch : Value());
    StoreCommitOp::create(builder, loc);
  }

  //===--------------------------------------------------------------------===//
  // Small things
  //===--------------------------------------------------------------------===//

  /// Rows of C that one product of a group has.
  static constexpr int64_t kBandRows = 64;

  static Type elementOf(Value memref) {
    return cast<ShapedType>(memref.getType()).getElementType();
  }
  bool rowA() const { return problem.a.order == Order::row; }
  bool rowB() const { return problem.b.order == Order::row; }
  Value i32(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value mul(Value a, int64_t b) {
    return arith::MulIOp::create(builder, loc, a, i32(b));
  }
  Value ceilDiv(Value a, int64_t b) {
    return arith::CeilDivUIOp::create(builder, loc, a, i32(b));
  }

  MatmulOp op;
  const GemmOperands &operands;
  const Problem &problem;
  const WsForm &form;
  const WarpSpecialized &knobs;
  OpBuilder builder;
  Location loc;
  Type elementA, elementC;
  std::map<std::string, Value> params, maps;
  EpilogueWriter epilogue;

  Value ringA, ringB, ringC, full, empty;
  int64_t barrierOffset = 0;
  Value tilesM, tilesN, steps, total, worker, workers, rank;
  Value group, groupRow, groupCol;
};

} // namespace

void hone::buildWsKernel(KernelModule &module, StringRef name, MatmulOp op,
                         const GemmOperands &operands, const WsForm &form) {
  SmallVector<Type> types;
  for (const WsParam &param : wsParams(op, operands, form))
    types.push_back(param.type);
  auto func = module.create(op.getLoc(), name, types, form.threads());
  int64_t blocks = form.knobs.clusterBlocks();
  if (blocks > 1)
    func->setAttr(
        NVVM::NVVMDialect::getClusterDimAttrName(),
        DenseI32ArrayAttr::get(op.getContext(), {int32_t(blocks), 1, 1}));
  WsKernel(func, op, operands, form).build();
}
