// RUN: mlir-opt %plugin %s -o %t.text
// RUN: mlir-opt %plugin %S/v7.mlirbc -o %t.bytecode
// RUN: diff %t.text %t.bytecode
// RUN: hone-opt --accept-bytecode %S/v7.mlirbc | diff %t.text -

// Version 7 of the dialect. v7.mlirbc is the output of version 7 for this file and
// never changes. It has the feature that version 6 lacks: which runs give the same
// bits.

func.func private @attributes() attributes {numbers = [#hone.numbers<free>, #hone.numbers<deterministic>, #hone.numbers<invariant>, #hone.numbers<invariant:4>]}

func.func @numbers(%a: memref<?x4096xf32>, %b: memref<4096x512xf32>, %c: memref<?x512xf32>) {
  hone.matmul ins(%a, %b : memref<?x4096xf32>, memref<4096x512xf32>) outs(%c : memref<?x512xf32>) init(zero) acc(f32)
  hone.matmul ins(%a, %b : memref<?x4096xf32>, memref<4096x512xf32>) outs(%c : memref<?x512xf32>) init(zero) acc(f32) numbers(free)
  hone.matmul ins(%a, %b : memref<?x4096xf32>, memref<4096x512xf32>) outs(%c : memref<?x512xf32>) init(zero) acc(f32) numbers(invariant)
    arch(#hone.arch<h200>) schedule(#hone.schedule<mma_sync, tile = 64x64x32>)
  hone.matmul ins(%a, %b : memref<?x4096xf32>, memref<4096x512xf32>) outs(%c : memref<?x512xf32>) init(zero) acc(f32) products(tf32) numbers(invariant:4)
  return
}
