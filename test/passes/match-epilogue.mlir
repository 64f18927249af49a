// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match)' | FileCheck %s
// RUN: hone-opt %s --hone-match | FileCheck %s

// Ops before and after the sum, on tensors.

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#one_row = affine_map<(m, n) -> (0, n)>

//===----------------------------------------------------------------------===//
// Where the sum starts
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @zero_fill(
func.func @zero_fill(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  // CHECK-NEXT: %[[C:.*]] = tensor.empty() : tensor<64x48xf32>
  // CHECK-NEXT: hone.matmul {{.*}} outs(%[[C]] : {{.*}}) init(zero) acc(f32) ->
  %zero = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<64x48xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}

// CHECK-LABEL: func @zero_constant(
func.func @zero_constant(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  // CHECK-NEXT: %[[C:.*]] = tensor.empty() : tensor<64x48xf32>
  // CHECK-NEXT: hone.matmul {{.*}} outs(%[[C]] : {{.*}}) init(zero)
  %0 = arith.constant dense<0.0> : tensor<64x48xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}

// A fill with another value is read.
// CHECK-LABEL: func @minus_zero_fill(
func.func @minus_zero_fill(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  // CHECK: %[[C:.*]] = linalg.fill
  // CHECK: hone.matmul {{.*}} outs(%[[C]] : {{.*}}) init(read)
  %zero = arith.constant -0.0 : f32
  %c = tensor.empty() : tensor<64x48xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}

// The sum starts from a row, which is as well added at the end.
// CHECK-LABEL: func @broadcast_start(
// CHECK-SAME: %[[V:[a-z0-9]*]]: tensor<48xf16>
func.func @broadcast_start(%v: tensor<48xf16>, %a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf16> {
  // CHECK: hone.matmul {{.*}} init(zero) acc(f32) epilogue(%[[V]][n] : tensor<48xf16>) {
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[X:.*]]: f16):
  // CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[X]] : f16 to f32
  // CHECK-NEXT: %[[ADD:.*]] = arith.addf %[[SUM]], %[[WIDE]] : f32
  // CHECK-NEXT: %[[RESULT:.*]] = arith.truncf %[[ADD]] : f32 to f16
  // CHECK-NEXT: hone.yield %[[RESULT]]
  %c = tensor.empty() : tensor<64x48xf16>
  %0 = linalg.broadcast ins(%v : tensor<48xf16>) outs(%c : tensor<64x48xf16>) dimensions = [0]
  %1 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<64x48xf16>) -> tensor<64x48xf16>
  return %1 : tensor<64x48xf16>
}

//===----------------------------------------------------------------------===//
// Elementwise consumers
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @bias_relu_truncate(
// CHECK-SAME: %[[V:[a-z0-9]*]]: tensor<48xf32>
func.func @bias_relu_truncate(%v: tensor<48xf32>, %a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf16> {
  // CHECK: %[[C:.*]] = tensor.empty() : tensor<64x48xf16>
  // CHECK: hone.matmul {{.*}} outs(%[[C]] : tensor<64x48xf16>) init(zero) acc(f32) epilogue(%[[V]][n] : tensor<48xf32>) {
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[X:.*]]: f32):
  // CHECK-NEXT: %[[ADD:.*]] = arith.addf %[[SUM]], %[[X]]
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.0
  // CHECK-NEXT: %[[MAX:.*]] = arith.maximumf %[[ADD]], %[[ZERO]]
  // CHECK-NEXT: %[[RESULT:.*]] = arith.truncf %[[MAX]] : f32 to f16
  // CHECK-NEXT: hone.yield %[[RESULT]] : f16
  // CHECK-NEXT: } -> tensor<64x48xf16>
  // CHECK-NEXT: return
  %zero = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<64x48xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %d = tensor.empty() : tensor<64x48xf16>
  %2 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
    ins(%1, %v : tensor<64x48xf32>, tensor<48xf32>) outs(%d : tensor<64x48xf16>) {
  ^bb0(%x: f32, %y: f32, %z: f16):
    %3 = arith.addf %x, %y : f32
    %4 = arith.maximumf %3, %zero : f32
    %5 = arith.truncf %4 : f32 to f16
    linalg.yield %5 : f16
  } -> tensor<64x48xf16>
  return %2 : tensor<64x48xf16>
}

