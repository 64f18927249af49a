// RUN: mlir-opt %plugin %s -o %t.text
// RUN: mlir-opt %plugin %S/v8.mlirbc -o %t.bytecode
// RUN: diff %t.text %t.bytecode
// RUN: hone-opt --accept-bytecode %S/v8.mlirbc | diff %t.text -

// Version 8 of the dialect. v8.mlirbc is the output of version 8 for this file and
// never changes. It has the feature that version 7 lacks: ragged rows.

func.func private @attributes() attributes {problem = #hone.problem<m = 512, n = ?, k = 64, rows = ragged:8, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero>}

func.func @ragged(%a: memref<?x64xf16>, %b: memref<8x64x96xf16>, %c: memref<?x96xf16>, %bias: memref<96xf32>, %ends: memref<8xi32>) {
  hone.matmul ins(%a, %b : memref<?x64xf16>, memref<8x64x96xf16>) outs(%c : memref<?x96xf16>) ragged(%ends : memref<8xi32>) init(zero) acc(f32)
  hone.matmul ins(%a, %b : memref<?x64xf16>, memref<8x64x96xf16>) outs(%c : memref<?x96xf16>) ragged(%ends : memref<8xi32>) init(zero) acc(f32)
    epilogue(%bias[n] : memref<96xf32>) {
  ^bb0(%sum: f32, %in: f32):
    %0 = arith.addf %sum, %in : f32
    %1 = arith.truncf %0 : f32 to f16
    hone.yield %1 : f16
  } arch(#hone.arch<h200>) schedule(#hone.schedule<mma_sync, tile = 64x64x32>)
  return
}
