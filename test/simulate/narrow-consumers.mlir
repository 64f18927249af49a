// Adjacent consumers with 16 columns each write parts of the same 128 bytes, where a
// swizzle has mixed their chunks: they meet nowhere.

// RUN: hone simulate %s --schedule="cluster_splitk, tile = 64x32x64, consumers = 1x2, stages = 7, splits = 4" | FileCheck %s
// RUN: hone simulate %s --schedule="cluster_splitk, tile = 128x96x64, consumers = 2x2, stages = 4, splits = 4" | FileCheck %s

// CHECK: hone_ws_f16_f16_nt
// CHECK: right (clocks, values
func.func @matmul(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16, strided<[?, 1]>>,
                  %c: memref<?x?xf16, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16, strided<[?, 1]>>)
              outs(%c : memref<?x?xf16, strided<[?, 1]>>) init(zero) acc(f32)
  return
}
