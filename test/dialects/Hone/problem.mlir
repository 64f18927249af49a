// RUN: hone-opt %s --hone-select-schedule --remark-policy=all --remark-format=emitRemark --remarks-filter=hone -o /dev/null 2>&1 | FileCheck %s

// The problem that an op is, as the remark of the schedule prints it.

//===----------------------------------------------------------------------===//
// Extents, order and alignment
//===----------------------------------------------------------------------===//

// CHECK: Function=rows |{{.*}} for m = 64, n = 48, k = 40, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero"
func.func @rows(%a: tensor<64x40xf16>, %b: tensor<48x40xf16>, %c: tensor<64x48xf16>) -> tensor<64x48xf16> {
  %0 = hone.matmul ins(%a, col %b : tensor<64x40xf16>, tensor<48x40xf16>) outs(%c : tensor<64x48xf16>) init(zero) acc(f32) -> tensor<64x48xf16>
  return %0 : tensor<64x48xf16>
}

// An extent that one operand leaves unknown may be known from another.
// CHECK: Function=dynamic |{{.*}} for batch = 4, m = ?, n = 48, k = 36, a = f16:row:8, b = f16:row:2:shared, acc = f32, c = f16:16, init = read"
func.func @dynamic(%a: tensor<4x?x36xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> {
  %d = tensor.cast %c : tensor<?x?x?xf16> to tensor<?x?x48xf16>
  %0 = hone.matmul ins(%a, %b : tensor<4x?x36xf16>, tensor<?x?xf16>) outs(%d : tensor<?x?x48xf16>) init(read) acc(f32) -> tensor<?x?x48xf16>
  %1 = hone.matmul ins(%a, %b : tensor<4x?x36xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?x?xf16>) init(read) acc(f32) -> tensor<?x?x?xf16>
  return %1 : tensor<?x?x?xf16>
}

// Order and alignment are those in memory.
// CHECK: Function=strides |{{.*}} a = f16:col:16, b = f16:row:4, acc = f32, c = f16:2,
func.func @strides(%a: memref<64x32xf16, strided<[1, 64]>>, %b: memref<32x48xf16, strided<[64, 1], offset: 2>>, %c: memref<64x48xf16, strided<[?, 1], offset: ?>>) {
  hone.matmul ins(%a, %b : memref<64x32xf16, strided<[1, 64]>>, memref<32x48xf16, strided<[64, 1], offset: 2>>) outs(%c : memref<64x48xf16, strided<[?, 1], offset: ?>>) init(read) acc(f32)
  return
}

// A vector is contiguous in both directions; the better aligned counts.
// CHECK: Function=vector |{{.*}} for m = 1, n = 48, k = 33, a = f16:row:16, b = f16:row:16,
func.func @vector(%a: memref<1x33xf16>, %b: memref<33x48xf16>, %c: memref<1x48xf16>) {
  hone.matmul ins(%a, %b : memref<1x33xf16>, memref<33x48xf16>) outs(%c : memref<1x48xf16>) init(read) acc(f32)
  return
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

// Rounding to C's type is not named; constants and operands are.
// CHECK: Function=bias_relu |{{.*}} epilogue = "extf(n:f16):f32 | addf(acc, $0) | maximumf($1, 0:f32)""
func.func @bias_relu(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf16>, %v: tensor<48xf16>) -> tensor<64x48xf16> {
  %0 = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf16>) init(zero) acc(f32) epilogue(%v[n] : tensor<48xf16>) {
  ^bb0(%sum: f32, %x: f16):
    %zero = arith.constant 0.0 : f32
    %1 = arith.extf %x : f16 to f32
    %2 = arith.addf %sum, %1 : f32
    %3 = arith.maximumf %2, %zero : f32
    %4 = arith.truncf %3 : f32 to f16
    hone.yield %4 : f16
  } -> tensor<64x48xf16>
  return %0 : tensor<64x48xf16>
}

// Order and repetition of ops do not matter, nor do unused ops.
// CHECK: Function=same_as_above |{{.*}} epilogue = "extf(n:f16):f32 | addf(acc, $0) | maximumf($1, 0:f32)""
func.func @same_as_above(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf16>, %v: tensor<48xf16>) -> tensor<64x48xf16> {
  %0 = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf16>) init(zero) acc(f32) epilogue(%v[n] : tensor<48xf16>) {
  ^bb0(%sum: f32, %x: f16):
    %unused = math.exp %sum : f32
    %1 = arith.extf %x : f16 to f32
    %2 = arith.addf %sum, %1 : f32
    %zero = arith.constant 0.0 : f32
    %3 = arith.maximumf %2, %zero : f32
    %4 = arith.truncf %3 : f32 to f16
    hone.yield %4 : f16
  } -> tensor<64x48xf16>
  return %0 : tensor<64x48xf16>
}

