// RUN: hone-opt %s | hone-opt | FileCheck %s
// RUN: hone-opt %s --mlir-print-op-generic | hone-opt | FileCheck %s
// RUN: hone-opt %s --canonicalize --one-shot-bufferize="bufferize-function-boundaries allow-unknown-ops" --canonicalize | FileCheck %s --check-prefix=MEMORY

// CHECK-LABEL: @gather
// CHECK: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<30x64xf16>, tensor<64x96xf16>) outs(%{{.*}} : tensor<512x96xf16>) gather(%{{.*}} : tensor<512xi64>) init(zero) acc(f32) -> tensor<512x96xf16>
// MEMORY-LABEL: @gather
// MEMORY: gather(%{{.*}} : memref<512xi64{{.*}}>) init(zero)
func.func @gather(%a: tensor<30x64xf16>, %b: tensor<64x96xf16>, %c: tensor<512x96xf16>, %rows: tensor<512xi64>) -> tensor<512x96xf16> {
  %d = hone.matmul ins(%a, %b : tensor<30x64xf16>, tensor<64x96xf16>) outs(%c : tensor<512x96xf16>) gather(%rows : tensor<512xi64>) init(zero) acc(f32) -> tensor<512x96xf16>
  return %d : tensor<512x96xf16>
}

// CHECK-LABEL: @ragged
// CHECK: ragged(%{{.*}} : tensor<?xi32>) gather(%{{.*}} : tensor<?xi32>) init(read) acc(f32) epilogue(%{{.*}}[n] : tensor<96xf32>) {
func.func @ragged(%a: tensor<?x64xf16>, %b: tensor<?x64x96xf16>, %c: tensor<?x96xf32>, %bias: tensor<96xf32>, %ends: tensor<?xi32>, %rows: tensor<?xi32>) -> tensor<?x96xf32> {
  %d = hone.matmul ins(%a, %b : tensor<?x64xf16>, tensor<?x64x96xf16>) outs(%c : tensor<?x96xf32>) ragged(%ends : tensor<?xi32>) gather(%rows : tensor<?xi32>) init(read) acc(f32) epilogue(%bias[n] : tensor<96xf32>) {
  ^bb0(%sum: f32, %v: f32):
    %0 = arith.addf %sum, %v : f32
    hone.yield %0 : f32
  } -> tensor<?x96xf32>
  return %d : tensor<?x96xf32>
}

// An index with gaps, and rows with gaps, are copied.
// MEMORY-LABEL: @copied
// MEMORY-DAG: memref.copy %{{.*}}, %[[ROWS:[a-z0-9_]*]] : memref<30x2xf16
// MEMORY-DAG: memref.copy %{{.*}}, %[[INDEX:[a-z0-9_]*]] : memref<8xi32
// MEMORY: hone.matmul ins(%[[ROWS]], {{.*}} gather(%[[INDEX]] : memref<8xi32>)
func.func @copied(%all: tensor<30x2x2xf16>, %b: tensor<2x96xf16>, %c: tensor<8x96xf16>, %indices: tensor<16xi32>) -> tensor<8x96xf16> {
  %a = tensor.extract_slice %all[0, 0, 1] [30, 2, 1] [1, 1, 1] : tensor<30x2x2xf16> to tensor<30x2xf16>
  %rows = tensor.extract_slice %indices[0] [8] [2] : tensor<16xi32> to tensor<8xi32>
  %d = hone.matmul ins(%a, %b : tensor<30x2xf16>, tensor<2x96xf16>) outs(%c : tensor<8x96xf16>) gather(%rows : tensor<8xi32>) init(zero) acc(f32) -> tensor<8x96xf16>
  return %d : tensor<8x96xf16>
}

// The batch of a ragged sum is kept, even if there is one.
// CHECK-LABEL: @sum
// CHECK: hone.matmul ins(col %{{.*}}, %{{.*}} : tensor<512x64xf16>, tensor<512x96xf16>) outs(%{{.*}} : tensor<1x64x96xf32>) ragged(%{{.*}} : tensor<1xi32>) init(zero)
// MEMORY-LABEL: @sum
// MEMORY: outs(%{{.*}} : memref<1x64x96xf32{{.*}}>) ragged(
func.func @sum(%x: tensor<512x64xf16>, %dy: tensor<512x96xf16>, %c: tensor<1x64x96xf32>, %ends: tensor<1xi32>) -> tensor<1x64x96xf32> {
  %d = hone.matmul ins(col %x, %dy : tensor<512x64xf16>, tensor<512x96xf16>) outs(%c : tensor<1x64x96xf32>) ragged(%ends : tensor<1xi32>) init(zero) acc(f32) -> tensor<1x64x96xf32>
  return %d : tensor<1x64x96xf32>
}
