// hone-opt reads and prints programs around products, and the output of canonicalization, as
// mlir-opt with the plugin does. No kernel takes complex numbers.

// RUN: hone-opt %s | hone-opt | FileCheck %s
// RUN: mlir-opt %plugin %s | FileCheck %s
// RUN: hone-opt %s --hone-match=arch=sm_90a --remark-policy=all --remark-format=emitRemark --remarks-filter=hone -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func @numbers(
func.func @numbers(%x: f32) -> (complex<f32>, index, f32) {
  // CHECK: complex.create
  %0 = complex.create %x, %x : complex<f32>
  // CHECK: index.constant 3
  %1 = index.constant 3
  // CHECK: ub.poison : f32
  %2 = ub.poison : f32
  return %0, %1, %2 : complex<f32>, index, f32
}

// REMARK: Function=product | Remark="not matched: element type complex<f32>; kernels multiply f16
// CHECK-LABEL: func @product(
func.func @product(%a: tensor<4x8xcomplex<f32>>, %b: tensor<8x6xcomplex<f32>>, %c: tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>> {
  // CHECK: linalg.matmul
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xcomplex<f32>>, tensor<8x6xcomplex<f32>>) outs(%c : tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
  return %0 : tensor<4x6xcomplex<f32>>
}
