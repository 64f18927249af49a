// A build's choice for ragged rows is a tile of ws, whatever the extents, without mma_sync
// where the engine can read the operands.

// RUN: hone explain %s --arch=h200 | FileCheck %s
// RUN: hone explain %s --arch=sm_80 | FileCheck %s --check-prefix=OTHER

// CHECK: problem m = 5526, n = 5376, k = 3608, rows = ragged:4
// CHECK: schedule ws, side = a, tile = 128x256x64, consumers = 2x1
// CHECK: why the cost model
// CHECK: problem m = 27, n = 2080, k = 3224, rows = ragged:256
// CHECK: schedule ws, side = a, tile = 64x
// CHECK: problem {{.*}} k = 3610
// CHECK: schedule mma_sync
// OTHER-COUNT-3: schedule mma_sync

func.func @many(%a: tensor<5526x3608xbf16>, %b: tensor<4x3608x5376xbf16>, %ends: tensor<4xi32>) -> tensor<5526x5376xbf16> {
  %c = tensor.empty() : tensor<5526x5376xbf16>
  %d = hone.matmul ins(%a, %b : tensor<5526x3608xbf16>, tensor<4x3608x5376xbf16>) outs(%c : tensor<5526x5376xbf16>) ragged(%ends : tensor<4xi32>) init(zero) acc(f32) -> tensor<5526x5376xbf16>
  return %d : tensor<5526x5376xbf16>
}

func.func @few(%a: tensor<27x3224xbf16>, %b: tensor<256x3224x2080xbf16>, %ends: tensor<256xi32>) -> tensor<27x2080xbf16> {
  %c = tensor.empty() : tensor<27x2080xbf16>
  %d = hone.matmul ins(%a, %b : tensor<27x3224xbf16>, tensor<256x3224x2080xbf16>) outs(%c : tensor<27x2080xbf16>) ragged(%ends : tensor<256xi32>) init(zero) acc(f32) -> tensor<27x2080xbf16>
  return %d : tensor<27x2080xbf16>
}

func.func @unaligned(%a: tensor<512x3610xbf16>, %b: tensor<4x3610x512xbf16>, %ends: tensor<4xi32>) -> tensor<512x512xbf16> {
  %c = tensor.empty() : tensor<512x512xbf16>
  %d = hone.matmul ins(%a, %b : tensor<512x3610xbf16>, tensor<4x3610x512xbf16>) outs(%c : tensor<512x512xbf16>) ragged(%ends : tensor<4xi32>) init(zero) acc(f32) -> tensor<512x512xbf16>
  return %d : tensor<512x512xbf16>
}
