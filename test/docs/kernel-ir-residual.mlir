// The section of docs/KernelIR.md on residuals, by its own command.

// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws_pingpong, tile = 128x128x64, stages = 5, staged = all'" --hone-build-kernel=fallback=false --canonicalize | %python %hone_src/test/docs/kernel_ir.py %hone_src/docs/KernelIR.md 'Residuals' | FileCheck %s
// CHECK: ops as the compiler writes them

func.func @block(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>, %x: memref<?x?xf16>) {
  hone.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?xf16>) init(zero) acc(f32)
    epilogue(%x[m, n] : memref<?x?xf16>) {
    ^bb0(%sum: f32, %v: f16):
      %0 = arith.extf %v : f16 to f32
      %1 = arith.addf %sum, %0 : f32
      %2 = arith.truncf %1 : f32 to f16
      hone.yield %2 : f16
    }
  return
}
