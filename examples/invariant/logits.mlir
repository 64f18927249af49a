// A model of two layers whose logits do not change with the batch: the bits of a row depend on
// this row and on the weights alone, by hone-pipeline's option `numbers=invariant`.
func.func @logits(%x: tensor<?x512xf16>, %w1: tensor<512x320xf16>, %bias: tensor<320xf32>,
                  %w2: tensor<320x96xf16>) -> tensor<?x96xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x512xf16>
  %empty1 = tensor.empty(%rows) : tensor<?x320xf32>
  %init1 = linalg.fill ins(%zero : f32) outs(%empty1 : tensor<?x320xf32>) -> tensor<?x320xf32>
  %sums = linalg.matmul ins(%x, %w1 : tensor<?x512xf16>, tensor<512x320xf16>)
      outs(%init1 : tensor<?x320xf32>) -> tensor<?x320xf32>
  %empty2 = tensor.empty(%rows) : tensor<?x320xf16>
  %hidden = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%sums, %bias : tensor<?x320xf32>, tensor<320xf32>) outs(%empty2 : tensor<?x320xf16>) {
    ^bb0(%sum: f32, %b: f32, %old: f16):
      %biased = arith.addf %sum, %b : f32
      %positive = arith.maximumf %biased, %zero : f32
      %narrow = arith.truncf %positive : f32 to f16
      linalg.yield %narrow : f16
  } -> tensor<?x320xf16>
  %empty3 = tensor.empty(%rows) : tensor<?x96xf32>
  %init3 = linalg.fill ins(%zero : f32) outs(%empty3 : tensor<?x96xf32>) -> tensor<?x96xf32>
  %logits = linalg.matmul ins(%hidden, %w2 : tensor<?x320xf16>, tensor<320x96xf16>)
      outs(%init3 : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %logits : tensor<?x96xf32>
}
