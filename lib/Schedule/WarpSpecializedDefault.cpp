//===- WarpSpecializedDefault.cpp - The default schedule of ws ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which form of the kernel a problem gets without a search. It is the number of
// tiles that decides: whether the processors are filled, and by which tiles.
//
//===----------------------------------------------------------------------===//

#include "WarpSpecializedParts.h"
#include "hone/Schedule/MmaSync.h"
#include "hone/Schedule/Roofline.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;

/// An extent, or what it is taken for where nobody knows it.
static int64_t known(int64_t extent, int64_t guess = 4096) {
  return std::max<int64_t>(extent == kDynamic ? guess : extent, 1);
}

/// As many slots as fit a block's shared memory, within the law: of elements of
/// 16 bits, or of those of `sized`.
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

/// Smaller ones, for two teams in turn. A team that adds up short sums has
/// nobody who multiplies meanwhile; consumers of one tile have each other.
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
/// as many workers for a tile as there are processors for them.
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

/// Few rows are one tile, so that B is read once. More of them are as many
/// tiles as run at once.
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

/// Whether so many blocks can share a tile's sums out (laws 66 and 67).
static bool canMeet(const WarpSpecialized &knobs, int64_t splits) {
  constexpr int64_t kPiece = 256, kUnit = 16;
  return knobs.tile[0] % kUnit == 0 && knobs.tile[1] % kUnit == 0 &&
         knobs.tile[0] * knobs.tile[1] % (splits * knobs.groups() * kPiece) ==
             0;
}

/// As many blocks of a cluster share K as there are processors and steps for.
static int64_t splitsOf(const WarpSpecialized &knobs, int64_t tiles,
                        const Problem &problem, const Arch &arch) {
  constexpr int64_t kMax = 8, kMinSteps = 4;
  int64_t steps = known(problem.k) / knobs.tile[2], splits = 1;
  while (splits < kMax && tiles * splits * 2 <= arch.processors &&
         steps >= splits * 2 * kMinSteps && canMeet(knobs, splits * 2))
    splits *= 2;
  return splits;
}

/// C transposed, and as many blocks for a tile as there are processors for them
/// and steps of K.
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

/// Seconds of the product at a share of the chip's peak, and of its copies:
/// three terabytes of them a second, and a launch.
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

/// Whether the copy engine cannot read A or B as it lies.
static bool isOutOfReach(const WarpSpecialized &form, const Problem &problem) {
  WarpSpecialized knobs = form;
  knobs.packs = 1;
  knobs.threadsStore = true;
  return wsRefuseMemory(knobs, problem).has_value();
}

/// The share of the chip's peak at which copies are multiplied. Where sums are
/// short and threads add them up, a consumer that is alone in its block has
/// nobody to multiply meanwhile.
static double shareOf(const WarpSpecialized &knobs, const Problem &problem) {
  constexpr double kShare = 0.6, kAlone = 0.3;
  return passesOf(problem) > 1 && knobs.groups() == 1 ? kAlone : kShare;
}

/// Whether the product of copies, and the copies, take less time than the
/// sibling: that reads unaligned lines itself, at a tenth of the chip, or
/// transposes, splits or converts what it reads for each tile again, at a
/// third. Of few rows the weights are most of the work, and a copy moves them
/// twice more. The shares are measured (docs/Pipeline.md).
static bool pays(const WarpSpecialized &knobs, Problem problem,
                 const Arch &arch) {
  constexpr double kUnaligned = 0.12, kAligned = 0.36, kConverted = 0.3;
  bool isOut = !problem.convertsB() && passesOf(problem) == 1 &&
               isOutOfReach(knobs, problem);
  // Of lines whose length nobody knows nobody knows that they need a copy.
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

/// Columns of a tile, of which there are as many as run in few rounds. A round
/// takes as long as its tiles have columns, and longer by what their rows take.
static int64_t colsOf(const Problem &problem, const Arch &arch, int64_t extent,
                      int64_t rowTiles, int64_t unit, int64_t most) {
  constexpr int64_t kRows = 32;
  int64_t best = most, least = std::numeric_limits<int64_t>::max();
  for (int64_t cols = unit; cols <= most; cols += unit) {
    int64_t tiles = llvm::divideCeilSigned(extent, cols) * rowTiles *
                    known(problem.batch.value_or(1));
    int64_t time =
        llvm::divideCeilSigned(tiles, arch.processors) * (cols + kRows);
    if (time <= least)
      least = time, best = cols;
  }
  return best;
}

static bool fitsRegisters(const WarpSpecialized &knobs,
                          const Problem &problem) {
  WarpSpecialized turned = knobs.turned();
  return heldRegisters(turned, &problem) + otherRegisters(turned, &problem) <=
         turned.consumerRegisters();
}

/// Two consumers that fetch 64 rows each, of the operand whose copies would be
/// larger: one multiplies while the other waits for its own products. None
/// where tensor cores read both operands as they lie.
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

/// The same with columns, and with blocks that share K where there are few
/// tiles. Few columns are one tile.
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
  // Columns of C in chunks of one width, or lines of it.
  int64_t unit = !knobs.transposes           ? 4 * kUnit
                 : isInteger(problem.a.type) ? kUnit
                                             : kUnit / 2;
  int64_t most = knobs.splitsRows(problem) ? kColsOfParts : kCols;
  width = extent <= kFew && knobs.transposes
              ? std::min<int64_t>(llvm::alignTo(extent, kUnit), most)
              : colsOf(problem, arch, extent, rowTiles, unit, most);
  auto tiles = [&] {
    return llvm::divideCeilSigned(extent, width) * rowTiles *
           known(problem.batch.value_or(1));
  };
  knobs.persistent = tiles() > arch.processors;
  while (!fitsRegisters(knobs, problem) && width > unit)
    width = llvm::alignTo(llvm::divideCeil(width, 2), unit);
  if (!knobs.persistent)
    knobs.splits = splitsOf(knobs, tiles(), problem, arch);
  knobs.stages = maxStages(knobs.turned(), problem, arch, &problem);
  return chosen;
}

