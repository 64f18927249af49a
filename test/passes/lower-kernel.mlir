// RUN: hone-opt %s --hone-lower-kernel --split-input-file | FileCheck %s
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-lower-kernel)' --split-input-file | FileCheck %s

//===-- The function ------------------------------------------------------------------------===//

// Shared memory starts where every swizzle begins anew. Launch bounds survive.

// CHECK-LABEL: gpu.module @function
// CHECK: llvm.mlir.global external @hone_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.func @kernel(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i32, %{{.*}}: i64)
// CHECK-SAME: gpu.kernel
// CHECK-SAME: nvvm.kernel
// CHECK-SAME: nvvm.minctasm = 2 : i32
// CHECK-SAME: nvvm.reqntid = array<i32: 128, 1, 1>
// CHECK-NEXT: llvm.return
gpu.module @function [#nvvm.target] attributes {hone.plans = {}} {
  gpu.func @kernel(%a: !kernel.buffer<f16>, %b: !kernel.buffer<f32>, %m: i32, %lda: i64)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>, nvvm.minctasm = 2 : i32} {
    gpu.return
  }
}

// -----

// Modules that Hone did not build are none of its business.

// CHECK-LABEL: gpu.module @others
// CHECK: gpu.func @kernel
gpu.module @others [#nvvm.target] {
  gpu.func @kernel(%m: i32) kernel {
    gpu.return
  }
}

//===-- Where things are --------------------------------------------------------------------===//

// -----

// Bands of `group` tile rows, column by column: AddressMap.h's tileOf.

// CHECK-LABEL: llvm.func @tile(
// CHECK-SAME: %[[OUT:.*]]: !llvm.struct<(ptr<1>, i32, i32, i64)>, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[GROUP:.*]]: i32)
// CHECK: %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK: %[[PER_BATCH:.*]] = llvm.mul %[[M]], %[[N]]
// CHECK: %[[IN_BATCH:.*]] = llvm.urem %[[BLOCK]], %[[PER_BATCH]]
// CHECK: %[[PER_BAND:.*]] = llvm.mul %[[GROUP]], %[[N]]
// CHECK: %[[BAND:.*]] = llvm.udiv %[[IN_BATCH]], %[[PER_BAND]]
// CHECK: %[[FIRST:.*]] = llvm.mul %[[BAND]], %[[GROUP]]
// CHECK: %[[LEFT:.*]] = llvm.sub %[[M]], %[[FIRST]]
// CHECK: %[[HEIGHT:.*]] = llvm.intr.umin(%[[GROUP]], %[[LEFT]])
// CHECK: %[[IN_BAND:.*]] = llvm.urem %[[IN_BATCH]], %[[PER_BAND]]
// CHECK: %[[ROW:.*]] = llvm.urem %[[IN_BAND]], %[[HEIGHT]]
// CHECK: llvm.add %[[FIRST]], %[[ROW]]
// CHECK: llvm.udiv %[[IN_BAND]], %[[HEIGHT]]
gpu.module @places [#nvvm.target] attributes {hone.plans = {}} {
  gpu.func @tile(%out: !kernel.matrix<f32, align = 4>, %m: i32, %n: i32, %group: i32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %i, %j, %b = kernel.tile of %m, %n group %group
    %zero = kernel.zero : !kernel.acc<16 x 16 x f32, warps = 1 x 1>
    kernel.store %zero to %out[%i, %j] : !kernel.acc<16 x 16 x f32, warps = 1 x 1> to !kernel.matrix<f32, align = 4>
    gpu.return
  }
}

//===-- Copies ------------------------------------------------------------------------------===//

// -----

// 16 lines of 32 bytes are 32 pieces of 16, one a thread. A piece outside of the
// matrix has a source size of 0, and a piece at the end of a line less than 16.

