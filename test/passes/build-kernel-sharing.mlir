// RUN: hone-opt %s --hone-build-kernel --canonicalize --split-input-file | FileCheck %s
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-build-kernel,canonicalize)' --split-input-file | FileCheck %s

// One compiled kernel is a problem without its extents and the compile-time knobs:
// other extents, and another `group`, are other arguments of the same launch plan.

// CHECK-LABEL: module @extents_and_group
// CHECK: gpu.module @hone_sm_80
// CHECK-SAME: hone.plans = {[[PLAN:hone_mma_sync_f16_f16_nn_[0-9a-f]{16}]] = #kernel.plan<"hone-plan 2"
// CHECK-NOT: "hone-plan 2"
// CHECK: gpu.func @[[PLAN]](
// CHECK: gpu.func @
// CHECK-NOT: gpu.func
// CHECK: func.func @matmuls
// CHECK-DAG: %[[M1:.*]] = arith.constant 512 : i64
// CHECK-DAG: %[[M2:.*]] = arith.constant 64 : i64
// CHECK-DAG: %[[G1:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[G2:.*]] = arith.constant 16 : i64
// CHECK: kernel.launch @hone_sm_80::@[[PLAN]](a = {{.*}} m = %[[M1]],{{.*}} group = %[[G1]],
// CHECK-SAME: group = 4>
// CHECK: kernel.launch @hone_sm_80::@[[PLAN]](a = {{.*}} m = %[[M2]],{{.*}} group = %[[G2]],
// CHECK-SAME: group = 16>

module @extents_and_group {
func.func @matmuls(%a: memref<512x256xf16>, %b: memref<256x384xf16>, %c: memref<512x384xf16>,
                   %d: memref<64x128xf16>, %e: memref<128x256xf16>, %f: memref<64x256xf16>) {
  hone.matmul ins(%a, %b : memref<512x256xf16>, memref<256x384xf16>) outs(%c : memref<512x384xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 3, group = 4>)
  hone.matmul ins(%d, %e : memref<64x128xf16>, memref<128x256xf16>) outs(%f : memref<64x256xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 3, group = 16>)
  return
}
}

// -----

// The aligned kernel of one is not that of the other, but both have the same sibling.

// CHECK-LABEL: module @sibling
// CHECK: "alternative 1", "launch [[ANY:hone_[a-z0-9_]*]]"
// CHECK-SAME: "alternative 1", "launch [[ANY]]"
// CHECK-COUNT-3: gpu.func
// CHECK-NOT: gpu.func
// CHECK: func.func @matmuls

module @sibling {
func.func @matmuls(%a: memref<512x256xf16>, %b: memref<256x384xf16>, %c: memref<512x384xf16>,
                   %d: memref<64x100xf16>, %e: memref<100x256xf16>, %f: memref<64x256xf16>) {
  hone.matmul ins(%a, %b : memref<512x256xf16>, memref<256x384xf16>) outs(%c : memref<512x384xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 3, group = 4>)
  hone.matmul ins(%d, %e : memref<64x100xf16>, memref<100x256xf16>) outs(%f : memref<64x256xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 3, group = 4>)
  return
}
}

// -----

// A compile-time knob is another kernel.

// CHECK-LABEL: module @stages
// CHECK-COUNT-4: gpu.func
// CHECK: func.func @matmuls
// CHECK: kernel.launch @hone_sm_80::@[[THREE:[a-z0-9_]*]](
// CHECK-NOT: @[[THREE]](
// CHECK: kernel.launch @hone_sm_80::@hone_

module @stages {
func.func @matmuls(%a: memref<512x256xf16>, %b: memref<256x384xf16>, %c: memref<512x384xf16>) {
  hone.matmul ins(%a, %b : memref<512x256xf16>, memref<256x384xf16>) outs(%c : memref<512x384xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 3, group = 4>)
  hone.matmul ins(%a, %b : memref<512x256xf16>, memref<256x384xf16>) outs(%c : memref<512x384xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 4, group = 4>)
  return
}
}

// -----

// Each instruction set has its module. A chip is its instruction set's: h100 and
// h200 share kernels.

// CHECK-LABEL: module @archs
// CHECK-DAG: gpu.module @hone_sm_80 [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">]
// CHECK-DAG: gpu.module @hone_sm_89 [#nvvm.target<O = 3, chip = "sm_89", features = "+ptx80">]
// CHECK-DAG: gpu.module @hone_sm_90a [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">]
// CHECK-NOT: gpu.module
// CHECK: func.func @matmuls
// CHECK: kernel.launch @hone_sm_80::@[[PLAN:[a-z0-9_]*]](
// CHECK: kernel.launch @hone_sm_89::@[[PLAN]](
// CHECK: kernel.launch @hone_sm_90a::@[[PLAN]](
// CHECK: kernel.launch @hone_sm_90a::@[[PLAN]](

