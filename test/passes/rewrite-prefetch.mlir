// Tiles that are fetched to the L2 four steps before they are loaded: along K, in the parts in
// which a cluster loads them. K may number columns, or lines.

// DEFINE: %{schedule} =
// DEFINE: %{kernel} = hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize
// DEFINE: %{proof} = hone-opt --hone-verify-kernel -o /dev/null

// REDEFINE: %{schedule} = ws, tile = 128x128x64, cluster = 2x1, rewrites = [prefetch(4)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t
// RUN: %{proof} %t

func.func @f(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf16>) {
  hone.matmul ins(%a, col %b : memref<1024x1024xf16>, memref<1024x1024xf16>) outs(%c : memref<1024x1024xf16>) init(zero) acc(f32)
  return
}

// CHECK: gpu.func @{{.*}}(%[[A:[a-z0-9]+]]: !kernel.map<128 x 64 x f16, rank = 2>, %[[B:[a-z0-9]+]]: !kernel.map
// CHECK: kernel.load %[[A]][%[[ROW:.*]], %[[K:.*]]] to %[[RING_A:.*]][
// CHECK: kernel.load %[[B]][%[[COL:.*]], %[[K]]] to %[[RING_B:.*]][%{{.*}}] signals %{{.*}} part %[[PART:.*]] of 2
// CHECK: %[[AHEAD_A:.*]] = arith.addi %[[K]], %c256_i32
// CHECK-NEXT: kernel.prefetch %[[A]][%[[ROW]], %[[AHEAD_A]]] like %[[RING_A]] :
// CHECK: %[[AHEAD_B:.*]] = arith.addi %[[K]], %c256_i32
// CHECK-NEXT: kernel.prefetch %[[B]][%[[COL]], %[[AHEAD_B]]] like %[[RING_B]] part %[[PART]] of 2 :