// CHECK-LABEL: llvm.func @copy_16(
// CHECK-SAME: %[[MATRIX:.*]]: !llvm.struct<(ptr<1>, i32, i32, i64)>, %{{.*}}: i32, %{{.*}}: i32)
// CHECK: llvm.mlir.addressof @hone_shared : !llvm.ptr<3>
// CHECK: %[[BASE:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x range <i32, 0, 32> : i32
// CHECK: %[[FROM:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f16
// CHECK: %[[TO:.*]] = llvm.inttoptr %{{.*}} : i32 to !llvm.ptr<3>
// CHECK: %[[INSIDE:.*]] = llvm.icmp "ult"
// CHECK: llvm.intr.umin
// CHECK: llvm.intr.umin
// CHECK: %[[SIZE:.*]] = llvm.select %[[INSIDE]], %{{.*}}, %{{.*}} : i1, i32
// CHECK: nvvm.cp.async.shared.global %[[TO]], %[[FROM]], 16, cache = cg, %[[SIZE]]
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: llvm.return
gpu.module @copies [#nvvm.target] attributes {hone.plans = {}} {
  gpu.func @copy_16(%a: !kernel.matrix<f16, align = 16>, %i: i32, %slot: i32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = kernel.ring at 0 : !kernel.ring<2 of 16 x 16 x f16>
    kernel.copy %a[%i, %i] to %ring[%slot] : !kernel.matrix<f16, align = 16> to !kernel.ring<2 of 16 x 16 x f16>
    gpu.return
  }

  // Less alignment, smaller pieces. Only 16 bytes can pass L1 by.
  // CHECK-LABEL: llvm.func @copy_8(
  // CHECK-COUNT-2: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 8, cache = ca, %{{.*}} :
  // CHECK-NOT: nvvm.cp.async
  // CHECK: llvm.return
  gpu.func @copy_8(%a: !kernel.matrix<f16, align = 8>, %i: i32, %slot: i32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = kernel.ring at 0 : !kernel.ring<2 of 16 x 16 x f16>
    kernel.copy %a[%i, %i] to %ring[%slot] : !kernel.matrix<f16, align = 8> to !kernel.ring<2 of 16 x 16 x f16>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @copy_4(
  // CHECK-COUNT-4: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = ca, %{{.*}} :
  // CHECK-NOT: nvvm.cp.async
  // CHECK: llvm.return
  gpu.func @copy_4(%a: !kernel.matrix<f16, align = 4>, %i: i32, %slot: i32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = kernel.ring at 0 : !kernel.ring<2 of 16 x 16 x f16>
    kernel.copy %a[%i, %i] to %ring[%slot] : !kernel.matrix<f16, align = 4> to !kernel.ring<2 of 16 x 16 x f16>
    gpu.return
  }

  // Lines of smaller alignment go through registers, in pieces of 16 bytes.
  // Both chunks that have a part of one are read, if they have: where the piece
  // is empty none is, and the second only where the first ends too early.
  // CHECK-LABEL: llvm.func @copy_2(
  // CHECK-NOT: nvvm.cp.async
  // CHECK: %[[PIECE:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f16
  // CHECK: %[[TO:.*]] = llvm.inttoptr %{{.*}} : i32 to !llvm.ptr<3>
  // CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[PIECE]] : !llvm.ptr<1> to i64
  // CHECK: %[[LOW:.*]] = llvm.trunc %[[ADDRESS]] : i64 to i32
  // CHECK: %[[SHIFT:.*]] = llvm.and %[[LOW]], %{{.*}} : i32
  // CHECK: %[[CHUNK:.*]] = llvm.getelementptr %[[PIECE]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  // CHECK: %[[SIZE:.*]] = llvm.select
  // CHECK: %[[END:.*]] = llvm.add %[[SHIFT]], %[[SIZE]] overflow<nuw> : i32
  // CHECK: %[[BOTH:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "{ .reg .pred p, q; setp.ne.u32 p, $9, 0; setp.gt.u32 q, $10, 16;
  // CHECK-SAME: @p ld.global.L2::256B.v4.b32 {$0, $1, $2, $3}, [$8]; @q ld.global.L2::256B.v4.b32 {$4, $5, $6, $7}, [$8+16]; }"
  // CHECK-SAME: %[[CHUNK]], %[[SIZE]], %[[END]]
  // CHECK-COUNT-11: llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, i32
  // CHECK-COUNT-4: llvm.intr.fshr
  // CHECK: llvm.store %{{.*}}, %[[TO]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  // CHECK-NOT: llvm.store
  // CHECK-NOT: nvvm.cp.async
  // CHECK: llvm.return
  gpu.func @copy_2(%a: !kernel.matrix<f16, align = 2>, %i: i32, %slot: i32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = kernel.ring at 0 : !kernel.ring<2 of 16 x 16 x f16>
    kernel.copy %a[%i, %i] to %ring[%slot] : !kernel.matrix<f16, align = 2> to !kernel.ring<2 of 16 x 16 x f16>
    gpu.return
  }

  // Many pieces are a loop of four rounds and up to four more: here 16 rounds of
  // 32 threads. All of an iteration are loaded before the first one is stored.
  // CHECK-LABEL: llvm.func @copy_2_loop(
  // CHECK: ^[[HEAD:[a-z0-9]+]](%[[FIRST:.*]]: i32):
  // CHECK: %[[MORE:.*]] = llvm.icmp "slt" %[[FIRST]], %{{.*}} : i32
  // CHECK: llvm.cond_br %[[MORE]],
  // CHECK-NOT: llvm.store
  // CHECK-COUNT-4: llvm.inline_asm
  // CHECK-NOT: llvm.inline_asm
  // CHECK-COUNT-4: llvm.store %{{.*}}, %{{.*}} : vector<4xi32>, !llvm.ptr<3>
  // CHECK-NOT: llvm.store
  // CHECK: llvm.br ^[[HEAD]](
  // CHECK-COUNT-4: llvm.inline_asm
  // CHECK-COUNT-4: llvm.store %{{.*}}, %{{.*}} : vector<4xi32>, !llvm.ptr<3>
  // CHECK-NOT: llvm.store
  // CHECK: llvm.return
  gpu.func @copy_2_loop(%a: !kernel.matrix<f16, align = 2>, %i: i32, %slot: i32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = kernel.ring at 0 : !kernel.ring<2 of 64 x 64 x f16>
    kernel.copy %a[%i, %i] to %ring[%slot] : !kernel.matrix<f16, align = 2> to !kernel.ring<2 of 64 x 64 x f16>
    gpu.return
  }

  // 48 pieces for 32 threads: in the second round the sixteenth and all later
  // ones copy the last one.
  // CHECK-LABEL: llvm.func @copy_2_rest(
  // CHECK: %[[FIFTEEN:.*]] = llvm.mlir.constant(15 : i32) : i32
  // CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: llvm.inline_asm
  // CHECK: llvm.intr.umin(%[[TID]], %[[FIFTEEN]])
  // CHECK-NOT: llvm.cond_br
  // CHECK: llvm.inline_asm
  // CHECK-COUNT-2: llvm.store %{{.*}}, %{{.*}} : vector<4xi32>, !llvm.ptr<3>
  // CHECK-NOT: llvm.cond_br
  // CHECK: llvm.return
  gpu.func @copy_2_rest(%a: !kernel.matrix<f16, align = 2>, %i: i32, %slot: i32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = kernel.ring at 0 : !kernel.ring<2 of 24 x 16 x f16>
    kernel.copy %a[%i, %i] to %ring[%slot] : !kernel.matrix<f16, align = 2> to !kernel.ring<2 of 24 x 16 x f16>
    gpu.return
  }

  // 48 pieces for 32 threads: 16 of them copy once more.
  // CHECK-LABEL: llvm.func @copy_rest(
  // CHECK: %[[SIXTEEN:.*]] = llvm.mlir.constant(16 : i32) : i32
  // CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: nvvm.cp.async.shared.global
  // CHECK: %[[MINE:.*]] = llvm.icmp "ult" %[[TID]], %[[SIXTEEN]]
  // CHECK: llvm.cond_br %[[MINE]], ^[[MORE:.*]], ^[[END:.*]]
  // CHECK: ^[[MORE]]:
  // CHECK: nvvm.cp.async.shared.global
  // CHECK: ^[[END]]:
  gpu.func @copy_rest(%a: !kernel.matrix<f16, align = 16>, %i: i32, %slot: i32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = kernel.ring at 0 : !kernel.ring<2 of 24 x 16 x f16>
    kernel.copy %a[%i, %i] to %ring[%slot] : !kernel.matrix<f16, align = 16> to !kernel.ring<2 of 24 x 16 x f16>
    gpu.return
  }

  // One op, one event: nothing is added, merged or moved.
  // CHECK-LABEL: llvm.func @events(
  // CHECK-NEXT: nvvm.cp.async.commit.group
  // CHECK-NEXT: nvvm.cp.async.commit.group
  // CHECK-NEXT: nvvm.cp.async.wait.group 1
  // CHECK-NEXT: nvvm.barrier
  // CHECK-NEXT: nvvm.barrier
  // CHECK-NEXT: nvvm.cp.async.wait.group 0
  // CHECK-NEXT: llvm.return
  gpu.func @events() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    kernel.copy.commit
    kernel.copy.commit
    kernel.copy.wait 1
    kernel.barrier
    kernel.barrier
    kernel.copy.wait 0
    gpu.return
  }
}

//===-- Tensor cores ------------------------------------------------------------------------===//

// -----

// 16 rows of A and 16 columns of B: one ldmatrix.x4 each and two mma. B's lines are
// numbered by k here, so ldmatrix transposes ("col").

// CHECK-LABEL: llvm.func @multiply(
// CHECK: %[[A:.*]] = nvvm.ldmatrix %{{.*}} {{{.*}}layout = #nvvm.mma_layout<row>, num = 4 : i32,
// CHECK: %[[A0:.*]] = llvm.extractvalue %[[A]][0]
// CHECK: %[[B:.*]] = nvvm.ldmatrix %{{.*}} {{{.*}}layout = #nvvm.mma_layout<col>, num = 4 : i32,
// CHECK: %[[B0:.*]] = llvm.extractvalue %[[B]][0]
// CHECK: %[[B1:.*]] = llvm.extractvalue %[[B]][1]
// CHECK: %[[B2:.*]] = llvm.extractvalue %[[B]][2]
// CHECK: %[[B3:.*]] = llvm.extractvalue %[[B]][3]
// CHECK: %[[PA0:.*]] = llvm.bitcast %[[A0]] : i32 to vector<2xf16>
// CHECK: %[[PB0:.*]] = llvm.bitcast %[[B0]] : i32 to vector<2xf16>
// CHECK: %[[PB1:.*]] = llvm.bitcast %[[B1]] : i32 to vector<2xf16>
// CHECK: %[[PB2:.*]] = llvm.bitcast %[[B2]] : i32 to vector<2xf16>
// CHECK: %[[PB3:.*]] = llvm.bitcast %[[B3]] : i32 to vector<2xf16>
// CHECK: nvvm.mma.sync A[%[[PA0]], {{.*}}] B[%[[PB0]], %[[PB1]]] C[{{.*}}] {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK: nvvm.mma.sync A[%[[PA0]], {{.*}}] B[%[[PB2]], %[[PB3]]]
// CHECK-NOT: nvvm.mma.sync
// CHECK: llvm.return
gpu.module @tensor_cores [#nvvm.target] attributes {hone.plans = {}} {
  gpu.func @multiply(%c: !kernel.matrix<f32, align = 16>, %i: i32, %slot: i32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ringA = kernel.ring at 0 : !kernel.ring<2 of 16 x 16 x f16>
    %ringB = kernel.ring at 1024 : !kernel.ring<2 of 16 x 16 x f16>
    %acc = kernel.zero : !kernel.acc<16 x 16 x f32, warps = 1 x 1>
    %a = kernel.read %ringA[%slot] step 0 : !kernel.ring<2 of 16 x 16 x f16> -> !kernel.fragment<"a", 16 x f16, warps = 1 x 1>
    %b = kernel.read %ringB[%slot] step 0 transposed : !kernel.ring<2 of 16 x 16 x f16> -> !kernel.fragment<"b", 16 x f16, warps = 1 x 1>
    %d = kernel.mma %a, %b, %acc : !kernel.fragment<"a", 16 x f16, warps = 1 x 1>, !kernel.fragment<"b", 16 x f16, warps = 1 x 1>, !kernel.acc<16 x 16 x f32, warps = 1 x 1>
    kernel.store %d to %c[%i, %i] : !kernel.acc<16 x 16 x f32, warps = 1 x 1> to !kernel.matrix<f32, align = 16>
    gpu.return
  }

  // bf16 fragments are plain registers. A transposed, B not; a warp of 32 x 32 reads
  // two pieces of each and multiplies eight times, back and forth.
  // CHECK-LABEL: llvm.func @multiply_bf16(
  // CHECK-COUNT-2: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>
  // CHECK-COUNT-2: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>
  // CHECK-NOT: llvm.bitcast
  // CHECK-COUNT-8: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>
  // CHECK-NOT: nvvm.mma.sync
  // CHECK: llvm.return
  gpu.func @multiply_bf16(%c: !kernel.matrix<f32, align = 16>, %i: i32, %slot: i32)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ringA = kernel.ring at 0 : !kernel.ring<2 of 32 x 64 x bf16>
    %ringB = kernel.ring at 8192 : !kernel.ring<2 of 64 x 32 x bf16>
    %acc = kernel.zero : !kernel.acc<64 x 64 x f32, warps = 2 x 2>
    %a = kernel.read %ringA[%slot] step 1 transposed : !kernel.ring<2 of 32 x 64 x bf16> -> !kernel.fragment<"a", 64 x bf16, warps = 2 x 2>
    %b = kernel.read %ringB[%slot] step 1 : !kernel.ring<2 of 64 x 32 x bf16> -> !kernel.fragment<"b", 64 x bf16, warps = 2 x 2>
    %d = kernel.mma %a, %b, %acc : !kernel.fragment<"a", 64 x bf16, warps = 2 x 2>, !kernel.fragment<"b", 64 x bf16, warps = 2 x 2>, !kernel.acc<64 x 64 x f32, warps = 2 x 2>
    kernel.store %d to %c[%i, %i] : !kernel.acc<64 x 64 x f32, warps = 2 x 2> to !kernel.matrix<f32, align = 16>
    gpu.return
  }
}

