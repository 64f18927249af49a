//===- Trials.cpp - Sizes of trials ---------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that prove a kernel, chosen by its loops and counters; README.md has
// the argument for each.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "Program.h"
#include "TrialStart.h"
#include "Windows.h"
#include "dialects/Kernel/LineMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

namespace {
/// Makes the trials of one kernel.
class Trials {
public:
  Trials(const Subject &subject, const Program &program, const Trial &start,
         int64_t tileM, int64_t tileN)
      : subject(subject), program(program), steps(stepsOf(subject.kernel)),
        start(start), tileM(tileM), tileN(tileN) {}

  std::vector<Trial> run() {
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
    return std::move(trials);
  }

private:
  /// The number of steps of K after which the state repeats: slots, phases, and
  /// the position in the unrolled loop.
  int64_t period() const { return std::lcm(2 * steps.slots, steps.atOnce); }

  /// Steps in which every ring goes around twice, and three more. Where a loop
  /// is unrolled, a ring goes around again after the last new state.
  int64_t longK() const {
    return period() + 3 + (steps.atOnce > 1 ? steps.slots : 0);
  }

  /// The extent of `whole` tiles and a part of one.
  int64_t partial(int64_t tile, int64_t whole, int64_t rest) const {
    return tile * whole + std::min(tile, rest);
  }

  Trial &add(int64_t m, int64_t n, int64_t k, int64_t maxClusters) {
    Trial &trial = trials.emplace_back(start);
    trial.m = m;
    trial.n = llvm::alignTo(n, start.unitN);
    trial.k = k;
    trial.form = trials.size();
    trial.maxClusters = maxClusters;
    return trial;
  }

  /// Long tiles with remainders everywhere; where blocks take tiles in turn,
  /// one block has two.
  void addLong() {
    setGroup(add(partial(tileM, program.isPersistent ? 2 : 1, 5),
                 partial(tileN, 0, 3),
                 partial(steps.tile, longK() * steps.parts - 1, 7), 2));
  }

  /// No remainder anywhere, and as many steps as slots in the last round.
  void addExact() {
    spread(add(tileM, tileN * 2, steps.tile * period() * steps.parts, 2));
  }

  /// Tiles of a single step, so many that counters of tiles go around twice,
  /// too, and so do the rings of each of two teams: one worker has all tiles,
  /// in two bands of the raster.
  void addManyTiles() {
    int64_t rows = 3;
    if (program.isPersistent)
      rows = std::max<int64_t>(4, llvm::divideCeil(2 * steps.slots + 6, 3));
    Trial &trial = add(partial(tileM, rows - 1, 5),
                       partial(tileN, program.isPersistent ? 2 : 1, 3), 7, 1);
    setGroup(trial);
    spread(trial);
  }

  /// Several bands of the raster, the last one narrower, with whole tiles in
  /// both dimensions; in one dimension alone where no other trial has such
  /// bands.
  void addBands() {
    setGroup(add(tileM * 3, tileN * 2, 7, 2));
    if (program.isPersistent)
      return;
    setGroup(add(tileM * 3, partial(tileN, 1, 3), 7, 2));
    setGroup(add(partial(tileM, 2, 5), tileN * 2, 7, 2));
  }

