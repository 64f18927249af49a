func.func @matmul(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16, strided<[?, 1]>>, %c: memref<?x?xf16, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16, strided<[?, 1]>>) outs(%c : memref<?x?xf16, strided<[?, 1]>>) init(zero) acc(f32)
  return
}
