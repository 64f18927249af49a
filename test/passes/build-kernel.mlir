// RUN: hone-opt %s --hone-build-kernel --canonicalize --split-input-file | FileCheck %s
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-build-kernel,canonicalize)' --split-input-file | FileCheck %s

// The whole kernel, event by event. docs/KernelIR.md walks through it.

// CHECK-LABEL: module @nn

// The plan: the kernel, its place, and its arguments.
// CHECK: gpu.module @hone_sm_80 [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">]
// CHECK-SAME: hone.plans = {[[FAST:hone_mma_sync_f16_f16_nn_[0-9a-f]{16}]] = #kernel.plan<"hone-plan 2", "args a b c m n k group lda ldb ldc",
// CHECK-SAME: "alternative a % 16 == 0 && lda % 8 == 0 && b % 16 == 0 && ldb % 8 == 0 && c % 16 == 0 && ldc % 8 == 0",
// CHECK-SAME: "launch [[FAST]]", "grid ceildiv(m, 128) * ceildiv(n, 64) ; 1 ; 1", "block 128 ; 1 ; 1", "shared 36864",
// CHECK-SAME: "param ptr a", "param ptr b", "param ptr c", "param i32 m", "param i32 n", "param i32 k", "param i32 group",
// CHECK-SAME: "param i64 lda", "param i64 ldb", "param i64 ldc",
// CHECK-SAME: "alternative 1", "launch [[ANY:hone_mma_sync_f16_f16_nn_[0-9a-f]{16}]]",
// CHECK-SAME: "param i64 ldc">}

// Where things are.
// CHECK: gpu.func @[[FAST]](%[[A:.*]]: !kernel.buffer<f16>, %[[B:.*]]: !kernel.buffer<f16>, %[[C:.*]]: !kernel.buffer<f16>,
// CHECK-SAME: %[[M:.*]]: i32, %[[N:.*]]: i32, %[[K:.*]]: i32, %[[GROUP:.*]]: i32, %[[LDA:.*]]: i64, %[[LDB:.*]]: i64, %[[LDC:.*]]: i64) kernel
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : i32
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : i32
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : i32
// CHECK-DAG: %[[BASE:.*]] = arith.constant 0 : i64
// CHECK: %[[TILES_M:.*]] = arith.ceildivui %[[M]], %[[C128]]
// CHECK: %[[TILES_N:.*]] = arith.ceildivui %[[N]], %[[C64]]
// CHECK: %[[I:.*]], %[[J:.*]], %{{.*}} = kernel.tile of %[[TILES_M]], %[[TILES_N]] group %[[GROUP]]
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %[[C128]]
// CHECK: %[[COL:.*]] = arith.muli %[[J]], %[[C64]]
// CHECK: %[[STEPS:.*]] = arith.ceildivui %[[K]], %[[C32]]
// CHECK: %[[MA:.*]] = kernel.matrix %[[A]] at %[[BASE]][%[[M]], %[[K]]] stride %[[LDA]] : <f16> -> <f16, align = 16>
// CHECK: %[[MB:.*]] = kernel.matrix %[[B]] at %[[BASE]][%[[K]], %[[N]]] stride %[[LDB]] : <f16> -> <f16, align = 16>
// CHECK: %[[RA:.*]] = kernel.ring at 0 : <3 of 128 x 32 x f16>
// CHECK: %[[RB:.*]] = kernel.ring at 24576 : <3 of 32 x 64 x f16>

// All slots but one are filled, a group each, as far as K goes.
// CHECK-NEXT: %[[HAS0:.*]] = arith.cmpi ugt, %[[STEPS]], %[[C0]]
// CHECK-NEXT: scf.if %[[HAS0]] {
// CHECK-NEXT:   kernel.copy %[[MA]][%[[ROW]], %[[C0]]] to %[[RA]][%[[C0]]]
// CHECK-NEXT:   kernel.copy %[[MB]][%[[C0]], %[[COL]]] to %[[RB]][%[[C0]]]
// CHECK-NEXT: }
// CHECK-NEXT: kernel.copy.commit
// CHECK-NEXT: %[[HAS1:.*]] = arith.cmpi ugt, %[[STEPS]], %[[C1]]
// CHECK-NEXT: scf.if %[[HAS1]] {
// CHECK-NEXT:   kernel.copy %[[MA]][%[[ROW]], %[[C32]]] to %[[RA]][%[[C1]]]
// CHECK-NEXT:   kernel.copy %[[MB]][%[[C32]], %[[COL]]] to %[[RB]][%[[C1]]]
// CHECK-NEXT: }
// CHECK-NEXT: kernel.copy.commit

