// RUN: hone-opt %s --hone-build-kernel | FileCheck %s
// RUN: hone-opt %s --hone-build-kernel --hone-verify-kernel -o /dev/null

// Kernels of two kinds in one plan. A decision that only one of them has is no
// less an argument, and each range has the siblings of its own kernel.

// CHECK: hone.plans = {hone_ws
// CHECK-SAME: "args a b c m n k group parts lda ldb ldc"
// CHECK-SAME: "alternative {{[^"]*}}k > 0{{[^"]*}}", "upto m 64", "with parts 3", "with group 4", "workspace {{[^"]*}} zero", "launch [[STREAM:hone_ws_[a-z0-9_]*]]", "grid {{[^"]*}} * parts)
// CHECK-SAME: "alternative a % 4 == 0{{[^"]*}}", "upto m 64", "with parts 3", "with group 4", "launch [[FOUR:hone_mma_sync_[a-z0-9_]*]]"
// CHECK-SAME: "alternative {{[^"]*}}", "upto m 64", "with parts 3", "with group 4", "launch [[TWO:hone_mma_sync_[a-z0-9_]*]]"
// CHECK-SAME: "alternative {{[^"]*}}k > 0{{[^"]*}}", "with group 8", "launch [[LARGE:hone_ws_[a-z0-9_]*]]"
// CHECK-SAME: "launch [[FOUR]]"
// CHECK-SAME: "launch [[TWO]]"
// CHECK: kernel.launch {{.*}}group = {{.*}}parts =

func.func @ranges(%a: memref<?x512xf16, strided<[?, 1]>>, %b: memref<512x256xf16>, %c: memref<?x256xf16>) {
  hone.matmul ins(%a, %b : memref<?x512xf16, strided<[?, 1]>>, memref<512x256xf16>) outs(%c : memref<?x256xf16>) init(zero) acc(f32)
    arch(#hone.arch<h200>) schedule(#hone.schedule<ws, side = a, tile = 128x128x64, group = 8>)
    ranges(#hone.ranges<m to 64: ws, side = a, tile = 128x128x64, streams = yes, parts = 3, group = 4>)
  return
}
