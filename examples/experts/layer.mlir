// A layer of a mixture of experts: each of 45 tokens goes through two of seven experts, which
// are chosen on the device. With `rest=gpu` nothing is left on the host.
//
//   hone run layer.mlir --arch=host
//   hone-opt layer.mlir --hone-pipeline="arch=sm_90a rest=gpu"

#each = affine_map<(t, e) -> (t, e)>
#pair = affine_map<(j) -> (j)>

func.func @layer(%x: tensor<45x72xf16>, %router: tensor<72x7xf16>, %up: tensor<7x72x112xf16>,
                 %down: tensor<7x56x72xf16>) -> tensor<45x72xf16> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant -1 : i32

  // The score of each expert.
  %empty_scores = tensor.empty() : tensor<45x7xf32>
  %no_scores = linalg.fill ins(%zero : f32) outs(%empty_scores : tensor<45x7xf32>) -> tensor<45x7xf32>
  %scores = linalg.matmul ins(%x, %router : tensor<45x72xf16>, tensor<72x7xf16>)
      outs(%no_scores : tensor<45x7xf32>) -> tensor<45x7xf32>

  // The two best ones of each token, and the softmax of their scores. A NaN is never the best.
  %empty_experts = tensor.empty() : tensor<45x2xi32>
  %empty_weights = tensor.empty() : tensor<45x2xf32>
  %experts, %weights = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel"]}
      outs(%empty_experts, %empty_weights : tensor<45x2xi32>, tensor<45x2xf32>) {
    ^bb0(%old_expert: i32, %old_weight: f32):
      %t = linalg.index 0 : index
      %k = linalg.index 1 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c7 = arith.constant 7 : index
      %e1, %s1, %e2, %s2 = scf.for %e = %c0 to %c7 step %c1
          iter_args(%first = %none, %best = %low, %second = %none, %next = %low) -> (i32, f32, i32, f32) {
        %score = tensor.extract %scores[%t, %e] : tensor<45x7xf32>
        %own = arith.index_cast %e : index to i32
        %is_best = arith.cmpf ogt, %score, %best : f32
        %is_next = arith.cmpf ogt, %score, %next : f32
        %e_next = arith.select %is_next, %own, %second : i32
        %s_next = arith.select %is_next, %score, %next : f32
        %e1 = arith.select %is_best, %own, %first : i32
        %s1 = arith.select %is_best, %score, %best : f32
        %e2 = arith.select %is_best, %first, %e_next : i32
        %s2 = arith.select %is_best, %best, %s_next : f32
        scf.yield %e1, %s1, %e2, %s2 : i32, f32, i32, f32
      }
      %is_first = arith.cmpi eq, %k, %c0 : index
      %e = arith.select %is_first, %e1, %e2 : i32
      %own = arith.select %is_first, %s1, %s2 : f32
      %other = arith.select %is_first, %s2, %s1 : f32
      %more = arith.subf %other, %own : f32
      %exp = math.exp %more : f32
      %sum = arith.addf %exp, %one : f32
      %weight = arith.divf %one, %sum : f32
      linalg.yield %e, %weight : i32, f32
  } -> (tensor<45x2xi32>, tensor<45x2xf32>)

  // Rows of tokens, group by group.
  %rows, %places, %ends = hone.route %experts groups 7
      : tensor<45x2xi32> -> tensor<90xi32>, tensor<90xi32>, tensor<7xi32>

  // Gate and up at once: columns 0 to 55, and 56 to 111.
  %empty_both = tensor.empty() : tensor<90x112xf16>
  %both = hone.matmul ins(%x, %up : tensor<45x72xf16>, tensor<7x72x112xf16>) outs(%empty_both : tensor<90x112xf16>)
      ragged(%ends : tensor<7xi32>) gather(%rows : tensor<90xi32>) init(zero) acc(f32) -> tensor<90x112xf16>
  %gates = tensor.extract_slice %both[0, 0] [90, 56] [1, 1] : tensor<90x112xf16> to tensor<90x56xf16>
  %ups = tensor.extract_slice %both[0, 56] [90, 56] [1, 1] : tensor<90x112xf16> to tensor<90x56xf16>
  %empty_hidden = tensor.empty() : tensor<90x56xf16>
  %hidden = linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel", "parallel"]}
      ins(%gates, %ups : tensor<90x56xf16>, tensor<90x56xf16>) outs(%empty_hidden : tensor<90x56xf16>) {
    ^bb0(%g16: f16, %u16: f16, %old: f16):
      %g = arith.extf %g16 : f16 to f32
      %u = arith.extf %u16 : f16 to f32
      %minus = arith.negf %g : f32
      %exp = math.exp %minus : f32
      %sum = arith.addf %exp, %one : f32
      %silu = arith.divf %g, %sum : f32
      %product = arith.mulf %silu, %u : f32
      %narrow = arith.truncf %product : f32 to f16
      linalg.yield %narrow : f16
  } -> tensor<90x56xf16>
  %empty_parts = tensor.empty() : tensor<90x72xf32>
  %parts = hone.matmul ins(%hidden, %down : tensor<90x56xf16>, tensor<7x56x72xf16>)
      outs(%empty_parts : tensor<90x72xf32>) ragged(%ends : tensor<7xi32>) init(zero) acc(f32) -> tensor<90x72xf32>

  // Each token has the sum of its two rows, with their weights.
  %flat = tensor.collapse_shape %weights [[0, 1]] : tensor<45x2xf32> into tensor<90xf32>
  %empty_own = tensor.empty() : tensor<90xf32>
  %own_weights = linalg.generic {indexing_maps = [#pair, #pair], iterator_types = ["parallel"]}
      ins(%places : tensor<90xi32>) outs(%empty_own : tensor<90xf32>) {
    ^bb0(%place: i32, %old: f32):
      %at = arith.index_cast %place : i32 to index
      %weight = tensor.extract %flat[%at] : tensor<90xf32>
      linalg.yield %weight : f32
  } -> tensor<90xf32>
  %empty_sums = tensor.empty() : tensor<45x72xf16>
  %zero16 = arith.constant 0.0 : f16
  %no_sums = linalg.fill ins(%zero16 : f16) outs(%empty_sums : tensor<45x72xf16>) -> tensor<45x72xf16>
  %sums = hone.scatter_rows %parts to %rows weights %own_weights into %no_sums
      : tensor<90x72xf32>, tensor<90xi32>, tensor<90xf32> into tensor<45x72xf16>
  return %sums : tensor<45x72xf16>
}
