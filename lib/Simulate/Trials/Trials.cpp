//===- Trials.cpp - Sizes of trials ---------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that prove a kernel, chosen by its loops and counters; README.md has
// the argument for each.
//
//===----------------------------------------------------------------------===//

#include "Trials.h"
#include "../Launch.h"
#include "../Windows.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

std::vector<Trial> Trials::run() {
  addLong();
  addExact();
  addManyTiles();
  addBands();
  addShort();
  addSingle();
  addUneven();
  if (readsWindows(subject))
    addWindows();
  if (subject.problem.groups)
    addRagged();
  if (steps.atOnce > 1)
    addUnrolled();
  if (program.isPersistent)
    addTurns();
  if (!subject.before.empty())
    addPacked();
  if (program.isPersistent && !program.meetsAcrossClusters)
    addWorkers();
  if (program.meetsAcrossClusters)
    addShared();
  addLarge();
  if (subject.problem.groups)
    for (auto [number, trial] : llvm::enumerate(trials))
      if (trial.ends.empty())
        trial.ends = drawEnds(number % (kEndKinds - 1), trial.m);
  if (subject.problem.isRaggedSum)
    drawSegments();
  return std::move(trials);
}

int64_t Trials::longK() const {
  return period() + 3 + (steps.atOnce > 1 ? steps.slots : 0);
}

int64_t Trials::partial(int64_t tile, int64_t whole, int64_t rest) const {
  return tile * whole + std::min(tile, rest);
}

Trial &Trials::add(int64_t m, int64_t n, int64_t k, int64_t maxClusters) {
  Trial &trial = trials.emplace_back(start);
  trial.m = m;
  trial.n = llvm::alignTo(n, start.unitN);
  trial.k = k;
  trial.form = trials.size();
  trial.maxClusters = maxClusters;
  return trial;
}

void Trials::addLong() {
  setGroup(add(partial(tileM, program.isPersistent ? 2 : 1, 5),
               partial(tileN, 0, 3),
               partial(steps.tile, longK() * steps.parts - 1, 7), 2));
}

void Trials::addExact() {
  spread(add(tileM, tileN * 2, steps.tile * period() * steps.parts, 2));
}

void Trials::addManyTiles() {
  int64_t rows = 3;
  if (program.isPersistent)
    rows = std::max<int64_t>(4, llvm::divideCeil(2 * steps.slots + 6, 3));
  Trial &trial = add(partial(tileM, rows - 1, 5),
                     partial(tileN, program.isPersistent ? 2 : 1, 3), 7, 1);
  setGroup(trial);
  spread(trial);
}

void Trials::addBands() {
  setGroup(add(tileM * 3, tileN * 2, 7, 2));
  if (program.isPersistent)
    return;
  setGroup(add(tileM * 3, partial(tileN, 1, 3), 7, 2));
  setGroup(add(partial(tileM, 2, 5), tileN * 2, 7, 2));
}

void Trials::addShort() {
  setBatches(add(partial(tileM, 1, 5), partial(tileN, 0, 3),
                 partial(steps.tile, 1, 7), 2),
             2, 3);
  add(1, 1, steps.tile, 2);
  if (subject.problem.batch)
    setBatches(add(1, 1, 7, 2), 5, 2);
  // A kernel that omits a row, a column or an element of K has fewer tiles or
  // steps.
  spread(add(tileM + 1, tileN + 1, steps.tile * steps.parts + 1, 2));
  // Sums of no elements.
  if (!holds(add(partial(tileM, 1, 5), partial(tileN, 0, 3), 0, 2)))
    trials.pop_back();
}

void Trials::addSingle() {
  int64_t wide = partial(tileN, 1, 3);
  addShortened(add(1, wide, steps.tile * 2, 2));
  addShortened(add(partial(tileM, 1, 5), wide, 1, 2));
  if (start.unitN == 1 && subject.problem.b.order == Order::col)
    addShortened(add(partial(tileM, 1, 5), 1, steps.tile * 2, 2));
}

