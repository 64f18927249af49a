// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{arch=sm_90a})' %{remarks} -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// A product of operands that were extended to f32 is, bit for bit, the product of
// the narrow ones summed in f32.

#id = affine_map<(m, n) -> (m, n)>
#t = affine_map<(m, n) -> (n, m)>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func @generics(
// CHECK-SAME: %[[A:.*]]: tensor<64x32xf16>, %[[B:.*]]: tensor<32x48xf16>, %[[C:.*]]: tensor<64x48xf32>
// CHECK-NEXT: hone.matmul ins(%[[A]], %[[B]] : tensor<64x32xf16>, tensor<32x48xf16>) outs(%[[C]] : {{.*}}) init(read) acc(f32)
// CHECK-NEXT: return
func.func @generics(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %ea = tensor.empty() : tensor<64x32xf32>
  %eb = tensor.empty() : tensor<32x48xf32>
  %wa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<64x32xf16>) outs(%ea : tensor<64x32xf32>) {
  ^bb0(%x: f16, %y: f32):
    %0 = arith.extf %x : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<64x32xf32>
  %wb = linalg.copy ins(%b : tensor<32x48xf16>) outs(%eb : tensor<32x48xf32>) -> tensor<32x48xf32>
  %d = linalg.matmul ins(%wa, %wb : tensor<64x32xf32>, tensor<32x48xf32>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// Extended as a whole, and with a detour.
// CHECK-LABEL: func @whole_tensors(
// CHECK-SAME: %[[A:.*]]: tensor<?x?xbf16>, %[[B:.*]]: tensor<32x48xbf16>,
// CHECK-NEXT: hone.matmul ins(%[[A]], %[[B]] : tensor<?x?xbf16>, tensor<32x48xbf16>)
func.func @whole_tensors(%a: tensor<?x?xbf16>, %b: tensor<32x48xbf16>, %c: tensor<?x48xf32>) -> tensor<?x48xf32> {
  %wa = arith.extf %a : tensor<?x?xbf16> to tensor<?x?xf32>
  %sa = tensor.cast %wa : tensor<?x?xf32> to tensor<?x32xf32>
  %eb = tensor.empty() : tensor<32x48xf32>
  %wb = linalg.map { arith.extf } ins(%b : tensor<32x48xbf16>) outs(%eb : tensor<32x48xf32>)
  %d = linalg.matmul ins(%sa, %wb : tensor<?x32xf32>, tensor<32x48xf32>) outs(%c : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %d : tensor<?x48xf32>
}

// Values with other users stay.
// CHECK-LABEL: func @other_users(
// CHECK: %[[W:.*]] = arith.extf
// CHECK-NOT: arith.extf
// CHECK: %[[D:.*]] = hone.matmul ins(%{{.*}}, %{{.*}} : tensor<64x32xf16>, tensor<32x48xf16>)
// CHECK: return %[[D]], %[[W]]
func.func @other_users(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> (tensor<64x48xf32>, tensor<64x32xf32>) {
  %wa = arith.extf %a : tensor<64x32xf16> to tensor<64x32xf32>
  %wb = arith.extf %b : tensor<32x48xf16> to tensor<32x48xf32>
  %d = linalg.matmul ins(%wa, %wb : tensor<64x32xf32>, tensor<32x48xf32>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %d, %wa : tensor<64x48xf32>, tensor<64x32xf32>
}

// The extension between two products is neither's epilogue.
// CHECK-LABEL: func @between_products(
// CHECK: %[[H:.*]] = hone.matmul {{.*}} -> tensor<64x48xf16>
// CHECK-NOT: extf
// CHECK: hone.matmul ins(%[[H]], %{{.*}} : tensor<64x48xf16>, tensor<48x16xf16>)
func.func @between_products(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf16>, %b2: tensor<48x16xf16>, %c2: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %h = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf16>) -> tensor<64x48xf16>
  %eh = tensor.empty() : tensor<64x48xf32>
  %wh = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<64x48xf16>) outs(%eh : tensor<64x48xf32>) {
  ^bb0(%x: f16, %y: f32):
    %0 = arith.extf %x : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<64x48xf32>
  %wb = arith.extf %b2 : tensor<48x16xf16> to tensor<48x16xf32>
  %d = linalg.matmul ins(%wh, %wb : tensor<64x48xf32>, tensor<48x16xf32>) outs(%c2 : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %d : tensor<64x16xf32>
}

// Elements that no wider type holds differ from those before. Of two types the product is one of f32.
// REMARK: matched {{.*}}Function=truncated | Remark="{{.*}}a = f32:row:16, b = f32:row:16
// CHECK-LABEL: func @truncated(
// CHECK: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<64x32xf32>, tensor<32x48xf32>)
func.func @truncated(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %na = arith.truncf %a : tensor<64x32xf32> to tensor<64x32xbf16>
  %nb = arith.truncf %b : tensor<32x48xf32> to tensor<32x48xf16>
  %wa = arith.extf %na : tensor<64x32xbf16> to tensor<64x32xf32>
  %wb = arith.extf %nb : tensor<32x48xf16> to tensor<32x48xf32>
  %d = linalg.matmul ins(%wa, %wb : tensor<64x32xf32>, tensor<32x48xf32>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// REMARK: matched {{.*}}Function=one_side | Remark="{{.*}}a = f32:row:16, b = f32:row:16
// CHECK-LABEL: func @one_side(
// CHECK: %[[A:.*]] = arith.extf
// CHECK: hone.matmul ins(%[[A]], %{{.*}} : tensor<64x32xf32>, tensor<32x48xf32>)
func.func @one_side(%a: tensor<64x32xbf16>, %b: tensor<32x48xf32>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %wa = arith.extf %a : tensor<64x32xbf16> to tensor<64x32xf32>
  %d = linalg.matmul ins(%wa, %b : tensor<64x32xf32>, tensor<32x48xf32>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// REMARK: matched {{.*}}Function=two_types | Remark="{{.*}}a = f32:row:16, b = f32:row:16
func.func @two_types(%a: tensor<64x32xbf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %wa = arith.extf %a : tensor<64x32xbf16> to tensor<64x32xf32>
  %wb = arith.extf %b : tensor<32x48xf16> to tensor<32x48xf32>
  %d = linalg.matmul ins(%wa, %wb : tensor<64x32xf32>, tensor<32x48xf32>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// REMARK: Function=doubles | Remark="not matched: element type f64; kernels multiply f16
func.func @doubles(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf64>) -> tensor<64x48xf64> {
  %wa = arith.extf %a : tensor<64x32xf16> to tensor<64x32xf64>
  %wb = arith.extf %b : tensor<32x48xf16> to tensor<32x48xf64>
  %d = linalg.matmul ins(%wa, %wb : tensor<64x32xf64>, tensor<32x48xf64>) outs(%c : tensor<64x48xf64>) -> tensor<64x48xf64>
  return %d : tensor<64x48xf64>
}
