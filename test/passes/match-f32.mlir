// On a GPU products of f32 are exact unless less is permitted: by the option, or by the op, which overrides
// it. Narrower elements have no such products. Products that no kernel supports are left, with a remark.

// RUN: hone-opt %s --hone-match=arch=h200 --remark-policy=all --remark-format=emitRemark --remarks-filter=hone -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: hone-opt %s --hone-match="arch=h200 f32=tf32x3" | FileCheck %s
// RUN: hone-opt %s --hone-match="f32=tf32" | FileCheck %s --check-prefix=ONE
// RUN: not hone-opt %s --hone-match="f32=f16" 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: hone-opt %s --hone-pipeline="arch=h200 f32=tf32x3 shipped=false guess=false" | FileCheck %s --check-prefix=PLAN
// RUN: hone-opt %s --hone-pipeline="arch=sm_80" | FileCheck %s --check-prefix=THREADS

// OPTION: option 'f32': expected one of exact, tf32x3, tf32, but got 'f16'

// EXACT: matched {{.*}}Function=plain{{.*}}b = f32:row:16, acc = f32, c = f32:16
// CHECK-LABEL: @plain
// CHECK: hone.matmul {{.*}} acc(f32) products(tf32x3)
// ONE-LABEL: @plain
// ONE: hone.matmul {{.*}} acc(f32) products(tf32)
// PLAN: hone_mma_sync_tf32x3_f32
// THREADS: hone_mma_sync_f32_f32
func.func @plain(%a: tensor<256x96xf32>, %b: tensor<96x128xf32>) -> tensor<256x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x128xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<256x96xf32>, tensor<96x128xf32>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// EXACT: matched {{.*}}Function=permitted{{.*}}acc = f32, products = tf32, c = f32:16
// CHECK-LABEL: @permitted
// CHECK: hone.matmul {{.*}} acc(f32) products(tf32)
func.func @permitted(%a: tensor<256x96xf32>, %b: tensor<96x128xf32>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = linalg.matmul {hone.products = #hone.products<tf32>} ins(%a, %b : tensor<256x96xf32>, tensor<96x128xf32>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// EXACT: matched {{.*}}Function=exact{{.*}}acc = f32, c = f32:16
// CHECK-LABEL: @exact
// CHECK: hone.matmul {{.*}} acc(f32) ->
// ONE-LABEL: @exact
// ONE: hone.matmul {{.*}} acc(f32) ->
func.func @exact(%a: tensor<256x96xf32>, %b: tensor<96x128xf32>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = linalg.matmul {hone.products = #hone.products<exact>} ins(%a, %b : tensor<256x96xf32>, tensor<96x128xf32>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// The attribute survives when ops that were fused into the op are split off it.
// CHECK-LABEL: @split
// CHECK: hone.matmul {{.*}} acc(f32) products(tf32)
func.func @split(%a: tensor<256x96xf32>, %b: tensor<96x128xf32>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"], hone.products = #hone.products<tf32>}
      ins(%a, %b : tensor<256x96xf32>, tensor<96x128xf32>) outs(%c : tensor<256x128xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %e = math.exp %x : f32
    %p = arith.mulf %e, %y : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// A narrower operand is converted.
// EXACT: matched {{.*}}Function=mixed{{.*}}b = f32:row:16, acc = f32, c = f32:16
// CHECK-LABEL: @mixed
// CHECK: hone.matmul {{.*}} products(tf32x3)
func.func @mixed(%a: tensor<256x96xf32>, %b: tensor<96x128xf16>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<256x96xf32>, tensor<96x128xf16>) outs(%c : tensor<256x128xf32>) {
  ^bb0(%x: f32, %y: f16, %sum: f32):
    %e = arith.extf %y : f16 to f32
    %p = arith.mulf %x, %e : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// EXACT: Function=wide | Remark="not matched
// CHECK-LABEL: @wide
// CHECK: linalg.matmul
func.func @wide(%a: tensor<256x96xf64>, %b: tensor<96x128xf64>, %c: tensor<256x128xf64>) -> tensor<256x128xf64> {
  %0 = linalg.matmul ins(%a, %b : tensor<256x96xf64>, tensor<96x128xf64>) outs(%c : tensor<256x128xf64>) -> tensor<256x128xf64>
  return %0 : tensor<256x128xf64>
}

// CHECK-LABEL: @narrow
// CHECK: hone.matmul {{.*}} acc(f32) ->
func.func @narrow(%a: tensor<256x96xf16>, %b: tensor<96x128xf16>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<256x96xf16>, tensor<96x128xf16>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}
