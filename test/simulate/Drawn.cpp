//===- Drawn.cpp - Kernels drawn from the whole space ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Drawn.h.
//
//===----------------------------------------------------------------------===//

#include "Drawn.h"
#include "hone/Schedule/Spelling.h"
#include "hone/Schedule/WholeKernel.h"
#include "hone/Space/Draw.h"
#include "hone/Space/Space.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <set>

using namespace hone;
using namespace hone::test;

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

std::vector<Case> hone::test::namedCases() {
  std::vector<Case> cases;
  for (const char *schedule :
       {"mma_sync, tile = 32x32x32, warps = 2x2, stages = 3",
        "mma_sync, tile = 32x32x32, warps = 2x2, stages = 3, splits = 2",
        "mma_sync, tile = 32x32x32, warps = 2x2, stages = 2, slices = 2",
        "ws_coop, tile = 128x128x64, consumers = 2x1, stages = 3",
        "ws_coop, tile = 128x64x64, consumers = 2x1, stages = 3, cluster = 2x1",
        "ws_pingpong, tile = 64x64x64, stages = 3",
        "ws_pingpong, tile = 64x64x64, stages = 3, cluster = 1x2",
        "small, tile = 64x64x64, stages = 3",
        "streamk, tile = 128x64x64, consumers = 2x1, stages = 3",
        "streamk, tile = 64x64x64, consumers = 1x1, stages = 3, cluster = 2x1",
        "ws_coop, tile = 64x64x64, consumers = 1x1, stages = 3, cluster = 2x2",
        "ws_coop, tile = 64x64x192, consumers = 1x1, stages = 2, cluster = "
        "3x1",
        "small, tile = 64x64x64, stages = 3, cluster = 2x2",
        "cluster_splitk, tile = 64x64x64, stages = 3, splits = 2, cluster = "
        "1x2",
        "swap_ab, tile = 16x64x64, stages = 3",
        "swap_ab, tile = 16x64x64, stages = 3, splits = 2",
        "cluster_splitk, tile = 64x64x64, stages = 3, splits = 2",
        "cluster_splitk, tile = 128x64x64, consumers = 2x1, stages = 3, "
        "splits = 2",
        "ws_coop, tile = 128x128x64, consumers = 2x1, stages = 3, store = "
        "threads, pack = ab",
        "ws_pingpong, tile = 64x64x64, stages = 3, store = threads, pack = "
        "b"})
    cases.emplace_back().schedule = schedule;
  // Residuals loaded by the copy engine: into as many slots as a tile has
  // chunks, or into fewer.
  for (const char *schedule :
       {"ws_coop, tile = 128x64x64, consumers = 2x1, stages = 3, chunk = 16",
        "ws_coop, tile = 64x64x64, consumers = 1x1, stages = 3, chunk = 16, "
        "staged = all",
        "ws_pingpong, tile = 64x64x64, stages = 3, chunk = 32",
        "streamk, tile = 64x64x64, consumers = 1x1, stages = 3, chunk = 32",
        "small, tile = 64x64x64, stages = 3, chunk = 16",
        "swap_ab, tile = 24x64x64, stages = 3, chunk = 16"}) {
    Case &one = cases.emplace_back();
    one.schedule = schedule;
    one.epilogue = "residual";
  }
  // Invariant numbers.
  struct Invariant {
    const char *in, *schedule;
  };
  for (Invariant each :
       {Invariant{"f16", "mma_sync, tile = 32x32x32, warps = 2x2, stages = 3"},
        {"bf16", "ws_coop, tile = 64x64x64, consumers = 1x1, stages = 3"},
        {"f16", "swap_ab, tile = 16x64x64, stages = 3"},
        {"f8E4M3FN", "small, tile = 64x64x128, stages = 3"}}) {
    Case &one = cases.emplace_back();
    one.in = each.in;
    one.schedule = each.schedule;
    one.isInvariant = true;
    // Both factors of 8 bits have K within lines.
    one.colB = one.in == "f8E4M3FN";
  }
  // Ragged rows.
  for (const char *schedule :
       {"mma_sync, tile = 32x32x32, warps = 2x2, stages = 3",
        "ws_coop, tile = 64x64x64, consumers = 1x1, stages = 3, store = "
        "threads",
        "ws_coop, tile = 128x64x64, consumers = 2x1, stages = 3",
        "small, tile = 64x64x64, stages = 3, store = threads"}) {
    Case &one = cases.emplace_back();
    one.schedule = schedule;
    one.ragged = true;
  }
  // Rows of an index, of groups or not, and ragged sums.
  for (const char *schedule :
       {"mma_sync, tile = 32x32x32, warps = 2x2, stages = 3",
        "mma_sync, tile = 32x32x32, warps = 2x2, stages = 3, splits = 2"}) {
    Case &one = cases.emplace_back();
    one.schedule = schedule;
    one.indexed = true;
    one.ragged = cases.size() % 2;
    Case &sum = cases.emplace_back();
    sum.schedule = schedule;
    sum.raggedSum = sum.colA = true;
  }
  // Windows.
  for (const char *schedule :
       {"ws_coop, tile = 128x64x64, consumers = 2x1, stages = 3, cluster = 1x2",
        "small, tile = 64x64x64, stages = 3",
        "swap_ab, tile = 16x64x64, stages = 3, splits = 2"}) {
    Case &one = cases.emplace_back();
    one.schedule = schedule;
    one.windows = true;
  }
  return cases;
}

