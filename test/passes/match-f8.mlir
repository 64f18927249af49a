// Products of 8 bits are added in blocks, whatever the extension is called; where the op insists on exact
// ones it is left, as is what lies in another layout.

// RUN: hone-opt %s --hone-match=arch=h200 --remark-policy=all --remark-format=emitRemark --remarks-filter=hone -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: hone-opt %s --hone-match=arch=h200 | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// WHY: matched {{.*}}Function=named{{.*}}a = f8E4M3FN:row:16, b = f8E4M3FN:col:16, acc = f32, products = blocks, c = f32:16
// CHECK-LABEL: @named
// CHECK: hone.matmul {{.*}}f8E4M3FN{{.*}} acc(f32) products(blocks)
func.func @named(%a: tensor<256x96xf8E4M3FN>, %b: tensor<128x96xf8E4M3FN>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<256x96xf8E4M3FN>, tensor<128x96xf8E4M3FN>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// An extension ahead of the product moves into it.
// CHECK-LABEL: @extended
// CHECK: hone.matmul {{.*}}f8E5M2{{.*}} acc(f32) products(blocks)
func.func @extended(%a: tensor<256x96xf8E5M2>, %b: tensor<128x96xf8E5M2>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %x = arith.extf %a : tensor<256x96xf8E5M2> to tensor<256x96xf32>
  %y = arith.extf %b : tensor<128x96xf8E5M2> to tensor<128x96xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<256x96xf32>, tensor<128x96xf32>) outs(%c : tensor<256x128xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// WHY: Function=exact | Remark="not matched: {{.*}}or products = blocks"
// CHECK-LABEL: @exact
// CHECK: linalg.matmul
func.func @exact(%a: tensor<256x96xf8E4M3FN>, %b: tensor<128x96xf8E4M3FN>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] {hone.products = #hone.products<exact>} ins(%a, %b : tensor<256x96xf8E4M3FN>, tensor<128x96xf8E4M3FN>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// WHY: Function=rows | Remark="not matched: elements of 8 bits are read where k runs along the lines of A and of B; transpose them first"
// CHECK-LABEL: @rows
// CHECK: linalg.matmul
func.func @rows(%a: tensor<256x96xf8E4M3FN>, %b: tensor<96x128xf8E4M3FN>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<256x96xf8E4M3FN>, tensor<96x128xf8E4M3FN>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// WHY: Function=odd | Remark="not matched: elements of 8 bits are read where K is known to be a multiple of 16, but it is 97; pad it"
// CHECK-LABEL: @odd
// CHECK: linalg.matmul
func.func @odd(%a: tensor<256x97xf8E4M3FN>, %b: tensor<128x97xf8E4M3FN>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<256x97xf8E4M3FN>, tensor<128x97xf8E4M3FN>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}
