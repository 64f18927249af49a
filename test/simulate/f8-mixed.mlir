// A factor of one kind of 8-bit floats by one of the other, in either order and any layout. Few rows are columns to the
// tensor cores: then B's rows come from registers where they have to be turned, and are of B's kind.

// RUN: hone simulate %s --arch=sm_90a | FileCheck %s
// RUN: sed 's/f8E5M2/F/g; s/f8E4M3FN/f8E5M2/g; s/F\([>,]\)/f8E4M3FN\1/g' %s > %t.turned.mlir
// RUN: hone simulate %t.turned.mlir --arch=sm_90a | FileCheck %s

// CHECK-NOT: wrong
// CHECK-COUNT-4: right (clocks, values
// CHECK-NOT: wrong
func.func @matmul_nn(%a: memref<24x160xf8E5M2>, %b: memref<160x80xf8E4M3FN>, %c: memref<24x80xf32>) {
  hone.matmul ins(%a, %b : memref<24x160xf8E5M2>, memref<160x80xf8E4M3FN>) outs(%c : memref<24x80xf32>) init(zero) acc(f32) products(blocks)
  return
}
func.func @matmul_nt(%a: memref<24x160xf8E5M2>, %b: memref<80x160xf8E4M3FN>, %c: memref<24x80xf32>) {
  hone.matmul ins(%a, col %b : memref<24x160xf8E5M2>, memref<80x160xf8E4M3FN>) outs(%c : memref<24x80xf32>) init(zero) acc(f32) products(blocks)
  return
}
func.func @matmul_tn(%a: memref<160x32xf8E5M2>, %b: memref<160x80xf8E4M3FN>, %c: memref<32x80xf32>) {
  hone.matmul ins(col %a, %b : memref<160x32xf8E5M2>, memref<160x80xf8E4M3FN>) outs(%c : memref<32x80xf32>) init(zero) acc(f32) products(blocks)
  return
}
func.func @matmul_tt(%a: memref<160x32xf8E5M2>, %b: memref<80x160xf8E4M3FN>, %c: memref<32x80xf32>) {
  hone.matmul ins(col %a, col %b : memref<160x32xf8E5M2>, memref<80x160xf8E4M3FN>) outs(%c : memref<32x80xf32>) init(zero) acc(f32) products(blocks)
  return
}
