// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-fuse-rest)' | FileCheck %s

#none = affine_map<() -> ()>
#id = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>

// A constant in a tensor of one element is a constant.
// CHECK-LABEL: func @pads(
// CHECK-NOT: tensor.extract %
// CHECK: tensor.pad
// CHECK: tensor.yield %{{.*}} : f16
func.func @pads(%x: tensor<6xf16>) -> tensor<9xf16> {
  %c = arith.constant 1.5 : f16
  %e = tensor.empty() : tensor<f16>
  %t = linalg.generic {indexing_maps = [#none], iterator_types = []} outs(%e : tensor<f16>) {
  ^bb0(%out: f16):
    linalg.yield %c : f16
  } -> tensor<f16>
  %s = tensor.extract %t[] : tensor<f16>
  %r = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %s : f16
  } : tensor<6xf16> to tensor<9xf16>
  return %r : tensor<9xf16>
}

// A loop that counts in a tensor is an scf.for, and its body takes the count as a scalar.
// CHECK-LABEL: func @counts(
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<8xf32>)
// CHECK-NOT: tensor.extract
// CHECK: linalg.generic
// CHECK: arith.sitofp %[[I]] : i32 to f32
// CHECK-NOT: scf.while
func.func @counts(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %n = arith.constant 5 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.while (%i = %zero, %y = %x) : (tensor<i32>, tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>) {
    %c = tensor.extract %i[] : tensor<i32>
    %more = arith.cmpi slt, %c, %n : i32
    scf.condition(%more) %i, %y : tensor<i32>, tensor<8xf32>
  } do {
  ^bb0(%i: tensor<i32>, %y: tensor<8xf32>):
    %e = tensor.empty() : tensor<8xf32>
    %next = linalg.generic {indexing_maps = [#id, #scalar, #id], iterator_types = ["parallel"]}
        ins(%y, %i : tensor<8xf32>, tensor<i32>) outs(%e : tensor<8xf32>) {
    ^bb0(%v: f32, %k: i32, %out: f32):
      %f = arith.sitofp %k : i32 to f32
      %s = arith.addf %v, %f : f32
      linalg.yield %s : f32
    } -> tensor<8xf32>
    %ei = tensor.empty() : tensor<i32>
    %up = linalg.generic {indexing_maps = [#none, #none], iterator_types = []} ins(%i : tensor<i32>) outs(%ei : tensor<i32>) {
    ^bb0(%k: i32, %out: i32):
      %s = arith.addi %k, %one : i32
      linalg.yield %s : i32
    } -> tensor<i32>
    scf.yield %up, %next : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}

// A count that the data decides stays.
// CHECK-LABEL: func @waits(
// CHECK: scf.while
// CHECK: tensor.extract
func.func @waits(%x: tensor<i32>) -> tensor<i32> {
  %n = arith.constant 5 : i32
  %r = scf.while (%i = %x) : (tensor<i32>) -> tensor<i32> {
    %c = tensor.extract %i[] : tensor<i32>
    %more = arith.cmpi slt, %c, %n : i32
    scf.condition(%more) %i : tensor<i32>
  } do {
  ^bb0(%i: tensor<i32>):
    %e = tensor.empty() : tensor<i32>
    %up = linalg.generic {indexing_maps = [#none, #none], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%k: i32, %out: i32):
      %s = arith.addi %k, %k : i32
      linalg.yield %s : i32
    } -> tensor<i32>
    scf.yield %up : tensor<i32>
  }
  return %r : tensor<i32>
}

// An offset that the device computes: a gather, and a choice.
// CHECK-LABEL: func @slices(
// CHECK-SAME: %[[X:.*]]: tensor<16xf32>, %[[S:.*]]: tensor<4xf32>, %[[AT:.*]]: tensor<i32>)
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0
// CHECK-NEXT: %[[K:.*]] = tensor.extract %[[AT]][]
// CHECK: tensor.extract %[[X]][
// CHECK: linalg.generic
// CHECK: arith.cmpi ult
// CHECK: tensor.extract %[[S]][
// CHECK: arith.select
// CHECK-NOT: tensor.extract_slice
// CHECK-NOT: tensor.insert_slice
func.func @slices(%x: tensor<16xf32>, %s: tensor<4xf32>, %at: tensor<i32>) -> (tensor<4xf32>, tensor<16xf32>) {
  %k = tensor.extract %at[] : tensor<i32>
  %i = arith.index_cast %k : i32 to index
  %r = tensor.extract_slice %x[%i] [4] [1] : tensor<16xf32> to tensor<4xf32>
  %y = tensor.insert_slice %s into %x[%i] [4] [1] : tensor<4xf32> into tensor<16xf32>
  return %r, %y : tensor<4xf32>, tensor<16xf32>
}

// A scalar of the device in a body, in a fill and in a choice of tensors.
// CHECK-LABEL: func @takes(
// CHECK-NOT: linalg.fill
// CHECK-COUNT-3: tensor.extract
// CHECK-NOT: arith.select {{.*}} tensor
func.func @takes(%x: tensor<8xf32>, %s: tensor<f32>, %p: tensor<i1>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %v = tensor.extract %s[] : tensor<f32>
  %q = tensor.extract %p[] : tensor<i1>
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.mulf %in, %v : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  %b = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %c = arith.select %q, %x, %b : tensor<8xf32>
  return %a, %b, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
