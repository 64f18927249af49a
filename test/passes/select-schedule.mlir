// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-select-schedule{arch=h200 guess=false})' | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: hone-opt %s --hone-select-schedule="arch=h200 guess=false" | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-select-schedule{arch=h200 schedule="mma_sync, stages = 2"})' %{remarks} 2>%t.remarks | FileCheck %s --check-prefixes=CHECK,OPTION
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// CHECK-LABEL: func @plain(
func.func @plain(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  // DEFAULT: hone.matmul {{.*}} arch(#hone.arch<h200>) schedule(#hone.schedule<ws, side = b, {{.*}}>)
  // OPTION: hone.matmul {{.*}} schedule(#hone.schedule<mma_sync, {{.*}}stages = 2, {{.*}}>)
  // REMARK: Function=plain | Remark="mma_sync, {{.*}}stages = 2, {{.*}} from the schedule option, instead of {{.*}} from the policy, for m = 64, n = 48,
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32)
  return
}

// A schedule on the op is kept.
// CHECK-LABEL: func @pinned(
func.func @pinned(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  // CHECK: hone.matmul {{.*}} arch(#hone.arch<h200>) schedule(#hone.schedule<mma_sync, {{.*}}stages = 3, {{.*}}>)
  // REMARK: Function=pinned | Remark="mma_sync, {{.*}}stages = 3, {{.*}} from the op's own schedule, instead of mma_sync, {{.*}}stages = 2, {{.*}} from the schedule option
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32) schedule(#hone.schedule<mma_sync, stages = 3>)
  return
}

// So is an arch.
// CHECK-LABEL: func @other_arch(
func.func @other_arch(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  // CHECK: hone.matmul {{.*}} arch(#hone.arch<sm_80>) schedule(
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32) arch(#hone.arch<sm_80>)
  return
}

// It works on tensors as on memrefs.
// CHECK-LABEL: func @tensors(
func.func @tensors(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf16>) -> tensor<64x48xf16> {
  // CHECK: hone.matmul {{.*}} schedule(#hone.schedule<{{.*}}>) -> tensor<64x48xf16>
  %0 = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf16>) init(zero) acc(f32) -> tensor<64x48xf16>
  return %0 : tensor<64x48xf16>
}