module @archs {
func.func @matmuls(%a: memref<9x7xf16>, %b: memref<7x5xf16>, %c: memref<9x5xf16>) {
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
    arch(#hone.arch<l40s>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
    arch(#hone.arch<h200>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
    arch(#hone.arch<h100>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  return
}
}

// -----

// An epilogue's text does not depend on the order of its operands, or on those it
// does not use. A kernel's parameters do, and so its name must.

// CHECK-LABEL: module @epilogue_operands
// CHECK-DAG: "args a b c e0 e1 m n k group lda ldb ldc e0n e1m"
// CHECK-DAG: "args a b c e0 e1 m n k group lda ldb ldc e0m e1n"
// CHECK-DAG: "args a b c e0 m n k group lda ldb ldc e0n"
// CHECK-DAG: "args a b c m n k group lda ldb ldc"
// CHECK-COUNT-4: gpu.func
// CHECK: func.func @matmuls
// CHECK: kernel.launch {{.*}} e0n = {{.*}}, e1m = {{.*}} "addf(acc, n:f32) | mulf($0, m:f32)">
// CHECK: kernel.launch {{.*}} e0m = {{.*}}, e1n = {{.*}} "addf(acc, n:f32) | mulf($0, m:f32)">
// CHECK: kernel.launch {{.*}}, e0n = {{.*}} init = zero>
// CHECK: kernel.launch {{.*}} init = zero>

module @epilogue_operands {
func.func @matmuls(%a: memref<9x7xf16>, %b: memref<7x5xf16>, %c: memref<9x5xf16>, %x: memref<5xf32>, %y: memref<9xf32>) {
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
    epilogue(%x[n], %y[m] : memref<5xf32>, memref<9xf32>) {
    ^bb0(%sum: f32, %n: f32, %m: f32):
      %0 = arith.addf %sum, %n : f32
      %1 = arith.mulf %0, %m : f32
      %2 = arith.truncf %1 : f32 to f16
      hone.yield %2 : f16
    } arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
    epilogue(%y[m], %x[n] : memref<9xf32>, memref<5xf32>) {
    ^bb0(%sum: f32, %m: f32, %n: f32):
      %0 = arith.addf %sum, %n : f32
      %1 = arith.mulf %0, %m : f32
      %2 = arith.truncf %1 : f32 to f16
      hone.yield %2 : f16
    } arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
    epilogue(%x[n] : memref<5xf32>) {
    ^bb0(%sum: f32, %n: f32):
      %0 = arith.truncf %sum : f32 to f16
      hone.yield %0 : f16
    } arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  return
}
}

// -----

// Functions that are built later find the kernels of those before them.

// CHECK-LABEL: module @functions
// CHECK-COUNT-1: gpu.func
// CHECK-NOT: gpu.func
// CHECK: func.func @first
// CHECK: kernel.launch @hone_sm_80::@[[PLAN:[a-z0-9_]*]](
// CHECK: func.func @second
// CHECK: kernel.launch @hone_sm_80::@[[PLAN]](

module @functions {
func.func @first(%a: memref<9x7xf16>, %b: memref<7x5xf16>, %c: memref<9x5xf16>) {
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  return
}
func.func @second(%a: memref<3x5xf16>, %b: memref<5x3xf16>, %c: memref<3x3xf16>) {
  hone.matmul ins(%a, %b : memref<3x5xf16>, memref<5x3xf16>) outs(%c : memref<3x3xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  return
}
}

// -----

// Nor does it tell operands of a kind apart: here the same text is two kernels,
// and the third matmul has the first one's.

// CHECK-LABEL: module @operands_of_a_kind
// CHECK-COUNT-2: gpu.func
// CHECK-NOT: gpu.func
// CHECK: func.func @matmuls
// CHECK: kernel.launch @hone_sm_80::@[[FIRST:[a-z0-9_]*]]({{.*}} "addf(acc, n:f32) | mulf($0, n:f32@2)">
// CHECK-NOT: @[[FIRST]](
// CHECK: kernel.launch {{.*}} "addf(acc, n:f32) | mulf($0, n:f32@2)">
// CHECK: kernel.launch @hone_sm_80::@[[FIRST]]({{.*}} "addf(acc, n:f32) | mulf($0, n:f32@2)">

module @operands_of_a_kind {
func.func @matmuls(%a: memref<9x7xf16>, %b: memref<7x5xf16>, %c: memref<9x5xf32>, %x: memref<5xf32>, %y: memref<5xf32>) {
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf32>) init(zero) acc(f32)
    epilogue(%x[n], %y[n] : memref<5xf32>, memref<5xf32>) {
    ^bb0(%sum: f32, %v: f32, %w: f32):
      %0 = arith.addf %sum, %v : f32
      %1 = arith.mulf %0, %w : f32
      hone.yield %1 : f32
    } arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf32>) init(zero) acc(f32)
    epilogue(%x[n], %y[n] : memref<5xf32>, memref<5xf32>) {
    ^bb0(%sum: f32, %v: f32, %w: f32):
      %0 = arith.addf %sum, %w : f32
      %1 = arith.mulf %0, %v : f32
      hone.yield %1 : f32
    } arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf32>) init(zero) acc(f32)
    epilogue(%y[n], %x[n] : memref<5xf32>, memref<5xf32>) {
    ^bb0(%sum: f32, %v: f32, %w: f32):
      %0 = arith.addf %sum, %v : f32
      %1 = arith.mulf %0, %w : f32
      hone.yield %1 : f32
    } arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  return
}
}
