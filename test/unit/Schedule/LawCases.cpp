//===- LawCases.cpp - Laws of mma_sync and host, broken -------------------===//
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

llvm::ArrayRef<Case> hone::test::mmaSyncCases() {
  static const Case cases[] = {
      {1, "mma_sync", "", "host512",
       "expected an arch of compute capability 8.0 or newer, but got 'host'; "
       "use "
       "the host kind"},
      {1, "host", "", "h200",
       "expected arch 'host', but got 'h200'; use the mma_sync kind"},
      {2, "mma_sync", kMixed.data(), "",
       "expected a and b to be both f16 or both bf16, but got f16 and bf16; "
       "use "
       "one of these types for both"},
      {2, "ws", kF32.data(), "",
       "expected a and b to be both f16 or both bf16, but got f32 and f32; use "
       "one of these types for both, or products = tf32x3 or tf32, or "
       "mma_sync"},
      {2, "mma_sync", kHalfSum.data(), "",
       "expected acc to be f32, but got f16; use f32"},
      {2, "host", kIntegers.data(), "",
       "expected a and b of 16 or 32 bits, but got i8; use a GPU"},
      {2, "host", kMixed.data(), "",
       "expected a and b to have the same type, but got f16 and bf16; use one "
       "of "
       "these types for both"},
      {2, "host", kHalfSum.data(), "",
       "expected acc to be f32, but got f16; use f32"},
      {6, "mma_sync", kWindows.data(), "",
       "expected a and b to be matrices for mma_sync, but got a = m[2*50176, "
       "28*x, 28*y] k[3*x, 3*y, 64*1] x[28*1792, low 1] y[28*64, low 1]; use a "
       "copy of it that is a matrix"},
      {6, "host", kRowsOfB.data(), "",
       "expected a to be windows of an image, b a matrix, and no batch, but "
       "got b = n[4*4096, 24*1] k[64*64]; use a copy of it that is a matrix"},
      {10, "mma_sync, tile = 48x128x32, warps = 2x2", "", "",
       "expected tile.m to be a multiple of 16 * warps.m = 32, but got 48; use "
       "64"},
      {11, "mma_sync, tile = 128x40x32, warps = 2x2", "", "",
       "expected tile.n to be a multiple of 16 * warps.n = 32, but got 40; use "
       "64"},
      {12, "mma_sync, tile = 128x128x48, warps = 2x2", "", "",
       "expected tile.k to be 16, 32, 64 or 128, but got 48; use 32"},
      {12, "mma_sync, tile = 128x128x16, warps = 2x2", kIntegers.data(), "",
       "expected tile.k to be 32, 64 or 128 for 8 bits, but got 16; use 32"},
      {12, "mma_sync, tile = 128x128x8, warps = 2x2", "", "",
       "expected tile.k to be 16, 32, 64 or 128, but got 8; use 16"},
      {12, "mma_sync, tile = 128x128x1048576, warps = 2x2", "", "",
       "expected tile.k to be 16, 32, 64 or 128, but got 1048576; use 128"},
      {13, "mma_sync, tile = 128x128x32, warps = 8x4", "", "",
       "expected a block of at most 16 warps, but got 8x4 = 32; use 2x2"},
      {14, "mma_sync, stages = 1", "", "",
       "expected stages to be 2 to 12, but got 1; use 2"},
      {14, "mma_sync, stages = 13", "", "",
       "expected stages to be 2 to 12, but got 13; use 12"},
      {15, "mma_sync, tile = 256x128x32, warps = 2x2", "", "",
       "expected at most 128 accumulators per thread, but got 256; use more "
       "warps or a smaller tile"},
      {16, "mma_sync, tile = 128x128x64, warps = 2x2", "", "rtx3090",
       "expected at most 101376 bytes of shared memory on rtx3090, but got "
       "131072; use stages = 3"},
      {16, "mma_sync, tile = 128x128x128, warps = 2x2, stages = 2",
       kRowCol.data(), "l40s",
       "expected at most 101376 bytes of shared memory on l40s, but got "
       "131072; "
       "use a smaller tile"},
      {17, "mma_sync, tile = 64x64x128, warps = 1x1, stages = 2", "", "",
       "expected at most 255 registers per thread, but got about 336; use more "
       "warps or a smaller tile"},
      {17, "mma_sync, tile = 256x256x32, warps = 4x4", "", "",
       "expected at most 65536 registers per block, but got about 110592; use "
       "a "
       "smaller tile"},
      {18, "mma_sync, group = 65536", "", "",
       "expected group to be 1 to 65535, but got 65536; use 65535"},
      {19, "mma_sync, tile = 512x16x32, warps = 4x1", "", "",
       "expected tile.m to be at most 256, but got 512; use 256"},
      {19, "mma_sync, tile = 16x512x32, warps = 1x4", "", "",
       "expected tile.n to be at most 256, but got 512; use 256"},
      {20, "mma_sync, tile = 96x64x32, warps = 2x2", kColRow.data(), "",
       "expected tile.m to be 16, 32 or a multiple of 64 where a is col, but "
       "got "
       "96; use 128"},
      {21, "mma_sync, tile = 64x96x32, warps = 2x2", kColRow.data(), "",
       "expected tile.n to be 16, 32 or a multiple of 64 where b is row, but "
       "got "
       "96; use 128"},
      {21, "mma_sync, tile = 64x192x64, warps = 2x2", kIntegersRows.data(), "",
       "expected tile.n to be 16, 32, 64 or a multiple of 128 where b is row "
       "and has 8 bits, but got 192; use 256"},
      {28, "mma_sync, tile = 64x64x64, warps = 2x2, slices = 2",
       kInvariant.data(), "",
       "expected slices * splits to be 1 where numbers are invariant, but got "
       "2; use 1, or numbers = deterministic"},
      {28, "mma_sync, tile = 64x64x64, warps = 2x2", kInvariantParts.data(), "",
       "expected slices * splits to be 4 where numbers are invariant:4, but "
       "got 1; use 4, or numbers = invariant"},
      {28, "mma_sync, tile = 64x64x32, warps = 2x2, slices = 4",
       kInvariantParts.data(), "",
       "expected tile.k to be 64 where numbers are invariant:4, because K is "
       "cut at its multiples, but got 32; use 64"},
      {29, "mma_sync, tile = 64x64x32", kInvariantSplit.data(), "h200",
       "expected ws for products of tf32x3 where numbers are invariant on an "
       "arch with wgmma, but got mma_sync on 'h200'; use ws"},
      {91, "mma_sync, tile = 64x64x64", kBytes.data(), "h200",
       "expected an arch that multiplies f8E4M3FN (8.9, 10.0 or newer), but "
       "got 'h200'; use ws"},
      {91, "mma_sync, tile = 64x64x64", kBytes.data(), "a100",
       "expected an arch that multiplies f8E4M3FN (8.9, 10.0 or newer), but "
       "got 'a100'; use a type of 16 bits"},
      {91, "mma_sync, tile = 64x64x64", kFloatWeights.data(), "a100",
       "expected an arch that converts f8E4M3FN (8.9 or newer), but got "
       "'a100'; use a type of 16 bits"},
      {22, "mma_sync, splits = 12", "", "",
       "expected splits to be 1, 2, 4, 8 or 16, but got 12; use 8"},
      {22, "mma_sync, splits = 32", "", "",
       "expected splits to be 1, 2, 4, 8 or 16, but got 32; use 16"},
      {23, "mma_sync, splits = 2", "", "a100",
       "expected an arch with clusters (9.0 or newer) for splits = 2, but got "
       "'a100'; use splits = 1"},
      {23, "mma_sync, tile = 64x64x64, warps = 2x2, splits = 16", "", "h200/64",
       "expected splits to be at most 8, but got 16; use 8"},
      {23, "mma_sync, tile = 64x64x64, warps = 2x2, splits = 16", "", "h20",
       "expected splits to be at most 8, but got 16; use 8"},
      {24, "mma_sync, tile = 32x32x64, warps = 2x2, splits = 8", "", "",
       "expected the accumulators of a thread to be a multiple of 2 * slices * "
       "splits = 16, but got 8; use fewer splits"},
      {24, "mma_sync, tile = 32x32x64, warps = 2x2, slices = 2, splits = 4", "",
       "",
       "expected the accumulators of a thread to be a multiple of 2 * slices * "
       "splits = 16, but got 8; use fewer splits"},
      {25, "mma_sync, tile = 128x128x16, warps = 2x2, stages = 2, slices = 2",
       "", "rtx3090",
       "expected at most 101376 bytes of shared memory on rtx3090 for the sums "
       "of "
       "a tile, but got 131072; use a smaller tile"},
      {26, "mma_sync, tile = 96x64x32, warps = 2x2, slices = 3", "", "",
       "expected slices to be 1, 2 or 4, but got 3; use 4"},
      {26, "mma_sync, tile = 64x64x32, warps = 1x2, slices = 2", "", "",
       "expected four warps in each of 2 slices, but got 1x2; use warps = 2x2"},
      {13, "mma_sync, tile = 64x64x32, warps = 2x4, slices = 4", "", "",
       "expected a block of at most 16 warps, but got 2x4 in 4 slices = 32; "
       "use "
       "slices = 1"},
      {27, "mma_sync, run = 4", "", "",
       "expected run to be 2 or 8, but got 4; use 8"},
  };
  return cases;
}

