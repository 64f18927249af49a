// RUN: hone-opt %s | FileCheck %s
// RUN: hone-opt %s | hone-opt | FileCheck %s
// RUN: hone-opt %s -mlir-print-op-generic | hone-opt | FileCheck %s

// CHECK-LABEL: gpu.func @store
gpu.module @kernels {
  gpu.func @store(%c: !kernel.buffer<f16>, %at: i64, %n: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // CHECK: %[[RING:.*]] = kernel.ring
    // CHECK: %[[C:.*]] = kernel.matrix
    %ring = kernel.ring at 0 : !kernel.ring<2 of 128 x 64 x f16>
    %C = kernel.matrix %c at %at[%n, %n] stride %at : !kernel.buffer<f16> -> !kernel.matrix<f16, align = 2>
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      // CHECK: kernel.store.lines 64 of %[[RING]][%{{.*}}] from %{{.*}} to %[[C]][%{{.*}}, %{{.*}}] : <2 of 128 x 64 x f16> to <f16, align = 2>
      kernel.store.lines 64 of %ring[%group] from %group to %C[%n, %n] : !kernel.ring<2 of 128 x 64 x f16> to !kernel.matrix<f16, align = 2>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @copy
  gpu.func @copy(%a: !kernel.buffer<bf16>, %ws: !kernel.buffer<bf16>, %at: i64, %n: i32) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    // CHECK: %[[A:.*]] = kernel.matrix {{.*}} -> <bf16, align = 2>
    // CHECK: %[[TO:.*]] = kernel.matrix {{.*}} -> <bf16, align = 16>
    %A = kernel.matrix %a at %at[%n, %n] stride %at : !kernel.buffer<bf16> -> !kernel.matrix<bf16, align = 2>
    %to = kernel.matrix %ws at %at[%n, %n] stride %at : !kernel.buffer<bf16> -> !kernel.matrix<bf16, align = 16>
    // CHECK: kernel.copy.lines run %{{.*}} of %[[A]] to %[[TO]] : <bf16, align = 2> to <bf16, align = 16>
    kernel.copy.lines run %n of %A to %to : !kernel.matrix<bf16, align = 2> to !kernel.matrix<bf16, align = 16>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @split
  gpu.func @split(%a: !kernel.matrix<f32, align = 4>, %to: !kernel.matrix<f32, align = 16>, %n: i32) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    // CHECK: kernel.copy.lines run %{{.*}} of %{{.*}} to %{{.*}} and %{{.*}} : <f32, align = 4> to <f32, align = 16> and !kernel.matrix<f32, align = 16>
    kernel.copy.lines run %n of %a to %to and %to : !kernel.matrix<f32, align = 4> to !kernel.matrix<f32, align = 16> and !kernel.matrix<f32, align = 16>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @transpose
  gpu.func @transpose(%a: !kernel.matrix<f8E5M2, align = 1>, %to: !kernel.matrix<f8E5M2, align = 16>, %n: i32) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    // CHECK: kernel.transpose.lines run %{{.*}} of %{{.*}} to %{{.*}} : <f8E5M2, align = 1> to <f8E5M2, align = 16>
    kernel.transpose.lines run %n of %a to %to : !kernel.matrix<f8E5M2, align = 1> to !kernel.matrix<f8E5M2, align = 16>
    gpu.return
  }
}
