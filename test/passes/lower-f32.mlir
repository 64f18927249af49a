// RUN: hone-opt %s --hone-lower-kernel | FileCheck %s

// Of f32 a step has 8 elements of k. ldmatrix brings those of a line; where k numbers the lines each register
// is a load of its own. Factors that are split are rounded to the nearest tf32, and three products of their
// parts start from zero.

gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx80">] attributes {hone.plans = {}} {

// CHECK-LABEL: llvm.func @parts(
gpu.func @parts(%c: !kernel.buffer<f32>, %n: i32, %ld: i64) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %slot = arith.constant 0 : i32
  %at = arith.constant 0 : i64
  %ringA = kernel.ring at 0 : !kernel.ring<2 of 16 x 16 x f32>
  %ringB = kernel.ring at 2048 : !kernel.ring<2 of 16 x 16 x f32>
  // CHECK: nvvm.ldmatrix
  %a = kernel.read %ringA[%slot] step 1 : !kernel.ring<2 of 16 x 16 x f32> -> !kernel.fragment<"a", 16 x f32, warps = 1 x 1>
  // CHECK-NOT: nvvm.ldmatrix
  // CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
  // CHECK-NOT: llvm.load
  %b = kernel.read %ringB[%slot] step 1 transposed : !kernel.ring<2 of 16 x 16 x f32> -> !kernel.fragment<"b", 16 x f32, warps = 1 x 1>
  %zero = kernel.zero : !kernel.acc<16 x 16 x f32, warps = 1 x 1>
  // Eight registers of two factors.
  // CHECK-COUNT-8: llvm.fsub
  // CHECK-NOT: llvm.fsub
  // CHECK-COUNT-3: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, k = 8>
  // CHECK-COUNT-4: llvm.fadd
  // CHECK-COUNT-3: nvvm.mma.sync
  // CHECK-COUNT-4: llvm.fadd
  // CHECK-NOT: nvvm.mma.sync
  %d = kernel.mma %a, %b, %zero split : !kernel.fragment<"a", 16 x f32, warps = 1 x 1>, !kernel.fragment<"b", 16 x f32, warps = 1 x 1>, !kernel.acc<16 x 16 x f32, warps = 1 x 1>
  %C = kernel.matrix %c at %at[%n, %n] stride %ld : !kernel.buffer<f32> -> !kernel.matrix<f32, align = 16>
  kernel.store %d to %C[%slot, %slot] : !kernel.acc<16 x 16 x f32, warps = 1 x 1> to !kernel.matrix<f32, align = 16>
  // CHECK: llvm.return
  gpu.return
}

// Tensor cores cut off; factors of a single product are rounded first, as the
// copy engine rounds.
// CHECK-LABEL: llvm.func @whole(
gpu.func @whole(%c: !kernel.buffer<f32>, %n: i32, %ld: i64) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %slot = arith.constant 0 : i32
  %at = arith.constant 0 : i64
  %ring = kernel.ring at 0 : !kernel.ring<2 of 16 x 16 x f32>
  %a = kernel.read %ring[%slot] step 0 : !kernel.ring<2 of 16 x 16 x f32> -> !kernel.fragment<"a", 16 x f32, warps = 1 x 1>
  %b = kernel.read %ring[%slot] step 0 : !kernel.ring<2 of 16 x 16 x f32> -> !kernel.fragment<"b", 16 x f32, warps = 1 x 1>
  %zero = kernel.zero : !kernel.acc<16 x 16 x f32, warps = 1 x 1>
  // CHECK-COUNT-8: nvvm.convert.float.to.tf32 %{{.*}} {rnd = #nvvm.fp_rnd_mode<rn>}
  // CHECK-NOT: nvvm.convert.float.to.tf32
  // CHECK-COUNT-2: nvvm.mma.sync
  %d = kernel.mma %a, %b, %zero : !kernel.fragment<"a", 16 x f32, warps = 1 x 1>, !kernel.fragment<"b", 16 x f32, warps = 1 x 1>, !kernel.acc<16 x 16 x f32, warps = 1 x 1>
  %C = kernel.matrix %c at %at[%n, %n] stride %ld : !kernel.buffer<f32> -> !kernel.matrix<f32, align = 16>
  kernel.store %d to %C[%slot, %slot] : !kernel.acc<16 x 16 x f32, warps = 1 x 1> to !kernel.matrix<f32, align = 16>
  gpu.return
}

