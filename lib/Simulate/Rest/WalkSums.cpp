//===- WalkSums.cpp - Sums of rest kernels --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's part of a row, and loops in which one thread sums all points.
//
//===----------------------------------------------------------------------===//

#include "TermValues.h"
#include "Walk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::simulate::rest;
using llvm::formatv;

/// Distinguishes carried values and sums of inner loop `depth` from those of
/// other loops.
static unsigned atDepth(unsigned result, unsigned depth) {
  constexpr unsigned kMaxResults = 64;
  return result + kMaxResults * depth;
}

//===----------------------------------------------------------------------===//
// Parts of a row
//===----------------------------------------------------------------------===//

/// A thread's part starts with the neutral element.
void Walk::startParts(scf::ForOp loop) {
  SmallVector<TermId> before;
  linalg::GenericOp op = step()->op;
  if (loop.getNumRegionIterArgs() != step()->results()) {
    isUnknown(loop, "has other parts than the step has results");
    return;
  }
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    TermId carried = terms.leaf(Term::carried, i, argument.getType());
    fixed[argument] = carried;
    before.push_back(carried);
    Operation *adds =
        op.getBody()->getTerminator()->getOperand(i).getDefiningOp();
    auto neutral = adds && isCommutative(canonicalName(adds))
                       ? arith::getNeutralElement(adds)
                       : std::optional<TypedAttr>();
    auto start = valueOf(loop.getInitArgs()[i]);
    if (!neutral) {
      fail(loop, Fault::value,
           "adds up in an order that is not the function's");
      return;
    }
    if (!start || terms.constant(*neutral) != start) {
      fail(loop, Fault::value, "does not start with the neutral element");
      return;
    }
    now.combiners.push_back(canonicalName(adds));
    threads.setCombiner(partOf(i), now.combiners.back());
  }
  evaluatePoints(loop, before);
}

/// True if `next` combines the carried value with each point once.
bool Walk::addsUp(scf::ForOp loop, unsigned result, TermId next) {
  StringRef name = now.combiners[result];
  TermId carried = terms.leaf(Term::carried, result, terms[next].type);
  SmallVector<TermId> given = terms.flatten(next, name), wanted;
  for (const Results &point : now.expected)
    for (TermId leaf : terms.flatten(point[result], name)) {
      SmallVector<TermId> parts;
      if (leaf == carried)
        continue;
      terms.leavesOf(leaf, parts);
      for (TermId part : parts)
        if (terms[part].kind == Term::carried)
          return fail(loop, Fault::value,
                      "adds up in an order that is not the function's");
      wanted.push_back(leaf);
    }
  auto own = llvm::find(given, carried);
  if (own == given.end())
    return fail(loop, Fault::value, "drops the sum so far");
  given.erase(own);
  if (given.size() != wanted.size())
    return fail(loop, Fault::value,
                formatv("adds up {0} values where the function has {1}",
                        given.size(), wanted.size()));
  // Equal terms first; the others are compared by value.
  for (TermId leaf : wanted) {
    auto same = llvm::find(given, leaf);
    std::optional<Difference> off;
    for (auto it = given.begin(); same == given.end() && it != given.end();
         ++it) {
      off = compareValues(terms, *it, leaf);
      if (!off)
        same = it;
    }
    if (same == given.end())
      return fail(loop,
                  off && !off->isCertain ? Fault::notModelled : Fault::value,
                  "adds up a value that " + (off ? off->text : "is missing"));
    given.erase(same);
  }
  return true;
}

void Walk::finishParts(scf::ForOp loop) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [i, value] : llvm::enumerate(yield.getResults())) {
    auto next = valueOf(value);
    if (!next) {
      isUnknown(loop, "adds up a value that the proof does not model");
      return;
    }
    if (!addsUp(loop, i, *next))
      return;
    fixed[loop.getResult(i)] =
        terms.leaf(Term::partial, partOf(i), loop.getResult(i).getType());
  }
  // The ops after the loop are about the row's results.
  now.readable.clear();
  now.points.resize(1);
  for (unsigned i : step()->reduced)
    now.points.front()[i] = 0;
  for (unsigned i = 0; i < step()->results(); ++i)
    now.readable.insert(elementOf(i, now.points.front()));
}

