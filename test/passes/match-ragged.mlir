// RUN: hone-opt %s --allow-unregistered-dialect --hone-match --split-input-file | FileCheck %s
// RUN: hone-opt %s --allow-unregistered-dialect --hone-match --split-input-file --remark-policy=all --remark-format=emitRemark --remarks-filter=hone -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Sizes of groups become ends: sums that no size makes negative.
// CHECK-LABEL: @rows
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}}["parallel", "reduction"]{{.*}} ins(%arg2 : tensor<3xi64>)
// CHECK: %[[OTHER:.*]] = linalg.index 1
// CHECK: arith.cmpi ule, %[[OTHER]]
// CHECK: %[[ENDS:.*]] = linalg.generic {{.*}} ins(%[[SUMS]] : tensor<3xi64>) outs(%{{.*}} : tensor<3xi32>)
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: hone.matmul ins(%arg0, %arg1 : tensor<11x5xf32>, tensor<3x5x7xf32>) outs(%{{.*}} : tensor<11x7xf32>) ragged(%[[ENDS]] : tensor<3xi32>) init(zero) acc(f32) -> tensor<11x7xf32>
// REMARK: Function=rows | {{.*}}m = 11, n = 7, k = 5, rows = ragged:3, a = f32:row:4
func.func @rows(%lhs: tensor<11x5xf32>, %rhs: tensor<3x5x7xf32>, %sizes: tensor<3xi64>) -> tensor<11x7xf32> {
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) <{
    precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>],
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
  }> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// -----

// Dimensions in another order, sizes in i32, open extents, attributes that are not properties.
// CHECK-LABEL: @turned
// CHECK: arith.extsi
// CHECK: hone.matmul ins(col %arg0, %arg1[n, b, k] : tensor<5x?xbf16>, tensor<7x?x5xbf16>) outs(%{{.*}} : tensor<?x7xf32>) ragged
func.func @turned(%lhs: tensor<5x?xbf16>, %rhs: tensor<7x?x5xbf16>, %sizes: tensor<?xi32>) -> tensor<?x7xf32> {
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [0],
      rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [1]>
  } : (tensor<5x?xbf16>, tensor<7x?x5xbf16>, tensor<?xi32>) -> tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}

// -----

// The gradient of the weights, whose sums are ragged.
// CHECK-LABEL: @contracting
// CHECK: %[[ENDS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<3xi32>)
// CHECK: hone.matmul ins(%arg0, %arg1 : tensor<11x5xf32>, tensor<5x7xf32>) outs(%{{.*}} : tensor<3x11x7xf32>) ragged(%[[ENDS]] : tensor<3xi32>) init(zero) acc(f32) -> tensor<3x11x7xf32>
// REMARK: Function=contracting | {{.*}}batch = 3, m = 11, n = 7, k = 5, sum = ragged, a = f32:row:4:shared
func.func @contracting(%lhs: tensor<11x5xf32>, %rhs: tensor<5x7xf32>, %sizes: tensor<3xi64>) -> tensor<3x11x7xf32> {
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>
  } : (tensor<11x5xf32>, tensor<5x7xf32>, tensor<3xi64>) -> tensor<3x11x7xf32>
  return %0 : tensor<3x11x7xf32>
}

// -----

// A dimension of B is ragged, too, if it is summed over; others are not taken.
// CHECK-LABEL: @columns
// CHECK: "chlo.ragged_dot"
// REMARK: Function=columns | {{.*}}left to other passes: its ragged dimension is not that of the rows of A, or of the sum
func.func @columns(%lhs: tensor<11x5xf32>, %rhs: tensor<5x7xf32>, %sizes: tensor<3xi64>) -> tensor<3x11x7xf32> {
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>
  } : (tensor<11x5xf32>, tensor<5x7xf32>, tensor<3xi64>) -> tensor<3x11x7xf32>
  return %0 : tensor<3x11x7xf32>
}

// -----

// CHECK-LABEL: @batches
// CHECK: "chlo.ragged_dot"
// REMARK: Function=batches | {{.*}}left to other passes: it has batches; use a product for each
func.func @batches(%lhs: tensor<2x11x5xf32>, %rhs: tensor<3x2x5x7xf32>, %sizes: tensor<3xi64>) -> tensor<2x11x7xf32> {
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2],
      rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>
  } : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  return %0 : tensor<2x11x7xf32>
}

// -----

// CHECK-LABEL: @unreadable
// CHECK: "chlo.ragged_dot"
// REMARK: Function=unreadable | {{.*}}left to other passes: its ragged_dot_dimension_numbers are not those of CHLO
func.func @unreadable(%lhs: tensor<11x5xf32>, %rhs: tensor<3x5x7xf32>, %sizes: tensor<3xi64>) -> tensor<11x7xf32> {
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = "lhs_contracting_dimensions = [1"}
    : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// -----

// Factors are read from before transposes.
// CHECK-LABEL: @transposed
// CHECK-NOT: linalg.transpose
// CHECK: hone.matmul ins(%arg0, col %arg1 : tensor<512x64xf16>, tensor<8x96x64xf16>)
func.func @transposed(%a: tensor<512x64xf16>, %b: tensor<8x96x64xf16>, %c: tensor<512x96xf16>, %ends: tensor<8xi32>) -> tensor<512x96xf16> {
  %0 = tensor.empty() : tensor<8x64x96xf16>
  %t = linalg.transpose ins(%b : tensor<8x96x64xf16>) outs(%0 : tensor<8x64x96xf16>) permutation = [0, 2, 1]
  %d = hone.matmul ins(%a, %t : tensor<512x64xf16>, tensor<8x64x96xf16>) outs(%c : tensor<512x96xf16>) ragged(%ends : tensor<8xi32>) init(zero) acc(f32) -> tensor<512x96xf16>
  return %d : tensor<512x96xf16>
}
