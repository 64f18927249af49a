// Matmuls for hone tune: an epilogue, a batch that is added to, the same
// problem twice, an unknown extent.

func.func @mlp(%x: tensor<512x1024xf16>, %w: tensor<1024x2048xf16>, %bias: tensor<2048xf32>) -> tensor<512x2048xf16> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x2048xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x2048xf32>) -> tensor<512x2048xf32>
  %product = linalg.matmul ins(%x, %w : tensor<512x1024xf16>, tensor<1024x2048xf16>)
                           outs(%init : tensor<512x2048xf32>) -> tensor<512x2048xf32>
  %out = tensor.empty() : tensor<512x2048xf16>
  %result = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<512x2048xf32>, tensor<2048xf32>) outs(%out : tensor<512x2048xf16>) {
  ^bb0(%sum: f32, %b: f32, %old: f16):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<512x2048xf16>
  return %result : tensor<512x2048xf16>
}

func.func @batched(%a: memref<8x256x128xf16>, %b: memref<8x128x512xf16>, %c: memref<8x256x512xf32>) {
  linalg.batch_matmul ins(%a, %b : memref<8x256x128xf16>, memref<8x128x512xf16>) outs(%c : memref<8x256x512xf32>)
  return
}

func.func @twice(%a: memref<304x96xf16>, %b: memref<96x80xf16>, %c: memref<304x80xf16>) {
  linalg.matmul ins(%a, %b : memref<304x96xf16>, memref<96x80xf16>) outs(%c : memref<304x80xf16>)
  linalg.matmul ins(%a, %b : memref<304x96xf16>, memref<96x80xf16>) outs(%c : memref<304x80xf16>)
  return
}

func.func @dynamic(%a: memref<?x128xf16>, %b: memref<128x512xf16>, %c: memref<?x512xf16>) {
  linalg.matmul ins(%a, %b : memref<?x128xf16>, memref<128x512xf16>) outs(%c : memref<?x512xf16>)
  return
}
