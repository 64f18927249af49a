// RUN: hone-opt %s | hone-opt | FileCheck %s
// RUN: hone-opt %s --mlir-print-op-generic | hone-opt | FileCheck %s
// RUN: hone-opt %s --one-shot-bufferize=bufferize-function-boundaries --canonicalize | FileCheck %s --check-prefix=MEMORY

// CHECK-LABEL: @plain
// CHECK: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<512x64xf16>, tensor<8x64x96xf16>) outs(%{{.*}} : tensor<512x96xf16>) ragged(%{{.*}} : tensor<8xi32>) init(zero) acc(f32) -> tensor<512x96xf16>
// MEMORY-LABEL: @plain
// MEMORY: hone.matmul ins(%{{.*}}, %{{.*}} : memref<512x64xf16{{.*}}>, memref<8x64x96xf16{{.*}}>) outs(%{{.*}} : memref<512x96xf16{{.*}}>) ragged(%{{.*}} : memref<8xi32{{.*}}>) init(zero) acc(f32)
func.func @plain(%a: tensor<512x64xf16>, %b: tensor<8x64x96xf16>, %c: tensor<512x96xf16>, %ends: tensor<8xi32>) -> tensor<512x96xf16> {
  %d = hone.matmul ins(%a, %b : tensor<512x64xf16>, tensor<8x64x96xf16>) outs(%c : tensor<512x96xf16>) ragged(%ends : tensor<8xi32>) init(zero) acc(f32) -> tensor<512x96xf16>
  return %d : tensor<512x96xf16>
}

// CHECK-LABEL: @turned
// CHECK: hone.matmul ins(%{{.*}}, col %{{.*}} : tensor<?x64xf16>, tensor<?x96x64xf16>) outs(%{{.*}} : tensor<?x96xf32>) ragged(%{{.*}} : tensor<?xi32>) init(read) acc(f32) epilogue(%{{.*}}[n] : tensor<96xf32>) {
func.func @turned(%a: tensor<?x64xf16>, %b: tensor<?x96x64xf16>, %c: tensor<?x96xf32>, %bias: tensor<96xf32>, %ends: tensor<?xi32>) -> tensor<?x96xf32> {
  %d = hone.matmul ins(%a, col %b : tensor<?x64xf16>, tensor<?x96x64xf16>) outs(%c : tensor<?x96xf32>) ragged(%ends : tensor<?xi32>) init(read) acc(f32) epilogue(%bias[n] : tensor<96xf32>) {
  ^bb0(%sum: f32, %v: f32):
    %0 = arith.addf %sum, %v : f32
    hone.yield %0 : f32
  } -> tensor<?x96xf32>
  return %d : tensor<?x96xf32>
}

// The group need not be the first dimension.
// CHECK-LABEL: @between
// CHECK: %{{.*}}[k, b, n] : tensor<512x64xf16>, tensor<64x8x96xf16>) outs
// MEMORY-LABEL: @between
// MEMORY: memref.transpose %{{.*}} (d0, d1, d2) -> (d1, d0, d2)
func.func @between(%a: tensor<512x64xf16>, %b: tensor<64x8x96xf16>, %c: tensor<512x96xf16>, %ends: tensor<8xi32>) -> tensor<512x96xf16> {
  %d = hone.matmul ins(%a, %b[k, b, n] : tensor<512x64xf16>, tensor<64x8x96xf16>) outs(%c : tensor<512x96xf16>) ragged(%ends : tensor<8xi32>) init(zero) acc(f32) -> tensor<512x96xf16>
  return %d : tensor<512x96xf16>
}

// The ends of every second group have gaps, so they are copied.
// MEMORY-LABEL: @strided
// MEMORY: memref.copy %{{.*}}, %[[ENDS:[a-z0-9_]*]] : memref<4xi32, strided<[?]
// MEMORY: ragged(%[[ENDS]] : memref<4xi32>)
func.func @strided(%a: tensor<512x64xf16>, %b: tensor<4x64x96xf16>, %c: tensor<512x96xf16>, %all: tensor<8xi32>) -> tensor<512x96xf16> {
  %ends = tensor.extract_slice %all[0] [4] [2] : tensor<8xi32> to tensor<4xi32>
  %d = hone.matmul ins(%a, %b : tensor<512x64xf16>, tensor<4x64x96xf16>) outs(%c : tensor<512x96xf16>) ragged(%ends : tensor<4xi32>) init(zero) acc(f32) -> tensor<512x96xf16>
  return %d : tensor<512x96xf16>
}
