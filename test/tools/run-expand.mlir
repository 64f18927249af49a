// A result may be split into several dimensions of unknown size, as models with open batches and lengths do.

// RUN: hone run %s --arch=host --dims=3,5 --repeat=1 | FileCheck %s
// RUN: hone run %s --arch=sm_90a --stand-in --dims=3,5 | FileCheck %s
// CHECK: N(0,1) error
// CHECK-NEXT: {{split +(host|sm_90a) +1 +0\.[0-9]+ +[0-9]+/[0-9]+ +0 }}

func.func @split(%a: tensor<?x?x8xf32>, %b: tensor<8x16xf32>) -> tensor<?x?x2x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x?x8xf32>
  %m = tensor.dim %a, %c1 : tensor<?x?x8xf32>
  %rows = arith.muli %n, %m : index
  %flat = tensor.collapse_shape %a [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %empty = tensor.empty(%rows) : tensor<?x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x16xf32>) -> tensor<?x16xf32>
  %c = linalg.matmul ins(%flat, %b : tensor<?x8xf32>, tensor<8x16xf32>) outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  %split = tensor.expand_shape %c [[0, 1], [2, 3]] output_shape [%n, %m, 2, 8] : tensor<?x16xf32> into tensor<?x?x2x8xf32>
  return %split : tensor<?x?x2x8xf32>
}
