// RUN: hone-opt %s --hone-build-kernel --canonicalize --hone-lower-kernel --hone-emit -o %t
// RUN: %check_ptx --print < %t | FileCheck %s

// The preceding kernel may still compute the bias when this one starts. So the bias is
// read after the wait, and not by a load that promises invariant memory.

// CHECK-COUNT-2: .entry hone_
// CHECK-NOT: ld.global
// CHECK: griddepcontrol.wait
// CHECK-NOT: ld.global.nc

func.func @mma_sync(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf16>, %e: memref<64xf32>) {
  hone.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf16>) init(zero) acc(f32)
    epilogue(%e[n] : memref<64xf32>) {
    ^bb0(%s: f32, %v: f32):
      %0 = arith.addf %s, %v : f32
      %1 = arith.truncf %0 : f32 to f16
      hone.yield %1 : f16
    }
    arch(#hone.arch<h200>) schedule(#hone.schedule<mma_sync, tile = 32x32x32, warps = 1x1, stages = 2, group = 4>)
  return
}
