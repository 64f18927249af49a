// RUN: hone-opt %s --split-input-file --hone-copy-rows=arch=h200 --remark-policy=all \
// RUN:   --remark-format=emitRemark --remarks-filter=hone 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: hone-opt %s --split-input-file --hone-copy-rows=arch=sm_80 | FileCheck %s --check-prefix=AMPERE
// RUN: hone-opt %s --split-input-file --hone-copy-rows=arch=host | FileCheck %s --check-prefix=AMPERE

// No other kind of kernel multiplies rows faster, and a CPU copies them later.
// AMPERE-NOT: linalg.generic

// Products take most of the time: a copy of the rows, with zeros for an index
// outside of A.
// CHECK-DAG: #[[$EACH:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @experts
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4096x4096xbf16>, %[[B:[a-z0-9]+]]: tensor<8x4096x28672xbf16>
// CHECK-SAME: %[[ENDS:[a-z0-9]+]]: tensor<8xi32>, %[[INDEX:[a-z0-9]+]]: tensor<8192xi32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<8192x4096xbf16>
// CHECK: %[[ROWS:.*]] = linalg.generic {indexing_maps = [#[[$ROW]], #[[$EACH]]]
// CHECK-SAME: ins(%[[INDEX]] : tensor<8192xi32>) outs(%[[EMPTY]] : tensor<8192x4096xbf16>)
// CHECK: %[[LINE:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[OWN:.*]] = arith.cmpi ult, %[[LINE]], %c4096
// CHECK: %[[PLACE:.*]] = arith.select %[[OWN]], %[[LINE]], %c0
// CHECK: %[[K:.*]] = linalg.index 1
// CHECK: %[[VALUE:.*]] = tensor.extract %[[A]][%[[PLACE]], %[[K]]]
// CHECK: arith.select %[[OWN]], %[[VALUE]], %cst
// CHECK: hone.matmul ins(%[[ROWS]], %[[B]] : {{.*}}) outs({{.*}}) ragged(%[[ENDS]] : tensor<8xi32>) init(zero)
// CHECK-NOT: gather
// REMARK: reads a copy of the rows of its index: a faster kernel multiplies them
func.func @experts(%a: tensor<4096x4096xbf16>, %b: tensor<8x4096x28672xbf16>, %ends: tensor<8xi32>,
                   %index: tensor<8192xi32>) -> tensor<8192x28672xbf16> {
  %empty = tensor.empty() : tensor<8192x28672xbf16>
  %c = hone.matmul ins(%a, %b : tensor<4096x4096xbf16>, tensor<8x4096x28672xbf16>)
      outs(%empty : tensor<8192x28672xbf16>) ragged(%ends : tensor<8xi32>) gather(%index : tensor<8192xi32>)
      init(zero) acc(f32) -> tensor<8192x28672xbf16>
  return %c : tensor<8192x28672xbf16>
}

// -----

// Reading B takes most of the time.
// CHECK-LABEL: func @few_rows
// CHECK-NOT: linalg.generic
// CHECK: gather(
func.func @few_rows(%a: tensor<64x4096xbf16>, %b: tensor<8x4096x28672xbf16>, %ends: tensor<8xi32>,
                    %index: tensor<128xi32>) -> tensor<128x28672xbf16> {
  %empty = tensor.empty() : tensor<128x28672xbf16>
  %c = hone.matmul ins(%a, %b : tensor<64x4096xbf16>, tensor<8x4096x28672xbf16>)
      outs(%empty : tensor<128x28672xbf16>) ragged(%ends : tensor<8xi32>) gather(%index : tensor<128xi32>)
      init(zero) acc(f32) -> tensor<128x28672xbf16>
  return %c : tensor<128x28672xbf16>
}

// -----

// The copy would take longer than the products.
// CHECK-LABEL: func @few_columns
// CHECK-NOT: linalg.generic
// CHECK: gather(
func.func @few_columns(%a: tensor<4096x4096xf16>, %b: tensor<4096x64xf16>, %index: tensor<8192xi64>)
    -> tensor<8192x64xf16> {
  %empty = tensor.empty() : tensor<8192x64xf16>
  %c = hone.matmul ins(%a, %b : tensor<4096x4096xf16>, tensor<4096x64xf16>) outs(%empty : tensor<8192x64xf16>)
      gather(%index : tensor<8192xi64>) init(zero) acc(f32) -> tensor<8192x64xf16>
  return %c : tensor<8192x64xf16>
}

// -----

// With an unknown number of rows there is no estimate.
// CHECK-LABEL: func @unknown
// CHECK-NOT: linalg.generic
// CHECK: gather(
func.func @unknown(%a: tensor<4096x4096xf16>, %b: tensor<4096x8192xf16>, %index: tensor<?xi32>,
                   %out: tensor<?x8192xf16>) -> tensor<?x8192xf16> {
  %c = hone.matmul ins(%a, %b : tensor<4096x4096xf16>, tensor<4096x8192xf16>) outs(%out : tensor<?x8192xf16>)
      gather(%index : tensor<?xi32>) init(zero) acc(f32) -> tensor<?x8192xf16>
  return %c : tensor<?x8192xf16>
}

// -----

// The tensor cores of an H200 multiply 8-bit floats in no kernel that reads an
// index. With unknown extents, too.
// CHECK-LABEL: func @bytes
// CHECK: linalg.generic
// CHECK-NOT: gather(
// REMARK: reads a copy of the rows of its index: no kernel of the chip reads this type through an index
func.func @bytes(%a: tensor<64x256xf8E4M3FN>, %b: tensor<256x128xf8E4M3FN>, %index: tensor<?xi32>,
                 %out: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %c = hone.matmul ins(%a, %b : tensor<64x256xf8E4M3FN>, tensor<256x128xf8E4M3FN>) outs(%out : tensor<?x128xf32>)
      gather(%index : tensor<?xi32>) init(zero) acc(f32) products(blocks) -> tensor<?x128xf32>
  return %c : tensor<?x128xf32>
}
