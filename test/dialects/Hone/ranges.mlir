// RUN: hone-opt %s | FileCheck %s
// RUN: hone-opt %s | hone-opt | FileCheck %s
// RUN: hone-opt %s --emit-bytecode | hone-opt --accept-bytecode | FileCheck %s
// RUN: hone-opt %s --mlir-print-op-generic | hone-opt | FileCheck %s

// Other schedules for small values of an unknown extent.

// CHECK: attributes {all = #hone.ranges<n to 8: mma_sync, tile = 16x64x64, {{[^|]*}} | n to 4096: ws, side = b,
func.func private @attribute() attributes {all = #hone.ranges<n to 8 : mma_sync, tile = 16x64x64, warps = 1x4 | n to 4096: ws, side = b, tile = 16x64x64, consumers = 1x1>}

// CHECK-LABEL: func.func @two
// CHECK: arch(#hone.arch<h200>) schedule(#hone.schedule<ws, side = a, tile = 128x128x64,
// CHECK-SAME: ranges(#hone.ranges<m to 16: mma_sync, tile = 16x64x64, {{[^|]*}} | m to 512: mma_sync, tile = 64x64x64,
func.func @two(%a: memref<?x4096xf16>, %b: memref<4096x512xf16>, %c: memref<?x512xf16>) {
  hone.matmul ins(%a, %b : memref<?x4096xf16>, memref<4096x512xf16>) outs(%c : memref<?x512xf16>) init(zero) acc(f32)
    arch(#hone.arch<h200>) schedule(#hone.schedule<ws, side = a, tile = 128x128x64>)
    ranges(#hone.ranges<m to 16: mma_sync, tile = 16x64x64, warps = 1x4 | m to 512: mma_sync, tile = 64x64x64, warps = 2x2>)
  return
}

// A rewrite's list of its own ends a range, too.
// CHECK-LABEL: func.func @rewritten
// CHECK: rewrites = [prefetch(4)] | m to 512: ws
func.func @rewritten(%a: memref<?x4096xf16>, %b: memref<4096x512xf16>, %c: memref<?x512xf16>) {
  hone.matmul ins(%a, %b : memref<?x4096xf16>, memref<4096x512xf16>) outs(%c : memref<?x512xf16>) init(zero) acc(f32)
    schedule(#hone.schedule<mma_sync>)
    ranges(#hone.ranges<m to 16: ws, side = a, tile = 128x128x64, rewrites = [prefetch(4)] | m to 512: ws>)
  return
}
