// `--dims` asks for one number where the program has one: extents that a product, an op of
// linalg, a loop or a cast walks together are equal everywhere.

// RUN: hone run %s --arch=host --function=batches --dims=3 --repeat=1 | FileCheck %s
// RUN: hone run %s --arch=host --function=through_values --dims=6,16 --repeat=1 | FileCheck %s
// RUN: hone run %s --arch=host --function=carried --dims=5 --repeat=1 | FileCheck %s
// RUN: hone run %s --arch=host --function=static_somewhere --repeat=1 | FileCheck %s
// CHECK: N(0,1) error
// CHECK-NEXT: {{host +[12] +0\.[0-9]+ +[0-9]+/[0-9]+ +0 }}

// RUN: not hone run %s --arch=host --function=batches --dims=3,3 2>&1 | FileCheck %s --check-prefix=BATCHES
// BATCHES: error: expected 1 dynamic dimensions (dimension 0 of argument 0 = dimension 0 of argument 1 = dimension 0 of argument 2), but got 2; use --dims=N,...
// RUN: not hone run %s --arch=host --function=through_values 2>&1 | FileCheck %s --check-prefix=VALUES
// VALUES: error: expected 2 dynamic dimensions (dimension 0 of argument 0 = dimension 0 of argument 2, dimension 1 of argument 1 = dimension 1 of argument 2 = dimension 0 of argument 3), but got 0; use --dims=N,...
// RUN: not hone run %s --arch=host --function=disagree --dims=4 2>&1 | FileCheck %s --check-prefix=DISAGREE
// DISAGREE: error: expected dimension 0 of argument 0 and dimension 0 of argument 2 to be the same number, but got 8 and 9

#two = affine_map<(i, j) -> (i, j)>
#cols = affine_map<(i, j) -> (j)>

// The batch of both sides, which share no op with a block argument for a result.
func.func @batches(%a: tensor<?x16x24xf16>, %b: tensor<?x24x32xf16>, %bias: tensor<?x16x32xf32>) -> tensor<?x16x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x16x24xf16>
  %e = tensor.empty(%n) : tensor<?x16x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16x32xf32>) -> tensor<?x16x32xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<?x16x24xf16>, tensor<?x24x32xf16>) outs(%f : tensor<?x16x32xf32>) -> tensor<?x16x32xf32>
  %1 = linalg.add ins(%0, %bias : tensor<?x16x32xf32>, tensor<?x16x32xf32>) outs(%e : tensor<?x16x32xf32>) -> tensor<?x16x32xf32>
  return %1 : tensor<?x16x32xf32>
}

// The addend has the rows and columns of the product, by way of other values.
func.func @through_values(%a: tensor<?x24xf16>, %b: tensor<24x?xf16>, %more: tensor<?x?xf32>, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x24xf16>
  %n = tensor.dim %b, %c1 : tensor<24x?xf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x24xf16>, tensor<24x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %wave = math.sin %0 : tensor<?x?xf32>
  %1 = arith.addf %wave, %more : tensor<?x?xf32>
  %2 = linalg.generic {indexing_maps = [#cols, #two], iterator_types = ["parallel", "parallel"]}
      ins(%bias : tensor<?xf32>) outs(%1 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

func.func @carried(%x: tensor<?x24xf16>, %b: tensor<24x24xf16>, %y: tensor<?x24xf16>) -> tensor<?x24xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f16
  %0 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> tensor<?x24xf16> {
    %m = tensor.dim %a, %c0 : tensor<?x24xf16>
    %e = tensor.empty(%m) : tensor<?x24xf16>
    %f = linalg.fill ins(%zero : f16) outs(%e : tensor<?x24xf16>) -> tensor<?x24xf16>
    %1 = linalg.matmul ins(%a, %b : tensor<?x24xf16>, tensor<24x24xf16>) outs(%f : tensor<?x24xf16>) -> tensor<?x24xf16>
    scf.yield %1 : tensor<?x24xf16>
  }
  %2 = arith.addf %0, %y : tensor<?x24xf16>
  return %2 : tensor<?x24xf16>
}

// One side is known, so all are.
func.func @static_somewhere(%a: tensor<?x16x24xf16>, %b: tensor<3x24x32xf16>) -> tensor<3x16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x16x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x16x32xf32>) -> tensor<3x16x32xf32>
  %left = tensor.cast %a : tensor<?x16x24xf16> to tensor<3x16x24xf16>
  %0 = linalg.batch_matmul ins(%left, %b : tensor<3x16x24xf16>, tensor<3x24x32xf16>) outs(%f : tensor<3x16x32xf32>) -> tensor<3x16x32xf32>
  return %0 : tensor<3x16x32xf32>
}

// Both become the rows of one value, which cannot be.
func.func @disagree(%a: tensor<8x24xf16>, %b: tensor<24x?xf16>, %c: tensor<9x?xf32>) -> tensor<?x?xf32> {
  %0 = tensor.cast %a : tensor<8x24xf16> to tensor<?x24xf16>
  %1 = tensor.cast %c : tensor<9x?xf32> to tensor<?x?xf32>
  %2 = linalg.matmul ins(%0, %b : tensor<?x24xf16>, tensor<24x?xf16>) outs(%1 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
