// Measurements on an H200 are part of the library and are used without an option: after the
// user's measurements, and before any guess.

// RUN: split-file %s %t
// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: mlir-opt %plugin %t/in.mlir --pass-pipeline='builtin.module(hone-select-schedule{arch=h200 ranges=1})' %{remarks} 2> %t.remarks | FileCheck %t/in.mlir
// RUN: FileCheck %t/in.mlir --check-prefix=REMARK --input-file=%t.remarks
// RUN: not grep -F 'shipped tuning proposes' %t.remarks
// RUN: hone-opt %t/in.mlir --hone-pipeline="arch=h200 ranges=1" | FileCheck %t/in.mlir --check-prefix=PIPELINE

// A measurement is not a guess, and the instruction set stands for the chip.
// RUN: hone-opt %t/exact.mlir --hone-select-schedule="arch=sm_90a guess=false require=exact deterministic=true" %{remarks} 2>&1 | FileCheck %t/exact.mlir --check-prefix=SURE

// It can be left out.
// RUN: hone-opt %t/exact.mlir --hone-select-schedule="arch=h200 shipped=false" %{remarks} 2>&1 | FileCheck %t/exact.mlir --check-prefix=WITHOUT
// RUN: not hone-opt %t/exact.mlir --hone-pipeline="arch=h200 shipped=false require=measured" 2>&1 | FileCheck %t/exact.mlir --check-prefix=DEMANDED

// The user's own comes first where it is as well founded.
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=h200 ranges=1 database=%t/own.mlir" %{remarks} 2>&1 >/dev/null | FileCheck %t/in.mlir --check-prefix=OWN

//--- own.mlir
hone.tuned #hone.problem<m = 256, n = 3584, k = 3584, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero> on #hone.arch<h200> = #hone.schedule<mma_sync, stages = 3>
//--- exact.mlir
// SURE: Function=exact | Remark="ws, side = a, tile = 128x64x64, {{.*}} from shipped tuning, exact
// WITHOUT: Function=exact | Remark="{{.*}} from the policy, instead of {{.*}} from the cost model
// DEMANDED: error: 'hone.matmul' op expected a schedule that was measured for this problem or a similar one (require=measured), but got one from the policy
func.func @exact(%a: memref<256x3584xf16>, %b: memref<3584x3584xf16>, %c: memref<256x3584xf16>) {
  hone.matmul ins(%a, %b : memref<256x3584xf16>, memref<3584x3584xf16>) outs(%c : memref<256x3584xf16>) init(zero) acc(f32)
  return
}
//--- in.mlir
// CHECK-LABEL: func @exact(
// CHECK: schedule(#hone.schedule<ws, side = a, tile = 128x64x64, consumers = 1x1, teams = 2,
// REMARK: Function=exact | Remark="ws, side = a, tile = 128x64x64, {{.*}} from shipped tuning, exact{{(, stale)?}}, instead of {{.*}} from the policy, for m = 256
// OWN: Function=exact | Remark="mma_sync, {{.*}} from tuning file, exact, instead of ws, side = a, tile = 128x64x64, {{.*}} from shipped tuning, exact
// PIPELINE: schedule = "ws, side = a, tile = 128x64x64, consumers = 1x1, teams = 2,
func.func @exact(%a: memref<256x3584xf16>, %b: memref<3584x3584xf16>, %c: memref<256x3584xf16>) {
  hone.matmul ins(%a, %b : memref<256x3584xf16>, memref<3584x3584xf16>) outs(%c : memref<256x3584xf16>) init(zero) acc(f32)
  return
}

