// RUN: hone simulate %s --arch=h200 --schedule="small, tile = 64x64x64, stages = 2" --shape=70x72x320 | FileCheck %s
// RUN: hone simulate %s --arch=h200 --schedule="small, tile = 64x64x64, stages = 2" --shape=64x64x256 --protocol-only --explore --json \
// RUN:   | FileCheck %s --check-prefix=JSON
// RUN: not hone simulate %s --arch=h200 --shape=70x72 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not hone simulate %s --arch=h200 --shape=70x70x0 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not hone simulate %s --arch=h200 --shape=-1x64x64 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not hone simulate %s --arch=h200 --shape=64x-2x64 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not hone simulate %s --arch=h200 --shape=9223372036854775807x64x64 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not hone simulate %s --arch=h200 --shape=2147483647x2147483647x64 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not hone simulate %s --arch=h200 --shape=65536x65536x64 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not hone simulate %t.none 2>&1 | FileCheck %s --check-prefix=NOTHING
// A size that the guard refuses is the sibling's alone.
// RUN: hone simulate %s --arch=h200 --schedule="small, tile = 64x64x64, stages = 2" --shape=70x71x320 --protocol-only | FileCheck %s --check-prefix=SIBLING
// SIBLING-NOT: hone_ws
// SIBLING: hone_mma_sync_f16_f32_nt_
// SIBLING-NEXT: m = 70, n = 71, k = 320: barriers right
// SIBLING-NOT: hone_ws

// CHECK-LABEL: hone_ws_f16_f32_nt_
// CHECK-NEXT: m = 70, n = 72, k = 320: right (clocks, values)
// CHECK-NEXT: 4 agents, {{[0-9]+}} events; stands for every order that the barriers allow, of 10^{{[0-9]+}}; slots filled 2 to 3 times
// CHECK-NEXT: largest error 0.{{[0-9]+}} of the tolerance
// The sibling for unaligned operands.
// CHECK-LABEL: hone_mma_sync_f16_f32_nt_
// CHECK-NEXT: right (clocks, values)

// JSON: "complete": true
// JSON: "kernel": "hone_ws_f16_f32_nt_
// JSON: "passed": true
// JSON: "states": {{[0-9]+}}

// SHAPE: error: expected a shape like 128x256x512 (M x N x K), but got '70x72'
// EMPTY: error: --shape=70x70x0: expected extent of 'k' to be 1 to 2147483647, but got 0
// UNKNOWN: error: --shape=-1x64x64: expected extents above 0
// NEGATIVE: error: --shape=64x-2x64: expected extent of 'n' to be 1 to 2147483647, but got -2
// LONG: error: --shape={{.*}}: expected extent of 'm' to be 1 to 2147483647, but got 9223372036854775807
// LARGE: error: --shape={{.*}}: expected C to have at most 140737488355328 bytes, but got 2147483647 x 2147483647 elements
// MEMORY: error: --shape={{.*}}: expected matrices of at most 256 MiB in all, because the proof keeps a state for each byte, but got
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
