//===- Tables.cpp - Tables of numbers, computed on the device -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linalg ops and loops around arithmetic on positions.
//
//===----------------------------------------------------------------------===//

#include "passes/Match/Rows/Tables.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone::match;

static SmallVector<Value> valuesOf(ArrayRef<Number> numbers) {
  return llvm::map_to_vector(numbers, [](Number n) { return n.value; });
}

Number Number::of(Value tensor) const { return elementAt(tensor, *this); }

Number hone::match::elementAt(Value tensor, ArrayRef<Number> places) {
  const Number &first = places.front();
  SmallVector<Value> indices = llvm::map_to_vector(places, [&](Number place) {
    return place
        .make<arith::IndexCastUIOp>(first.b->getIndexType(), place.value)
        .value;
  });
  return first.make<tensor::ExtractOp>(tensor, ValueRange(indices));
}

ResultRange
hone::match::makeTables(OpBuilder &b, Location loc,
                        ArrayRef<OpFoldResult> sizes, unsigned results,
                        function_ref<NumberList(ArrayRef<Number>)> body) {
  Value empty = tensor::EmptyOp::create(b, loc, sizes, b.getI32Type());
  SmallVector<Value> out(results, empty);
  SmallVector<AffineMap> maps(results, b.getMultiDimIdentityMap(sizes.size()));
  SmallVector<utils::IteratorType> loops(sizes.size(),
                                         utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      b, loc, TypeRange(ValueRange(out)), ValueRange(), out, maps, loops,
      [&](OpBuilder &inside, Location, ValueRange) {
        NumberList position;
        for (unsigned dim = 0; dim < sizes.size(); ++dim) {
          Value at = linalg::IndexOp::create(inside, loc, dim);
          position.push_back(Number{&inside, loc, at}.make<arith::IndexCastOp>(
              b.getI32Type(), at));
        }
        linalg::YieldOp::create(inside, loc, valuesOf(body(position)));
      });
  return op.getResults();
}

NumberList
hone::match::loopOver(Number begin, Number end, ArrayRef<Number> values,
                      function_ref<NumberList(Number, ArrayRef<Number>)> step) {
  Location loc = begin.loc;
  auto loop = scf::ForOp::create(
      *begin.b, loc, begin.value, end.value, begin.constant(1).value,
      valuesOf(values),
      [&](OpBuilder &inside, Location, Value counter, ValueRange carried) {
        NumberList before = llvm::map_to_vector(
            carried, [&](Value value) { return Number{&inside, loc, value}; });
        scf::YieldOp::create(inside, loc,
                             valuesOf(step({&inside, loc, counter}, before)));
      });
  return llvm::map_to_vector(loop.getResults(), [&](Value value) {
    return Number{begin.b, loc, value};
  });
}

Number hone::match::loopOver(Number begin, Number end, Number value,
                             function_ref<Number(Number, Number)> step) {
  return loopOver(begin, end, ArrayRef(value),
                  [&](Number number, ArrayRef<Number> before) -> NumberList {
                    return {step(number, before[0])};
                  })[0];
}

Number hone::match::countIn(Number begin, Number end,
                            function_ref<Number(Number)> holds) {
  return loopOver(begin, end, begin.constant(0),
                  [&](Number number, Number sum) {
                    return holds(number).choose(sum + 1, sum);
                  });
}

Number hone::match::searchIn(Number low, Number high, int64_t distance,
                             function_ref<Number(Number)> holds) {
  Number steps = low.constant(llvm::Log2_64(distance) + 1);
  return loopOver(low.constant(0), steps, low, [&](Number step, Number found) {
    Number next = (found + (low.constant(distance) >> step)).min(high);
    return holds(next).choose(next, found);
  });
}
