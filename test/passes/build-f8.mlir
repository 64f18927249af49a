// Kernels for 8 bits: a step of k has 32 elements, and each block of 128 is a sum of its own, which starts at
// zero and which threads add to the others.

// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws, tile = 256x128x128, stages = 4'" --hone-build-kernel --canonicalize | FileCheck %s
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws, tile = 256x128x128, stages = 4'" --hone-build-kernel --canonicalize --hone-lower-kernel --hone-emit -o %t
// RUN: FileCheck %s --check-prefix=PTX < %t
// RUN: FileCheck %s --check-prefix=ADD < %t
// RUN: FileCheck %s --check-prefix=COPY < %t

// Sums that may be short from end to end are those of the tensor cores alone; A and B may be of either kind.
// RUN: sed 's/products(blocks)/products(short)/' %s | hone-opt --hone-select-schedule="arch=h200 schedule='ws, tile = 128x256x128, stages = 4'" --hone-build-kernel --canonicalize | FileCheck %s --check-prefix=SHORT
// RUN: sed 's/\(%b: memref<?x?x\|col %b : [^>]*>>, memref<?x?x\)f8E4M3FN/\1f8E5M2/' %s > %t.mixed.mlir
// RUN: hone-opt %t.mixed.mlir --hone-select-schedule="arch=h200 schedule='ws, tile = 256x128x128, stages = 4'" --hone-build-kernel --canonicalize --hone-lower-kernel --hone-emit | FileCheck %s --check-prefix=MIXED
// RUN: hone-opt %t.mixed.mlir --hone-select-schedule="arch=h200 schedule='ws, side = b, persistent = no, tile = 24x64x128, consumers = 1x1, stages = 3'" --hone-build-kernel --canonicalize --hone-lower-kernel --hone-emit | FileCheck %s --check-prefix=TURNED

// SHORT: kernel.mma.async {{.*}} step 0 to %{{.*}} if %
// SHORT: kernel.mma.wait 1
// SHORT-NOT: kernel.acc.add
// SHORT: kernel.epilogue
// MIXED: wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e5m2
// TURNED: wgmma.mma_async.sync.aligned.m64n24k32.f32.e5m2.e4m3

// Chips without wgmma multiply them from registers, and add each step apart; sums that may be short are not.
// RUN: hone-opt %t.mixed.mlir --hone-select-schedule="arch=l40s schedule='mma_sync, tile = 64x64x64, warps = 2x2, stages = 3'" --hone-build-kernel --canonicalize | FileCheck %s --check-prefix=WARPS
// RUN: sed 's/products(blocks)/products(short)/' %s | hone-opt --hone-select-schedule="arch=l40s schedule='mma_sync, tile = 64x64x64, warps = 2x2, stages = 3'" --hone-build-kernel --canonicalize | FileCheck %s --check-prefix=ALONG
// WARPS: gpu.module @hone_sm_89 [#nvvm.target<O = 3, chip = "sm_89", features = "+ptx84">]
// WARPS: kernel.mma {{.*}} apart : <"a", 64 x f8E4M3FN, warps = 2 x 2>, <"b", 64 x f8E5M2, warps = 2 x 2>, <64 x 64 x f32, warps = 2 x 2>
// ALONG-NOT: apart
// ALONG: kernel.mma {{.*}} : <"a", 64 x f8E4M3FN

// On chips with wgmma no other kind multiplies them; the sibling copies all operands first, and its threads store.
// CHECK: gpu.module @hone_sm_90a_fallback
// CHECK: kernel.copy.lines {{.*}} : <f8E4M3FN, align = 1> to <f8E4M3FN, align = 16>
// CHECK: "param tensormap a : f8E4M3FN dims (k, m) strides (lda * 1) box (128, 256) swizzle 128"
// CHECK-SAME: "alternative k > 0 && ldc >= n && {{[^"]*}}", "workspace {{[^"]*}}", "launch hone_pack_f8E4M3FN_f8E4M3FN"
// CHECK-SAME: "param ptr c"
// CHECK: %[[A:.*]] = kernel.ring at 0 : <4 of 256 x 128 x f8E4M3FN>
// CHECK: %[[B:.*]] = kernel.ring at 131072 : <4 of 128 x 128 x f8E4M3FN>
// CHECK: kernel.expect {{.*}} bytes 49152
// CHECK: %[[ZERO:.*]] = kernel.zero : <64 x 128 x f32, warps = 4 x 1>
// CHECK: scf.for {{.*}} iter_args(%[[LOW:[^ ]*]] = %[[ZERO]], %[[HIGH:[^ ]*]] = %[[ZERO]],
// CHECK: kernel.mma.fence
// CHECK: kernel.mma.async %[[A]][%{{.*}}] rows %{{.*}}, %[[B]][%{{.*}}] cols %{{.*}} step 0 to %{{.*}} if %false
// CHECK-NEXT: kernel.mma.async {{.*}} step 1 to
// CHECK-NEXT: kernel.mma.async {{.*}} step 2 to
// CHECK-NEXT: %[[SUM:.*]] = kernel.mma.async {{.*}} step 3 to
// CHECK-NEXT: kernel.mma.commit
// CHECK-NEXT: %[[FIRST:.*]] = kernel.mma.wait 0 for %[[SUM]]
// CHECK-NEXT: kernel.acc.add %[[LOW]], %[[FIRST]]
// CHECK: kernel.mma.async {{.*}} step 0 to %{{.*}} if %false
// CHECK: %[[SECOND:.*]] = kernel.mma.wait 0
// CHECK-NEXT: kernel.acc.add %[[HIGH]], %[[SECOND]]
// CHECK: kernel.arrive

// The copies of the sibling, then this.
// COPY: .visible .entry hone_pack_f8E4M3FN_f8E4M3FN
// COPY: {{shf|prmt}}
// COPY: st.global.v4
// PTX: wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3
// PTX-SAME: keep, 1, 1;
// ADD: add.rn.f32
func.func @nt(%a: memref<?x?xf8E4M3FN, strided<[?, 1]>>, %b: memref<?x?xf8E4M3FN, strided<[?, 1]>>, %c: memref<?x?xbf16, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xf8E4M3FN, strided<[?, 1]>>, memref<?x?xf8E4M3FN, strided<[?, 1]>>)
              outs(%c : memref<?x?xbf16, strided<[?, 1]>>) init(zero) acc(f32) products(blocks)
  return
}
