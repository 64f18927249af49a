// `hone explain --assemble` prints the report of ptxas on a matmul's kernels: the
// preferred one and its siblings. format=cubin warns at the matmul.

// REQUIRES: ptxas
// RUN: hone explain %s --arch=h200 --assemble --schedule='mma_sync, tile = 64x64x64, warps = 2x2, splits = 8' | FileCheck %s
// CHECK: schedule {{.*}} splits = 8,
// CHECK: assembled {{.*}}hone_mma_sync_f16_f16_nn_{{[0-9a-f]+}}: {{[0-9]+}} registers a thread, 0 bytes spilled, MEMBARs in main loops: {{0|\?}}
// CHECK-NOT: fault

// RUN: hone-opt %s --hone-match --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --hone-select-schedule="arch=h200 schedule='mma_sync, tile = 128x128x64, warps = 2x4, stages = 2'" --hone-build-kernel --hone-lower-kernel --hone-emit=format=cubin -o %t 2> %t.err
// RUN: FileCheck %s --check-prefix=WARN --input-file=%t.err --allow-empty
// WARN-NOT: error

func.func @matmul(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %empty = tensor.empty() : tensor<512x512xf16>
  %zero = arith.constant 0.0 : f16
  %fill = linalg.fill ins(%zero : f16) outs(%empty : tensor<512x512xf16>) -> tensor<512x512xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) outs(%fill : tensor<512x512xf16>) -> tensor<512x512xf16>
  return %0 : tensor<512x512xf16>
}
