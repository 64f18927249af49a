// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match)' %{remarks} -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// A zero fill on memrefs becomes init(zero), where nothing but the product sees it.

// CHECK-LABEL: func @directly_before(
// CHECK-NOT: linalg.fill
// CHECK: hone.matmul {{.*}} init(zero)
func.func @directly_before(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x48xf32>)
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  return
}

// Ops in between work on other memory; a reshape has all of C's elements.
// CHECK-LABEL: func @others_between(
// CHECK: linalg.exp
// CHECK-NOT: linalg.fill
// CHECK: hone.matmul {{.*}} init(zero)
func.func @others_between(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<4x16x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %alloc = memref.alloc() : memref<4x16x48xf32>
  %other = memref.alloc() : memref<64x48xf32>
  linalg.fill ins(%zero : f32) outs(%alloc : memref<4x16x48xf32>)
  linalg.exp ins(%other : memref<64x48xf32>) outs(%other : memref<64x48xf32>)
  %flat = memref.collapse_shape %alloc [[0, 1], [2]] : memref<4x16x48xf32> into memref<64x48xf32>
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%flat : memref<64x48xf32>)
  memref.copy %alloc, %c : memref<4x16x48xf32> to memref<4x16x48xf32>
  return
}

// CHECK-LABEL: func @read_between(
// CHECK: linalg.fill
// CHECK: memref.load
// CHECK: hone.matmul {{.*}} init(read)
func.func @read_between(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>, %i: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x48xf32>)
  %0 = memref.load %c[%i, %i] : memref<64x48xf32>
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  return %0 : f32
}

// Another argument may be the same memory, as far as an op in between goes.
// CHECK-LABEL: func @written_between(
// CHECK: linalg.fill
// CHECK: memref.store
// CHECK: hone.matmul {{.*}} init(read)
func.func @written_between(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>, %d: memref<64x48xf32>, %i: index) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x48xf32>)
  memref.store %one, %d[%i, %i] : memref<64x48xf32>
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  return
}

// CHECK-LABEL: func @call_between(
// CHECK: linalg.fill
// CHECK: hone.matmul {{.*}} init(read)
func.func private @unknown()
func.func @call_between(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x48xf32>)
  func.call @unknown() : () -> ()
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  return
}

// A is a part of the filled memory.
// CHECK-LABEL: func @overlapping(
// CHECK: linalg.fill
// CHECK: hone.matmul {{.*}} init(read)
// REMARK: Function=overlapping | Remark="not fused into the matmul: A or B may share memory with C"
func.func @overlapping(%b: memref<32x32xf32>, %c: memref<64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.subview %c[0, 0] [32, 32] [1, 1] : memref<64x32xf32> to memref<32x32xf32, strided<[32, 1]>>
  %d = memref.subview %c[32, 0] [32, 32] [1, 1] : memref<64x32xf32> to memref<32x32xf32, strided<[32, 1], offset: 1024>>
  linalg.fill ins(%zero : f32) outs(%d : memref<32x32xf32, strided<[32, 1], offset: 1024>>)
  linalg.matmul ins(%a, %b : memref<32x32xf32, strided<[32, 1]>>, memref<32x32xf32>) outs(%d : memref<32x32xf32, strided<[32, 1], offset: 1024>>)
  return
}

// CHECK-LABEL: func @part_filled(
// CHECK: linalg.fill
// CHECK: hone.matmul {{.*}} init(read)
func.func @part_filled(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %d = memref.subview %c[0, 0] [32, 48] [1, 1] : memref<64x48xf32> to memref<32x48xf32, strided<[48, 1]>>
  linalg.fill ins(%zero : f32) outs(%d : memref<32x48xf32, strided<[48, 1]>>)
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  return
}

// CHECK-LABEL: func @minus_zero(
// CHECK: linalg.fill
// CHECK: hone.matmul {{.*}} init(read)
// REMARK: Function=minus_zero | Remark="not fused into the matmul: on memrefs a matmul has no epilogue"
func.func @minus_zero(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  %zero = arith.constant -0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x48xf32>)
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  linalg.exp ins(%c : memref<64x48xf32>) outs(%c : memref<64x48xf32>)
  return
}