void Trials::addShortened(Trial &trial) {
  bool isShorter = false;
  for (const OperandRegion &region : placeOperands(subject, trial)) {
    std::string argument = strideArgument("ld", region.name);
    int64_t min = trial.alignOf(argument);
    if (region.lines != 1 || region.width <= min ||
        !llvm::is_contained(subject.plan.args, argument) ||
        subject.constants.contains(argument))
      continue;
    trial.knobs[argument] = min;
    if (holds(trial))
      isShorter = true;
    else
      trial.knobs.erase(argument);
  }
  if (!isShorter)
    trials.pop_back();
}

bool Trials::holds(const Trial &trial) const {
  auto holds = guardHolds(subject, trial);
  bool answer = holds && *holds;
  consumeError(holds.takeError());
  return answer;
}

void Trials::addUneven() {
  addSteps(steps.slots * steps.parts - 1);
  bool copies = false;
  mlir::gpu::GPUFuncOp kernel = subject.kernel;
  kernel.walk([&](kernel::CopyOp) { copies = true; });
  for (int64_t count = 2; count < steps.slots - 1 && copies; ++count)
    addSteps(count * steps.parts);
  if (steps.parts == 1)
    return;
  addSteps(2 * steps.parts);
  addSteps(2 * steps.parts + 1);
  addSteps(3 * steps.parts - 1);
}

void Trials::addSteps(int64_t count) {
  if (count > 0)
    add(partial(tileM, 0, 5), partial(tileN, 0, 3),
        partial(steps.tile, count - 1, 7), 1);
}

void Trials::share(Trial &trial, int64_t count) const {
  setKnob(subject, trial, "parts", count);
}

void Trials::setBatches(Trial &trial, int64_t outer, int64_t inner) const {
  if (subject.problem.batch)
    trial.batch = outer;
  if (llvm::is_contained(subject.plan.args, "heads"))
    trial.heads = inner, trial.batch *= trial.heads;
}

void Trials::spread(Trial &trial) const {
  trial.room = std::max({tileM, tileN, steps.tile}) + 1;
}

llvm::Expected<std::vector<Trial>> simulate::trialsFor(const Subject &subject) {
  Program program(subject.kernel);
  Trial trial;
  trial.m = trial.n = trial.k = 1;
  if (llvm::Error error = weaken(subject, trial))
    return std::move(error);
  auto tileM = extentOf(subject, trial, &Trial::m);
  if (!tileM)
    return tileM.takeError();
  auto tileN = extentOf(subject, trial, &Trial::n);
  if (!tileN)
    return tileN.takeError();
  std::vector<Trial> trials =
      Trials(subject, program, trial, *tileM, *tileN).run();
  for (Trial &one : trials)
    if (readsWindows(subject)) {
      one.window = windowOf(subject, one);
      one.k = depthOf(subject, one);
    }
  return trials;
}

std::string Trial::str() const {
  std::string text = formatv("m = {0}, n = {1}, k = {2}", m, n, k);
  if (window)
    text +=
        formatv(", images = {0} of {1}x{2}, filter = {3}x{4}, step = "
                "{5}x{6}",
                window->images, window->h.in, window->w.in, window->h.filter,
                window->w.filter, window->h.step, window->w.step);
  if (!ends.empty())
    text += formatv(", ends = {0:$[ ]}",
                    llvm::make_range(ends.begin(), ends.end()));
  if (batch != 1)
    text += formatv(", batch = {0}", batch);
  if (heads != 1)
    text += formatv(", heads = {0}", heads);
  if (reachOnly)
    text += maxClusters == kAnyNumber ? ", as planned"
                                      : ", all that a device holds";
  else if (maxClusters == kAnyNumber)
    text += ", any number of clusters";
  else if (maxClusters != Trial().maxClusters)
    text += formatv(", clusters = {0}", maxClusters);
  return text;
}
