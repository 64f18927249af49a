// Products of integers compute the same bits after hone-match, with sums that wrap around, zero points and results
// of 8 bits.

// RUN: %python %hone_src/test/tools/fused_on_cpu.py hone-opt %mlir_lib_dir %s | FileCheck %s

// CHECK: zero_points: 3 products, same
// CHECK-NEXT: in_a_batch: 3 products, same
// CHECK-NEXT: weights: 1 products, same
// CHECK-NEXT: ahead: 3 products, same
// CHECK-NEXT: wraps: 2 products, same
// CHECK-NEXT: requantized: 1 products, same, {{[0-9][0-9]+}} different values
// CHECK-NEXT: clamped_behind: 1 products, same, {{[0-9][0-9]+}} different values
// CHECK-NEXT: shifted: 2 products, same, {{[0-9][0-9]+}} different values
// CHECK-NEXT: cut_off: 1 products, same, {{[0-9][0-9]+}} different values
// CHECK-NEXT: clamped_early: 1 products, same, {{[0-9][0-9]+}} different values

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#col = affine_map<(m, n) -> (n)>

func.func @zero_points(%a: tensor<19x32xi8>, %b: tensor<32x24xi8>, %c: tensor<19x24xi32>, %za: i32, %zb: i32) -> tensor<19x24xi32> {
  %0 = linalg.quantized_matmul ins(%a, %b, %za, %zb : tensor<19x32xi8>, tensor<32x24xi8>, i32, i32) outs(%c : tensor<19x24xi32>) -> tensor<19x24xi32>
  return %0 : tensor<19x24xi32>
}

func.func @in_a_batch(%a: tensor<3x19x32xi8>, %b: tensor<3x32x24xi8>, %c: tensor<3x19x24xi32>, %za: i32) -> tensor<3x19x24xi32> {
  %zb = arith.constant -128 : i32
  %0 = linalg.quantized_batch_matmul ins(%a, %b, %za, %zb : tensor<3x19x32xi8>, tensor<3x32x24xi8>, i32, i32) outs(%c : tensor<3x19x24xi32>) -> tensor<3x19x24xi32>
  return %0 : tensor<3x19x24xi32>
}

func.func @weights(%a: tensor<5x6xi8>) -> tensor<5x3xi32> {
  %b = arith.constant dense<[[1, -2, 127], [3, -4, 0], [5, -6, -128], [7, 8, 9], [-9, 10, 11], [12, 13, -14]]> : tensor<6x3xi8>
  %c = arith.constant dense<0> : tensor<5x3xi32>
  %za = arith.constant -7 : i32
  %zb = arith.constant 0 : i32
  %0 = linalg.quantized_matmul ins(%a, %b, %za, %zb : tensor<5x6xi8>, tensor<6x3xi8>, i32, i32) outs(%c : tensor<5x3xi32>) -> tensor<5x3xi32>
  return %0 : tensor<5x3xi32>
}

func.func @ahead(%a: tensor<19x32xi8>, %b: tensor<24x32xi8>, %zb: i32) -> tensor<19x24xi32> {
  %c = arith.constant dense<0> : tensor<19x24xi32>
  %five = arith.constant dense<5> : tensor<19x32xi32>
  %wide = arith.extsi %a : tensor<19x32xi8> to tensor<19x32xi32>
  %x = arith.subi %wide, %five : tensor<19x32xi32>
  %e = tensor.empty() : tensor<32x24xi32>
  // Turned on its way.
  %y = linalg.generic {indexing_maps = [affine_map<(k, n) -> (n, k)>, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<24x32xi8>) outs(%e : tensor<32x24xi32>) {
  ^bb0(%v: i8, %o: i32):
    %l = arith.extsi %v : i8 to i32
    %d = arith.subi %l, %zb : i32
    linalg.yield %d : i32
  } -> tensor<32x24xi32>
  %0 = linalg.matmul ins(%x, %y : tensor<19x32xi32>, tensor<32x24xi32>) outs(%c : tensor<19x24xi32>) -> tensor<19x24xi32>
  return %0 : tensor<19x24xi32>
}

func.func @wraps(%a: tensor<7x32xi8>, %b: tensor<32x24xi8>, %c: tensor<7x24xi32>) -> tensor<7x24xi32> {
  %za = arith.constant 123456789 : i32
  %zb = arith.constant 0 : i32
  %0 = linalg.quantized_matmul ins(%a, %b, %za, %zb : tensor<7x32xi8>, tensor<32x24xi8>, i32, i32) outs(%c : tensor<7x24xi32>) -> tensor<7x24xi32>
  return %0 : tensor<7x24xi32>
}

func.func @requantized(%a: tensor<19x32xi8>, %b: tensor<32x24xi8>, %rows: tensor<19xf32>, %cols: tensor<24xf32>) -> tensor<19x24xi8> {
  %c = arith.constant dense<0> : tensor<19x24xi32>
  %e = tensor.empty() : tensor<19x24xi8>
  %0 = linalg.matmul ins(%a, %b : tensor<19x32xi8>, tensor<32x24xi8>) outs(%c : tensor<19x24xi32>) -> tensor<19x24xi32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %rows, %cols : tensor<19x24xi32>, tensor<19xf32>, tensor<24xf32>) outs(%e : tensor<19x24xi8>) {
  ^bb0(%s: i32, %r: f32, %q: f32, %o: i8):
    %least = arith.constant -128.0 : f32
    %most = arith.constant 127.0 : f32
    %zero = arith.constant 3.0 : f32
    %often = arith.constant 300.0 : f32
    %x = arith.sitofp %s : i32 to f32
    %y = arith.mulf %x, %r : f32
    %z = arith.mulf %y, %q : f32
    %w = arith.mulf %z, %often : f32
    %t = math.roundeven %w : f32
    %v = arith.addf %t, %zero : f32
    %l = arith.maximumf %v, %least : f32
    %u = arith.minimumf %l, %most : f32
    %i = arith.fptosi %u : f32 to i8
    linalg.yield %i : i8
  } -> tensor<19x24xi8>
  return %1 : tensor<19x24xi8>
}