// The first k16 is read once its slot is full for all threads.
// CHECK-NEXT: %[[ZERO:.*]] = kernel.zero : <128 x 64 x f32, warps = 2 x 2>
// CHECK-NEXT: kernel.copy.wait 1
// CHECK-NEXT: kernel.barrier
// CHECK-NEXT: %[[FIRST_A:.*]] = kernel.read %[[RA]][%[[C0]]] step 0 : <3 of 128 x 32 x f16> -> <"a", 128 x f16, warps = 2 x 2>
// CHECK-NEXT: %[[FIRST_B:.*]] = kernel.read %[[RB]][%[[C0]]] step 0 transposed : <3 of 32 x 64 x f16> -> <"b", 64 x f16, warps = 2 x 2>

// Each step of K: the slot that was read before is filled; each k16 is read before
// the one ahead of it is multiplied, and the next slot's first one after its barrier.
// CHECK-NEXT: %[[LOOP:.*]]:5 = scf.for %[[STEP:.*]] = %[[C0]] to %[[STEPS]] step %[[C1]] iter_args(%[[ACC:.*]] = %[[ZERO]], %[[A0:.*]] = %[[FIRST_A]], %[[B0:.*]] = %[[FIRST_B]], %[[FULL:.*]] = %[[C0]], %[[EMPTY:.*]] = %[[C2]])
// CHECK-NEXT:   %[[AHEAD:.*]] = arith.addi %[[STEP]], %[[C2]]
// CHECK-NEXT:   %[[HAS:.*]] = arith.cmpi ult, %[[AHEAD]], %[[STEPS]]
// CHECK-NEXT:   scf.if %[[HAS]] {
// CHECK-NEXT:     %[[AT:.*]] = arith.muli %[[AHEAD]], %[[C32]]
// CHECK-NEXT:     kernel.copy %[[MA]][%[[ROW]], %[[AT]]] to %[[RA]][%[[EMPTY]]]
// CHECK-NEXT:     kernel.copy %[[MB]][%[[AT]], %[[COL]]] to %[[RB]][%[[EMPTY]]]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.copy.commit
// CHECK-NEXT:   %[[FULL1:.*]] = arith.addi %[[FULL]], %[[C1]]
// CHECK-NEXT:   %[[FULL_WRAPS:.*]] = arith.cmpi eq, %[[FULL1]], %[[C3]]
// CHECK-NEXT:   %[[NEXT_FULL:.*]] = arith.select %[[FULL_WRAPS]], %[[C0]], %[[FULL1]]
// CHECK-NEXT:   %[[A1:.*]] = kernel.read %[[RA]][%[[FULL]]] step 1 :
// CHECK-NEXT:   %[[B1:.*]] = kernel.read %[[RB]][%[[FULL]]] step 1 transposed :
// CHECK-NEXT:   %[[D0:.*]] = kernel.mma %[[A0]], %[[B0]], %[[ACC]]
// CHECK-NEXT:   kernel.copy.wait 1
// CHECK-NEXT:   kernel.barrier
// CHECK-NEXT:   %[[A2:.*]] = kernel.read %[[RA]][%[[NEXT_FULL]]] step 0 :
// CHECK-NEXT:   %[[B2:.*]] = kernel.read %[[RB]][%[[NEXT_FULL]]] step 0 transposed :
// CHECK-NEXT:   %[[D1:.*]] = kernel.mma %[[A1]], %[[B1]], %[[D0]]
// CHECK-NEXT:   %[[EMPTY1:.*]] = arith.addi %[[EMPTY]], %[[C1]]
// CHECK-NEXT:   %[[EMPTY_WRAPS:.*]] = arith.cmpi eq, %[[EMPTY1]], %[[C3]]
// CHECK-NEXT:   %[[NEXT_EMPTY:.*]] = arith.select %[[EMPTY_WRAPS]], %[[C0]], %[[EMPTY1]]
// CHECK-NEXT:   scf.yield %[[D1]], %[[A2]], %[[B2]], %[[NEXT_FULL]], %[[NEXT_EMPTY]]
// CHECK-NEXT: }

