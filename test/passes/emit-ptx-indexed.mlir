// Kernels that read rows through an index of 4 bytes or 8, and ragged sums, assemble without
// spills.

// REQUIRES: ptxas
// DEFINE: %{arch} = sm_80
// DEFINE: %{check} = hone-opt %s --hone-select-schedule="arch=%{arch} schedule='mma_sync, tile = 64x64x32, warps = 2x2, stages = 3'" --hone-build-kernel=fallback=false --canonicalize --hone-lower-kernel --hone-emit | %check_ptx %ptxas | FileCheck %s
// RUN: %{check}
// REDEFINE: %{arch} = sm_90a
// RUN: %{check}

// CHECK-NOT: {{SPILLS|SERIALIZED}}
// CHECK: 4 kernels, 0 faults

func.func @gather(%a: memref<30x64xf16>, %b: memref<8x64x96xf16>, %c: memref<512x96xf32>, %ends: memref<8xi32>, %rows: memref<512xi64>) {
  hone.matmul ins(%a, %b : memref<30x64xf16>, memref<8x64x96xf16>) outs(%c : memref<512x96xf32>) ragged(%ends : memref<8xi32>) gather(%rows : memref<512xi64>) init(zero) acc(f32)
  return
}

// Lines without alignment.
func.func @odd(%a: memref<30x61xbf16>, %b: memref<61x96xbf16>, %c: memref<512x96xf32>, %rows: memref<512xi32>) {
  hone.matmul ins(%a, %b : memref<30x61xbf16>, memref<61x96xbf16>) outs(%c : memref<512x96xf32>) gather(%rows : memref<512xi32>) init(zero) acc(f32)
  return
}

func.func @sum(%x: memref<512x64xf16>, %dy: memref<512x96xf16>, %c: memref<8x64x96xf32>, %ends: memref<8xi32>) {
  hone.matmul ins(col %x, %dy : memref<512x64xf16>, memref<512x96xf16>) outs(%c : memref<8x64x96xf32>) ragged(%ends : memref<8xi32>) init(zero) acc(f32)
  return
}

func.func @lines(%x: memref<64x512xf16>, %dy: memref<96x512xf16>, %c: memref<8x64x96xf32>, %ends: memref<8xi32>) {
  hone.matmul ins(%x, col %dy : memref<64x512xf16>, memref<96x512xf16>) outs(%c : memref<8x64x96xf32>) ragged(%ends : memref<8xi32>) init(zero) acc(f32)
  return
}
