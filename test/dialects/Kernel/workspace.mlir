// RUN: split-file %s %t
// RUN: hone-opt %t/good.mlir | hone-opt | FileCheck %t/good.mlir
// RUN: hone-opt %t/bad.mlir --split-input-file --verify-diagnostics

//--- good.mlir

// CHECK-LABEL: gpu.func @shared(
// CHECK-SAME: %[[WS:.*]]: !kernel.buffer<f32>, %[[ACC:.*]]: !kernel.acc<{{.*}}>, %[[I:.*]]: i32, %[[J:.*]]: i32)
gpu.module @kernels {
gpu.func @shared(%ws: !kernel.buffer<f32>, %acc: !kernel.acc<64 x 128 x f32, warps = 4 x 1>, %i: i32, %j: i32) kernel {
  // CHECK: %[[COUNTERS:.*]] = kernel.counters %[[WS]] : <f32> -> !kernel.counters
  %counters = kernel.counters %ws : !kernel.buffer<f32> -> !kernel.counters
  // CHECK-NEXT: %[[SUMS:.*]] = kernel.sums %[[WS]] at 8192 : <f32> -> <128 x 128>
  %sums = kernel.sums %ws at 8192 : !kernel.buffer<f32> -> !kernel.sums<128 x 128>
  // CHECK-NEXT: kernel.sums.put %[[ACC]] to %[[SUMS]][%[[I]]] at %[[J]], %[[J]] : <64 x 128 x f32, warps = 4 x 1> to <128 x 128>
  kernel.sums.put %acc to %sums[%i] at %j, %j : !kernel.acc<64 x 128 x f32, warps = 4 x 1> to !kernel.sums<128 x 128>
  // CHECK-NEXT: kernel.count.arrive %[[COUNTERS]][%[[I]]] : !kernel.counters
  kernel.count.arrive %counters[%i] : !kernel.counters
  // CHECK-NEXT: kernel.count.await %[[COUNTERS]][%[[I]]] for %[[J]] : !kernel.counters
  kernel.count.await %counters[%i] for %j : !kernel.counters
  // CHECK-NEXT: %{{.*}} = kernel.sums.total %[[SUMS]][%[[I]] to %[[J]]] at %[[J]] : <128 x 128> -> <16 x 128 x f32, warps = 4 x 1, run = 8>
  %total = kernel.sums.total %sums[%i to %j] at %j : !kernel.sums<128 x 128> -> !kernel.acc<16 x 128 x f32, warps = 4 x 1, run = 8>
  // CHECK-NEXT: kernel.count.leave %[[COUNTERS]][%[[I]]] of %[[J]] : !kernel.counters
  kernel.count.leave %counters[%i] of %j : !kernel.counters
  gpu.return
}
}

//--- bad.mlir

// expected-error @+1 {{expected extents that are multiples of 16 up to 1024, but got 128 x 2048}}
func.func private @sums(!kernel.sums<128 x 2048>)

// -----

func.func @offset(%ws: !kernel.buffer<f32>) {
  // expected-error @+1 {{'kernel.sums' op expected an offset that is a multiple of 128 bytes, but got 64}}
  %0 = kernel.sums %ws at 64 : !kernel.buffer<f32> -> !kernel.sums<64 x 64>
  return
}

// -----

func.func @put_half(%acc: !kernel.acc<64 x 64 x f16, warps = 4 x 1>, %s: !kernel.sums<64 x 64>, %i: i32) {
  // expected-error @+1 {{'kernel.sums.put' op expected an accumulator of f32 or i32 without runs, but got '!kernel.acc<64 x 64 x f16, warps = 4 x 1>'}}
  kernel.sums.put %acc to %s[%i] at %i, %i : !kernel.acc<64 x 64 x f16, warps = 4 x 1> to !kernel.sums<64 x 64>
  return
}

// -----

func.func @put_more(%acc: !kernel.acc<64 x 128 x f32, warps = 4 x 1>, %s: !kernel.sums<64 x 64>, %i: i32) {
  // expected-error @+1 {{'kernel.sums.put' op expected slots of at least 64 x 128, but got '!kernel.sums<64 x 64>'}}
  kernel.sums.put %acc to %s[%i] at %i, %i : !kernel.acc<64 x 128 x f32, warps = 4 x 1> to !kernel.sums<64 x 64>
  return
}

// -----

func.func @total_without_runs(%s: !kernel.sums<64 x 64>, %i: i32) {
  // expected-error @+1 {{'kernel.sums.total' op expected a result of f32 or i32 in runs, but got '!kernel.acc<64 x 64 x f32, warps = 4 x 1>'}}
  %0 = kernel.sums.total %s[%i to %i] at %i : !kernel.sums<64 x 64> -> !kernel.acc<64 x 64 x f32, warps = 4 x 1>
  return
}

// -----

func.func @total_of_other_columns(%s: !kernel.sums<64 x 64>, %i: i32) {
  // expected-error @+1 {{'kernel.sums.total' op expected a result of at most 64 lines of 64, but got '!kernel.acc<8 x 128 x f32, warps = 4 x 1, run = 8>'}}
  %0 = kernel.sums.total %s[%i to %i] at %i : !kernel.sums<64 x 64> -> !kernel.acc<8 x 128 x f32, warps = 4 x 1, run = 8>
  return
}
