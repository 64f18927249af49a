// Zero points leave products of integers: the plain product, less a zero point times the sums of the other factor. The
// sums are products with ones, or known where a factor is a constant; they are added in the epilogue.

// RUN: hone-opt %s --hone-match=arch=h200 | FileCheck %s
// RUN: hone-opt %s --hone-match=arch=h200 --remark-policy=all --remark-format=emitRemark --remarks-filter=hone -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: hone-opt %s --hone-match=arch=host | FileCheck %s --check-prefix=HOST

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#k = affine_map<(m, n, k) -> (k)>
#none = affine_map<(m, n, k) -> ()>
#id = affine_map<(m, n) -> (m, n)>

// The usual case: weights without one, activations with a constant.
// CHECK-LABEL: @constant
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<64x32xi8>, %[[B:[a-z0-9]*]]: tensor<32x48xi8>
// CHECK: %[[ONES:.*]] = arith.constant dense<1> : tensor<{{.*}}xi8>
// CHECK: %[[SUMS:.*]] = hone.matmul ins({{.*}}) outs({{.*}}) init(zero) acc(i32)
// CHECK: hone.matmul ins(%[[A]], %[[B]] : {{.*}} init(zero) acc(i32) epilogue(%{{.*}}[n] : tensor<48xi32>) {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: i32, %[[COL:.*]]: i32):
// CHECK-NEXT: %[[ZP:.*]] = arith.constant 3 : i32
// CHECK-NEXT: %[[OFF:.*]] = arith.muli %[[COL]], %[[ZP]] : i32
// CHECK-NEXT: arith.subi %[[SUM]], %[[OFF]] : i32
// HOST-LABEL: @constant
// HOST: linalg.quantized_matmul
func.func @constant(%a: tensor<64x32xi8>, %b: tensor<32x48xi8>) -> tensor<64x48xi32> {
  %c = arith.constant dense<0> : tensor<64x48xi32>
  %za = arith.constant 3 : i32
  %zb = arith.constant 0 : i32
  %0 = linalg.quantized_matmul ins(%a, %b, %za, %zb : tensor<64x32xi8>, tensor<32x48xi8>, i32, i32) outs(%c : tensor<64x48xi32>) -> tensor<64x48xi32>
  return %0 : tensor<64x48xi32>
}

// Sums of weights that are known are, too.
// CHECK-LABEL: @weights
// CHECK: arith.constant dense<[9, -12]> : tensor<2xi32>
// CHECK-COUNT-1: hone.matmul
// CHECK-NOT: hone.matmul
func.func @weights(%a: tensor<64x3xi8>) -> tensor<64x2xi32> {
  %b = arith.constant dense<[[1, -2], [3, -4], [5, -6]]> : tensor<3x2xi8>
  %c = arith.constant dense<0> : tensor<64x2xi32>
  %za = arith.constant -7 : i32
  %zb = arith.constant 0 : i32
  %0 = linalg.quantized_matmul ins(%a, %b, %za, %zb : tensor<64x3xi8>, tensor<3x2xi8>, i32, i32) outs(%c : tensor<64x2xi32>) -> tensor<64x2xi32>
  return %0 : tensor<64x2xi32>
}

// Both, known at run time only, in a batch whose C is not zero. All are operands of the epilogue.
// CHECK-LABEL: @both
// CHECK: hone.matmul
// CHECK: hone.matmul
// CHECK: hone.matmul {{.*}} epilogue(%{{.*}}[b, m, n], %{{.*}}[b, n], %{{.*}}[b, m], %{{.*}}[], %{{.*}}[] :
// CHECK: arith.constant 32 : i32
// CHECK-NOT: hone.matmul
func.func @both(%a: tensor<4x64x32xi8>, %b: tensor<4x32x48xi8>, %c: tensor<4x64x48xi32>, %za: i32, %zb: i32) -> tensor<4x64x48xi32> {
  %0 = linalg.quantized_batch_matmul ins(%a, %b, %za, %zb : tensor<4x64x32xi8>, tensor<4x32x48xi8>, i32, i32) outs(%c : tensor<4x64x48xi32>) -> tensor<4x64x48xi32>
  return %0 : tensor<4x64x48xi32>
}

// A zero point of i8 that is extended in the body, as in upstream's generic form of a named op.
// CHECK-LABEL: @body
// CHECK-COUNT-2: hone.matmul
// CHECK-NOT: linalg.generic
func.func @body(%a: tensor<?x32xi8>, %b: tensor<32x48xi8>, %c: tensor<?x48xi32>, %zp: i8) -> tensor<?x48xi32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #none, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b, %zp : tensor<?x32xi8>, tensor<32x48xi8>, i8) outs(%c : tensor<?x48xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i8, %sum: i32):
    %l = arith.extsi %x : i8 to i32
    %o = arith.extsi %z : i8 to i32
    %d = arith.subi %l, %o : i32
    %r = arith.extsi %y : i8 to i32
    %p = arith.muli %d, %r : i32
    %s = arith.addi %sum, %p : i32
    linalg.yield %s : i32
  } -> tensor<?x48xi32>
  return %0 : tensor<?x48xi32>
}

