// A dimension below 0 is undefined where it is run, and may stand where it never
// is; no pass may fail at it.

// RUN: hone-opt %s --hone-match | FileCheck %s
// RUN: hone explain %s | FileCheck %s --check-prefix=EXPLAIN

// EXPLAIN: 64

// CHECK-LABEL: func @dims
func.func @dims(%a: tensor<?x64xf16>, %b: tensor<64x64xf16>, %c: tensor<?x64xf32>, %m: memref<?x5xf16>) -> (tensor<?x64xf32>, index, index) {
  %n = arith.constant -3 : index
  // CHECK: %[[TWO:.*]] = arith.constant 2 : index
  // CHECK: tensor.dim %{{.*}}, %[[TWO]]
  // CHECK: %[[RANK:.*]] = arith.constant 2 : index
  // CHECK: memref.dim %{{.*}}, %[[RANK]] : memref<?x5xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf16>, tensor<64x64xf16>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = tensor.dim %0, %n : tensor<?x64xf32>
  %2 = memref.dim %m, %n : memref<?x5xf16>
  return %0, %1, %2 : tensor<?x64xf32>, index, index
}

// So is one that only folding shows to be below 0.
// RUN: hone-opt %s --hone-pipeline -o /dev/null

// CHECK-LABEL: func @folded
func.func @folded(%a: memref<?x64xf16>, %b: memref<64x64xf16>, %c: memref<?x64xf32>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.subi %zero, %one : index
  // CHECK: %[[RANK:.*]] = arith.constant 2 : index
  // CHECK: memref.dim %{{.*}}, %[[RANK]] : memref<?x64xf16>
  %d = memref.dim %a, %n : memref<?x64xf16>
  linalg.matmul ins(%a, %b : memref<?x64xf16>, memref<64x64xf16>) outs(%c : memref<?x64xf32>)
  return %d : index
}