// Rows in registers, as the sum of two.
// CHECK-LABEL: llvm.func @fetched(
gpu.func @fetched(%c: !kernel.buffer<f32>, %n: i32, %ld: i64) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    %zero = arith.constant 0 : i32
    %row = arith.constant 64 : i32
    %at = arith.constant 0 : i64
    %ringA = kernel.ring at 0 : !kernel.ring<2 of 32 x 128 x f32>
    %ringB = kernel.ring at 32768 : !kernel.ring<2 of 64 x 32 x f32>
    %none = kernel.acc.undefined : !kernel.acc<64 x 64 x f32, warps = 4 x 1>
    // CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
    %rows = kernel.read %ringA[%zero] rows %row step 0 transposed : !kernel.ring<2 of 32 x 128 x f32> -> !kernel.fragment<"a", 64 x f32, warps = 4 x 1>
    // CHECK-COUNT-4: nvvm.convert.float.to.tf32
    %high, %low = kernel.split %rows : !kernel.fragment<"a", 64 x f32, warps = 4 x 1>
    kernel.mma.fence
    // CHECK: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {{[^;]*}}, {$64, $65, $66, $67}, $68, keep, 1, 1;
    %sum = kernel.mma.fetched %low, %ringB[%zero] cols %zero step 0 to %none : !kernel.fragment<"a", 64 x f32, warps = 4 x 1>, !kernel.ring<2 of 64 x 32 x f32>, !kernel.acc<64 x 64 x f32, warps = 4 x 1>
    kernel.mma.commit
    %done = kernel.mma.wait 0 for %sum : !kernel.acc<64 x 64 x f32, warps = 4 x 1>
    %C = kernel.matrix %c at %at[%n, %n] stride %ld : !kernel.buffer<f32> -> !kernel.matrix<f32, align = 16>
    kernel.store %done to %C[%zero, %zero] : !kernel.acc<64 x 64 x f32, warps = 4 x 1> to !kernel.matrix<f32, align = 16>
  }
  gpu.return
}

// No transposes are given: tensor cores that read shared memory have none for f32.
// CHECK-LABEL: llvm.func @slots(
gpu.func @slots(%c: !kernel.buffer<f32>, %n: i32, %ld: i64) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    %zero = arith.constant 0 : i32
    %at = arith.constant 0 : i64
    %ring = kernel.ring at 0 : !kernel.ring<2 of 64 x 32 x f32>
    %none = kernel.acc.undefined : !kernel.acc<64 x 64 x f32, warps = 4 x 1>
    kernel.mma.fence
    // CHECK: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {{[^;]*}}, keep, 1, 1;
    %sum = kernel.mma.async %ring[%zero] rows %zero, %ring[%zero] cols %zero step 3 to %none : !kernel.ring<2 of 64 x 32 x f32>, !kernel.ring<2 of 64 x 32 x f32>, !kernel.acc<64 x 64 x f32, warps = 4 x 1>
    kernel.mma.commit
    %done = kernel.mma.wait 0 for %sum : !kernel.acc<64 x 64 x f32, warps = 4 x 1>
    %C = kernel.matrix %c at %at[%n, %n] stride %ld : !kernel.buffer<f32> -> !kernel.matrix<f32, align = 16>
    kernel.store %done to %C[%zero, %zero] : !kernel.acc<64 x 64 x f32, warps = 4 x 1> to !kernel.matrix<f32, align = 16>
  }
  gpu.return
}

}

gpu.module @ampere [#nvvm.target<chip = "sm_80">] attributes {hone.plans = {}} {

// Older chips round ties away from zero.
// CHECK-LABEL: llvm.func @older(
gpu.func @older(%c: !kernel.buffer<f32>, %n: i32, %ld: i64) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %slot = arith.constant 0 : i32
  %at = arith.constant 0 : i64
  %ring = kernel.ring at 0 : !kernel.ring<2 of 16 x 16 x f32>
  %a = kernel.read %ring[%slot] step 0 : !kernel.ring<2 of 16 x 16 x f32> -> !kernel.fragment<"a", 16 x f32, warps = 1 x 1>
  %b = kernel.read %ring[%slot] step 0 : !kernel.ring<2 of 16 x 16 x f32> -> !kernel.fragment<"b", 16 x f32, warps = 1 x 1>
  %zero = kernel.zero : !kernel.acc<16 x 16 x f32, warps = 1 x 1>
  // CHECK-COUNT-8: nvvm.convert.float.to.tf32 %{{.*}} {rnd = #nvvm.fp_rnd_mode<rna>}
  %d = kernel.mma %a, %b, %zero : !kernel.fragment<"a", 16 x f32, warps = 1 x 1>, !kernel.fragment<"b", 16 x f32, warps = 1 x 1>, !kernel.acc<16 x 16 x f32, warps = 1 x 1>
  %C = kernel.matrix %c at %at[%n, %n] stride %ld : !kernel.buffer<f32> -> !kernel.matrix<f32, align = 16>
  kernel.store %d to %C[%slot, %slot] : !kernel.acc<16 x 16 x f32, warps = 1 x 1> to !kernel.matrix<f32, align = 16>
  gpu.return
}

}
