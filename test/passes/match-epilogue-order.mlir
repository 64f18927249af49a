// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: hone-opt %s --hone-match %{remarks} -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// The order of a result's dimensions: those of one element come and go, and a result
// that is only seen transposed is computed that way.

// CHECK-LABEL: func @unit_moves(
// CHECK: %[[C:.*]] = tensor.empty() : tensor<64x48xf16>
// CHECK: %[[D:.*]] = hone.matmul
// CHECK-NOT: linalg
// CHECK: return
func.func @unit_moves(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x48xf16>
  %0 = linalg.fill ins(%zero : f16) outs(%e : tensor<64x48xf16>) -> tensor<64x48xf16>
  %1 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<64x48xf16>) -> tensor<64x48xf16>
  %2 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [64, 1, 48] : tensor<64x48xf16> into tensor<64x1x48xf16>
  %f = tensor.empty() : tensor<64x48x1xf16>
  %3 = linalg.transpose ins(%2 : tensor<64x1x48xf16>) outs(%f : tensor<64x48x1xf16>) permutation = [0, 2, 1]
  %4 = tensor.collapse_shape %3 [[0], [1, 2]] : tensor<64x48x1xf16> into tensor<64x48xf16>
  %5 = linalg.exp ins(%4 : tensor<64x48xf16>) outs(%e : tensor<64x48xf16>) -> tensor<64x48xf16>
  return %5 : tensor<64x48xf16>
}

// CHECK-LABEL: func @transposed(
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<64x32xf16>, %[[B:[a-z0-9]*]]: tensor<32x48xf16>, %[[BIAS:[a-z0-9]*]]: tensor<48xf32>
// CHECK: %[[C:.*]] = tensor.empty() : tensor<48x64xf32>
// CHECK: hone.matmul ins(col %[[B]], col %[[A]] : {{.*}}) outs(%[[C]] : tensor<48x64xf32>) init(zero) acc(f32) epilogue(%[[BIAS]][m] :
// CHECK-NOT: linalg
// CHECK: return
func.func @transposed(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %bias: tensor<48xf32>) -> tensor<48x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = tensor.empty() : tensor<48x64xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %rows = linalg.broadcast ins(%bias : tensor<48xf32>) outs(%e : tensor<64x48xf32>) dimensions = [0]
  %2 = linalg.add ins(%1, %rows : tensor<64x48xf32>, tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %3 = linalg.transpose ins(%2 : tensor<64x48xf32>) outs(%f : tensor<48x64xf32>) permutation = [1, 0]
  return %3 : tensor<48x64xf32>
}

// Two opposite transposes cancel.
// CHECK-LABEL: func @there_and_back(
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<64x32xf16>, %[[B:[a-z0-9]*]]: tensor<32x48xf16>
// CHECK: hone.matmul ins(%[[A]], %[[B]] :
// CHECK-NOT: linalg
// CHECK: return
func.func @there_and_back(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>, %d: tensor<48x64xf32>) -> tensor<64x48xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.transpose ins(%0 : tensor<64x48xf32>) outs(%d : tensor<48x64xf32>) permutation = [1, 0]
  %2 = linalg.exp ins(%1 : tensor<48x64xf32>) outs(%d : tensor<48x64xf32>) -> tensor<48x64xf32>
  %3 = linalg.transpose ins(%2 : tensor<48x64xf32>) outs(%c : tensor<64x48xf32>) permutation = [1, 0]
  return %3 : tensor<64x48xf32>
}

// A square destination that C starts from is not the one its transpose is written to.
// CHECK-LABEL: func @square(
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<64x64xf16>, %[[B:[a-z0-9]*]]: tensor<64x64xf16>, %[[C:[a-z0-9]*]]: tensor<64x64xf32>
// CHECK: %[[D:.*]] = tensor.empty() : tensor<64x64xf32>
// CHECK: hone.matmul ins(col %[[B]], col %[[A]] : {{.*}}) outs(%[[D]] : {{.*}}) init(zero) acc(f32) epilogue(%[[C]][n, m] :
func.func @square(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.transpose ins(%0 : tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) permutation = [1, 0]
  return %1 : tensor<64x64xf32>
}

// Both orders at once cannot be one store.
// REMARK: Function=both_orders | Remark="not fused into the matmul: it reads the matmul's result in two orders"
// REMARK: Function=both_orders | Remark="not fused into the matmul: a value that it reads is also used by 'linalg.add', and a matmul stores one result"
func.func @both_orders(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.transpose ins(%0 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) permutation = [1, 0]
  %2 = linalg.add ins(%0, %1 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// Heads that change places with the sequence are parts of rows and columns.
// REMARK: Function=heads | Remark="not fused into the matmul: neither rows nor columns are innermost in its result, or parts of one kind are apart (nmn)"
func.func @heads(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<4x64x12xf32> {
  %e = tensor.empty() : tensor<4x64x12xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [64, 4, 12] : tensor<64x48xf32> into tensor<64x4x12xf32>
  %2 = linalg.transpose ins(%1 : tensor<64x4x12xf32>) outs(%e : tensor<4x64x12xf32>) permutation = [1, 0, 2]
  return %2 : tensor<4x64x12xf32>
}

// REMARK: Function=parts | Remark="not fused into the matmul: it permutes parts of a dimension of the matmul"
func.func @parts(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x12x4xf32> {
  %e = tensor.empty() : tensor<64x12x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [64, 4, 12] : tensor<64x48xf32> into tensor<64x4x12xf32>
  %2 = linalg.transpose ins(%1 : tensor<64x4x12xf32>) outs(%e : tensor<64x12x4xf32>) permutation = [0, 2, 1]
  return %2 : tensor<64x12x4xf32>
}

// REMARK: Function=repeated | Remark="not fused into the matmul: it repeats the matmul's result"
func.func @repeated(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<4x64x48xf32> {
  %e = tensor.empty() : tensor<4x64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.broadcast ins(%0 : tensor<64x48xf32>) outs(%e : tensor<4x64x48xf32>) dimensions = [0]
  return %1 : tensor<4x64x48xf32>
}

// REMARK: Function=flattened | Remark="not fused into the matmul: the reshape before it joins dimensions of the matmul that are of several kinds"
func.func @flattened(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<3072xf32> {
  %e = tensor.empty() : tensor<3072xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<64x48xf32> into tensor<3072xf32>
  %2 = linalg.exp ins(%1 : tensor<3072xf32>) outs(%e : tensor<3072xf32>) -> tensor<3072xf32>
  return %2 : tensor<3072xf32>
}
