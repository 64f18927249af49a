// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: hone-opt %s --hone-match %{remarks} -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// Where the sum starts: zeros and biases, however they are spelled.

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

//===----------------------------------------------------------------------===//
// Zeros
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @splat(
// CHECK-SAME: %[[M:[a-z0-9]*]]: index
// CHECK: %[[C:.*]] = tensor.empty(%[[M]]) : tensor<?x48xf32>
// CHECK-NEXT: hone.matmul {{.*}} outs(%[[C]] : {{.*}}) init(zero) acc(f32) ->
func.func @splat(%m: index, %a: tensor<?x32xf16>, %b: tensor<32x48xf16>) -> tensor<?x48xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.splat %zero[%m] : tensor<?x48xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<?x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %1 : tensor<?x48xf32>
}

// CHECK-LABEL: func @generate(
// CHECK: hone.matmul {{.*}} init(zero) acc(f32) ->
func.func @generate(%m: index, %a: tensor<?x32xf16>, %b: tensor<32x48xf16>) -> tensor<?x48xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.generate %m {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x48xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<?x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %1 : tensor<?x48xf32>
}

// CHECK-LABEL: func @generic(
// CHECK: hone.matmul {{.*}} init(zero) acc(f32) ->
func.func @generic(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<64x48xf32>) {
  ^bb0(%x: f32):
    linalg.yield %zero : f32
  } -> tensor<64x48xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}

// CHECK-LABEL: func @broadcast_scalar_tensor(
// CHECK: hone.matmul {{.*}} init(zero) acc(f32) ->
func.func @broadcast_scalar_tensor(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  %zero = arith.constant dense<0.0> : tensor<f16>
  %e = tensor.empty() : tensor<64x48xf32>
  %h = tensor.empty() : tensor<64x48xf16>
  %0 = linalg.broadcast ins(%zero : tensor<f16>) outs(%h : tensor<64x48xf16>) dimensions = [0, 1]
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<64x48xf16>) outs(%e : tensor<64x48xf32>) {
  ^bb0(%x: f16, %y: f32):
    %2 = arith.extf %x : f16 to f32
    linalg.yield %2 : f32
  } -> tensor<64x48xf32>
  %3 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%1 : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %3 : tensor<64x48xf32>
}

// An unwritten destination is read, and reported.
// CHECK-LABEL: func @undefined(
// CHECK: hone.matmul {{.*}} init(read)
// REMARK: Function=undefined | Remark="its sum starts from a tensor.empty, whose elements are undefined; fill it first"
func.func @undefined(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// A zero that only some elements are, or an index decides, is none.
// CHECK-LABEL: func @no_zero(
// CHECK: hone.matmul {{.*}} init(read)
func.func @no_zero(%m: index, %a: tensor<?x32xf16>, %b: tensor<32x48xf16>) -> tensor<?x48xf32> {
  %0 = tensor.generate %m {
  ^bb0(%i: index, %j: index):
    %1 = arith.index_cast %i : index to i32
    %2 = arith.sitofp %1 : i32 to f32
    tensor.yield %2 : f32
  } : tensor<?x48xf32>
  %3 = linalg.matmul ins(%a, %b : tensor<?x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %3 : tensor<?x48xf32>
}

//===----------------------------------------------------------------------===//
// Biases
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @projected(
// CHECK-SAME: %[[V:[a-z0-9]*]]: tensor<48xf16>
// CHECK: hone.matmul {{.*}} init(zero) acc(f32) epilogue(%[[V]][n] : tensor<48xf16>) {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[X:.*]]: f16):
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT: arith.addf %[[SUM]], %[[WIDE]] : f32
func.func @projected(%v: tensor<48xf16>, %a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<64x48xf32>
  %0 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<48xf16>) outs(%e : tensor<64x48xf32>) {
  ^bb0(%x: f16, %y: f32):
    %2 = arith.extf %x : f16 to f32
    linalg.yield %2 : f32
  } -> tensor<64x48xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}

// CHECK-LABEL: func @expanded(
// CHECK-SAME: %[[V:[a-z0-9]*]]: tensor<48xf16>
// CHECK: hone.matmul {{.*}} init(zero) acc(f32) epilogue(%[[V]][n] : tensor<48xf16>) {
func.func @expanded(%v: tensor<48xf16>, %a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<64x48xf32>
  %0 = arith.extf %v : tensor<48xf16> to tensor<48xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [1, 48] : tensor<48xf32> into tensor<1x48xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (0, n)>, #id], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<1x48xf32>) outs(%e : tensor<64x48xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<64x48xf32>
  %3 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%2 : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %3 : tensor<64x48xf32>
}

// A rounding of the bias is the program's.
// CHECK-LABEL: func @rounded(
// CHECK: ^bb0(%[[SUM:.*]]: f32, %[[X:.*]]: f32):
// CHECK-NEXT: %[[H:.*]] = arith.truncf %[[X]] : f32 to f16
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[H]] : f16 to f32
// CHECK-NEXT: arith.addf %[[SUM]], %[[W]] : f32
func.func @rounded(%v: tensor<48xf32>, %a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf16> {
  %e = tensor.empty() : tensor<64x48xf16>
  %0 = arith.truncf %v : tensor<48xf32> to tensor<48xf16>
  %1 = linalg.broadcast ins(%0 : tensor<48xf16>) outs(%e : tensor<64x48xf16>) dimensions = [0]
  %2 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%1 : tensor<64x48xf16>) -> tensor<64x48xf16>
  return %2 : tensor<64x48xf16>
}

// A whole matrix that is converted, copied or transposed into place is read where it was.
// CHECK-LABEL: func @residual(
// CHECK-SAME: %[[R:[a-z0-9]*]]: tensor<48x64xf16>
// CHECK: hone.matmul {{.*}} init(zero) acc(f32) epilogue(%[[R]][n, m] : tensor<48x64xf16>) {
func.func @residual(%r: tensor<48x64xf16>, %a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<64x48xf32>
  %h = tensor.empty() : tensor<64x48xf16>
  %0 = linalg.transpose ins(%r : tensor<48x64xf16>) outs(%h : tensor<64x48xf16>) permutation = [1, 0]
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<64x48xf16>) outs(%e : tensor<64x48xf32>) {
  ^bb0(%x: f16, %y: f32):
    %2 = arith.extf %x : f16 to f32
    linalg.yield %2 : f32
  } -> tensor<64x48xf32>
  %3 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%1 : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %3 : tensor<64x48xf32>
}
