// A dimension past the rank is undefined where it is run; its place in the shape
// is never read.

// RUN: hone-opt %s --hone-match | FileCheck %s

// CHECK-LABEL: func @dim
func.func @dim(%a: tensor<?x64xf16>, %b: tensor<64x64xf16>, %c: tensor<?x64xf32>) -> (tensor<?x64xf32>, index) {
  // CHECK: %[[FIVE:.*]] = arith.constant 5 : index
  %n = arith.constant 5 : index
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf16>, tensor<64x64xf16>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  // CHECK: %[[DIM:.*]] = tensor.dim %{{.*}}, %[[FIVE]]
  // CHECK: return %{{.*}}, %[[DIM]]
  %1 = tensor.dim %0, %n : tensor<?x64xf32>
  return %0, %1 : tensor<?x64xf32>, index
}
