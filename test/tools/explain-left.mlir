// `hone explain` decides as a build for the same arch does: an op that no kernel
// of it supports is left alone with the reason, and that is not an error.

// RUN: hone explain %s --arch=sm_90a > %t.out 2> %t.err
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=LEFT --input-file=%t.err
// RUN: hone explain %s --arch=host 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: hone-opt %s --hone-pipeline=arch=sm_90a | FileCheck %s --check-prefix=BUILD

// CHECK:     {{^matmul 1$}}
// CHECK:       a = f16:row:16
// CHECK-NOT: matmul 2
// LEFT:      explain-left.mlir:[[#@LINE+17]]:{{[0-9]+}}: left alone: not matched: {{.*}}no kernel for sm_90a
// LEFT-NOT:  {{"linalg|UNKNOWN}}
// BUILD:     llvm.call @honeLaunch
// BUILD:     linalg.matmul
// HOST-DAG:  {{^matmul 1$}}
// HOST-DAG:  left alone

// Where nothing is left, the build succeeds, too.
// RUN: sed 's/xf16/xf64/g; s/f32/f64/g' %s > %t.f64.mlir
// RUN: hone explain %t.f64.mlir --arch=sm_90a 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-COUNT-2: left alone
func.func @halves_and_bytes(%h: tensor<64x64xf16>, %s: tensor<64x64xf8E4M3FN>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul ins(%h, %h : tensor<64x64xf16>, tensor<64x64xf16>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul {hone.products = #hone.products<exact>} ins(%s, %s : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// `simulate` and `tune` use the same kernels as a build.
// RUN: hone simulate %s --arch=sm_80 --shape=64x64x64 2>&1 | FileCheck %s --check-prefix=SIMULATE
// SIMULATE:     m = 64, n = 64, k = 64: right
// SIMULATE-NOT: wrong
// RUN: hone tune %s --arch=h200 --rehearse=smooth --trials=4 2>&1 | FileCheck %s --check-prefix=TUNE
// TUNE:     64x64x64 nn f16:f32
// TUNE-NOT: f8E4M3FN

// An error is a line, not the op that it is about.
// RUN: not hone explain %s --arch=sm_80 --schedule='mma_sync, stages = 99' 2> %t.law
// RUN: FileCheck %s --check-prefix=LAW --input-file=%t.law
// LAW:     schedule_c14
// LAW-NOT: UNKNOWN SSA VALUE
