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
