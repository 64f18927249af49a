// A tuning file answers as a database does: this problem, this problem at
// unknown extents, the nearest.

// RUN: split-file %s %t
// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: mlir-opt %plugin %t/in.mlir --pass-pipeline='builtin.module(hone-select-schedule{arch=h200 ranges=1 shipped=false database=%t/tuned.mlir})' %{remarks} 2> %t.remarks | FileCheck %t/in.mlir
// RUN: FileCheck %t/in.mlir --check-prefix=REMARK --input-file=%t.remarks
// RUN: hone-opt %t/in.mlir --hone-pipeline="arch=h200 ranges=1 database=%t/tuned.mlir" | FileCheck %t/in.mlir --check-prefix=PIPELINE

// A guess is left out together with its judgement.
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=h200 ranges=1 database=%t/tuned.mlir guess=false shipped=false" %{remarks} 2>&1 >/dev/null | FileCheck %t/in.mlir --check-prefix=SURE

// A measurement of a similar problem comes first where a build demands a measurement.
// RUN: hone-opt %t/like.mlir --hone-select-schedule="arch=h200 database=%t/tuned.mlir require=measured" %{remarks} 2> %t.remarks | FileCheck %t/like.mlir
// RUN: FileCheck %t/like.mlir --check-prefix=REMARK --input-file=%t.remarks

// MLIR's output, and files one after the other, give the same answers. Bytecode
// is refused: its reader trusts its input.
// RUN: hone-opt %t/tuned.mlir --emit-bytecode -o %t/tuned.mlirbc
// RUN: hone-opt %t/tuned.mlir -o %t/printed.mlir
// RUN: cat %t/printed.mlir %t/other.mlir > %t/both.mlir
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=h200 database=%t/tuned.mlir" -o %t/selected
// RUN: not hone-opt %t/in.mlir --hone-select-schedule="arch=h200 database=%t/tuned.mlirbc" 2>&1 | FileCheck %t/in.mlir --check-prefix=BYTECODE
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=h200 database=%t/both.mlir" | diff %t/selected -

//--- tuned.mlir
#small = #hone.schedule<small, tile = 64x64x64, stages = 3>
hone.tuned #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero> on #hone.arch<sm_90a> = #small
// The model has something against it, and it is here.
hone.tuned #hone.problem<m = 4096, n = 512, k = 512, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero> on #hone.arch<h200> = #hone.schedule<ws_coop, tile = 128x128x64, stages = 4> {us = 9.5, driver = "1", llvm = "2", hone = "3", space = 4}
hone.tuned #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero> on #hone.arch<sm_80> = #hone.schedule<mma_sync, stages = 2>
//--- other.mlir
module {
  hone.tuned #hone.problem<m = 64, n = 64, k = 64, a = bf16:row:16, b = bf16:row:16, acc = f32, c = f16:16, init = zero> on #hone.arch<h200> = #hone.schedule<mma_sync>
}
//--- like.mlir
// For a similar problem the measurement counts, and not the model's lower estimate.
// CHECK-LABEL: func @nearest(
// CHECK: schedule(#hone.schedule<ws, side = a, tile = 64x64x64, consumers = 1x1, teams = 1, persistent = no, cluster = 1x1, splits = 1, streams = no, stages = 3,
// REMARK: Function=nearest | Remark="ws, side = a, {{.*}} from tuning file, nearest, m = 512, n = 512, k = 512, for m = 520
func.func @nearest(%a: memref<520x512xf16>, %b: memref<512x512xf16>, %c: memref<520x512xf16>) {
  hone.matmul ins(%a, %b : memref<520x512xf16>, memref<512x512xf16>) outs(%c : memref<520x512xf16>) init(zero) acc(f32)
  return
}
//--- in.mlir
// BYTECODE: error: option 'database': '{{.*}}tuned.mlirbc': expected text, but got MLIR bytecode; use the output of 'hone-opt --accept-bytecode'
// CHECK-LABEL: func @exact(
// CHECK: schedule(#hone.schedule<ws, side = a, tile = 64x64x64, consumers = 1x1, teams = 1, persistent = no, cluster = 1x1, splits = 1, streams = no, stages = 3,
// REMARK: Function=exact | Remark="ws, side = a, {{.*}} from tuning file, exact, instead of
// SURE: Function=exact | Remark="ws, side = a, {{.*}} from tuning file, exact, instead of {{.*}} from default
// PIPELINE: schedule = "ws, side = a, tile = 64x64x64, consumers = 1x1, teams = 1, persistent = no, cluster = 1x1, splits = 1, streams = no, stages = 3,
func.func @exact(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %c: memref<512x512xf16>) {
  hone.matmul ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%c : memref<512x512xf16>) init(zero) acc(f32)
  return
}

