//===- Mistakes.cpp - What one can get wrong in a kernel ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the mistakes, op by op; see Mistakes.h.
//
//===----------------------------------------------------------------------===//

#include "Mistakes.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;
using namespace hone::test;

static bool synchronises(Operation *op) {
  return isa<ArriveOp, AwaitOp, BarrierOp, BarriersInitOp, ClusterArriveOp,
             ClusterSyncOp, ClusterWaitOp, CopyCommitOp, CopyOp, CopyWaitOp,
             DependReleaseOp, DependWaitOp, ExpectOp, GroupBarrierOp, LoadOp,
             MmaCommitOp, MmaFenceOp, ProxyFenceOp, RoleBarrierOp, StageOp,
             StoreAsyncOp, StoreCommitOp, StoreOp, StoreWaitOp, CountArriveOp,
             CountAwaitOp, CountLeaveOp, SumsPutOp, PartialPutOp, CopyLinesOp,
             StoreLinesOp>(op) ||
         (isa<MmaWaitOp>(op));
}

/// Deletes `op`; accumulators that pass through it go past it.
static void erase(Operation *op) {
  if (auto wait = dyn_cast<MmaWaitOp>(op))
    op->replaceAllUsesWith(wait.getAccs());
  op->erase();
}

static void addToAttribute(Operation *op, StringRef name, int64_t by) {
  auto before = op->getAttrOfType<IntegerAttr>(name);
  op->setAttr(name, IntegerAttr::get(before.getType(), before.getInt() + by));
}

static Value constant(OpBuilder &builder, Operation *op, int64_t value) {
  return arith::ConstantOp::create(builder, op->getLoc(),
                                   builder.getI32IntegerAttr(value));
}

/// Operand `number` becomes (itself + by) % modulus.
static void shiftOperand(Operation *op, unsigned number, int64_t by,
                         int64_t modulus) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value sum = arith::AddIOp::create(builder, loc, op->getOperand(number),
                                    constant(builder, op, by));
  op->setOperand(number,
                 arith::RemUIOp::create(builder, loc, sum,
                                        constant(builder, op, modulus)));
}

/// Gives barriers another number of arrivals.
static void setArrivals(Operation *op, int64_t by) {
  Value result = op->getResult(0);
  auto type = cast<BarriersType>(result.getType());
  result.setType(BarriersType::get(type.getContext(), type.getSlots(),
                                   type.getArrivals() + by));
}

/// Block `rank` is in the mask where it was not, and the other way around.
static void toggleBlock(MutableOperandRange mask, int64_t rank) {
  Operation *op = mask.getOwner();
  OpBuilder builder(op);
  mask.assign(arith::XOrIOp::create(builder, op->getLoc(), mask[0].get(),
                                    constant(builder, op, 1 << rank)));
}

static int64_t clusterOf(gpu::GPUFuncOp kernel) {
  auto sizes = kernel->getAttrOfType<DenseI32ArrayAttr>(
      NVVM::NVVMDialect::getClusterDimAttrName());
  return sizes ? sizes[0] : 1;
}

/// Everything of the kernel is in front of the wait.
static void moveToEnd(Operation *op) {
  Block &body = op->getParentOfType<gpu::GPUFuncOp>().getBody().front();
  op->moveBefore(body.getTerminator());
}

/// One role waits for all.
static void moveIntoRole(Operation *op, int64_t number) {
  gpu::GPUFuncOp kernel = op->getParentOfType<gpu::GPUFuncOp>();
  for (auto role : kernel.getBody().front().getOps<RoleOp>())
    if (number-- == 0)
      return op->moveBefore(&role.getBody().front(),
                            role.getBody().front().begin());
}

/// Only the cluster with number 0 waits.
static void guardByWorker(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type type = builder.getI32Type();
  auto place =
      WorkerOp::create(builder, loc, type, type,
                       clusterOf(op->getParentOfType<gpu::GPUFuncOp>()));
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                            place.getWorker(), constant(builder, op, 0));
  auto branch = scf::IfOp::create(builder, loc, isFirst);
  op->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
}

