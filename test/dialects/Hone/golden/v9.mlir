// RUN: mlir-opt %plugin %s -o %t.text
// RUN: mlir-opt %plugin %S/v9.mlirbc -o %t.bytecode
// RUN: diff %t.text %t.bytecode
// RUN: hone-opt --accept-bytecode %S/v9.mlirbc | diff %t.text -

// Version 9 of the dialect. v9.mlirbc is the output of version 9 for this file and
// never changes. It has the features that version 8 lacks: a gather, and ragged sums.

func.func private @attributes() attributes {
  both = #hone.problem<m = 512, n = ?, k = 64, rows = ragged:8:indexed, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero>,
  rows = #hone.problem<m = 512, n = ?, k = 64, rows = indexed, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero>,
  sum = #hone.problem<batch = 8, m = 64, n = 96, k = ?, sum = ragged, a = f16:col:16:shared, b = f16:row:16:shared, acc = f32, c = f32:16, init = zero>}

func.func @gather(%a: memref<?x64xf16>, %b: memref<8x64x96xf16>, %c: memref<?x96xf16>, %bias: memref<96xf32>, %ends: memref<8xi32>, %rows: memref<?xi64>) {
  hone.matmul ins(%a, %b : memref<?x64xf16>, memref<8x64x96xf16>) outs(%c : memref<?x96xf16>) ragged(%ends : memref<8xi32>) gather(%rows : memref<?xi64>) init(zero) acc(f32)
    epilogue(%bias[n] : memref<96xf32>) {
  ^bb0(%sum: f32, %in: f32):
    %0 = arith.addf %sum, %in : f32
    %1 = arith.truncf %0 : f32 to f16
    hone.yield %1 : f16
  }
  return
}

func.func @sum(%x: memref<?x64xf16>, %dy: memref<?x96xf16>, %c: memref<8x64x96xf32>, %ends: memref<8xi32>) {
  hone.matmul ins(col %x, %dy : memref<?x64xf16>, memref<?x96xf16>) outs(%c : memref<8x64x96xf32>) ragged(%ends : memref<8xi32>) init(zero) acc(f32)
  return
}

func.func @scatter(%rows: tensor<?x96xf16>, %to: tensor<?xi32>, %w: tensor<?xf32>, %c: tensor<30x96xf32>) -> tensor<30x96xf32> {
  %d = hone.scatter_rows %rows to %to weights %w into %c : tensor<?x96xf16>, tensor<?xi32>, tensor<?xf32> into tensor<30x96xf32>
  return %d : tensor<30x96xf32>
}