  /// Fewer steps than slots, in all batches, and more workers than tiles.
  void addShort() {
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

  /// One line, with any distance to the next that the guard accepts and that is
  /// shorter than the line.
  void addSingle() {
    int64_t wide = partial(tileN, 1, 3);
    addShortened(add(1, wide, steps.tile * 2, 2));
    addShortened(add(partial(tileM, 1, 5), wide, 1, 2));
    if (start.unitN == 1 && subject.problem.b.order == Order::col)
      addShortened(add(partial(tileM, 1, 5), 1, steps.tile * 2, 2));
  }

  /// Keeps the trial if some operand of a single line has a line that is longer
  /// than its distance.
  void addShortened(Trial &trial) {
    bool isShorter = false;
    for (const OperandRegion &region : placeOperands(subject, trial)) {
      std::string argument = strideArgument("ld", region.name);
      int64_t least = trial.alignOf(argument);
      if (region.lines != 1 || region.width <= least ||
          !llvm::is_contained(subject.plan.args, argument) ||
          subject.constants.contains(argument))
        continue;
      trial.knobs[argument] = least;
      if (holds(trial))
        isShorter = true;
      else
        trial.knobs.erase(argument);
    }
    if (!isShorter)
      trials.pop_back();
  }

  bool holds(const Trial &trial) const {
    auto holds = guardHolds(subject, trial);
    bool answer = holds && *holds;
    consumeError(holds.takeError());
    return answer;
  }

  /// Uneven parts of K, and one step fewer than the slots. Where slots are
  /// filled before the loop, each of these steps is conditional.
  void addUneven() {
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

  /// Filters with several rows and columns, with one of either, and with as
  /// many channels as make rings go around again after the last tap; tiles that
  /// begin and end within an image.
  void addWindows() {
    constexpr int64_t kRows = 5, kColumns = 7;
    int64_t last = kBestAlign / sizeOf(subject.problem.a.type);
    constexpr std::array<int64_t, 2> kFilters[] = {
        {2, 3}, {3, 2}, {1, 4}, {4, 1}, {3, 3}};
    int64_t images = llvm::divideCeil(tileM + 1, kRows * kColumns);
    for (std::array<int64_t, 2> filter : kFilters) {
      int64_t taps = filter[0] * filter[1];
      int64_t rounds = llvm::divideCeil(longK() * steps.parts, taps);
      WindowArguments window =
          windowsOf(images, rounds * steps.tile + last, {kRows, kColumns},
                    filter, trials.size());
      Trial &trial =
          add(window.rows(), partial(tileN, 0, 3), taps * window.channels, 2);
      trial.window = window;
    }
  }

  /// The ends of groups in some tiles of rows: one group; empty ones, one row,
  /// whole tiles; rows of no group; ends that go back, are negative, or beyond
  /// the rows; tiles with a row more and one less; many groups; and, where steps
  /// of k do not count, no rows at all.
  static constexpr size_t kEndKinds = 9;
  std::vector<int32_t> drawEnds(size_t number, int64_t rows) const {
    auto m = int32_t(rows), tile = int32_t(tileM);
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

  /// Each kind of ends, with rows of several tiles; and as many workers as one
  /// row has tiles, with the one after all groups.
  void addRagged() {
    add(1, 1, steps.tile, 2).ends = {1};
    for (size_t number = 0; number < kEndKinds; ++number) {
      int64_t m = partial(tileM, 3, 5);
      add(m, partial(tileN, 1, 3), partial(steps.tile, 1, 7), 2).ends =
          drawEnds(number, m);
    }
  }

  /// One tile of this many steps, of which the last is partial.
  void addSteps(int64_t count) {
    if (count > 0)
      add(partial(tileM, 0, 5), partial(tileN, 0, 3),
          partial(steps.tile, count - 1, 7), 1);
  }

  /// Unrolled loops and the loop over the rest: every number of remaining
  /// steps, after no round, one and many, and rings that go around once and
  /// twice.
  void addUnrolled() {
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

  /// Tiles with `left` remaining steps, which start in every slot and phase
  /// that is possible.
  void addUnrolledTurns(int64_t left) {
    int64_t states = 2 * steps.slots, best = 0;
    for (int64_t count = std::max(steps.slots, steps.atOnce);
         count < states + 2 * steps.atOnce; ++count)
      if (count % steps.atOnce == left &&
          (!best || std::gcd(count, states) < std::gcd(best, states)))
        best = count;
    add(partial(tileM, states / std::gcd(best, states), 5),
        partial(tileN, 0, 3), partial(steps.tile, best * steps.parts - 1, 7),
        1);
  }

  /// Rings that continue from tile to tile, also over the tiles of another
  /// team: tiles that end in a different slot each time, with and without a
  /// wrap in between.
  void addTurns() {
    setGroup(add(tileM * 3, partial(tileN, 1, 3),
                 partial(steps.tile, steps.slots / 2 * steps.parts, 7), 1));
    add(partial(tileM, 3, 5), partial(tileN, 0, 3),
        partial(steps.tile, (steps.slots + 1) * steps.parts, 7), 1);
  }

  /// Operands that are copied first, with one piece more than a block's run:
  /// runs are rounded up, and one worker has both. And operands of a single run
  /// each, for as many workers.
  void addPacked() {
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

  /// Three workers with two or three tiles each, in bands of the raster, and four
  /// with one or two: of two steps and of one, so that no product of workers and
  /// steps is zero in both.
  void addWorkers() {
    setGroup(
        add(partial(tileM, 3, 5), tileN * 2, partial(steps.tile, 1, 7), 3));
    add(partial(tileM, 2, 5), partial(tileN, 1, 3), 7, 4);
  }

  /// Extents beyond the points where a formula might be cut off, each in turn:
  /// only the plan is checked for them.
  void addLarge() {
    constexpr int64_t kMore = (int64_t(1) << 17) + 5;
    int64_t most = llvm::divideCeil(kMore, tileM);
    int64_t rest = llvm::divideCeil(kMore, std::min(most, kMore / 2));
    constexpr int64_t kSome = 4099;
    addPlanned(most, std::max<int64_t>(std::min(rest, kMore / tileN), 2),
               kSome);
    addPlanned(3, llvm::divideCeil(kMore, tileN), kSome);
    addPlanned(3, 2, kMore);
  }

  void addPlanned(int64_t tilesM, int64_t tilesN, int64_t k) {
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

  /// Workers that share tiles: one tile for as many as the launch allows, and
  /// several tiles of which no worker has a whole one. The plan sets the size
  /// of the workspace here; the device does not bound it.
  void addShared() {
    auto parts = subject.constants.find("parts");
    constexpr int64_t kMax = 16;
    int64_t most = parts == subject.constants.end()
                       ? kMany
                       : std::min(parts->second, kMax);
    share(add(tileM, partial(tileN, 0, 3), partial(steps.tile, kRun * most, 7),
              kAnyNumber),
          most);
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
    setGroup(
        add(partial(tileM, 4, 5), tileN * 2, partial(steps.tile, 2, 7), 4));
    // A worker's share does not depend on a block's rank in its cluster, and
    // simulating workers of many blocks takes long.
    constexpr int64_t kFewBlocks = 4;
    if (program.clusterBlocks <= kFewBlocks)
      addMoreShared();
    addReach();
  }

  void addMoreShared() {
    share(add(tileM, partial(tileN, 0, 3),
              partial(steps.tile, kRun * kMany + 1, 7), kMany),
          kMany);
    share(
        add(partial(tileM, 1, 5), tileN, partial(steps.tile, 4, 7), kAnyNumber),
        3);
    share(add(partial(tileM, 1, 5), partial(tileN, 2, 3), 7, kMany), kMany);
    share(add(partial(tileM, 1, 5), 1, steps.tile * 6, kMany), kMany);
    // Equal steps for all workers.
    setGroup(add(partial(tileM, 4, 5), partial(tileN, 1, 3),
                 partial(steps.tile, 1, 7), 4));
  }

  void share(Trial &trial, int64_t count) const {
    setKnob(subject, trial, "parts", count);
  }

  /// Steps of a worker: rings have gone around before. The number of steps is
  /// no multiple of the workers, so some have one more than others.
  static constexpr int64_t kRun = 2, kMany = 5;

  /// The maximum number of workers on a device, with fewer tiles than workers,
  /// and with a number of tiles of which as few as possible are whole.
  void addReach() {
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

  /// The number of outer and, where there are any, inner batches.
  void setBatches(Trial &trial, int64_t outer, int64_t inner) const {
    if (subject.problem.batch)
      trial.batch = outer;
    if (llvm::is_contained(subject.plan.args, "heads"))
      trial.heads = inner, trial.batch *= trial.heads;
  }

  /// More than a tile between lines: no distance has as many tiles as an
  /// extent.
  void spread(Trial &trial) const {
    trial.room = std::max({tileM, tileN, steps.tile}) + 1;
  }

  /// A raster whose bands are narrower than the matrix; the other trials use
  /// the launch's own.
  void setGroup(Trial &trial) const { setKnob(subject, trial, "group", 2); }

  const Subject &subject;
  const Program &program;
  Steps steps;
  Trial start;
  int64_t tileM, tileN;
  std::vector<Trial> trials;
};
} // namespace

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
