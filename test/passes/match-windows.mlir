// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{arch=sm_80})' %{remarks} -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{arch=sm_90a})' | FileCheck %s --check-prefix=ENGINE

// Windows that lie side by side are dimensions of their own. Of two such dimensions one is
// copied, because the summed elements are not adjacent; of one none is.

// REMARK-DAG: Function=nhwc | Remark="reads a transposed copy: dimensions of one kind are not adjacent in A (mmkbkk)"
// CHECK-LABEL: func @nhwc(
// CHECK: %[[X:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2], [3, 4], [5]] output_shape [2, 3, 4, 5, 4, 8] : tensor<2x12x20x8xbf16>
// CHECK: linalg.transpose ins(%[[X]] : {{.*}} permutation = [0, 1, 3, 2, 4, 5]
// CHECK: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<30x128xbf16>, tensor<128x24xbf16>) {{.*}} init(zero)
func.func @nhwc(%x: tensor<2x12x20x8xbf16>, %w: tensor<4x4x8x24xbf16>) -> tensor<2x3x5x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x5x24xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x5x24xf32>) -> tensor<2x3x5x24xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<4> : tensor<2xi64>} ins(%x, %w : tensor<2x12x20x8xbf16>, tensor<4x4x8x24xbf16>) outs(%c : tensor<2x3x5x24xf32>) -> tensor<2x3x5x24xf32>
  return %0 : tensor<2x3x5x24xf32>
}

// The product is one for each image where C has the channels in front.
// REMARK-DAG: Function=nchw | Remark="reads a transposed copy
// CHECK-LABEL: func @nchw(
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3], [4, 5]] output_shape [2, 8, 3, 4, 5, 4] : tensor<2x8x12x20xf16>
// CHECK: hone.matmul ins(%{{.*}}, col %{{.*}} : tensor<24x128xf16>, tensor<2x15x128xf16>)
func.func @nchw(%x: tensor<2x8x12x20xf16>, %w: tensor<24x8x4x4xf16>, %c: tensor<2x24x3x5xf32>) -> tensor<2x24x3x5xf32> {
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<4> : tensor<2xi64>} ins(%x, %w : tensor<2x8x12x20xf16>, tensor<24x8x4x4xf16>) outs(%c : tensor<2x24x3x5xf32>) -> tensor<2x24x3x5xf32>
  return %0 : tensor<2x24x3x5xf32>
}

// CHECK-LABEL: func @one_dimension(
// CHECK-NOT: linalg.transpose
// CHECK: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<?x32xf32>, tensor<32x24xf32>)
func.func @one_dimension(%x: tensor<?x64x4xf32>, %w: tensor<8x4x24xf32>, %c: tensor<?x8x24xf32>) -> tensor<?x8x24xf32> {
  %0 = linalg.conv_1d_nwc_wcf {strides = dense<8> : tensor<1xi64>} ins(%x, %w : tensor<?x64x4xf32>, tensor<8x4x24xf32>) outs(%c : tensor<?x8x24xf32>) -> tensor<?x8x24xf32>
  return %0 : tensor<?x8x24xf32>
}

// CHECK-LABEL: func @three_dimensions(
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2], [3, 4], [5, 6], [7]] output_shape [%{{.*}}, 3, 2, 2, 4, 5, 4, 8]
// CHECK: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<?x256xf16>, tensor<256x16xf16>)
func.func @three_dimensions(%x: tensor<?x6x8x20x8xf16>, %w: tensor<2x4x4x8x16xf16>, %c: tensor<?x3x2x5x16xf32>) -> tensor<?x3x2x5x16xf32> {
  %0 = linalg.conv_3d_ndhwc_dhwcf {strides = dense<[2, 4, 4]> : tensor<3xi64>} ins(%x, %w : tensor<?x6x8x20x8xf16>, tensor<2x4x4x8x16xf16>) outs(%c : tensor<?x3x2x5x16xf32>) -> tensor<?x3x2x5x16xf32>
  return %0 : tensor<?x3x2x5x16xf32>
}

// One element high, and 4 wide: nothing to copy. A stride in the other dimension is a slice.
// CHECK-LABEL: func @one_high(
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 0] [2, 6, 20, 8] [1, 2, 1, 1]
// CHECK-NOT: linalg.transpose
// CHECK: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<60x32xf16>, tensor<32x24xf16>)
func.func @one_high(%x: tensor<2x12x20x8xf16>, %w: tensor<1x4x8x24xf16>, %c: tensor<2x6x5x24xf32>) -> tensor<2x6x5x24xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 4]> : tensor<2xi64>} ins(%x, %w : tensor<2x12x20x8xf16>, tensor<1x4x8x24xf16>) outs(%c : tensor<2x6x5x24xf32>) -> tensor<2x6x5x24xf32>
  return %0 : tensor<2x6x5x24xf32>
}

