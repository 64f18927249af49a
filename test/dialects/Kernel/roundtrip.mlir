// RUN: hone-opt %s --verify-roundtrip | FileCheck %s
// RUN: mlir-opt %plugin %s --verify-roundtrip | FileCheck %s
// RUN: mlir-opt %plugin %s --mlir-print-op-generic | mlir-opt %plugin | FileCheck %s
// RUN: hone-opt %s --emit-bytecode | mlir-opt %plugin | FileCheck %s
// RUN: mlir-opt %plugin %s --emit-bytecode | hone-opt --accept-bytecode | FileCheck %s

gpu.module @kernels {

// Every type, with each of the values its parameters can have.

// CHECK-LABEL: gpu.func @types(
// CHECK-SAME: !kernel.buffer<f16>, %{{.*}}: !kernel.buffer<bf16>, %{{.*}}: !kernel.buffer<f32>,
// CHECK-SAME: !kernel.matrix<f16, align = 1>, %{{.*}}: !kernel.matrix<bf16, align = 2>,
// CHECK-SAME: !kernel.matrix<f32, align = 4>, %{{.*}}: !kernel.matrix<f16, align = 8>, %{{.*}}: !kernel.matrix<f16, align = 16>,
// CHECK-SAME: !kernel.operand<f32, "">, %{{.*}}: !kernel.operand<f16, "m">, %{{.*}}: !kernel.operand<bf16, "n">, %{{.*}}: !kernel.operand<f32, "mn">,
// CHECK-SAME: !kernel.ring<2 of 128 x 16 x f16>, %{{.*}}: !kernel.ring<3 of 16 x 32 x bf16>, %{{.*}}: !kernel.ring<12 of 1 x 192 x f16>,
// CHECK-SAME: !kernel.fragment<"a", 128 x f16, warps = 2 x 4>, %{{.*}}: !kernel.fragment<"b", 64 x bf16, warps = 2 x 4>,
// CHECK-SAME: !kernel.acc<128 x 64 x f32, warps = 2 x 4>, %{{.*}}: !kernel.acc<16 x 16 x bf16, warps = 1 x 1>)
gpu.func @types(
    %0: !kernel.buffer<f16>, %1: !kernel.buffer<bf16>, %2: !kernel.buffer<f32>,
    %3: !kernel.matrix<f16, align = 1>, %4: !kernel.matrix<bf16, align = 2>,
    %5: !kernel.matrix<f32, align = 4>, %6: !kernel.matrix<f16, align = 8>, %7: !kernel.matrix<f16, align = 16>,
    %8: !kernel.operand<f32, "">, %9: !kernel.operand<f16, "m">, %10: !kernel.operand<bf16, "n">, %11: !kernel.operand<f32, "mn">,
    %12: !kernel.ring<2 of 128 x 16 x f16>, %13: !kernel.ring<3 of 16 x 32 x bf16>, %14: !kernel.ring<12 of 1 x 192 x f16>,
    %15: !kernel.fragment<"a", 128 x f16, warps = 2 x 4>, %16: !kernel.fragment<"b", 64 x bf16, warps = 2 x 4>,
    %17: !kernel.acc<128 x 64 x f32, warps = 2 x 4>, %18: !kernel.acc<16 x 16 x bf16, warps = 1 x 1>) kernel {
  gpu.return
}

// CHECK-LABEL: gpu.func @segments(
// CHECK-SAME: %[[ENDS:.*]]: !kernel.buffer<i32>, %[[I:.*]]: i32, %[[G:.*]]: i32, %[[M:.*]]: i32, %[[K:.*]]: i32)
gpu.func @segments(%ends: !kernel.buffer<i32>, %i: i32, %groups: i32, %m: i32, %k: i32) kernel {
  // CHECK: kernel.segment %[[I]] of %[[ENDS]][%[[G]]] rows %[[M]] depth %[[K]] by 64 columns %[[I]] : <i32>
  %0:6 = kernel.segment %i of %ends[%groups] rows %m depth %k by 64 columns %i : !kernel.buffer<i32>
  // CHECK: kernel.segment %[[I]] of %[[ENDS]][%[[G]]] rows %[[M]] depth %[[K]] by 64 columns %[[I]] after %[[G]], %[[M]], %[[K]] : <i32>
  %2:6 = kernel.segment %i of %ends[%groups] rows %m depth %k by 64 columns %i after %groups, %m, %k : !kernel.buffer<i32>
  // CHECK: kernel.segment.bounds %[[I]] of %[[ENDS]][%[[G]]] rows %[[K]] : <i32>
  %1:2 = kernel.segment.bounds %i of %ends[%groups] rows %k : !kernel.buffer<i32>
  gpu.return
}

// CHECK-LABEL: gpu.func @indexed(
// CHECK: kernel.copy %{{.*}}[%[[I:.*]], %[[I]]] through %{{.*}}[%[[I]]] : !kernel.buffer<i64> to %{{.*}}[%[[I]]] : <f16, align = 16> to <2 of 32 x 64 x f16>
gpu.func @indexed(%a: !kernel.matrix<f16, align = 16>, %index: !kernel.buffer<i64>, %ring: !kernel.ring<2 of 32 x 64 x f16>, %i: i32) kernel {
  kernel.copy %a[%i, %i] through %index[%i] : !kernel.buffer<i64> to %ring[%i] : !kernel.matrix<f16, align = 16> to !kernel.ring<2 of 32 x 64 x f16>
  gpu.return
}

// CHECK-LABEL: gpu.func @places(
// CHECK-SAME: %[[A:.*]]: !kernel.buffer<f16>, %[[E:.*]]: !kernel.buffer<f32>, %[[M:.*]]: i32, %[[K:.*]]: i32, %[[G:.*]]: i32, %[[AT:.*]]: i64, %[[LD:.*]]: i64)
gpu.func @places(%a: !kernel.buffer<f16>, %e: !kernel.buffer<f32>, %m: i32, %k: i32, %group: i32, %at: i64, %ld: i64) kernel {
  // CHECK: %{{.*}}, %{{.*}}, %{{.*}} = kernel.tile of %[[M]], %[[K]] group %[[G]]{{$}}
  %i, %j, %b = kernel.tile of %m, %k group %group
  // CHECK: kernel.matrix %[[A]] at %[[AT]][%[[M]], %[[K]]] stride %[[LD]] : <f16> -> <f16, align = 16>
  %0 = kernel.matrix %a at %at[%m, %k] stride %ld : !kernel.buffer<f16> -> !kernel.matrix<f16, align = 16>
  // CHECK: kernel.operand %[[E]] at %[[AT]] strides(%[[LD]], %[[AT]]) : <f32> -> <f32, "mn">
  %1 = kernel.operand %e at %at strides(%ld, %at) : !kernel.buffer<f32> -> !kernel.operand<f32, "mn">
  // CHECK: kernel.ring at 1024 : <4 of 128 x 32 x f16>
  %2 = kernel.ring at 1024 : !kernel.ring<4 of 128 x 32 x f16>
  gpu.return
}

// CHECK-LABEL: gpu.func @events(
// CHECK-SAME: %[[A:.*]]: !kernel.matrix<f16, align = 16>, %[[L:.*]]: i32, %[[C:.*]]: i32, %[[S:.*]]: i32)
gpu.func @events(%a: !kernel.matrix<f16, align = 16>, %line: i32, %column: i32, %slot: i32) kernel {
  // CHECK: %[[RING:.*]] = kernel.ring at 0
  %ring = kernel.ring at 0 : !kernel.ring<4 of 128 x 32 x f16>
  // CHECK-NEXT: kernel.copy %[[A]][%[[L]], %[[C]]] to %[[RING]][%[[S]]] : <f16, align = 16> to <4 of 128 x 32 x f16>
  kernel.copy %a[%line, %column] to %ring[%slot] : !kernel.matrix<f16, align = 16> to !kernel.ring<4 of 128 x 32 x f16>
  // CHECK-NEXT: kernel.copy.commit{{$}}
  kernel.copy.commit
  // CHECK-NEXT: kernel.copy.wait 0{{$}}
  kernel.copy.wait 0
  // CHECK-NEXT: kernel.copy.wait 11{{$}}
  kernel.copy.wait 11
  // CHECK-NEXT: kernel.barrier{{$}}
  kernel.barrier
  // CHECK-NEXT: kernel.copy.commit {why = "a discardable attribute"}
  kernel.copy.commit {why = "a discardable attribute"}
  gpu.return
}

// Lines numbered by m or n (read as they are) and by k (read transposed).

// CHECK-LABEL: gpu.func @tensor_cores(
// CHECK-SAME: %[[RA:.*]]: !kernel.ring<4 of 128 x 32 x f16>, %[[RB:.*]]: !kernel.ring<4 of 32 x 64 x f16>, %[[S:.*]]: i32)
gpu.func @tensor_cores(%ringA: !kernel.ring<4 of 128 x 32 x f16>, %ringB: !kernel.ring<4 of 32 x 64 x f16>, %slot: i32) kernel {
  // CHECK: %[[ACC:.*]] = kernel.zero : <128 x 64 x f32, warps = 2 x 2>
  %acc = kernel.zero : !kernel.acc<128 x 64 x f32, warps = 2 x 2>
  // CHECK: %[[FA:.*]] = kernel.read %[[RA]][%[[S]]] step 1 : <4 of 128 x 32 x f16> -> <"a", 128 x f16, warps = 2 x 2>
  %a = kernel.read %ringA[%slot] step 1 : !kernel.ring<4 of 128 x 32 x f16> -> !kernel.fragment<"a", 128 x f16, warps = 2 x 2>
  // CHECK: %[[FB:.*]] = kernel.read %[[RB]][%[[S]]] step 0 transposed : <4 of 32 x 64 x f16> -> <"b", 64 x f16, warps = 2 x 2>
  %b = kernel.read %ringB[%slot] step 0 transposed : !kernel.ring<4 of 32 x 64 x f16> -> !kernel.fragment<"b", 64 x f16, warps = 2 x 2>
  // CHECK: kernel.mma %[[FA]], %[[FB]], %[[ACC]] : <"a", 128 x f16, warps = 2 x 2>, <"b", 64 x f16, warps = 2 x 2>, <128 x 64 x f32, warps = 2 x 2>
  %d = kernel.mma %a, %b, %acc : !kernel.fragment<"a", 128 x f16, warps = 2 x 2>, !kernel.fragment<"b", 64 x f16, warps = 2 x 2>, !kernel.acc<128 x 64 x f32, warps = 2 x 2>
  gpu.return
}

// Of f32, as two numbers each.

// CHECK-LABEL: gpu.func @tensor_cores_on_f32(
gpu.func @tensor_cores_on_f32(%ringA: !kernel.ring<4 of 128 x 16 x f32>, %ringB: !kernel.ring<4 of 16 x 64 x f32>, %slot: i32) kernel {
  %acc = kernel.zero : !kernel.acc<128 x 64 x f32, warps = 2 x 2>
  // CHECK: %[[FA:.*]] = kernel.read %{{.*}} step 1 : <4 of 128 x 16 x f32> -> <"a", 128 x f32, warps = 2 x 2>
  %a = kernel.read %ringA[%slot] step 1 : !kernel.ring<4 of 128 x 16 x f32> -> !kernel.fragment<"a", 128 x f32, warps = 2 x 2>
  // CHECK: %[[FB:.*]] = kernel.read %{{.*}} step 1 transposed : <4 of 16 x 64 x f32> -> <"b", 64 x f32, warps = 2 x 2>
  %b = kernel.read %ringB[%slot] step 1 transposed : !kernel.ring<4 of 16 x 64 x f32> -> !kernel.fragment<"b", 64 x f32, warps = 2 x 2>
  // CHECK: kernel.mma %[[FA]], %[[FB]], %{{.*}} split : <"a", 128 x f32, warps = 2 x 2>, <"b", 64 x f32, warps = 2 x 2>, <128 x 64 x f32, warps = 2 x 2>
  %d = kernel.mma %a, %b, %acc split : !kernel.fragment<"a", 128 x f32, warps = 2 x 2>, !kernel.fragment<"b", 64 x f32, warps = 2 x 2>, !kernel.acc<128 x 64 x f32, warps = 2 x 2>
  gpu.return
}

// Of f32, by threads, from slots whose lines run along k.

// CHECK-LABEL: gpu.func @threads(
// CHECK-SAME: %[[B:.*]]: !kernel.matrix<f32, align = 4>, %[[RA:.*]]: !kernel.ring<4 of 128 x 16 x f32>, %[[RB:.*]]: !kernel.ring<4 of 64 x 16 x f32>, %[[S:.*]]: i32)
gpu.func @threads(%m: !kernel.matrix<f32, align = 4>, %ringA: !kernel.ring<4 of 128 x 16 x f32>, %ringB: !kernel.ring<4 of 64 x 16 x f32>, %slot: i32) kernel {
  // CHECK: kernel.copy %[[B]][%[[S]], %[[S]]] to %[[RB]][%[[S]]] transposed : <f32, align = 4> to <4 of 64 x 16 x f32>
  kernel.copy %m[%slot, %slot] to %ringB[%slot] transposed : !kernel.matrix<f32, align = 4> to !kernel.ring<4 of 64 x 16 x f32>
  %acc = kernel.zero : !kernel.acc<128 x 64 x f32, warps = 2 x 2>
  // CHECK: %[[FA:.*]] = kernel.read %[[RA]][%[[S]]] step 3 : <4 of 128 x 16 x f32> -> <"a", 128 x f32, warps = 2 x 2, depth = 4>
  %a = kernel.read %ringA[%slot] step 3 : !kernel.ring<4 of 128 x 16 x f32> -> !kernel.fragment<"a", 128 x f32, warps = 2 x 2, depth = 4>
  // CHECK: %[[FB:.*]] = kernel.read %[[RB]][%[[S]]] step 0 : <4 of 64 x 16 x f32> -> <"b", 64 x f32, warps = 2 x 2, depth = 4>
  %b = kernel.read %ringB[%slot] step 0 : !kernel.ring<4 of 64 x 16 x f32> -> !kernel.fragment<"b", 64 x f32, warps = 2 x 2, depth = 4>
  // CHECK: kernel.fma %[[FA]], %[[FB]], %{{.*}} : <"a", 128 x f32, warps = 2 x 2, depth = 4>, <"b", 64 x f32, warps = 2 x 2, depth = 4>, <128 x 64 x f32, warps = 2 x 2>
  %d = kernel.fma %a, %b, %acc : !kernel.fragment<"a", 128 x f32, warps = 2 x 2, depth = 4>, !kernel.fragment<"b", 64 x f32, warps = 2 x 2, depth = 4>, !kernel.acc<128 x 64 x f32, warps = 2 x 2>
  gpu.return
}

// CHECK-LABEL: gpu.func @results(
// CHECK-SAME: %[[ACC:.*]]: !kernel.acc<64 x 64 x f32, warps = 2 x 2>, %[[C:.*]]: !kernel.matrix<f16, align = 2>, %[[BIAS:.*]]: !kernel.operand<f32, "n">, %[[SCALE:.*]]: !kernel.operand<f16, "">, %[[ROW:.*]]: i32, %[[COL:.*]]: i32)
gpu.func @results(%acc: !kernel.acc<64 x 64 x f32, warps = 2 x 2>, %c: !kernel.matrix<f16, align = 2>,
                  %bias: !kernel.operand<f32, "n">, %scale: !kernel.operand<f16, "">, %row: i32, %col: i32) kernel {
  // CHECK: %[[TILE:.*]] = kernel.epilogue %[[ACC]] at[%[[ROW]], %[[COL]]] of[%[[COL]], %[[ROW]]] with(%[[BIAS]], %[[SCALE]] : !kernel.operand<f32, "n">, !kernel.operand<f16, "">) {
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[B:.*]]: f32, %[[S:.*]]: f16):
  // CHECK-NEXT:   %[[ADD:.*]] = arith.addf %[[SUM]], %[[B]]
  // CHECK-NEXT:   %[[HALF:.*]] = arith.truncf %[[ADD]]
  // CHECK-NEXT:   %[[MUL:.*]] = arith.mulf %[[HALF]], %[[S]]
  // CHECK-NEXT:   kernel.yield %[[MUL]] : f16
  // CHECK-NEXT: } : <64 x 64 x f32, warps = 2 x 2> -> <64 x 64 x f16, warps = 2 x 2>
  %tile = kernel.epilogue %acc at [%row, %col] of [%col, %row] with (%bias, %scale : !kernel.operand<f32, "n">, !kernel.operand<f16, "">) {
  ^bb0(%sum: f32, %b: f32, %s: f16):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.truncf %0 : f32 to f16
    %2 = arith.mulf %1, %s : f16
    kernel.yield %2 : f16
  } : !kernel.acc<64 x 64 x f32, warps = 2 x 2> -> !kernel.acc<64 x 64 x f16, warps = 2 x 2>
  // CHECK: kernel.epilogue %[[ACC]] at[%[[ROW]], %[[COL]]] of[%[[ROW]], %[[COL]]] {
  %other = kernel.epilogue %acc at [%row, %col] of [%row, %col] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : !kernel.acc<64 x 64 x f32, warps = 2 x 2> -> !kernel.acc<64 x 64 x f32, warps = 2 x 2>
  // CHECK: kernel.store %[[TILE]] to %[[C]][%[[ROW]], %[[COL]]] : <64 x 64 x f16, warps = 2 x 2> to <f16, align = 2>
  kernel.store %tile to %c[%row, %col] : !kernel.acc<64 x 64 x f16, warps = 2 x 2> to !kernel.matrix<f16, align = 2>
  gpu.return
}

}

