// Products of 8-bit floats whose rows are read through an index: no kernel of an
// H200 does this, so the rows are copied. Indices are any numbers.

// RUN: hone run %s --arch=h200 --rest=gpu --stand-in 2>&1 | FileCheck %s
// CHECK: rows {{ *}}h200 {{ *}}1 {{.*}} 4320/4320 {{ *}}0 

func.func @rows(%a: tensor<37x64xf8E4M3FN>, %b: tensor<64x48xf8E4M3FN>, %index: tensor<90xi32>)
    -> tensor<90x48xf32> {
  %empty = tensor.empty() : tensor<90x48xf32>
  %c = hone.matmul ins(%a, %b : tensor<37x64xf8E4M3FN>, tensor<64x48xf8E4M3FN>) outs(%empty : tensor<90x48xf32>)
      gather(%index : tensor<90xi32>) init(zero) acc(f32) products(blocks) -> tensor<90x48xf32>
  return %c : tensor<90x48xf32>
}