llvm::ArrayRef<Case> hone::test::hostCases() {
  static const Case cases[] = {
      {30, "host, tile = 100x4096x256", "", "",
       "expected tile.m to be a multiple of micro.m = 8, but got 100; use 104"},
      {31, "host, tile = 192x4000x256, micro = 8x48", "", "",
       "expected tile.n to be a multiple of micro.n = 48, but got 4000; use "
       "4032"},
      {32, "host, micro = 6x8", "", "host512",
       "expected micro.n to be a multiple of the lanes of a vector = 16, but "
       "got "
       "8; use 16"},
      {33, "host, tile = 240x4096x256, micro = 15x32", "", "host512",
       "expected a micro-kernel of at most 32 vector registers, but got 33; "
       "use "
       "micro.m = 14"},
      {33, "host, micro = 8x32", "", "host256",
       "expected a micro-kernel of at most 16 vector registers, but got 37; "
       "use "
       "micro.m = 2"},
      {33, "host, micro = 8x256", "", "host128",
       "expected a micro-kernel of at most 16 vector registers, but got 577; "
       "use "
       "a smaller micro.n"},
      {34, "host, unroll = 32", "", "",
       "expected unroll to be 1 to 16, but got 32; use 16"},
      {35, "host, unroll = 3", "", "",
       "expected tile.k to be a multiple of unroll = 3, but got 256; use 258"},
      {36, "host, tile = 8x1048576x256", "", "",
       "expected the panels of A and B to take at most 1073741824 bytes, but "
       "got "
       "1073750016; use a smaller tile"},
  };
  return cases;
}
