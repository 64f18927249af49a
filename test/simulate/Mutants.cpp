//===- Mutants.cpp - Every mistake in a protocol is found -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-simulate-mutants takes good kernels of every family, makes one mistake
// at a time, and simulates. Systematically:
//
//   | mistake | where                                                        |
//   |---------|--------------------------------------------------------------|
//   | delete  | each op that synchronises, starts or ends something          |
//   | count   | +1 and -1 of arrivals, bytes, pending groups                 |
//   | phase   | each kernel.await with the other phase                       |
//   | shift   | each slot of a ring, each barrier: the next one              |
//   | part    | each shared load: the next part; each arrival everywhere: one|
//   |         | block fewer                                                  |
//   | merge   | each pair of rings, partial sums and barriers: same place    |
//
// A mutant that is not found must be on the list of those that are right as
// well, with the reason. The good kernel itself must pass. The last line
// counts:
//
//   900 mutants of 9 kernels: 850 found, 50 equivalent, 0 missed
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <mutex>

using namespace mlir;
using namespace hone;
using namespace hone::kernel;
using namespace hone::simulate;
using namespace hone::test;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

namespace {
/// A change of the `index`-th op of the kernel.
struct Mistake {
  std::string kind, op, detail;
  size_t index;
  std::function<void(Operation *)> make;

  std::string str() const {
    return kind + " " + op + (detail.empty() ? "" : " " + detail);
  }
};
} // namespace

static bool synchronises(Operation *op) {
  return isa<ArriveOp, AwaitOp, BarrierOp, BarriersInitOp, ClusterArriveOp,
             ClusterSyncOp, ClusterWaitOp, CopyCommitOp, CopyOp, CopyWaitOp,
             DependReleaseOp, DependWaitOp, ExpectOp, GroupBarrierOp, LoadOp,
             MmaCommitOp, MmaFenceOp, ProxyFenceOp, RoleBarrierOp, StageOp,
             StoreAsyncOp, StoreCommitOp, StoreOp, StoreWaitOp, AccShareOp,
             PartialPutOp>(op) ||
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
  op->setOperand(number, arith::RemUIOp::create(builder, loc, sum,
                                                constant(builder, op, modulus)));
}

/// Gives barriers another number of arrivals.
static void setArrivals(Operation *op, int64_t by) {
  Value result = op->getResult(0);
  auto type = cast<BarriersType>(result.getType());
  result.setType(BarriersType::get(type.getContext(), type.getSlots(),
                                   type.getArrivals() + by));
}

