// Convolutions of other types, with the filter last: a tap of B starts at a multiple of 16 bytes.

// RUN: hone simulate %s --arch=h100 | FileCheck %s --implicit-check-not=wrong

// CHECK: hone_ws_i8
// CHECK: right (clocks, values
// CHECK: hone_ws_tf32
// CHECK: right (clocks, values
func.func @bytes(%x: memref<2x10x11x16xi8>, %w: memref<24x144xi8>, %c: memref<144x24xi32>) {
  hone.matmul ins(%x window(3x3), col %w : memref<2x10x11x16xi8>, memref<24x144xi8>)
    outs(%c : memref<144x24xi32>) init(zero) acc(i32)
  return
}
func.func @single(%x: memref<2x10x11x4xf32>, %w: memref<24x36xf32>, %c: memref<50x24xf32>) {
  hone.matmul ins(%x window(3x3, step 2x2, low 1x1), col %w : memref<2x10x11x4xf32>, memref<24x36xf32>)
    outs(%c : memref<50x24xf32>) init(zero) acc(f32) products(tf32)
  return
}
