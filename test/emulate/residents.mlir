// Weights of the module, powers of rotary embeddings and other functions that take several
// steps, scalars of the device, and loops that carry their state, run from their LLVM IR.
//
// DEFINE: %{run} = hone run %s --arch=sm_90a --stand-in --rest=gpu --json --function
// RUN: %{run}=frozen | FileCheck %s
// RUN: %{run}=rotates | FileCheck %s
// RUN: %{run}=functions | FileCheck %s
// RUN: %{run}=remainders | FileCheck %s
// RUN: %{run}=carries | FileCheck %s
// CHECK: "wrong": 0

#v = affine_map<(i) -> (i)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>

func.func @frozen(%x: tensor<32x48xf16>) -> tensor<32x40xf32> {
  %w = arith.constant dense<0.5> : tensor<48x40xf16>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x40xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<32x40xf32>) -> tensor<32x40xf32>
  %r = linalg.matmul ins(%x, %w : tensor<32x48xf16>, tensor<48x40xf16>) outs(%i : tensor<32x40xf32>) -> tensor<32x40xf32>
  return %r : tensor<32x40xf32>
}

func.func @rotates(%x: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %base = arith.constant 10000.0 : f32
  %n = arith.constant -32.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.index_cast %i : index to i32
    %q = arith.index_cast %j : index to i32
    %pf = arith.sitofp %p : i32 to f32
    %qf = arith.sitofp %q : i32 to f32
    %y = arith.divf %qf, %n : f32
    %f = math.powf %base, %y : f32
    %a = arith.mulf %pf, %f : f32
    %c = math.cos %a : f32
    %m = arith.mulf %v, %c : f32
    linalg.yield %m : f32
  } -> tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}

func.func @functions(%x: tensor<64x8xf32>, %y: tensor<64x8xf32>) -> (tensor<64x8xf32>, tensor<64x8xf32>) {
  %e = tensor.empty() : tensor<64x8xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<64x8xf32>, tensor<64x8xf32>) outs(%e, %e : tensor<64x8xf32>, tensor<64x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32, %p: f32):
    %c3 = arith.constant -3 : i32
    %s = math.absf %a : f32
    %0 = math.powf %s, %b : f32
    %1 = math.expm1 %a : f32
    %2 = math.log1p %s : f32
    %3 = math.atan2 %a, %b : f32
    %4 = math.fpowi %b, %c3 : f32, i32
    %5 = arith.addf %0, %1 : f32
    %6 = arith.addf %5, %2 : f32
    %7 = arith.addf %6, %3 : f32
    linalg.yield %7, %4 : f32, f32
  } -> (tensor<64x8xf32>, tensor<64x8xf32>)
  return %r#0, %r#1 : tensor<64x8xf32>, tensor<64x8xf32>
}

func.func @remainders(%x: tensor<64xi32>, %y: tensor<64xi32>) -> tensor<64xf32> {
  %quarter = arith.constant 0.25 : f32
  %one = arith.constant 1 : i32
  %low = arith.constant 1048575 : i32
  %half = arith.constant 524288 : i32
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%x, %y : tensor<64xi32>, tensor<64xi32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: i32, %b: i32, %o: f32):
    %l = arith.andi %a, %low : i32
    %s = arith.subi %l, %half : i32
    %d = arith.ori %b, %one : i32
    %c = arith.andi %d, %low : i32
    %f = arith.sitofp %s : i32 to f32
    %g = arith.sitofp %c : i32 to f32
    %h = arith.mulf %g, %quarter : f32
    %m = arith.remf %f, %h : f32
    linalg.yield %m : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

func.func @carries(%x: tensor<16x32xf16>, %w: tensor<32x32xf16>) -> tensor<16x32xf16> {
  %zero = arith.constant dense<0> : tensor<i32>
  %n = arith.constant 4 : i32
  %one = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %r:2 = scf.while (%i = %zero, %y = %x) : (tensor<i32>, tensor<16x32xf16>) -> (tensor<i32>, tensor<16x32xf16>) {
    %c = tensor.extract %i[] : tensor<i32>
    %more = arith.cmpi slt, %c, %n : i32
    scf.condition(%more) %i, %y : tensor<i32>, tensor<16x32xf16>
  } do {
  ^bb0(%i: tensor<i32>, %y: tensor<16x32xf16>):
    %ef = tensor.empty() : tensor<16x32xf32>
    %f = linalg.fill ins(%z : f32) outs(%ef : tensor<16x32xf32>) -> tensor<16x32xf32>
    %p = linalg.matmul ins(%y, %w : tensor<16x32xf16>, tensor<32x32xf16>) outs(%f : tensor<16x32xf32>) -> tensor<16x32xf32>
    %e = tensor.empty() : tensor<16x32xf16>
    %next = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<16x32xf32>) outs(%e : tensor<16x32xf16>) {
    ^bb0(%v: f32, %o: f16):
      %t = math.tanh %v : f32
      %h = arith.truncf %t : f32 to f16
      linalg.yield %h : f16
    } -> tensor<16x32xf16>
    %ei = tensor.empty() : tensor<i32>
    %up = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%i : tensor<i32>) outs(%ei : tensor<i32>) {
    ^bb0(%k: i32, %o: i32):
      %s = arith.addi %k, %one : i32
      linalg.yield %s : i32
    } -> tensor<i32>
    scf.yield %up, %next : tensor<i32>, tensor<16x32xf16>
  }
  return %r#1 : tensor<16x32xf16>
}
