// Faults that no trial reaches: a step, a worker, a number or an extent beyond those that are run.
// Each line changes a word of a good kernel, or of its plan.

// DEFINE: %{verify} = not hone-opt --hone-verify-kernel

// Blocks that take tiles in turn.
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws_coop, tile = 64x64x64, consumers = 1x1, stages = 3'" --hone-build-kernel=fallback=false --canonicalize -o %t.ws
// RUN: hone-opt %t.ws --hone-verify-kernel -o /dev/null
// One tile a block.
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='small, tile = 64x64x64, stages = 3'" --hone-build-kernel=fallback=false --canonicalize -o %t.small
// RUN: hone-opt %t.small --hone-verify-kernel -o /dev/null
// Workers that share tiles.
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='streamk, tile = 64x64x64, consumers = 1x1, stages = 3'" --hone-build-kernel=fallback=false --canonicalize -o %t.streams
// RUN: hone-opt %t.streams --hone-verify-kernel -o /dev/null
// Parts of K.
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='mma_sync, tile = 32x32x32, warps = 2x2, stages = 3, splits = 2'" --hone-build-kernel=fallback=false --canonicalize -o %t.splits
// RUN: hone-opt %t.splits --hone-verify-kernel -o /dev/null

// A step that is like no other, and one that comes every 64 steps.
// RUN: sed 's/\(.*kernel.expect.*\)/%%far = arith.constant 1000 : i32\n%%isOther = arith.cmpi ne, %%arg8, %%far : i32\nscf.if %%isOther {\n\1\n}/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: error: 'arith.cmpi' never fails at the sizes that prove a kernel [untried;
// RUN: sed 's/\(.*kernel.expect.*\)/%%far = arith.constant 6 : i32\n%%one = arith.constant 1 : i32\n%%band = arith.shrui %%arg8, %%far : i32\n%%isOther = arith.cmpi ult, %%band, %%one : i32\nscf.if %%isOther {\n\1\n}/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=BAND
// BAND: error: 'arith.shrui' makes a difference from 64 on, which no size that proves a kernel gets to [untried;

// A loop that does not get on.
// RUN: sed 's/step %%workers/step %%c0_i32/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=STANDS
// STANDS: error: 'scf.for' steps by 0 or less: it never ends [deadlock;

// Workers that step as if there were never more than two.
// RUN: sed 's/\(.*kernel.role "producer".*\)/%%most = arith.constant 2 : i32\n%%few = arith.minui %%workers, %%most : i32\n\1/; s/step %%workers/step %%few/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=WORKERS
// WORKERS: [coverage;

// Formulas that are cut off: of a grid, a tensor map, a number.
// RUN: sed 's/"grid \(.*\) ; 1 ; 1", "block 160/"grid min(65535, \1) ; 1 ; 1", "block 160/' %t.small | %{verify} 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: error: 'gpu.func' expected a grid of {{[0-9]+}} blocks, one for each tile, but got {{[0-9]+}} [plan;
// RUN: sed 's/dims (k, m)/dims (k, min(m, 65536))/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=DIMS
// DIMS: error: 'gpu.func' has a tensor map, parameter 0, of {{[0-9]+}} elements, but operand 'a' has {{[0-9]+}} [plan;
// RUN: sed 's/param i32 k/param i32 min(k, 65536)/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=PARAM
// PARAM: error: 'gpu.func' expected 'k' in the plan's parameter {{[0-9]+}} at all sizes, but got 'min(k, 65536)' [plan;

// An element of K that the kernel is not told of.
// RUN: sed 's/param i32 k/param i32 k - 1/' %t.small > %t.less
// RUN: not hone simulate %t.less 2>&1 | FileCheck %s --check-prefix=LESS
// LESS-DAG: m = 65, n = 72, k = 65: wrong
// LESS-DAG: 'gpu.func' computes {{.*}} [value;

// A slot of a deep ring that is not given back after tile 5: there is no fault until its turn comes again.
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws, tile = 64x64x64, consumers = 1x1, stages = 13'" --hone-build-kernel=fallback=false --canonicalize -o %t.deep
// RUN: hone-opt %t.deep --hone-verify-kernel -o /dev/null
// RUN: sed 's/^\( *\)\(kernel.arrive %%barriers[_0-9]*\[%%[0-9]*#1\].*\)/%%five = arith.constant 5 : i32\n%%isOther = arith.cmpi ne, %%arg8, %%five : i32\nscf.if %%isOther {\n\2\n}/' %t.deep | %{verify} 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: error: 'kernel.await' waits forever for the end of phase 0: {{.*}} [deadlock; producer 0 of block 0,

// Fewer steps than workers.
// RUN: sed 's/arith.maxui %%\([0-9]*\), %%c1_i32 : i32/arith.addi %%\1, %%c0_i32 : i32/' %t.streams | %{verify} 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: 'arith.divui' divides by zero [bounds;
// RUN: sed 's/min(132, ceildiv(m, 64) \*/min(132, m \/ 64 */' %t.streams | %{verify} 2>&1 | FileCheck %s --check-prefix=ROUNDS
// ROUNDS: beyond its end [bounds;

