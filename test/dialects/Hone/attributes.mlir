// RUN: mlir-opt %plugin %s | FileCheck %s
// RUN: mlir-opt %plugin %s | mlir-opt %plugin | FileCheck %s

// CHECK-LABEL: func private @schedule()
// A decision that is left out is as usual; every one is printed.
// CHECK-SAME: default = #hone.schedule<mma_sync, tile = 128x128x32, warps = 2x4, stages = 4, slices = 1, splits = 1, run = 2, group = 8>
// CHECK-SAME: host = #hone.schedule<host, tile = 192x528x256, micro = 8x48, unroll = 4>
// CHECK-SAME: rewritten = #hone.schedule<ws, {{.*}}, stages = 4, group = 8, rewrites = [flight(0), stores(joined)]>
// CHECK-SAME: some = #hone.schedule<mma_sync, tile = 64x128x32, warps = 2x4, stages = 3, slices = 1, splits = 1, run = 2, group = 8>
func.func private @schedule() attributes {
  default = #hone.schedule<mma_sync>,
  host = #hone.schedule<host, tile = 192x528x256, micro = 8x48>,
  rewritten = #hone.schedule<ws, rewrites = [stores(joined), flight(0)]>,
  some = #hone.schedule<mma_sync, stages = 3, tile = 64x128x32>
}

// CHECK-LABEL: func private @arch()
// CHECK-SAME: chip = #hone.arch<h200>
// CHECK-SAME: cpu = #hone.arch<host>
// CHECK-SAME: isa = #hone.arch<sm_90a>
// CHECK-SAME: named = #hone.arch<h100-pcie>
// CHECK-SAME: named_part = #hone.arch<h100-nvl/64>
// CHECK-SAME: part = #hone.arch<h200/64>
func.func private @arch() attributes {
  chip = #hone.arch<h200>, cpu = #hone.arch<host>, isa = #hone.arch<sm_90a>,
  named = #hone.arch<h100-pcie>, named_part = #hone.arch<h100-nvl/64>,
  part = #hone.arch<h200/64>
}

// CHECK-LABEL: func private @dims()
// CHECK-SAME: none = #hone.dims<>
// CHECK-SAME: some = #hone.dims<b, m, k>
func.func private @dims() attributes {none = #hone.dims<>, some = #hone.dims<b, m, k>}

// CHECK-LABEL: func private @problem()
// CHECK-SAME: batched = #hone.problem<batch = ?, m = 128, n = 128, k = 64, a = bf16:row:16, b = bf16:row:8:shared, acc = f32, c = f32:16, init = read>
// CHECK-SAME: canonical = #hone.problem<m = 1, n = 2, k = 3, {{.*}}, epilogue = "addf(acc, n:f32) | mulf($0, n:f32@2)">
// CHECK-SAME: fused = #hone.problem<m = 128, n = ?, k = 64, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero, epilogue = "addf(acc, n:f32)">
func.func private @problem() attributes {
  batched = #hone.problem<batch = ?, m = 128, n = 128, k = 64, a = bf16:row:16, b = bf16:row:8:shared,
                          acc = f32, c = f32:16, init = read>,
  canonical = #hone.problem<n = 2, m = 1, k = 3, epilogue = "addf(acc,n:f32@2)|mulf($0,n:f32)", a = f16:row:16,
                            b = f16:col:16, acc = f32, c = f16:16, init = zero>,
  fused = #hone.problem<m = 128, n = ?, k = 64, a = f16:row:16, b = f16:col:16,
                        acc = f32, c = f16:16, init = zero, epilogue = "addf(acc, n:f32)">
}

// Accesses: a printed one reads back, whatever its spaces and its spelling.
// CHECK-LABEL: func private @accesses()
// CHECK-SAME: b = #hone.problem<m = 64, n = 96, k = 64, a = f16:row:16, b = f16:n[4*4096, 24*1] k[64*64]:16, acc = f32, c = f16:16, init = zero>
// CHECK-SAME: windows = #hone.problem<m = ?, n = 24, k = 576, a = f16:m[?*50176, 14*2x, 28*y] k[3*x, 3*y, 64*1] x[28*1792, low 1] y[28*64, low 1]:16, b = f16:col:16, acc = f32, c = f16:16, init = zero>
func.func private @accesses() attributes {
  b = #hone.problem<m = 64, n = 96, k = 64, a = f16:row:16, b = f16:n[4*4096,2*12,12*1]k[64*64]:16, acc = f32, c = f16:16, init = zero>,
  windows = #hone.problem<m = ?, n = 24, k = 576, a = f16:m[?*50176, 14*2x, 28*1y] k[3*x, 3*y, 64*1] x[28*1792, low 1] y[28*64,low 1]:16, b = f16:col:16, acc = f32, c = f16:16, init = zero>
}
