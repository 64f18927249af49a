// Convolutions that the copy engine reads through windows: the plan's maps, and the loads.

// RUN: hone-opt %s --split-input-file --hone-select-schedule="arch=h100 schedule='ws, side = a, tile = 128x64x64, consumers = 2x1, stages = 3, cluster = 1x2'" --hone-build-kernel --canonicalize | FileCheck %s

// The numbers of the window are arguments of the launch. Half of a tile's windows have a corner of their own.

// CHECK-LABEL: "args a b c m n k images channels taps inh outh filterh steph dilh padh inw outw filterw stepw dilw padw lda ha sa group ldb ldc"
// CHECK: "param tensormap a : f16 dims (channels, inw, inh, images) strides (lda * 2, ha * 2, sa * 2) window (0 - padw, 0 - padh) to ((outw - 1) * stepw - padw - inw + 1, (outh - 1) * steph - padh - inh + 1) step (stepw, steph) box (64, 64) swizzle 128"
// CHECK: "param tensormap b : f16 dims (n, channels, taps) strides (ldb * 2, channels * ldb * 2) box (64, 64, 1) swizzle 128"
// CHECK: kernel.role "producer"
// CHECK: %[[IN:.*]] = arith.remui %[[WINDOW:.*]], %[[PIXELS:.*]] : i32
// CHECK: arith.divui %[[IN]], %[[OUTW:.*]] : i32
// CHECK: arith.remui %[[IN]], %[[OUTW]] : i32
// CHECK: %[[IMAGE:.*]] = arith.divui %[[WINDOW]], %[[PIXELS]] : i32
// CHECK: kernel.load %{{.*}}[%[[W:.*]], %[[C:.*]], %[[H:.*]], %[[IMAGE]]] offsets(%{{.*}}, %{{.*}}) to %{{.*}} part %{{.*}} of 2 : <64 x 64 x f16, rank = 4, window>
// CHECK: kernel.load %{{.*}}[%[[C]], %{{.*}}, %{{.*}}] to
// CHECK: func.func @padded
// CHECK: kernel.launch {{.*}} m = %c392_i64, n = %c96_i64, k = %c576_i64, images = %c2_i64, channels = %c64_i64, taps = %c9_i64,
func.func @padded(%x: memref<2x14x14x64xf16>, %w: memref<576x96xf16>, %c: memref<392x96xf16>) {
  hone.matmul ins(%x window(3x3, low 1x1, high 1x1), %w : memref<2x14x14x64xf16>, memref<576x96xf16>)
    outs(%c : memref<392x96xf16>) init(zero) acc(f32)
  return
}

// -----

// One dimension of pixels is a row of an image; the number of images is an extent of the memref.

// CHECK: func.func @line
// CHECK: %[[N:.*]] = memref.dim %{{.*}}, %c0
// CHECK: kernel.launch {{.*}} images = %{{.*}}, channels = %c16_i64, taps = %c5_i64, inh = %c1_i64,
func.func @line(%x: memref<?x40x16xf16>, %w: memref<80x64xf16>, %c: memref<?x64xf16>) {
  hone.matmul ins(%x window(5, low 2, high 2), %w : memref<?x40x16xf16>, memref<80x64xf16>)
    outs(%c : memref<?x64xf16>) init(zero) acc(f32)
  return
}
