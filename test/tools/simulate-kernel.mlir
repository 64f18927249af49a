// The launch of kernel IR states its problem, so its numbers are checked as those of a
// kernel that was just built, epilogue and all.
//
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='small, tile = 64x64x64, stages = 2'" \
// RUN:   --hone-build-kernel=fallback=false --canonicalize > %t.mlir
// RUN: hone simulate %t.mlir --shape=70x72x96 | FileCheck %s

// CHECK-LABEL: hone_ws_
// CHECK-NEXT: m = 70, n = 72, k = 96: right (clocks, values)
// CHECK: largest error 0.{{[0-9]+}} of the tolerance
// CHECK-NOT: not checked

// A bias of the wrong column is no matter of barriers.
// RUN: sed 's/strides(%c0_i64, %[a-z0-9_]*)/strides(%c0_i64, %c0_i64)/' %t.mlir > %t.wrong.mlir
// RUN: not diff %t.mlir %t.wrong.mlir > %t.difference
// RUN: hone simulate %t.wrong.mlir --shape=70x72x96 --protocol-only | FileCheck %s --check-prefix=BARRIERS
// RUN: not hone simulate %t.wrong.mlir --shape=70x72x96 2>&1 | FileCheck %s --check-prefix=WRONG
// BARRIERS: m = 70, n = 72, k = 96: barriers right (clocks)
// BARRIERS: numbers not checked: --protocol-only
// WRONG: error: {{.*}} computes {{.*}} [value;

// A launch without a problem is reported.
// RUN: sed 's/{hone.problem = .*}$//; s/{hone.schedule = .*}$//' %t.mlir > %t.unknown.mlir
// RUN: hone simulate %t.unknown.mlir --shape=70x72x96 | FileCheck %s --check-prefix=GUESSED
// RUN: hone simulate %t.unknown.mlir --shape=70x72x96 --json | FileCheck %s --check-prefix=JSON
// GUESSED: m = 70, n = 72, k = 96: barriers right (clocks)
// GUESSED: numbers not checked: no kernel.launch with a hone.problem states what the kernel computes
// JSON: "numbers_not_checked": "no kernel.launch

func.func @matmul(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16, strided<[?, 1]>>,
                  %c: memref<?x?xf32, strided<[?, 1]>>, %bias: memref<?xf32>) {
  hone.matmul ins(%a, %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16, strided<[?, 1]>>)
      outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(zero) acc(f32)
      epilogue(%bias[n] : memref<?xf32>) {
  ^bb0(%sum: f32, %v: f32):
    %x = arith.addf %sum, %v : f32
    hone.yield %x : f32
  }
  return
}
