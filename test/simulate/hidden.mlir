// Mistakes at sizes between those that are tried: questions that arithmetic asks without a comparison, each in
// the number of steps of a good kernel, or in a formula of its plan.

// DEFINE: %{verify} = not hone-opt --hone-verify-kernel
// RUN: hone-opt %s --hone-build-kernel=fallback=false --canonicalize -o %t.good
// RUN: hone-opt %t.good --hone-verify-kernel -o /dev/null

// One more where m is 34 more than whole tiles, by the difference of two quotients, and of a product's.
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%s = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%u = arith.constant 30 : i32\n%%v = arith.constant 29 : i32\n%%p = arith.addi %%arg3, %%u : i32\n%%q = arith.addi %%arg3, %%v : i32\n%%x = arith.divui %%p, %%c64_i32 : i32\n%%y = arith.divui %%q, %%c64_i32 : i32\n%%d = arith.subi %%x, %%y : i32\n\1 = arith.addi %%s, %%d : i32/' %t.good | %{verify} 2>&1 | FileCheck %s --check-prefix=RESIDUE
// RESIDUE: error: 'arith.divui' divides a value that 'arith' ops make of others, whose remainders never get past the divisor at the sizes that prove a kernel [untried;
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%s = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%e = arith.extui %%arg3 : i32 to i64\n%%u = arith.constant 3 : i64\n%%v = arith.constant 6 : i64\n%%p = arith.muli %%e, %%u : i64\n%%x = arith.shrui %%p, %%v : i64\n%%r = arith.shrui %%e, %%v : i64\n%%o = arith.muli %%r, %%u : i64\n%%d = arith.subi %%x, %%o : i64\n%%y = arith.trunci %%d : i64 to i32\n\1 = arith.addi %%s, %%y : i32/' %t.good | %{verify} 2>&1 | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: error: 'arith.shrui' divides a value that 'arith' ops make of others

// A product that is zero wherever it is tried, the same by selects, and an arrival within two branches.
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%s = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%h = arith.constant 8 : i32\n%%w = arith.constant 2 : i32\n%%p = arith.divui %%s, %%h : i32\n%%q = arith.divui %%arg4, %%c64_i32 : i32\n%%x = arith.remui %%q, %%w : i32\n%%y = arith.muli %%p, %%x : i32\n\1 = arith.addi %%s, %%y : i32/' %t.good | %{verify} 2>&1 | FileCheck %s --check-prefix=PART
// PART: error: 'arith.muli' has one result alone at the sizes that prove a kernel [untried;
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%s = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%h = arith.constant 9 : i32\n%%w = arith.constant 128 : i32\n%%p = arith.cmpi eq, %%s, %%h : i32\n%%q = arith.cmpi eq, %%arg4, %%w : i32\n%%i = arith.select %%q, %%h, %%c0_i32 : i32\n%%y = arith.select %%p, %%i, %%c0_i32 : i32\n\1 = arith.addi %%s, %%y : i32/' %t.good | %{verify} 2>&1 | FileCheck %s --check-prefix=SELECT
// SELECT: error: 'arith.select' has one result alone at the sizes that prove a kernel [untried;
// RUN: sed 's/^\( *kernel.arrive .*\)/%%h = arith.constant 9 : i32\n%%w = arith.constant 128 : i32\n%%p = arith.cmpi eq, %%2, %%h : i32\n%%q = arith.cmpi eq, %%arg4, %%w : i32\nscf.if %%p {\nscf.if %%q {\n\1\n}\n}\n\1/' %t.good | %{verify} 2>&1 | FileCheck %s --check-prefix=BRANCH
// BRANCH: error: 'scf.if' never holds at the sizes that prove a kernel [untried;

// A polynomial of the steps, in numbers that cannot wrap around.
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%s = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%e = arith.extui %%s : i32 to i64\n%%p = arith.muli %%e, %%e : i64\n%%q = arith.trunci %%p : i64 to i32\n%%o = arith.muli %%q, %%c0_i32 : i32\n\1 = arith.addi %%s, %%o : i32/' %t.good | %{verify} 2>&1 | FileCheck %s --check-prefix=SQUARE
// SQUARE: error: 'arith.muli' depends on sizes in a way that trials cannot tell apart [untried;

// A sum of sums of steps: a polynomial without a product. And a number that doubles.
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%s = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%t:4 = scf.for %%i = %%c0_i32 to %%s step %%c1_i32 iter_args(%%t1 = %%c0_i32, %%t2 = %%c0_i32, %%t3 = %%c0_i32, %%t4 = %%c0_i32) -> (i32, i32, i32, i32) : i32 {\n%%u1 = arith.addi %%t1, %%i : i32\n%%u2 = arith.addi %%t2, %%u1 : i32\n%%u3 = arith.addi %%t3, %%u2 : i32\n%%u4 = arith.addi %%t4, %%u3 : i32\nscf.yield %%u1, %%u2, %%u3, %%u4 : i32, i32, i32, i32\n}\n%%o = arith.muli %%t#3, %%c0_i32 : i32\n\1 = arith.addi %%s, %%o : i32/' %t.good | %{verify} 2>&1 | FileCheck %s --check-prefix=SUMS
// SUMS: error: 'scf.for' depends on sizes in a way that trials cannot tell apart [untried;
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%s = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%t = scf.for %%i = %%c0_i32 to %%s step %%c1_i32 iter_args(%%t1 = %%c1_i32) -> (i32) : i32 {\n%%u1 = arith.addi %%t1, %%t1 : i32\nscf.yield %%u1 : i32\n}\n%%o = arith.muli %%t, %%c0_i32 : i32\n\1 = arith.addi %%s, %%o : i32/' %t.good | %{verify} 2>&1 | FileCheck %s --check-prefix=DOUBLES
// DOUBLES: error: 'scf.for' depends on sizes in a way that trials cannot tell apart [untried;