//===-- Results -----------------------------------------------------------------------------===//

// -----

// A tile that lies in C as a whole is stored in pairs, any other one element by
// element, each after its own test.

// CHECK-LABEL: llvm.func @store(
// CHECK: llvm.cond_br %{{.*}}, ^[[WHOLE:.*]], ^[[CLIPPED:.*]]
// CHECK: ^[[WHOLE]]:
// CHECK-COUNT-4: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : vector<2xf16>, !llvm.ptr<1>
// CHECK: ^[[CLIPPED]]:
// CHECK-COUNT-8: llvm.store %{{.*}}, %{{.*}} {alignment = 2 : i64} : f16, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
gpu.module @results [#nvvm.target] attributes {hone.plans = {}} {
  gpu.func @store(%c: !kernel.matrix<f16, align = 16>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %acc = kernel.zero : !kernel.acc<16 x 16 x f16, warps = 1 x 1>
    kernel.store %acc to %c[%i, %i] : !kernel.acc<16 x 16 x f16, warps = 1 x 1> to !kernel.matrix<f16, align = 16>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @store_unaligned(
  // CHECK-NOT: vector<2xf16>, !llvm.ptr<1>
  // CHECK-COUNT-16: llvm.store %{{.*}}, %{{.*}} {alignment = 2 : i64} : f16, !llvm.ptr<1>
  // CHECK-NOT: llvm.store
  // CHECK: llvm.return
  gpu.func @store_unaligned(%c: !kernel.matrix<f16, align = 2>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %acc = kernel.zero : !kernel.acc<16 x 16 x f16, warps = 1 x 1>
    kernel.store %acc to %c[%i, %i] : !kernel.acc<16 x 16 x f16, warps = 1 x 1> to !kernel.matrix<f16, align = 2>
    gpu.return
  }

  // Loads of a vector are kept in C by a predicate: no branch, and one address
  // for all elements of a thread. Rows of one column share a load. Math without
  // an instruction is written out; nothing is called.
  // CHECK-LABEL: llvm.func @epilogue(
  // CHECK-SAME: %{{.*}}: !llvm.struct<(ptr<1>, i32, i32, i64)>, %[[BIAS:.*]]: !llvm.struct<(ptr<1>, i64, i64)>, %[[I:.*]]: i32, %[[N:.*]]: i32)
  // CHECK: %[[LAST:.*]] = llvm.{{add|sub}} %[[N]], %{{.*}} : i32
  // CHECK-COUNT-4: llvm.inline_asm {{.*}}setp.le.u32 inside, $2, $3;{{.*}}@inside ld.global.b32 $0, [$1];{{.*}} "=r,l,r,r" %{{.*}}, %{{.*}}, %[[LAST]] :
  // CHECK-NOT: llvm.inline_asm
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
  // CHECK: llvm.fptrunc {{.*}} : vector<2xf32> to vector<2xf16>
  // CHECK-NOT: llvm.call @
  // CHECK-NOT: math.
  // CHECK: llvm.return
  gpu.func @epilogue(%c: !kernel.matrix<f16, align = 16>, %bias: !kernel.operand<f32, "n">, %i: i32, %n: i32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %acc = kernel.zero : !kernel.acc<16 x 16 x f32, warps = 1 x 1>
    %tile = kernel.epilogue %acc at [%i, %i] of [%n, %n] with (%bias : !kernel.operand<f32, "n">) {
    ^bb0(%sum: f32, %v: f32):
      %0 = arith.addf %sum, %v : f32
      %1 = math.tanh %0 : f32
      %2 = arith.truncf %1 : f32 to f16
      kernel.yield %2 : f16
    } : !kernel.acc<16 x 16 x f32, warps = 1 x 1> -> !kernel.acc<16 x 16 x f16, warps = 1 x 1>
    kernel.store %tile to %c[%i, %i] : !kernel.acc<16 x 16 x f16, warps = 1 x 1> to !kernel.matrix<f16, align = 16>
    gpu.return
  }

  // Accumulators that are rounded first are converted in pairs, and their halves are read.
  // CHECK-LABEL: llvm.func @epilogue_rounds(
  // CHECK: %[[PAIR:.*]] = llvm.call_intrinsic "llvm.nvvm.ff2f16x2.rn"(%[[HIGH:.*]], %[[LOW:.*]]) : (f32, f32) -> vector<2xf16>
  // CHECK: %[[FIRST:.*]] = llvm.extractelement %[[PAIR]]
  // CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.ff2f16x2.rn"
  // CHECK-NOT: llvm.call_intrinsic
  // CHECK-NOT: llvm.fptrunc {{.*}} : f32 to f16
  // CHECK: llvm.fpext %[[FIRST]] : f16 to f32
  // CHECK: llvm.fptrunc {{.*}} : vector<2xf32> to vector<2xf16>
  // CHECK: llvm.return
  gpu.func @epilogue_rounds(%c: !kernel.matrix<f16, align = 16>, %i: i32, %n: i32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %acc = kernel.zero : !kernel.acc<16 x 16 x f32, warps = 1 x 1>
    %tile = kernel.epilogue %acc at [%i, %i] of [%n, %n] {
    ^bb0(%sum: f32):
      %0 = arith.truncf %sum : f32 to f16
      %1 = arith.extf %0 : f16 to f32
      %2 = arith.mulf %1, %1 : f32
      %3 = arith.truncf %2 : f32 to f16
      kernel.yield %3 : f16
    } : !kernel.acc<16 x 16 x f32, warps = 1 x 1> -> !kernel.acc<16 x 16 x f16, warps = 1 x 1>
    kernel.store %tile to %c[%i, %i] : !kernel.acc<16 x 16 x f16, warps = 1 x 1> to !kernel.matrix<f16, align = 16>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @epilogue_rounds_bf16(
  // CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"({{.*}}) : (f32, f32) -> vector<2xbf16>
  // CHECK: llvm.return
  gpu.func @epilogue_rounds_bf16(%c: !kernel.matrix<f32, align = 16>, %i: i32, %n: i32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %acc = kernel.zero : !kernel.acc<16 x 16 x f32, warps = 1 x 1>
    %tile = kernel.epilogue %acc at [%i, %i] of [%n, %n] {
    ^bb0(%sum: f32):
      %0 = arith.truncf %sum : f32 to bf16
      %1 = arith.extf %0 : bf16 to f32
      kernel.yield %1 : f32
    } : !kernel.acc<16 x 16 x f32, warps = 1 x 1> -> !kernel.acc<16 x 16 x f32, warps = 1 x 1>
    kernel.store %tile to %c[%i, %i] : !kernel.acc<16 x 16 x f32, warps = 1 x 1> to !kernel.matrix<f32, align = 16>
    gpu.return
  }

  // 1 + tanh is one division; the function itself is not needed.
  // CHECK-LABEL: llvm.func @gelu(
  // CHECK-NOT: fabs
  // CHECK: %[[POWER:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%{{.*}}) : (f32) -> f32
  // CHECK-NEXT: %[[BELOW:.*]] = llvm.fadd %[[POWER]], %{{.*}} : f32
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[BELOW]]) : (f32) -> f32
  // CHECK-NOT: fabs
  // CHECK: llvm.return
  gpu.func @gelu(%c: !kernel.matrix<f32, align = 16>, %i: i32, %n: i32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %acc = kernel.zero : !kernel.acc<16 x 16 x f32, warps = 1 x 1>
    %tile = kernel.epilogue %acc at [%i, %i] of [%n, %n] {
    ^bb0(%sum: f32):
      %one = arith.constant 1.0 : f32
      %0 = math.tanh %sum : f32
      %1 = arith.addf %0, %one : f32
      %2 = arith.mulf %1, %sum : f32
      kernel.yield %2 : f32
    } : !kernel.acc<16 x 16 x f32, warps = 1 x 1> -> !kernel.acc<16 x 16 x f32, warps = 1 x 1>
    kernel.store %tile to %c[%i, %i] : !kernel.acc<16 x 16 x f32, warps = 1 x 1> to !kernel.matrix<f32, align = 16>
    gpu.return
  }
}
