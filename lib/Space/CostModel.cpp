//===- CostModel.cpp - Estimated time of a schedule -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computed from a block's facts, for all kinds of blocks.
//
//===----------------------------------------------------------------------===//

#include "hone/Space/CostModel.h"
#include "BlockCosts.h"
#include "HostCost.h"
#include "hone/Schedule/Geometry.h"
#include "hone/Schedule/Roofline.h"
#include "hone/Space/Power.h"
#include <cmath>

using namespace hone;

namespace {
/// The distribution of a problem's blocks over the processors.
struct Deal {
  double rows, cols, blocks;
  double processors; ///< that blocks can use
  double share;      ///< blocks of the busiest processor
  double together;   ///< resident at a time
  double rounds;
  double steps;       ///< of K, per block
  bool isCut = false; ///< tiles are divided between workers
};

/// The last row of tiles, or the last column.
struct Edge {
  double clocks = 0; ///< of a step: lines outside of the matrix
  double part = 0;   ///< share of a processor's tiles at the edge
};

class Estimate {
public:
  /// `meanRows`: of the groups that are the batch, where rows are ragged; or 0.
  Estimate(const Problem &problem, const Arch &arch, const BlockFacts &facts,
           const CostCoefficients &by, double meanRows)
      : problem(problem), isRagged(meanRows > 0),
        withRows(meanRows > 0 ? 1 - std::exp(-meanRows) : 1),
        meanRows(meanRows / withRows), arch(arch), facts(facts), by(by),
        clock(arch.clockGHz * 1e9 * by.clockFraction),
        costs(detail::blockCosts(facts, problem, arch, by, clock)),
        deal(dealOf()), edges{edgeOf(0), edgeOf(1)} {}

  double seconds() const;
  CostTerms terms() const;

private:
  double countOf(double rows) const;
  double rowsOfTiles() const;
  double rowsIn(double unit) const;
  Deal dealOf() const;
  double near(std::initializer_list<double> parts, double corner) const;
  Edge edgeOf(size_t side) const;
  Edge edgeOfGroups() const;
  double stepClocks(double together, double outside) const;
  double meanStepClocks(double together) const;
  double loopClocks() const;
  double endSeconds() const;
  double busSeconds() const;
  double powerSeconds() const;
  double packSeconds() const;

  const Problem &problem;
  bool isRagged;
  double withRows; ///< share of the groups that have any
  double meanRows; ///< of those groups
  const Arch &arch;
  const BlockFacts &facts;
  const CostCoefficients &by;
  double clock;
  detail::BlockCosts costs;
  Deal deal;
  std::array<Edge, 2> edges; ///< along M and N
};
} // namespace

static double ceiling(double extent, double unit) {
  return std::ceil(extent / unit);
}

/// Elements of k in whole steps: the copy engine loads channels of one pixel at
/// a step.
static double depthOf(const Problem &problem, const BlockFacts &facts) {
  std::optional<Window> window;
  if (problem.a.access && facts.multiplier == Multiplier::groups)
    window = problem.a.access->window();
  if (!window)
    return problem.k;
  return double(window->h.size) * window->w.size *
         ceiling(window->channels, facts.tile[2]) * facts.tile[2];
}

/// Pieces of `rows` rows that cover a matrix: expected for ragged rows, whose
/// number in a group is taken to be distributed exponentially.
double Estimate::countOf(double rows) const {
  return isRagged ? withRows / (1 - std::exp(-rows / meanRows))
                  : ceiling(problem.m, rows);
}

/// Rows of tiles: a cluster has no partial ones.
double Estimate::rowsOfTiles() const {
  double cluster = facts.cluster[0];
  return isRagged
             ? countOf(facts.tile[0] * cluster) * cluster
             : ceiling(ceiling(problem.m, facts.tile[0]), cluster) * cluster;
}

/// Rows of a tile of ragged rows, in the mean, in pieces of `unit` rows that
/// are left out where they have no row.
double Estimate::rowsIn(double unit) const {
  return unit * countOf(unit) / rowsOfTiles();
}

