// Where one extent is unknown, a matmul gets a few schedules: from measurements of
// known extents, or from guesses; no more than `ranges`, and none of them twice in a row.
//
// RUN: split-file %s %t
// RUN: hone-opt %t/in.mlir --hone-select-schedule='arch=h200 database=%t/tuned.mlir guess=false shipped=false' \
// RUN:   --remark-policy=all --remark-format=emitRemark --remarks-filter=hone 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: hone-opt %t/in.mlir --hone-select-schedule='arch=h200 database=%t/tuned.mlir guess=false shipped=false ranges=1' | FileCheck %s --check-prefix=ONE
// RUN: hone-opt %t/in.mlir --hone-select-schedule='arch=h200 shipped=false ranges=3' | FileCheck %s --check-prefix=GUESS
// RUN: hone-opt %t/in.mlir --hone-select-schedule='arch=h200 database=%t/tuned.mlir guess=false shipped=false require=measured' | FileCheck %s
// RUN: not hone-opt %t/in.mlir --hone-select-schedule='arch=h200 database=%t/tuned.mlir require=exact' 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: hone-opt %t/in.mlir --hone-select-schedule='arch=h200 schedule="m to 32: mma_sync, tile = 16x64x64, warps = 1x4 | ws, tile = 128x128x64"' | FileCheck %s --check-prefix=ASKED
// RUN: not hone-opt %t/in.mlir --hone-select-schedule='arch=h200 schedule="m to 32: mma_sync | m to 32: mma_sync | ws"' 2>&1 | FileCheck %s --check-prefix=LAW
// RUN: hone-opt %t/pinned.mlir --hone-match --hone-select-schedule=arch=h200 | FileCheck %s --check-prefix=PINNED

// CHECK-LABEL: func.func @open
// CHECK: schedule(#hone.schedule<ws, side = a, tile = 128x256x64, {{.*}}ranges(#hone.ranges<m to [[#]]: ws, side = b, tile = 16x64x128, {{[^|]*}}>)
// CHECK-LABEL: func.func @known
// CHECK-NOT: ranges(

// REMARK: 2 kernels by m (tuning file, exact), instead of {{.*}} from tuning file, rounded, 3 measured at m = 16 to 8192

// ONE-LABEL: func.func @open
// ONE-NOT: ranges(

// GUESS-LABEL: func.func @open
// GUESS: schedule({{.*}}ranges(#hone.ranges<m to {{[^|]*}}| m to {{.*}}>)

// EXACT: error: {{.*}}expected a schedule that was measured for this problem (require=exact), but got one from {{[0-9]+}} kernels by m

// ASKED-LABEL: func.func @open
// ASKED: schedule(#hone.schedule<ws, side = a, tile = 128x128x64, {{.*}}ranges(#hone.ranges<m to 32: mma_sync, tile = 16x64x64,
// An extent that is known has the schedule of its range.
// ASKED-LABEL: func.func @known
// ASKED: schedule(#hone.schedule<mma_sync, tile = 16x64x64,
// ASKED-NOT: ranges(

// LAW: error: {{.*}}schedule_r3: expected a bound above 32, but got 32

// PINNED: schedule(#hone.schedule<ws{{.*}}ranges(#hone.ranges<m to 48: mma_sync

//--- in.mlir
func.func @open(%a: memref<?x4096xf16>, %b: memref<4096x4096xf16>, %c: memref<?x4096xf16>) {
  hone.matmul ins(%a, %b : memref<?x4096xf16>, memref<4096x4096xf16>) outs(%c : memref<?x4096xf16>) init(zero) acc(f32)
  return
}
func.func @known(%a: memref<16x4096xf16>, %b: memref<4096x4096xf16>, %c: memref<16x4096xf16>) {
  hone.matmul ins(%a, %b : memref<16x4096xf16>, memref<4096x4096xf16>) outs(%c : memref<16x4096xf16>) init(zero) acc(f32)
  return
}

//--- tuned.mlir
hone.tuned #hone.problem<m = 16, n = 4096, k = 4096, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero> on #hone.arch<h200> = #hone.schedule<ws, side = b, tile = 16x64x128, consumers = 1x1, persistent = no, stages = 8> {us = 9.0}
hone.tuned #hone.problem<m = 4096, n = 4096, k = 4096, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero> on #hone.arch<h200> = #hone.schedule<ws, tile = 128x256x64, consumers = 2x1> {us = 190.0}
hone.tuned #hone.problem<m = 8192, n = 4096, k = 4096, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero> on #hone.arch<h200> = #hone.schedule<ws, tile = 128x256x64, consumers = 2x1> {us = 370.0}

//--- pinned.mlir
func.func @pinned(%a: tensor<?x64xf16>, %b: tensor<64x64xf16>, %c: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = linalg.matmul {hone.schedule = #hone.schedule<ws>, hone.ranges = #hone.ranges<m to 48: mma_sync>}
    ins(%a, %b : tensor<?x64xf16>, tensor<64x64xf16>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
