// One mistake for each cause that clocks at one size do not show: each line changes a word of a
// good kernel, or of its plan.

// A persistent kernel with an operand.
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws_coop, tile = 64x64x64, consumers = 1x1, stages = 3'" --hone-build-kernel=fallback=false --canonicalize -o %t.ws
// RUN: hone-opt %t.ws --hone-verify-kernel -o /dev/null

// Workers that share tiles, in clusters.
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='streamk, tile = 64x64x64, consumers = 1x1, stages = 3, cluster = 2x1'" --hone-build-kernel=fallback=false --canonicalize -o %t.streams
// RUN: hone-opt %t.streams --hone-verify-kernel -o /dev/null

// Threads that copy and store.
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='mma_sync, tile = 32x32x32, warps = 2x2, stages = 3'" --hone-build-kernel=fallback=false --canonicalize -o %t.threads
// RUN: hone-opt %t.threads --hone-verify-kernel -o /dev/null

// The raster: as many tiles in M as in N would hide which is which.
// RUN: sed 's/\(kernel.tile .*of\) \(%[0-9a-z_]*\), \(%[0-9a-z_]*\)/\1 \3, \2/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=RASTER
// RUN: sed 's/\(kernel.tile of\) \(%[0-9a-z_]*\), \(%[0-9a-z_]*\)/\1 \3, \2/' %t.threads | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=RASTER
// RASTER: [{{coverage|bounds}};

// A phase that is right for the first two rounds.
// RUN: sed 's/arith.xori/arith.ori/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=ROUNDS
// ROUNDS: [{{phase|deadlock|overwritten|unfilled}};

// One bit of it is all that a barrier has.
// RUN: sed 's/arith.xori/arith.addi/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=PARITY
// PARITY: waits for parity 2, which one bit cannot tell

// Threads of a warp that have parted.
// RUN: sed 's/gpu.return/kernel.barrier\n gpu.return/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=ALIGNED
// ALIGNED: 'kernel.barrier' needs whole warps, but an earlier role of one thread diverged one
// RUN: sed 's/kernel.expect/kernel.barrier\n kernel.expect/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=ONETHREAD
// ONETHREAD: 'kernel.barrier' needs whole warps, but its role has one thread

// Registers.
// RUN: sed 's/warps 4 registers 240/warps 4 registers 256/; s/warps 4 registers 32/warps 4 registers 256/' %t.streams | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=REGISTERS
// REGISTERS: 'kernel.role' waits forever for registers: the block's roles ask for 65536, but it has 65280, 255 for each thread

// Tensor maps: the kernel's boxes, and no element that the operand does not have.
// RUN: sed 's/box (64, 64)/box (64, 32)/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=BOX
// BOX: whose box the plan says is (64, 32), but the kernel's loads and stores move (64, 64) [plan;
// RUN: sed 's/swizzle 128/swizzle 0/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=SWIZZLE
// SWIZZLE: of swizzle 0 in the plan, but the kernel's slots have 128 [plan;
// RUN: sed 's/tensormap a : f16/tensormap a : bf16/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: of bf16 in the plan, but of f16 in the kernel [plan;
// RUN: sed 's/dims (k, m)/dims (k, m + 1)/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: sed 's/dims (k, m)/dims (lda, m)/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: which reach beyond the lines of operand 'a' [bounds;
// RUN: sed 's/dims (n, m)/dims (n + 7, m)/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=LARGEC
// LARGEC: which reach beyond the lines of operand 'c' [bounds;
// RUN: sed 's/strides (lda \* 2)/strides (ldb * 2)/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=LARGE

// RUN: sed 's/dims (n, k)/dims (n, k - 1)/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=SMALL
// SMALL: elements, but operand 'b' has {{[0-9]+}} [plan;

// Parameters.
// RUN: sed 's/param i32 m/param i64 m/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=PARAM
// PARAM: expected the plan's parameter {{[0-9]+}} to be a i32, but got another kind [plan;

