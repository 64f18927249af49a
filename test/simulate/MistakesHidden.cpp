//===- MistakesHidden.cpp - Thresholds hidden in arithmetic ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that are right at small sizes and wrong at larger ones, without a
// comparison with the threshold: by signs, carries, quotients of sums, products
// that wrap around, and conversions.
//
//===----------------------------------------------------------------------===//

#include "MistakeList.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;
using namespace hone::test;
using llvm::Twine;

namespace {
/// Builds formulas of one integer of 32 bits.
class Formula {
public:
  Formula(OpBuilder &builder, Value x) : builder(builder), x(x) {}

  Value number(int64_t value) const { return constantLike(builder, x, value); }
  template <typename Op>
  Value of(Value a, Value b) const {
    return Op::create(builder, x.getLoc(), a, b);
  }
  template <typename Op>
  Value of(Value a, int64_t b) const {
    return of<Op>(a, number(b));
  }
  template <typename Op>
  Value of(int64_t a, Value b) const {
    return of<Op>(number(a), b);
  }
  template <typename Op>
  Value as(Value a, unsigned bits) const {
    return Op::create(builder, x.getLoc(), builder.getIntegerType(bits), a);
  }

  OpBuilder &builder;
  Value x;
};

struct Hidden {
  StringRef name;
  Value (*make)(const Formula &);
};
} // namespace

using Add = arith::AddIOp;
using Sub = arith::SubIOp;
using Mul = arith::MulIOp;
using Div = arith::DivUIOp;
using Rem = arith::RemUIOp;
using Shl = arith::ShLIOp;
using Shr = arith::ShRUIOp;

/// Each formula equals x while x is below some hundred.
static constexpr Hidden kHidden[] = {
    {"max of a difference",
     [](const Formula &f) {
       Value rest = f.of<arith::MaxSIOp>(f.of<Sub>(1000, f.x), 0);
       return f.of<Sub>(1000, rest);
     }},
    {"max with 1",
     [](const Formula &f) {
       Value above = f.of<arith::MaxUIOp>(f.of<Sub>(f.x, 1000), 1);
       return f.of<Add>(above, 1000);
     }},
    {"carry",
     [](const Formula &f) {
       Value flipped = f.of<arith::XOrIOp>(f.of<Add>(f.x, 1024), f.x);
       return f.of<Add>(f.x, f.of<Sub>(flipped, 1024));
     }},
    {"shift and back",
     [](const Formula &f) { return f.of<Shr>(f.of<Shl>(f.x, 24), 24); }},
    {"product and quotient",
     [](const Formula &f) {
       return f.of<Div>(f.of<Mul>(f.x, 1 << 24), 1 << 24);
     }},
    {"sign bit",
     [](const Formula &f) {
       return f.of<Mul>(f.x, f.of<Shr>(f.of<Sub>(f.x, 1000), 31));
     }},
    {"sign bit of a sum",
     [](const Formula &f) {
       return f.of<Mul>(f.x, f.of<Shr>(f.of<Add>(f.x, -1000), 31));
     }},
    {"sign by a mask",
     [](const Formula &f) {
       Value sign = f.of<arith::AndIOp>(f.of<Sub>(f.x, 1000), int64_t(1) << 31);
       return f.of<Mul>(f.x, f.of<Shr>(sign, 31));
     }},
    {"sign spread",
     [](const Formula &f) {
       Value all = f.of<arith::ShRSIOp>(f.of<Sub>(f.x, 1000), 31);
       return f.of<arith::AndIOp>(f.x, all);
     }},
    {"quotient of a sum",
     [](const Formula &f) {
       return f.of<Mul>(f.x, f.of<Div>(f.of<Add>(f.x, 1500), 1000));
     }},
    {"quotient of a sum, rounded up",
     [](const Formula &f) {
       Value rounds =
           f.of<arith::CeilDivUIOp>(f.of<Add>(f.x, 1500), f.number(1000));
       return f.of<Add>(f.x, f.of<Sub>(rounds, 2));
     }},
    {"rest of a sum",
     [](const Formula &f) {
       return f.of<Sub>(f.of<Rem>(f.of<Add>(f.x, 3500), 1000), 500);
     }},
    {"bit of a sum",
     [](const Formula &f) {
       Value bit = f.of<arith::AndIOp>(f.of<Add>(f.x, (1 << 20) + 900), 1024);
       return f.of<Add>(f.x, bit);
     }},
    {"shift of a sum",
     [](const Formula &f) {
       Value band = f.of<Shr>(f.of<Add>(f.x, 1024 + 900), 10);
       return f.of<Add>(f.x, f.of<Sub>(band, 1));
     }},
    {"rest of a product",
     [](const Formula &f) { return f.of<Rem>(f.of<Mul>(f.x, 101), 100); }},
    {"quotient of a product",
     [](const Formula &f) { return f.of<Div>(f.of<Mul>(f.x, 101), 100); }},
    {"quotient of a number",
     [](const Formula &f) {
       Value one = f.of<Div>(1 << 30, f.of<Add>(f.x, (1 << 30) - 900));
       return f.of<Mul>(f.x, one);
     }},
    {"16 bits",
     [](const Formula &f) {
       return f.as<arith::ExtUIOp>(f.as<arith::TruncIOp>(f.x, 16), 32);
     }},
    {"bit of 64",
     [](const Formula &f) {
       Value wide = f.as<arith::ExtUIOp>(f.x, 64);
       Value by = constantLike(f.builder, wide, 53);
       Value top = constantLike(f.builder, wide, 63);
       Value bit = f.of<Shr>(f.of<Shl>(wide, by), top);
       return f.of<Add>(f.x, f.as<arith::TruncIOp>(bit, 32));
     }},
    {"difference of quotients",
     [](const Formula &f) {
       Value one = f.of<Sub>(f.of<Div>(f.of<Add>(f.x, 24), 1024),
                             f.of<Div>(f.of<Add>(f.x, 23), 1024));
       return f.of<Add>(f.x, one);
     }},
    {"power of two by a loop",
     [](const Formula &f) {
       OpBuilder &builder = f.builder;
       auto loop = scf::ForOp::create(builder, f.x.getLoc(), f.number(0), f.x,
                                      f.number(1), ValueRange{f.number(1)});
       {
         OpBuilder::InsertionGuard guard(builder);
         builder.setInsertionPointToEnd(loop.getBody());
         Value power = loop.getRegionIterArgs().front();
         scf::YieldOp::create(builder, f.x.getLoc(), f.of<Add>(power, power));
       }
       // Zero from the 32nd round on.
       Value bits = f.of<arith::OrIOp>(loop.getResult(0),
                                       f.of<Sub>(0, loop.getResult(0)));
       return f.of<Mul>(f.x, f.of<Shr>(bits, 31));
     }},
    {"rounds of a loop",
     [](const Formula &f) {
       OpBuilder &builder = f.builder;
       auto loop = scf::ForOp::create(builder, f.x.getLoc(), f.number(0),
                                      f.number(1000), f.of<Sub>(2000, f.x),
                                      ValueRange{f.x});
       OpBuilder::InsertionGuard guard(builder);
       builder.setInsertionPointToEnd(loop.getBody());
       Value next =
           f.of<Add>(loop.getRegionIterArgs().front(), loop.getInductionVar());
       scf::YieldOp::create(builder, f.x.getLoc(), next);
       return loop.getResult(0);
     }},
};