// A step that is cut where another size is, a loop that is entered late, and a slot that bits of the step choose.
// RUN: sed 's/\(.*kernel.expect.*\)/%%more = arith.constant 300 : i32\n%%other = arith.addi %%arg4, %%more : i32\n%%cut = arith.minui %%arg10, %%other : i32\n%%isCut = arith.cmpi eq, %%cut, %%arg10 : i32\nscf.if %%isCut {\n\1\n}/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: error: 'arith.minui' never has its first operand above the second at the sizes that prove a kernel [untried;
// RUN: sed 's/\(kernel.arrive %%barriers_[0-9]*\[%%arg10\].*\)/%%late = arith.constant 500 : i32\n%%unit = arith.constant 1 : i32\nscf.for %%again = %%late to %%arg8 step %%unit : i32 {\n\1\n}\n\1/' %t.small | %{verify} 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: error: 'scf.for' is never entered at the sizes that prove a kernel [untried;
// RUN: sed 's/\(.*kernel.expect.*\)/%%mask = arith.constant 31 : i32\n%%bits = arith.andi %%arg10, %%mask : i32\n%%isCut = arith.cmpi eq, %%bits, %%arg10 : i32\nscf.if %%isCut {\n\1\n}/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: error: 'arith.andi' makes a difference from 32 on, which no size that proves a kernel gets to [untried;
// RUN: sed 's/\(.*kernel.expect.*\)/%%wide = arith.constant 33 : i32\n%%none = arith.shrui %%arg10, %%wide : i32\n\1/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=SHIFT
// SHIFT: error: 'arith.shrui' shifts by as many bits as the number has, or more: the result may be anything [bounds;

// Thresholds that arithmetic hides: by a sign, a carry, the quotient of a sum, a product that wraps around, a
// remainder that drifts, and the rounds of a loop.
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%x = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%n = arith.constant 700 : i32\n%%d = arith.subi %%n, %%x : i32\n%%r = arith.maxsi %%d, %%c0_i32 : i32\n%%y = arith.subi %%n, %%r : i32\n\1 = arith.addi %%y, %%c0_i32 : i32/' %t.small | %{verify} 2>&1 | FileCheck %s --check-prefix=SIGN
// SIGN: error: 'arith.subi' makes a difference from 700 on, which no size that proves a kernel gets to [untried;
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%x = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%n = arith.constant 512 : i32\n%%u = arith.addi %%x, %%n : i32\n%%b = arith.xori %%u, %%x : i32\n%%d = arith.subi %%b, %%n : i32\n%%y = arith.addi %%x, %%d : i32\n\1 = arith.addi %%y, %%c0_i32 : i32/' %t.small | %{verify} 2>&1 | FileCheck %s --check-prefix=CARRY
// CARRY: error: 'arith.xori' depends on sizes in a way that trials cannot tell apart [untried;
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%x = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%n = arith.constant 22 : i32\n%%u = arith.shli %%x, %%n : i32\n%%y = arith.shrui %%u, %%n : i32\n\1 = arith.addi %%y, %%c0_i32 : i32/' %t.small | %{verify} 2>&1 | FileCheck %s --check-prefix=WRAP
// WRAP: error: 'arith.shli' may exceed 32 bits at sizes that the guard lets through; expected a guard, or more bits [untried;
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%x = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%n = arith.constant 97 : i32\n%%o = arith.constant 96 : i32\n%%u = arith.muli %%x, %%n : i32\n%%y = arith.remui %%u, %%o : i32\n\1 = arith.addi %%y, %%c0_i32 : i32/' %t.small | %{verify} 2>&1 | FileCheck %s --check-prefix=DRIFT
// DRIFT: error: 'arith.remui' makes a difference from 9312 on, which no size that proves a kernel gets to [untried;
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%x = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%n = arith.constant 3000 : i32\n%%o = arith.constant 1500 : i32\n%%u = arith.subi %%n, %%x : i32\n%%y = scf.for %%i = %%c0_i32 to %%o step %%u iter_args(%%a = %%x) -> (i32) : i32 {\n%%w = arith.addi %%a, %%i : i32\nscf.yield %%w : i32\n}\n\1 = arith.addi %%y, %%c0_i32 : i32/' %t.small | %{verify} 2>&1 | FileCheck %s --check-prefix=ROUND
// ROUND: error: 'scf.for' never has a second round at the sizes that prove a kernel [untried;
// In formulas of the plan.
// RUN: sed 's/param i32 k/param i32 300000 - max(300000 - k, 0)/' %t.small | %{verify} 2>&1 | FileCheck %s --check-prefix=PLANSIGN
// PLANSIGN: makes a difference from 300000 on, which no size that proves a kernel gets to [untried;
// RUN: sed 's/param i32 k/param i32 k * 700001 % 700000/' %t.small | %{verify} 2>&1 | FileCheck %s --check-prefix=PLANDRIFT
// PLANDRIFT: which no size that proves a kernel gets to [untried;
// A product of two extents that 32 bits need not hold.
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%x = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%u = arith.muli %%arg4, %%arg5 : i32\n%%o = arith.muli %%u, %%c0_i32 : i32\n%%y = arith.addi %%x, %%o : i32\n\1 = arith.addi %%y, %%c0_i32 : i32/' %t.small | %{verify} 2>&1 | FileCheck %s --check-prefix=EXTENTS
// EXTENTS: error: 'arith.muli' may exceed 32 bits at sizes that the guard lets through