// An epilogue changes little about which schedule is fast.
// CHECK-LABEL: func @another_epilogue(
// CHECK: schedule(#hone.schedule<ws, side = a, tile = 128x64x64, consumers = 1x1, teams = 2,
// REMARK: Function=another_epilogue | Remark="{{.*}} from shipped tuning, nearest, m = 256, n = 3584, k = 3584 (another epilogue){{(, stale)?}}, instead of {{.*}} from the policy
// OWN: Function=another_epilogue | Remark="mma_sync, {{.*}} from tuning file, nearest, m = 256, n = 3584, k = 3584 (another epilogue), instead of ws, {{.*}} from shipped tuning, nearest
func.func @another_epilogue(%a: memref<256x3584xf16>, %b: memref<3584x3584xf16>, %c: memref<256x3584xf16>) {
  hone.matmul ins(%a, %b : memref<256x3584xf16>, memref<3584x3584xf16>) outs(%c : memref<256x3584xf16>) init(zero) acc(f32) epilogue {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %max = arith.maximumf %sum, %zero : f32
    %half = arith.truncf %max : f32 to f16
    hone.yield %half : f16
  }
  return
}

// The batch of a language model is not known when it is compiled.
// CHECK-LABEL: func @rounded(
// REMARK: Function=rounded | Remark="{{.*}} from shipped tuning, rounded, [[#]] measured at m = 8 to [[#]]{{(, stale)?}}, instead of {{.*}} from shipped tuning, rounded, [[#]] measured at m = {{.*}}, of h100, for m = ?
// OWN: Function=rounded | Remark="mma_sync, {{.*}} from tuning file, rounded, 1 measured at m = 256, instead of {{.*}} from shipped tuning, rounded
func.func @rounded(%a: memref<?x3584xf16>, %b: memref<3584x3584xf16>, %c: memref<?x3584xf16>) {
  hone.matmul ins(%a, %b : memref<?x3584xf16>, memref<3584x3584xf16>) outs(%c : memref<?x3584xf16>) init(zero) acc(f32)
  return
}

// The policy is better than the winner of a similar problem.
// REMARK: Function=near | Remark="{{.*}} from the policy, instead of {{.*}} from the cost model
// OWN: Function=near | Remark="{{.*}} from the policy, instead of
func.func @near(%a: memref<264x3584xf16>, %b: memref<3584x3584xf16>, %c: memref<264x3584xf16>) {
  hone.matmul ins(%a, %b : memref<264x3584xf16>, memref<3584x3584xf16>) outs(%c : memref<264x3584xf16>) init(zero) acc(f32)
  return
}

// Other types were not measured.
// REMARK: Function=other_types | Remark="{{.*}} from the policy, instead of {{.*}} from the cost model
func.func @other_types(%a: memref<256x3584xbf16>, %b: memref<3584x3584xbf16>, %c: memref<256x3584xbf16>) {
  hone.matmul ins(%a, %b : memref<256x3584xbf16>, memref<3584x3584xbf16>) outs(%c : memref<256x3584xbf16>) init(zero) acc(f32)
  return
}

// Nor were other chips. A similar one with the same instruction set gets the closest chip's
// schedule, which is a guess; an older instruction set has not every instruction.
// REMARK: Function=other_chip | Remark="ws, {{.*}} from shipped tuning, exact{{(, stale)?}}, of h200, instead of {{.*}} from the policy
// REMARK-NOT: Function=older{{.*}}shipped
// REMARK: Function=older | Remark="mma_sync
func.func @other_chip(%a: memref<256x3584xf16>, %b: memref<3584x3584xf16>, %c: memref<256x3584xf16>) {
  hone.matmul ins(%a, %b : memref<256x3584xf16>, memref<3584x3584xf16>) outs(%c : memref<256x3584xf16>) init(zero) acc(f32) arch(#hone.arch<h800>)
  return
}
func.func @older(%a: memref<256x3584xf16>, %b: memref<3584x3584xf16>, %c: memref<256x3584xf16>) {
  hone.matmul ins(%a, %b : memref<256x3584xf16>, memref<3584x3584xf16>) outs(%c : memref<256x3584xf16>) init(zero) acc(f32) arch(#hone.arch<sm_90>)
  return
}