Deal Estimate::dealOf() const {
  Deal deal;
  deal.rows = countOf(facts.tile[0]);
  deal.cols = ceiling(problem.n, facts.tile[1]);
  double cols = ceiling(deal.cols, facts.cluster[1]) * facts.cluster[1];
  double tiles = rowsOfTiles() * cols;
  deal.blocks = tiles * double(problem.batch.value_or(1) * facts.splits);
  int64_t cluster = facts.cluster[0] * facts.cluster[1] * facts.splits;
  deal.processors =
      std::max<int64_t>(arch.residentClusters(cluster) * cluster, 1);
  deal.steps =
      ceiling(ceiling(depthOf(problem, facts), facts.splits * facts.slices),
              facts.tile[2]) *
      facts.passes;
  if (facts.parts) {
    // Workers have equal runs of steps, which may span tiles.
    deal.blocks = std::min(deal.processors, deal.blocks * facts.parts);
    deal.share = deal.together = 1;
    deal.rounds = std::max(1.0, tiles / deal.blocks);
    deal.isCut = std::fmod(tiles, deal.blocks) != 0;
    deal.steps *= tiles / deal.blocks;
    return deal;
  }
  // Tiles of groups take different times: blocks of one start as others end.
  double each = deal.blocks / deal.processors;
  constexpr double kManyRows = 128;
  bool areEven = isRagged && !facts.persistent && meanRows >= kManyRows;
  deal.share = areEven ? std::max(1.0, each + 0.5) : std::ceil(each);
  deal.together = std::min<double>(deal.share, costs.resident);
  deal.rounds = ceiling(deal.share, costs.resident);
  return deal;
}

double Estimate::near(std::initializer_list<double> parts,
                      double corner) const {
  double max = std::max(parts);
  if (max <= 0)
    return 0;
  double sum = 0;
  for (double part : parts)
    sum += detail::power(part / max, corner);
  return max * detail::power(sum, 1 / corner);
}

/// The copy engine copies whole boxes. A cluster has no partial rows, so a
/// block of it may lie outside with all of its tile.
Edge Estimate::edgeOf(size_t side) const {
  constexpr double kLineBytes = 128;
  if (facts.multiplier != Multiplier::groups || by.outsideClocks == 0)
    return {};
  if (isRagged && side == 0)
    return edgeOfGroups();
  double tile = facts.tile[side], extent = side == 0 ? problem.m : problem.n;
  if (facts.standsBack[side] && extent >= tile)
    return {};
  double tiles =
      ceiling(side == 0 ? deal.rows : deal.cols, facts.cluster[side]) *
      facts.cluster[side];
  // Each of the blocks that share a tile copies a part of it.
  double outside =
      std::min(tiles * tile - extent, tile / facts.cluster[1 - side]);
  if (outside <= 0)
    return {};
  double lines = double(facts.tile[2]) * facts.elementBytes[side] / kLineBytes;
  double each = facts.parts ? deal.rounds : deal.share;
  // Up to eight processors at an edge do not slow each other down. From
  // forty-eight on the effect is constant.
  double there = std::min(deal.blocks, deal.processors) / tiles;
  double crowd = std::clamp((there - 8) / 40, 0.0, 1.0);
  return {outside * lines * by.outsideClocks * (1 + by.outsideCrowd * crowd),
          std::min(1.0, std::ceil(each / tiles) / each)};
}

/// Tiles begin at any row: those near the last one reach beyond it. The factor
/// of the crowd is fitted to products of few rows.
Edge Estimate::edgeOfGroups() const {
  constexpr double kLineBytes = 128;
  double tile = facts.tile[0];
  double all = meanRows * withRows * double(*problem.batch);
  double outside = all < tile ? tile - all / 2 : tile * tile / (2 * all);
  double lines = double(facts.tile[2]) * facts.elementBytes[0] / kLineBytes;
  return {outside * lines * by.outsideClocks * (1 + 3 * by.outsideCrowd), 1};
}

