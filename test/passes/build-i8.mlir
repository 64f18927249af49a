// Kernels for integers: a step of k has 32 elements, tensor cores add all of them up in i32 registers, and threads add
// none. Sums are stored as they are, or as results of an epilogue.

// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws, tile = 128x256x128, stages = 3'" --hone-build-kernel --canonicalize | FileCheck %s
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws, tile = 128x256x128, stages = 3'" --hone-build-kernel --canonicalize --hone-lower-kernel --hone-emit -o %t
// RUN: FileCheck %s --check-prefix=PTX < %t
// RUN: FileCheck %s --check-prefix=SCALE < %t

// RUN: hone-opt %s --hone-select-schedule="arch=sm_80 schedule='mma_sync, tile = 64x64x64, warps = 2x2, stages = 3'" --hone-build-kernel --canonicalize --hone-lower-kernel --hone-emit | FileCheck %s --check-prefix=WARPS

// WARPS: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32

// Lanes of mma_sync read operands that do not lie along k byte by byte.
// RUN: sed 's/col %b/%b/' %s | hone-opt --hone-select-schedule="arch=sm_80 schedule='mma_sync, tile = 64x64x64, warps = 2x2, stages = 3'" --hone-build-kernel --canonicalize | FileCheck %s --check-prefix=ROWS
// ROWS: gpu.func @hone_mma_sync_i8_i32_nn
// ROWS: kernel.ring at {{[0-9]+}} : <3 of 64 x 64 x i8>
// ROWS: kernel.read {{.*}} transposed : <3 of 64 x 64 x i8> -> <"b", 64 x i8, warps = 2 x 2>

// The sibling reads lines that start anywhere.
// CHECK: gpu.module @hone_sm_90a_fallback
// CHECK: gpu.func @hone_mma_sync_i8_i32_nt
// CHECK: kernel.zero : <128 x 128 x i32, warps = 2 x 4>
// CHECK: kernel.mma {{.*}} : <"a", 128 x i8, warps = 2 x 4>, <"b", 128 x i8, warps = 2 x 4>, <128 x 128 x i32, warps = 2 x 4>
// CHECK: gpu.module @hone_sm_90a [
// CHECK-SAME: "param tensormap a : i8 dims (k, m) strides (lda * 1) box (128, 128) swizzle 128"
// CHECK-SAME: "param tensormap c : i32 dims (n, m) strides (ldc * 4)
// CHECK: gpu.func @hone_ws_i8_i32_nt
// CHECK: kernel.ring at 0 : <3 of 128 x 128 x i8>
// CHECK: kernel.acc.undefined : <64 x 256 x i32, warps = 4 x 1>
// CHECK: kernel.mma.async {{.*}} step 0 to %{{.*}} if %{{.*}} : <3 of 128 x 128 x i8>, <3 of 256 x 128 x i8>, <64 x 256 x i32, warps = 4 x 1>
// CHECK-NOT: kernel.acc.add
// CHECK: kernel.stage {{.*}} : <64 x 32 x i32

// PTX: wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8
// PTX-SAME: keep;
// PTX-NOT: add.rn.f32
func.func @nt(%a: memref<?x?xi8, strided<[?, 1]>>, %b: memref<?x?xi8, strided<[?, 1]>>, %c: memref<?x?xi32, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xi8, strided<[?, 1]>>, memref<?x?xi8, strided<[?, 1]>>)
              outs(%c : memref<?x?xi32, strided<[?, 1]>>) init(zero) acc(i32)
  return
}

// Overflow flags of a program are not a part of a kernel that other programs may use.
// CHECK: gpu.func @hone_ws_i8_f16_nt
// CHECK: arith.addi %{{[a-z0-9]*}}, %{{[a-z0-9_]*}} : i32
// SCALE: cvt.rn.f32.s32
// SCALE: mul.rn.f32
// SCALE: cvt.rn.f16x2.f32
func.func @scaled(%a: memref<?x?xi8, strided<[?, 1]>>, %b: memref<?x?xi8, strided<[?, 1]>>, %c: memref<?x?xf16, strided<[?, 1]>>, %bias: memref<?xi32>, %v: memref<?xf32>) {
  hone.matmul ins(%a, col %b : memref<?x?xi8, strided<[?, 1]>>, memref<?x?xi8, strided<[?, 1]>>)
              outs(%c : memref<?x?xf16, strided<[?, 1]>>) init(zero) acc(i32) epilogue(%bias[n], %v[n] : memref<?xi32>, memref<?xf32>) {
  ^bb0(%sum: i32, %i: i32, %s: f32):
    %w = arith.addi %sum, %i overflow<nsw> : i32
    %x = arith.sitofp %w : i32 to f32
    %y = arith.mulf %x, %s : f32
    %z = arith.truncf %y : f32 to f16
    hone.yield %z : f16
  }
  return
}