// A sum of three extents.
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%x = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%u = arith.addi %%arg4, %%arg5 : i32\n%%v = arith.addi %%u, %%arg5 : i32\n%%o = arith.muli %%v, %%c0_i32 : i32\n%%y = arith.addi %%x, %%o : i32\n\1 = arith.addi %%y, %%c0_i32 : i32/' %t.small | %{verify} 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: error: 'arith.addi' may exceed 32 bits at sizes that the guard lets through

// Thresholds that no launch of a trial comes near, in a number, a distance and a grid.
// RUN: sed 's/param i32 k/param i32 min(k, 3000000)/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=FARPARAM
// FARPARAM: error: 'gpu.func' has a plan whose formula 'min(k, 3000000)' never has its first operand above the second at the sizes that prove a kernel [untried;
// RUN: sed 's/strides (ldb \* 2)/strides (ldb % 8589934592 * 2)/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=FARSTRIDE
// FARSTRIDE: formula 'ldb % 8589934592 * 2' makes a difference from {{[0-9]+}} on, which no size that proves a kernel gets to [untried;

// The distance of another operand, and an extent for a distance.
// RUN: sed 's/strides (ldb \* 2)/strides (ldc * 2)/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=DISTANCE
// DISTANCE: which reach beyond the lines of operand 'b' [bounds;
// RUN: sed 's/param i32 n"/param i32 ldb"/' %t.small | %{verify} 2>&1 | FileCheck %s --check-prefix=EXTENT
// EXTENT: error: 'gpu.func' element {{.*}} of the result is never written [coverage;
// RUN: sed 's/param i32 m"/param i32 c"/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=ADDRESS
// ADDRESS: error: 'gpu.func' expected an extent or a distance in the plan's parameter 3, 'c', but got {{[0-9]+}} [plan;

// Guards with a hole, and none for elements of C that share a place.
// RUN: sed 's/ldb % 8 == 0/(ldb % 8 == 0 || ldb == 4099)/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=HOLE
// HOLE: error: 'gpu.func' needs '{{.*}}(ldb * 2) % 16 == 0', which does not follow from the guard
// RUN: sed 's/(m <= 1 ||/(m <= 3 ||/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: error: 'kernel.launch' has a C whose type does not state that its elements are distinct; expected a guard that ends in

// Operands of a launch that are exchanged.
// RUN: sed 's/(a = \(%[a-z0-9]*\), b = \(%[a-z0-9]*\)/(a = \2, b = \1/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: 'kernel.launch' gives the plan another value: expected a distance of operand 'a' for 'lda', but got one of another memref [plan;
// RUN: sed 's/m = \(%[a-z0-9]*\), n = \(%[a-z0-9]*\)/m = \2, n = \1/' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=VALUES
// VALUES: error: 'kernel.launch' gives the plan another value: expected

// More steps than a proof may follow.
// RUN: sed 's/\(%[0-9]*\) = arith.maxui \(%[0-9]*\), %c1_i32 : i32/%%many = arith.constant 2000000000 : i32\n\1 = arith.maxui \2, %%many : i32/' %t.small > %t.many
// RUN: %{verify} %t.many 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not hone simulate %t.many --shape=8x8x8 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT: is reached after more work than a proof may take

// The printed output can be read back, sums of single elements too.
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='swap_ab, tile = 32x64x64, stages = 3, splits = 2, store = threads'" --hone-build-kernel=fallback=false --canonicalize | hone-opt --hone-verify-kernel -o /dev/null

// Threads that fence for others.
// RUN: sed '/kernel.proxy.fence/{N;s/\(.*\)\n\(.*\)/\2\n\1/}' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=FENCE
// FENCE: 'kernel.store.async' an engine may not see what threads wrote here; expected a kernel.proxy.fence of these threads between them, in front of the barrier [proxy;

func.func @matmul(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16, strided<[?, 1]>>,
                  %c: memref<?x?xf16, strided<[?, 1]>>) {
  hone.matmul ins(%a, %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16, strided<[?, 1]>>)
      outs(%c : memref<?x?xf16, strided<[?, 1]>>) init(zero) acc(f32)
  return
}
