// RUN: hone simulate %s --arch=h200 --schedule="small, tile = 64x64x64, stages = 2" --shape=70x72x320 | FileCheck %s
// RUN: hone simulate %s --arch=h200 --schedule="small, tile = 64x64x64, stages = 2" --shape=64x64x256 --protocol-only --explore --json \
// RUN:   | FileCheck %s --check-prefix=JSON
// RUN: not hone simulate %s --arch=h200 --shape=70x72 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not hone simulate %t.none 2>&1 | FileCheck %s --check-prefix=NOTHING

// CHECK-LABEL: hone_small_f16_f32_nt_
// CHECK-NEXT: m = 70, n = 72, k = 320: right (clocks, values)
// CHECK-NEXT: 4 agents, {{[0-9]+}} events; stands for every order that the barriers allow, of 10^{{[0-9]+}}; slots filled 2 to 3 times
// CHECK-NEXT: largest error 0.{{[0-9]+}} of what is allowed
// The sibling for unaligned operands.
// CHECK-LABEL: hone_mma_sync_f16_f32_nt_
// CHECK-NEXT: right (clocks, values)

// JSON: "complete": true
// JSON: "kernel": "hone_small_f16_f32_nt_
// JSON: "passed": true
// JSON: "states": {{[0-9]+}}

// SHAPE: error: expected a shape like 128x256x512 (M x N x K), but got '70x72'
// NOTHING: error: expected a

func.func @matmul(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16, strided<[?, 1]>>,
                  %c: memref<?x?xf32, strided<[?, 1]>>, %bias: memref<?xf32>) {
  hone.matmul ins(%a, col %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16, strided<[?, 1]>>)
      outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(zero) acc(f32)
      epilogue(%bias[n] : memref<?xf32>) {
  ^bb0(%sum: f32, %v: f32):
    %x = arith.addf %sum, %v : f32
    hone.yield %x : f32
  }
  return
}
