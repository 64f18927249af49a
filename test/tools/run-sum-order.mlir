// A sum that is exact in the order of the program need not be in that of a kernel: with
// blocks of two steps of K some of these elements round, and are right.

// RUN: hone run %s --arch=host --repeat=1 --schedule='host, tile = 96x4096x2, micro = 4x16, unroll = 2' | FileCheck %s
// CHECK: {{^relu_first +host +1 +(0\.[0-9]+|1\.000) +[0-9]+/[0-9]+ +0 }}

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

func.func @relu_first(%a: tensor<512x4xf16>, %b: tensor<4x512xf16>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<512x4xf16>, tensor<4x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%x: f16, %y: f16, %sum: f32):
    %positive = arith.maximumf %x, %least : f16
    %left = arith.extf %positive : f16 to f32
    %right = arith.extf %y : f16 to f32
    %term = arith.mulf %left, %right : f32
    %next = arith.addf %sum, %term : f32
    linalg.yield %next : f32
  } -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
