// The matmul of kernel-ir.mlir in f32.
// RUN: hone-opt %s -o /dev/null

func.func @matmul(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>, %bias: memref<?xf32>) {
  hone.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>) init(zero) acc(f32)
    epilogue(%bias[n] : memref<?xf32>) {
    ^bb0(%sum: f32, %v: f32):
      %0 = arith.addf %sum, %v : f32
      %1 = arith.addf %0, %0 : f32
      hone.yield %1 : f32
    }
  return
}
