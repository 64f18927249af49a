// A product of more than 2e9 multiplications is checked by samples.

// RUN: hone run %s --arch=host --repeat=1 | FileCheck %s
// CHECK: {{^matmul +host +1 +0\.[0-9]+ +4096/4096 +0 }}

func.func @matmul(%a: tensor<1300x1300xf32>, %b: tensor<1300x1300xf32>) -> tensor<1300x1300xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1300x1300xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<1300x1300xf32>) -> tensor<1300x1300xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<1300x1300xf32>, tensor<1300x1300xf32>)
                     outs(%0 : tensor<1300x1300xf32>) -> tensor<1300x1300xf32>
  return %1 : tensor<1300x1300xf32>
}
