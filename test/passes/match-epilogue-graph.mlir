// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match)' %{remarks} -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// The consumers of a result need not be a chain: values may be used as often as they
// like, as long as all of them lead to one.

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

// CHECK-LABEL: func @used_twice(
// CHECK: hone.matmul {{.*}} epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32):
// CHECK-NEXT: %[[TANH:.*]] = math.tanh %[[SUM]]
// CHECK-NEXT: %[[MUL:.*]] = arith.mulf %[[SUM]], %[[TANH]]
// CHECK-NEXT: hone.yield %[[MUL]]
// CHECK-NOT: linalg
// CHECK: return
// REMARK-NOT: not-fused {{.*}} Function=used_twice
func.func @used_twice(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<64x48xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%zeros : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.tanh ins(%0 : tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %2 = linalg.mul ins(%0, %1 : tensor<64x48xf32>, tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %2 : tensor<64x48xf32>
}

// A rounding in between stays, and the rounded value and the original are two values.
// The same operand twice is one.
// CHECK-LABEL: func @rounded_between(
// CHECK-SAME: %[[R:[a-z0-9]*]]: tensor<64x48xf16>
// CHECK: hone.matmul {{.*}} epilogue(%[[R]][m, n] : tensor<64x48xf16>) {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[X:.*]]: f16):
// CHECK-NEXT: %[[H:.*]] = arith.truncf %[[SUM]] : f32 to f16
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[H]], %[[X]] : f16
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[S]] : f16 to f32
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[SUM]], %[[W]] : f32
// CHECK-NEXT: %[[Q:.*]] = arith.truncf %[[P]] : f32 to f16
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[Q]], %[[X]] : f16
// CHECK-NEXT: hone.yield %[[D]] : f16
// CHECK-NOT: linalg.generic
func.func @rounded_between(%r: tensor<64x48xf16>, %a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf16> {
  %h = tensor.empty() : tensor<64x48xf16>
  %zeros = arith.constant dense<0.0> : tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%zeros : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %r : tensor<64x48xf32>, tensor<64x48xf16>) outs(%h : tensor<64x48xf16>) {
  ^bb0(%x: f32, %y: f16, %z: f16):
    %t = arith.truncf %x : f32 to f16
    %s = arith.addf %t, %y : f16
    linalg.yield %s : f16
  } -> tensor<64x48xf16>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %1 : tensor<64x48xf32>, tensor<64x48xf16>) outs(%h : tensor<64x48xf16>) {
  ^bb0(%x: f32, %y: f16, %z: f16):
    %w = arith.extf %y : f16 to f32
    %p = arith.mulf %x, %w : f32
    %t = arith.truncf %p : f32 to f16
    linalg.yield %t : f16
  } -> tensor<64x48xf16>
  %3 = linalg.sub ins(%2, %r : tensor<64x48xf16>, tensor<64x48xf16>) outs(%h : tensor<64x48xf16>) -> tensor<64x48xf16>
  return %3 : tensor<64x48xf16>
}

// Comparisons and choices, whose values of one bit stay inside.
// CHECK-LABEL: func @leaky(
// CHECK: hone.matmul {{.*}} epilogue {
// CHECK: %[[POSITIVE:.*]] = arith.cmpf ogt
// CHECK: arith.select %[[POSITIVE]]
// CHECK-NOT: linalg.generic
func.func @leaky(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %slope = arith.constant 0.01 : f32
  %i = tensor.empty() : tensor<64x48xi1>
  %e = tensor.empty() : tensor<64x48xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%zeros : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<64x48xf32>) outs(%i : tensor<64x48xi1>) {
  ^bb0(%x: f32, %z: i1):
    %p = arith.cmpf ogt, %x, %zero : f32
    linalg.yield %p : i1
  } -> tensor<64x48xi1>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %1 : tensor<64x48xf32>, tensor<64x48xi1>) outs(%e : tensor<64x48xf32>) {
  ^bb0(%x: f32, %p: i1, %z: f32):
    %s = arith.mulf %x, %slope : f32
    %q = arith.select %p, %x, %s : f32
    linalg.yield %q : f32
  } -> tensor<64x48xf32>
  return %2 : tensor<64x48xf32>
}

