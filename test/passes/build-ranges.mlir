// RUN: hone-opt %s --hone-build-kernel | FileCheck %s
// RUN: hone-opt %s --hone-build-kernel --hone-verify-kernel -o /dev/null
// RUN: hone-opt %s --hone-build-kernel --hone-lower-kernel --hone-emit | FileCheck %s --check-prefix=EMIT
// RUN: hone-opt %s --hone-build-kernel --hone-lower-kernel --hone-emit=host=gpu | FileCheck %s --check-prefix=GPU

// One plan of two kernels and their siblings, each with its bound and its own
// run-time decisions.

// CHECK: hone.plans = {[[PLAN:hone_mma_sync_f16_f16_nn_[0-9a-f]*_[0-9a-f]*]] = #kernel.plan<"hone-plan 2", "args a b c m n k group lda ldb ldc",
// CHECK-SAME: "alternative a % 16 == 0 && lda % 8 == 0 && b % 16 == 0 && ldb % 8 == 0 && c % 16 == 0 && ldc % 8 == 0", "upto m 16", "with group 2", "launch [[FEW:[a-z0-9_]*]]", "grid ceildiv(m, 16) * ceildiv(n, 64) ; 1 ; 1"
// CHECK-SAME: "param i32 group"
// CHECK-SAME: "alternative 1", "upto m 16", "with group 2", "launch [[FEWANY:[a-z0-9_]*]]"
// CHECK-SAME: "alternative a % 16 == 0 {{[^"]*}}", "with group 8", "launch [[MANY:[a-z0-9_]*]]", "grid ceildiv(m, 64) * ceildiv(n, 64) ; 1 ; 1"
// CHECK-SAME: "alternative 1", "with group 8", "launch [[MANYANY:[a-z0-9_]*]]"
// CHECK-DAG: gpu.func @[[FEW]](
// CHECK-DAG: gpu.func @[[FEWANY]](
// CHECK-DAG: gpu.func @[[MANY]](
// CHECK-DAG: gpu.func @[[MANYANY]](
// CHECK: func.func @ranges
// CHECK: kernel.launch @hone_sm_80::@[[PLAN]](
// CHECK-SAME: hone.ranges = #hone.ranges<m to 16: mma_sync
// CHECK-SAME: hone.schedule = #hone.schedule<mma_sync, tile = 64x64x64

// EMIT: llvm.call @honeLaunch({{.*}}ranges = "m to 16: mma_sync, tile = 16x64x64,

// The guard comes after the bound.
// GPU: func.func @ranges(
// GPU: %[[M:.*]] = arith.index_cast {{.*}} : index to i64
// GPU: %[[SIXTEEN:.*]] = arith.constant 16 : i64
// GPU: arith.cmpi sle, %{{.*}}, %[[SIXTEEN]]
// GPU: scf.if
// GPU: gpu.launch_func {{.*}}
// GPU: } else {
// GPU: gpu.launch_func
// GPU: gpu.launch_func
// GPU: gpu.launch_func
// GPU-NOT: gpu.launch_func

func.func @ranges(%a: memref<?x512xf16>, %b: memref<512x256xf16>, %c: memref<?x256xf16>) {
  hone.matmul ins(%a, %b : memref<?x512xf16>, memref<512x256xf16>) outs(%c : memref<?x256xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 64x64x64, warps = 2x2, group = 8>)
    ranges(#hone.ranges<m to 16: mma_sync, tile = 16x64x64, warps = 1x4, group = 2>)
  return
}
