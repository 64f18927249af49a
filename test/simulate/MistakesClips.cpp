//===- MistakesClips.cpp - Mistakes in bounds and in shares ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrong bounds and wrong owners of extents, tiles, steps, slots, lines, columns
// and blocks.
//
//===----------------------------------------------------------------------===//

#include "MistakeList.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;
using namespace hone::test;

/// Replaces the op's result by another op of the same operands.
template <typename Other>
static void replaceBy(Operation *op) {
  OpBuilder builder(op);
  op->getResult(0).replaceAllUsesWith(Other::create(
      builder, op->getLoc(), op->getOperand(0), op->getOperand(1)));
}

static void forget(Operation *op, unsigned operand) {
  op->getResult(0).replaceAllUsesWith(op->getOperand(1 - operand));
}

static bool isConstant(Value value) {
  return value.getDefiningOp<arith::ConstantOp>() != nullptr;
}

//===----------------------------------------------------------------------===//
// Clips
//===----------------------------------------------------------------------===//

/// The comparison, off by one in either direction.
static std::optional<arith::CmpIPredicate>
neighbour(arith::CmpIPredicate predicate) {
  using Predicate = arith::CmpIPredicate;
  switch (predicate) {
  case Predicate::ult:
    return Predicate::ule;
  case Predicate::ule:
    return Predicate::ult;
  case Predicate::ugt:
    return Predicate::uge;
  case Predicate::uge:
    return Predicate::ugt;
  case Predicate::eq:
    return Predicate::uge;
  case Predicate::ne:
    return Predicate::ugt;
  default:
    return std::nullopt;
  }
}

static void listArithmetic(MistakeList &list) {
  Operation *op = list.op;
  if (isa<arith::CeilDivUIOp>(op))
    list.add(Cause::clips, "floor", "", replaceBy<arith::DivUIOp>);
  if (isa<arith::DivUIOp>(op))
    list.add(Cause::clips, "ceil", "", replaceBy<arith::CeilDivUIOp>);
  if (isa<arith::MinUIOp>(op))
    list.add(Cause::clips, "max", "", replaceBy<arith::MaxUIOp>);
  if (isa<arith::MinUIOp, arith::MaxUIOp, arith::SelectOp>(op)) {
    unsigned first = isa<arith::SelectOp>(op);
    for (unsigned operand : {first, first + 1})
      list.add(Cause::clips, "always", Twine(operand - first),
               [operand](Operation *op) {
                 op->getResult(0).replaceAllUsesWith(op->getOperand(operand));
               });
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    if (auto other = neighbour(compare.getPredicate()))
      list.add(Cause::clips, "compare", stringifyCmpIPredicate(*other),
               [other](Operation *op) {
                 cast<arith::CmpIOp>(op).setPredicate(*other);
               });
    list.add(Cause::clips, "compare", "with one more",
             [](Operation *op) { addToOperand(op, 1, 1); });
  }
}

static void listLoops(MistakeList &list) {
  Operation *op = list.op;
  if (isa<scf::ForOp>(op)) {
    list.add(Cause::clips, "loop", "from one later",
             [](Operation *op) { addToOperand(op, 0, 1); });
    for (int64_t by : {1, -1})
      list.add(Cause::clips, "loop", "to " + Twine(by),
               [by](Operation *op) { addToOperand(op, 1, by); });
    list.add(Cause::clips, "loop", "step + 1",
             [](Operation *op) { addToOperand(op, 2, 1); });
    for (auto [i, init] : llvm::enumerate(cast<scf::ForOp>(op).getInitArgs()))
      if (init.getType().isInteger(32))
        list.add(Cause::shares, "loop", "starts with another " + Twine(i),
                 [i = i](Operation *op) { addToOperand(op, 3 + i, 1); });
  }
  if (isa<scf::IfOp>(op))
    for (bool value : {true, false})
      list.add(Cause::clips, "if", value ? "true" : "false",
               [value](Operation *op) {
                 OpBuilder builder(op);
                 op->setOperand(
                     0, arith::ConstantOp::create(builder, op->getLoc(),
                                                  builder.getBoolAttr(value)));
               });
}

