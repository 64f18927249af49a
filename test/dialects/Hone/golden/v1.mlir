// RUN: mlir-opt %plugin %s -o %t.text
// RUN: mlir-opt %plugin %S/v1.mlirbc -o %t.bytecode
// RUN: diff %t.text %t.bytecode
// RUN: hone-opt --accept-bytecode %S/v1.mlirbc | diff %t.text -
// RUN: not mlir-opt %plugin %S/newer.mlirbc 2>&1 | FileCheck %s

// Version 1 of the dialect. v1.mlirbc is the output of version 1 for this file
// and never changes; newer.mlirbc is like the output of the version after this
// one. Every form of the dialect in version 1 is here.
//
// CHECK: error: expected version 11 or older of dialect hone, but got version 12; use a newer hone

func.func private @attributes() attributes {
  arch = #hone.arch<h200>,
  problem = #hone.problem<batch = ?, m = 128, n = ?, k = 64, a = f16:row:16, b = f16:col:8:shared,
                          acc = f32, c = f16:16, init = read, epilogue = "addf(acc, n:f32)">,
  schedule = #hone.schedule<mma_sync, tile = 64x128x32, warps = 2x2, stages = 3, group = 4>
}

func.func @memrefs(%a: memref<?x32xf16>, %b: memref<48x32xf16>, %c: memref<?x48xf16, strided<[?, 1], offset: ?>>) {
  hone.matmul ins(%a, col %b : memref<?x32xf16>, memref<48x32xf16>)
    outs(%c : memref<?x48xf16, strided<[?, 1], offset: ?>>) init(read) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 64x128x32, warps = 2x2, stages = 3, group = 4>) {name = "x"}
  return
}

func.func @tensors(%a: tensor<4x32x64xbf16>, %b: tensor<32x48xbf16>, %c: tensor<4x64x48xf32>,
                   %s: tensor<f32>, %v: tensor<48xf32>, %r: tensor<4x64x48xbf16>) -> tensor<4x64x48xf32> {
  %0 = hone.matmul ins(col %a, %b : tensor<4x32x64xbf16>, tensor<32x48xbf16>)
    outs(%c : tensor<4x64x48xf32>) init(zero) acc(f32)
    epilogue(%s[], %v[n], %r[b, m, n] : tensor<f32>, tensor<48xf32>, tensor<4x64x48xbf16>) {
  ^bb0(%sum: f32, %x: f32, %y: f32, %z: bf16):
    %1 = arith.mulf %sum, %x : f32
    %2 = arith.addf %1, %y : f32
    %3 = arith.extf %z : bf16 to f32
    %4 = arith.addf %2, %3 : f32
    hone.yield %4 : f32
  } -> tensor<4x64x48xf32>
  return %0 : tensor<4x64x48xf32>
}
