// Convolutions as they are built, with clusters, runs of steps, parts of K and either side: each is proven.

// DEFINE: %{schedule} =
// DEFINE: %{simulate} = hone simulate %s --arch=h100 --schedule="%{schedule}" | FileCheck %s

// REDEFINE: %{schedule} = ws, side = a, tile = 128x64x64, consumers = 2x1, stages = 3, cluster = 2x2
// RUN: %{simulate}
// REDEFINE: %{schedule} = ws, side = a, tile = 64x64x64, consumers = 1x1, stages = 3, streams = yes
// RUN: %{simulate}
// REDEFINE: %{schedule} = ws, side = a, tile = 64x64x64, consumers = 1x1, persistent = no, stages = 3, splits = 4
// RUN: %{simulate}
// REDEFINE: %{schedule} = ws, side = b, tile = 32x64x64, consumers = 1x1, persistent = no, stages = 3, cluster = 2x1
// RUN: %{simulate}
// REDEFINE: %{schedule} = ws, side = a, tile = 64x64x64, consumers = 1x1, teams = 2, stages = 3, edge = within
// RUN: %{simulate}

// CHECK: hone_ws
// CHECK-NOT: wrong
// CHECK: right (clocks, values
// CHECK-NOT: wrong
func.func @padded(%x: memref<2x14x14x64xf16>, %w: memref<576x96xf16>, %c: memref<392x96xf16>) {
  hone.matmul ins(%x window(3x3, low 1x1, high 1x1), %w : memref<2x14x14x64xf16>, memref<576x96xf16>)
    outs(%c : memref<392x96xf16>) init(zero) acc(f32)
  return
}
func.func @line(%x: memref<?x40x16xf16>, %w: memref<80x64xf16>, %c: memref<?x64xf32>) {
  hone.matmul ins(%x window(5, low 2, high 2), %w : memref<?x40x16xf16>, memref<80x64xf16>)
    outs(%c : memref<?x64xf32>) init(zero) acc(f32)
  return
}