// The guard, one condition at a time.
// RUN: sed 's/ && b % 16 == 0//' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=START
// START: of a matrix whose start may not be a multiple of 16 bytes, which the guard lets through [plan;
// RUN: sed 's/ && ldb % 8 == 0//' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=STRIDE
// RUN: sed 's/ && ldc % 8 == 0/ \&\& ldc % 4 == 0/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=STRIDE
// RUN: sed 's/ && lda > 0//' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=STRIDE
// STRIDE: bytes, which the guard lets through; expected multiples of 16 above 0 [plan;
// RUN: sed 's/ && k > 0//' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: which the guard lets through; expected some above 0 [plan;
// RUN: sed 's/ && b % 16 == 0//' %t.threads | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=LINES
// RUN: sed 's/ && ldc % 8 == 0//' %t.threads | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=LINES
// LINES: accesses lines as if they were aligned to 16 bytes, but the guard lets others through

// Limits of a launch.
// RUN: sed 's/ceildiv(n, 64)) ; 1 ; 1/ceildiv(n, 64)) ; 2 ; 1/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=DIMS
// DIMS: expected a grid, clusters and blocks of extent 1 in y and z, because the kernel counts in x, but got 2 [plan;
// RUN: sed 's/ceildiv(n, 64)) ; 1 ; 1/ceildiv(n, 64)) ; 1 ; 0/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: expected a grid, clusters and blocks of extent 1 in y and z, because the kernel counts in x, but got 0 [plan;
// RUN: sed 's/"shared [0-9]*"/"shared 232449"/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: expected at most 232448 bytes of shared memory, but got 232449 [plan;

// Operands of the epilogue, and bytes between the lines of C.
// RUN: sed 's/of\[%arg[0-9]*, %arg[0-9]*\]/of[%c64_i32, %c64_i32]/' %t.ws | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=OPERAND
// OPERAND: 'kernel.epilogue' reads an operand for element ({{[0-9]+}}, {{[0-9]+}}), which the operand does not have [bounds;
// RUN: sed 's/\(.*kernel.matrix %arg2 at .*, \)\(%arg[0-9]*\)\(\] stride .*\)/%%large = arith.addi \2, %%c1_i32 : i32\n\1%%large\3/' %t.threads > %t.large
// RUN: not hone-opt %t.large --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=BETWEEN
// BETWEEN: and not all of them are elements of it

// Three workers on one tile; sums and counters; blocks that may not be on the chip.
// RUN: sed 's/\(kernel.count.await .* for\) %[0-9]*/%%both = arith.constant 2 : i32\n\1 %%both/' %t.streams > %t.both
// RUN: not hone-opt %t.both --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=SHARERS
// SHARERS: [{{count|unfilled|overwritten|phase}};
// RUN: sed 's/\* parts) \* 98304/* parts) * 49152/' %t.streams | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=WORKSPACE
// RUN: sed 's/\* parts) \* 98304/* parts) * 65536/' %t.streams | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=WORKSPACE
// WORKSPACE: uses bytes {{[0-9]+}} to {{[0-9]+}} of a workspace of {{[0-9]+}}: beyond its end [bounds;
// RUN: sed 's/kernel.sums \(%arg[0-9]*\) at 8192/kernel.sums \1 at 4096/' %t.streams | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=COUNTERS
// COUNTERS: of the workspace, but the first 8192 of it are the counters' [bounds;
// RUN: sed 's/min(resident(66, 66), \(ceildiv(m, 128) \* ceildiv(n, 64) \* parts\))/\1/' %t.streams | not hone-opt --hone-verify-kernel 2>&1 | FileCheck %s --check-prefix=RESIDENT
// RESIDENT: has blocks that wait for each other, and is launched with {{[0-9]+}} clusters, but the chip holds {{[0-9]+}} at once

func.func @matmul(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16, strided<[?, 1]>>,
                  %c: memref<?x?xf16, strided<[?, 1]>>, %e: memref<?xf32>) {
  hone.matmul ins(%a, %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16, strided<[?, 1]>>)
    outs(%c : memref<?x?xf16, strided<[?, 1]>>) init(zero) acc(f32) epilogue(%e[n] : memref<?xf32>) {
    ^bb0(%s: f32, %v: f32):
      %x = arith.addf %s, %v : f32
      %y = arith.truncf %x : f32 to f16
      hone.yield %y : f16
    }
  return
}