/// Whether fetching them takes less time than copies and their product. Bytes
/// are turned one by one, at a fifth of the chip (docs/Results.md).
static bool paysToFetch(const WarpSpecialized &packed, const Problem &problem,
                        const Arch &arch) {
  constexpr double kShare = 0.6, kTurned = 0.2;
  if (sizeOf(problem.a.type) > 1)
    return true;
  const Problem whole = withKnownExtents(problem);
  return multiplySeconds(whole, arch, kTurned) <
         multiplySeconds(whole, arch, kShare) + copySeconds(packed, whole);
}

/// What the copy engine cannot address, or the tensor cores cannot read as it
/// lies, is copied where that pays, or where no other kind multiplies it; C is
/// stored by threads. Else the form stays as it is, and a law sends the problem
/// to the next kind.
static Schedule inReach(const WarpSpecialized &form, const Problem &problem,
                        const Arch &arch) {
  WarpSpecialized knobs = form.reaching(problem);
  WarpSpecialized few = form.fetching(problem);
  std::optional<WarpSpecialized> many = fetching(problem, arch);
  // Few rows of C keep their form where its slots allow it.
  bool keepsForm = form.transposes && passesOf(problem) == 1 &&
                   few.fetchesRows(problem) && few.fetchesPanels(problem);
  if (many && paysToFetch(knobs, problem, arch))
    knobs = keepsForm ? few : *many;
  bool mustPack = MmaSync::kind().refuseTypes(problem).has_value() ||
                  (!problem.convertsB() && !isReadWhole(problem));
  bool reaches = !knobs.packsAny() || mustPack || pays(knobs, problem, arch);
  return reaches ? knobs : form;
}

/// Few rows are columns to the tensor cores, and so are those of a matrix that
/// is too small for 64 rows a tile. Else large tiles reuse most, as long as
/// there are enough of them; tiles of two teams hide each other's stores; small
/// ones start soonest. Where tiles are few and K is long, a cluster shares it,
/// and where it is longer than a cluster needs, workers do.
static WarpSpecialized formOf(const Problem &problem, const Arch &arch) {
  constexpr int64_t kLongK = 1024, kLongerK = 8192, kFewRows = 32;
  auto tiles = [&](int64_t m, int64_t n) {
    return double(llvm::divideCeilSigned(known(problem.m), m)) *
           double(llvm::divideCeilSigned(known(problem.n), n)) *
           double(known(problem.batch.value_or(1)));
  };
  if (problem.m != kDynamic && problem.m <= kFewRows)
    return transposed(problem, arch);
  // Products of integers are done sooner, and their sums are longer than f16:
  // then stores are worth hiding however many tiles there are
  // (docs/Results.md).
  bool hidesStores = isInteger(problem.a.type);
  if (tiles(128, 256) >= 2.0 * arch.processors && !hidesStores)
    return persistent(problem, arch);
  if (tiles(128, 128) >= arch.processors / 2.0)
    return persistentSmall(problem, arch);
  if (known(problem.k) >= kLongerK && tiles(64, 64) >= 8)
    return streaming(problem, arch);
  if (readsAlongA(problem) && tiles(32, 64) <= arch.processors)
    return transposed(problem, arch);
  bool fillsHalf = tiles(64, 64) >= arch.processors / 2.0;
  bool isShort = known(problem.k) < kLongK;
  return single(problem, arch, /*splits=*/fillsHalf || isShort ? 1 : 4);
}

/// Forms are thought of for elements of 16 bits; the steps of others are as
/// long in bytes.
Schedule detail::wsDefault(const Problem &problem, const Arch &arch) {
  constexpr int64_t kBlockCols = 128;
  WarpSpecialized form = formOf(problem, arch);
  form.tile[2] =
      std::min<int64_t>(form.tile[2] * 2 / sizeOf(problem.a.type), 256);
  // Blocks have sums of their own: fewer columns leave registers for these.
  WarpSpecialized turned = form.turned();
  if (passesOf(problem) > 1 && form.tile[0] == 128 && form.tile[1] == 256)
    std::swap(form.tile[0], form.tile[1]);
  else if (blockOf(problem) && turned.groupCols() > kBlockCols)
    form.tile[form.transposes ? 0 : 1] = kBlockCols * turned.consumers[1];
  return inReach(form, problem, arch);
}