/// Operand `number` becomes a formula of itself.
static void hide(Operation *op, unsigned number, const Hidden &hidden) {
  OpBuilder builder(op);
  op->setOperand(number, hidden.make({builder, op->getOperand(number)}));
}

static bool isOfSizes(Value value) {
  return value.getType().isInteger(32) &&
         !value.getDefiningOp<arith::ConstantOp>();
}

/// The end of a loop, the step from which a coordinate is computed, and the
/// number of tiles.
static std::optional<unsigned> placeIn(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    constexpr unsigned kEnd = 1;
    return isOfSizes(loop.getUpperBound()) ? std::optional(kEnd) : std::nullopt;
  }
  auto loop = op->getParentOfType<scf::ForOp>();
  if (isa<arith::MulIOp>(op) && loop && isOfSizes(loop.getUpperBound()) &&
      op->getOperand(0) == loop.getInductionVar())
    return 0;
  return std::nullopt;
}

void hone::test::listHidden(MistakeList &list) {
  if (auto place = placeIn(list.op))
    for (const Hidden &hidden : kHidden)
      list.addWrong(Cause::clips, "hidden", hidden.name,
                    [place = *place, &hidden](Operation *op) {
                      hide(op, place, hidden);
                    });
  // Addresses of 32 bits.
  if (isa<arith::MulIOp>(list.op) &&
      list.op->getResult(0).getType().isInteger(64))
    list.addWrong(Cause::shares, "address", "of 32 bits", [](Operation *op) {
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      Value result = op->getResult(0);
      auto narrow = arith::TruncIOp::create(builder, op->getLoc(),
                                            builder.getI32Type(), result);
      auto wide = arith::ExtUIOp::create(builder, op->getLoc(),
                                         builder.getI64Type(), narrow);
      result.replaceAllUsesExcept(wide, narrow);
    });
}