/// `outside`: clocks of a block for copies from outside of the matrix.
double Estimate::stepClocks(double together, double outside) const {
  auto [m, n, k] = facts.tile;
  together *= double(facts.slices);
  // For factors that have parts, the peak is that of all their products.
  int64_t products = facts.passes * facts.productsPerStep;
  double flopsPerClock = double(products) * peakTflops(problem, arch) * 1e12 /
                         (arch.processors * arch.clockGHz * 1e9);
  double multiplied = isRagged ? rowsIn(facts.groupRows) : double(m);
  double multiply = 2.0 * multiplied * n * k * double(facts.productsPerStep) /
                    (flopsPerClock * costs.efficiency);
  double shared =
      facts.sharedBytesPerStep * multiplied / m / by.sharedBytesPerClock;
  // Elements outside of the matrix are not loaded; rows of other groups are.
  auto [bytesA, bytesB] = facts.elementBytes;
  double loaded = isRagged ? double(m) : std::min<double>(m, problem.m);
  double rows = loaded * bytesA * k;
  double cols = std::min<double>(n, problem.n) * bytesB * k;
  double rowSectors = facts.cutsSectors[0] ? rows * by.cutSectors : rows;
  double colSectors = facts.cutsSectors[1] ? cols * by.cutSectors : cols;
  double lines = rowSectors / facts.cluster[1] + colSectors / facts.cluster[0];
  double busy = std::min(deal.blocks, deal.processors);
  double cache = lines * busy / by.l2BytesPerClock;
  double arriving = isRagged ? rowSectors + colSectors : rows + cols;
  double arrive = arriving / by.arriveBytesPerClock + outside;
  double alone =
      std::max({multiply, shared, multiply / facts.sharers + costs.addClocks}) +
      costs.serialClocks + (isRagged && facts.sharers == 1 ? by.soleClocks : 0);
  // A slot can be in flight from the end of its products to the end of those of
  // all other slots.
  double way = by.loadSeconds * clock + arrive;
  double latency = way / std::max<int64_t>(facts.stages - 1, 1);
  return near({std::max(together * multiply, alone), together * shared,
               together * cache, together * arrive, latency},
              by.stepCorner);
}

/// The mean over a processor's tiles: few lie at an edge, and at most one at
/// the corner.
double Estimate::meanStepClocks(double together) const {
  auto [below, beside] = edges;
  double corner = std::max(0.0, below.part + beside.part - 1);
  double inside = 1 - below.part - beside.part + corner, clocks = 0;
  for (auto [part, outside] :
       {std::pair(inside, 0.0), std::pair(below.part - corner, below.clocks),
        std::pair(beside.part - corner, beside.clocks),
        std::pair(corner, below.clocks + beside.clocks)})
    if (part > 0)
      clocks += part * stepClocks(together, outside);
  return clocks;
}

double Estimate::loopClocks() const {
  double full = std::floor(deal.share / deal.together);
  double rest = deal.share - full * deal.together;
  double clocks = full * meanStepClocks(deal.together);
  if (rest > 0)
    clocks += meanStepClocks(rest);
  return clocks * deal.steps;
}

double Estimate::endSeconds() const {
  double last =
      deal.together * (costs.storeClocks + costs.reduceClocks) / clock;
  double next = facts.persistent ? last : last + costs.fillSeconds;
  if (deal.isCut)
    last += costs.cutClocks / clock;
  return costs.fillSeconds + last + (deal.rounds - 1) * costs.exposed * next +
         deal.share * costs.tileClocks / clock;
}

double Estimate::busSeconds() const {
  double k = problem.k, batch = problem.batch.value_or(1);
  // Windows share elements.
  std::optional<double> read;
  if (problem.a.access)
    read = problem.a.access->elements();
  double bytesA = read.value_or(problem.m * k) * facts.elementBytes[0];
  double bytesB = problem.n * k * facts.elementBytes[1];
  // Bands of `group` tile rows are walked column by column, so every band reads
  // all of B again, unless B has stayed in the L2; a round may cover several
  // bands. Where bands lie along N, the same holds for A.
  double along = deal.rows, across = deal.cols;
  if (facts.bandsAlongN) {
    std::swap(along, across);
    std::swap(bytesA, bytesB);
  }
  double atATime = deal.processors * deal.together / facts.splits;
  double bandRows = std::max(double(facts.group), atATime / across);
  double bands = std::max(1.0, along / bandRows);
  double needed = bytesB + bytesA / bands;
  double again = needed > by.cacheFraction * arch.cacheBytes ? bands - 1 : 0;
  double unread = (1 - withRows) * bytesB * batch;
  return (*problem.bytes() - unread + again * bytesB * batch) /
         (arch.memoryGBs * 1e9 * by.busFraction);
}