namespace {
/// Lists the mistakes that can be made in a kernel.
class Mistakes {
public:
  explicit Mistakes(gpu::GPUFuncOp kernel) {
    size_t index = 0;
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
    if (isa<AwaitOp>(op))
      add("phase", op, "", index, [](Operation *op) {
        OpBuilder builder(op);
        auto await = cast<AwaitOp>(op);
        Value other = arith::XOrIOp::create(builder, op->getLoc(),
                                            await.getPhase(),
                                            constant(builder, op, 1));
        await.getPhaseMutable().assign(other);
      });
    if (auto load = dyn_cast<LoadOp>(op); load && load.getPart())
      add("part", op, "", index, [](Operation *op) {
        auto load = cast<LoadOp>(op);
        shiftOperand(op, load.getPartMutable().begin()->getOperandNumber(), 1,
                     load.getParts());
        // The same part by everybody.
        OpBuilder builder(op);
        load.getPartMutable().assign(constant(builder, op, 0));
      });
    if (auto arrive = dyn_cast<ArriveOp>(op);
        arrive && arrive.getEverywhere() > 1)
      add("part", op, "everywhere", index, [](Operation *op) {
        addToAttribute(op, "everywhere", -1);
      });
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
        int64_t to = places[i].first->getAttrOfType<IntegerAttr>("offset").getInt();
        int64_t from = places[j].first->getAttrOfType<IntegerAttr>("offset").getInt();
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
};
} // namespace

//===----------------------------------------------------------------------===//
// Mutants that are right
//===----------------------------------------------------------------------===//

/// True for the first op of its kind in the kernel.
static bool isFirst(Operation *op) {
  bool seen = false, isFirst = false;
  op->getParentOfType<gpu::GPUFuncOp>().walk([&](Operation *each) {
    if (each->getName() == op->getName() && !seen) {
      seen = true;
      isFirst = each == op;
    }
  });
  return isFirst;
}

/// Why a mutant that is not found is no mistake, or an empty string. `op` is
/// the op of the good kernel.
static StringRef whyEquivalent(const Mistake &mistake, Operation *op,
                               const Case &one) {
  std::string name = mistake.str();
  StringRef text = name, schedule = one.schedule;
  if (text == "delete kernel.depend.release")
    return "it only lets the next kernel start early";
  if (text.contains("-1 pending"))
    return "waits for more than it has to: slower, not wrong";
  bool hasOneTile = schedule.starts_with("small") ||
                    schedule.starts_with("cluster_splitk");
  if (!hasOneTile)
    return "";
  if (text == "delete kernel.arrive" && !op->getParentOfType<scf::ForOp>())
    return "a block of one tile: nobody fills the last slot again";
  // One chunk of one tile is stored.
  bool storesOnce = schedule.starts_with("small, tile = 64x64x64");
  if (storesOnce && isFirst(op) &&
      (text == "delete kernel.store.wait" ||
       text == "count kernel.store.wait +1 pending" ||
       text == "delete kernel.group.barrier"))
    return "a block of one tile and chunk: no store is behind this one";
  if (storesOnce && text == "merge kernel.ring with kernel.ring" &&
      llvm::any_of(op->getUsers(), llvm::IsaPred<StageOp>))
    return "one group, one tile: its slots are done with when C is staged";
  return "";
}

//===----------------------------------------------------------------------===//
// The test
//===----------------------------------------------------------------------===//

namespace {
struct Counts {
  std::mutex mutex;
  int64_t kernels = 0, mutants = 0, found = 0, equivalent = 0, missed = 0,
          bad = 0;
  std::map<std::string, std::array<int64_t, 3>> byKind;
  std::map<std::string, int64_t> reasons;
};
} // namespace

/// What the sizes that prove a kernel say of it, numbers and all. The numbers
/// only where the protocol is right, at a size of their own.
static std::vector<Finding> judge(const Built &built, const Subject &subject,
                                  ArrayRef<Trial> trials) {
  for (const Trial &trial : trials) {
    SimulateOptions options;
    options.mostFindings = 1;
    auto verdict = simulate::simulate(subject, trial, options);
    if (!verdict) {
      consumeError(verdict.takeError());
      return {};
    }
    if (!verdict->passed())
      return verdict->findings;
  }
  SimulateOptions options;
  options.mostFindings = 1;
  options.reference = &built.references.front();
  auto verdict = simulate::simulate(subject, trials.front(), options);
  return verdict ? verdict->findings : std::vector<Finding>();
}

static Operation *operationAt(gpu::GPUFuncOp kernel, size_t wanted) {
  Operation *found = nullptr;
  size_t index = 0;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (index++ == wanted)
      found = op;
  });
  return found;
}

