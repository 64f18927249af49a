// Rows that tensor cores do not read from shared memory as they lie are fetched into registers, turned or split,
// and nothing is packed for them.

// DEFINE: %{schedule} =
// DEFINE: %{build} = hone-opt --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize

// REDEFINE: %{schedule} = ws, side = b, tile = 64x128x32, consumers = 1x2, stages = 4
// RUN: sed 's/tf32x3/tf32/' %s | %{build} -o %t.turned.mlir
// RUN: FileCheck %s --check-prefix=TURNED < %t.turned.mlir
// RUN: hone-opt %t.turned.mlir --hone-lower-kernel --hone-emit | FileCheck %s --check-prefix=PTX
// REDEFINE: %{schedule} = ws, side = b, tile = 64x128x32, consumers = 1x2, stages = 4, pack = a
// RUN: %{build} %s | FileCheck %s --check-prefix=SPLIT

// TURNED: "launch hone_ws_tf32_f32_nn
// TURNED-SAME: "param tensormap a : tf32 dims (k, m) strides (lda * 4) box (32, 64) swizzle 128"
// TURNED-SAME: "param tensormap b : tf32 dims (n, k) strides (ldb * 4) box (32, 32) swizzle 128"
// TURNED: %[[A:.*]] = kernel.ring at 0 : <4 of 32 x 128 x f32>
// TURNED: %[[B:.*]] = kernel.ring at 65536 : <4 of 64 x 32 x f32>
// All rows of a slot's steps come first, and the registers are waited for before the next ones.
// TURNED: kernel.await
// TURNED: %[[F0:.*]] = kernel.read %[[A]][%{{.*}}] rows %{{.*}} step 0 transposed
// TURNED: %[[F3:.*]] = kernel.read %[[A]][%{{.*}}] rows %{{.*}} step 3 transposed
// TURNED-NEXT: kernel.mma.fence
// TURNED-NEXT: kernel.mma.fetched %[[F0]], %[[B]][%{{.*}}] cols %{{.*}} step 0 to
// TURNED: kernel.mma.fetched %[[F3]], %[[B]][%{{.*}}] cols %{{.*}} step 3 to
// TURNED-NEXT: kernel.mma.commit
// TURNED-NEXT: kernel.mma.wait 0
// TURNED-NEXT: kernel.arrive

// PTX: ld.shared.b32
// PTX: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {{.*}}, {%{{r[0-9]+}}, %{{r[0-9]+}}, %{{r[0-9]+}}, %{{r[0-9]+}}}, %rd{{[0-9]+}}, keep, 1, 1;

// Both parts of the columns come in one step, and three products of 32 of k become one sum, that of A's low part first.
// SPLIT: "launch hone_pack_f32_split"
// SPLIT: "param tensormap ws : f32 dims (k, m, 2)
// SPLIT-SAME: "param tensormap b : f32 dims (n, k)
// SPLIT: %[[ROWS:.*]] = kernel.ring at 0 : <4 of 32 x 128 x f32>
// SPLIT: %[[HIGH:.*]] = kernel.ring at 65536 : <4 of 64 x 32 x f32>
// SPLIT: %[[LOW:.*]] = kernel.ring at 98304 : <4 of 64 x 32 x f32>
// SPLIT-NOT: arith.remui %{{.*}}, %c3_i32
// SPLIT: kernel.expect {{.*}} bytes 32768
// SPLIT: kernel.load {{.*}} to %[[ROWS]]
// SPLIT: kernel.load {{.*}}, %c0_i32] to %[[HIGH]]
// SPLIT: kernel.load {{.*}}, %c1_i32] to %[[LOW]]
// SPLIT: %[[FH:.*]], %[[FL:.*]] = kernel.split
// SPLIT: kernel.mma.fetched %[[FH]], %[[LOW]][%{{.*}}] cols %{{.*}} step 0 to %{{.*}} if %false
// SPLIT: kernel.mma.fetched %[[FL]], %[[HIGH]][%{{.*}}] cols %{{.*}} step 0 to
// SPLIT: kernel.mma.fetched %[[FH]], %[[HIGH]][%{{.*}}] cols %{{.*}} step 0 to
// SPLIT: kernel.mma.wait 0
// SPLIT-NEXT: kernel.acc.add

func.func @nn(%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<?x?xf32, strided<[?, 1]>>, %c: memref<?x?xf32, strided<[?, 1]>>) {
  hone.matmul ins(%a, %b : memref<?x?xf32, strided<[?, 1]>>, memref<?x?xf32, strided<[?, 1]>>)
              outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(zero) acc(f32) products(tf32x3)
  return
}
