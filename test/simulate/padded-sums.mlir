// Lines of partial sums are padded to whole 128 bytes: no thread writes the padding, and the threads that
// add the sums up do not read it.

// RUN: hone simulate %s --schedule="ws, side = a, tile = 128x208x64, consumers = 2x2, teams = 1, persistent = no, cluster = 1x1, splits = 2, streams = no, stages = 5, group = 8" | FileCheck %s
// RUN: hone simulate %s --schedule="ws, side = a, tile = 192x240x64, consumers = 1x3, teams = 1, persistent = no, cluster = 1x2, splits = 2, streams = no, stages = 3, group = 8" | FileCheck %s

// CHECK: hone_ws_f16_f16_nt
// CHECK-NOT: wrong
// CHECK: right (clocks, values
// CHECK-NOT: wrong
func.func @matmul(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16, strided<[?, 1]>>,
                  %c: memref<?x?xf16, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16, strided<[?, 1]>>)
              outs(%c : memref<?x?xf16, strided<[?, 1]>>) init(zero) acc(f32)
  return
}
