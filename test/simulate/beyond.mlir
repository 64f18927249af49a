// What goes wrong where no trial goes: a step, a worker, a number or an extent beyond those that are
// run. Each line changes a word of a good kernel, or of its plan.

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

// A slot of a deep ring that is not given back behind tile 5: nothing is wrong until its turn comes again.
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws, tile = 64x64x64, consumers = 1x1, stages = 13'" --hone-build-kernel=fallback=false --canonicalize -o %t.deep
// RUN: hone-opt %t.deep --hone-verify-kernel -o /dev/null
// RUN: sed 's/^\( *\)\(kernel.arrive %%barriers[_0-9]*\[%%[0-9]*#1\].*\)/%%five = arith.constant 5 : i32\n%%isOther = arith.cmpi ne, %%arg8, %%five : i32\nscf.if %%isOther {\n\2\n}/' %t.deep | %{verify} 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: error: 'kernel.await' waits for ever for the end of phase 0: {{.*}} [deadlock; producer 0 of block 0,

// Fewer steps than workers.
// RUN: sed 's/arith.maxui %%\([0-9]*\), %%c1_i32 : i32/arith.addi %%\1, %%c0_i32 : i32/' %t.streams | %{verify} 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: 'arith.divui' divides by zero [bounds;
// RUN: sed 's/min(132, ceildiv(m, 64) \*/min(132, m \/ 64 */' %t.streams | %{verify} 2>&1 | FileCheck %s --check-prefix=ROUNDS
// ROUNDS: behind the end of it [bounds;

// Threads that fence for others.
// RUN: sed '/kernel.proxy.fence/{N;s/\(.*\)\n\(.*\)/\2\n\1/}' %t.ws | %{verify} 2>&1 | FileCheck %s --check-prefix=FENCE
// FENCE: 'kernel.store.async' an engine may not see what threads wrote here; expected a kernel.proxy.fence of these threads between them, in front of the barrier [proxy;

func.func @matmul(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16, strided<[?, 1]>>,
                  %c: memref<?x?xf16, strided<[?, 1]>>) {
  hone.matmul ins(%a, %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16, strided<[?, 1]>>)
      outs(%c : memref<?x?xf16, strided<[?, 1]>>) init(zero) acc(f32)
  return
}