namespace {
/// Lists the mistakes that can be made in a kernel.
class Mistakes {
public:
  explicit Mistakes(gpu::GPUFuncOp kernel) {
    size_t index = 0;
    cluster = clusterOf(kernel);
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      of(op, index++);
      if (isa<RingOp, PartialOp, BarriersOp>(op))
        places.push_back({op, index - 1});
    });
    merges();
  }

  std::vector<Mistake> list;

private:
  void add(StringRef kind, Operation *op, std::string detail, size_t index,
           std::function<void(Operation *)> make) {
    list.push_back({kind.str(), op->getName().getStringRef().str(),
                    std::move(detail), index, std::move(make)});
  }

  void of(Operation *op, size_t index) {
    if (synchronises(op))
      add("delete", op, "", index, erase);
    counts(op, index);
    shifts(op, index);
    if (isa<DependWaitOp>(op))
      moves(op, index);
    if (isa<AwaitOp>(op))
      add("phase", op, "", index, [](Operation *op) {
        OpBuilder builder(op);
        auto await = cast<AwaitOp>(op);
        Value other = arith::XOrIOp::create(
            builder, op->getLoc(), await.getPhase(), constant(builder, op, 1));
        await.getPhaseMutable().assign(other);
      });
    if (auto load = dyn_cast<LoadOp>(op); load && load.getPart())
      add("part", op, "", index, [](Operation *op) {
        OpBuilder builder(op);
        cast<LoadOp>(op).getPartMutable().assign(constant(builder, op, 0));
      });
    if (isa<MatrixOp>(op))
      extents(op, index);
    if (auto arrive = dyn_cast<ArriveOp>(op);
        arrive && arrive.getEverywhere() > 1)
      add("part", op, "everywhere", index,
          [](Operation *op) { addToAttribute(op, "everywhere", -1); });
    if (auto sum = dyn_cast<PartialSumOp>(op); sum && sum.getFirst())
      sharers(sum, index);
    if (auto arrive = dyn_cast<ArriveOp>(op); arrive && arrive.isRemote())
      add("twice", op, "", index,
          [](Operation *op) { OpBuilder(op).clone(*op); });
    masks(op, index);
  }

  /// The sums of another tile's blocks.
  void sharers(PartialSumOp op, size_t index) {
    add("part", op, "stride", index,
        [](Operation *op) { addToAttribute(op, "stride", -1); });
    add("part", op, "first", index, [](Operation *op) {
      OpBuilder builder(op);
      cast<PartialSumOp>(op).getFirstMutable().assign(constant(builder, op, 0));
    });
  }

  /// A block is forgotten, or gets what is not its own.
  void masks(Operation *op, size_t index) {
    if (!isa<LoadOp, ArriveOp>(op))
      return;
    auto maskOf = [](Operation *op) {
      return isa<LoadOp>(op) ? cast<LoadOp>(op).getBlocksMutable()
                             : cast<ArriveOp>(op).getBlocksMutable();
    };
    for (int64_t rank = 0; rank < cluster && !maskOf(op).empty(); ++rank)
      add("mask", op, ("block " + Twine(rank)).str(), index,
          [=](Operation *op) { toggleBlock(maskOf(op), rank); });
  }

  void moves(Operation *op, size_t index) {
    add("move", op, "to the end", index, moveToEnd);
    add("move", op, "into one cluster", index, guardByWorker);
    if (op->getParentOfType<RoleOp>())
      return;
    auto roles = op->getBlock()->getOps<RoleOp>();
    for (auto [number, role] : llvm::enumerate(roles))
      add("move", op, ("into role " + role.getName()).str(), index,
          [number = number](Operation *op) { moveIntoRole(op, number); });
  }

  void counts(Operation *op, size_t index) {
    for (int64_t by : {1, -1}) {
      std::string detail = by > 0 ? "+1" : "-1";
      if (isa<BarriersOp>(op)) {
        auto type = cast<BarriersType>(op->getResult(0).getType());
        if (type.getArrivals() + by > 0)
          add("count", op, detail + " arrivals", index,
              [by](Operation *op) { setArrivals(op, by); });
      }
      for (StringRef name : {"bytes", "pending"})
        if (auto value = op->getAttrOfType<IntegerAttr>(name);
            value && isa<KernelDialect>(op->getDialect()) &&
            value.getInt() + by >= 0)
          add("count", op, detail + " " + name.str(), index,
              [by, name](Operation *op) { addToAttribute(op, name, by); });
    }
  }

  /// A matrix that is copied or stored line by line is longer or shorter than
  /// it is.
  void extents(Operation *op, size_t index) {
    bool isMoved = llvm::any_of(op->getUses(), [](OpOperand &use) {
      auto copy = dyn_cast<CopyLinesOp>(use.getOwner());
      return isa<StoreLinesOp>(use.getOwner()) ||
             (copy && &copy.getSourceMutable() == &use);
    });
    constexpr unsigned kLines = 2, kWidth = 3;
    for (unsigned operand : {kLines, kWidth})
      for (int64_t by : {1, -1}) {
        if (!isMoved)
          return;
        std::string detail = by > 0 ? "+1 " : "-1 ";
        add("extent", op, detail + (operand == kLines ? "lines" : "width"),
            index, [operand, by](Operation *op) {
              OpBuilder builder(op);
              op->setOperand(operand,
                             arith::AddIOp::create(builder, op->getLoc(),
                                                   op->getOperand(operand),
                                                   constant(builder, op, by)));
            });
      }
  }

  void shifts(Operation *op, size_t index) {
    for (OpOperand &operand : op->getOpOperands()) {
      int64_t slots = 0;
      if (auto ring = dyn_cast<RingType>(operand.get().getType()))
        slots = ring.getSlots();
      auto barriers = dyn_cast<BarriersType>(operand.get().getType());
      if (barriers && isa<AwaitOp, ExpectOp, ArriveOp>(op))
        slots = barriers.getSlots();
      unsigned next = operand.getOperandNumber() + 1;
      if (slots < 2 || isa<BarriersInitOp>(op))
        continue;
      add("shift", op, barriers ? "barrier" : "slot", index,
          [next, slots](Operation *op) { shiftOperand(op, next, 1, slots); });
    }
  }

  void merges() {
    for (size_t i = 0; i < places.size(); ++i)
      for (size_t j = i + 1; j < places.size(); ++j) {
        int64_t to =
            places[i].first->getAttrOfType<IntegerAttr>("offset").getInt();
        int64_t from =
            places[j].first->getAttrOfType<IntegerAttr>("offset").getInt();
        // Where the sums lie where the slots were, that is how it is meant.
        if (to == from)
          continue;
        add("merge", places[j].first,
            ("with " + places[i].first->getName().getStringRef()).str(),
            places[j].second, [to](Operation *op) {
              Builder builder(op->getContext());
              op->setAttr("offset", builder.getI64IntegerAttr(to));
            });
      }
  }

  std::vector<std::pair<Operation *, size_t>> places;
  int64_t cluster = 1;
};
} // namespace

std::vector<Mistake> hone::test::mistakesIn(gpu::GPUFuncOp kernel) {
  return std::move(Mistakes(kernel).list);
}

Operation *hone::test::operationAt(gpu::GPUFuncOp kernel, size_t wanted) {
  Operation *found = nullptr;
  size_t index = 0;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (index++ == wanted)
      found = op;
  });
  return found;
}

OwningOpRef<gpu::GPUFuncOp> hone::test::mutate(gpu::GPUFuncOp kernel,
                                               const Mistake &mistake) {
  OwningOpRef<gpu::GPUFuncOp> mutant(kernel.clone());
  mistake.make(operationAt(*mutant, mistake.index));
  return mutant;
}