//===----------------------------------------------------------------------===//
// Loops of one thread
//===----------------------------------------------------------------------===//

/// Opens the next of the loops, with its point and induction variable. False if
/// `loop` does not go through each point.
bool Walk::openInner(scf::ForOp loop) {
  auto start = valueOf(loop.getLowerBound()), by = valueOf(loop.getStep());
  auto end = valueOf(loop.getUpperBound());
  if (now.isReducing || now.depth >= now.inner.size() || now.width != 1 ||
      !start || !by || !end)
    return isUnknown(loop, "is a loop that the proof does not model");
  unsigned own = now.inner[now.depth];
  const Polynomial extent = step()->extents[own];
  if (!(terms.numberOf(*start) == 0) || !(terms.numberOf(*by) == 1) ||
      !(terms.numberOf(*end) == extent))
    return fail(loop, Fault::value,
                "does not go through each point that its function adds up");
  ++now.depth;
  Polynomial &at = now.points.front()[own];
  at = Polynomial::of(
      terms.symbols.addDigit("r" + std::to_string(own), extent - 1));
  fixed[loop.getInductionVar()] =
      terms.number(at, loop.getInductionVar().getType());
  return true;
}

/// Checks that the loop starts with the sums so far, and appends its carried
/// values to `before`.
bool Walk::carrySums(scf::ForOp loop, unsigned depth,
                     SmallVector<TermId> &before) {
  if (loop.getNumRegionIterArgs() != step()->results())
    return isUnknown(loop, "has other sums than the step has results");
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    auto first = valueOf(loop.getInitArgs()[i]);
    TermId wanted = depth == 1
                        ? elementOf(i, now.points.front())
                        : terms.leaf(Term::carried, atDepth(i, depth - 1),
                                     argument.getType());
    if (first != wanted)
      return fail(loop, Fault::value, "does not start with the sum so far");
    before.push_back(
        terms.leaf(Term::carried, atDepth(i, depth), argument.getType()));
    fixed[argument] = before.back();
  }
  return true;
}

/// Checks the sums of an iteration, and names those of the whole loop.
bool Walk::foldSums(scf::ForOp loop, unsigned depth) {
  bool isInnermost = depth == now.inner.size();
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [i, value] : llvm::enumerate(yield.getResults())) {
    auto next = valueOf(value);
    Type type = value.getType();
    TermId wanted = isInnermost
                        ? now.expected.front()[i]
                        : terms.leaf(Term::folded, atDepth(i, depth + 1), type);
    auto off = next ? compareValues(terms, *next, wanted)
                    : Difference{"the proof does not model", false};
    if (off)
      return fail(loop, off->isCertain ? Fault::value : Fault::notModelled,
                  "adds up a value that " + off->text);
    fixed[loop.getResult(i)] =
        terms.leaf(Term::folded, atDepth(i, depth), type);
  }
  return true;
}

/// One thread sums all points along the next of the loops, in order.
void Walk::walkInner(scf::ForOp loop) {
  SmallVector<TermId> before;
  if (!openInner(loop))
    return;
  unsigned depth = now.depth;
  Point &point = now.points.front();
  if (!carrySums(loop, depth, before))
    return;
  if (depth == now.inner.size() &&
      (!checkPoint(loop, point) || !evaluatePoints(loop, before)))
    return;
  walk(*loop.getBody());
  if (!findings.empty() || !foldSums(loop, depth) || depth > 1)
    return;
  // Results belong to the point of the outer loops.
  for (unsigned i : now.inner)
    point[i] = 0;
  now.expected.assign(1, {});
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    now.expected.front().push_back(fixed[result]);
  now.isFolded = true;
}
