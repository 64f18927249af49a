// Products of 8 bits are added in blocks, whatever the extension is called and however operands lie; where the
// op insists on exact ones it is left.

// RUN: hone-opt %s --hone-match=arch=h200 --remark-policy=all --remark-format=emitRemark --remarks-filter=hone -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: hone-opt %s --hone-match=arch=h200 | FileCheck %s
// RUN: hone-opt %s --hone-match=arch=h200 --hone-select-schedule="arch=h200 shipped=false guess=false" | FileCheck %s --check-prefix=PACKS

// RUN: hone-opt %s --hone-match="arch=h200 f8=short" | FileCheck %s --check-prefix=SHORT

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// WHY: matched {{.*}}Function=named{{.*}}a = f8E4M3FN:row:16, b = f8E4M3FN:col:16, acc = f32, products = blocks, c = f32:16
// CHECK-LABEL: @named
// CHECK: hone.matmul {{.*}}f8E4M3FN{{.*}} acc(f32) products(blocks)
// SHORT-LABEL: @named
// SHORT: hone.matmul {{.*}}f8E4M3FN{{.*}} acc(f32) products(short)
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

// WHY: Function=exact | Remark="not matched: {{.*}}or products = blocks or short"
// CHECK-LABEL: @exact
// CHECK: linalg.matmul
func.func @exact(%a: tensor<256x96xf8E4M3FN>, %b: tensor<128x96xf8E4M3FN>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] {hone.products = #hone.products<exact>} ins(%a, %b : tensor<256x96xf8E4M3FN>, tensor<128x96xf8E4M3FN>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// Operands in an order that tensor cores or the copy engine cannot read are packed.
// WHY: matched {{.*}}Function=rows{{.*}}b = f8E4M3FN:row:16
// CHECK-LABEL: @rows
// CHECK: hone.matmul {{.*}} products(blocks)
func.func @rows(%a: tensor<256x96xf8E4M3FN>, %b: tensor<96x128xf8E4M3FN>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<256x96xf8E4M3FN>, tensor<96x128xf8E4M3FN>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// CHECK-LABEL: @odd
// CHECK: hone.matmul {{.*}} products(blocks)
func.func @odd(%a: tensor<256x97xf8E4M3FN>, %b: tensor<129x97xf8E4M3FN>, %c: tensor<256x129xf32>) -> tensor<256x129xf32> {
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<256x97xf8E4M3FN>, tensor<129x97xf8E4M3FN>) outs(%c : tensor<256x129xf32>) -> tensor<256x129xf32>
  return %0 : tensor<256x129xf32>
}

// CHECK-LABEL: @open
// CHECK: hone.matmul {{.*}} products(blocks)
func.func @open(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Both kinds of floats in one product, as gradients and weights are.
// WHY: matched {{.*}}Function=mixed{{.*}}a = f8E4M3FN:row:16, b = f8E5M2:col:16, acc = f32, products = blocks, c = f32:16
// CHECK-LABEL: @mixed
// CHECK-SAME: %[[A:.*]]: tensor<256x96xf8E4M3FN>, %[[B:.*]]: tensor<128x96xf8E5M2>
// CHECK-NOT: linalg
// CHECK: hone.matmul ins(%[[A]], col %[[B]] : tensor<256x96xf8E4M3FN>, tensor<128x96xf8E5M2>) {{.*}} products(blocks)
func.func @mixed(%a: tensor<256x96xf8E4M3FN>, %b: tensor<128x96xf8E5M2>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<256x96xf8E4M3FN>, tensor<128x96xf8E5M2>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// CHECK-LABEL: @mixed_extended
// CHECK-NOT: linalg
// CHECK: hone.matmul {{.*}} : tensor<256x96xf8E5M2>, tensor<96x128xf8E4M3FN>) {{.*}} products(blocks)
func.func @mixed_extended(%a: tensor<256x96xf8E5M2>, %b: tensor<96x128xf8E4M3FN>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %x = arith.extf %a : tensor<256x96xf8E5M2> to tensor<256x96xf32>
  %y = arith.extf %b : tensor<96x128xf8E4M3FN> to tensor<96x128xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<256x96xf32>, tensor<96x128xf32>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// The op has the last word.
// CHECK-LABEL: @short
// CHECK: hone.matmul {{.*}} products(short)
func.func @short(%a: tensor<256x96xf8E4M3FN>, %b: tensor<128x96xf8E4M3FN>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] {hone.products = #hone.products<short>} ins(%a, %b : tensor<256x96xf8E4M3FN>, tensor<128x96xf8E4M3FN>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// PACKS-LABEL: @named
// PACKS-NOT: pack =
// PACKS-LABEL: @extended
// Few rows of B are turned where they are multiplied.
// PACKS-LABEL: @rows
// PACKS: ws, side = b
// PACKS-NOT: pack =
// PACKS-LABEL: @odd
// PACKS: store = threads, pack = ab>
// PACKS-LABEL: @open
// PACKS-NOT: pack =
// PACKS: return