//===----------------------------------------------------------------------===//
// Drawn
//===----------------------------------------------------------------------===//

namespace {
struct Source {
  int64_t m, n, k;
  const char *layout; ///< of A and B: "nn", "nt", ...
  const char *in, *out, *epilogue, *batchesB;
  bool batched, reads;
};
} // namespace

/// Extents that favour different schedules, and all other properties that
/// change a kernel.
static constexpr Source kSources[] = {
    {200, 12288, 4096, "nt", "f16", "f16", "", "", false, false},
    {1023, 1023, 1023, "nn", "f16", "f16", "", "", false, false},
    {64, 4096, 8192, "tn", "bf16", "bf16", "bias", "", false, false},
    {2048, 2048, 2048, "nn", "f16", "f32", "", "", false, true},
    {333, 333, 9999, "tt", "bf16", "f32", "", "", false, false},
    {16, 5120, 5120, "nt", "f16", "f16", "residual", "", false, false},
    {577, 1024, 4096, "tn", "f16", "f16", "", "", true, false},
    {128, 128, 65536, "nt", "f16", "f32", "", "", false, false},
    {384, 384, 64, "nt", "bf16", "bf16", "residual", "b", false, false},
    {4096, 256, 1024, "nn", "f16", "f16", "bias", "bh", false, false},
    {5000, 777, 1234, "nt", "f16", "f16", "bias", "", false, false},
    {8192, 24, 2048, "tt", "bf16", "f32", "", "", false, true},
    {900, 2816, 2048, "nn", "bf16", "bf16", "", "h", false, true},
    {96, 96, 512, "nt", "f16", "f16", "", "", true, false},
    {2048, 2048, 1024, "nn", "tf32x3", "f32", "bias", "", false, false},
    {333, 1023, 999, "tt", "tf32x3", "f32", "", "b", false, false},
    {512, 4096, 300, "tn", "tf32", "f32", "", "", true, false},
    {1000, 777, 1234, "nn", "f8E4M3FN", "f16", "", "", false, false},
    {256, 2048, 4096, "nt", "f8E5M2", "f32", "residual", "", false, true},
    {768, 1000, 2048, "nt", "i8", "i32", "", "", false, false},
    {333, 777, 1234, "tn", "i8", "i32", "residual", "bh", false, true},
};

static Case caseOf(const Source &source, const Schedule &schedule) {
  Case one;
  one.schedule = toString(schedule);
  one.colA = source.layout[0] == 't';
  one.colB = source.layout[1] == 't';
  one.in = source.in;
  one.out = source.out;
  one.batched = source.batched;
  one.batchesB = source.batchesB;
  one.epilogue = source.epilogue;
  one.reads = source.reads;
  return one;
}

