//===- SpecialTrials.cpp - Trials of special kernels ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Trials.h; README.md has the argument for each size.
//
//===----------------------------------------------------------------------===//

#include "../Launch.h"
#include "../Windows.h"
#include "Trials.h"
#include "dialects/Kernel/LineMap.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

void Trials::addWindows() {
  constexpr int64_t kRows = 5, kColumns = 7;
  int64_t last = kBestAlign / sizeOf(subject.problem.a.type);
  constexpr std::array<int64_t, 2> kFilters[] = {
      {2, 3}, {3, 2}, {1, 4}, {4, 1}, {3, 3}};
  int64_t images = llvm::divideCeil(tileM + 1, kRows * kColumns);
  for (std::array<int64_t, 2> filter : kFilters) {
    int64_t taps = filter[0] * filter[1];
    int64_t rounds = llvm::divideCeil(longK() * steps.parts, taps);
    WindowArguments window =
        windowsOf(images, rounds * steps.tile + last, {kRows, kColumns}, filter,
                  trials.size());
    Trial &trial =
        add(window.rows(), partial(tileN, 0, 3), taps * window.channels, 2);
    trial.window = window;
  }
}

std::vector<int32_t> Trials::drawEnds(size_t number, int64_t rows) const {
  auto m = int32_t(rows);
  auto tile = int32_t(subject.problem.isRaggedSum ? steps.tile : tileM);
  std::vector<int32_t> many;
  for (int32_t group = 0; group < 9; ++group)
    many.push_back(group / 2);
  const std::vector<int32_t> all[] = {{m},
                                      {0, 1, 1 + tile, 1 + tile, m},
                                      {1, m - 1},
                                      {m / 2, m / 3, -5, m / 2 + 1},
                                      {-1, INT32_MIN, m + 7, 5, INT32_MAX},
                                      {tile, 2 * tile, 3 * tile},
                                      {tile - 1, tile + 1, 2 * tile + 1, m},
                                      many,
                                      {0, 0, 0}};
  return all[number];
}

void Trials::drawSegments() {
  for (size_t number = 0; number < kEndKinds; ++number)
    add(partial(tileM, 1, 5), partial(tileN, 0, 3), partial(steps.tile, 3, 7),
        2);
  for (auto [number, trial] : llvm::enumerate(trials)) {
    trial.ends = drawEnds(number % kEndKinds, trial.k);
    trial.batch = trial.ends.size();
    if (trial.blocks)
      *trial.blocks *= trial.batch;
  }
}

void Trials::addRagged() {
  add(1, 1, steps.tile, 2).ends = {1};
  for (size_t number = 0; number < kEndKinds; ++number) {
    int64_t m = partial(tileM, 3, 5);
    add(m, partial(tileN, 1, 3), partial(steps.tile, 1, 7), 2).ends =
        drawEnds(number, m);
  }
}

void Trials::addUnrolled() {
  for (int64_t more = 1; more < steps.atOnce; ++more) {
    addSteps((longK() + more) * steps.parts);
    addSteps((steps.atOnce + more) * steps.parts);
    addSteps(more * steps.parts);
  }
  for (int64_t rounds : {1, 2})
    for (int64_t more : {0, 1})
      addSteps((steps.slots * rounds + more) * steps.parts);
  for (int64_t left = 0; left < steps.atOnce && program.isPersistent; ++left)
    addUnrolledTurns(left);
}

void Trials::addUnrolledTurns(int64_t left) {
  int64_t states = 2 * steps.slots, best = 0;
  for (int64_t count = std::max(steps.slots, steps.atOnce);
       count < states + 2 * steps.atOnce; ++count)
    if (count % steps.atOnce == left &&
        (!best || std::gcd(count, states) < std::gcd(best, states)))
      best = count;
  add(partial(tileM, states / std::gcd(best, states), 5), partial(tileN, 0, 3),
      partial(steps.tile, best * steps.parts - 1, 7), 1);
}

void Trials::addTurns() {
  setGroup(add(tileM * 3, partial(tileN, 1, 3),
               partial(steps.tile, steps.slots / 2 * steps.parts, 7), 1));
  add(partial(tileM, 3, 5), partial(tileN, 0, 3),
      partial(steps.tile, (steps.slots + 1) * steps.parts, 7), 1);
}

void Trials::addPacked() {
  add(1, 1, 7, 2);
  Program copy(subject.before.front());
  int64_t pieces = kernel::runPieces(copy.threads) + 1, perLine = 8;
  while (perLine < pieces && pieces % perLine)
    ++perLine;
  int64_t ofPiece = kernel::pieceElements(sizeOf(subject.problem.a.type));
  int64_t lines = pieces / perLine, width = perLine * ofPiece;
  add(lines, lines, width, 2);
  add(lines, lines, width, 1);
  add(width, width, lines, 2);
}