// CHECK-LABEL: func @stale(
// REMARK: Function=stale | Remark="ws, side = a, {{.*}} from tuning file, exact, stale, instead of
// SURE: Function=stale | Remark="ws, side = a, {{.*}} from tuning file, exact, stale, instead of
func.func @stale(%a: memref<4096x512xf16>, %b: memref<512x512xf16>, %c: memref<4096x512xf16>) {
  hone.matmul ins(%a, %b : memref<4096x512xf16>, memref<512x512xf16>) outs(%c : memref<4096x512xf16>) init(zero) acc(f32)
  return
}

// CHECK-LABEL: func @rounded(
// REMARK: Function=rounded | Remark="{{.*}} from tuning file, rounded, 2 measured at m = 512 to 4096, stale, instead of {{.*}} from default, for m = ?
// SURE: Function=rounded | Remark="{{.*}} from tuning file, rounded, 2 measured at m = 512 to 4096, stale, instead of
func.func @rounded(%a: memref<?x512xf16>, %b: memref<512x512xf16>, %c: memref<?x512xf16>) {
  hone.matmul ins(%a, %b : memref<?x512xf16>, memref<512x512xf16>) outs(%c : memref<?x512xf16>) init(zero) acc(f32)
  return
}

// The policy is better than the winner of a similar problem; without a guess, that one is taken.
// CHECK-LABEL: func @nearest(
// REMARK: Function=nearest | Remark="{{.*}} from the policy, instead of ws, side = a, tile = 64x64x64, {{.*}} from tuning file, nearest, m = 512, n = 512, k = 512, for m = 520
// SURE: Function=nearest | Remark="{{.*}} from default, for m = 520,
func.func @nearest(%a: memref<520x512xf16>, %b: memref<512x512xf16>, %c: memref<520x512xf16>) {
  hone.matmul ins(%a, %b : memref<520x512xf16>, memref<512x512xf16>) outs(%c : memref<520x512xf16>) init(zero) acc(f32)
  return
}

// CHECK-LABEL: func @another_epilogue(
// REMARK: Function=another_epilogue | Remark="ws, side = a, {{.*}} from tuning file, nearest, m = 512, n = 512, k = 512 (another epilogue), instead of
func.func @another_epilogue(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %c: memref<512x512xf16>) {
  hone.matmul ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%c : memref<512x512xf16>) init(zero) acc(f32) epilogue {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %max = arith.maximumf %sum, %zero : f32
    %half = arith.truncf %max : f32 to f16
    hone.yield %half : f16
  }
  return
}

// The file has one chip.
// CHECK-LABEL: func @nearest_chip(
// CHECK: schedule(#hone.schedule<mma_sync, {{.*}}stages = 2, {{.*}}>)
// REMARK: Function=nearest_chip | Remark="mma_sync, {{.*}}stages = 2, {{.*}} from tuning file, nearest, m = 512, n = 512, k = 512, instead of {{.*}} from the cost model
func.func @nearest_chip(%a: memref<520x512xf16>, %b: memref<512x512xf16>, %c: memref<520x512xf16>) {
  hone.matmul ins(%a, %b : memref<520x512xf16>, memref<512x512xf16>) outs(%c : memref<520x512xf16>) init(zero) acc(f32) arch(#hone.arch<sm_80>)
  return
}

// Other types are another matter.
// REMARK: Function=other_types | Remark="{{.*}} from the policy, instead of {{.*}} from the cost model
func.func @other_types(%a: memref<512x512xbf16>, %b: memref<512x512xbf16>, %c: memref<512x512xf16>) {
  hone.matmul ins(%a, %b : memref<512x512xbf16>, memref<512x512xbf16>) outs(%c : memref<512x512xf16>) init(zero) acc(f32)
  return
}

// Another chip has its own.
// REMARK: Function=other_chip | Remark="mma_sync, {{.*}}stages = 2, {{.*}} from tuning file, exact, instead of
func.func @other_chip(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %c: memref<512x512xf16>) {
  hone.matmul ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%c : memref<512x512xf16>) init(zero) acc(f32) arch(#hone.arch<sm_80>)
  return
}
// REMARK: [Passed] schedules | {{.*}}Remark="8 matmuls, 8 problems, digest {{[0-9a-f]+}}"