// The clamp is one of integers, after the conversion.
func.func @clamped_behind(%a: tensor<19x32xi8>, %b: tensor<32x24xi8>) -> tensor<19x24xi8> {
  %c = arith.constant dense<0> : tensor<19x24xi32>
  %scale = arith.constant dense<0.0031> : tensor<19x24xf32>
  %half = arith.constant dense<0.5> : tensor<19x24xf32>
  %least = arith.constant dense<-128> : tensor<19x24xi32>
  %most = arith.constant dense<127> : tensor<19x24xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<19x32xi8>, tensor<32x24xi8>) outs(%c : tensor<19x24xi32>) -> tensor<19x24xi32>
  %1 = arith.sitofp %0 : tensor<19x24xi32> to tensor<19x24xf32>
  %2 = arith.mulf %1, %scale : tensor<19x24xf32>
  %3 = arith.addf %2, %half : tensor<19x24xf32>
  %4 = math.floor %3 : tensor<19x24xf32>
  %5 = arith.fptosi %4 : tensor<19x24xf32> to tensor<19x24xi32>
  %6 = arith.maxsi %5, %least : tensor<19x24xi32>
  %7 = arith.minsi %6, %most : tensor<19x24xi32>
  %8 = arith.trunci %7 : tensor<19x24xi32> to tensor<19x24xi8>
  return %8 : tensor<19x24xi8>
}

// Integers all the way, with a zero point, a multiplier for each column, and a shift.
func.func @shifted(%a: tensor<19x32xi8>, %b: tensor<32x24xi8>, %factors: tensor<24xi32>) -> tensor<19x24xi8> {
  %c = arith.constant dense<0> : tensor<19x24xi32>
  %za = arith.constant 11 : i32
  %zb = arith.constant 0 : i32
  %e = tensor.empty() : tensor<19x24xi8>
  %0 = linalg.quantized_matmul ins(%a, %b, %za, %zb : tensor<19x32xi8>, tensor<32x24xi8>, i32, i32) outs(%c : tensor<19x24xi32>) -> tensor<19x24xi32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %factors : tensor<19x24xi32>, tensor<24xi32>) outs(%e : tensor<19x24xi8>) {
  ^bb0(%s: i32, %f: i32, %o: i8):
    %shift = arith.constant 25 : i64
    %least = arith.constant -128 : i64
    %most = arith.constant 127 : i64
    %x = arith.extsi %s : i32 to i64
    %y = arith.extsi %f : i32 to i64
    %p = arith.muli %x, %y : i64
    %q = arith.shrsi %p, %shift : i64
    %l = arith.maxsi %q, %least : i64
    %u = arith.minsi %l, %most : i64
    %t = arith.trunci %u : i64 to i8
    linalg.yield %t : i8
  } -> tensor<19x24xi8>
  return %1 : tensor<19x24xi8>
}

// There is no clamp: the program keeps the low byte.
func.func @cut_off(%a: tensor<19x32xi8>, %b: tensor<32x24xi8>) -> tensor<19x24xi8> {
  %c = arith.constant dense<0> : tensor<19x24xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<19x32xi8>, tensor<32x24xi8>) outs(%c : tensor<19x24xi32>) -> tensor<19x24xi32>
  %1 = arith.trunci %0 : tensor<19x24xi32> to tensor<19x24xi8>
  return %1 : tensor<19x24xi8>
}

// Clamped between numbers that are not whole, and then rounded: another order gives other bits.
func.func @clamped_early(%a: tensor<19x32xi8>, %b: tensor<32x24xi8>) -> tensor<19x24xi8> {
  %c = arith.constant dense<0> : tensor<19x24xi32>
  %scale = arith.constant dense<0.0031> : tensor<19x24xf32>
  %least = arith.constant dense<-99.5> : tensor<19x24xf32>
  %most = arith.constant dense<99.5> : tensor<19x24xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<19x32xi8>, tensor<32x24xi8>) outs(%c : tensor<19x24xi32>) -> tensor<19x24xi32>
  %1 = arith.sitofp %0 : tensor<19x24xi32> to tensor<19x24xf32>
  %2 = arith.mulf %1, %scale : tensor<19x24xf32>
  %3 = arith.maxnumf %2, %least : tensor<19x24xf32>
  %4 = arith.minnumf %3, %most : tensor<19x24xf32>
  %5 = math.round %4 : tensor<19x24xf32>
  %6 = arith.fptosi %5 : tensor<19x24xf32> to tensor<19x24xi8>
  return %6 : tensor<19x24xi8>
}
