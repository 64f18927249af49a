// The registers of consumers widen weights of 8 bits to the type of A: slots hold bytes.

// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws, side = b, tile = 64x128x128, consumers = 1x2, stages = 4'" --hone-build-kernel=fallback=false --canonicalize -o %t
// RUN: FileCheck %s < %t
// RUN: hone-opt %t --hone-lower-kernel --hone-emit | FileCheck %s --check-prefix=PTX
// RUN: hone simulate %t | FileCheck %s --check-prefix=RIGHT
// RUN: sed 's/(%a, %b/(%a, col %b/; s/i8/f8E5M2/g' %s | hone simulate - --schedule="ws, side = b, persistent = no, tile = 32x64x128, consumers = 1x1, stages = 3, splits = 2" | FileCheck %s --check-prefix=RIGHT

// CHECK: "param tensormap a : f16 dims (k, m) strides (lda * 2) box (64, 64) swizzle 128"
// CHECK-SAME: "param tensormap b : i8 dims (n, k) strides (ldb * 1) box (128, 128) swizzle 128"
// CHECK: %[[B:.*]] = kernel.ring at 0 : <4 of 128 x 128 x i8>
// CHECK: kernel.ring at 65536 : <4 of 64 x 128 x f16>
// CHECK: kernel.read %[[B]][%{{.*}}] rows %{{.*}} step 7 transposed : <4 of 128 x 128 x i8> -> <"a", 64 x f16, warps = 4 x 1>
// CHECK: kernel.mma.fetched {{.*}} step 7 to
// PTX: ld.shared.b8
// PTX: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, {%{{r[0-9]+}}, %{{r[0-9]+}}, %{{r[0-9]+}}, %{{r[0-9]+}}}, %rd{{[0-9]+}}, keep, 1, 1, 0;
// RIGHT-NOT: wrong
// RIGHT: right (clocks, values
// RIGHT-NOT: wrong
func.func @weights(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xi8, strided<[?, 1]>>, %c: memref<?x?xf16, strided<[?, 1]>>) {
  hone.matmul ins(%a, %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xi8, strided<[?, 1]>>)
              outs(%c : memref<?x?xf16, strided<[?, 1]>>) init(zero) acc(f32)
  return
}