double Estimate::powerSeconds() const {
  auto [m, n, k] = facts.tile;
  double rows = isRagged ? rowsIn(facts.groupRows) : double(m);
  double flops = 2.0 * rows * n * k * deal.steps / facts.passes * deal.blocks *
                 double(facts.slices);
  return flops / (peakTflops(problem, arch) * 1e12 * by.powerFraction);
}

/// Time of the launches before the product's, which waits for them.
double Estimate::packSeconds() const {
  return facts.packBytes / (arch.memoryGBs * 1e9 * by.packBusFraction) +
         double(facts.launches - 1) * by.packSeconds;
}

double Estimate::seconds() const {
  return packSeconds() + costs.startSeconds + endSeconds() +
         near({loopClocks() / clock, busSeconds(), powerSeconds()},
              by.chipCorner);
}

CostTerms Estimate::terms() const {
  CostTerms terms;
  terms.seconds = seconds();
  terms.start = costs.startSeconds;
  terms.ends = endSeconds();
  terms.loops = loopClocks() / clock;
  terms.bus = busSeconds();
  terms.power = powerSeconds();
  terms.step = stepClocks(1, /*outside=*/0) / clock;
  terms.outside = (edges[0].clocks + edges[1].clocks) / clock;
  terms.rows = deal.rows;
  terms.cols = deal.cols;
  terms.blocks = deal.blocks;
  terms.processors = deal.processors;
  terms.share = deal.share;
  terms.together = deal.together;
  terms.rounds = deal.rounds;
  terms.steps = deal.steps;
  terms.resident = costs.resident;
  terms.store = costs.storeClocks / clock;
  terms.reduce = costs.reduceClocks / clock;
  terms.exposed = costs.exposed;
  terms.isCut = deal.isCut;
  return terms;
}

/// Calls `estimate` with the problem, whose groups have equal shares, and with
/// the mean rows of a group; 0 without groups.
template <typename Estimator>
static auto withMeanRows(const Problem &problem, Estimator estimate) {
  if (!problem.groups && !problem.isRaggedSum)
    return estimate(problem, /*meanRows=*/0.0);
  double meanRows =
      problem.groups ? double(problem.m) / double(*problem.groups) : 0;
  return estimate(withEqualGroups(problem), meanRows);
}

CostTerms hone::costTerms(const Problem &problem, const Arch &arch,
                          const Schedule &schedule,
                          const CostCoefficients &by) {
  BlockFacts facts = blockFacts(problem, schedule);
  return withMeanRows(problem, [&](const Problem &equal, double meanRows) {
    if (facts.multiplier != Multiplier::vectors)
      return Estimate(equal, arch, facts, by, meanRows).terms();
    CostTerms terms;
    terms.seconds = terms.loops = detail::hostSeconds(equal, arch, facts);
    return terms;
  });
}

double hone::estimateSeconds(const Problem &problem, const Arch &arch,
                             const Schedule &schedule,
                             const CostCoefficients &by) {
  return estimateSeconds(problem, arch, blockFacts(problem, schedule), by);
}

double hone::estimateSeconds(const Problem &problem, const Arch &arch,
                             const BlockFacts &facts,
                             const CostCoefficients &by) {
  return withMeanRows(problem, [&](const Problem &equal, double meanRows) {
    if (facts.multiplier == Multiplier::vectors)
      return detail::hostSeconds(equal, arch, facts);
    return Estimate(equal, arch, facts, by, meanRows).seconds();
  });
}