/// Matrices a little longer or shorter than declared, and operands of the
/// epilogue that are not clipped at the edge of C.
static void listExtents(MistakeList &list) {
  Operation *op = list.op;
  if (auto matrix = dyn_cast<MatrixOp>(op)) {
    constexpr unsigned kLines = 2, kWidth = 3;
    for (unsigned operand : {kLines, kWidth})
      for (int64_t by : {1, -1, 8})
        list.add(Cause::clips, "extent",
                 (operand == kLines ? "lines " : "width ") + Twine(by),
                 [=](Operation *op) { addToOperand(op, operand, by); });
    list.add(Cause::clips, "extent", "stride + 8",
             [](Operation *op) { addToOperand(op, 4, 8); });
    list.add(Cause::shares, "offset", "+ 8",
             [](Operation *op) { addToOperand(op, 1, 8); });
    auto type = matrix.getType();
    // 16 is the highest alignment that a matrix may promise.
    constexpr int64_t kBest = 16;
    if (type.getAlign() < kBest)
      list.add(Cause::clips, "align", "16", [](Operation *op) {
        auto type = cast<MatrixType>(op->getResult(0).getType());
        op->getResult(0).setType(
            MatrixType::get(op->getContext(), type.getElement(), kBest));
      });
  }
  if (auto epilogue = dyn_cast<EpilogueOp>(op)) {
    unsigned first = epilogue.getExtents().getBeginOperandIndex();
    for (unsigned i : {0, 1})
      for (int64_t by : {1, 4096})
        if (!epilogue.getInputs().empty())
          list.add(Cause::clips, "extent",
                   (i ? "columns " : "rows ") + Twine(by),
                   [=](Operation *op) { addToOperand(op, first + i, by); });
  }
  if (isa<OperandOp>(op))
    for (unsigned i : {2, 3})
      list.add(Cause::shares, "stride", i == 2 ? "rows" : "columns",
               [i](Operation *op) { addToOperand(op, i, 1); });
}

void hone::test::listClips(MistakeList &list) {
  listArithmetic(list);
  listLoops(list);
  listExtents(list);
}

//===----------------------------------------------------------------------===//
// Shares
//===----------------------------------------------------------------------===//

/// The next slot or barrier.
static void listShifts(MistakeList &list) {
  Operation *op = list.op;
  for (OpOperand &operand : op->getOpOperands()) {
    int64_t slots = 0;
    if (auto ring = dyn_cast<RingType>(operand.get().getType()))
      slots = ring.getSlots();
    auto barriers = dyn_cast<BarriersType>(operand.get().getType());
    if (barriers && isa<AwaitOp, ExpectOp, ArriveOp>(op))
      slots = barriers.getSlots();
    unsigned next = operand.getOperandNumber() + 1;
    // An operand whose ring only gives the slots' size has no slot index.
    bool hasSlot = next < op->getNumOperands() &&
                   op->getOperand(next).getType().isInteger(32);
    if (slots < 2 || !hasSlot || isa<BarriersInitOp>(op))
      continue;
    list.add(
        Cause::shares, "shift", barriers ? "barrier" : "slot",
        [next, slots](Operation *op) { shiftOperand(op, next, 1, slots); });
  }
}

/// A block is left out of the mask, or another block is added.
static void listMasks(MistakeList &list) {
  auto maskOf = [](Operation *op) {
    return isa<LoadOp>(op) ? cast<LoadOp>(op).getBlocksMutable()
                           : cast<ArriveOp>(op).getBlocksMutable();
  };
  if (!isa<LoadOp, ArriveOp>(list.op) || maskOf(list.op).empty())
    return;
  for (int64_t rank = 0; rank < list.cluster; ++rank)
    list.add(Cause::shares, "mask", "block " + Twine(rank), [=](Operation *op) {
      OpBuilder builder(op);
      MutableOperandRange mask = maskOf(op);
      mask.assign(arith::XOrIOp::create(
          builder, op->getLoc(), mask[0].get(),
          constantLike(builder, mask[0].get(), 1 << rank)));
    });
}

static void listParts(MistakeList &list) {
  Operation *op = list.op;
  if (auto load = dyn_cast<LoadOp>(op); load && load.getPart())
    list.add(Cause::shares, "part", "", [](Operation *op) {
      OpBuilder builder(op);
      auto load = cast<LoadOp>(op);
      load.getPartMutable().assign(constantLike(builder, load.getPart(), 0));
    });
  auto sum = dyn_cast<PartialSumOp>(op);
  if (!sum)
    return;
  if (sum.getFirst()) {
    list.add(Cause::shares, "part", "stride",
             [](Operation *op) { addToAttribute(op, "stride", -1); });
    list.add(Cause::shares, "part", "first", [](Operation *op) {
      OpBuilder builder(op);
      auto sum = cast<PartialSumOp>(op);
      sum.getFirstMutable().assign(constantLike(builder, sum.getFirst(), 0));
    });
  }
  for (StringRef name : {"blocks", "parts"})
    for (int64_t by : {1, -1})
      if (op->getAttrOfType<IntegerAttr>(name).getInt() + by > 0)
        list.add(Cause::shares, "part", name + " " + Twine(by),
                 [=](Operation *op) { addToAttribute(op, name, by); });
}

/// True if tiles may be walked in any order, or no op uses the position.
static bool isFree(Operation *op, unsigned operand) {
  if (auto tile = dyn_cast<TileOp>(op))
    return tile.getGroup() == op->getOperand(operand);
  auto epilogue = dyn_cast<EpilogueOp>(op);
  return epilogue && epilogue.getInputs().empty();
}