// The sum becomes C.
// CHECK-NEXT: %[[MC:.*]] = kernel.matrix %[[C]] at %[[BASE]][%[[M]], %[[N]]] stride %[[LDC]] : <f16> -> <f16, align = 16>
// CHECK-NEXT: %[[TILE:.*]] = kernel.epilogue %[[LOOP]]#0 at[%[[ROW]], %[[COL]]] of[%[[M]], %[[N]]] {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32):
// CHECK-NEXT:   %[[HALF:.*]] = arith.truncf %[[SUM]] : f32 to f16
// CHECK-NEXT:   kernel.yield %[[HALF]] : f16
// CHECK-NEXT: } : <128 x 64 x f32, warps = 2 x 2> -> <128 x 64 x f16, warps = 2 x 2>
// CHECK-NEXT: kernel.store %[[TILE]] to %[[MC]][%[[ROW]], %[[COL]]] : <128 x 64 x f16, warps = 2 x 2> to <f16, align = 16>
// CHECK-NEXT: gpu.return

// The sibling relies on nothing but the elements' own alignment.
// CHECK: gpu.func @[[ANY]](
// CHECK-COUNT-2: kernel.matrix {{.*}} -> <f16, align = 2>
// CHECK: kernel.matrix {{.*}} -> <f16, align = 2>

// The host's side, and nothing left of the matmul.
// CHECK: func.func @matmul(%[[HA:.*]]: memref<512x256xf16>, %[[HB:.*]]: memref<256x384xf16>, %[[HC:.*]]: memref<512x384xf16>)
// CHECK-DAG: %[[HM:.*]] = arith.constant 512 : i64
// CHECK-DAG: %[[HN:.*]] = arith.constant 384 : i64
// CHECK-DAG: %[[HK:.*]] = arith.constant 256 : i64
// CHECK-DAG: %[[HGROUP:.*]] = arith.constant 4 : i64
// CHECK: %[[PA:.*]] = memref.extract_aligned_pointer_as_index %[[HA]]
// CHECK: %[[IA:.*]] = arith.index_cast %[[PA]] : index to i64
// CHECK: %[[PB:.*]] = memref.extract_aligned_pointer_as_index %[[HB]]
// CHECK: %[[IB:.*]] = arith.index_cast %[[PB]] : index to i64
// CHECK: %[[PC:.*]] = memref.extract_aligned_pointer_as_index %[[HC]]
// CHECK: %[[IC:.*]] = arith.index_cast %[[PC]] : index to i64
// CHECK-NOT: hone.matmul
// CHECK: kernel.launch @hone_sm_80::@[[FAST]](a = %[[IA]], b = %[[IB]], c = %[[IC]], m = %[[HM]], n = %[[HN]], k = %[[HK]], group = %[[HGROUP]], lda = %[[HK]], ldb = %[[HN]], ldc = %[[HN]])
// CHECK-SAME: hone.problem = #hone.problem<m = 512, n = 384, k = 256, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero>
// CHECK-SAME: hone.schedule = #hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 3, slices = 1, splits = 1, run = 2, group = 4>

module @nn {
func.func @matmul(%a: memref<512x256xf16>, %b: memref<256x384xf16>, %c: memref<512x384xf16>) {
  hone.matmul ins(%a, %b : memref<512x256xf16>, memref<256x384xf16>) outs(%c : memref<512x384xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 3, group = 4>)
  return
}
}

// -----

// k runs along the lines of B, so nothing is transposed.

