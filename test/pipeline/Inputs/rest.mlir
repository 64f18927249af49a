// A head of attention whose products are added in f64, which no matmul kernel does: all of it is the rest's.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

func.func @head(%x: tensor<16x32xf32>, %wq: tensor<32x24xf32>, %wk: tensor<32x24xf32>, %wv: tensor<32x32xf32>) -> tensor<16x32xf32> attributes {llvm.emit_c_interface} {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f64
  %columns = arith.constant 32.0 : f32
  // Rows divided by their length.
  %e0 = tensor.empty() : tensor<16xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<16x32xf32>) outs(%f0 : tensor<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in : f32
    %1 = arith.addf %0, %out : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  %e1 = tensor.empty() : tensor<16x32xf32>
  %normed = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %squares : tensor<16x32xf32>, tensor<16xf32>) outs(%e1 : tensor<16x32xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %0 = arith.divf %sum, %columns : f32
    %1 = math.rsqrt %0 : f32
    %2 = arith.mulf %in, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x32xf32>
  %e2 = tensor.empty() : tensor<16x24xf32>
  %wf2 = tensor.empty() : tensor<16x24xf64>
  %f2 = linalg.fill ins(%none : f64) outs(%wf2 : tensor<16x24xf64>) -> tensor<16x24xf64>
  %q64 = linalg.matmul ins(%normed, %wq : tensor<16x32xf32>, tensor<32x24xf32>) outs(%f2 : tensor<16x24xf64>) -> tensor<16x24xf64>
  %q = arith.truncf %q64 : tensor<16x24xf64> to tensor<16x24xf32>
  %k64 = linalg.matmul ins(%normed, %wk : tensor<16x32xf32>, tensor<32x24xf32>) outs(%f2 : tensor<16x24xf64>) -> tensor<16x24xf64>
  %k = arith.truncf %k64 : tensor<16x24xf64> to tensor<16x24xf32>
  %wf1 = tensor.empty() : tensor<16x32xf64>
  %f1 = linalg.fill ins(%none : f64) outs(%wf1 : tensor<16x32xf64>) -> tensor<16x32xf64>
  %v64 = linalg.matmul ins(%normed, %wv : tensor<16x32xf32>, tensor<32x32xf32>) outs(%f1 : tensor<16x32xf64>) -> tensor<16x32xf64>
  %v = arith.truncf %v64 : tensor<16x32xf64> to tensor<16x32xf32>
  %e3 = tensor.empty() : tensor<24x16xf32>
  %kt = linalg.transpose ins(%k : tensor<16x24xf32>) outs(%e3 : tensor<24x16xf32>) permutation = [1, 0]
  %e4 = tensor.empty() : tensor<16x16xf32>
  %wf4 = tensor.empty() : tensor<16x16xf64>
  %f4 = linalg.fill ins(%none : f64) outs(%wf4 : tensor<16x16xf64>) -> tensor<16x16xf64>
  %s64 = linalg.matmul ins(%q, %kt : tensor<16x24xf32>, tensor<24x16xf32>) outs(%f4 : tensor<16x16xf64>) -> tensor<16x16xf64>
  %s = arith.truncf %s64 : tensor<16x16xf64> to tensor<16x16xf32>
  %scale = arith.constant dense<0.0625> : tensor<16x16xf32>
  %scaled = arith.mulf %s, %scale : tensor<16x16xf32>
  %p = linalg.softmax dimension(1) ins(%scaled : tensor<16x16xf32>) outs(%e4 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %a64 = linalg.matmul ins(%p, %v : tensor<16x16xf32>, tensor<16x32xf32>) outs(%f1 : tensor<16x32xf64>) -> tensor<16x32xf64>
  %a = arith.truncf %a64 : tensor<16x32xf64> to tensor<16x32xf32>
  %r = arith.addf %a, %x : tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}