/// Sizes are numbered like M and N, lines like columns: exchange two
/// neighbours, or change one.
static void listPlaces(MistakeList &list) {
  Operation *op = list.op;
  bool hasPlaces =
      isa<TileOp, LoadOp, StoreAsyncOp, StoreOp, StoreLinesOp, CopyOp,
          EpilogueOp, MatrixOp, MmaAsyncOp, PartialPutOp, PartialSumOp, StageOp,
          UnstageOp, SumsPutOp, SumsTotalOp, CountArriveOp, CountAwaitOp,
          CopyLinesOp, TransposeLinesOp>(op);
  if (!hasPlaces)
    return;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    Value value = op->getOperand(i);
    if (!value.getType().isInteger(32) || isFree(op, i))
      continue;
    list.add(Cause::shares, "place", Twine(i) + " + 1",
             [i](Operation *op) { addToOperand(op, i, 1); });
    if (isa<LoadOp, StoreAsyncOp, CopyOp, MmaAsyncOp, StageOp, StoreOp>(op))
      list.add(Cause::shares, "place", Twine(i) + " + 8",
               [i](Operation *op) { addToOperand(op, i, 8); });
    if (i + 1 < op->getNumOperands() && op->getOperand(i + 1) != value &&
        op->getOperand(i + 1).getType() == value.getType())
      list.add(Cause::shares, "swap", Twine(i), [i](Operation *op) {
        Value first = op->getOperand(i);
        op->setOperand(i, op->getOperand(i + 1));
        op->setOperand(i + 1, first);
      });
  }
}

/// Numbers and words in the op's attributes.
static void listNumbers(MistakeList &list) {
  Operation *op = list.op;
  for (auto [name, by] : {std::pair<StringRef, int64_t>("from", 8),
                          {"step", 1},
                          {"lines", 1},
                          {"lines", -1}})
    if (auto value = op->getAttrOfType<IntegerAttr>(name);
        value && isa<KernelDialect>(op->getDialect()))
      list.add(Cause::shares, "number", name + " " + Twine(by),
               [=, name = name, by = by](Operation *op) {
                 addToAttribute(op, name, by);
               });
  for (StringRef name : {"transposed", "transposed_a", "transposed_b"})
    if (isa<ReadOp, MmaAsyncOp, PartialPutOp>(op) && op->hasAttr(name))
      list.add(Cause::shares, "not", name,
               [name](Operation *op) { op->removeAttr(name); });
}

/// An index of lines: read the matrix in order.
static void listIndices(MistakeList &list) {
  auto copy = dyn_cast<CopyOp>(list.op);
  if (copy && copy.getIndex())
    list.add(Cause::shares, "index", "ignored", [](Operation *op) {
      cast<CopyOp>(op).getIndexMutable().clear();
      cast<CopyOp>(op).getCountMutable().clear();
    });
}

/// Arithmetic of places: drop one operand.
static void listForgotten(MistakeList &list) {
  Operation *op = list.op;
  if (!isa<arith::AddIOp, arith::MulIOp, arith::SubIOp, arith::RemUIOp,
           arith::DivUIOp, arith::ShLIOp, arith::OrIOp>(op))
    return;
  list.add(Cause::shares, "forget", "1", [](Operation *op) { forget(op, 1); });
  if (isa<arith::AddIOp, arith::OrIOp>(op) && !isConstant(op->getOperand(1)))
    list.add(Cause::shares, "forget", "0",
             [](Operation *op) { forget(op, 0); });
}

static void listPlacesInMemory(MistakeList &list) {
  if (isa<RingOp, PartialOp, BarriersOp>(list.op))
    for (int64_t by : {128, -128})
      if (list.op->getAttrOfType<IntegerAttr>("offset").getInt() + by >= 0)
        list.add(Cause::shares, "offset", Twine(by),
                 [by](Operation *op) { addToAttribute(op, "offset", by); });
}

void hone::test::listShares(MistakeList &list) {
  listShifts(list);
  listMasks(list);
  listParts(list);
  listPlaces(list);
  listNumbers(list);
  listIndices(list);
  listForgotten(list);
  listPlacesInMemory(list);
}

void hone::test::listMerges(MistakeList &list, gpu::GPUFuncOp kernel) {
  std::vector<std::pair<Operation *, size_t>> places;
  size_t index = 0;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<RingOp, PartialOp, BarriersOp>(op))
      places.push_back({op, index});
    ++index;
  });
  auto offsetOf = [](Operation *op) {
    return op->getAttrOfType<IntegerAttr>("offset").getInt();
  };
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t j = i + 1; j < places.size(); ++j) {
      int64_t to = offsetOf(places[i].first);
      // Kernels place the sums over the slots on purpose.
      if (to == offsetOf(places[j].first))
        continue;
      std::tie(list.op, list.index) = places[j];
      list.add(Cause::shares, "merge",
               "with " + places[i].first->getName().getStringRef(),
               [to](Operation *op) {
                 Builder builder(op->getContext());
                 op->setAttr("offset", builder.getI64IntegerAttr(to));
               });
    }
}