void Trials::addWorkers() {
  setGroup(add(partial(tileM, 3, 5), tileN * 2, partial(steps.tile, 1, 7), 3));
  add(partial(tileM, 2, 5), partial(tileN, 1, 3), 7, 4);
}

void Trials::addLarge() {
  constexpr int64_t kMore = (int64_t(1) << 17) + 5;
  int64_t max = llvm::divideCeil(kMore, tileM);
  int64_t rest = llvm::divideCeil(kMore, std::min(max, kMore / 2));
  constexpr int64_t kSome = 4099;
  addPlanned(max, std::max<int64_t>(std::min(rest, kMore / tileN), 2), kSome);
  addPlanned(3, llvm::divideCeil(kMore, tileN), kSome);
  addPlanned(3, 2, kMore);
}

void Trials::addPlanned(int64_t tilesM, int64_t tilesN, int64_t k) {
  Trial one = start;
  one.m = tileM;
  one.n = tileN;
  one.maxClusters = kAnyNumber;
  if (subject.problem.groups)
    one.ends = drawEnds(trials.size() % kEndKinds, tileM * tilesM);
  auto launch = evaluate(subject, one);
  Trial &trial = add(tileM * tilesM, tileN * tilesN, k, kAnyNumber);
  trial.reachOnly = true;
  trial.blocks = 0;
  trial.ends = one.ends;
  // Each group adds a row of tiles.
  int64_t more = one.ends.size();
  if (launch && !program.isPersistent)
    trial.blocks = launch->grid / (1 + more) * (tilesM + more) * tilesN;
  if (!holds(trial))
    trials.pop_back();
  consumeError(launch.takeError());
}

void Trials::addShared() {
  auto parts = subject.constants.find("parts");
  constexpr int64_t kMax = 16;
  int64_t max =
      parts == subject.constants.end() ? kMany : std::min(parts->second, kMax);
  share(add(tileM, partial(tileN, 0, 3), partial(steps.tile, kRun * max, 7),
            kAnyNumber),
        max);
  add(partial(tileM, 1, 5), partial(tileN, 1, 3),
      partial(steps.tile, steps.slots, 7), 3);
  // Three workers share five of eleven tiles, and have two whole tiles each.
  add(partial(tileM, 10, 5), 1, steps.tile, 3);
  // Fewer steps than workers: some have none.
  share(add(partial(tileM, 0, 5), 1, partial(steps.tile, 2, 7), 4), 4);
  // Tiles of several matrices, and more workers than tiles.
  Trial &several = add(partial(tileM, 0, 5), partial(tileN, 0, 3),
                       partial(steps.tile, 2, 7), 4);
  setBatches(several, 3, 2);
  share(several, 2);
  // Four workers share six of ten tiles, in bands of the raster.
  setGroup(add(partial(tileM, 4, 5), tileN * 2, partial(steps.tile, 2, 7), 4));
  // A worker's share does not depend on a block's rank in its cluster, and
  // simulating workers of many blocks takes long.
  constexpr int64_t kFewBlocks = 4;
  if (program.clusterBlocks <= kFewBlocks)
    addMoreShared();
  addReach();
}

void Trials::addMoreShared() {
  share(add(tileM, partial(tileN, 0, 3),
            partial(steps.tile, kRun * kMany + 1, 7), kMany),
        kMany);
  share(add(partial(tileM, 1, 5), tileN, partial(steps.tile, 4, 7), kAnyNumber),
        3);
  share(add(partial(tileM, 1, 5), partial(tileN, 2, 3), 7, kMany), kMany);
  share(add(partial(tileM, 1, 5), 1, steps.tile * 6, kMany), kMany);
  // Equal steps for all workers.
  setGroup(add(partial(tileM, 4, 5), partial(tileN, 1, 3),
               partial(steps.tile, 1, 7), 4));
}

void Trials::addReach() {
  constexpr int64_t kTiles = 1 << 12;
  Trial &trial = add(tileM * kTiles, 1, steps.tile * 2, kAnyNumber);
  trial.reachOnly = true;
  auto launch = evaluate(subject, trial);
  int64_t workers = 0;
  if (launch)
    workers = launch->grid / std::max<int64_t>(launch->cluster, 1);
  consumeError(launch.takeError());
  // Without a bound, workers may wait forever; the other trials check that.
  if (!workers || workers >= kTiles)
    return trials.pop_back();
  trial.m = tileM * (2 * workers - 1);
  Trial fewer = trial;
  fewer.m = tileM * std::max<int64_t>(workers - 1, 1);
  trials.push_back(fewer);
}
