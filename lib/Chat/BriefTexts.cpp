//===- BriefTexts.cpp - Short texts of decisions and laws -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BriefTexts.h. A test evaluates the formulas on schedules.
//
//===----------------------------------------------------------------------===//

#include "BriefTexts.h"

using namespace hone;
using namespace hone::detail;
using llvm::StringRef;

/// The copy engine takes lines that start at multiples of 16 bytes.
static constexpr int64_t kEngineBytes = 16;

static bool hasOddResult(const Problem &problem) {
  return problem.alignC < kEngineBytes;
}

static bool isOdd(const Operand &operand) {
  return operand.align < kEngineBytes || sizeOf(operand.type) != 2;
}

static bool hasOddOperand(const Problem &problem) {
  return isOdd(problem.a) || isOdd(problem.b);
}

static constexpr BriefDecision kDecisions[] = {
    {"ws", "side", "operand of the tensor cores' 64 rows; b: C is transposed"},
    {"ws", "tile", "MxNxK of a team"},
    {"ws", "consumers", "warpgroups that share the tile, along M x N"},
    {"ws", "teams", "of two, one stores while the other multiplies"},
    {"ws", "persistent", "a block takes tiles until none is left; else one"},
    {"ws", "cluster", "blocks that share loads, along M x N"},
    {"ws", "splits", "blocks that share a tile's K"},
    {"ws", "streams", "stream-K"},
    {"ws", "parts", "with streams: workers of a tile"},
    {"ws", "stages", "slots of the ring"},
    {"ws", "group", "rows of tiles walked together, for L2"},
    {"ws", "band", "along which extent they lie"},
    {"ws", "chunk", "columns of C staged at once; fewer leave room for slots"},
    {"ws", "staged", "chunks with a place, for an added matrix"},
    {"ws", "overlap", "start before the launch ahead ends"},
    {"ws", "store", "unit that stores C", hasOddResult},
    {"ws", "residual", "unit that reads an added matrix"},
    {"ws", "pack", "operands copied into aligned lines first", hasOddOperand},
    {"ws", "edge", "the last tile ends beyond the matrix, or with it"},
    {"ws", "loads", "the slot's columns are loaded first"},
    {"ws", "prefetch", "steps that L2 prefetches are ahead"},
    {"ws", "flight", "product groups in flight as a slot is freed; usual 1"},
    {"ws", "products", "all bands of 64 rows for each k"},
    {"ws", "handover", "teams swap before products end"},
    {"ws", "skew", "slots that the first consumer is ahead"},
    {"ws", "unroll", "of the K loop; peel: its first step"},
    {"ws", "stores", "all chunks with slots share barriers"},
    {"ws", "staging", "wait before the first chunk too"},
    {"ws", "next", "next launch starts after the last load or the stores"},
    {"ws", "begin", "all threads wait for the launch ahead"},
    {"mma_sync", "tile", "MxNxK of a block"},
    {"mma_sync", "warps", "sharing the tile, along M x N"},
    {"mma_sync", "stages", "slots of the ring"},
    {"mma_sync", "slices", "groups of warps, each with a part of K"},
    {"mma_sync", "splits", "blocks that share a tile's K"},
    {"mma_sync", "run", "neighbours that a thread stores"},
    {"mma_sync", "group", "rows of tiles walked together, for L2"},
};

static constexpr llvm::StringLiteral kA = "side a: ", kB = "side b: ";

static constexpr BriefLaw kLaws[] = {
    {"ws", 40, kA, "m % 64x = 0"},
    {"ws", 45, kA, "m <= 512"},
    {"ws", 41, kA, "n % 8y = 0, n <= 256y"},
    {"ws", 46, kA, "n % 64y = 0"},
    {"ws", 70, kB, "n % 64y = 0, n <= 512"},
    {"ws", 71, kB, "m % 8x = 0, m <= 256x"},
    {"ws", 72, kB, "m % 64x = 0"},
    {"ws", 73, kB, "streams = no"},
    {"ws", 37, "teams = 2: ", "consumers = 1x1"},
    {"ws", 75, "teams = 2: ", "persistent = yes, streams = no"},
    {"ws", 74, "splits > 1: ", "persistent = no"},
    {"ws", 66, "splits > 1: ", "m % p = 0, mn % 256p = 0 with p = splits * c"},
    {"ws", 67, "splits > 1 or streams: ", "m % 16 = 0, n % 16 = 0"},
    {"ws", 77, "streams: ", "persistent = yes"},
    {"ws", 44, "", ""},
    {"ws", 76, "", "cluster blocks * splits <= 16"},
    {"ws", 47, "", "$N % cluster.m = 0, $M % cluster.n = 0"},
    {"ws", 60, "c <= ", "4"},
    {"ws", 50, "c <= ", "3 if persistent"},
    {"ws", 51, "", "mn / 128xy <= 200, if c = 3: 120, if 4: 72", true},
    {"ws", 61, "", "", true},
    {"ws", 52, "", "c = 3: a consumer has 200 columns at most, c = 4: 136",
     true},
    {"ws", 48, "",
     "stages * k($Am + $Bn) + $D * c * chunk + 1024 <= $S if chunk divides a "
     "consumer's columns; 1.5 times the chunks if only 3 divides their number",
     true},
    {"ws", 81, "stages > ", "flight"},
    {"ws", 82, "stages > ", "skew"},
    {"ws", 89, "", "stores(joined): two chunks of a consumer or more"},
    {"mma_sync", 10, "", "m % 16x = 0"},
    {"mma_sync", 11, "", "n % 16y = 0"},
    {"mma_sync", 13, "", "xy * slices <= 16"},
    {"mma_sync", 15, "", "mn / 32xy <= 128"},
    {"mma_sync", 16, "", "slices * stages * k($Am + $Bn) <= $S", true},
    {"mma_sync", 17, "", "registers: 255 of a thread"},
    {"mma_sync", 20, "", "m is 16, 32 or m % 64 = 0"},
    {"mma_sync", 21, "", "n is 16, 32 or n % 64 = 0"},
    {"mma_sync", 24, "",
     "slices or splits > 1: mn / 32xy % (2 slices * splits) = 0"},
    {"mma_sync", 26, "", "slices > 1: xy = 4"},
};

llvm::ArrayRef<BriefDecision> hone::detail::briefDecisions() {
  return kDecisions;
}

llvm::ArrayRef<BriefLaw> hone::detail::briefLaws() { return kLaws; }

StringRef hone::detail::briefLetters(StringRef kind) {
  return kind == "ws"         ? "m, n, k: tile; x, y: consumers; c = teams * xy"
         : kind == "mma_sync" ? "m, n, k: tile; x, y: warps"
                              : "";
}
