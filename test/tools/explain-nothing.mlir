// An op that is left alone has its reason; that is not an error, as in a build.

// RUN: hone explain %s --arch=h200 2>&1 | FileCheck %s
// CHECK: explain-nothing.mlir:[[#]]:{{.*}}: left alone: {{.*}}f64

// RUN: not hone explain %s --arch=sm_999 2>&1 | FileCheck %s --check-prefix=ARCH
// ARCH: error: expected arch to be one of {{.*}}, but got 'sm_999'

func.func @other(%a: tensor<8x8xf64>, %b: tensor<8x8xf64>, %c: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf64>, tensor<8x8xf64>) outs(%c : tensor<8x8xf64>) -> tensor<8x8xf64>
  return %0 : tensor<8x8xf64>
}
