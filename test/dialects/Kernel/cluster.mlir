// RUN: split-file %s %t
// RUN: hone-opt %t/good.mlir | hone-opt | FileCheck %t/good.mlir
// RUN: hone-opt %t/bad.mlir --split-input-file --verify-diagnostics

//--- good.mlir

// CHECK-LABEL: gpu.func @together(
gpu.module @kernels {
gpu.func @together(%acc: !kernel.acc<64 x 128 x f32, warps = 2 x 2>, %line: i32) kernel {
  // CHECK: kernel.depend.release
  kernel.depend.release
  // CHECK-NEXT: kernel.depend.wait
  kernel.depend.wait
  // CHECK-NEXT: %[[PARTIAL:.*]] = kernel.partial at 1024 : <128 x 128>
  %partial = kernel.partial at 1024 : !kernel.partial<128 x 128>
  // CHECK-NEXT: kernel.partial.put %{{.*}} to %[[PARTIAL]][%{{.*}}, %{{.*}}] : <64 x 128 x f32, warps = 2 x 2> to <128 x 128>
  kernel.partial.put %acc to %partial[%line, %line] : !kernel.acc<64 x 128 x f32, warps = 2 x 2> to !kernel.partial<128 x 128>
  // CHECK-NEXT: kernel.partial.put %{{.*}} to %[[PARTIAL]][%{{.*}}, %{{.*}}] transposed : <64 x 128 x f32, warps = 2 x 2> to <128 x 128>
  kernel.partial.put %acc to %partial[%line, %line] transposed : !kernel.acc<64 x 128 x f32, warps = 2 x 2> to !kernel.partial<128 x 128>
  // CHECK-NEXT: %{{.*}} = kernel.partial.sum %[[PARTIAL]][%{{.*}}] of 8 x 2 : <128 x 128> -> <8 x 128 x f32, warps = 4 x 1, run = 8>
  %share = kernel.partial.sum %partial[%line] of 8 x 2 : !kernel.partial<128 x 128> -> !kernel.acc<8 x 128 x f32, warps = 4 x 1, run = 8>
  // CHECK-NEXT: %{{.*}} = kernel.partial.sum %[[PARTIAL]][%{{.*}}] of 4 x 1 from %{{.*}} by 3 : <128 x 128> -> <8 x 128 x f32, warps = 4 x 1, run = 8>
  %third = kernel.partial.sum %partial[%line] of 4 x 1 from %line by 3 : !kernel.partial<128 x 128> -> !kernel.acc<8 x 128 x f32, warps = 4 x 1, run = 8>
  // CHECK-NEXT: kernel.cluster.arrive
  kernel.cluster.arrive
  // CHECK-NEXT: kernel.cluster.wait
  kernel.cluster.wait
  gpu.return
}
}

//--- bad.mlir

// expected-error @+1 {{expected runs of 1, 2, 4 or 8 elements, but got 3}}
func.func private @run(!kernel.acc<8 x 128 x f32, warps = 4 x 1, run = 3>)

// -----

// expected-error @+1 {{expected a multiple of 16 columns, and of 8 elements for each of 128 threads, but got 4 x 128}}
func.func private @runs(!kernel.acc<4 x 128 x f32, warps = 4 x 1, run = 8>)

// -----

// expected-error @+1 {{expected extents that are multiples of 16 up to 1024, but got 8 x 128}}
func.func private @partial(!kernel.partial<8 x 128>)

// -----

func.func @offset() {
  // expected-error @+1 {{'kernel.partial' op expected an offset that is a multiple of 128 bytes, but got 64}}
  %0 = kernel.partial at 64 : !kernel.partial<64 x 64>
  return
}

// -----

func.func @put_half(%acc: !kernel.acc<64 x 64 x f16, warps = 2 x 2>, %p: !kernel.partial<64 x 64>, %i: i32) {
  // expected-error @+1 {{'kernel.partial.put' op expected an accumulator of f32 or i32 without runs, but got '!kernel.acc<64 x 64 x f16, warps = 2 x 2>'}}
  kernel.partial.put %acc to %p[%i, %i] : !kernel.acc<64 x 64 x f16, warps = 2 x 2> to !kernel.partial<64 x 64>
  return
}