/// Lines have no padding: unaligned ones are packed.
static Problem problemOf(const Source &source) {
  Problem problem;
  bool isBatched = source.batched || *source.batchesB;
  if (isBatched)
    problem.batch = 8;
  problem.m = source.m, problem.n = source.n, problem.k = source.k;
  llvm::cantFail(setTypes(problem, std::string(source.in) + ":" + source.out));
  auto operand = [](ElementType type, bool isCol, int64_t row, int64_t col) {
    Operand operand;
    operand.type = type;
    operand.order = isCol ? Order::col : Order::row;
    int64_t bytes = (isCol ? row : col) * sizeOf(operand.type);
    operand.align = std::min<int64_t>(kBestAlign, bytes & -bytes);
    return operand;
  };
  problem.a =
      operand(problem.a.type, source.layout[0] == 't', source.m, source.k);
  problem.b =
      operand(problem.b.type, source.layout[1] == 't', source.k, source.n);
  problem.alignC = operand(problem.c, false, source.m, source.n).align;
  problem.init = source.reads ? Init::read : Init::zero;
  if (llvm::StringRef(source.epilogue) == "residual")
    problem.epilogue = "addf(acc, mn:f32)";
  return problem;
}

/// Other properties that distinguish kernels of one form: the types, where
/// products are not exact.
static std::string productsOf(const Source &source) {
  return problemOf(source).products == Products::exact ? "" : source.in;
}

/// Other extents, which favour other schedules.
static Source varied(Source source, Dice &dice) {
  for (int64_t *extent : {&source.m, &source.n, &source.k}) {
    int64_t unit = *extent % 8 ? 1 : 8;
    *extent += unit * int64_t(dice.below(*extent / 4 / unit + 1));
  }
  return source;
}

/// The cost of a run with numbers.
static int64_t tileOf(const Schedule &schedule) {
  auto tile = schedule["tile"];
  return tile.empty() ? 0 : tile[0] * tile[1];
}

std::vector<Case> hone::test::drawnCases(size_t count, uint64_t seed) {
  Arch arch = llvm::cantFail(Arch::lookup("h200"));
  DrawOptions options;
  options.max = 96;
  options.looks = 1500;
  Dice dice(seed);
  // Offers of each source by form, smallest tile first.
  std::map<std::string, std::vector<std::pair<int64_t, Case>>> forms;
  for (const Source &source : kSources)
    for (const Priced &priced :
         drawn(problemOf(varied(source, dice)), arch, options)) {
      Case one = caseOf(source, priced.schedule);
      if (isLegal(one))
        forms[formOf(priced.schedule) + productsOf(source)].push_back(
            {tileOf(priced.schedule), one});
    }
  for (auto &[form, offers] : forms)
    llvm::sort(offers, [](auto &one, auto &other) {
      return std::pair(one.first, one.second.str()) <
             std::pair(other.first, other.second.str());
    });
  std::vector<Case> cases;
  for (size_t round = 0; cases.size() < count; ++round) {
    size_t before = cases.size();
    for (auto &[form, offers] : forms)
      if (round < offers.size() && cases.size() < count)
        cases.push_back(offers[round].second);
    if (cases.size() == before)
      break;
  }
  return cases;
}

/// Sets each third rewrite decision to any of its words.
static Schedule rewrittenAtRandom(Schedule schedule, Dice &dice) {
  constexpr size_t kOneOf = 3;
  for (const Decision &decision : schedule.kind().decisions)
    if (decision.isRewrite && !namesWholeKernel(decision) &&
        dice.below(kOneOf) == 0)
      llvm::cantFail(schedule.decide(
          decision.name, decision.words[dice.below(decision.words.size())]));
  return schedule;
}

std::vector<Case> hone::test::rewrittenCases(size_t count, uint64_t seed) {
  Dice dice(seed);
  std::vector<Case> from = namedCases(), cases;
  llvm::append_range(from, drawnCases(count / 2, seed));
  std::set<std::string> seen;
  for (size_t tries = 0; cases.size() < count && tries < 20 * count; ++tries) {
    Case one = from[tries % from.size()];
    Schedule schedule =
        rewrittenAtRandom(llvm::cantFail(parseSchedule(one.schedule)), dice);
    one.schedule = toString(schedule);
    if (!schedule.rewrites().empty() && seen.insert(one.str()).second &&
        isLegal(one))
      cases.push_back(one);
  }
  return cases;
}