// CHECK-LABEL: module @nt
// CHECK: gpu.func @hone_mma_sync_f16_f16_nt_
// CHECK: kernel.matrix %{{.*}} at %{{.*}}[%[[M:.*]], %[[K:.*]]] stride
// CHECK: kernel.matrix %{{.*}} at %{{.*}}[%[[N:.*]], %[[K]]] stride
// CHECK: kernel.matrix %{{.*}} at %{{.*}}[%[[M]], %[[N]]] stride
// CHECK: kernel.ring at 0 : <2 of 128 x 32 x f16>
// CHECK: kernel.ring at 16384 : <2 of 64 x 32 x f16>
// Two slots: there is nothing in flight while a step is multiplied but the next.
// CHECK: kernel.copy.wait 0
// CHECK: kernel.read {{.*}} step 0 : {{.*}} -> <"a", 128 x f16
// CHECK: kernel.read {{.*}} step 0 : {{.*}} -> <"b", 64 x f16

module @nt {
func.func @matmul(%a: memref<512x256xf16>, %b: memref<384x256xf16>, %c: memref<512x384xf16>) {
  hone.matmul ins(%a, col %b : memref<512x256xf16>, memref<384x256xf16>) outs(%c : memref<512x384xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 2, group = 4>)
  return
}
}

// -----

// CHECK-LABEL: module @tn
// CHECK-SAME: {
// CHECK: gpu.module {{.*}}c % 16 == 0 && ldc % 4 == 0
// CHECK: gpu.func @hone_mma_sync_bf16_f32_tn_
// CHECK: kernel.matrix %{{.*}} at %{{.*}}[%[[K:.*]], %[[M:.*]]] stride
// CHECK: kernel.matrix %{{.*}} at %{{.*}}[%[[K]], %[[N:.*]]] stride
// CHECK: kernel.ring at 0 : <2 of 32 x 128 x bf16>
// CHECK: kernel.ring at 16384 : <2 of 32 x 64 x bf16>
// CHECK: kernel.read {{.*}} step 0 transposed : {{.*}} -> <"a", 128 x bf16
// CHECK: kernel.read {{.*}} step 0 transposed : {{.*}} -> <"b", 64 x bf16
// CHECK: kernel.matrix %{{.*}} at %{{.*}}[%[[M]], %[[N]]] stride
// An f32 result is the sum itself.
// CHECK-NOT: kernel.epilogue
// CHECK: kernel.store {{.*}} : <128 x 64 x f32, warps = 2 x 2> to <f32, align = 16>

module @tn {
func.func @matmul(%a: memref<256x512xbf16>, %b: memref<256x384xbf16>, %c: memref<512x384xf32>) {
  hone.matmul ins(col %a, %b : memref<256x512xbf16>, memref<256x384xbf16>) outs(%c : memref<512x384xf32>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 2, group = 4>)
  return
}
}

// -----

// CHECK-LABEL: module @tt
// CHECK: gpu.func @hone_mma_sync_f16_f16_tt_
// CHECK: kernel.ring at 0 : <2 of 32 x 128 x f16>
// CHECK: kernel.ring at 16384 : <2 of 64 x 32 x f16>
// CHECK: kernel.read {{.*}} step 0 transposed : {{.*}} -> <"a", 128 x f16
// CHECK: kernel.read {{.*}} step 0 : {{.*}} -> <"b", 64 x f16

module @tt {
func.func @matmul(%a: memref<256x512xf16>, %b: memref<384x256xf16>, %c: memref<512x384xf16>) {
  hone.matmul ins(col %a, col %b : memref<256x512xf16>, memref<384x256xf16>) outs(%c : memref<512x384xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 2, group = 4>)
  return
}
}

// -----

// The strides say what is contiguous, whatever the order in the op.

// CHECK-LABEL: module @layout_from_strides
// CHECK: gpu.func @hone_mma_sync_f16_f16_tn_
// CHECK: kernel.ring at 0 : <2 of 32 x 128 x f16>
// CHECK: func.func @matmul
// CHECK: %[[LDA:.*]] = arith.constant 512 : i64
// CHECK: kernel.launch {{.*}} lda = %[[LDA]],