// Rounding alone needs no region.
// CHECK-LABEL: func @truncate(
func.func @truncate(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf16> {
  // CHECK: hone.matmul {{.*}} outs({{.*}} : tensor<64x48xf16>) init(zero) acc(f32) -> tensor<64x48xf16>
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %d = tensor.empty() : tensor<64x48xf16>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<64x48xf32>) outs(%d : tensor<64x48xf16>) {
  ^bb0(%x: f32, %z: f16):
    %3 = arith.truncf %x : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<64x48xf16>
  return %2 : tensor<64x48xf16>
}

// The program rounds the sum to f16 before it adds in f16, and so does the epilogue.
// CHECK-LABEL: func @program_types(
func.func @program_types(%v: tensor<1x48xf16>, %a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf16> {
  // CHECK: %[[V:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<1x48xf16> into tensor<48xf16>
  // CHECK: epilogue(%[[V]][n] : tensor<48xf16>) {
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[X:.*]]: f16):
  // CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : f32 to f16
  // CHECK-NEXT: arith.addf %[[ROUNDED]], %[[X]] : f16
  %zero = arith.constant 0.0 : f16
  %c = tensor.empty() : tensor<64x48xf16>
  %0 = linalg.fill ins(%zero : f16) outs(%c : tensor<64x48xf16>) -> tensor<64x48xf16>
  %1 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<64x48xf16>) -> tensor<64x48xf16>
  %2 = linalg.generic {indexing_maps = [#id, #one_row, #id], iterator_types = ["parallel", "parallel"]}
    ins(%1, %v : tensor<64x48xf16>, tensor<1x48xf16>) outs(%c : tensor<64x48xf16>) {
  ^bb0(%x: f16, %y: f16, %z: f16):
    %3 = arith.addf %x, %y : f16
    linalg.yield %3 : f16
  } -> tensor<64x48xf16>
  return %2 : tensor<64x48xf16>
}

// Named ops; operands after broadcasts, fills, constants and transposes. The old
// value of C, which is not the tensor written, becomes an operand.
// CHECK-LABEL: func @named_ops(
// CHECK-SAME: %[[C:[a-z0-9]*]]: tensor<64x48xf32>, %[[ROW:[a-z0-9]*]]: tensor<48xf32>, %[[COL:[a-z0-9]*]]: tensor<64xf32>, %[[T:[a-z0-9]*]]: tensor<48x64xf32>
func.func @named_ops(%c: tensor<64x48xf32>, %row: tensor<48xf32>, %col: tensor<64xf32>, %t: tensor<48x64xf32>, %a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  // CHECK: hone.matmul {{.*}} init(zero) acc(f32) epilogue(%[[C]][m, n], %[[ROW]][n], %[[COL]][m], %[[T]][n, m] :
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[START:.*]]: f32, %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[Z:.*]]: f32):
  // CHECK-NEXT: %[[S0:.*]] = arith.addf %[[SUM]], %[[START]]
  // CHECK-NEXT: %[[S1:.*]] = arith.addf %[[S0]], %[[X]]
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.0
  // CHECK-NEXT: %[[S2:.*]] = arith.maximumf %[[S1]], %[[ZERO]]
  // CHECK-NEXT: %[[S3:.*]] = math.exp %[[S2]]
  // CHECK-NEXT: %[[HALF:.*]] = arith.constant 5.0
  // CHECK-NEXT: %[[S4:.*]] = arith.mulf %[[S3]], %[[HALF]]
  // CHECK-NEXT: %[[S5:.*]] = arith.subf %[[S4]], %[[Y]]
  // CHECK-NEXT: %[[S6:.*]] = arith.mulf %[[S5]], %[[Z]]
  // CHECK-NEXT: hone.yield %[[S6]]
  %zero = arith.constant 0.0 : f32
  %half = arith.constant dense<0.5> : tensor<64x48xf32>
  %e = tensor.empty() : tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %rows = linalg.broadcast ins(%row : tensor<48xf32>) outs(%e : tensor<64x48xf32>) dimensions = [0]
  %1 = linalg.add ins(%0, %rows : tensor<64x48xf32>, tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %2 = linalg.max ins(%1, %zeros : tensor<64x48xf32>, tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %3 = linalg.exp ins(%2 : tensor<64x48xf32>) outs(%2 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %4 = linalg.elementwise kind=#linalg.elementwise_kind<mul> ins(%3, %half : tensor<64x48xf32>, tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %cols = linalg.broadcast ins(%col : tensor<64xf32>) outs(%e : tensor<64x48xf32>) dimensions = [1]
  %5 = linalg.map {arith.subf} ins(%4, %cols : tensor<64x48xf32>, tensor<64x48xf32>) outs(%e : tensor<64x48xf32>)
  %transposed = linalg.transpose ins(%t : tensor<48x64xf32>) outs(%e : tensor<64x48xf32>) permutation = [1, 0]
  %6 = linalg.mul ins(%5, %transposed : tensor<64x48xf32>, tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %6 : tensor<64x48xf32>
}

// A consumer that works in place keeps the destination, and its old value.
// CHECK-LABEL: func @in_place(
// CHECK-SAME: %[[C:[a-z0-9]*]]: tensor<64x48xf32>
func.func @in_place(%c: tensor<64x48xf32>, %a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  // CHECK-NEXT: hone.matmul {{.*}} outs(%[[C]] : {{.*}}) init(read) acc(f32) epilogue {
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32):
  // CHECK-NEXT: %[[SQUARE:.*]] = arith.mulf %[[SUM]], %[[SUM]]
  // CHECK-NEXT: hone.yield %[[SQUARE]]
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.mul ins(%0, %0 : tensor<64x48xf32>, tensor<64x48xf32>) outs(%0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}

// The consumer's loops may be in another order.
// CHECK-LABEL: func @permuted_loops(
// CHECK-SAME: %[[V:[a-z0-9]*]]: tensor<48xf32>
func.func @permuted_loops(%v: tensor<48xf32>, %a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // CHECK: epilogue(%[[V]][n] : tensor<48xf32>)
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(n, m) -> (n)>, affine_map<(n, m) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%v : tensor<48xf32>) outs(%0 : tensor<64x48xf32>) {
  ^bb0(%x: f32, %y: f32):
    %2 = arith.mulf %x, %y : f32
    linalg.yield %2 : f32
  } -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}

//===----------------------------------------------------------------------===//
// Reshapes and sizes in between
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @heads(
// CHECK-SAME: %[[V:[a-z0-9]*]]: tensor<4x12xf32>
func.func @heads(%v: tensor<4x12xf32>, %a: tensor<?x32xf16>, %b: tensor<32x48xf16>, %c: tensor<?x48xf32>) -> tensor<?x4x12xf32> {
  // CHECK: %[[V2:.*]] = tensor.collapse_shape %[[V]] {{\[\[}}0, 1]] : tensor<4x12xf32> into tensor<48xf32>
  // CHECK: %[[D:.*]] = hone.matmul {{.*}} init(zero) acc(f32) epilogue(%[[V2]][n] : tensor<48xf32>) {
  // CHECK: %[[E:.*]] = tensor.expand_shape %[[D]] {{\[\[}}0], [1, 2]]
  // CHECK: return %[[E]]
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %0 = linalg.fill ins(%zero : f32) outs(%c : tensor<?x48xf32>) -> tensor<?x48xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<?x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<?x48xf32>) -> tensor<?x48xf32>
  %size = tensor.dim %1, %c0 : tensor<?x48xf32>
  %2 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [%size, 4, 12] : tensor<?x48xf32> into tensor<?x4x12xf32>
  %e = tensor.empty(%size) : tensor<?x4x12xf32>
  %3 = linalg.generic {
    indexing_maps = [affine_map<(m, h, n) -> (m, h, n)>, affine_map<(m, h, n) -> (h, n)>, affine_map<(m, h, n) -> (m, h, n)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%2, %v : tensor<?x4x12xf32>, tensor<4x12xf32>) outs(%e : tensor<?x4x12xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %4 = arith.addf %x, %y : f32
    linalg.yield %4 : f32
  } -> tensor<?x4x12xf32>
  return %3 : tensor<?x4x12xf32>
}

// The result is used twice: nothing moves.
// CHECK-LABEL: func @two_uses(
func.func @two_uses(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> (tensor<64x48xf32>, tensor<64x48xf32>) {
  // CHECK: %[[D:.*]] = hone.matmul {{.*}} init(read) acc(f32) -> tensor<64x48xf32>
  // CHECK: linalg.exp ins(%[[D]] :
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.exp ins(%0 : tensor<64x48xf32>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %0, %1 : tensor<64x48xf32>, tensor<64x48xf32>
}
