// Requirements of a build: that schedules were measured, and that they do not
// depend on the machine.

// RUN: split-file %s %t
// DEFINE: %{exact} = --hone-select-schedule="arch=h200 ranges=1 require=exact database=%t/tuned.mlir"
// DEFINE: %{measured} = --hone-select-schedule="arch=h200 require=measured database=%t/tuned.mlir"
// RUN: hone-opt %t/in.mlir -split-input-file -verify-diagnostics %{exact}
// RUN: hone-opt %t/measured.mlir -verify-diagnostics %{measured}
// RUN: not hone-opt %t/measured.mlir --hone-pipeline="arch=h200 require=measured shipped=false" 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: error: 'hone.matmul' op expected a schedule that was measured for this problem or a similar one (require=measured), but got one from the policy; use 'hone tune', or pin a schedule, for m = 512, n = 512, k = 512, {{.*}} on h200
// PIPELINE: error: 'hone.matmul' op expected a schedule that was measured

// A person's word is as good as a measurement.
// RUN: hone-opt %t/measured.mlir --hone-select-schedule="arch=h200 require=exact schedule=small" -o /dev/null

// RUN: not hone-opt %t/measured.mlir --hone-select-schedule="require=all" 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: require

// RUN: hone-opt %t/measured.mlir --hone-select-schedule="arch=sm_90a deterministic=true" -o /dev/null
// RUN: not hone-opt %t/measured.mlir --hone-select-schedule="arch=host deterministic=true" 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not hone-opt %t/measured.mlir --hone-select-schedule="arch=native deterministic=true" 2>&1 | FileCheck %s --check-prefix=NATIVE
// RUN: not hone-opt %t/pinned.mlir --hone-pipeline="arch=h200 deterministic=true" 2>&1 | FileCheck %s --check-prefix=PINNED
// HOST: error: expected the name of a chip or an instruction set (deterministic), but got 'host', which depends on the machine
// NATIVE: error: expected the name of a chip or an instruction set (deterministic), but got 'native', which depends on the machine
// PINNED: pinned.mlir:2:3: error: expected the name of a chip or an instruction set (deterministic), but got 'host'

//--- tuned.mlir
hone.tuned #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero> on #hone.arch<h200> = #hone.schedule<small, tile = 64x64x64>
//--- in.mlir
// Every op that has no answer is named.
func.func @f(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %c: memref<512x512xf16>) {
  hone.matmul ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%c : memref<512x512xf16>) init(zero) acc(f32)
  // expected-error @+1 {{expected a schedule that was measured for this problem (require=exact), but got}}
  hone.matmul ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%c : memref<512x512xf16>) init(read) acc(f32)
  return
}
func.func @g(%a: memref<?x512xf16>, %b: memref<512x512xf16>, %c: memref<?x512xf16>) {
  // expected-error @+1 {{from tuning file, rounded, 1 measured at m = 512; use 'hone tune', or pin a schedule, for m = ?, n = 512}}
  hone.matmul ins(%a, %b : memref<?x512xf16>, memref<512x512xf16>) outs(%c : memref<?x512xf16>) init(zero) acc(f32)
  return
}
//--- measured.mlir
func.func @f(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %c: memref<512x512xf16>) {
  hone.matmul ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%c : memref<512x512xf16>) init(zero) acc(f32)
  hone.matmul ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%c : memref<512x512xf16>) init(read) acc(f32)
  return
}
//--- pinned.mlir
func.func @f(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %c: memref<512x512xf16>) {
  hone.matmul ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%c : memref<512x512xf16>) init(zero) acc(f32) arch(#hone.arch<host>)
  return
}
