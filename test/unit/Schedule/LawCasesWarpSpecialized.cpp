//===- LawCasesWarpSpecialized.cpp - Laws of ws, broken -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LawCases.h.
//
//===----------------------------------------------------------------------===//

#include "LawCases.h"

using namespace hone;
using namespace hone::test;

llvm::ArrayRef<Case> hone::test::warpSpecializedCases() {
  static const Case cases[] = {
      {1, "ws_coop", "", "a100",
       "expected an arch with the instructions of sm_90a, but got 'a100'; use "
       "mma_sync"},
      {2, "small", kMixed.data(), "",
       "expected a and b to be both f16 or both bf16, but got f16 and bf16; "
       "use "
       "one of these types for both"},
      {2, "ws_pingpong", kHalfSum.data(), "",
       "expected acc to be f32, but got f16; use f32"},
      {40, "ws_coop, tile = 192x128x64", "", "",
       "expected tile.m to be a multiple of 128, 64 rows for each consumer, "
       "but "
       "got 192; use 256"},
      {41, "small, tile = 64x44x64", "", "",
       "expected tile.n to be a multiple of 8, 8 columns for each consumer, "
       "but got 44; use 48"},
      {41, "small, tile = 64x272x64", "", "",
       "expected at most 256 columns for each consumer, but got 272; use "
       "tile.n "
       "= 256"},
      {86, "ws_coop, tile = 128x128x32", kTf32Rows.data(), "",
       "expected b to be col where it is f32 and not packed, but got row; use "
       "pack = b"},
      {86, "ws_coop, tile = 128x128x32, pack = a", kTf32Rows.data(), "",
       "expected b to be col where it is f32 and not packed, but got row; use "
       "pack = ab"},
      {90, "ws_coop, tile = 128x128x64", kWeights.data(), "",
       "expected b to be packed, or to be the rows of the tensor cores, where "
       "it is i8 and a is f16, but got pack = none; use b"},
      {90, "ws_coop, tile = 128x128x64, pack = a", kWeights.data(), "",
       "expected b to be packed, or to be the rows of the tensor cores, where "
       "it is i8 and a is f16, but got pack = a; use ab"},
      {92, "ws, side = b, tile = 64x64x64, consumers = 1x1, stages = 4",
       kWeights.data(), "",
       "expected tile.n to be a multiple of 128, a panel of the lines of b, "
       "which are i8 and fetched, but got 64; use 128"},
      {84, "ws_coop, tile = 128x128x32", kSplit.data(), "",
       "expected b, whose parts tensor cores read as columns, to be split by "
       "the kernel that packs it where products are tf32x3, but got pack = "
       "none; use ab"},
      {84, "ws, side = b, tile = 64x128x32, consumers = 1x2, pack = b",
       kSplit.data(), "",
       "expected a, whose parts tensor cores read as columns, to be split by "
       "the kernel that packs it where products are tf32x3, but got pack = b; "
       "use ab"},
      {85,
       "ws, side = b, tile = 64x128x32, consumers = 1x2, stages = 4, rewrites "
       "= [flight(0)]",
       kTf32Rows.data(), "",
       "expected products as they are built where their rows are fetched into "
       "registers, but got flight(0); leave it out"},
      {85, "ws, tile = 128x128x32, pack = ab, rewrites = [prefetch(2)]",
       kSplit.data(), "",
       "expected products as they are built where they are added in blocks, "
       "but got prefetch(2); leave it out"},
      {51, "ws, tile = 128x256x32, stages = 3, pack = ab", kSplit.data(), "",
       "expected at most 192 accumulators for a thread of 2 consumers, but got "
       "256; use a smaller tile"},
      {42, "ws_coop, tile = 128x128x32", kRowCol.data(), "",
       "expected tile.k to be 64, 128, 192 or 256, but got 32; use 64"},
      {42, "ws_coop, tile = 128x128x1024", "", "",
       "expected tile.k to be 64, 128, 192 or 256, but got 1024; use 256"},
      {42, "ws_coop, tile = 128x128x48", "", "",
       "expected tile.k to be 64, 128, 192 or 256, but got 48; use 64"},
      {42, "ws_coop, tile = 128x128x192", kTf32.data(), "",
       "expected tile.k to be 32, 64, 96 or 128 for f32, but got 192; use 128"},
      {86, "ws, tile = 128x128x128", kByteRows.data(), "",
       "expected b to be col where it is f8E4M3FN and not packed, but got row; "
       "use pack = b"},
      {42, "ws, tile = 128x128x64", kBytes.data(), "",
       "expected tile.k to be 128 or 256 for f8E4M3FN, but got 64; use 128"},
      {51, "ws, tile = 128x256x128, stages = 3", kBytes.data(), "",
       "expected at most 192 accumulators for a thread of 2 consumers, but got "
       "256; use a smaller tile"},
      {85, "ws, tile = 128x128x128, rewrites = [flight(0)]", kBytes.data(), "",
       "expected products as they are built where they are added in blocks, "
       "but "
       "got flight(0); leave it out"},
      {43, "small, stages = 1", "", "",
       "expected stages to be 2 to 16, but got 1; use 2"},
      {43, "small, stages = 17", "", "",
       "expected stages to be 2 to 16, but got 17; use 16"},
      {44, "ws_coop, cluster = 5x4", "", "",
       "expected a cluster of at most 16 blocks, which is as many as can reach "
       "each other's memory, but got 5x4; use 2x1"},
      {44, "ws_pingpong, cluster = 1x17", "", "",
       "expected a cluster of at most 16 blocks, which is as many as can reach "
       "each other's memory, but got 1x17; use 2x1"},
      {45, "ws_coop, tile = 640x64x64", "", "",
       "expected tile.m to be at most 512, but got 640; use 512"},
      {46, "small, tile = 64x32x64", kColRow.data(), "",
       "expected tile.n to be a multiple of 64 where b is row, 64 columns for "
       "each consumer, but got 32; use 64"},
      {47, "small, tile = 64x48x64, cluster = 5x1", kRowCol.data(), "",
       "expected tile.n to be a multiple of 40, as many lines for each of 5 "
       "blocks, but got 48; use 80"},
      {47, "small, cluster = 3x1", kColRow.data(), "",
       "expected tile.k to be a multiple of 192, as many lines for each of 3 "
       "blocks, but got 64; use 192"},
      {47, "small, cluster = 1x3", kRowCol.data(), "",
       "expected tile.m to be a multiple of 192, as many lines for each of 3 "
       "blocks, but got 64; use 192"},
      {47, "small, cluster = 1x3", "", "",
       "expected tile.m to be a multiple of 192, as many lines for each of 3 "
       "blocks, but got 64; use 192"},
      {48, "ws_coop, tile = 128x256x64, stages = 5", kRowCol.data(), "h200",
       "expected rings, chunks and barriers of at most 232448 bytes of shared "
       "memory, but got 278608; use stages = 4"},
      {48, "ws_coop, tile = 256x128x256, stages = 2", kRowCol.data(), "h200",
       "expected rings, chunks and barriers of at most 232448 bytes of shared "
       "memory, but got 426016; use a smaller tile"},
      {49, "ws_coop, group = 70000", "", "",
       "expected group to be 1 to 65535, but got 70000; use 65535"},
      {50, "ws_coop, tile = 256x64x64, consumers = 4x1", "", "",
       "expected 1 to 3 consumers, but got 4x1; use 2x1"},
      {51, "ws_coop, tile = 256x256x64", "", "",
       "expected at most 200 accumulators for a thread of 2 consumers, but got "
       "256; use a smaller tile"},
      {51, "ws_coop, tile = 256x192x64, stages = 3", kWithEpilogue.data(), "",
       "expected at most 152 accumulators for a thread of 2 consumers, but got "
       "192; use a smaller tile"},
      {52, "ws_coop, tile = 192x208x64, consumers = 3x1", "", "",
       "expected at most 200 columns for each of 3 consumers, whose block is "
       "launched with 128 registers a thread, but got 208; use fewer"},
      {52,
       "ws, tile = 256x144x64, consumers = 4x1, persistent = no, stages = 3",
       "", "",
       "expected at most 136 columns for each of 4 consumers, whose block is "
       "launched with 96 registers a thread, but got 144; use fewer"},
      {51, "ws_pingpong, tile = 128x256x64", "", "",
       "expected at most 200 accumulators for a thread of 2 consumers, but got "
       "256; use a smaller tile"},
      {60, "small, tile = 320x64x64, consumers = 5x1", "", "",
       "expected 1 to 4 consumers, but got 5x1; use 1x1"},
      {61, "small, tile = 128x256x64, consumers = 1x1", "", "",
       "expected at most 200 accumulators for a thread of 1 consumers, but got "
       "256; use a smaller tile"},
      {62, "cluster_splitk, splits = 17", "", "",
       "expected splits to be 1 to 16, but got 17; use 16"},
      {4, "ws, parts = 8", "", "",
       "expected 'parts' to be 4 with the other decisions, but got 8; leave it "
       "out"},
      {37, "ws, teams = 3", "", "",
       "expected teams to be 1 or 2, but got 3; use 2"},
      {37, "ws, teams = 2", "", "",
       "expected one consumer in each of two teams, but got 2x1; use consumers "
       "= "
       "1x1"},
      {73, "ws, side = b, tile = 128x64x64, consumers = 1x1, streams = yes", "",
       "",
       "expected side = b with whole tiles, because the sums that workers "
       "leave for each other lie as C does, but got streams = yes; use no"},
      {74, "ws, splits = 2", "", "",
       "expected splits = 2 in blocks of one tile, because its sums meet where "
       "the next tile's operands would be, but got persistent = yes; use no"},
      {75, "ws_pingpong, persistent = no", "", "",
       "expected two teams in persistent blocks that have whole tiles, but got "
       "persistent = no, streams = no; use teams = 1"},
      {75, "ws_pingpong, streams = yes", "", "",
       "expected two teams in persistent blocks that have whole tiles, but got "
       "persistent = yes, streams = yes; use teams = 1"},
      {76, "cluster_splitk, cluster = 4x2", "", "",
       "expected splits to be at most 2 with cluster = 4x2, because 16 blocks "
       "at most can reach each other's memory, but got 4; use 2"},
      {76, "swap_ab, tile = 48x64x64, cluster = 1x6, splits = 3", "", "",
       "expected splits to be at most 2 with cluster = 1x6, because 16 blocks "
       "at most can reach each other's memory, but got 3; use 2"},
      {77, "small, streams = yes", "", "",
       "expected runs of steps in persistent blocks, but got persistent = no; "
       "use yes"},
      {78, "ws_coop, chunk = 48", "", "",
       "expected chunk to be 16, 32, 64 or 128, but got 48; use 64"},
      {79,
       "ws_coop, tile = 192x192x64, consumers = 3x1, chunk = 16, staged = all",
       kToF32.data(), "",
       "expected at most 64 chunks in shared memory, but got 72; use staged "
       "= few, or larger chunks"},
      {80, "ws, residual = threads", kRowCol.data(), "",
       "expected a matrix that is added to the sums, but got none; use "
       "residual = engine"},
      {80, "ws, stages = 3, staged = all", kRowCol.data(), "",
       "expected a matrix that is added to the sums, but got none; use staged "
       "= few"},
      {93, "ws, edge = within",
       "m = 450, n = 64, k = 64, a = f16:row:16, b = f16:col:16, acc = f32, "
       "c = f16:16, init = read",
       "",
       "expected a result that no kernel reads where tiles stand back over "
       "their neighbours, because both store it, but got init = read; use edge "
       "= beyond"},
      {93, "ws, edge = within",
       "m = 450, n = 64, k = 64, a = f16:row:16, b = f16:col:16, acc = f32, "
       "c = f16:16, init = zero, epilogue = \"addf(acc, mn:f32)\"",
       "",
       "expected a result that no kernel reads where tiles stand back over "
       "their neighbours, because both store it, but got a matrix that is "
       "added "
       "to the sums; use edge = beyond"},
      {95, "streamk, tile = 128x128x64", kInvariant.data(), "",
       "expected whole tiles where numbers are invariant, but got streams = "
       "yes; use no, or numbers = deterministic"},
      {95, "cluster_splitk", kInvariant.data(), "",
       "expected splits to be 1 where numbers are invariant, but got 4; use 1, "
       "or numbers = deterministic"},
      {95, "small", kInvariantParts.data(), "",
       "expected splits to be 4 where numbers are invariant:4, but got 1; use "
       "4, or numbers = invariant"},
      {95, "cluster_splitk, tile = 64x64x128, stages = 4",
       kInvariantParts.data(), "",
       "expected tile.k to be 64 where numbers are invariant:4, because K is "
       "cut at its multiples, but got 128; use 64"},
      {96,
       "ws, side = b, tile = 64x64x32, consumers = 1x1, persistent = no, pack "
       "= ab",
       kInvariantSplit.data(), "",
       "expected rows that consumers fetch for products of tf32x3 where "
       "numbers are invariant, but got packed ones; use pack = a"},
      {96, "ws_coop, tile = 128x64x32, pack = ab", kInvariantSplit.data(), "",
       "expected rows that consumers fetch for products of tf32x3 where "
       "numbers are invariant, but got packed ones; use pack = b"},
      {94, "ws_coop, cluster = 4x4", "", "h200/64",
       "expected clusters of at most 8 blocks on h200/64, but got 4x4 with "
       "splits = 1; use cluster = 1x1 with splits of at most 8"},
      {94, "cluster_splitk, cluster = 1x4", "", "sm_90a",
       "expected clusters of at most 8 blocks on sm_90a, but got 1x4 with "
       "splits = 4; use cluster = 1x1 with splits of at most 8"},
      {66, "cluster_splitk, tile = 64x16x64, splits = 8", "", "",
       "expected the share of each of the cluster's 8 consumers to be a "
       "multiple "
       "of 256 elements, but got 128; use fewer splits"},
      {66, "swap_ab, tile = 16x256x64, consumers = 1x2, splits = 16", "", "",
       "expected tile.m to be a multiple of 32, a line for each consumer of "
       "the "
       "cluster, but got 16; use 32"},
      {67, "streamk, tile = 128x24x64", "", "",
       "expected tile.n to be a multiple of 16 where sums of a tile meet, but "
       "got 24; use 32"},
      {67, "swap_ab, tile = 24x64x64, splits = 2", "", "",
       "expected tile.m to be a multiple of 16 where sums of a tile meet, but "
       "got 24; use 32"},
      {58, "streamk, parts = 65", "", "",
       "expected parts to be 1 to 64, but got 65; use 64"},
      {70, "swap_ab, tile = 16x96x64", "", "",
       "expected tile.n to be a multiple of 64 up to 512, 64 columns for each "
       "consumer, but got 96; use 128"},
      {70, "swap_ab, tile = 16x1024x64", "", "",
       "expected tile.n to be a multiple of 64 up to 512, 64 columns for each "
       "consumer, but got 1024; use 512"},
      {71, "swap_ab, tile = 12x64x64", "", "",
       "expected tile.m to be a multiple of 8 up to 256, 8 rows for each "
       "consumer, but got 12; use 16"},
      {72, "swap_ab, tile = 32x64x64", kColRow.data(), "",
       "expected tile.m to be a multiple of 64 up to 256, 64 rows for each "
       "consumer where a is col, but got 32; use 64"},
      {62, "swap_ab, splits = 17", "", "",
       "expected splits to be 1 to 16, but got 17; use 16"},
      {2, "ws, tile = 128x128x128", kIntegersInF32.data(), "",
       "expected acc to be i32, but got f32; use i32"},
      {2, "ws, tile = 128x128x128", kIntegersToF16.data(), "",
       "expected c to be i32, as sums of i8 are, but got f16; use an epilogue "
       "that converts them, and init = zero"},
      {42, "ws, tile = 128x128x64", kIntegers.data(), "",
       "expected tile.k to be 128 or 256 for i8, but got 64; use 128"},
      {87, "ws, tile = 128x152x128", kIntegers.data(), "",
       "expected a multiple of 16 columns above 32 for each consumer where a "
       "and b are i8, but got 152; use tile.n = 160"},
      {87, "swap_ab, tile = 80x128x128, consumers = 2x1, splits = 1",
       kIntegers.data(), "",
       "expected a multiple of 16 columns above 32 for each consumer where a "
       "and b are i8, but got 40; use tile.m = 96"},
      {88, "ws, tile = 128x24x128", kIntegersToI8.data(), "",
       "expected tile.n to be a multiple of 16, 16 columns for each consumer "
       "where c is i8, but got 24; use 32"},
      {89, "ws, tile = 128x64x64, rewrites = [stores(joined)]", kRowCol.data(),
       "",
       "expected slots for two chunks of a consumer's tile or more where "
       "stores "
       "are joined, but got one; use a larger tile or smaller chunks, or leave "
       "stores(joined) out"},
      {81, "ws, stages = 2, rewrites = [flight(2)]", "", "",
       "expected stages to be at least 3 with 2 groups of products in flight, "
       "but got 2; use 3"},
      {82, "ws, stages = 2, rewrites = [skew(2)]", "", "",
       "expected stages to be above a skew of 2 slots, but got 2; use 3"},
      {83, "ws, rewrites = [flight(0), whole(k8f3a291c0d03bb7)]", "", "",
       "expected no other rewrite with whole(k8f3a291c0d03bb7), but got "
       "flight(0); leave it out"},
  };
  return cases;
}
