// The factor of x in a GELU or SiLU is one gate: no constant of the text is
// left to multiply by, and there is no division.

// RUN: hone-opt %s --split-input-file --hone-build-kernel=fallback=false --canonicalize --hone-lower-kernel | FileCheck %s

// 0.5 x (1 + tanh(0.79788 (x + 0.044715 x^3))) = x / (1 + 2^(x (a + b x^2))).
// CHECK-LABEL: gpu.module
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1.000000e+00 : f32)
// CHECK-DAG: %[[A:.*]] = llvm.mlir.constant(-2.30220819 : f32)
// CHECK-DAG: %[[B:.*]] = llvm.mlir.constant(-0.102943242 : f32)
// CHECK: %[[SQUARE:.*]] = llvm.fmul %[[X:.*]], %[[X]]
// CHECK-NEXT: %[[SUM:.*]] = llvm.intr.fma(%[[SQUARE]], %[[B]], %[[A]])
// CHECK-NEXT: %[[POWER:.*]] = llvm.fmul %[[X]], %[[SUM]]
// CHECK-NEXT: %[[EXP:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[POWER]])
// CHECK-NEXT: %[[BELOW:.*]] = llvm.fadd %[[EXP]], %[[ONE]]
// CHECK-NEXT: %[[GATE:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[BELOW]])
// CHECK-NEXT: llvm.fmul %[[GATE]], %[[X]]
func.func @gelu(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf16>) {
  hone.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf16>) init(zero) acc(f32)
    epilogue {
    ^bb0(%x: f32):
      %half = arith.constant 0.5 : f32
      %one = arith.constant 1.0 : f32
      %cube = arith.constant 0.044715 : f32
      %root = arith.constant 0.79788456 : f32
      %0 = arith.mulf %x, %x : f32
      %1 = arith.mulf %0, %x : f32
      %2 = arith.mulf %1, %cube : f32
      %3 = arith.addf %x, %2 : f32
      %4 = arith.mulf %3, %root : f32
      %5 = math.tanh %4 : f32
      %6 = arith.addf %5, %one : f32
      %7 = arith.mulf %x, %half : f32
      %8 = arith.mulf %7, %6 : f32
      %9 = arith.truncf %8 : f32 to f16
      hone.yield %9 : f16
    }
    arch(#hone.arch<h200>) schedule(#hone.schedule<mma_sync, tile = 32x32x32, warps = 2x2, stages = 2, group = 4>)
  return
}
