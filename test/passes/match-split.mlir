// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{arch=sm_90a})' %{remarks} -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// Ops that were fused into the body of a product become ops of their own again.

#mk = affine_map<(m, n, k) -> (m, k)>
#m = affine_map<(m, n, k) -> (m)>
#k = affine_map<(m, n, k) -> (k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func @scaled_and_rounded(
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<64x32xf32>, tensor<64xf32>) outs(%{{.*}} : tensor<64x32xf16>)
// CHECK: arith.mulf
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: linalg.yield
// CHECK: hone.matmul ins(%[[A]], %{{.*}} : tensor<64x32xf16>, tensor<32x48xf16>)
func.func @scaled_and_rounded(%x: tensor<64x32xf32>, %s: tensor<64xf32>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %d = linalg.generic {indexing_maps = [#mk, #m, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %s, %b : tensor<64x32xf32>, tensor<64xf32>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) {
  ^bb0(%xe: f32, %se: f32, %be: f16, %ce: f32):
    %0 = arith.mulf %xe, %se : f32
    %1 = arith.truncf %0 : f32 to f16
    %2 = arith.extf %1 : f16 to f32
    %3 = arith.extf %be : f16 to f32
    %4 = arith.mulf %3, %2 : f32
    %5 = arith.addf %4, %ce : f32
    linalg.yield %5 : f32
  } -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// A sum by one fused multiplication and addition is one, too.
// CHECK-LABEL: func @fma(
// CHECK: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<64x32xf16>, tensor<32x48xf16>)
func.func @fma(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %d = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) {
  ^bb0(%ae: f16, %be: f16, %ce: f32):
    %0 = arith.extf %ae : f16 to f32
    %1 = arith.extf %be : f16 to f32
    %2 = math.fma %0, %1, %ce : f32
    linalg.yield %2 : f32
  } -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// The producer rounds and extends: the f16 between both is found.
// CHECK-LABEL: func @rounded_by_producer(
// CHECK: %[[A:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<64x32xf16>)
// CHECK: hone.matmul ins(%[[A]], %{{.*}} : tensor<64x32xf16>, tensor<32x48xf16>)
#id = affine_map<(i, j) -> (i, j)>
func.func @rounded_by_producer(%x: tensor<64x32xf32>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<64x32xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%xe: f32, %o: f32):
    %0 = math.tanh %xe : f32
    %1 = arith.truncf %0 : f32 to f16
    %2 = arith.extf %1 : f16 to f32
    linalg.yield %2 : f32
  } -> tensor<64x32xf32>
  %w = arith.extf %b : tensor<32x48xf16> to tensor<32x48xf32>
  %d = linalg.matmul ins(%a, %w : tensor<64x32xf32>, tensor<32x48xf32>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// An op before the product is an op of its own, in its type.
// REMARK: matched {{.*}}Function=three_factors | Remark="{{.*}}a = f32:row:16, b = f32:row:16
// CHECK-LABEL: func @three_factors(
// CHECK: linalg.generic
// CHECK: hone.matmul
func.func @three_factors(%a: tensor<64x32xf16>, %s: tensor<32xf32>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %d = linalg.generic {indexing_maps = [#mk, #k, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %s, %b : tensor<64x32xf16>, tensor<32xf32>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) {
  ^bb0(%ae: f16, %se: f32, %be: f16, %ce: f32):
    %0 = arith.extf %ae : f16 to f32
    %1 = arith.mulf %0, %se : f32
    %2 = arith.extf %be : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %ce, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// An op that cannot be taken stays as it was.
// REMARK: Function=huge_factors | Remark="not matched: {{.*}}A is f32, and B is f16
// CHECK-LABEL: func @huge_factors(
// CHECK-NEXT: linalg.generic
// CHECK-NOT: hone.matmul
func.func @huge_factors(%a: tensor<2147483647x2147483647xf16>, %s: tensor<2147483647xf32>, %b: tensor<2147483647x2147483647xf16>, %c: tensor<2147483647x2147483647xf32>) -> tensor<2147483647x2147483647xf32> {
  %d = linalg.generic {indexing_maps = [#mk, #k, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %s, %b : tensor<2147483647x2147483647xf16>, tensor<2147483647xf32>, tensor<2147483647x2147483647xf16>) outs(%c : tensor<2147483647x2147483647xf32>) {
  ^bb0(%ae: f16, %se: f32, %be: f16, %ce: f32):
    %0 = arith.extf %ae : f16 to f32
    %1 = arith.mulf %0, %se : f32
    %2 = arith.extf %be : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %ce, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2147483647x2147483647xf32>
  return %d : tensor<2147483647x2147483647xf32>
}

// REMARK: Function=index | Remark="not matched: a factor is computed with 'linalg.index'"
func.func @index(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %d = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) {
  ^bb0(%ae: f16, %be: f16, %ce: f32):
    %i = linalg.index 2 : index
    %j = arith.index_cast %i : index to i16
    %f = arith.sitofp %j : i16 to f16
    %0 = arith.addf %ae, %f : f16
    %1 = arith.mulf %0, %be : f16
    %2 = arith.extf %1 : f16 to f32
    %3 = arith.addf %ce, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}
