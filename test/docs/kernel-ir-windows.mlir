// The section of docs/KernelIR.md on windows, by its own command.

// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws_coop, tile = 128x256x64, stages = 4'" --hone-build-kernel=fallback=false --canonicalize | %python %hone_src/test/docs/kernel_ir.py %hone_src/docs/KernelIR.md 'Windows: a convolution' | FileCheck %s
// CHECK: ops as the compiler writes them

func.func @convolution(%x: memref<8x28x28x64xf16>, %w: memref<576x256xf16>, %c: memref<6272x256xf16>) {
  hone.matmul ins(%x window(3x3, low 1x1, high 1x1), %w : memref<8x28x28x64xf16>, memref<576x256xf16>)
    outs(%c : memref<6272x256xf16>) init(zero) acc(f32)
  return
}