module @layout_from_strides {
func.func @matmul(%a: memref<512x256xf16, strided<[1, 512]>>, %b: memref<256x384xf16>, %c: memref<512x384xf16>) {
  hone.matmul ins(%a, %b : memref<512x256xf16, strided<[1, 512]>>, memref<256x384xf16>) outs(%c : memref<512x384xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 2, group = 4>)
  return
}
}

// -----

// CHECK-LABEL: module @batch
// CHECK: gpu.module {{.*}} "args a b c m n k group lda ldb ldc batch sa sb sc",
// CHECK-SAME: "alternative a % 16 == 0 && lda % 8 == 0 && sa % 8 == 0 && b % 16 == 0 && ldb % 8 == 0 && sb % 8 == 0 && c % 16 == 0 && ldc % 8 == 0 && sc % 8 == 0",
// CHECK-SAME: "grid ceildiv(m, 128) * ceildiv(n, 64) * batch ; 1 ; 1"
// CHECK-SAME: "param i64 sa", "param i64 sb", "param i64 sc"
// CHECK: gpu.func {{.*}}, %[[SA:.*]]: i64, %[[SB:.*]]: i64, %[[SC:.*]]: i64) kernel
// CHECK: %{{.*}}, %{{.*}}, %[[BATCH:.*]] = kernel.tile
// CHECK: %[[WIDE:.*]] = arith.extui %[[BATCH]] : i32 to i64
// CHECK: %[[AT_A:.*]] = arith.muli %[[WIDE]], %[[SA]]
// CHECK: kernel.matrix %{{.*}} at %[[AT_A]][
// CHECK: %[[AT_B:.*]] = arith.muli %[[WIDE]], %[[SB]]
// CHECK: kernel.matrix %{{.*}} at %[[AT_B]][
// CHECK: %[[AT_C:.*]] = arith.muli %[[WIDE]], %[[SC]]
// CHECK: kernel.matrix %{{.*}} at %[[AT_C]][

module @batch {
func.func @matmul(%a: memref<4x512x256xf16>, %b: memref<4x256x384xf16>, %c: memref<4x512x384xf16>) {
  hone.matmul ins(%a, %b : memref<4x512x256xf16>, memref<4x256x384xf16>) outs(%c : memref<4x512x384xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 2, group = 4>)
  return
}
}

// -----

// One B for the whole batch is a batch stride of zero.

// CHECK-LABEL: module @shared
// CHECK: func.func @matmul
// CHECK-SAME: %[[HC:[a-z0-9]*]]: memref<?x512x384xf16>)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[SA:.*]] = arith.constant 131072 : i64
// CHECK-DAG: %[[SC:.*]] = arith.constant 196608 : i64
// CHECK: %[[DIM:.*]] = memref.dim %[[HC]]
// CHECK: %[[BATCH:.*]] = arith.index_cast %[[DIM]] : index to i64
// CHECK: kernel.launch {{.*}} batch = %[[BATCH]], sa = %[[SA]], sb = %[[ZERO]], sc = %[[SC]])
// CHECK-SAME: b = f16:row:16:shared

module @shared {
func.func @matmul(%a: memref<?x512x256xf16>, %b: memref<256x384xf16>, %c: memref<?x512x384xf16>) {
  hone.matmul ins(%a, %b : memref<?x512x256xf16>, memref<256x384xf16>) outs(%c : memref<?x512x384xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 2, group = 4>)
  return
}
}

// -----

// CHECK-LABEL: module @read
// CHECK: gpu.func {{.*}}(%{{.*}}, %{{.*}}, %[[C:.*]]: !kernel.buffer<f16>, %{{.*}}: i32, {{.*}}, %[[LDC:.*]]: i64) kernel
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[BASE:.*]] = arith.constant 0 : i64
// CHECK: %[[OLD:.*]] = kernel.operand %[[C]] at %[[BASE]] strides(%[[LDC]], %[[ONE]]) : <f16> -> <f16, "mn">
// CHECK: kernel.epilogue {{.*}} with(%[[OLD]] : !kernel.operand<f16, "mn">) {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[V:.*]]: f16):
// CHECK-NEXT:   %[[WIDE:.*]] = arith.extf %[[V]] : f16 to f32
// CHECK-NEXT:   %[[ADD:.*]] = arith.addf %[[SUM]], %[[WIDE]] : f32
// CHECK-NEXT:   %[[HALF:.*]] = arith.truncf %[[ADD]] : f32 to f16
// CHECK-NEXT:   kernel.yield %[[HALF]] : f16