// CHECK-LABEL: func.func @launches(
// CHECK-SAME: %[[A:.*]]: i64, %[[M:.*]]: i64)
func.func @launches(%a: i64, %m: i64) {
  // CHECK-NEXT: kernel.launch @kernels::@plan(a = %[[A]], m = %[[M]], e0_n = %[[A]]){{$}}
  kernel.launch @kernels::@plan(a = %a, m = %m, e0_n = %a)
  // CHECK-NEXT: kernel.launch @kernels::@other(none) {note = "text"}
  kernel.launch @kernels::@other(none) {note = "text"}
  return
}

// Every line that a plan can have.

// CHECK-LABEL: gpu.module @planned
// CHECK-SAME: hone.plans = {all = #kernel.plan<"hone-plan 2", "args a b m group", "alternative a % 16 == 0 && m < 512 || m > 4096",
// CHECK-SAME: "upto m 64", "with group 4", "workspace ceildiv(m, 128) * 512 zero", "launch first",
// CHECK-SAME: "grid min(ceildiv(m, 128), resident(15, 16)) ; 1 ; 1", "block 384 ; 1 ; 1", "cluster 2 ; 1 ; 1", "shared 2048", "attribute programmatic",
// CHECK-SAME: "param tensormap b + 32 : f16 dims (m, 4) strides (m * 2) box (64, 4) swizzle 128", "param ptr ws", "param i32 m", "param i64 a", "param f32 b",
// CHECK-SAME: "launch second", "grid 1 ; 1 ; 1", "block 1 ; 1 ; 1",
// CHECK-SAME: "alternative 1", "launch third", "grid 1 ; 1 ; 1", "block 1 ; 1 ; 1">}
gpu.module @planned attributes {hone.plans = {all = #kernel.plan<
  "hone-plan 2",
  "args a b m group",
  "alternative a % 16 == 0 && m < 512 || m > 4096",
  "upto m 64",
  "with group 4",
  "workspace ceildiv(m, 128) * 512 zero",
  "launch first",
  "grid min(ceildiv(m, 128), resident(15, 16)) ; 1;1",
  "block 384 ; 1 ; 1",
  "cluster 2 ; 1 ; 1",
  "attribute programmatic",
  "shared 2048",
  "param tensormap b + 32 : f16 dims (m, 4) strides (m * 2) box (64, 4) swizzle 128",
  "param ptr ws",
  "param i32 m",
  "param i64 a",
  "param f32 b",
  "launch second",
  "alternative 1",
  "launch third"
  >}} {
}