// -----

func.func @put_much(%acc: !kernel.acc<64 x 64 x f32, warps = 2 x 2>, %p: !kernel.partial<32 x 64>, %i: i32) {
  // expected-error @+1 {{'kernel.partial.put' op expected partial sums of at least 64 x 64, but got '!kernel.partial<32 x 64>'}}
  kernel.partial.put %acc to %p[%i, %i] : !kernel.acc<64 x 64 x f32, warps = 2 x 2> to !kernel.partial<32 x 64>
  return
}

// -----

func.func @sum_blocks(%p: !kernel.partial<64 x 64>, %i: i32) {
  // expected-error @+1 {{'kernel.partial.sum' op expected 1 to 16 blocks, but got 32}}
  %0 = kernel.partial.sum %p[%i] of 32 x 1 : !kernel.partial<64 x 64> -> !kernel.acc<16 x 64 x f32, warps = 4 x 1, run = 8>
  return
}

// -----

func.func @sum_parts(%p: !kernel.partial<64 x 64>, %i: i32) {
  // expected-error @+1 {{'kernel.partial.sum' op expected a number of parts that divides 64 lines, but got 3}}
  %0 = kernel.partial.sum %p[%i] of 2 x 3 : !kernel.partial<64 x 64> -> !kernel.acc<16 x 64 x f32, warps = 4 x 1, run = 8>
  return
}

// -----

func.func @sum_without_runs(%p: !kernel.partial<64 x 64>, %i: i32) {
  // expected-error @+1 {{'kernel.partial.sum' op expected a result of f32 or i32 in runs, but got '!kernel.acc<64 x 64 x f32, warps = 4 x 1>'}}
  %0 = kernel.partial.sum %p[%i] of 2 x 1 : !kernel.partial<64 x 64> -> !kernel.acc<64 x 64 x f32, warps = 4 x 1>
  return
}

// -----

func.func @sum_much(%p: !kernel.partial<64 x 64>, %i: i32) {
  // expected-error @+1 {{'kernel.partial.sum' op expected a result of at most 32 lines of 64, but got '!kernel.acc<64 x 64 x f32, warps = 4 x 1, run = 8>'}}
  %0 = kernel.partial.sum %p[%i] of 1 x 2 : !kernel.partial<64 x 64> -> !kernel.acc<64 x 64 x f32, warps = 4 x 1, run = 8>
  return
}

// -----

func.func @mma(%a: !kernel.fragment<"a", 64 x f16, warps = 2 x 2>, %b: !kernel.fragment<"b", 64 x f16, warps = 2 x 2>, %acc: !kernel.acc<64 x 64 x f32, warps = 2 x 2, run = 8>) {
  // expected-error @+1 {{'kernel.mma' op expected an accumulator of f32 without runs, but got '!kernel.acc<64 x 64 x f32, warps = 2 x 2, run = 8>'}}
  %0 = kernel.mma %a, %b, %acc : !kernel.fragment<"a", 64 x f16, warps = 2 x 2>, !kernel.fragment<"b", 64 x f16, warps = 2 x 2>, !kernel.acc<64 x 64 x f32, warps = 2 x 2, run = 8>
  return
}

// -----

func.func @put_transposed(%acc: !kernel.acc<64 x 128 x f32, warps = 2 x 2>, %p: !kernel.partial<64 x 128>, %i: i32) {
  // expected-error @+1 {{'kernel.partial.put' op expected partial sums of at least 128 x 64, but got '!kernel.partial<64 x 128>'}}
  kernel.partial.put %acc to %p[%i, %i] transposed : !kernel.acc<64 x 128 x f32, warps = 2 x 2> to !kernel.partial<64 x 128>
  return
}

// -----

func.func @sum_far(%p: !kernel.partial<128 x 128>, %i: i32) {
  // expected-error @+1 {{'kernel.partial.sum' op expected 4 blocks of a cluster of at most 16, but got every 6-th}}
  %0 = kernel.partial.sum %p[%i] of 4 x 1 from %i by 6 : !kernel.partial<128 x 128> -> !kernel.acc<8 x 128 x f32, warps = 4 x 1, run = 8>
  return
}
