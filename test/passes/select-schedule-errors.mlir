// RUN: split-file %s %t
// RUN: mlir-opt %plugin %t/plain.mlir --pass-pipeline='builtin.module(hone-select-schedule{arch=host})' | FileCheck %t/plain.mlir
// RUN: not mlir-opt %plugin %t/plain.mlir --pass-pipeline='builtin.module(hone-select-schedule{arch=sm_75})' 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not mlir-opt %plugin %t/plain.mlir --pass-pipeline='builtin.module(hone-select-schedule{schedule="mma_sync, stage = 2"})' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not mlir-opt %plugin %t/plain.mlir --pass-pipeline='builtin.module(hone-select-schedule{schedule=host})' 2>&1 | FileCheck %s --check-prefix=ILLEGAL
// RUN: not mlir-opt %plugin %t/pinned.mlir --pass-pipeline='builtin.module(hone-select-schedule{arch=h200})' 2>&1 | FileCheck %s --check-prefix=PINNED
// RUN: mlir-opt %plugin %t/none.mlir --pass-pipeline='builtin.module(hone-select-schedule)' --remark-policy=all --remark-format=emitRemark --remarks-filter=hone 2>&1 | FileCheck %s --check-prefix=NONE

// ARCH: error: expected arch to be one of {{.*}}, but got 'sm_75'
// OPTION: error: option 'schedule': expected a decision of mma_sync, one of {{.*}}, but got 'stage'
// ILLEGAL: error: 'hone.matmul' op schedule_c1: expected arch 'host', but got 'sm_90a'; use the mma_sync kind (the schedule option){{$}}
// PINNED: error: 'hone.matmul' op schedule_c1: expected arch 'host', but got 'h200'; use the mma_sync kind (the op's own schedule){{$}}
// NONE: remark: [Missed] schedule | Category:hone | {{.*}}Remark="no hone.matmul in this module"

//--- plain.mlir
func.func @plain(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  // CHECK: hone.matmul {{.*}} arch(#hone.arch<host>) schedule(#hone.schedule<host, {{.*}}>)
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32)
  return
}
//--- pinned.mlir
func.func @pinned(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32) schedule(#hone.schedule<host>)
  return
}
//--- none.mlir
func.func @none() {
  return
}
