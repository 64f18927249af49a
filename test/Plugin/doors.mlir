// Each door of libhone.so works in stock mlir-opt, in any order and twice.

// The dialect door registers the passes too.
// RUN: mlir-opt --load-dialect-plugin=%libhone %s --pass-pipeline='builtin.module(hone-select-schedule{arch=sm_90a})' | FileCheck %s
// RUN: mlir-opt %s --pass-pipeline='builtin.module(hone-select-schedule{arch=sm_90a})' --load-dialect-plugin=%libhone | FileCheck %s
// Both doors, each more than once.
// RUN: mlir-opt --load-pass-plugin=%libhone --load-dialect-plugin=%libhone --load-pass-plugin=%libhone %s \
// RUN:   --pass-pipeline='builtin.module(hone-select-schedule{arch=sm_90a})' | FileCheck %s
// The tool has everything inside, and bears being given the plugin as well.
// RUN: hone-opt %s --pass-pipeline='builtin.module(hone-select-schedule{arch=sm_90a})' | FileCheck %s
// RUN: hone-opt %s --hone-select-schedule=arch=sm_90a | FileCheck %s
// RUN: hone-opt --load-dialect-plugin=%libhone %s --hone-select-schedule=arch=sm_90a | FileCheck %s

// CHECK-LABEL: func @f(
// CHECK: hone.matmul {{.*}}#hone.arch<sm_90a>{{.*}}#hone.schedule<
func.func @f(%a: memref<64x32xf16>, %b: memref<32x64xf16>, %c: memref<64x64xf32>) {
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x64xf16>) outs(%c : memref<64x64xf32>) init(zero) acc(f32)
  return
}

// The pass door alone lists every pass.
// RUN: mlir-opt --load-pass-plugin=%libhone --list-passes | FileCheck %s --check-prefix=PASSES
// RUN: mlir-opt --load-dialect-plugin=%libhone --list-passes | FileCheck %s --check-prefix=PASSES
// PASSES-DAG: --hone-match
// PASSES-DAG: --hone-place-buffers
// PASSES-DAG: --hone-select-schedule
// PASSES-DAG: --hone-build-kernel
// PASSES-DAG: --hone-lower-kernel
// PASSES-DAG: --hone-emit

// The pipeline is all of them.
// RUN: mlir-opt --load-pass-plugin=%libhone --load-dialect-plugin=%libhone %s --dump-pass-pipeline -o %t \
// RUN:   --pass-pipeline='builtin.module(hone-pipeline{arch=sm_80})' 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: hone-match
// PIPELINE: one-shot-bufferize
// PIPELINE: hone-place-buffers{arch=sm_80
// PIPELINE: hone-insert-waits{arch=sm_80}
// PIPELINE: hone-pool-buffers{arch=sm_80
// PIPELINE: hone-select-schedule{arch=sm_80
// PIPELINE: hone-build-kernel
// PIPELINE: hone-lower-kernel
// PIPELINE: hone-emit{

// RUN: mlir-opt %plugin --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: hone-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: mlir-opt --show-dialects | FileCheck %s --check-prefix=STOCK
// DIALECTS: {{[ ,]}}hone,{{(.*,)?}}kernel{{,|$}}
// STOCK-NOT: {{,}}hone{{,|$}}