// The pre-activation is kept for a backward pass: one result is stored, so the rest
// stays, and every op of it says so.
// CHECK-LABEL: func @kept(
// CHECK: %[[D:.*]] = hone.matmul {{.*}} epilogue(
// CHECK: arith.addf
// CHECK-NOT: tanh
// CHECK: hone.yield
// CHECK: %[[T:.*]] = linalg.tanh ins(%[[D]]
// CHECK: %[[G:.*]] = linalg.mul ins(%[[D]], %[[T]]
// CHECK: return %[[D]], %[[G]]
// REMARK: [Missed] not-fused | Category:hone | Function=kept | Remark="not fused into the matmul: a value that it reads is also used by 'func.return', and a matmul stores one result"
// REMARK: [Missed] not-fused | Category:hone | Function=kept | Remark="not fused into the matmul: a value that it reads is also used by 'func.return', and a matmul stores one result"
func.func @kept(%bias: tensor<48xf32>, %a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> (tensor<64x48xf32>, tensor<64x48xf32>) {
  %e = tensor.empty() : tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<64x48xf32>, tensor<48xf32>) outs(%e : tensor<64x48xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<64x48xf32>
  %2 = linalg.tanh ins(%1 : tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %3 = linalg.mul ins(%1, %2 : tensor<64x48xf32>, tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %1, %3 : tensor<64x48xf32>, tensor<64x48xf32>
}

// Two products that meet: the last one takes the op where they do. The first one's
// result, with its epilogue, is an operand.
// CHECK-LABEL: func @gated(
// CHECK: %[[GATE:.*]] = hone.matmul {{.*}} epilogue {
// CHECK: math.tanh
// CHECK: hone.matmul {{.*}} epilogue(%[[GATE]][m, n] : tensor<64x48xf32>) {
// CHECK-NOT: linalg.{{tanh|mul}}
// CHECK: return
func.func @gated(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %g: tensor<32x48xf16>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<64x48xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%zeros : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.tanh ins(%0 : tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %2 = linalg.matmul ins(%a, %g : tensor<64x32xf16>, tensor<32x48xf16>) outs(%zeros : tensor<64x48xf32>) -> tensor<64x48xf32>
  %3 = linalg.mul ins(%1, %2 : tensor<64x48xf32>, tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %3 : tensor<64x48xf32>
}

// A reduction in between: the ops after it depend on all of a row.
// CHECK-LABEL: func @normalized(
// CHECK: hone.matmul {{.*}} init(read) acc(f32) -> tensor<64x48xf32>
// CHECK: linalg.reduce
// CHECK: linalg.generic
// REMARK: Function=normalized | Remark="not fused into the matmul: it is not elementwise"
// REMARK: Function=normalized | Remark="not fused into the matmul: a value that it reads is also used by 'linalg.reduce', and a matmul stores one result"
func.func @normalized(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>, %s: tensor<64xf32>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.reduce {arith.addf} ins(%0 : tensor<64x48xf32>) outs(%s : tensor<64xf32>) dimensions = [1]
  %2 = linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (m)>, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %1 : tensor<64x48xf32>, tensor<64xf32>) outs(%e : tensor<64x48xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %d = arith.divf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<64x48xf32>
  return %2 : tensor<64x48xf32>
}

// Neither softmax nor an op in another block is elementwise here.
// REMARK: Function=attention | Remark="not fused into the matmul: it is not elementwise"
func.func @attention(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.softmax dimension(1) ins(%0 : tensor<64x48xf32>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}

// REMARK: Function=other_block | Remark="not fused into the matmul: it is not in the block of the matmul"
func.func @other_block(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>, %p: i1) -> tensor<64x48xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = scf.if %p -> tensor<64x48xf32> {
    %2 = linalg.exp ins(%0 : tensor<64x48xf32>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
    scf.yield %2 : tensor<64x48xf32>
  } else {
    scf.yield %c : tensor<64x48xf32>
  }
  return %1 : tensor<64x48xf32>
}

// Scalars from outside, of a function or a tensor, are operands without dimensions.
// CHECK-LABEL: func @scalars(
// CHECK-SAME: %[[S:[a-z0-9]*]]: f32, %[[T:[a-z0-9]*]]: tensor<f32>
// CHECK: %[[V:.*]] = tensor.from_elements %[[S]] : tensor<f32>
// CHECK: hone.matmul {{.*}} epilogue(%[[V]][], %[[T]][] : tensor<f32>, tensor<f32>) {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[SUM]], %[[X]]
// CHECK-NEXT: arith.addf %[[P]], %[[Y]]
func.func @scalars(%s: f32, %t: tensor<f32>, %a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<64x48xf32>
  %u = tensor.extract %t[] : tensor<f32>
  %zeros = arith.constant dense<0.0> : tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%zeros : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) {
  ^bb0(%x: f32, %z: f32):
    %p = arith.mulf %x, %s : f32
    %q = arith.addf %p, %u : f32
    linalg.yield %q : f32
  } -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}

// REMARK: Function=integers | Remark="not fused into the matmul: operand 1 is not f16, bf16 or f32"
func.func @integers(%mask: tensor<64x48xi1>, %a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %mask : tensor<64x48xf32>, tensor<64x48xi1>) outs(%c : tensor<64x48xf32>) {
  ^bb0(%x: f32, %p: i1, %z: f32):
    %q = arith.select %p, %x, %zero : f32
    linalg.yield %q : f32
  } -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}

// REMARK: Function=captured_bool | Remark="not fused into the matmul: a scalar that it uses from outside is not f16, bf16 or f32"
func.func @captured_bool(%p: i1, %a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<64x48xf32>) outs(%c : tensor<64x48xf32>) {
  ^bb0(%x: f32, %z: f32):
    %q = arith.select %p, %x, %zero : f32
    linalg.yield %q : f32
  } -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}

// Arith and math on whole tensors, with constants and conversions on the way.
// CHECK-LABEL: func @tensor_ops(
// CHECK-SAME: %[[R:[a-z0-9]*]]: tensor<?x48xf16>
// CHECK: hone.matmul {{.*}} epilogue(%[[R]][m, n] : tensor<?x48xf16>) {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[X:.*]]: f16):
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT: %[[ADD:.*]] = arith.addf %[[SUM]], %[[WIDE]] : f32
// CHECK-NEXT: %[[TANH:.*]] = math.tanh %[[ADD]] : f32
// CHECK-NEXT: %[[MUL:.*]] = arith.mulf %[[ADD]], %[[TANH]] : f32
// CHECK-NEXT: %[[HALF:.*]] = arith.truncf %[[MUL]] : f32 to f16
// CHECK-NEXT: hone.yield %[[HALF]]
func.func @tensor_ops(%r: tensor<?x48xf16>, %a: tensor<?x32xf16>, %b: tensor<32x48xf16>, %c: tensor<?x48xf32>) -> tensor<?x48xf16> {
  %wide = arith.extf %r : tensor<?x48xf16> to tensor<?x48xf32>
  %z = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%z : f32) outs(%c : tensor<?x48xf32>) -> tensor<?x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x32xf16>, tensor<32x48xf16>) outs(%zeros : tensor<?x48xf32>) -> tensor<?x48xf32>
  %1 = arith.addf %0, %wide : tensor<?x48xf32>
  %2 = math.tanh %1 : tensor<?x48xf32>
  %3 = arith.mulf %1, %2 : tensor<?x48xf32>
  %4 = arith.truncf %3 : tensor<?x48xf32> to tensor<?x48xf16>
  return %4 : tensor<?x48xf16>
}

// A value that a consumer reads from its destination is one more operand; the
// result goes elsewhere.
// CHECK-LABEL: func @reads_destination(
// CHECK-SAME: %[[D:[a-z0-9]*]]: tensor<64x48xf32>
// CHECK: %[[C:.*]] = tensor.empty() : tensor<64x48xf32>
// CHECK: hone.matmul {{.*}} outs(%[[C]] : {{.*}} epilogue(%[[D]][m, n]
// CHECK: arith.mulf
func.func @reads_destination(%d: tensor<64x48xf32>, %a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%zero : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<64x48xf32>) outs(%d : tensor<64x48xf32>) {
  ^bb0(%x: f32, %y: f32):
    %2 = arith.mulf %x, %y : f32
    linalg.yield %2 : f32
  } -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}
