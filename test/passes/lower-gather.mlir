// RUN: hone-opt %s --hone-lower-kernel | FileCheck %s

// Lanes fetch numbers of 8 bits by themselves where ldmatrix cannot: where k numbers the lines, one by one, four to
// a register; where they become 16 bits, in pairs.

gpu.module @kernels [#nvvm.target<chip = "sm_89", features = "+ptx84">] attributes {hone.plans = {}} {

// CHECK-LABEL: llvm.func @lines_across_k(
gpu.func @lines_across_k(%c: !kernel.buffer<i32>, %n: i32, %ld: i64) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %slot = arith.constant 0 : i32
  %at = arith.constant 0 : i64
  %ringA = kernel.ring at 0 : !kernel.ring<2 of 16 x 64 x i8>
  %ringB = kernel.ring at 2048 : !kernel.ring<2 of 64 x 16 x i8>
  // CHECK-COUNT-1: nvvm.ldmatrix
  %a = kernel.read %ringA[%slot] step 1 : !kernel.ring<2 of 16 x 64 x i8> -> !kernel.fragment<"a", 16 x i8, warps = 1 x 1>
  // CHECK-NOT: nvvm.ldmatrix
  // CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr<3> -> i8
  // CHECK-NOT: llvm.load
  %b = kernel.read %ringB[%slot] step 1 transposed : !kernel.ring<2 of 64 x 16 x i8> -> !kernel.fragment<"b", 16 x i8, warps = 1 x 1>
  %zero = kernel.zero : !kernel.acc<16 x 16 x i32, warps = 1 x 1>
  // CHECK-COUNT-2: nvvm.mma.sync {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 32>
  %d = kernel.mma %a, %b, %zero : !kernel.fragment<"a", 16 x i8, warps = 1 x 1>, !kernel.fragment<"b", 16 x i8, warps = 1 x 1>, !kernel.acc<16 x 16 x i32, warps = 1 x 1>
  %C = kernel.matrix %c at %at[%n, %n] stride %ld : !kernel.buffer<i32> -> !kernel.matrix<i32, align = 16>
  kernel.store %d to %C[%slot, %slot] : !kernel.acc<16 x 16 x i32, warps = 1 x 1> to !kernel.matrix<i32, align = 16>
  // CHECK: llvm.return
  gpu.return
}

// An integer is added to 1024, as the bits of an f16, which is then taken away.
// CHECK-LABEL: llvm.func @widened(
gpu.func @widened(%c: !kernel.buffer<f32>, %n: i32, %ld: i64) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %slot = arith.constant 0 : i32
  %at = arith.constant 0 : i64
  %ringA = kernel.ring at 0 : !kernel.ring<2 of 16 x 32 x f16>
  %ringB = kernel.ring at 2048 : !kernel.ring<2 of 16 x 32 x i8>
  %a = kernel.read %ringA[%slot] step 1 : !kernel.ring<2 of 16 x 32 x f16> -> !kernel.fragment<"a", 16 x f16, warps = 1 x 1>
  // CHECK-COUNT-1: nvvm.ldmatrix
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i16
  // CHECK: llvm.fadd %{{.*}}, %{{.*}} : vector<2xf16>
  // CHECK-COUNT-3: llvm.load %{{.*}} : !llvm.ptr<3> -> i16
  // CHECK-NOT: llvm.load
  // CHECK-COUNT-2: nvvm.mma.sync {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
  %b = kernel.read %ringB[%slot] step 1 : !kernel.ring<2 of 16 x 32 x i8> -> !kernel.fragment<"b", 16 x f16, warps = 1 x 1>
  %zero = kernel.zero : !kernel.acc<16 x 16 x f32, warps = 1 x 1>
  %d = kernel.mma %a, %b, %zero : !kernel.fragment<"a", 16 x f16, warps = 1 x 1>, !kernel.fragment<"b", 16 x f16, warps = 1 x 1>, !kernel.acc<16 x 16 x f32, warps = 1 x 1>
  %C = kernel.matrix %c at %at[%n, %n] stride %ld : !kernel.buffer<f32> -> !kernel.matrix<f32, align = 16>
  kernel.store %d to %C[%slot, %slot] : !kernel.acc<16 x 16 x f32, warps = 1 x 1> to !kernel.matrix<f32, align = 16>
  // CHECK: llvm.return
  gpu.return
}

