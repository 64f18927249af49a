// RUN: mlir-opt %plugin %s -o %t.text
// RUN: mlir-opt %plugin %S/v4.mlirbc -o %t.bytecode
// RUN: diff %t.text %t.bytecode
// RUN: hone-opt --accept-bytecode %S/v4.mlirbc | diff %t.text -

// Version 4 of the dialect. v4.mlirbc is the output of version 4 for this file
// and never changes. It has the feature that version 3 lacks: schedules for
// small values of an unknown extent.

func.func private @attributes() attributes {ranges = #hone.ranges<n to 8: mma_sync, tile = 16x64x64, warps = 1x4>}

func.func @ranges(%a: memref<?x4096xf16>, %b: memref<4096x512xf16>, %c: memref<?x512xf16>) {
  hone.matmul ins(%a, %b : memref<?x4096xf16>, memref<4096x512xf16>) outs(%c : memref<?x512xf16>) init(zero) acc(f32)
    arch(#hone.arch<h200>) schedule(#hone.schedule<ws, side = a, tile = 128x128x64>)
    ranges(#hone.ranges<m to 16: mma_sync, tile = 16x64x64, warps = 1x4 | m to 512: mma_sync, tile = 64x64x64, warps = 2x2>)
  return
}
