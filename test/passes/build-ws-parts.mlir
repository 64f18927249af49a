// f32 as the sum of two tf32: the kernel that packs splits each factor, and the product reads both parts of it
// through one map.

// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws, tile = 256x128x32, stages = 4, pack = ab'" --hone-build-kernel=fallback=false --canonicalize -o %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=KERNEL < %t
// RUN: hone-opt %t --hone-lower-kernel --hone-emit | FileCheck %s --check-prefix=PTX

func.func @nt(%a: memref<5x?x?xf32, strided<[?, ?, 1]>>, %b: memref<?x?xf32, strided<[?, 1]>>, %c: memref<5x?x?xf32, strided<[?, ?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<5x?x?xf32, strided<[?, ?, 1]>>, memref<?x?xf32, strided<[?, 1]>>)
              outs(%c : memref<5x?x?xf32, strided<[?, ?, 1]>>) init(zero) acc(f32) products(tf32x3)
  return
}

// The low parts follow the high ones of all matrices, and are the last dimension.
// CHECK: "workspace batch * m * ceildiv(k, 32) * 256 + n * ceildiv(k, 32) * 256",
// CHECK-SAME: "launch hone_pack_f32_split_f32_split", "grid min(528, batch * ceildiv(m * ceildiv(k, 4), 1024) + ceildiv(n * ceildiv(k, 4), 1024)) ; 1 ; 1"
// CHECK-SAME: "param tensormap ws : f32 dims (k, m, batch, 2) strides (ceildiv(k, 32) * 32 * 4, m * ceildiv(k, 32) * 32 * 4, batch * m * ceildiv(k, 32) * 32 * 4) box (32, 256, 1, 1) swizzle 128"
// CHECK-SAME: "param tensormap ws + batch * m * ceildiv(k, 32) * 256 : f32 dims (k, n, 2) strides (ceildiv(k, 32) * 32 * 4, n * ceildiv(k, 32) * 32 * 4) box (32, 128, 1) swizzle 128"

// CHECK: gpu.func @hone_pack_f32_split_f32_split
// CHECK: kernel.copy.lines run %{{.*}} of %{{.*}} to %{{.*}} and %{{.*}} : <f32, align = 4> to <f32, align = 16> and !kernel.matrix<f32, align = 16>
// CHECK: kernel.copy.lines {{.*}} and

// Three steps for each 32 of k: the low part of the rows in the first, of the columns in the second.
// KERNEL: gpu.func @hone_ws_tf32x3_f32_nt
// KERNEL-SAME: !kernel.map<256 x 32 x f32, rank = 4>
// KERNEL-SAME: !kernel.map<128 x 32 x f32, rank = 3>
// KERNEL: %[[PARTS:.*]] = arith.ceildivui %{{.*}}, %c32_i32
// KERNEL: arith.muli %{{.*}}, %c3_i32
// KERNEL: %[[BLOCK:.*]] = arith.divui %[[STEP:.*]], %c3_i32
// KERNEL: %[[PASS:.*]] = arith.remui %[[STEP]], %c3_i32
// KERNEL: %[[K:.*]] = arith.muli %[[BLOCK]], %c32_i32
// KERNEL: %[[FIRST:.*]] = arith.cmpi eq, %[[PASS]], %c0_i32
// KERNEL: %[[LOWA:.*]] = arith.extui %[[FIRST]]
// KERNEL: kernel.load %{{[^[]*}}[%{{[^,]*}}, %[[K]], {{.*}}%[[LOWA]]]
// KERNEL: %[[SECOND:.*]] = arith.cmpi eq, %[[PASS]], %c1_i32
// KERNEL: %[[LOWB:.*]] = arith.extui %[[SECOND]]
// KERNEL: kernel.load %{{[^[]*}}[%{{[^,]*}}, %[[K]], {{.*}}%[[LOWB]]]

// Sums of tensor cores are short, and threads add them.
// KERNEL: kernel.mma.async {{.*}} step 0 to %{{.*}} if %false
// KERNEL: kernel.mma.async {{.*}} step 3 to
// KERNEL-NEXT: kernel.mma.commit
// KERNEL-NEXT: kernel.mma.wait 0
// KERNEL-NEXT: kernel.acc.add

// PTX: cp.async.bulk.tensor.4d
// PTX: wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32
