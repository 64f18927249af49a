//===- Programs.cpp - Programs for planted faults -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Programs.h.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

using namespace hone::seeds;

static constexpr const char *kChainText = R"(
func.func @chain(%a: tensor<40x48xf16>, %b: tensor<48x56xf16>, %w: tensor<56x24xf16>) -> tensor<40x24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x56xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<40x56xf32>) -> tensor<40x56xf32>
  %c = linalg.matmul ins(%a, %b : tensor<40x48xf16>, tensor<48x56xf16>) outs(%i : tensor<40x56xf32>) -> tensor<40x56xf32>
  %h = arith.truncf %c : tensor<40x56xf32> to tensor<40x56xf16>
  %f = tensor.empty() : tensor<40x24xf32>
  %j = linalg.fill ins(%z : f32) outs(%f : tensor<40x24xf32>) -> tensor<40x24xf32>
  %d = linalg.matmul ins(%h, %w : tensor<40x56xf16>, tensor<56x24xf16>) outs(%j : tensor<40x24xf32>) -> tensor<40x24xf32>
  return %d : tensor<40x24xf32>
})";

static constexpr const char *kProductText = R"(
func.func @product(%a: tensor<16x512xf16>, %b: tensor<512x64xf16>) -> tensor<16x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x64xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<16x512xf16>, tensor<512x64xf16>) outs(%i : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %c : tensor<16x64xf32>
})";

namespace hone::seeds {
const Subject kChain = {kChainText, {}, "rest=gpu"};
const Subject kOnHost = {
    kChainText, {}, "rest=gpu arguments=host schedule=mma_sync"};
const Subject kWarpSpecialized = {
    kProductText, {}, "schedule='ws, tile = 128x64x64'"};
const Subject kStreams = {
    kProductText, {}, "schedule='ws, tile = 128x64x64, streams = yes'"};
const Subject kPacked = {
    kProductText, {}, "schedule='ws, tile = 128x64x64, pack = a'"};

const Subject kOneRow = {R"(
func.func @row(%a: tensor<1x96xbf16>, %b: tensor<96x333xbf16>) -> tensor<1x333xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x333xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x333xf32>) -> tensor<1x333xf32>
  %c = linalg.matmul ins(%a, %b : tensor<1x96xbf16>, tensor<96x333xbf16>) outs(%i : tensor<1x333xf32>) -> tensor<1x333xf32>
  return %c : tensor<1x333xf32>
})",
                         {},
                         "schedule=mma_sync"};

const Subject kOddLines = {R"(
func.func @odd(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16>) outs(%c : memref<?x?xf32>)
  return
})",
                           {33, 45, 51},
                           "schedule='ws, tile = 128x64x64'"};

const Subject kBatches = {R"(
func.func @batches(%a: tensor<3x17x32xf16>, %b: tensor<3x32x24xf16>) -> tensor<3x17x24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x17x24xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<3x17x24xf32>) -> tensor<3x17x24xf32>
  %c = linalg.batch_matmul ins(%a, %b : tensor<3x17x32xf16>, tensor<3x32x24xf16>) outs(%i : tensor<3x17x24xf32>) -> tensor<3x17x24xf32>
  return %c : tensor<3x17x24xf32>
})",
                          {},
                          "schedule=mma_sync"};

const Subject kSlices = {R"(
func.func @slices(%all: memref<40x32xf16>, %b: memref<32x24xf16>, %c: memref<20x24xf32>) {
  %a = memref.subview %all[8, 0] [20, 32] [1, 1] : memref<40x32xf16> to memref<20x32xf16, strided<[32, 1], offset: 256>>
  linalg.matmul ins(%a, %b : memref<20x32xf16, strided<[32, 1], offset: 256>>, memref<32x24xf16>) outs(%c : memref<20x24xf32>)
  return
})",
                         {},
                         "schedule=mma_sync"};

