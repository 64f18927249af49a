// RUN: hone-opt %s --hone-pipeline="arch=sm_90a schedule='mma_sync' prove=required" -o /dev/null
// RUN: hone-opt %s --hone-pipeline="arch=sm_90a schedule='ws' prove=required" -o /dev/null
//
// A matrix that serves every element of the batch has a batch stride of 0, so the
// guard does not check the alignment of that stride, and the proof accepts that.

#a = affine_map<(b, m, n, k) -> (m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>

func.func @one_a(%a: tensor<?x?xf16>, %b: tensor<?x?x?xf16>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = linalg.contract indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<?x?xf16>, tensor<?x?x?xf16>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