module @read {
func.func @matmul(%a: memref<512x256xf16>, %b: memref<256x384xf16>, %c: memref<512x384xf16>) {
  hone.matmul ins(%a, %b : memref<512x256xf16>, memref<256x384xf16>) outs(%c : memref<512x384xf16>) init(read) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 2, group = 4>)
  return
}
}

// -----

// The old value of C first, then the epilogue's own operands in their order.

// CHECK-LABEL: module @epilogue
// CHECK: "args a b c e0 e1 e2 m n k group lda ldb ldc batch sa sb sc e0n e1b e1n e1m",
// CHECK: gpu.func {{.*}}, %[[E0:[a-z0-9]*]]: !kernel.buffer<f32>, %[[E1:[a-z0-9]*]]: !kernel.buffer<f16>, %[[E2:[a-z0-9]*]]: !kernel.buffer<f32>, {{.*}}, %{{[a-z0-9]*}}: i64, %[[E1B:[a-z0-9]*]]: i64, %[[E1N:[a-z0-9]*]]: i64, %{{[a-z0-9]*}}: i64) kernel
// CHECK: %[[BASE:.*]] = arith.constant 0 : i64
// CHECK: %[[BATCH:.*]] = arith.extui
// CHECK: %[[OLD:.*]] = kernel.operand {{.*}} -> <f16, "mn">
// Where elements lie side by side, nothing is multiplied.
// CHECK: %[[BIAS:.*]] = kernel.operand %[[E0]] at %[[BASE]] strides(%[[BASE]], %c1_i64) : <f32> -> <f32, "n">
// CHECK: %[[AT:.*]] = arith.muli %[[BATCH]], %[[E1B]]
// CHECK: %[[REST:.*]] = kernel.operand %[[E1]] at %[[AT]] strides(%c1_i64, %[[E1N]]) : <f16> -> <f16, "mn">
// CHECK: %[[SCALE:.*]] = kernel.operand %[[E2]] at %[[BASE]] strides(%[[BASE]], %[[BASE]]) : <f32> -> <f32, "">
// CHECK: kernel.epilogue {{.*}} with(%[[OLD]], %[[BIAS]], %[[REST]], %[[SCALE]] :
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[V0:.*]]: f16, %[[V1:.*]]: f32, %[[V2:.*]]: f16, %[[V3:.*]]: f32):
// CHECK-NEXT:   %[[WIDE0:.*]] = arith.extf %[[V0]] : f16 to f32
// CHECK-NEXT:   %[[S0:.*]] = arith.addf %[[SUM]], %[[WIDE0]]
// CHECK-NEXT:   %[[S1:.*]] = arith.addf %[[S0]], %[[V1]]
// CHECK-NEXT:   %[[WIDE2:.*]] = arith.extf %[[V2]] : f16 to f32
// CHECK-NEXT:   %[[S2:.*]] = arith.addf %[[S1]], %[[WIDE2]]
// CHECK-NEXT:   %[[S3:.*]] = arith.mulf %[[S2]], %[[V3]]
// CHECK-NEXT:   %[[S4:.*]] = math.tanh %[[S3]]
// CHECK-NEXT:   %[[HALF:.*]] = arith.truncf %[[S4]]
// CHECK-NEXT:   kernel.yield %[[HALF]] : f16

