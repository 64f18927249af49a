func.func @small(%a: memref<40x56xf32>, %b: memref<56x48xf32>, %c: memref<40x48xf32>) {
  hone.matmul ins(%a, %b : memref<40x56xf32>, memref<56x48xf32>)
              outs(%c : memref<40x48xf32>) init(zero) acc(f32)
  return
}
