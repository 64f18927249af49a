// RUN: hone-opt %s --hone-build-kernel --split-input-file --verify-diagnostics
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-build-kernel)' --split-input-file --verify-diagnostics

func.func @without_schedule(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  // expected-error @+1 {{expected a matmul with an arch and a schedule, but got none; run hone-select-schedule first}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32)
  return
}

// -----

func.func @without_arch(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  // expected-error @+1 {{expected a matmul with an arch and a schedule, but got none; run hone-select-schedule first}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32)
    schedule(#hone.schedule<mma_sync, tile = 64x64x32, warps = 2x2, stages = 3, group = 4>)
  return
}

// -----

func.func @on_tensors(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf16>) -> tensor<64x48xf16> {
  // expected-error @+1 {{expected operands in memory, but got 'tensor<64x48xf16>'; bufferize first, e.g. with one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map}}}
  %0 = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 64x64x32, warps = 2x2, stages = 3, group = 4>) -> tensor<64x48xf16>
  return %0 : tensor<64x48xf16>
}

// -----

// A schedule that breaks a law never gets here: the op's verifier rejects it.

func.func @wrong_kind(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  // expected-error @+1 {{schedule_c1: expected an arch of compute capability 8.0 or newer, but got 'host'; use the host kind}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32)
    arch(#hone.arch<host>) schedule(#hone.schedule<mma_sync, tile = 64x64x32, warps = 2x2, stages = 3, group = 4>)
  return
}

// -----

// Each operand has an address and two strides.
func.func @many_operands(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>,
    %e0: memref<64x48xf32>, %e1: memref<64x48xf32>, %e2: memref<64x48xf32>, %e3: memref<64x48xf32>, %e4: memref<64x48xf32>, %e5: memref<64x48xf32>, %e6: memref<64x48xf32>, %e7: memref<64x48xf32>, %e8: memref<64x48xf32>, %e9: memref<64x48xf32>, %e10: memref<64x48xf32>, %e11: memref<64x48xf32>, %e12: memref<64x48xf32>, %e13: memref<64x48xf32>, %e14: memref<64x48xf32>, %e15: memref<64x48xf32>, %e16: memref<64x48xf32>, %e17: memref<64x48xf32>, %e18: memref<64x48xf32>) {
  // expected-error @+1 {{expected a launch plan, but got expected at most 64 arguments, but got more}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32)
    epilogue(%e0[m, n], %e1[m, n], %e2[m, n], %e3[m, n], %e4[m, n], %e5[m, n], %e6[m, n], %e7[m, n], %e8[m, n], %e9[m, n], %e10[m, n], %e11[m, n], %e12[m, n], %e13[m, n], %e14[m, n], %e15[m, n], %e16[m, n], %e17[m, n], %e18[m, n] : memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>, memref<64x48xf32>) {
  ^bb0(%acc: f32, %v0: f32, %v1: f32, %v2: f32, %v3: f32, %v4: f32, %v5: f32, %v6: f32, %v7: f32, %v8: f32, %v9: f32, %v10: f32, %v11: f32, %v12: f32, %v13: f32, %v14: f32, %v15: f32, %v16: f32, %v17: f32, %v18: f32):
    %x = arith.truncf %acc : f32 to f16
    hone.yield %x : f16
  } arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 64x64x32, warps = 2x2, stages = 3, group = 4>)
  return
}