module @epilogue {
func.func @matmul(%a: memref<4x512x256xf16>, %b: memref<4x256x384xf16>, %c: memref<4x512x384xf16>,
                  %bias: memref<384xf32>, %rest: memref<4x384x512xf16>, %scale: memref<f32>) {
  hone.matmul ins(%a, %b : memref<4x512x256xf16>, memref<4x256x384xf16>) outs(%c : memref<4x512x384xf16>) init(read) acc(f32)
    epilogue(%bias[n], %rest[b, n, m], %scale[] : memref<384xf32>, memref<4x384x512xf16>, memref<f32>) {
    ^bb0(%sum: f32, %0: f32, %1: f16, %2: f32):
      %3 = arith.addf %sum, %0 : f32
      %4 = arith.extf %1 : f16 to f32
      %5 = arith.addf %3, %4 : f32
      %6 = arith.mulf %5, %2 : f32
      %7 = math.tanh %6 : f32
      %8 = arith.truncf %7 : f32 to f16
      hone.yield %8 : f16
    }
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 2, group = 4>)
  return
}
}

// -----

// Alignment that strides do not prove is guarded; the sibling needs only an
// element of C for each sum.

// CHECK-LABEL: module @dynamic
// CHECK: "alternative a % 16 == 0 && lda % 8 == 0 && b % 16 == 0 && ldb % 8 == 0 && c % 16 == 0 && ldc % 4 == 0 && (m <= 1 || max(ldc, 0 - ldc) >= n)"
// CHECK-SAME: "alternative (m <= 1 || max(ldc, 0 - ldc) >= n)"
// CHECK: gpu.func @[[FAST:.*]](
// CHECK-COUNT-2: -> <f16, align = 16>
// CHECK: -> <f32, align = 16>
// CHECK: gpu.func @{{.*}}(
// CHECK-COUNT-2: -> <f16, align = 2>
// CHECK: -> <f32, align = 4>
// CHECK: func.func @matmul(%[[HA:.*]]: memref<?x?xf16, strided<[?, 1], offset: ?>>, %[[HB:.*]]: memref<?x?xf16>, %[[HC:.*]]: memref<?x?xf32, strided<[?, 1], offset: ?>>)
// CHECK: %[[PA:.*]] = memref.extract_aligned_pointer_as_index %[[HA]]
// CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[HA]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[OFFSET]], %c2
// CHECK: %[[AT:.*]] = arith.addi %[[PA]], %[[BYTES]]
// CHECK: %[[IA:.*]] = arith.index_cast %[[AT]] : index to i64
// CHECK: %[[PB:.*]] = memref.extract_aligned_pointer_as_index %[[HB]]
// CHECK-NEXT: %[[IB:.*]] = arith.index_cast %[[PB]] : index to i64
// CHECK: memref.dim %[[HC]]
// CHECK: memref.dim %[[HC]]
// CHECK: memref.dim %[[HA]]
// CHECK: kernel.launch @hone_sm_80::@[[FAST]](a = %[[IA]], b = %[[IB]],
// CHECK-SAME: m = ?, n = ?, k = ?, a = f16:row:2, b = f16:row:2, acc = f32, c = f32:4

module @dynamic {
func.func @matmul(%a: memref<?x?xf16, strided<[?, 1], offset: ?>>, %b: memref<?x?xf16>, %c: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  hone.matmul ins(%a, %b : memref<?x?xf16, strided<[?, 1], offset: ?>>, memref<?x?xf16>) outs(%c : memref<?x?xf32, strided<[?, 1], offset: ?>>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 2, group = 4>)
  return
}
}

// -----

// Matrices of C follow each other, or their rows are interleaved: then the matrices
// are apart, too. A stride of 0 between them is neither.

// CHECK-LABEL: module @dynamic_batches
// CHECK: && (((m <= 1 || max(ldc, 0 - ldc) >= n) && (batch <= 1 || max(sc, 0 - sc) >= (m - 1) * max(ldc, 0 - ldc) + n))
// CHECK-SAME: || ((batch <= 1 || max(sc, 0 - sc) >= n) && (m <= 1 || max(ldc, 0 - ldc) >= (batch - 1) * max(sc, 0 - sc) + n)))"

