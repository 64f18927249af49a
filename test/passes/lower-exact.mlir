// RUN: hone-opt %s --hone-lower-kernel | FileCheck %s

// A lane reads 16 bytes of every row and column in which its elements of C lie, and adds a product at a time to
// each, in the order of k. A copy that transposes moves 4 bytes at a time.

gpu.module @kernels [#nvvm.target<chip = "sm_80", features = "+ptx80">] attributes {hone.plans = {}} {

// CHECK-LABEL: llvm.func @threads(
gpu.func @threads(%b: !kernel.buffer<f32>, %c: !kernel.buffer<f32>, %n: i32, %ld: i64) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %slot = arith.constant 0 : i32
  %at = arith.constant 0 : i64
  %ringA = kernel.ring at 0 : !kernel.ring<2 of 16 x 16 x f32>
  %ringB = kernel.ring at 2048 : !kernel.ring<2 of 16 x 16 x f32>
  %B = kernel.matrix %b at %at[%n, %n] stride %ld : !kernel.buffer<f32> -> !kernel.matrix<f32, align = 16>
  // 16 x 16 words, of 32 threads.
  // CHECK-COUNT-8: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache =  ca
  // CHECK-NOT: nvvm.cp.async.shared.global
  // CHECK: nvvm.cp.async.commit.group
  kernel.copy %B[%slot, %slot] to %ringB[%slot] transposed : !kernel.matrix<f32, align = 16> to !kernel.ring<2 of 16 x 16 x f32>
  kernel.copy.commit
  // CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  %a = kernel.read %ringA[%slot] step 1 : !kernel.ring<2 of 16 x 16 x f32> -> !kernel.fragment<"a", 16 x f32, warps = 1 x 1, depth = 4>
  // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK-NOT: llvm.load
  %f = kernel.read %ringB[%slot] step 3 : !kernel.ring<2 of 16 x 16 x f32> -> !kernel.fragment<"b", 16 x f32, warps = 1 x 1, depth = 4>
  %zero = kernel.zero : !kernel.acc<16 x 16 x f32, warps = 1 x 1>
  // Two rows by four columns of four products.
  // CHECK-COUNT-32: llvm.intr.fma(%{{.*}}) : (f32, f32, f32) -> f32
  // CHECK-NOT: llvm.intr.fma
  // CHECK-NOT: nvvm.mma.sync
  %d = kernel.fma %a, %f, %zero : !kernel.fragment<"a", 16 x f32, warps = 1 x 1, depth = 4>, !kernel.fragment<"b", 16 x f32, warps = 1 x 1, depth = 4>, !kernel.acc<16 x 16 x f32, warps = 1 x 1>
  %C = kernel.matrix %c at %at[%n, %n] stride %ld : !kernel.buffer<f32> -> !kernel.matrix<f32, align = 16>
  kernel.store %d to %C[%slot, %slot] : !kernel.acc<16 x 16 x f32, warps = 1 x 1> to !kernel.matrix<f32, align = 16>
  // CHECK: llvm.return
  gpu.return
}

}