// Floats of 8 bits that become bf16 do so by way of f16.
// CHECK-LABEL: llvm.func @widened_floats(
gpu.func @widened_floats(%c: !kernel.buffer<f32>, %n: i32, %ld: i64) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %slot = arith.constant 0 : i32
  %at = arith.constant 0 : i64
  %ringA = kernel.ring at 0 : !kernel.ring<2 of 16 x 32 x bf16>
  %ringB = kernel.ring at 2048 : !kernel.ring<2 of 32 x 16 x f8E5M2>
  %a = kernel.read %ringA[%slot] step 1 : !kernel.ring<2 of 16 x 32 x bf16> -> !kernel.fragment<"a", 16 x bf16, warps = 1 x 1>
  // CHECK-COUNT-1: nvvm.ldmatrix
  // CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<3> -> i8
  // CHECK: cvt.rn.f16x2.e5m2x2
  // CHECK: llvm.fpext %{{.*}} : f16 to f32
  // CHECK-COUNT-6: llvm.load %{{.*}} : !llvm.ptr<3> -> i8
  // CHECK-NOT: llvm.load
  // CHECK-COUNT-2: nvvm.mma.sync
  %b = kernel.read %ringB[%slot] step 1 transposed : !kernel.ring<2 of 32 x 16 x f8E5M2> -> !kernel.fragment<"b", 16 x bf16, warps = 1 x 1>
  %zero = kernel.zero : !kernel.acc<16 x 16 x f32, warps = 1 x 1>
  %d = kernel.mma %a, %b, %zero : !kernel.fragment<"a", 16 x bf16, warps = 1 x 1>, !kernel.fragment<"b", 16 x bf16, warps = 1 x 1>, !kernel.acc<16 x 16 x f32, warps = 1 x 1>
  %C = kernel.matrix %c at %at[%n, %n] stride %ld : !kernel.buffer<f32> -> !kernel.matrix<f32, align = 16>
  kernel.store %d to %C[%slot, %slot] : !kernel.acc<16 x 16 x f32, warps = 1 x 1> to !kernel.matrix<f32, align = 16>
  // CHECK: llvm.return
  gpu.return
}

// A step's sum of 8-bit floats starts at zero, and threads add it.
// CHECK-LABEL: llvm.func @apart(
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0.000000e+00 : f32) : f32
gpu.func @apart(%c: !kernel.buffer<f32>, %n: i32, %ld: i64) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %slot = arith.constant 0 : i32
  %at = arith.constant 0 : i64
  %ringA = kernel.ring at 0 : !kernel.ring<2 of 16 x 64 x f8E4M3FN>
  %ringB = kernel.ring at 2048 : !kernel.ring<2 of 16 x 64 x f8E5M2>
  %a = kernel.read %ringA[%slot] step 1 : !kernel.ring<2 of 16 x 64 x f8E4M3FN> -> !kernel.fragment<"a", 16 x f8E4M3FN, warps = 1 x 1>
  %b = kernel.read %ringB[%slot] step 1 : !kernel.ring<2 of 16 x 64 x f8E5M2> -> !kernel.fragment<"b", 16 x f8E5M2, warps = 1 x 1>
  %zero = kernel.zero : !kernel.acc<16 x 16 x f32, warps = 1 x 1>
  // CHECK-COUNT-2: nvvm.ldmatrix
  // CHECK: llvm.inline_asm {{.*}}"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};", "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f" {{.*}}%[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]] :
  // CHECK-COUNT-4: llvm.fadd
  // CHECK: mma.sync.aligned.m16n8k32
  // CHECK-COUNT-4: llvm.fadd
  // CHECK-NOT: llvm.fadd
  %d = kernel.mma %a, %b, %zero apart : !kernel.fragment<"a", 16 x f8E4M3FN, warps = 1 x 1>, !kernel.fragment<"b", 16 x f8E5M2, warps = 1 x 1>, !kernel.acc<16 x 16 x f32, warps = 1 x 1>
  %C = kernel.matrix %c at %at[%n, %n] stride %ld : !kernel.buffer<f32> -> !kernel.matrix<f32, align = 16>
  kernel.store %d to %C[%slot, %slot] : !kernel.acc<16 x 16 x f32, warps = 1 x 1> to !kernel.matrix<f32, align = 16>
  // CHECK: llvm.return
  gpu.return
}
}
