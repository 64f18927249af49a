// RUN: mlir-opt %plugin %s --canonicalize --split-input-file | FileCheck %s

// Two waits with nothing in between that has an effect are one.
// CHECK-LABEL: func.func @repeated
// CHECK-NEXT:    hone.wait
// CHECK-NEXT:    %[[SUM:.*]] = arith.addi
// CHECK-NEXT:    return %[[SUM]]
func.func @repeated(%a: index, %b: index) -> index {
  hone.wait
  %sum = arith.addi %a, %b : index
  hone.wait
  hone.wait
  return %sum : index
}

// -----

// A call may start something.
// CHECK-LABEL: func.func @call_between
// CHECK:         hone.wait
// CHECK-NEXT:    call @start
// CHECK-NEXT:    hone.wait
func.func private @start()
func.func @call_between() {
  hone.wait
  func.call @start() : () -> ()
  hone.wait
  return
}

// -----

// So may the other branch.
// CHECK-LABEL: func.func @other_block
// CHECK-COUNT-2: hone.wait
func.func @other_block(%condition: i1) {
  scf.if %condition {
    hone.wait
  }
  hone.wait
  return
}

// -----

// A batch of one element is reshapes of the operands that have it.
// CHECK-LABEL: func.func @unit_batch(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<1x64x32xf16>, %[[B:[^:]*]]: tensor<32x48xf16>, %[[C:[^:]*]]: tensor<1x64x48xf16>)
// CHECK-NEXT:    %[[A1:.*]] = tensor.collapse_shape %[[A]] {{\[\[}}0, 1], [2]] : tensor<1x64x32xf16> into tensor<64x32xf16>
// CHECK-NEXT:    %[[C1:.*]] = tensor.collapse_shape %[[C]] {{\[\[}}0, 1], [2]]
// CHECK-NEXT:    %[[D:.*]] = hone.matmul ins(%[[A1]], %[[B]] : tensor<64x32xf16>, tensor<32x48xf16>) outs(%[[C1]] : tensor<64x48xf16>) init(zero) acc(f32) -> tensor<64x48xf16>
// CHECK-NEXT:    %[[R:.*]] = tensor.expand_shape %[[D]] {{\[\[}}0, 1], [2]] output_shape [1, 64, 48]
// CHECK-NEXT:    return %[[R]]
func.func @unit_batch(%a: tensor<1x64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<1x64x48xf16>) -> tensor<1x64x48xf16> {
  %d = hone.matmul ins(%a, %b : tensor<1x64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<1x64x48xf16>) init(zero) acc(f32) -> tensor<1x64x48xf16>
  return %d : tensor<1x64x48xf16>
}

// -----

// Later batches take its letter; so do those of the epilogue's operands.
// CHECK-LABEL: func.func @unit_batch_of_two(
// CHECK-SAME:    %[[E:[^:]*]]: tensor<1x4xf32>)
// CHECK:         %[[E1:.*]] = tensor.collapse_shape %[[E]] {{\[\[}}0, 1]]
// CHECK:         hone.matmul ins(%{{.*}}[m, b, k], %{{.*}} : tensor<64x4x32xf16>, tensor<4x32x48xf16>)
// CHECK-SAME:      outs(%{{.*}} : tensor<4x64x48xf16>) init(zero) acc(f32) epilogue(%[[E1]][b] : tensor<4xf32>)
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2], [3]] output_shape [1, 4, 64, 48]
func.func @unit_batch_of_two(%a: tensor<64x1x4x32xf16>, %b: tensor<1x4x32x48xf16>, %c: tensor<1x4x64x48xf16>, %e: tensor<1x4xf32>) -> tensor<1x4x64x48xf16> {
  %d = hone.matmul ins(%a[m, b, h, k], %b : tensor<64x1x4x32xf16>, tensor<1x4x32x48xf16>) outs(%c : tensor<1x4x64x48xf16>) init(zero) acc(f32)
    epilogue(%e[b, h] : tensor<1x4xf32>) {
  ^bb0(%sum: f32, %x: f32):
    %0 = arith.addf %sum, %x : f32
    %1 = arith.truncf %0 : f32 to f16
    hone.yield %1 : f16
  } -> tensor<1x4x64x48xf16>
  return %d : tensor<1x4x64x48xf16>
}

// -----

// CHECK-LABEL: func.func @unit_batch_in_memory(
// CHECK:         %[[A:.*]] = memref.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : memref<1x64x32xf16, strided<[4096, 64, 1]>> into memref<64x32xf16, strided<[64, 1]>>
// CHECK:         hone.matmul ins(%[[A]], %{{.*}} : memref<64x32xf16, strided<[64, 1]>>, memref<32x48xf16>) outs(%{{.*}} : memref<64x48xf16>)
func.func @unit_batch_in_memory(%a: memref<1x64x32xf16, strided<[4096, 64, 1]>>, %b: memref<1x32x48xf16>, %c: memref<1x64x48xf16>) {
  hone.matmul ins(%a, %b : memref<1x64x32xf16, strided<[4096, 64, 1]>>, memref<1x32x48xf16>) outs(%c : memref<1x64x48xf16>) init(read) acc(f32)
  return
}

// -----

// Only C says that the batch has one element.
// CHECK-LABEL: func.func @unknown_batch(
// CHECK-NEXT:    hone.matmul ins(%{{.*}}, %{{.*}} : tensor<?x64x32xf16>, tensor<32x48xf16>)
func.func @unknown_batch(%a: tensor<?x64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<1x64x48xf16>) -> tensor<1x64x48xf16> {
  %d = hone.matmul ins(%a, %b : tensor<?x64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<1x64x48xf16>) init(zero) acc(f32) -> tensor<1x64x48xf16>
  return %d : tensor<1x64x48xf16>
}

// -----

// A schedule is one of the problem with its batch.
// CHECK-LABEL: func.func @scheduled_unit_batch(
// CHECK-NEXT:    hone.matmul ins(%{{.*}}, %{{.*}} : memref<1x64x64xf16>, memref<1x64x64xf16>)
func.func @scheduled_unit_batch(%a: memref<1x64x64xf16>, %b: memref<1x64x64xf16>, %c: memref<1x64x64xf16>) {
  hone.matmul ins(%a, %b : memref<1x64x64xf16>, memref<1x64x64xf16>) outs(%c : memref<1x64x64xf16>) init(zero) acc(f32) schedule(#hone.schedule<mma_sync>)
  return
}