static void testMistake(const Built &built, const Subject &subject,
                        ArrayRef<Trial> trials, const Mistake &mistake,
                        const Case &one, Counts &counts) {
  gpu::GPUFuncOp original = subject.kernel;
  OwningOpRef<gpu::GPUFuncOp> mutant(original.clone());
  mistake.make(operationAt(*mutant, mistake.index));
  Subject changed = subject;
  changed.kernel = *mutant;
  std::vector<Finding> findings = judge(built, changed, trials);
  StringRef why =
      findings.empty()
          ? whyEquivalent(mistake, operationAt(original, mistake.index), one)
          : StringRef();
  std::lock_guard<std::mutex> lock(counts.mutex);
  auto &[found, equivalent, missed] = counts.byKind[mistake.kind];
  ++counts.mutants;
  if (!findings.empty()) {
    ++counts.found;
    ++found;
  } else if (!why.empty()) {
    ++counts.equivalent;
    ++equivalent;
    ++counts.reasons[why.str()];
  } else {
    ++counts.missed;
    ++missed;
    Operation *op = operationAt(original, mistake.index);
    llvm::outs() << "missed: " << mistake.str() << " in " << one.str() << "\n  ";
    op->print(llvm::outs(), OpPrintingFlags().skipRegions());
    llvm::outs() << "\n";
  }
}

static void testKernel(MLIRContext &context, const Case &one, Counts &counts) {
  std::optional<Built> built = build(context, one);
  if (!built) {
    std::lock_guard<std::mutex> lock(counts.mutex);
    llvm::outs() << "cannot be built: " << one.str() << "\n";
    ++counts.bad;
    return;
  }
  const Subject &subject = built->subjects.front();
  auto trials = llvm::cantFail(trialsFor(subject));
  std::vector<Finding> findings = judge(*built, subject, trials);
  {
    std::lock_guard<std::mutex> lock(counts.mutex);
    ++counts.kernels;
    for (const Finding &finding : findings) {
      ++counts.bad;
      llvm::outs() << "a good kernel is found wrong: " << one.str() << ": "
                   << finding.at.op << " " << finding.text << " ["
                   << finding.at.str() << "]\n";
    }
  }
  for (const Mistake &mistake : Mistakes(subject.kernel).list)
    testMistake(*built, subject, trials, mistake, one, counts);
}

/// Small tiles: a mutant that is not found runs to its end, numbers and all.
static std::vector<Case> goodKernels() {
  std::vector<Case> cases;
  for (const char *schedule :
       {"mma_sync, tile = 32x32x32, warps = 2x2, stages = 3",
        "mma_sync, tile = 32x32x32, warps = 2x2, stages = 3, splits = 2",
        "mma_sync, tile = 32x32x32, warps = 2x2, stages = 2, slices = 2",
        "ws_coop, tile = 128x128x64, consumers = 2x1, stages = 3",
        "ws_coop, tile = 128x64x64, consumers = 2x1, stages = 3, cluster = 2x1",
        "ws_pingpong, tile = 64x64x64, stages = 3",
        "ws_pingpong, tile = 64x64x64, stages = 3, cluster = 1x2",
        "small, tile = 64x64x64, stages = 3",
        "cluster_splitk, tile = 64x64x64, stages = 3, splits = 2",
        "cluster_splitk, tile = 128x64x64, consumers = 2x1, stages = 3, "
        "splits = 2"}) {
    Case one;
    one.schedule = schedule;
    cases.push_back(one);
  }
  return cases;
}

int main() {
  std::vector<Case> cases = goodKernels();
  Counts counts;
  inParallel(cases.size(), [&](MLIRContext &context, size_t i) {
    testKernel(context, cases[i], counts);
  });
  llvm::outs() << "mistake    found  equivalent  missed\n";
  for (auto &[kind, numbers] : counts.byKind)
    llvm::outs() << formatv("{0,-8} {1,7} {2,11} {3,7}\n", kind, numbers[0],
                            numbers[1], numbers[2]);
  for (auto &[reason, count] : counts.reasons)
    llvm::outs() << formatv("{0,5} equivalent: {1}\n", count, reason);
  llvm::outs() << formatv(
      "{0} mutants of {1} kernels: {2} found, {3} equivalent, {4} missed\n",
      counts.mutants, counts.kernels, counts.found, counts.equivalent,
      counts.missed);
  return counts.missed || counts.bad ? 1 : 0;
}
