//===- WarpSpecializedDefault.cpp - Default schedule of ws ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of the kernel that a problem gets without a search. The number of
// tiles decides: whether they fill the processors, and which tile size does.
//
//===----------------------------------------------------------------------===//

#include "../CommonLaws.h"
#include "WarpSpecializedParts.h"
#include "hone/Schedule/Geometry.h"
#include "hone/Schedule/MmaSync.h"
#include "hone/Schedule/Roofline.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;

/// An extent, or `guess` where it is unknown.
static int64_t known(int64_t extent, int64_t guess = 4096) {
  return std::max<int64_t>(extent == kDynamic ? guess : extent, 1);
}

/// The maximum number of slots in a block's shared memory, within the law: for
/// elements of 16 bits, or for those of `sized`.
static int64_t maxStages(const WarpSpecialized &knobs, const Problem &problem,
                         const Arch &arch, const Problem *sized = nullptr) {
  int64_t slot = knobs.ringBytes(sized) / knobs.stages + 16;
  int64_t left = arch.sharedPerBlock - knobs.chunkBytes(sizeOf(problem.c));
  return std::clamp<int64_t>(left / slot, 2, 16);
}

static int64_t tilesOf(const Problem &problem, int64_t m, int64_t n) {
  return llvm::divideCeilSigned(known(problem.m), m) *
         llvm::divideCeilSigned(known(problem.n), n) *
         known(problem.batch.value_or(1));
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// Large tiles, which a block's consumers share.
static WarpSpecialized persistent(const Problem &problem, const Arch &arch) {
  WarpSpecialized knobs;
  knobs.stages = maxStages(knobs, problem, arch);
  return knobs;
}

/// Smaller tiles, which two teams compute in turn. While a team adds up short
/// sums, no other warps of its tile multiply; the consumers of one tile overlap
/// with each other instead.
static WarpSpecialized persistentSmall(const Problem &problem,
                                       const Arch &arch) {
  WarpSpecialized knobs;
  knobs.tile = {128, 128, 64};
  if (!blockOf(problem)) {
    knobs.teams = 2;
    knobs.consumers = {1, 1};
  }
  knobs.stages = maxStages(knobs, problem, arch);
  return knobs;
}

/// Tiles of 64 x 64 where larger ones have too few workers to share them, and
/// as many workers per tile as there are processors for it.
static WarpSpecialized streaming(const Problem &problem, const Arch &arch) {
  constexpr int64_t kMany = 8, kMaxParts = 64;
  WarpSpecialized knobs;
  knobs.streams = true;
  knobs.tile = {128, 128, 64};
  if (tilesOf(problem, 128, 128) < kMany) {
    knobs.tile = {64, 64, 128};
    knobs.consumers = {1, 1};
  }
  knobs.stages = maxStages(knobs, problem, arch);
  knobs.parts = std::clamp<int64_t>(
      arch.processors / tilesOf(problem, knobs.tile[0], knobs.tile[1]), 1,
      kMaxParts);
  return knobs;
}

/// A small tile for each block, or for the blocks of a cluster.
static WarpSpecialized single(const Problem &problem, const Arch &arch,
                              int64_t splits) {
  WarpSpecialized knobs;
  knobs.persistent = false;
  knobs.tile = {64, 64, 64};
  knobs.consumers = {1, 1};
  knobs.splits = splits;
  knobs.stages = 8;
  knobs.stages = std::min<int64_t>(8, maxStages(knobs, problem, arch));
  return knobs;
}

/// Few rows are one tile, so that B is read once. Otherwise the rows are split
/// into as many tiles as run at once.
static int64_t rowsOf(int64_t m, int64_t n, const Arch &arch) {
  constexpr int64_t kFew = 32, kMax = 64, kCols = 64;
  int64_t rows = 16;
  auto tiles = [&] {
    return llvm::divideCeilSigned(m, rows) * llvm::divideCeilSigned(n, kCols);
  };
  while (rows < kMax && rows < m && (m <= kFew || tiles() > arch.processors))
    rows *= 2;
  return rows;
}

/// Whether this number of blocks can share a tile's sums (laws 66 and 67).
static bool canMeet(const WarpSpecialized &knobs, int64_t splits) {
  constexpr int64_t kPiece = 256, kUnit = 16;
  return knobs.tile[0] % kUnit == 0 && knobs.tile[1] % kUnit == 0 &&
         knobs.tile[0] * knobs.tile[1] % (splits * knobs.groups() * kPiece) ==
             0;
}

/// The number of blocks of a cluster that share K, limited by processors and
/// steps.
static int64_t splitsOf(const WarpSpecialized &knobs, int64_t tiles,
                        const Problem &problem, const Arch &arch) {
  constexpr int64_t kMax = 8, kMinSteps = 4;
  if (std::optional<int64_t> parts = partsOfK(problem))
    return *parts;
  int64_t steps = known(problem.k) / knobs.tile[2], splits = 1;
  while (splits < kMax && tiles * splits * 2 <= arch.processors &&
         steps >= splits * 2 * kMinSteps && canMeet(knobs, splits * 2))
    splits *= 2;
  return splits;
}

/// C transposed, and as many blocks per tile as there are processors and steps
/// of K for it.
static WarpSpecialized transposed(const Problem &problem, const Arch &arch) {
  constexpr int64_t kPanel = 64;
  WarpSpecialized knobs = single(problem, arch, /*splits=*/1);
  knobs.transposes = true;
  knobs.tile = {16, 64, 128};
  int64_t m = known(problem.m, 16), n = known(problem.n);
  bool inPanels = !readsAlongA(problem);
  knobs.tile[0] = inPanels ? kPanel : rowsOf(m, n, arch);
  knobs.stages = std::min<int64_t>(8, maxStages(knobs, problem, arch));
  int64_t tiles = llvm::divideCeilSigned(m, knobs.tile[0]) *
                  llvm::divideCeilSigned(n, knobs.tile[1]) *
                  known(problem.batch.value_or(1), 1);
  knobs.splits = splitsOf(knobs, tiles, problem, arch);
  return knobs;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

static Problem withKnownExtents(Problem problem) {
  for (int64_t *extent : {&problem.m, &problem.n, &problem.k})
    *extent = known(*extent);
  if (problem.batch)
    problem.batch = known(*problem.batch, /*guess=*/1);
  return problem;
}

/// Seconds of the product at a share of the chip's peak, and of its copies at
/// three terabytes per second plus one launch.
static double multiplySeconds(const Problem &problem, const Arch &arch,
                              double share) {
  return *problem.flops() / (peakTflops(problem, arch) * 1e12 * share);
}
static double copySeconds(const WarpSpecialized &knobs,
                          const Problem &problem) {
  constexpr double kBytes = 3e12, kLaunch = 3e-6;
  return WarpSpecialized::kind().facts(knobs, problem).packBytes / kBytes +
         kLaunch;
}

/// Whether the copy engine cannot read A or B in its layout.
static bool isOutOfReach(const WarpSpecialized &form, const Problem &problem) {
  WarpSpecialized knobs = form;
  knobs.packs = 1;
  knobs.threadsStore = true;
  return wsRefuseMemory(knobs, problem).has_value();
}

/// The share of the chip's peak at which copies are multiplied. Where sums are
/// short and threads add them up, a single consumer in a block leaves the
/// tensor cores idle meanwhile.
static double shareOf(const WarpSpecialized &knobs, const Problem &problem) {
  constexpr double kShare = 0.6, kAlone = 0.3;
  return passesOf(problem) > 1 && knobs.groups() == 1 ? kAlone : kShare;
}

/// Whether the copies and their product take less time than the sibling kind.
/// The sibling reads unaligned lines directly, at a tenth of the chip's peak.
/// It transposes, splits or converts each operand again for each tile, at a
/// third of the peak. With few rows the weights are most of the work, and a
/// copy moves them twice more. The shares are measured on an H200.
static bool pays(const WarpSpecialized &knobs, Problem problem,
                 const Arch &arch) {
  constexpr double kUnaligned = 0.12, kAligned = 0.36, kConverted = 0.3;
  bool isOut = !problem.convertsB() && passesOf(problem) == 1 &&
               isOutOfReach(knobs, problem);
  // Lines of unknown length may not need a copy.
  if (isOut && !problem.isStatic())
    return false;
  problem = withKnownExtents(problem);
  double siblingShare = problem.convertsB() ? kConverted
                        : isOut             ? kUnaligned
                                            : kAligned;
  auto product = [&](double share) {
    return std::max(multiplySeconds(problem, arch, share),
                    *problem.bytes() / (arch.memoryGBs * 1e9));
  };
  return product(shareOf(knobs, problem)) + copySeconds(knobs, problem) <
         product(siblingShare);
}

/// Columns of a tile such that all tiles run in few rounds. The time of a round
/// is proportional to the columns of its tiles, plus the time for their rows.
static int64_t colsOf(const Problem &problem, const Arch &arch, int64_t extent,
                      int64_t rowTiles, int64_t unit, int64_t max) {
  constexpr int64_t kRows = 32;
  int64_t best = max, min = std::numeric_limits<int64_t>::max();
  for (int64_t cols = unit; cols <= max; cols += unit) {
    int64_t tiles = llvm::divideCeilSigned(extent, cols) * rowTiles *
                    known(problem.batch.value_or(1));
    int64_t time =
        llvm::divideCeilSigned(tiles, arch.processors) * (cols + kRows);
    if (time <= min)
      min = time, best = cols;
  }
  return best;
}

static bool fitsRegisters(const WarpSpecialized &knobs,
                          const Problem &problem) {
  WarpSpecialized turned = knobs.turned();
  return heldRegisters(turned, &problem) + otherRegisters(turned, &problem) <=
         turned.consumerRegisters();
}

/// Two consumers that fetch 64 rows each, from the operand whose copies would
/// be larger: one multiplies while the other waits for its own products. None
/// where tensor cores can read both operands in their layouts.
static std::optional<WarpSpecialized>
consumersThatFetch(const Problem &problem) {
  std::optional<WarpSpecialized> best;
  for (bool rowsAreB : {true, false}) {
    WarpSpecialized knobs;
    knobs.tile = {128, 128, 0};
    if (rowsAreB)
      knobs = knobs.mirrored();
    knobs = knobs.fetching(problem);
    knobs.tile[2] = knobs.panelOf(problem, /*isA=*/!rowsAreB);
    auto copies = [&](const WarpSpecialized &of) {
      return WarpSpecialized::kind().facts(of, problem).packBytes;
    };
    if (knobs.fetchesRows(problem) && (!best || copies(knobs) < copies(*best)))
      best = knobs;
  }
  return best;
}

/// The same with a number of columns, and with blocks that share K where there
/// are few tiles. Few columns are one tile.
static std::optional<WarpSpecialized> fetching(const Problem &problem,
                                               const Arch &arch) {
  constexpr int64_t kCols = 256, kColsOfParts = 128, kFew = 128, kUnit = 16;
  std::optional<WarpSpecialized> chosen = consumersThatFetch(problem);
  if (!chosen)
    return std::nullopt;
  WarpSpecialized &knobs = *chosen;
  auto [rows, cols] = knobs.transposes ? std::pair(1, 0) : std::pair(0, 1);
  int64_t extents[] = {known(problem.m), known(problem.n)};
  int64_t extent = extents[cols], &width = knobs.tile[cols];
  int64_t rowTiles = llvm::divideCeilSigned(extents[rows], knobs.tile[rows]);
  // Columns of C in chunks of one width, or lines of C.
  int64_t unit = !knobs.transposes           ? 4 * kUnit
                 : isInteger(problem.a.type) ? kUnit
                                             : kUnit / 2;
  int64_t max = knobs.splitsRows(problem) ? kColsOfParts : kCols;
  width = extent <= kFew && knobs.transposes
              ? std::min<int64_t>(llvm::alignTo(extent, kUnit), max)
              : colsOf(problem, arch, extent, rowTiles, unit, max);
  auto tiles = [&] {
    return llvm::divideCeilSigned(extent, width) * rowTiles *
           known(problem.batch.value_or(1));
  };
  bool sharesK = partsOfK(problem) > 1;
  knobs.persistent = tiles() > arch.processors && !sharesK;
  while (!fitsRegisters(knobs, problem) && width > unit)
    width = llvm::alignTo(llvm::divideCeil(width, 2), unit);
  if (!knobs.persistent)
    knobs.splits = splitsOf(knobs, tiles(), problem, arch);
  knobs.stages = maxStages(knobs.turned(), problem, arch, &problem);
  return chosen;
}

/// Whether fetching the rows takes less time than copies and their product.
/// Bytes are transposed one by one, at a fifth of the chip's peak
/// (measured on an H200).
static bool paysToFetch(const WarpSpecialized &packed, const Problem &problem,
                        const Arch &arch) {
  constexpr double kShare = 0.6, kTurned = 0.2;
  if (sizeOf(problem.a.type) > 1)
    return true;
  const Problem whole = withKnownExtents(problem);
  return multiplySeconds(whole, arch, kTurned) <
         multiplySeconds(whole, arch, kShare) + copySeconds(packed, whole);
}

/// Copies the operands that the copy engine cannot address, or that the tensor
/// cores cannot read in their layout, where that pays or where no other kind
/// multiplies them. C is then stored by threads. Otherwise the form stays, and
/// a law passes the problem to the next kind.
static Schedule inReach(const WarpSpecialized &form, const Problem &problem,
                        const Arch &arch) {
  WarpSpecialized knobs = form.reaching(problem);
  WarpSpecialized few = form.fetching(problem);
  std::optional<WarpSpecialized> many = fetching(problem, arch);
  // Problems with few rows of C keep their form if its slots fit.
  bool keepsForm = form.transposes && passesOf(problem) == 1 &&
                   few.fetchesRows(problem) && few.fetchesPanels(problem);
  if (many && paysToFetch(knobs, problem, arch))
    knobs = keepsForm ? few : *many;
  bool mustPack = MmaSync::kind().refuseTypes(problem).has_value() ||
                  (!problem.convertsB() && !isReadWhole(problem)) ||
                  (passesOf(problem) > 1 && partsOfK(problem));
  bool reaches = !knobs.packsAny() || mustPack || pays(knobs, problem, arch);
  return reaches ? knobs : form;
}

/// Few rows become columns for the tensor cores, and so do the rows of a matrix
/// that is too small for 64 rows a tile. Otherwise large tiles reuse loaded
/// data best, as long as there are enough of them; the tiles of two teams hide
/// each other's stores; small tiles start soonest. Where tiles are few and K is
/// long, a cluster shares K. Where K is longer than a cluster needs, workers
/// share it.
static WarpSpecialized formOf(const Problem &problem, const Arch &arch) {
  constexpr int64_t kLongK = 1024, kLongerK = 8192, kFewRows = 32;
  auto tiles = [&](int64_t m, int64_t n) {
    return double(llvm::divideCeilSigned(known(problem.m), m)) *
           double(llvm::divideCeilSigned(known(problem.n), n)) *
           double(known(problem.batch.value_or(1)));
  };
  std::optional<int64_t> partsOfAll = partsOfK(problem);
  if (partsOfAll > 1)
    return single(problem, arch, *partsOfAll);
  if (problem.m != kDynamic && problem.m <= kFewRows)
    return transposed(problem, arch);
  // Products of integers take less time, and their sums are wider than f16:
  // hiding stores pays off at any number of tiles.
  bool hidesStores = isInteger(problem.a.type);
  if (tiles(128, 256) >= 2.0 * arch.processors && !hidesStores)
    return persistent(problem, arch);
  if (tiles(128, 128) >= arch.processors / 2.0)
    return persistentSmall(problem, arch);
  if (known(problem.k) >= kLongerK && tiles(64, 64) >= 8 && !partsOfAll)
    return streaming(problem, arch);
  if (readsAlongA(problem) && tiles(32, 64) <= arch.processors)
    return transposed(problem, arch);
  bool fillsHalf = tiles(64, 64) >= arch.processors / 2.0;
  bool isShort = known(problem.k) < kLongK;
  bool isWhole = fillsHalf || isShort || partsOfAll;
  return single(problem, arch, /*splits=*/isWhole ? 1 : 4);
}

/// Where rows of groups begin is known on the device alone, so blocks share
/// nothing. Few rows fill no more than one group's band.
static WarpSpecialized formOfRagged(const Problem &problem) {
  constexpr int64_t kBand = 64, kLineBytes = 128;
  Problem equal = withEqualGroups(problem);
  bool isFew = equal.m != kDynamic && equal.m <= kBand;
  WarpSpecialized form;
  form.tile = {isFew ? kBand : 2 * kBand, 2 * kBand,
               kLineBytes / sizeOf(problem.a.type)};
  form.consumers = {isFew ? 1 : 2, 1};
  form.stages = isFew ? 6 : 4;
  form.threadsStore = form.reaching(problem).threadsStore;
  return form;
}

/// Forms are designed for elements of 16 bits. For other elements a step has
/// the same length in bytes.
Schedule detail::wsDefault(const Problem &problem, const Arch &arch) {
  constexpr int64_t kBlockCols = 128;
  if (problem.groups)
    return formOfRagged(problem);
  WarpSpecialized form = formOf(problem, arch);
  form.tile[2] =
      std::min<int64_t>(form.tile[2] * 2 / sizeOf(problem.a.type), 256);
  // Blocks have separate sums: fewer columns leave registers for these.
  WarpSpecialized turned = form.turned();
  if (passesOf(problem) > 1 && form.tile[0] == 128 && form.tile[1] == 256)
    std::swap(form.tile[0], form.tile[1]);
  else if (blockOf(problem) && turned.groupCols() > kBlockCols)
    form.tile[form.transposes ? 0 : 1] = kBlockCols * turned.consumers[1];
  return inReach(form, problem, arch);
}
