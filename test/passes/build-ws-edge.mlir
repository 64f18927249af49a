// Where the last tiles of a row or a column end: producer and consumers begin at the same row, at the last one from
// which a tile ends with the matrix; columns where 16 bytes of C begin.

// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws, tile = 128x128x64, stages = 4, edge = within'" --hone-build-kernel=fallback=false --canonicalize --split-input-file | FileCheck %s

// CHECK: gpu.func @hone_ws_f16_f16_nt{{[^(]*}}({{.*}}%[[M:arg[0-9]+]]: i32, %[[N:arg[0-9]+]]: i32, %{{[^,]*}}: i32, %{{[^,]*}}: i32) kernel attributes {hone.stands_back,
// CHECK: %[[ABOVE:.*]] = arith.subi %[[M]], %c128_i32
// CHECK: %[[ROW:.*]] = arith.maxsi %[[ABOVE]], %c0_i32
// CHECK: %[[BESIDE:.*]] = arith.subi %[[N]], %c128_i32
// CHECK: %[[ROOM:.*]] = arith.maxsi %[[BESIDE]], %c0_i32
// CHECK: %[[UNITS:.*]] = arith.ceildivui %[[ROOM]], %c8_i32
// CHECK: %[[COL:.*]] = arith.muli %[[UNITS]], %c8_i32
// CHECK: kernel.role "producer"
// CHECK: arith.minui %{{.*}}, %[[ROW]]
// CHECK: arith.minui %{{.*}}, %[[COL]]
// CHECK: kernel.role "consumer"
// CHECK: arith.minui %{{.*}}, %[[ROW]]
// CHECK: arith.minui %{{.*}}, %[[COL]]
func.func @both(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>) {
  hone.matmul ins(%a, col %b : memref<?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?xf16>) init(zero) acc(f32)
  return
}

// -----

// Lines of B run along N: part of one outside costs little.
// CHECK: gpu.func @hone_ws_f16_f16_nn{{.*}}hone.stands_back
// CHECK: kernel.role "producer"
// CHECK-COUNT-1: arith.minui
// CHECK-NOT: arith.minui
// CHECK: kernel.role "consumer"
func.func @rows(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>) {
  hone.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?xf16>) init(zero) acc(f32)
  return
}
