// `hone explain` prints each matmul's schedule with the reason, and the ops that were left alone.

// RUN: hone explain %s --arch=h200 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=LEFT --input-file=%t.err
// RUN: hone explain %s --arch=h200 --json 2> /dev/null | FileCheck %s --check-prefix=JSON
// RUN: hone explain %s --arch=host 2> /dev/null | FileCheck %s --check-prefix=HOST
// RUN: hone explain %s --arch=sm_80 --schedule='mma_sync, tile = 64x64x32' 2> /dev/null | FileCheck %s --check-prefix=ASKED
// RUN: hone explain %s --arch=sm_80 --pipeline="schedule='mma_sync, tile = 64x64x32'" 2> /dev/null | FileCheck %s --check-prefix=ASKED

// CHECK:      {{^matmul 1$}}
// CHECK-NEXT:   at {{.*}}explain.mlir:[[#]]:
// CHECK-NEXT:   problem               m = 4096, n = 2048, k = 1024, a = f16:row:16, b = f16:row:16, acc = f32, c = f32:16, init = zero
// CHECK-NEXT:   arch                  h200 (sm_90a)
// CHECK-NEXT:   schedule              ws, side = {{[ab]}}, tile = 128x128x64
// CHECK-NEXT:   why                   the policy, instead of {{.*}} from the cost model
// CHECK-NEXT:   machine               132 processors, 4300 GB/s, 989 TFLOP/s, 1.83 GHz, 50.0 MB cache, 66 30 15 7 clusters of 2 to 16
// CHECK-NEXT:   tiles                 32 x 16 of 128 x 128
// CHECK-NEXT:   blocks                512
// CHECK-NEXT:   blocks per processor  {{[0-9]+}} (limit: {{registers|shared memory|threads}})
// CHECK-NEXT:   waves                 {{[0-9.]+}} over 132 processors
// CHECK-NEXT:   shared memory         {{[0-9]+}} of 232448 bytes a block
// CHECK-NEXT:   registers             about {{[0-9]+}} a thread, {{[0-9]+}} threads
// CHECK-NEXT:   roofline              17.37 us at least
// CHECK-NEXT:   bound by              compute

// CHECK:      {{^matmul 2$}}
// CHECK:        problem               batch = 3, m = ?, n = 8, k = ?
// CHECK:        tiles                 ? x 1 of {{.*}} in each of 3
// CHECK-NEXT:   blocks                ?
// CHECK:        waves                 ?
// CHECK:        roofline              ?

// LEFT: explain.mlir:[[#]]:{{.*}}: left alone: {{.*}}f64

// JSON:      "arch": "h200 (sm_90a)",
// JSON:      "bound by": "compute",
// JSON:      "problem": "m = 4096,

// HOST:      arch      host (
// HOST-NEXT: schedule  host, tile =
// HOST-NOT:  waves

// ASKED: schedule              mma_sync, tile = 64x64x32,
// ASKED: why                   the schedule option, instead of mma_sync

func.func @static(%a: tensor<4096x1024xf16>, %b: tensor<1024x2048xf16>) -> tensor<4096x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x2048xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<4096x1024xf16>, tensor<1024x2048xf16>)
                     outs(%0 : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  return %1 : tensor<4096x2048xf32>
}

func.func @batch(%a: tensor<3x?x?xf16>, %b: tensor<3x?x8xf16>, %c: tensor<3x?x8xf32>) -> tensor<3x?x8xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<3x?x?xf16>, tensor<3x?x8xf16>)
                           outs(%c : tensor<3x?x8xf32>) -> tensor<3x?x8xf32>
  return %0 : tensor<3x?x8xf32>
}

func.func @other(%a: tensor<8x8xf64>, %b: tensor<8x8xf64>, %c: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf64>, tensor<8x8xf64>) outs(%c : tensor<8x8xf64>) -> tensor<8x8xf64>
  return %0 : tensor<8x8xf64>
}