// CHECK: Function=select |{{.*}} epilogue = "cmpf<olt>(acc, n:f32) | mulf<fast>(acc, n:f32@2) | select($0, $1, scalar:f32)""
func.func @select(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>, %v: tensor<48xf32>, %w: tensor<48xf32>, %s: tensor<f32>) -> tensor<64x48xf32> {
  %0 = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) init(zero) acc(f32)
       epilogue(%v[n], %w[n], %s[] : tensor<48xf32>, tensor<48xf32>, tensor<f32>) {
  ^bb0(%sum: f32, %x: f32, %y: f32, %z: f32):
    %1 = arith.cmpf olt, %sum, %x : f32
    %2 = arith.mulf %sum, %y fastmath<fast> : f32
    %3 = arith.select %1, %2, %z : f32
    hone.yield %3 : f32
  } -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// Operands have the numbers of their use, whatever their order is.
// CHECK: Function=turned |{{.*}} epilogue = "addf(acc, n:f32) | mulf($0, n:f32@2)""
func.func @turned(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>, %v: tensor<48xf32>, %w: tensor<48xf32>) -> tensor<64x48xf32> {
  %0 = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) init(zero) acc(f32)
       epilogue(%v[n], %v[n], %w[n] : tensor<48xf32>, tensor<48xf32>, tensor<48xf32>) {
  ^bb0(%sum: f32, %x: f32, %unused: f32, %y: f32):
    %1 = arith.addf %sum, %y : f32
    %2 = arith.mulf %1, %x : f32
    hone.yield %2 : f32
  } -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// CHECK: Function=operand_only |{{.*}} epilogue = "mn:f32""
func.func @operand_only(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>, %v: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %0 = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) init(zero) acc(f32) epilogue(%v[m, n] : tensor<64x48xf32>) {
  ^bb0(%sum: f32, %x: f32):
    hone.yield %x : f32
  } -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// A region with an op that no epilogue has.
// CHECK: Function=nothing |{{.*}} init = zero"
func.func @nothing(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf16>) -> tensor<64x48xf16> {
  %0 = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf16>) init(zero) acc(f32) epilogue {
  ^bb0(%sum: f32):
    %1 = arith.truncf %sum : f32 to f16
    hone.yield %1 : f16
  } -> tensor<64x48xf16>
  return %0 : tensor<64x48xf16>
}

// A long one is there as a whole.
// CHECK: Function=long |{{.*}} epilogue = "exp(acc) | exp($0) | exp($1) | exp($2) | exp($3) | rsqrt($4) | exp($5) | copysign($6, $5) | exp($7) | copysign($8, $7) | exp($9) | copysign($10, $9) | exp($11) | copysign($12, $11) | exp($13) | copysign($14, $13) | exp($15) | fma($16, $15, $14) | exp($17) | fma($18, $17, $16) | exp($19) | fma($20, $19, $18)""
func.func @long(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %0 = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) init(zero) acc(f32) epilogue {
  ^bb0(%sum: f32):
    %1 = math.exp %sum : f32
    %2 = math.exp %1 : f32
    %3 = math.exp %2 : f32
    %4 = math.exp %3 : f32
    %5 = math.exp %4 : f32
    %6 = math.rsqrt %5 : f32
    %7 = math.exp %6 : f32
    %8 = math.copysign %7, %6 : f32
    %9 = math.exp %8 : f32
    %10 = math.copysign %9, %8 : f32
    %11 = math.exp %10 : f32
    %12 = math.copysign %11, %10 : f32
    %13 = math.exp %12 : f32
    %14 = math.copysign %13, %12 : f32
    %15 = math.exp %14 : f32
    %16 = math.copysign %15, %14 : f32
    %17 = math.exp %16 : f32
    %18 = math.fma %17, %16, %15 : f32
    %19 = math.exp %18 : f32
    %20 = math.fma %19, %18, %17 : f32
    %21 = math.exp %20 : f32
    %22 = math.fma %21, %20, %19 : f32
    hone.yield %22 : f32
  } -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}