// Elements that no window reaches are left out.
// CHECK-LABEL: func @rest(
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 0] [2, 12, 20, 8] [1, 1, 1, 1] : tensor<2x15x21x8xi8>
// CHECK: hone.matmul ins(%{{.*}}, col %{{.*}} : tensor<30x128xi8>, tensor<24x128xi8>)
func.func @rest(%x: tensor<2x15x21x8xi8>, %w: tensor<24x4x4x8xi8>, %c: tensor<2x3x5x24xi32>) -> tensor<2x3x5x24xi32> {
  %0 = linalg.conv_2d_nhwc_fhwc {strides = dense<4> : tensor<2xi64>} ins(%x, %w : tensor<2x15x21x8xi8>, tensor<24x4x4x8xi8>) outs(%c : tensor<2x3x5x24xi32>) -> tensor<2x3x5x24xi32>
  return %0 : tensor<2x3x5x24xi32>
}

// The batch may be unknown where other dimensions are sliced.
// CHECK-LABEL: func @unknown_batch(
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 0] [%{{.*}}, 12, 20, 8] [1, 1, 1, 1]
// CHECK: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<?x128xf16>, tensor<128x24xf16>)
func.func @unknown_batch(%x: tensor<?x13x20x8xf16>, %w: tensor<4x4x8x24xf16>, %c: tensor<?x3x5x24xf32>) -> tensor<?x3x5x24xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<4> : tensor<2xi64>} ins(%x, %w : tensor<?x13x20x8xf16>, tensor<4x4x8x24xf16>) outs(%c : tensor<?x3x5x24xf32>) -> tensor<?x3x5x24xf32>
  return %0 : tensor<?x3x5x24xf32>
}

// Windows whose elements are as far apart as there are windows, in a generic op.
// CHECK-LABEL: func @interleaved(
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [3, 5, 8] : tensor<15x8xf16>
// CHECK: hone.matmul
func.func @interleaved(%x: tensor<15x8xf16>, %w: tensor<3x8x24xf16>, %c: tensor<5x24xf32>) -> tensor<5x24xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(o, f, k, c) -> (o + 5 * k, c)>, affine_map<(o, f, k, c) -> (k, c, f)>, affine_map<(o, f, k, c) -> (o, f)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<15x8xf16>, tensor<3x8x24xf16>) outs(%c : tensor<5x24xf32>) {
  ^bb0(%l: f16, %r: f16, %s: f32):
    %a = arith.extf %l : f16 to f32
    %b = arith.extf %r : f16 to f32
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<5x24xf32>
  return %0 : tensor<5x24xf32>
}

// Of memrefs nothing is copied: one dimension is a product, two are none.
// CHECK-LABEL: func @memory_of_one(
// CHECK: memref.expand_shape
// CHECK: hone.matmul
func.func @memory_of_one(%x: memref<2x64x4xf16>, %w: memref<8x4x24xf16>, %c: memref<2x8x24xf32>) {
  linalg.conv_1d_nwc_wcf {strides = dense<8> : tensor<1xi64>} ins(%x, %w : memref<2x64x4xf16>, memref<8x4x24xf16>) outs(%c : memref<2x8x24xf32>)
  return
}

// REMARK-DAG: Function=memory_of_two | Remark="not matched: dimensions of one kind are not contiguous in memory
// CHECK-LABEL: func @memory_of_two(
// CHECK-NEXT: linalg.conv_2d_nhwc_hwcf
func.func @memory_of_two(%x: memref<2x12x20x8xf16>, %w: memref<4x4x8x24xf16>, %c: memref<2x3x5x24xf32>) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<4> : tensor<2xi64>} ins(%x, %w : memref<2x12x20x8xf16>, memref<4x4x8x24xf16>) outs(%c : memref<2x3x5x24xf32>)
  return
}

// A convolution that stays has the reason, for each dimension.

// REMARK-DAG: Function=overlap_and_gaps | Remark="not matched: in dimension 1 windows of 3 at stride 2 overlap; in dimension 2 windows of 2 at stride 3 leave gaps, and no matmul reads such windows; use transform.structured.convert_conv2d_to_img2col before"
// CHECK-LABEL: func @overlap_and_gaps(
// CHECK-NEXT: linalg.conv_2d_nhwc_hwcf
func.func @overlap_and_gaps(%x: tensor<2x15x14x8xf16>, %w: tensor<3x2x8x24xf16>, %c: tensor<2x7x5x24xf32>) -> tensor<2x7x5x24xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 3]> : tensor<2xi64>} ins(%x, %w : tensor<2x15x14x8xf16>, tensor<3x2x8x24xf16>) outs(%c : tensor<2x7x5x24xf32>) -> tensor<2x7x5x24xf32>
  return %0 : tensor<2x7x5x24xf32>
}

