// The kernel that packs transposes operands that tensor cores cannot; the product reads lines along k.

// DEFINE: %{schedule} =
// DEFINE: %{build} = hone-opt --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize

// REDEFINE: %{schedule} = ws, tile = 128x128x32, stages = 4, pack = ab
// RUN: %{build} %s -o %t
// RUN: FileCheck %s < %t
// RUN: hone-opt %t --hone-lower-kernel --hone-emit | FileCheck %s --check-prefix=PTX
// REDEFINE: %{schedule} = ws, tile = 128x96x32, stages = 4, cluster = 2x1, pack = b
// RUN: sed 's/tf32x3/tf32/' %s | %{build} | FileCheck %s --check-prefix=ONE
// REDEFINE: %{schedule} = ws, tile = 128x96x32, stages = 4, cluster = 2x1, pack = a
// RUN: not %{build} %s 2>&1 | FileCheck %s --check-prefix=HALF

// B has k lines of n elements, its copies n lines of k.
// CHECK: "workspace m * ceildiv(k, 32) * 256 + n * ceildiv(k, 32) * 256",
// CHECK-SAME: "launch hone_pack_f32_split_f32_split_turned", "grid min(528, ceildiv(m * ceildiv(k, 4), 1024) + ceildiv(k, 64) * ceildiv(n, 64)) ; 1 ; 1"
// CHECK-SAME: "param ptr b", "param ptr ws + m * ceildiv(k, 32) * 256", "param i32 k", "param i32 n", "param i32 1", "param i32 1", "param i64 ldb", "param i64 0", "param i64 0", "param i64 ceildiv(k, 32) * 32",
// CHECK-SAME: "param tensormap ws + m * ceildiv(k, 32) * 256 : f32 dims (k, n, 2) strides (ceildiv(k, 32) * 32 * 4, n * ceildiv(k, 32) * 32 * 4) box (32, 128, 1) swizzle 128"
// CHECK: gpu.func @hone_pack_f32_split_f32_split_turned
// CHECK: kernel.copy.lines {{.*}} and
// CHECK: %[[LOW:.*]] = kernel.matrix %[[WS:.*]] at %{{.*}}[%[[N:.*]], %[[K:.*]]] stride %[[LDTO:.*]] : <f32> -> <f32, align = 16>
// CHECK: %[[B:.*]] = kernel.matrix %{{.*}} at %{{.*}}[%[[K]], %[[N]]] stride %{{.*}} : <f32> -> <f32, align = 4>
// CHECK: %[[HIGH:.*]] = kernel.matrix %[[WS]] at %{{.*}}[%[[N]], %[[K]]] stride %[[LDTO]] : <f32> -> <f32, align = 16>
// CHECK: kernel.transpose.lines run %{{.*}} of %[[B]] to %[[HIGH]] and %[[LOW]]

// No threads meet.
// PTX: .visible .entry hone_pack_f32_split_f32_split_turned
// PTX-NOT: {{bar.sync|shared}}
// PTX: st.global.v4

// A as it lies, through a map of its own.
// ONE: "launch hone_pack_f32_turned"
// ONE: "launch hone_ws_tf32_f32_nn
// ONE-SAME: "param tensormap a : tf32 dims (k, m) strides (lda * 4)
// ONE-SAME: "param tensormap ws : tf32 dims (k, n) strides (ceildiv(k, 32) * 32 * 4) box (32, 48) swizzle 128"
// ONE: kernel.transpose.lines run %{{.*}} of %{{.*}} to %{{[^ ]*}} :

// HALF: schedule_c84: expected b, whose parts tensor cores read as columns, to be split by the kernel that packs it where products are tf32x3, but got pack = a; use ab
func.func @nn(%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<?x?xf32, strided<[?, 1]>>, %c: memref<?x?xf32, strided<[?, 1]>>) {
  hone.matmul ins(%a, %b : memref<?x?xf32, strided<[?, 1]>>, memref<?x?xf32, strided<[?, 1]>>)
              outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(zero) acc(f32) products(tf32x3)
  return
}
