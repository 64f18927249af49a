func.func @matmul(%a: memref<1024x512xf16>, %b: memref<512x12288xf16>, %c: memref<1024x12288xf16>) {
  hone.matmul ins(%a, %b : memref<1024x512xf16>, memref<512x12288xf16>)
              outs(%c : memref<1024x12288xf16>) init(zero) acc(f32)
  return
}
