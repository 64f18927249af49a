// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{arch=sm_80})' %{remarks} -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// A convolution whose windows are one element is a product.

// CHECK-LABEL: func @nhwc(
// CHECK: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<392x64xf16>, tensor<64x32xf16>)
func.func @nhwc(%x: tensor<2x14x14x64xf16>, %w: tensor<1x1x64x32xf16>, %c: tensor<2x14x14x32xf32>) -> tensor<2x14x14x32xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x14x14x64xf16>, tensor<1x1x64x32xf16>) outs(%c : tensor<2x14x14x32xf32>) -> tensor<2x14x14x32xf32>
  return %0 : tensor<2x14x14x32xf32>
}

// CHECK-LABEL: func @nchw(
// CHECK: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<32x64xf16>, tensor<2x64x196xf16>)
func.func @nchw(%x: tensor<2x64x14x14xf16>, %w: tensor<32x64x1x1xf16>, %c: tensor<2x32x14x14xf32>) -> tensor<2x32x14x14xf32> {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x64x14x14xf16>, tensor<32x64x1x1xf16>) outs(%c : tensor<2x32x14x14xf32>) -> tensor<2x32x14x14xf32>
  return %0 : tensor<2x32x14x14xf32>
}

// CHECK-LABEL: func @strided(
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 0] [2, 7, 7, 64] [1, 2, 2, 1]
// CHECK: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<98x64xf16>, tensor<64x32xf16>)
func.func @strided(%x: tensor<2x14x14x64xf16>, %w: tensor<1x1x64x32xf16>, %c: tensor<2x7x7x32xf32>) -> tensor<2x7x7x32xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x14x14x64xf16>, tensor<1x1x64x32xf16>) outs(%c : tensor<2x7x7x32xf32>) -> tensor<2x7x7x32xf32>
  return %0 : tensor<2x7x7x32xf32>
}

// REMARK: Function=windows | Remark="not matched: in dimension 1 windows of 3 at stride 1 overlap; in dimension 2 windows of 3 at stride 1 overlap, and no matmul reads such windows; use transform.structured.convert_conv2d_to_img2col before"
// CHECK-LABEL: func @windows(
// CHECK-NEXT: linalg.conv_2d_nhwc_hwcf
func.func @windows(%x: tensor<2x16x16x64xf16>, %w: tensor<3x3x64x32xf16>, %c: tensor<2x14x14x32xf32>) -> tensor<2x14x14x32xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x16x16x64xf16>, tensor<3x3x64x32xf16>) outs(%c : tensor<2x14x14x32xf32>) -> tensor<2x14x14x32xf32>
  return %0 : tensor<2x14x14x32xf32>
}
