// Constants of an epilogue that canonicalization has moved out of its region are not
// ops of the kernel itself.

// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='swap_ab, tile = 32x64x128, stages = 4'" --hone-build-kernel=fallback=false --canonicalize -o %t
// RUN: FileCheck %s --input-file=%t
// RUN: hone-opt %t --hone-verify-kernel -o /dev/null
// RUN: hone simulate %s --arch=h200 --schedule='swap_ab, tile = 32x64x128, stages = 4'
// CHECK: gpu.func
// CHECK: arith.constant 5.000000e-01 : f32
// CHECK: kernel.role

func.func @matmul(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>) {
  hone.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?xf16>) init(zero) acc(f32)
    epilogue {
    ^bb0(%sum: f32):
      %half = arith.constant 0.5 : f32
      %0 = arith.mulf %sum, %half : f32
      %1 = arith.truncf %0 : f32 to f16
      hone.yield %1 : f16
    }
  return
}