// REMARK-DAG: Function=dilated | Remark="not matched: in dimension 1 windows of 3 dilated by 2 at stride 4 overlap and leave gaps, and no matmul reads such windows"
// CHECK-LABEL: func @dilated(
// CHECK-NEXT: linalg.conv_1d_nwc_wcf
func.func @dilated(%x: tensor<2x21x8xf16>, %w: tensor<3x8x24xf16>, %c: tensor<2x5x24xf32>) -> tensor<2x5x24xf32> {
  %0 = linalg.conv_1d_nwc_wcf {strides = dense<4> : tensor<1xi64>, dilations = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<2x21x8xf16>, tensor<3x8x24xf16>) outs(%c : tensor<2x5x24xf32>) -> tensor<2x5x24xf32>
  return %0 : tensor<2x5x24xf32>
}

// REMARK-DAG: Function=between | Remark="not matched: in dimension 1 windows of 2 dilated by 2 at stride 3 leave gaps, and no matmul reads such windows"
// CHECK-LABEL: func @between(
// CHECK-NEXT: linalg.conv_1d_nwc_wcf
func.func @between(%x: tensor<2x15x8xf16>, %w: tensor<2x8x24xf16>, %c: tensor<2x5x24xf32>) -> tensor<2x5x24xf32> {
  %0 = linalg.conv_1d_nwc_wcf {strides = dense<3> : tensor<1xi64>, dilations = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<2x15x8xf16>, tensor<2x8x24xf16>) outs(%c : tensor<2x5x24xf32>) -> tensor<2x5x24xf32>
  return %0 : tensor<2x5x24xf32>
}

// REMARK-DAG: Function=unknown_window | Remark="not matched: in dimension 1 the number or the size of its windows is unknown, and no matmul reads such windows"
// CHECK-LABEL: func @unknown_window(
// CHECK-NEXT: linalg.conv_1d_nwc_wcf
func.func @unknown_window(%x: tensor<2x?x8xf16>, %w: tensor<?x8x24xf16>, %c: tensor<2x5x24xf32>) -> tensor<2x5x24xf32> {
  %0 = linalg.conv_1d_nwc_wcf {strides = dense<3> : tensor<1xi64>} ins(%x, %w : tensor<2x?x8xf16>, tensor<?x8x24xf16>) outs(%c : tensor<2x5x24xf32>) -> tensor<2x5x24xf32>
  return %0 : tensor<2x5x24xf32>
}

// REMARK-DAG: Function=unknown_image | Remark="not matched: in dimension 1 the number or the size of its windows is unknown, and no matmul reads such windows"
// CHECK-LABEL: func @unknown_image(
// CHECK-NEXT: linalg.conv_2d_nhwc_hwcf
func.func @unknown_image(%x: tensor<2x?x20x8xf16>, %w: tensor<4x4x8x24xf16>, %c: tensor<2x?x5x24xf32>) -> tensor<2x?x5x24xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<4> : tensor<2xi64>} ins(%x, %w : tensor<2x?x20x8xf16>, tensor<4x4x8x24xf16>) outs(%c : tensor<2x?x5x24xf32>) -> tensor<2x?x5x24xf32>
  return %0 : tensor<2x?x5x24xf32>
}

// REMARK-DAG: Function=unknown_overlap | Remark="not matched: in dimension 1 windows of 3 at stride 1 overlap, and no matmul reads such windows"
// CHECK-LABEL: func @unknown_overlap(
// CHECK-NEXT: linalg.conv_1d_nwc_wcf
func.func @unknown_overlap(%x: tensor<2x?x8xf16>, %w: tensor<3x8x24xf16>, %c: tensor<2x?x24xf32>) -> tensor<2x?x24xf32> {
  %0 = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<2x?x8xf16>, tensor<3x8x24xf16>) outs(%c : tensor<2x?x24xf32>) -> tensor<2x?x24xf32>
  return %0 : tensor<2x?x24xf32>
}

// Adjacent windows of three channels: the copy engine reads no pixels of 6 bytes, so windows are copied to a matrix.

// ENGINE-LABEL: func @patches(
// ENGINE-NOT: window(
// ENGINE: hone.matmul ins({{.*}}: tensor<32x192xbf16>, tensor<192x96xbf16>)
func.func @patches(%x: tensor<2x32x32x3xbf16>, %w: tensor<8x8x3x96xbf16>, %c: tensor<2x4x4x96xf32>) -> tensor<2x4x4x96xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<8> : tensor<2xi64>} ins(%x, %w : tensor<2x32x32x3xbf16>, tensor<8x8x3x96xbf16>) outs(%c : tensor<2x4x4x96xf32>) -> tensor<2x4x4x96xf32>
  return %0 : tensor<2x4x4x96xf32>
}
