// The output has no attribute of a dialect that stock tools lack, on any op:
// they refuse `#hone.schedule<...>` even where they do not use it.

// RUN: hone-opt %s --hone-pipeline=arch=host > %t.host.mlir
// RUN: FileCheck %s --check-prefix=HOST --input-file=%t.host.mlir
// RUN: mlir-opt %t.host.mlir | FileCheck %s --check-prefix=STOCK
// RUN: mlir-opt %t.host.mlir --emit-bytecode -o %t.bc
// RUN: mlir-opt %t.bc | FileCheck %s --check-prefix=STOCK
// RUN: hone-opt %s --hone-pipeline=arch=sm_80 | mlir-opt | FileCheck %s --check-prefix=GPU
// RUN: hone-opt %s --hone-pipeline='arch=sm_80 host=gpu' | mlir-opt | FileCheck %s --check-prefix=STOCK

// The pass by itself, on ops that matching never sees.
// RUN: hone-opt %s --hone-emit --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=ALONE

// Where Hone is loaded, text is not a schedule, and not an error either.
// RUN: hone-opt %t.host.mlir --hone-match | mlir-opt | FileCheck %s --check-prefix=STOCK

// HOST-NOT: #hone.
// HOST-NOT: {{[^a-z]}}hone.
// STOCK-NOT: #hone.
// GPU-NOT: #hone.

// STOCK-LABEL: func.func @product
// STOCK:       memref
// HOST-LABEL: func.func @product
// HOST:         call @hone_host_f32(
func.func @product(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
  return
}

// GPU-LABEL: func.func @launched
// GPU:         llvm.call @honeLaunch
// GPU-SAME:      problem = "m = 64, n = 64, k = 64, a = f16:row:16
// GPU-SAME:      schedule = "mma_sync, tile =
func.func @launched(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>)
    attributes {for = #hone.arch<sm_80>} {
  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>)
  return
}

// A pin on an op that is left alone, on a call, on an argument, in an array, in
// the metadata of a location; a name that is taken keeps its own.
// ALONE-LABEL: func.func @left
// ALONE-SAME:    hone.note = "mma_sync, tile = 128x64x32
// ALONE-SAME:    list = ["a100", {inner = "h200"}]
// ALONE-SAME:    schedule = "mine"
// ALONE:         linalg.fill {schedule = "mma_sync, tile = 64x64x64
// ALONE:         loc(fused<"h200">
func.func @left(%x: memref<4xf64> {hone.note = #hone.schedule<mma_sync, tile = 128x64x32>})
    attributes {list = [#hone.arch<a100>, {inner = #hone.arch<h200>}],
                hone.schedule = #hone.schedule<mma_sync>, schedule = "mine"} {
  %zero = arith.constant 0.0 : f64
  linalg.fill {hone.schedule = #hone.schedule<mma_sync, tile = 64x64x64>}
      ins(%zero : f64) outs(%x : memref<4xf64>) loc(fused<#hone.arch<h200>>["here"])
  return
}

// The kernel has, as text, the problem that it was built for.
// HOST:      func.func private @hone_host_f32(
// HOST-SAME:   arch = "host"
// HOST-SAME:   problem = "m = ?, n = ?, k = ?, a = f32:row
// HOST-SAME:   schedule = "host, tile =
