//===- WarpSpecializedCheckGrid.cpp - Schedules of ws for hone check ------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules that exercise different parts of the kernel.
//
//===----------------------------------------------------------------------===//

#include "WarpSpecializedParts.h"

using namespace hone;
using namespace hone::detail;

std::vector<Schedule> detail::wsCheckGrid() {
  static constexpr llvm::StringLiteral kGrid[] = {
      // One band and several, consumers along M and along N, one chunk, several
      // and odd numbers of chunks, shared loads of A and of B.
      "ws, tile = 128x256x64, consumers = 2x1, stages = 4, group = 8",
      "ws, tile = 128x256x64, consumers = 2x1, stages = 3, cluster = 2x1",
      "ws, tile = 256x128x64, consumers = 2x1, stages = 4, cluster = 1x2",
      "ws, tile = 256x128x64, consumers = 1x2, stages = 3, group = 1",
      "ws, tile = 128x192x64, consumers = 2x1, stages = 4, cluster = 2x1",
      "ws, tile = 192x192x64, consumers = 1x2, stages = 4",
      "ws, tile = 192x192x64, consumers = 3x1, stages = 3",
      "ws, tile = 256x192x64, consumers = 2x1, stages = 3",
      "ws, tile = 320x128x64, consumers = 1x2, stages = 3, cluster = 1x2",
      "ws, tile = 128x128x128, consumers = 2x1, stages = 2, cluster = 4x1",
      "ws, tile = 128x160x64, consumers = 2x1, stages = 4",
      "ws, tile = 128x64x64, consumers = 2x1, stages = 8",
      "ws, tile = 64x64x64, consumers = 1x1, stages = 6",
      "ws, tile = 64x32x64, consumers = 1x1, stages = 16, cluster = 1x4",
      "ws, tile = 64x16x256, consumers = 1x1, stages = 3",
      // Loads shared in both directions, parts of any number of lines, and
      // clusters whose size is not a power of two, or the maximum.
      "ws, tile = 128x256x64, consumers = 2x1, stages = 4, cluster = 2x2",
      "ws, tile = 256x128x64, consumers = 2x1, stages = 4, cluster = 4x2",
      "ws, tile = 128x152x64, consumers = 2x1, stages = 4, cluster = 2x1",
      "ws, tile = 128x152x64, consumers = 2x1, stages = 4, cluster = 2x4",
      "ws, tile = 192x192x64, consumers = 1x2, stages = 4, cluster = 3x2",
      "ws, tile = 128x64x64, consumers = 2x1, stages = 6, cluster = 4x4",
      "ws, consumers = 1x1, teams = 2, tile = 64x256x64, stages = 4, cluster = "
      "2x2",
      "ws, consumers = 1x1, teams = 2, tile = 128x120x64, stages = 5, cluster "
      "= 5x1",
      "ws, persistent = no, tile = 64x64x64, stages = 8, consumers = 1x1, "
      "cluster = 2x4",
      "ws, persistent = no, tile = 128x64x64, consumers = 2x1, stages = 4, "
      "cluster = 2x2, splits = 2",
      "ws, persistent = no, tile = 192x64x64, consumers = 1x1, stages = 4, "
      "cluster = 1x4, splits = 3",
      "ws, side = b, persistent = no, tile = 24x128x64, consumers = 1x2, "
      "stages = 8, cluster = 2x2",
      "ws, side = b, persistent = no, tile = 32x64x64, stages = 8, cluster = "
      "1x4, splits = 4, consumers = 1x1",
      "ws, streams = yes, tile = 128x128x64, stages = 5, cluster = 2x2, parts "
      "= 4",
      // Two teams.
      "ws, consumers = 1x1, teams = 2, tile = 64x256x64, stages = 4",
      "ws, consumers = 1x1, teams = 2, tile = 64x256x64, stages = 3, cluster = "
      "2x1",
      "ws, consumers = 1x1, teams = 2, tile = 128x128x64, stages = 5, group = "
      "1",
      "ws, consumers = 1x1, teams = 2, tile = 128x64x128, stages = 3, cluster "
      "= 1x2",
      "ws, consumers = 1x1, teams = 2, tile = 64x192x64, stages = 5, cluster = "
      "4x1",
      "ws, consumers = 1x1, teams = 2, tile = 64x16x64, stages = 12",
      // One tile per block.
      "ws, persistent = no, tile = 64x64x64, stages = 8, consumers = 1x1",
      "ws, persistent = no, tile = 64x16x64, stages = 16, consumers = 1x1",
      "ws, persistent = no, tile = 64x32x256, stages = 3, consumers = 1x1",
      "ws, persistent = no, tile = 128x64x128, consumers = 2x1, stages = 4",
      "ws, persistent = no, tile = 64x256x64, consumers = 1x2, stages = 4",
      "ws, persistent = no, tile = 128x128x64, consumers = 2x2, stages = 5",
      "ws, persistent = no, tile = 64x128x64, stages = 6, cluster = 2x1, "
      "consumers = 1x1",
      "ws, persistent = no, tile = 128x32x64, consumers = 2x1, stages = 8, "
      "cluster = 1x4",
      "ws, persistent = no, tile = 128x96x64, consumers = 2x1, stages = 2, "
      "group = 1",
      // Runs of K of every form: even, uneven, empty.
      "ws, persistent = no, tile = 64x64x64, stages = 8, splits = 2, consumers "
      "= 1x1",
      "ws, persistent = no, tile = 64x64x64, stages = 6, splits = 8, consumers "
      "= 1x1",
      "ws, persistent = no, tile = 64x32x128, stages = 4, splits = 4, "
      "consumers = 1x1",
      "ws, persistent = no, tile = 64x16x64, stages = 16, splits = 2, "
      "consumers = 1x1",
      "ws, persistent = no, tile = 128x64x64, consumers = 2x1, stages = 4, "
      "splits = 4, group = 1",
      "ws, persistent = no, tile = 128x128x64, consumers = 1x2, stages = 3, "
      "splits = 8",
      "ws, persistent = no, tile = 64x128x64, stages = 5, splits = 16, "
      "consumers = 1x1",
      // Tiles that are cut between two workers and between many, whole tiles
      // after them, blocks that share loads, and a number of lines that is no
      // power of two.
      "ws, streams = yes, tile = 128x128x64, stages = 6, parts = 4",
      "ws, streams = yes, tile = 128x256x64, stages = 4, parts = 32",
      "ws, streams = yes, tile = 128x256x64, stages = 4, cluster = 2x1, parts "
      "= 16",
      "ws, streams = yes, tile = 256x128x64, stages = 3, cluster = 1x2, parts "
      "= 3",
      "ws, streams = yes, tile = 192x192x64, consumers = 1x2, stages = 3, "
      "parts = 2",
      "ws, streams = yes, tile = 64x16x64, consumers = 1x1, stages = 12, parts "
      "= 64",
      "ws, streams = yes, tile = 64x128x128, consumers = 1x1, stages = 4, "
      "cluster = 4x1, parts = 5, group = 1",
      // C transposed.
      "ws, side = b, persistent = no, tile = 16x64x128, stages = 8, consumers "
      "= 1x1",
      "ws, side = b, persistent = no, tile = 16x64x64, stages = 16, splits = "
      "4, consumers = 1x1",
      "ws, side = b, persistent = no, tile = 32x128x64, consumers = 1x2, "
      "stages = 8, splits = 8",
      "ws, side = b, persistent = no, tile = 48x128x64, consumers = 1x1, "
      "stages = 6",
      "ws, side = b, persistent = no, tile = 64x64x256, stages = 3, splits = "
      "2, consumers = 1x1",
      "ws, side = b, persistent = no, tile = 128x128x64, consumers = 2x2, "
      "stages = 4, group = 1",
      "ws, side = b, persistent = no, tile = 64x256x64, consumers = 1x4, "
      "stages = 4, splits = 16",
      // Five chunks of C in two slots.
      "ws, side = b, tile = 152x192x64, consumers = 1x3, stages = 4, chunk = "
      "32",
      "ws, side = b, tile = 136x128x64, consumers = 1x2, stages = 4, chunk = "
      "32, store = threads",
      // Lines of any alignment: several launches, threads that store.
      "ws, tile = 128x256x64, consumers = 2x1, stages = 3, store = threads, "
      "pack = ab",
      "ws, tile = 128x192x64, consumers = 2x1, stages = 3, cluster = 2x1, "
      "store = threads, pack = b",
      "ws, consumers = 1x1, teams = 2, tile = 64x192x64, stages = 4, store = "
      "threads, pack = a",
      "ws, persistent = no, tile = 64x64x64, consumers = 1x1, stages = 8, "
      "store = threads",
      "ws, persistent = no, tile = 64x64x64, consumers = 1x1, stages = 6, "
      "splits = 4, store = threads, pack = ab",
      "ws, streams = yes, tile = 128x128x64, stages = 4, parts = 4, store = "
      "threads, pack = ab",
      "ws, streams = yes, tile = 64x64x128, consumers = 1x1, stages = 4, parts "
      "= 16, pack = b",
      "ws, side = b, persistent = no, tile = 16x64x128, consumers = 1x1, "
      "stages = 6, store = threads, pack = ab",
      "ws, side = b, persistent = no, tile = 32x128x64, consumers = 1x2, "
      "stages = 8, splits = 4, store = threads, pack = a",
      // Packed operands with elements of twice the size, or with short sums.
      "ws, tile = 128x128x32, consumers = 2x1, stages = 5, pack = ab",
      "ws, tile = 256x128x32, consumers = 2x1, stages = 4, pack = ab",
      "ws, tile = 128x256x32, consumers = 1x2, stages = 4, cluster = 2x1, pack "
      "= ab",
      "ws, tile = 128x192x32, consumers = 2x1, stages = 4, cluster = 1x2, pack "
      "= ab",
      "ws, tile = 256x128x64, consumers = 2x1, stages = 2, pack = ab",
      "ws, consumers = 1x1, teams = 2, tile = 128x128x32, stages = 5, cluster "
      "= 2x1, store = threads, pack = ab",
      "ws, persistent = no, tile = 64x64x96, consumers = 1x1, stages = 4, "
      "splits = 4, pack = ab",
      "ws, streams = yes, tile = 128x128x32, stages = 5, parts = 4, cluster = "
      "1x2, pack = ab",
      "ws, side = b, persistent = no, tile = 32x128x32, consumers = 1x2, "
      "stages = 6, splits = 2, store = threads, pack = ab",
      // Rewrites that apply to every epilogue and every form of store.
      "ws, tile = 256x128x64, consumers = 2x1, stages = 4, rewrites = "
      "[loads(cols_first), prefetch(4), flight(0), products(by_step), skew(2), "
      "unroll(peel), next(loaded), begin(together)]",
      "ws, tile = 128x128x64, consumers = 2x1, stages = 4, cluster = 2x1, "
      "rewrites = [prefetch(2), flight(2), skew(1), unroll(4), next(stored)]",
      "ws, consumers = 1x1, teams = 2, tile = 128x128x64, stages = 5, rewrites "
      "= [flight(2), products(by_step), handover(early), unroll(2), "
      "begin(together)]",
      "ws, persistent = no, tile = 128x128x64, consumers = 2x1, stages = 4, "
      "rewrites = [loads(cols_first), flight(0), skew(3), unroll(peel), "
      "begin(together)]",
      "ws, persistent = no, tile = 128x64x64, consumers = 2x1, stages = 4, "
      "splits = 4, rewrites = [prefetch(8), unroll(2), next(loaded)]",
      "ws, streams = yes, tile = 128x128x64, stages = 4, parts = 4, rewrites = "
      "[prefetch(4), flight(0), unroll(4), begin(together)]",
      "ws, side = b, persistent = no, tile = 48x128x64, consumers = 1x1, "
      "stages "
      "= 6, rewrites = [loads(cols_first), prefetch(2), flight(2), "
      "unroll(peel), next(stored)]",
  };
  std::vector<Schedule> schedules;
  for (llvm::StringRef text : kGrid)
    schedules.push_back(llvm::cantFail(parseSchedule(text)));
  return schedules;
}
