// A convolution and a matrix that is added to its sums, read by the copy engine or by threads: both kernels are proven.

// DEFINE: %{schedule} =
// DEFINE: %{simulate} = hone simulate %s --arch=h100 --schedule="%{schedule}" | FileCheck %s

// REDEFINE: %{schedule} = ws, side = a, tile = 128x64x64, consumers = 2x1, stages = 3, chunk = 16
// RUN: %{simulate}
// RUN: hone-opt %s --hone-select-schedule="arch=h100 schedule='%{schedule}'" --hone-build-kernel | FileCheck %s --check-prefix=ENGINE
// REDEFINE: %{schedule} = ws, side = a, tile = 64x64x64, consumers = 1x1, stages = 3, residual = threads
// RUN: %{simulate}
// REDEFINE: %{schedule} = ws, side = b, tile = 32x64x64, consumers = 1x1, persistent = no, stages = 3, chunk = 16
// RUN: %{simulate}

// CHECK: hone_ws
// CHECK-NOT: wrong
// CHECK: right (clocks, values
// CHECK-NOT: wrong
// ENGINE: param tensormap e0 : f16 dims (n, m)
func.func @added(%x: memref<2x14x14x64xf16>, %w: memref<576x96xf16>, %r: memref<392x96xf16>, %c: memref<392x96xf16>) {
  hone.matmul ins(%x window(3x3, low 1x1, high 1x1), %w : memref<2x14x14x64xf16>, memref<576x96xf16>)
    outs(%c : memref<392x96xf16>) init(zero) acc(f32) epilogue(%r[m, n] : memref<392x96xf16>) {
  ^bb0(%s: f32, %v: f16):
    %0 = arith.extf %v : f16 to f32
    %1 = arith.addf %s, %0 : f32
    %2 = arith.truncf %1 : f32 to f16
    hone.yield %2 : f16
  }
  return
}