// Ahead of the product: by an op on whole tensors, and by one on elements.
// CHECK-LABEL: @ahead
// CHECK-COUNT-3: hone.matmul
// CHECK-NOT: linalg.matmul
func.func @ahead(%a: tensor<64x32xi8>, %b: tensor<32x48xi8>) -> tensor<64x48xi32> {
  %c = arith.constant dense<0> : tensor<64x48xi32>
  %five = arith.constant dense<5> : tensor<64x32xi32>
  %two = arith.constant 2 : i32
  %wide = arith.extsi %a : tensor<64x32xi8> to tensor<64x32xi32>
  %x = arith.subi %wide, %five : tensor<64x32xi32>
  %e = tensor.empty() : tensor<32x48xi32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<32x48xi8>) outs(%e : tensor<32x48xi32>) {
  ^bb0(%v: i8, %o: i32):
    %l = arith.extsi %v : i8 to i32
    %d = arith.subi %l, %two : i32
    linalg.yield %d : i32
  } -> tensor<32x48xi32>
  %0 = linalg.matmul ins(%x, %y : tensor<64x32xi32>, tensor<32x48xi32>) outs(%c : tensor<64x48xi32>) -> tensor<64x48xi32>
  return %0 : tensor<64x48xi32>
}

// One that differs from k to k is not a zero point.
// WHY-DAG: Function=varies | Remark="not matched: a factor is an integer less a zero point that is not a scalar, or its sums have an unknown length"
// CHECK-LABEL: @varies
// CHECK-NOT: hone.matmul
func.func @varies(%a: tensor<64x32xi8>, %b: tensor<32x48xi8>, %c: tensor<64x48xi32>, %z: tensor<32xi32>) -> tensor<64x48xi32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #k, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b, %z : tensor<64x32xi8>, tensor<32x48xi8>, tensor<32xi32>) outs(%c : tensor<64x48xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32, %sum: i32):
    %l = arith.extsi %x : i8 to i32
    %d = arith.subi %l, %o : i32
    %r = arith.extsi %y : i8 to i32
    %p = arith.muli %d, %r : i32
    %s = arith.addi %sum, %p : i32
    linalg.yield %s : i32
  } -> tensor<64x48xi32>
  return %0 : tensor<64x48xi32>
}

// Nor are sums that wrap around in i8.
// CHECK-LABEL: @narrow
// CHECK: arith.subi {{.*}} : i8
// CHECK: hone.matmul
func.func @narrow(%a: tensor<64x32xi8>, %b: tensor<32x48xi8>, %c: tensor<64x48xi32>, %z: i8) -> tensor<64x48xi32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xi8>, tensor<32x48xi8>) outs(%c : tensor<64x48xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %d = arith.subi %x, %z : i8
    %l = arith.extsi %d : i8 to i32
    %r = arith.extsi %y : i8 to i32
    %p = arith.muli %l, %r : i32
    %s = arith.addi %sum, %p : i32
    linalg.yield %s : i32
  } -> tensor<64x48xi32>
  return %0 : tensor<64x48xi32>
}

// WHY-DAG: Function=unsigned | Remark="not matched:
// CHECK-LABEL: @unsigned
// CHECK-NOT: hone.matmul
func.func @unsigned(%a: tensor<64x32xi8>, %b: tensor<32x48xi8>, %c: tensor<64x48xi32>, %z: i32) -> tensor<64x48xi32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xi8>, tensor<32x48xi8>) outs(%c : tensor<64x48xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %l = arith.extui %x : i8 to i32
    %d = arith.subi %l, %z : i32
    %r = arith.extsi %y : i8 to i32
    %p = arith.muli %d, %r : i32
    %s = arith.addi %sum, %p : i32
    linalg.yield %s : i32
  } -> tensor<64x48xi32>
  return %0 : tensor<64x48xi32>
}

// A zero point less a factor is something else.
// CHECK-LABEL: @backwards
// CHECK-NOT: hone.matmul
func.func @backwards(%a: tensor<64x32xi8>, %b: tensor<32x48xi8>, %c: tensor<64x48xi32>, %z: i32) -> tensor<64x48xi32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xi8>, tensor<32x48xi8>) outs(%c : tensor<64x48xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %l = arith.extsi %x : i8 to i32
    %d = arith.subi %z, %l : i32
    %r = arith.extsi %y : i8 to i32
    %p = arith.muli %d, %r : i32
    %s = arith.addi %sum, %p : i32
    linalg.yield %s : i32
  } -> tensor<64x48xi32>
  return %0 : tensor<64x48xi32>
}

// CHECK-LABEL: @unknown
// CHECK: linalg.quantized_matmul
// CHECK-NOT: hone.matmul
func.func @unknown(%a: tensor<64x?xi8>, %b: tensor<?x48xi8>, %c: tensor<64x48xi32>, %z: i32) -> tensor<64x48xi32> {
  %0 = linalg.quantized_matmul ins(%a, %b, %z, %z : tensor<64x?xi8>, tensor<?x48xi8>, i32, i32) outs(%c : tensor<64x48xi32>) -> tensor<64x48xi32>
  return %0 : tensor<64x48xi32>
}
