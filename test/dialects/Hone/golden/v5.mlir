// RUN: mlir-opt %plugin %s -o %t.text
// RUN: mlir-opt %plugin %S/v5.mlirbc -o %t.bytecode
// RUN: diff %t.text %t.bytecode
// RUN: hone-opt --accept-bytecode %S/v5.mlirbc | diff %t.text -

// Version 5 of the dialect. v5.mlirbc is the output of version 5 for this file and
// never changes. It has the feature that version 4 lacks: the permitted products
// of f32.

func.func private @attributes() attributes {products = [#hone.products<exact>, #hone.products<tf32x3>, #hone.products<tf32>]}

func.func @products(%a: memref<?x4096xf32>, %b: memref<4096x512xf32>, %c: memref<?x512xf32>) {
  hone.matmul ins(%a, %b : memref<?x4096xf32>, memref<4096x512xf32>) outs(%c : memref<?x512xf32>) init(zero) acc(f32)
  hone.matmul ins(%a, %b : memref<?x4096xf32>, memref<4096x512xf32>) outs(%c : memref<?x512xf32>) init(zero) acc(f32) products(tf32x3)
    arch(#hone.arch<h200>) schedule(#hone.schedule<mma_sync, tile = 64x64x32>)
  hone.matmul ins(%a, %b : memref<?x4096xf32>, memref<4096x512xf32>) outs(%c : memref<?x512xf32>) init(zero) acc(f32) products(tf32)
  return
}
