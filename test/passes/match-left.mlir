// A contraction that is left alone is a warning, one for each cause, and an
// error where the build requires measured schedules.

// RUN: hone-opt %s --hone-match -o %t.mlir 2> %t.err
// RUN: FileCheck %s --implicit-check-not=warning --input-file=%t.err
// RUN: hone-opt %s --hone-pipeline=arch=h200 -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: not hone-opt %s --hone-pipeline="arch=h200 require=exact" 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not hone-opt %s --hone-match=require=measured 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: hone-opt %s --hone-match=arch=host -o /dev/null 2>&1 | FileCheck %s --check-prefix=HOST

// ERROR-COUNT-5: error: 'linalg.
// ERROR-NOT:     error

// CHECK-DAG: match-left.mlir:[[#@LINE+5]]:{{.*}}: warning: 'linalg.matmul' is left alone: element type f64; kernels multiply f16, bf16, f32, f8E4M3FN, f8E5M2 and i8
// CHECK-DAG: match-left.mlir:[[#@LINE+3]]:{{.*}}: note: so is this one
func.func @f64(%a: memref<64x64xf64>, %b: memref<64x64xf64>, %c: memref<64x64xf64>) {
  // The last is read first.
  linalg.matmul ins(%a, %b : memref<64x64xf64>, memref<64x64xf64>) outs(%c : memref<64x64xf64>)
  linalg.matmul ins(%a, %c : memref<64x64xf64>, memref<64x64xf64>) outs(%b : memref<64x64xf64>)
  return
}

// CHECK-DAG: match-left.mlir:[[#@LINE+2]]:{{.*}}: warning: 'linalg.matmul' is left alone: element type i4; kernels multiply
func.func @i4(%a: tensor<64x64xi4>, %b: tensor<64x64xi4>, %c: tensor<64x64xi4>) -> tensor<64x64xi4> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xi4>, tensor<64x64xi4>) outs(%c : tensor<64x64xi4>) -> tensor<64x64xi4>
  return %0 : tensor<64x64xi4>
}

// CHECK-DAG: match-left.mlir:[[#@LINE+2]]:{{.*}}: warning: 'linalg.batch_matmul' is left alone: element type i32; kernels multiply
func.func @i32(%a: tensor<4x64x64xi32>, %b: tensor<4x64x64xi32>, %c: tensor<4x64x64xi32>) -> tensor<4x64x64xi32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<4x64x64xi32>, tensor<4x64x64xi32>) outs(%c : tensor<4x64x64xi32>) -> tensor<4x64x64xi32>
  return %0 : tensor<4x64x64xi32>
}

// CHECK-DAG: match-left.mlir:[[#@LINE+2]]:{{.*}}: warning: 'linalg.matmul' is left alone: element type complex<f32>; kernels multiply
func.func @complex(%a: tensor<64x64xcomplex<f32>>, %b: tensor<64x64xcomplex<f32>>, %c: tensor<64x64xcomplex<f32>>) -> tensor<64x64xcomplex<f32>> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xcomplex<f32>>, tensor<64x64xcomplex<f32>>) outs(%c : tensor<64x64xcomplex<f32>>) -> tensor<64x64xcomplex<f32>>
  return %0 : tensor<64x64xcomplex<f32>>
}

// CHECK-DAG: match-left.mlir:[[#@LINE+2]]:{{.*}}: warning: 'linalg.matmul' is left alone: element type f64; kernels store f16, bf16, f32, i8 and i32
func.func @sum(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf64>) -> tensor<64x64xf64> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf64>) -> tensor<64x64xf64>
  return %0 : tensor<64x64xf64>
}

// On the host, i8 is one more.
// HOST: match-left.mlir:[[#@LINE+2]]:{{.*}}: warning: 'linalg.matmul' is left alone: no kernel for host takes its types
func.func @i8(%a: tensor<64x64xi8>, %b: tensor<64x64xi8>, %c: tensor<64x64xi32>) -> tensor<64x64xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xi8>, tensor<64x64xi8>) outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32>
  return %0 : tensor<64x64xi32>
}

// Products without elements and convolutions are not warned about.
func.func @others(%a: tensor<0x64xf16>, %b: tensor<64x64xf16>, %c: tensor<0x64xf16>, %d: tensor<1x8x8x4xf64>, %e: tensor<3x3x4x4xf64>, %f: tensor<1x6x6x4xf64>) -> (tensor<0x64xf16>, tensor<1x6x6x4xf64>) {
  %0 = linalg.matmul ins(%a, %b : tensor<0x64xf16>, tensor<64x64xf16>) outs(%c : tensor<0x64xf16>) -> tensor<0x64xf16>
  %1 = linalg.conv_2d_nhwc_hwcf ins(%d, %e : tensor<1x8x8x4xf64>, tensor<3x3x4x4xf64>) outs(%f : tensor<1x6x6x4xf64>) -> tensor<1x6x6x4xf64>
  return %0, %1 : tensor<0x64xf16>, tensor<1x6x6x4xf64>
}
