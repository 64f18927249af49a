// `hone run` on the CPU of the ops that a matmul takes with it: the reference
// computes the program as it was written.

// RUN: hone run %s --arch=host --function=gelu --repeat=1 | FileCheck %s
// RUN: hone run %s --arch=host --function=transposed --repeat=1 | FileCheck %s
// RUN: hone run %s --arch=host --function=scalar --repeat=1 | FileCheck %s
// RUN: hone run %s --arch=host --function=reshaped_zeros --repeat=1 --dims=6 | FileCheck %s
// RUN: hone run %s --arch=host --function=kept --repeat=1 | FileCheck %s
// RUN: hone run %s --arch=host --function=filled_memref --repeat=1 | FileCheck %s

// CHECK: function {{.*}} N(0,1) error {{.*}} wrong
// CHECK-NEXT: {{^[a-z0-9_]+ +host +[12] +0\.[0-9]+ +[0-9]+/[0-9]+ +0 }}

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

// x * (1 + tanh(x + x^3)) with x used five times.
func.func @gelu(%a: tensor<30x40xf16>, %b: tensor<40x50xf16>, %bias: tensor<50xf16>) -> tensor<30x50xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant dense<1.0> : tensor<30x50xf32>
  %e = tensor.empty() : tensor<30x50xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<30x50xf32>) -> tensor<30x50xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<30x40xf16>, tensor<40x50xf16>) outs(%init : tensor<30x50xf32>) -> tensor<30x50xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<30x50xf32>, tensor<50xf16>) outs(%e : tensor<30x50xf32>) {
  ^bb0(%x: f32, %v: f16, %o: f32):
    %w = arith.extf %v : f16 to f32
    %s = arith.addf %x, %w : f32
    linalg.yield %s : f32
  } -> tensor<30x50xf32>
  %2 = linalg.mul ins(%1, %1 : tensor<30x50xf32>, tensor<30x50xf32>) outs(%e : tensor<30x50xf32>) -> tensor<30x50xf32>
  %3 = linalg.mul ins(%2, %1 : tensor<30x50xf32>, tensor<30x50xf32>) outs(%e : tensor<30x50xf32>) -> tensor<30x50xf32>
  %4 = linalg.add ins(%1, %3 : tensor<30x50xf32>, tensor<30x50xf32>) outs(%e : tensor<30x50xf32>) -> tensor<30x50xf32>
  %5 = linalg.tanh ins(%4 : tensor<30x50xf32>) outs(%e : tensor<30x50xf32>) -> tensor<30x50xf32>
  %6 = linalg.add ins(%5, %one : tensor<30x50xf32>, tensor<30x50xf32>) outs(%e : tensor<30x50xf32>) -> tensor<30x50xf32>
  %7 = linalg.mul ins(%1, %6 : tensor<30x50xf32>, tensor<30x50xf32>) outs(%e : tensor<30x50xf32>) -> tensor<30x50xf32>
  return %7 : tensor<30x50xf32>
}

func.func @transposed(%a: tensor<30x40xf16>, %b: tensor<40x50xf16>, %bias: tensor<50xf32>) -> tensor<50x30xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<30x50xf32>
  %f = tensor.empty() : tensor<50x30xf32>
  %init = linalg.broadcast ins(%bias : tensor<50xf32>) outs(%e : tensor<30x50xf32>) dimensions = [0]
  %0 = linalg.matmul ins(%a, %b : tensor<30x40xf16>, tensor<40x50xf16>) outs(%init : tensor<30x50xf32>) -> tensor<30x50xf32>
  %1 = linalg.transpose ins(%0 : tensor<30x50xf32>) outs(%f : tensor<50x30xf32>) permutation = [1, 0]
  return %1 : tensor<50x30xf32>
}

func.func @scalar(%a: tensor<30x40xf16>, %b: tensor<40x50xf16>, %s: f32, %t: tensor<f32>) -> tensor<30x50xf32> {
  %e = tensor.empty() : tensor<30x50xf32>
  %init = linalg.fill ins(%s : f32) outs(%e : tensor<30x50xf32>) -> tensor<30x50xf32>
  %u = tensor.extract %t[] : tensor<f32>
  %0 = linalg.matmul ins(%a, %b : tensor<30x40xf16>, tensor<40x50xf16>) outs(%init : tensor<30x50xf32>) -> tensor<30x50xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<30x50xf32>) outs(%e : tensor<30x50xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = arith.mulf %x, %s : f32
    %q = arith.addf %p, %u : f32
    linalg.yield %q : f32
  } -> tensor<30x50xf32>
  return %1 : tensor<30x50xf32>
}

func.func @reshaped_zeros(%a: tensor<4x?x32xf16>, %b: tensor<32x48xf16>) -> tensor<4x?x48xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %k = tensor.dim %a, %c1 : tensor<4x?x32xf16>
  %m = arith.muli %k, %c4 : index
  %e = tensor.empty(%m) : tensor<?x48xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [4, %k, 48] : tensor<?x48xf32> into tensor<4x?x48xf32>
  %2 = linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%a, %b : tensor<4x?x32xf16>, tensor<32x48xf16>) outs(%1 : tensor<4x?x48xf32>) -> tensor<4x?x48xf32>
  return %2 : tensor<4x?x48xf32>
}

func.func @kept(%a: tensor<30x40xf16>, %b: tensor<40x50xf16>) -> (tensor<30x50xf32>, tensor<30x50xf32>) {
  %e = tensor.empty() : tensor<30x50xf32>
  %zeros = arith.constant dense<0.0> : tensor<30x50xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<30x40xf16>, tensor<40x50xf16>) outs(%zeros : tensor<30x50xf32>) -> tensor<30x50xf32>
  %1 = linalg.negf ins(%0 : tensor<30x50xf32>) outs(%e : tensor<30x50xf32>) -> tensor<30x50xf32>
  %2 = linalg.tanh ins(%1 : tensor<30x50xf32>) outs(%e : tensor<30x50xf32>) -> tensor<30x50xf32>
  return %1, %2 : tensor<30x50xf32>, tensor<30x50xf32>
}

func.func @filled_memref(%a: memref<17x33xf16>, %b: memref<33x20xf16>, %c: memref<17x20xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<17x20xf32>)
  linalg.matmul ins(%a, %b : memref<17x33xf16>, memref<33x20xf16>) outs(%c : memref<17x20xf32>)
  return
}
