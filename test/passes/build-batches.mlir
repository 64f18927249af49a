// Kernels find a matrix by two strides; further dimensions of a matmul are loops.

// DEFINE: %{options} =
// DEFINE: %{build} = hone-opt %s --split-input-file --hone-select-schedule="%{options}" --hone-build-kernel=fallback=false --canonicalize

// REDEFINE: %{options} = arch=h200 schedule='small, tile = 64x64x64, stages = 4'
// RUN: %{build} | FileCheck %s --check-prefix=WS
// REDEFINE: %{options} = arch=sm_80 schedule='mma_sync, tile = 64x64x32, warps = 2x2, stages = 3'
// RUN: %{build} | FileCheck %s --check-prefix=MMA
// REDEFINE: %{options} = arch=host
// RUN: %{build} | FileCheck %s --check-prefix=HOST

// The engine sees rank 4, of B rank 3: it has no outer batch.
// WS: "args a b c m n k group lda ldb ldc batch sa sb sc heads ha hb hc"
// WS-SAME: "alternative {{.*}} lda % 8 == 0 && sa % 8 == 0 && ha % 8 == 0 && {{.*}} && k > 0 && lda > 0 && ldb > 0 && ldc >= n && n % 8 == 0 && sa > 0 && sc > 0 && ha > 0 && hb > 0 && hc > 0 &&
// Elements of C are apart if its lines are nested, in any order of three.
// WS-SAME: {{ }}(((m <= 1 || max(ldc, 0 - ldc) >= n) && (heads <= 1 || {{[^"]*}} && (batch / max(heads, 1) <= 1 || {{[^"]*}} || ((batch / max(heads, 1) <= 1 || max(sc, 0 - sc) >= n) && (heads <= 1 || max(hc, 0 - hc) >= (batch / max(heads, 1) - 1) * max(sc, 0 - sc) + n) && (m <= 1 || max(ldc, 0 - ldc) >= (heads - 1) * max(hc, 0 - hc) + (batch / max(heads, 1) - 1) * max(sc, 0 - sc) + n)))"
// WS-SAME: * batch
// WS-SAME: "param tensormap a : f16 dims (k, m, heads, batch / max(heads, 1)) strides (lda * 2, ha * 2, sa * 2) box (64, 64, 1, 1) swizzle 128"
// WS-SAME: "param tensormap b : f16 dims (k, n, heads) strides (ldb * 2, hb * 2) box (64, 64, 1) swizzle 128"
// WS-SAME: "param tensormap c : f16 dims (n, m, heads, batch / max(heads, 1))
// WS: gpu.func {{.*}} !kernel.map<64 x 64 x f16, rank = 4>, {{.*}} !kernel.map<64 x 64 x f16, rank = 3>, {{.*}} !kernel.map<64 x 64 x f16, rank = 4>
// WS: %{{.*}}, %{{.*}}, %[[TILE:.*]] = kernel.tile
// WS: %[[B:.*]] = arith.divui %[[TILE]], %[[HEADS:.*]] : i32
// WS: %[[H:.*]] = arith.remui %[[TILE]], %[[HEADS]] : i32
// WS: kernel.store.async {{.*}}, %[[H]], %[[B]]] :
// WS: %[[B2:.*]] = arith.divui
// WS: %[[H2:.*]] = arith.remui
// WS: kernel.load {{.*}}, %[[H2]], %[[B2]]] to
// WS: kernel.load {{.*}}, %[[H2]]] to
// WS-LABEL: func @heads(
// WS: %[[ALL:.*]] = arith.muli
// WS: kernel.launch {{.*}}batch = {{.*}} sb = %c0_i64

// MMA: "param i32 heads", "param i64 ha", "param i64 hb", "param i64 hc"
// MMA: arith.divui
// MMA: arith.remui
// MMA: arith.addi %{{.*}}, %{{.*}} : i64
// MMA: kernel.matrix

// HOST-LABEL: func @heads(
// HOST: call @hone_host_f16
// HOST: func private @hone_host_f16
// HOST: scf.for
// HOST: scf.for
func.func @heads(%a: memref<?x?x20x64xf16, strided<[?, ?, ?, 1]>>, %b: memref<?x24x64xf16, strided<[?, ?, 1]>>, %c: memref<?x?x20x24xf16, strided<[?, ?, ?, 1]>>) {
  hone.matmul ins(%a, %b[h, n, k] : memref<?x?x20x64xf16, strided<[?, ?, ?, 1]>>, memref<?x24x64xf16, strided<[?, ?, 1]>>) outs(%c : memref<?x?x20x24xf16, strided<[?, ?, ?, 1]>>) init(zero) acc(f32)
  return
}

// -----

// Of three batches the outermost is a loop: the others move up, in epilogues too.
// WS-LABEL: func @peeled(
// WS: scf.for %[[X:.*]] = %c0 to %c5 step %c1
// WS-DAG: memref.subview %arg0[%[[X]], 0, 0, 0, 0] [1, 2, 3, 20, 64] [1, 1, 1, 1, 1]
// WS-DAG: memref.subview %arg2[%[[X]], 0, 0, 0, 0]
// WS-DAG: memref.subview %arg3[%[[X]], 0, 0] [1, 3, 24] [1, 1, 1]
// WS: kernel.launch
// WS-SAME: e0h =

// MMA-LABEL: func @peeled(
// MMA: scf.for
// MMA: kernel.launch

// HOST-LABEL: func @peeled(
// HOST-NOT: scf.for
// HOST: call @hone_host
func.func @peeled(%a: memref<5x2x3x20x64xf16>, %b: memref<2x3x64x24xf16>, %c: memref<5x2x3x20x24xf16>, %v: memref<5x3x24xf32>) {
  hone.matmul ins(%a, %b[h, i, k, n] : memref<5x2x3x20x64xf16>, memref<2x3x64x24xf16>) outs(%c : memref<5x2x3x20x24xf16>) init(zero) acc(f32) epilogue(%v[b, i, n] : memref<5x3x24xf32>) {
  ^bb0(%sum: f32, %x: f32):
    %0 = arith.addf %sum, %x : f32
    %1 = arith.truncf %0 : f32 to f16
    hone.yield %1 : f16
  }
  return
}
