//===- Widths.cpp - Arithmetic that fits its bits at all sizes ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Widths.h.
//
//===----------------------------------------------------------------------===//

#include "Widths.h"
#include "../Program.h"
#include "../Untried/Origins.h"
#include "../Untried/Questions.h"
#include "Bounds.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/Modelled.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <set>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

static unsigned widthOf(Type type) {
  constexpr unsigned kIndex = 64;
  return type.isIndex() ? kIndex : type.getIntOrFloatBitWidth();
}

/// The number that `value` has in every run, as a signed one.
static std::optional<int64_t> numberOf(Value value) {
  auto number = constantOf(value);
  if (!number)
    return std::nullopt;
  return llvm::SignExtend64(*number, widthOf(value.getType()));
}

namespace {
/// The bounds of one kernel's integers.
class Widths {
public:
  Widths(const Subject &subject, gpu::GPUFuncOp kernel, const Program &program,
         const KernelLaunch &launch)
      : launch(launch), kernel(kernel), blocks(program.clusterBlocks),
        limits(subject), ofSizes(kernel), ofWorkers(kernel, Growing::workers),
        isShared(program.meetsAcrossClusters) {}

  void run(std::vector<Finding> &findings) {
    for (const LaunchParam &param : launch.params)
      if (param.kind == LaunchParam::i32 &&
          limits.largest(limits.ofFormula(param.value)) >= 0x1p31)
        report(kernel,
               formatv("has a plan whose parameter '{0}' may exceed 32 "
                       "bits",
                       param.value.str()),
               findings);
    kernel.walk([&](Operation *op) {
      if (kernel::isIntegerArithmetic(op) && mayExceed(op))
        report(op,
               formatv("may exceed {0} bits at sizes that the guard lets "
                       "through; expected a guard, or more bits",
                       widthOf(op->getResult(0).getType())),
               findings);
      else if (kernel::isIntegerArithmetic(op) && readsWrapped(op))
        report(op,
               "reads a number that may exceed 64 bits at sizes that the guard "
               "lets through",
               findings);
    });
  }

private:
  static void report(Operation *op, std::string text,
                     std::vector<Finding> &findings) {
    findings.push_back(
        {Fault::untried, std::move(text), simulate::Place::of(op)});
  }

  bool mayExceed(Operation *op) {
    unsigned width = widthOf(op->getResult(0).getType());
    if (width == 1 || width > 32 || !ofSizes.contains(op->getResult(0)) ||
        !isa<arith::AddIOp, arith::MulIOp, arith::ShLIOp, arith::TruncIOp,
             arith::IndexCastOp, arith::IndexCastUIOp>(op))
      return false;
    if (limits.largest(of(op->getResult(0))) < std::exp2(width))
      return false;
    return !isShared || !ofWorkers.contains(op->getResult(0)) ||
           scalesShare(op);
  }

  /// True if `op` reads the magnitude of a 64-bit number that may have wrapped
  /// around. Sums, products and addresses of such numbers are correct again.
  bool readsWrapped(Operation *op) {
    constexpr unsigned kWide = 64;
    if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp,
            arith::TruncIOp, arith::SelectOp, arith::IndexCastOp,
            arith::IndexCastUIOp>(op))
      return false;
    return llvm::any_of(op->getOperands(), [&](Value value) {
      return widthOf(value.getType()) == kWide && ofSizes.contains(value) &&
             limits.largest(of(value)) >= std::exp2(kWide);
    });
  }