const Subject kEpilogue = {R"(
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @epilogue(%a: tensor<24x40xf16>, %b: tensor<40x32xf16>, %v: tensor<32xf32>, %r: tensor<24x32xf32>) -> tensor<24x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x32xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<24x32xf32>) -> tensor<24x32xf32>
  %c = linalg.matmul ins(%a, %b : tensor<24x40xf16>, tensor<40x32xf16>) outs(%i : tensor<24x32xf32>) -> tensor<24x32xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v, %r : tensor<24x32xf32>, tensor<32xf32>, tensor<24x32xf32>) outs(%e : tensor<24x32xf32>) {
  ^bb0(%x: f32, %y: f32, %t: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    %1 = arith.addf %0, %t : f32
    linalg.yield %1 : f32
  } -> tensor<24x32xf32>
  return %d : tensor<24x32xf32>
})",
                           {},
                           "schedule=mma_sync"};

const Subject kRanges = {R"(
func.func @ranges(%a: tensor<?x64xf16>, %b: tensor<64x48xf16>) -> tensor<?x48xf16> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %n = tensor.dim %a, %c0 : tensor<?x64xf16>
  %e = tensor.empty(%n) : tensor<?x48xf16>
  %i = linalg.fill ins(%z : f16) outs(%e : tensor<?x48xf16>) -> tensor<?x48xf16>
  %c = linalg.matmul ins(%a, %b : tensor<?x64xf16>, tensor<64x48xf16>) outs(%i : tensor<?x48xf16>) -> tensor<?x48xf16>
  return %c : tensor<?x48xf16>
})",
                         {35},
                         "ranges=2"};

const Subject kRest = {R"(
#v = affine_map<(i, j) -> (i, j)>
func.func @rest(%a: tensor<36x32xf16>, %b: tensor<32x40xf16>) -> tensor<40x36xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<36x40xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<36x40xf32>) -> tensor<36x40xf32>
  %c = linalg.matmul ins(%a, %b : tensor<36x32xf16>, tensor<32x40xf16>) outs(%i : tensor<36x40xf32>) -> tensor<36x40xf32>
  %p = linalg.softmax dimension(1) ins(%c : tensor<36x40xf32>) outs(%e : tensor<36x40xf32>) -> tensor<36x40xf32>
  %f = tensor.empty() : tensor<40x36xf32>
  %t = linalg.transpose ins(%p : tensor<36x40xf32>) outs(%f : tensor<40x36xf32>) permutation = [1, 0]
  return %t : tensor<40x36xf32>
})",
                       {},
                       "rest=gpu schedule=mma_sync"};

const Subject kMasks = {R"(
#v = affine_map<(i) -> (i)>
func.func @masks(%x: tensor<24xf32>, %y: tensor<24xf32>) -> tensor<48xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24xi1>
  %p = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<24xf32>) outs(%e : tensor<24xi1>) {
  ^bb0(%v: f32, %o: i1):
    %0 = arith.cmpf ogt, %v, %z : f32
    linalg.yield %0 : i1
  } -> tensor<24xi1>
  %q = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%y : tensor<24xf32>) outs(%e : tensor<24xi1>) {
  ^bb0(%v: f32, %o: i1):
    %0 = arith.cmpf olt, %v, %z : f32
    linalg.yield %0 : i1
  } -> tensor<24xi1>
  %all = tensor.empty() : tensor<48xi1>
  %s = tensor.insert_slice %p into %all[0] [24] [1] : tensor<24xi1> into tensor<48xi1>
  %t = tensor.insert_slice %q into %s[24] [24] [1] : tensor<24xi1> into tensor<48xi1>
  %er = tensor.empty() : tensor<48xf32>
  %r = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%t : tensor<48xi1>) outs(%er : tensor<48xf32>) {
  ^bb0(%m: i1, %o: f32):
    %0 = arith.uitofp %m : i1 to f32
    linalg.yield %0 : f32
  } -> tensor<48xf32>
  return %r : tensor<48xf32>
})",
                        {},
                        "rest=gpu schedule=mma_sync"};

