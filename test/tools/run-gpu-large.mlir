// Large products on the GPU, compared with a reference whose products the GPU makes, too: all
// elements are compared. One wrong element, the last, a NaN, and a tile of the last batch that
// is its neighbour's are found, whether it is the module or the reference that has them.
// REQUIRES: gpu

// RUN: split-file %s %t
// DEFINE: %{run} = hone run --arch=native --repeat=1 --function
// RUN: %{run}=plain %t/right.mlir | FileCheck %s
// RUN: %{run}=batches %t/right.mlir | FileCheck %s
// CHECK: {{^[a-z]+ .* 1 +0\.[0-9]+ +[0-9]+/[0-9]+ +0 }}
// RUN: not %{run}=plain %t/right.mlir --reference=%t/wrong.mlir 2>&1 | FileCheck %s --check-prefix=ELEMENT
// ELEMENT: error: expected {{.*}} at element 3145727 of result 0, but got
// RUN: not %{run}=plain %t/wrong.mlir --reference=%t/right.mlir 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: not %{run}=plain %t/right.mlir --reference=%t/nan.mlir 2>&1 | FileCheck %s --check-prefix=NAN
// RUN: not %{run}=plain %t/nan.mlir --reference=%t/right.mlir 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: error: expected {{.*}} at element 3145215 of result 0, but got
// RUN: not %{run}=batches %t/right.mlir --reference=%t/wrong.mlir 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: error: expected {{.*}} at element 18843632 of result 0, but got

//--- right.mlir
#a = affine_map<(x, y, i, j, k) -> (x, y, i, k)>
#b = affine_map<(x, y, i, j, k) -> (x, y, k, j)>
#c = affine_map<(x, y, i, j, k) -> (x, y, i, j)>
func.func @plain(%a: tensor<1536x1024xf16>, %b: tensor<1024x2048xf16>) -> tensor<1536x2048xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1536x2048xf16>
  %i = linalg.fill ins(%zero : f16) outs(%e : tensor<1536x2048xf16>) -> tensor<1536x2048xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<1536x1024xf16>, tensor<1024x2048xf16>) outs(%i : tensor<1536x2048xf16>) -> tensor<1536x2048xf16>
  return %0 : tensor<1536x2048xf16>
}
func.func @batches(%a: tensor<2x3x1536x1024xbf16>, %b: tensor<2x3x1024x2048xbf16>, %c: tensor<2x3x1536x2048xf32>) -> tensor<2x3x1536x2048xf32> {
  %0 = linalg.contract indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<2x3x1536x1024xbf16>, tensor<2x3x1024x2048xbf16>)
      outs(%c : tensor<2x3x1536x2048xf32>) -> tensor<2x3x1536x2048xf32>
  return %0 : tensor<2x3x1536x2048xf32>
}

//--- wrong.mlir
#a = affine_map<(x, y, i, j, k) -> (x, y, i, k)>
#b = affine_map<(x, y, i, j, k) -> (x, y, k, j)>
#c = affine_map<(x, y, i, j, k) -> (x, y, i, j)>
func.func @plain(%a: tensor<1536x1024xf16>, %b: tensor<1024x2048xf16>) -> tensor<1536x2048xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1536x2048xf16>
  %i = linalg.fill ins(%zero : f16) outs(%e : tensor<1536x2048xf16>) -> tensor<1536x2048xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<1536x1024xf16>, tensor<1024x2048xf16>) outs(%i : tensor<1536x2048xf16>) -> tensor<1536x2048xf16>
  %row = arith.constant 1535 : index
  %col = arith.constant 2047 : index
  %one = arith.constant 1.0 : f16
  %v = tensor.extract %0[%row, %col] : tensor<1536x2048xf16>
  %w = arith.addf %v, %one : f16
  %1 = tensor.insert %w into %0[%row, %col] : tensor<1536x2048xf16>
  return %1 : tensor<1536x2048xf16>
}
func.func @batches(%a: tensor<2x3x1536x1024xbf16>, %b: tensor<2x3x1024x2048xbf16>, %c: tensor<2x3x1536x2048xf32>) -> tensor<2x3x1536x2048xf32> {
  %0 = linalg.contract indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<2x3x1536x1024xbf16>, tensor<2x3x1024x2048xbf16>)
      outs(%c : tensor<2x3x1536x2048xf32>) -> tensor<2x3x1536x2048xf32>
  %t = tensor.extract_slice %0[1, 2, 1520, 2016] [1, 1, 16, 16] [1, 1, 1, 1] : tensor<2x3x1536x2048xf32> to tensor<16x16xf32>
  %1 = tensor.insert_slice %t into %0[1, 2, 1520, 2032] [1, 1, 16, 16] [1, 1, 1, 1] : tensor<16x16xf32> into tensor<2x3x1536x2048xf32>
  return %1 : tensor<2x3x1536x2048xf32>
}

//--- nan.mlir
func.func @plain(%a: tensor<1536x1024xf16>, %b: tensor<1024x2048xf16>) -> tensor<1536x2048xf16> {
  %zero = arith.constant 0.0 : f16
  %nan = arith.constant 0x7E00 : f16
  %row = arith.constant 1535 : index
  %e = tensor.empty() : tensor<1536x2048xf16>
  %i = linalg.fill ins(%zero : f16) outs(%e : tensor<1536x2048xf16>) -> tensor<1536x2048xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<1536x1024xf16>, tensor<1024x2048xf16>) outs(%i : tensor<1536x2048xf16>) -> tensor<1536x2048xf16>
  %1 = tensor.insert %nan into %0[%row, %row] : tensor<1536x2048xf16>
  return %1 : tensor<1536x2048xf16>
}