module @dynamic_batches {
func.func @matmul(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %c: memref<?x?x?xf32, strided<[?, ?, 1]>>) {
  hone.matmul ins(%a, %b : memref<?x?x?xf16>, memref<?x?x?xf16>) outs(%c : memref<?x?x?xf32, strided<[?, ?, 1]>>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 128x64x32, warps = 2x2, stages = 2, group = 4>)
  return
}
}

// -----

// Strides of 12 elements prove 8 bytes for A; B's 6 prove 4; C's 5 only 2.

// CHECK-LABEL: module @partly_aligned
// CHECK: "alternative a % 8 == 0 && lda % 4 == 0 && b % 4 == 0 && ldb % 2 == 0",
// CHECK: kernel.matrix {{.*}} -> <f16, align = 8>
// CHECK: kernel.matrix {{.*}} -> <f16, align = 4>
// CHECK: kernel.matrix {{.*}} -> <f16, align = 2>
// A ring starts at a multiple of 1024 bytes, however small the one before it is.
// CHECK: kernel.ring at 0 : <2 of 16 x 16 x f16>
// CHECK: kernel.ring at 1024 : <2 of 16 x 16 x f16>

module @partly_aligned {
func.func @matmul(%a: memref<8x12xf16>, %b: memref<12x5xf16, strided<[6, 1]>>, %c: memref<8x5xf16>) {
  hone.matmul ins(%a, %b : memref<8x12xf16>, memref<12x5xf16, strided<[6, 1]>>) outs(%c : memref<8x5xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  return
}
}

// -----

// Where strides are unknown, lines may be aligned: the first kernel is for lines
// that are, and a sibling is for any.

// CHECK-LABEL: module @expected_lines
// CHECK: "alternative a % 8 == 0 && lda % 4 == 0 && b % 16 == 0 && ldb % 8 == 0 && (m <= 1 || max(ldc, 0 - ldc) >= n)",
// CHECK: "alternative (m <= 1 || max(ldc, 0 - ldc) >= n)"
// CHECK: kernel.matrix {{.*}} -> <f16, align = 8>
// CHECK: kernel.matrix {{.*}} -> <f16, align = 16>
// CHECK: kernel.matrix {{.*}} -> <f16, align = 2>

module @expected_lines {
func.func @matmul(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16, strided<[?, 1]>>, %c: memref<?x?xf16, strided<[?, 1]>>) {
  hone.matmul ins(%a, %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16, strided<[?, 1]>>) outs(%c : memref<?x?xf16, strided<[?, 1]>>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>) {hone.lines = array<i64: 8, 16, 2>}
  return
}
}

// -----

// Odd strides everywhere: one kernel, which needs nothing, is all there is.

// CHECK-LABEL: module @odd
// CHECK: "alternative 1"
// CHECK-NOT: "alternative
// CHECK: gpu.func
// CHECK-NOT: gpu.func
// CHECK: func.func @matmul

module @odd {
func.func @matmul(%a: memref<9x7xf16>, %b: memref<7x5xf16>, %c: memref<9x5xf16>) {
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  return
}
}

// -----

// A sum that is stored as it is has no epilogue; an offset moves the address.

// CHECK-LABEL: module @subview
// CHECK: gpu.func
// CHECK-NOT: kernel.epilogue
// CHECK: kernel.store {{.*}} to <f32, align = 16>
// CHECK: func.func @matmul
// CHECK-DAG: %[[LDA:.*]] = arith.constant 128 : i64
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 128 : index
// CHECK: %[[P:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: %[[AT:.*]] = arith.addi %[[P]], %[[BYTES]]
// CHECK: %[[A:.*]] = arith.index_cast %[[AT]] : index to i64
// CHECK: kernel.launch {{.*}}(a = %[[A]], {{.*}}, lda = %[[LDA]],

module @subview {
func.func @matmul(%a: memref<64x64xf16, strided<[128, 1], offset: 64>>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  hone.matmul ins(%a, %b : memref<64x64xf16, strided<[128, 1], offset: 64>>, memref<64x64xf16>) outs(%c : memref<64x64xf32>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 64x64x64, warps = 2x2, stages = 2, group = 4>)
  return
}
}