const Subject kReadByHost = {R"(
func.func @sums(%a: tensor<24x40xf16>, %b: tensor<40x32xf16>) -> tensor<24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x32xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<24x32xf32>) -> tensor<24x32xf32>
  %c = linalg.matmul ins(%a, %b : tensor<24x40xf16>, tensor<40x32xf16>) outs(%i : tensor<24x32xf32>) -> tensor<24x32xf32>
  %er = tensor.empty() : tensor<24xf32>
  %ir = linalg.fill ins(%z : f32) outs(%er : tensor<24xf32>) -> tensor<24xf32>
  %s = linalg.reduce ins(%c : tensor<24x32xf32>) outs(%ir : tensor<24xf32>) dimensions = [1]
    (%x: f32, %y: f32) {
      %0 = arith.addf %x, %y : f32
      linalg.yield %0 : f32
    }
  return %s : tensor<24xf32>
})",
                             {},
                             "schedule=mma_sync"};

/// Alternates kernels and host code.
const Subject kTurns = {R"(
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @turns(%x: tensor<16x16xf16>, %w: tensor<16x16xf16>) -> tensor<16x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x16xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %es = tensor.empty() : tensor<16xf32>
  %is = linalg.fill ins(%z : f32) outs(%es : tensor<16xf32>) -> tensor<16xf32>
  %eh = tensor.empty() : tensor<16x16xf16>
  %p = linalg.matmul ins(%x, %w : tensor<16x16xf16>, tensor<16x16xf16>) outs(%i : tensor<16x16xf32>) -> tensor<16x16xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<16x16xf32>) outs(%is : tensor<16xf32>) dimensions = [1]
  %n = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %s : tensor<16x16xf32>, tensor<16xf32>) outs(%eh : tensor<16x16xf16>) {
  ^bb0(%v: f32, %a: f32, %o: f16):
    %0 = arith.subf %v, %a : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<16x16xf16>
  %q = linalg.matmul ins(%n, %w : tensor<16x16xf16>, tensor<16x16xf16>) outs(%i : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %q : tensor<16x16xf32>
})",
                        {},
                        "arguments=host schedule=mma_sync"};

const Subject kLoop = {R"(
func.func @loop(%x: memref<24x24xf16>, %y: memref<24x24xf16>, %w: memref<24x24xf16>, %r: memref<24x24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %p:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%u = %x, %v = %y) -> (memref<24x24xf16>, memref<24x24xf16>) {
    linalg.matmul ins(%u, %w : memref<24x24xf16>, memref<24x24xf16>) outs(%r : memref<24x24xf32>)
    scf.yield %v, %u : memref<24x24xf16>, memref<24x24xf16>
  }
  return
})",
                       {},
                       "schedule=mma_sync"};

const Subject kConstants = {R"(
func.func @constants(%x: tensor<8x4xf16>) -> tensor<8x4xf32> {
  %v = arith.constant dense<[[1.0, 0.0, 0.5, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [1.0, 0.0, 0.0, 0.25]]> : tensor<4x4xf16>
  %w = arith.constant dense<[[0.5, 0.0, 0.5, 1.0], [0.0, 1.0, 0.0, 0.0], [2.0, 0.0, -1.0, 0.0], [1.0, 0.0, 3.0, 0.25]]> : tensor<4x4xf16>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %0 = linalg.matmul ins(%x, %v : tensor<8x4xf16>, tensor<4x4xf16>) outs(%i : tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = linalg.matmul ins(%x, %w : tensor<8x4xf16>, tensor<4x4xf16>) outs(%0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
})",
                            {},
                            "schedule=mma_sync"};

std::vector<const Subject *> allSubjects() {
  return {&kOneRow, &kOddLines, &kStreams, &kPacked,     &kWarpSpecialized,
          &kChain,  &kOnHost,   &kBatches, &kSlices,     &kEpilogue,
          &kRanges, &kRest,     &kMasks,   &kReadByHost, &kTurns,
          &kLoop,   &kConstants};
}
} // namespace hone::seeds