// A polynomial of the number of workers that share a tile.
// RUN: hone-opt %S/beyond.mlir --hone-select-schedule="arch=h200 schedule='streamk, tile = 64x64x64, consumers = 1x1, stages = 3'" --hone-build-kernel=fallback=false --canonicalize -o %t.streams
// RUN: hone-opt %t.streams --hone-verify-kernel -o /dev/null
// RUN: sed 's/\(.*kernel.count.await .* for \)\(%%[0-9]*\)\( : .*\)/%%p = arith.muli \2, \2 : i32\n%%o = arith.muli %%p, %%c0_i32 : i32\n%%x = arith.addi \2, %%o : i32\n\1%%x\3/' %t.streams | %{verify} 2>&1 | FileCheck %s --check-prefix=SHARERS
// SHARERS: error: 'arith.muli' depends on sizes in a way that trials cannot tell apart [untried;

// Slots that are filled ahead of the loop: of three steps, one that is left out.
// RUN: hone-opt %S/beyond.mlir --hone-select-schedule="arch=h200 schedule='mma_sync, tile = 32x32x32, warps = 2x2, stages = 8'" --hone-build-kernel=fallback=false --canonicalize -o %t.ahead
// RUN: hone-opt %t.ahead --hone-verify-kernel -o /dev/null
// RUN: sed 's/arith.cmpi ugt, \(%%[0-9]*\), %%c2_i32/arith.cmpi ugt, \1, %%c3_i32/' %t.ahead | %{verify} 2>&1 | FileCheck %s --check-prefix=AHEAD
// AHEAD: error: {{.*}} of shared memory that was never written [unfilled; block 0, leader, step (2)]

// A number of steps that no trial has, where it would make a difference.
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%s = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%h = arith.constant 4 : i32\n%%p = arith.cmpi ugt, %%s, %%h : i32\n%%o = arith.extui %%p : i1 to i32\n%%q = arith.muli %%o, %%c0_i32 : i32\n\1 = arith.addi %%s, %%q : i32/' %t.good | %{verify} 2>&1 | FileCheck %s --check-prefix=EDGE
// EDGE: error: 'arith.cmpi' makes a difference between 4 and 5, and no size that proves a kernel has 5 [untried;

// Something else where m and n are alike.
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%s = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%p = arith.cmpi eq, %%arg3, %%arg4 : i32\n%%o = arith.extui %%p : i1 to i32\n\1 = arith.addi %%s, %%o : i32/' %t.good | %{verify} 2>&1 | FileCheck %s --check-prefix=ALIKE
// ALIKE: error: 'arith.cmpi' depends on sizes in a way that trials cannot tell apart [untried;

// A product that wraps around in 64 bits.
// RUN: sed 's/\(%%[0-9]*\) = arith.ceildivui %%arg5, %%c64_i32 : i32/%%s = arith.ceildivui %%arg5, %%c64_i32 : i32\n%%e = arith.extui %%s : i32 to i64\n%%h = arith.constant 54 : i64\n%%p = arith.shli %%e, %%h : i64\n%%q = arith.shrui %%p, %%h : i64\n%%y = arith.trunci %%q : i64 to i32\n\1 = arith.addi %%y, %%c0_i32 : i32/' %t.good | %{verify} 2>&1 | FileCheck %s --check-prefix=WRAP
// WRAP: error: 'arith.shrui' reads a number that may exceed 64 bits at sizes that the guard lets through

// In the plan.
// RUN: sed 's/dims (n, k)/dims (n - ((k + 30) \/ 64 - (k + 29) \/ 64), k)/' %t.good | %{verify} 2>&1 | FileCheck %s --check-prefix=DIMS
// DIMS: error: 'gpu.func' has a plan whose formula 'n - ((k + 30) / 64 - (k + 29) / 64)' divides by 64 a value made of others, whose remainders never get past 64 at the sizes that prove a kernel [untried;
// RUN: sed 's/ ; 1 ; 1", "block 160/ ; 1 - m \/ 64 %% 2 * (k \/ 64 %% 2) * (n \/ 32 %% 2) ; 1", "block 160/' %t.good | %{verify} 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: has a part that is 0 at the sizes that prove a kernel and that may change [untried;
// RUN: sed 's/param i32 k/param i32 k + a %% 4294967296 \/ 4294967000/' %t.good | %{verify} 2>&1 | FileCheck %s --check-prefix=ADDRESS
// ADDRESS: depends on the address 'a'; expected extents and distances alone [plan;

func.func @matmul(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16, strided<[?, 1]>>,
                  %c: memref<?x?xf16, strided<[?, 1]>>) {
  hone.matmul ins(%a, %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16, strided<[?, 1]>>)
      outs(%c : memref<?x?xf16, strided<[?, 1]>>) init(zero) acc(f32) arch(#hone.arch<h200>)
      schedule(#hone.schedule<ws, tile = 64x64x64, consumers = 1x1, persistent = no, stages = 3>)
  return
}
