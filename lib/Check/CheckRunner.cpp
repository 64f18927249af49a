//===- CheckRunner.cpp - Launches of cases and their errors ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of plain cases. Chains are in CheckChain.cpp, epilogues in
// CheckEpilogue.cpp, references in CheckReference.cpp.
//
//===----------------------------------------------------------------------===//

#include "hone/Check/CheckRunner.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::MutableArrayRef;
using llvm::StringRef;

std::string CheckShape::str() const {
  std::string text = formatv("{0}x{1}x{2}", m, n, k);
  if (heads > 1)
    text = formatv("{0}x{1}x{2}", batch / heads, heads, text);
  else if (batch > 1)
    text = formatv("{0}x{1}", batch, text);
  if (pad)
    text += formatv(" pad {0}", pad);
  if (shift)
    text += formatv(" shift {0}", shift);
  return text;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<CheckRunner>>
CheckRunner::create(Device &device, int64_t extent, size_t repeats) {
  // Variants (batches, padded lines) are small, but need at least this extent.
  constexpr int64_t kMin = 2048, kMaxPad = 64;
  int64_t side = std::max(extent, kMin) + kMaxPad;
  std::unique_ptr<CheckRunner> runner(new CheckRunner(device, repeats));
  auto check = DeviceCheck::create(device);
  if (!check)
    return check.takeError();
  runner->check = std::move(*check);
  auto take = [&](Arena &arena, int64_t elementBytes) -> Error {
    llvm::Expected<Arena> made =
        Arena::create(device, side * side * elementBytes);
    if (!made)
      return made.takeError();
    arena = std::move(*made);
    return Error::success();
  };
  for (auto *pair : {&runner->arenasA, &runner->arenasB})
    for (Arena &arena : *pair)
      if (Error error = take(arena, sizeOf(ElementType::f32)))
        return std::move(error);
  for (Arena &arena : runner->arenasC)
    if (Error error = take(arena, sizeOf(ElementType::f32)))
      return std::move(error);
  for (Arena *arena : {&runner->arenaInit, &runner->arenaFirst})
    if (Error error = take(*arena, sizeOf(ElementType::f32)))
      return std::move(error);
  auto reference = device.allocate(side * side * sizeof(double));
  if (!reference)
    return reference.takeError();
  runner->reference = std::move(*reference);
  return runner;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

/// Interleaves the lines of all batches, as in attention.
static void interleave(gpucheck::Matrix &matrix, Order order) {
  bool inRows = order == Order::row;
  gpucheck::i64 &line = inRows ? matrix.rowStride : matrix.colStride;
  matrix.batchStride = line;
  line *= matrix.batch;
}

gpucheck::Matrix CheckRunner::placeIn(const Arena &arena,
                                      const CheckCase &one) {
  const CheckShape &shape = one.shape;
  gpucheck::Matrix c =
      arena.place(one.problem.c, Order::row, shape.batch, shape.m, shape.n,
                  shape.n + shape.pad, shape.shift);
  if (!one.shape.batchesB.empty())
    interleave(c, Order::row);
  return c;
}

/// The number of B matrices.
static int64_t batchesOfB(const CheckCase &one) {
  if (one.problem.b.shared)
    return 1;
  if (one.shape.batchesB == "h")
    return one.shape.heads;
  return one.shape.batchesB == "b" ? one.shape.batch / one.shape.heads
                                   : one.shape.batch;
}

Error CheckRunner::makeOperands(const CheckCase &one, bool zeroOne,
                                Operands &operands) {
  const CheckShape &shape = one.shape;
  const Problem &problem = one.problem;
  gpucheck::i64 kind = zeroOne ? gpucheck::kZeroOne : gpucheck::kNormal;
  // Integers that are converted to floats are multiplied by integers.
  bool areWhole = isInteger(problem.acc);
  float deviation = areWhole ? deviationOf(problem.a.type) : 1;
  operands.dataA = {kind, /*seed=*/1, deviation};
  operands.dataB = {kind, /*seed=*/2, deviation};
  operands.dataC = {kind, /*seed=*/3, float(deviationOf(problem.c))};
  for (Order order : {Order::row, Order::col}) {
    size_t i = static_cast<size_t>(order);
    bool rows = order == Order::row;
    operands.a[i] = arenasA[i].place(
        problem.a.type, order, problem.a.shared ? 1 : shape.batch, shape.m,
        shape.k, (rows ? shape.k : shape.m) + shape.pad, shape.shift);
    operands.b[i] = arenasB[i].place(
        problem.b.type, order, batchesOfB(one), shape.k, shape.n,
        (rows ? shape.n : shape.k) + shape.pad, shape.shift);
    if (!one.shape.batchesB.empty())
      interleave(operands.a[i], order);
    for (auto [matrix, data] : {std::pair(operands.a[i], operands.dataA),
                                {operands.b[i], operands.dataB}}) {
      if (Error error = check->poison(matrix))
        return error;
      if (Error error = check->fill(matrix, data))
        return error;
    }
    // A matrix shared by the whole batch is read in every product.
    if (problem.a.shared)
      operands.a[i].batchStride = 0;
    if (problem.b.shared)
      operands.b[i].batchStride = 0;
  }
  operands.init = {};
  if (problem.init == Init::zero)
    return Error::success();
  operands.init = arenaInit.place(problem.c, Order::row, shape.batch, shape.m,
                                  shape.n, shape.n);
  return check->fill(operands.init, operands.dataC);
}

Error CheckRunner::prepareOutput(const CheckCase &one, const Operands &operands,
                                 const gpucheck::Matrix &c) {
  if (Error error = check->poison(c))
    return error;
  return one.problem.init == Init::zero ? Error::success()
                                        : check->fill(c, operands.dataC);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

PlanArguments::BatchStrides
hone::batchStridesOf(const CheckCase &one, char operand,
                     const gpucheck::Matrix &matrix) {
  StringRef batches = "bh";
  // A single batch dimension is an outer one with one inner batch.
  if (one.shape.batchesB.empty())
    batches = "b";
  else if (operand == 'b')
    batches = one.shape.batchesB;
  bool hasInner = batches.contains('h');
  int64_t inners = hasInner ? one.shape.heads : 1;
  return {batches.contains('b') ? matrix.batchStride * inners : 0,
          hasInner ? matrix.batchStride : 0};
}

/// The distance between two lines of a matrix.
static int64_t leadOf(const gpucheck::Matrix &matrix, Order order) {
  return order == Order::row ? matrix.rowStride : matrix.colStride;
}

Error CheckRunner::launch(const CheckCase &one, const gpucheck::Matrix &a,
                          const gpucheck::Matrix &b, const gpucheck::Matrix &c,
                          const gpucheck::Matrix *extra) {
  auto address = [](const gpucheck::Matrix &matrix) {
    return static_cast<int64_t>(addressOf(matrix));
  };
  const Problem &problem = one.problem;
  PlanArguments named;
  named.setExtents(one.shape.m, one.shape.n, one.shape.k, one.shape.batch,
                   one.shape.heads);
  named.setMatrix("a", address(a), leadOf(a, problem.a.order),
                  batchStridesOf(one, 'a', a));
  named.setMatrix("b", address(b), leadOf(b, problem.b.order),
                  batchStridesOf(one, 'b', b));
  named.setMatrix("c", address(c), c.rowStride, batchStridesOf(one, 'c', c));
  if (extra)
    named.setOperand(0, address(*extra), {extra->batchStride, 0},
                     extra->rowStride, extra->colStride);
  auto arguments = one.kernel->order(std::move(named));
  if (!arguments)
    return arguments.takeError();
  return one.kernel->launch(*arguments);
}

Error CheckRunner::launchOn(const Operands &operands, const CheckCase &one,
                            const gpucheck::Matrix &c) {
  return launch(one, operands.a[static_cast<size_t>(one.problem.a.order)],
                operands.b[static_cast<size_t>(one.problem.b.order)], c);
}

static gpucheck::Bound boundOf(const CheckCase &one, bool zeroOne) {
  Tolerance tolerance = Tolerance::ofSum(one.problem, one.shape.k);
  return {tolerance.relative, tolerance.absolute, zeroOne};
}

/// Runs a case alone, then in a burst. Findings go to consecutive slots.
Error CheckRunner::runMember(CheckCase &one, const Operands &operands,
                             bool zeroOne, size_t firstSlot) {
  gpucheck::Bound bound = boundOf(one, zeroOne);
  size_t outputs = zeroOne ? 1 : 1 + kBurst;
  for (size_t i = 0; i < outputs; ++i)
    if (Error error = prepareOutput(one, operands, placeC(one, i)))
      return error;
  if (Error error = device.synchronize())
    return error;
  for (size_t i = 0; i < outputs; ++i) {
    if (Error error = launchOn(operands, one, placeC(one, i)))
      return error;
    // The first launch runs alone; the others follow each other.
    if (i == 0)
      if (Error error = device.synchronize())
        return error;
  }
  for (size_t i = 0; i < outputs; ++i) {
    gpucheck::Matrix c = placeC(one, i);
    if (Error error =
            check->compare(c, reference.getAddress(), bound, firstSlot + i))
      return error;
    if (Error error = check->countWritten(c, firstSlot + i))
      return error;
  }
  return Error::success();
}

/// Runs more launches in bursts and compares their bits with those of the first
/// one.
Error CheckRunner::repeat(CheckCase &one, const Operands &operands,
                          size_t slot) {
  gpucheck::Matrix first = placeC(one, 0);
  while (one.repeats < repeats) {
    size_t count = std::min(kBurst, repeats - one.repeats);
    for (size_t i = 1; i <= count; ++i)
      if (Error error = prepareOutput(one, operands, placeC(one, i)))
        return error;
    for (size_t i = 1; i <= count; ++i)
      if (Error error = launchOn(operands, one, placeC(one, i)))
        return error;
    for (size_t i = 1; i <= count; ++i)
      if (Error error = check->countDifferent(placeC(one, i), first, slot))
        return error;
    one.repeats += count;
  }
  return Error::success();
}

/// Launches the first case of a problem once more, and compares the bits of the
/// others with it.
Error CheckRunner::compareSchedules(CheckCase &one, const Operands &operands,
                                    size_t slot) {
  if (!one.problem.numbers.isInvariant())
    return Error::success();
  gpucheck::Matrix c = placeIn(arenaFirst, one);
  std::string name = one.problem.str() + ", " + one.shape.str();
  if (name == first) {
    ++one.repeats;
    return check->countDifferent(placeC(one, 0), c, slot);
  }
  first = name;
  if (Error error = prepareOutput(one, operands, c))
    return error;
  return launchOn(operands, one, c);
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

void hone::addFindings(CheckCase &one, const gpucheck::Findings &findings,
                       const gpucheck::Matrix &c, const char *mode) {
  float worst;
  memcpy(&worst, &findings.worst, sizeof(worst));
  one.worst = std::max(one.worst, double(worst));
  one.wrong += findings.wrong;
  if (!one.failure.empty())
    return;
  uint64_t expected = elementsOf(c);
  if (findings.wrong)
    one.failure =
        formatv("{0}: {1} of {2} elements are wrong, the first at "
                "row {3}, column {4}",
                mode, findings.wrong, expected, ~findings.firstWrong / c.cols,
                ~findings.firstWrong % c.cols);
  else if (findings.written != expected)
    one.failure = formatv("{0}: expected {1} elements to be written, but got "
                          "{2}; there are writes outside of the result",
                          mode, expected, findings.written);
}

void hone::addRepeats(CheckCase &one, const gpucheck::Findings &findings,
                      const gpucheck::Matrix &c) {
  one.different = findings.wrong;
  if (findings.wrong && one.failure.empty())
    one.failure = formatv(
        "expected the same bits from every {0}, but got {1} other elements "
        "in {2} comparisons, one at row {3}, column {4}",
        one.problem.numbers.isInvariant() ? "launch and schedule" : "launch",
        findings.wrong, one.repeats, ~findings.firstWrong / c.cols,
        ~findings.firstWrong % c.cols);
}

void hone::addError(MutableArrayRef<CheckCase *> group, Error error) {
  std::string text = llvm::toString(std::move(error));
  for (CheckCase *one : group)
    if (one->failure.empty())
      one->failure = text;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

Error CheckRunner::checkInputs(MutableArrayRef<CheckCase *> group,
                               const Operands &operands) {
  if (Error error = check->clearFindings())
    return error;
  std::vector<std::pair<gpucheck::Matrix, gpucheck::Data>> inputs;
  for (size_t i : {0, 1}) {
    inputs.push_back({operands.a[i], operands.dataA});
    inputs.push_back({operands.b[i], operands.dataB});
  }
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (Error error = check->verify(input.first, input.second, i))
      return error;
    if (Error error = check->countWritten(input.first, i))
      return error;
  }
  auto findings = check->readFindings(inputs.size());
  if (!findings)
    return findings.takeError();
  for (auto [input, found] : llvm::zip_equal(inputs, *findings))
    if (found.wrong || found.written != uint64_t(elementsOf(input.first)))
      addError(group, llvm::createStringError("an input was overwritten"));
  return Error::success();
}

Error CheckRunner::runData(MutableArrayRef<CheckCase *> group, bool zeroOne) {
  const CheckCase &first = *group.front();
  Operands operands;
  if (Error error = makeOperands(first, zeroOne, operands))
    return error;
  if (Error error = multiply(first, operands))
    return error;
  if (Error error = check->clearFindings())
    return error;
  for (auto [i, one] : llvm::enumerate(group)) {
    Error error = runMember(*one, operands, zeroOne, i * kSlots);
    if (!error && !zeroOne)
      error = repeat(*one, operands, i * kSlots + 1 + kBurst);
    if (!error && !zeroOne)
      error = compareSchedules(*one, operands, i * kSlots + 1 + kBurst);
    if (error) {
      if (device.isLost())
        return error;
      addError(one, std::move(error));
    }
  }
  auto findings = check->readFindings(group.size() * kSlots);
  if (!findings)
    return findings.takeError();
  for (auto [i, one] : llvm::enumerate(group)) {
    for (size_t launch = 0; launch < (zeroOne ? 1 : 1 + kBurst); ++launch)
      addFindings(*one, (*findings)[i * kSlots + launch], placeC(*one, launch),
                  zeroOne  ? "0/1 data"
                  : launch ? "in a burst"
                           : "alone");
    if (!zeroOne)
      addRepeats(*one, (*findings)[i * kSlots + 1 + kBurst], placeC(*one, 0));
  }
  return checkInputs(group, operands);
}

void CheckRunner::runGroup(MutableArrayRef<CheckCase *> group) {
  // A group is split if its findings would not fit.
  size_t max = DeviceCheck::kSlots / kSlots;
  for (; group.size() > max; group = group.drop_front(max))
    runGroup(group.take_front(max));
  for (bool zeroOne : {false, true})
    if (Error error = runData(group, zeroOne))
      return addError(group, std::move(error));
}