  /// Where workers share tiles, a worker's share is a small difference of large
  /// products. So only the constants that scale it are checked.
  static bool scalesShare(Operation *op) {
    constexpr int64_t kMaxTile = 512;
    if (isa<arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
      return true;
    bool isShift = isa<arith::ShLIOp>(op);
    if (!isShift && !isa<arith::MulIOp>(op))
      return false;
    auto number = numberOf(op->getOperand(1));
    if (!number)
      number = numberOf(op->getOperand(0));
    if (!number)
      return isShift;
    return *number < 0 ||
           *number > (isShift ? llvm::Log2_64(kMaxTile) : kMaxTile);
  }

  const Bound &of(Value value) {
    auto [place, isNew] = bounds.try_emplace(value);
    if (!isNew)
      return *place->second;
    // A second visit before the result is there is a value carried by a loop.
    place->second = std::make_unique<Bound>(kUnknown);
    Bound bound = compute(value);
    return *(bounds[value] = std::make_unique<Bound>(std::move(bound)));
  }

  Bound compute(Value value) {
    if (auto number = numberOf(value))
      return std::abs(double(*number));
    if (!value.getType().isIntOrIndex())
      return kUnknown;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return ofArgument(argument);
    Operation *op = value.getDefiningOp();
    unsigned result = cast<OpResult>(value).getResultNumber();
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return Bound::either(of(branch.thenYield().getOperand(result)),
                           of(branch.elseYield().getOperand(result)));
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return of(loop.getRegionIterArgs()[result]);
    if (auto worker = dyn_cast<kernel::WorkerOp>(op))
      return limits.ofFormula(launch.grid[0]) * (1.0 / worker.getBlocks());
    if (auto tile = dyn_cast<kernel::TileOp>(op))
      return result == 0   ? of(tile.getTilesM())
             : result == 1 ? of(tile.getTilesN())
                           : limits.ofArgument("batch");
    if (auto segment = dyn_cast<kernel::SegmentOp>(op))
      return ofSegment(segment, result);
    if (auto bounds = dyn_cast<kernel::SegmentBoundsOp>(op))
      return of(bounds.getRows());
    if (isa<kernel::ClusterRankOp>(op))
      return double(blocks);
    return kernel::isIntegerArithmetic(op) ? ofInteger(op) : Bound(kUnknown);
  }

  Bound ofSegment(kernel::SegmentOp op, unsigned result) {
    Value value = op->getResult(result);
    if (value == op.getRowsOfTiles())
      return of(op.getRows()) * (1.0 / op.getHeight()) + 1;
    return of(value == op.getSegment()       ? op.getGroups()
              : value == op.getDepthOfTile() ? op.getDepth()
              : value == op.getNumber()      ? op.getTile()
                                             : op.getRows());
  }

  Bound ofArgument(BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<gpu::GPUFuncOp>(parent)) {
      PlanFormula formula = formulaOf(argument, launch);
      return formula.empty() ? Bound(kUnknown) : limits.ofFormula(formula);
    }
    if (auto role = dyn_cast<kernel::RoleOp>(parent))
      return double(role.getWarps());
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop)
      return kUnknown;
    if (argument == loop.getInductionVar())
      return of(loop.getUpperBound());
    return carried(loop, argument);
  }

  //===--------------------------------------------------------------------===//
  // Values carried by loops
  //===--------------------------------------------------------------------===//

  /// The change of a carried number in one round.
  struct Change {
    Bound added; ///< to the last value
    Bound anew;  ///< or this, whatever the last value
  };

  Bound carried(scf::ForOp loop, BlockArgument argument) {
    Change change =
        changeOf(loop.getTiedLoopYieldedValue(argument)->get(), argument);
    Bound start =
        Bound::either(of(loop.getTiedLoopInit(argument)->get()), change.anew);
    if (change.added.terms.empty())
      return start;
    return start + of(loop.getUpperBound()) * change.added;
  }

  Change changeOf(Value value, Value from) {
    if (value == from)
      return {};
    Operation *op = value.getDefiningOp();
    if (!op || !dependsOn(value, from))
      return {Bound(), of(value)};
    if (auto sum = dyn_cast<arith::AddIOp>(op)) {
      bool isLeft = dependsOn(sum.getLhs(), from);
      if (isLeft && dependsOn(sum.getRhs(), from))
        return {Bound(), kUnknown};
      Change change = changeOf(isLeft ? sum.getLhs() : sum.getRhs(), from);
      const Bound &more = of(isLeft ? sum.getRhs() : sum.getLhs());
      return {change.added + more, change.anew + more};
    }
    if (auto less = dyn_cast<arith::SubIOp>(op))
      return changeOf(less.getLhs(), from);
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return ofSelect(select, from);
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned result = cast<OpResult>(value).getResultNumber();
      return either(changeOf(branch.thenYield().getOperand(result), from),
                    changeOf(branch.elseYield().getOperand(result), from));
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      unsigned result = cast<OpResult>(value).getResultNumber();
      BlockArgument inner = loop.getRegionIterArgs()[result];
      Change first = changeOf(loop.getInitArgs()[result], from);
      Change each = changeOf(loop.getYieldedValues()[result], inner);
      Bound more = of(loop.getUpperBound()) * each.added;
      return {first.added + more, Bound::either(first.anew, each.anew) + more};
    }
    // The bits of two numbers combined stay below the next power of two.
    if (isa<arith::XOrIOp, arith::OrIOp>(op))
      for (unsigned i : {0u, 1u})
        if (op->getOperand(i) == from && isBit(op->getOperand(1 - i)))
          return {Bound(), 1};
    // The divisor alone bounds a remainder.
    if (isa<arith::RemUIOp, arith::AndIOp>(op))
      if (auto number = numberOf(op->getOperand(1)))
        return {Bound(), std::abs(double(*number))};
    return {Bound(), kUnknown};
  }

  /// `next == slots ? 0 : next` stays within the ring.
  Change ofSelect(arith::SelectOp select, Value from) {
    Value next = select.getFalseValue();
    auto isEnd = select.getCondition().getDefiningOp<arith::CmpIOp>();
    if (isEnd && isEnd.getPredicate() == arith::CmpIPredicate::eq &&
        isEnd.getLhs() == next && numberOf(select.getTrueValue()) &&
        !dependsOn(isEnd.getRhs(), from))
      return {Bound(), of(isEnd.getRhs())};
    return either(changeOf(select.getTrueValue(), from),
                  changeOf(select.getFalseValue(), from));
  }

  static Change either(const Change &one, const Change &other) {
    return {Bound::either(one.added, other.added),
            Bound::either(one.anew, other.anew)};
  }

  static bool isBit(Value value) {
    if (auto number = numberOf(value))
      return *number == 0 || *number == 1;
    auto extended = value.getDefiningOp<arith::ExtUIOp>();
    if (extended)
      return extended.getIn().getType().isInteger(1);
    Operation *op = value.getDefiningOp();
    return isa_and_nonnull<arith::AndIOp>(op) &&
           llvm::any_of(op->getOperands(), isBit);
  }

  bool dependsOn(Value value, Value from) {
    SmallVector<Value> open = {value};
    llvm::DenseSet<Value> seen;
    while (!open.empty()) {
      Value next = open.pop_back_val();
      if (next == from)
        return true;
      if (!seen.insert(next).second)
        continue;
      Operation *op = next.getDefiningOp();
      // The values carried by another loop have bounds of their own.
      if (!op)
        continue;
      llvm::append_range(open, op->getOperands());
      if (auto branch = dyn_cast<scf::IfOp>(op))
        for (mlir::Region *region : branch.getRegions())
          for (Block &block : *region)
            llvm::append_range(open, block.getTerminator()->getOperands());
    }
    return false;
  }

  //===--------------------------------------------------------------------===//
  // Arithmetic
  //===--------------------------------------------------------------------===//

  Bound ofInteger(Operation *op) {
    if (widthOf(op->getResult(0).getType()) == 1)
      return 1;
    auto operand = [&](unsigned i) -> const Bound & {
      return of(op->getOperand(i));
    };
    auto number = [&](unsigned i) { return numberOf(op->getOperand(i)); };
    return llvm::TypeSwitch<Operation *, Bound>(op)
        .Case([&](arith::AddIOp) {
          // Adding a negative number subtracts.
          for (unsigned i : {0u, 1u})
            if (auto less = number(i); less && *less < 0)
              return operand(1 - i);
          return operand(0) + operand(1);
        })
        .Case([&](arith::MulIOp product) {
          return isTiles(product) ? limits.ofTiles() : operand(0) * operand(1);
        })
        .Case([&](arith::ShLIOp) {
          double max = std::min(limits.largest(operand(1)), 64.0);
          return operand(0) * std::exp2(max);
        })
        .Case<arith::ShRUIOp, arith::ShRSIOp>([&](Operation *) {
          return operand(0) * std::exp2(-double(number(1).value_or(0)));
        })
        .Case<arith::DivUIOp, arith::DivSIOp>(
            [&](Operation *) { return operand(0) * (1 / divisor(number(1))); })
        .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>([&](Operation *) {
          return number(1) ? operand(0) * (1 / divisor(number(1))) + Bound(1)
                           : operand(0);
        })
        .Case<arith::RemUIOp, arith::RemSIOp, arith::MinUIOp, arith::MinSIOp,
              arith::AndIOp>(
            [&](Operation *) { return limits.smaller(operand(0), operand(1)); })
        .Case<arith::MaxUIOp, arith::MaxSIOp>(
            [&](Operation *) { return Bound::either(operand(0), operand(1)); })
        .Case<arith::OrIOp, arith::XOrIOp>(
            [&](Operation *) { return operand(0) + operand(1); })
        .Case([&](arith::SelectOp) {
          return Bound::either(operand(1), operand(2));
        })
        .Default([&](Operation *) { return operand(0); });
  }

  /// True for the number of C's tiles, in one matrix or in all batches.
  bool isTiles(Value value) const {
    SmallVector<Value> open = {value};
    std::set<std::string> extents;
    while (!open.empty()) {
      Value next = open.pop_back_val();
      if (auto product = next.getDefiningOp<arith::MulIOp>()) {
        llvm::append_range(open, product.getOperands());
        continue;
      }
      auto count = next.getDefiningOp<arith::CeilDivUIOp>();
      constexpr uint64_t kMinTile = 8;
      if (count && constantOf(count.getRhs()).value_or(0) < kMinTile)
        return false;
      std::string extent =
          std::string(formulaOf(count ? count.getLhs() : next, launch).name());
      bool isExtent =
          count ? extent == "m" || extent == "n" : extent == "batch";
      if (!isExtent || !extents.insert(extent).second)
        return false;
    }
    return true;
  }

  static double divisor(std::optional<int64_t> number) {
    return number ? std::max(double(*number), 1.0) : 1;
  }

  static constexpr double kUnknown = 0x1p80;
  const KernelLaunch &launch;
  gpu::GPUFuncOp kernel;
  const int64_t blocks;
  ArgumentLimits limits;
  const Growing ofSizes, ofWorkers;
  const bool isShared;
  llvm::DenseMap<Value, std::unique_ptr<Bound>> bounds;
};
} // namespace

void simulate::findWideNumbers(const Subject &subject, gpu::GPUFuncOp kernel,
                               const Program &program, size_t launch,
                               std::vector<Finding> &findings) {
  const auto &launches =
      subject.plan.alternatives[subject.alternative].launches;
  if (launches[launch].params.size() == kernel.getNumArguments())
    Widths(subject, kernel, program, launches[launch]).run(findings);
}
