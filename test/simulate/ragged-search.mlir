// A persistent kernel of ragged rows begins the search for a tile's group at the group of
// the tile before. It is proven, and not one whose search begins at another segment or row,
// or with another number of tiles.

// RUN: hone-opt %s --hone-build-kernel=fallback=false --canonicalize -o %t.mlir
// RUN: hone simulate %t.mlir | FileCheck %s

// The search begins a group late; at the tile's own number; with the row of the end.
// RUN: sed 's/^\( *scf.yield .*\)%%segment\(_[0-9]*\), \(%%first.*\)/ %%late = arith.addi %%segment\2, %%c1_i32 : i32\n\1%%late, \3/' %t.mlir > %t.1.mlir
// RUN: not hone simulate %t.1.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/arith.subi \(%%arg[0-9]*\), %%number/arith.addi \1, %%number/' %t.mlir > %t.2.mlir
// RUN: not hone simulate %t.2.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/^\( *scf.yield .*%%segment_[0-9]*, \)%%first\(_[0-9]*\)/\1%%c1_i32/' %t.mlir > %t.3.mlir
// RUN: not hone simulate %t.3.mlir 2>&1 | FileCheck %s --check-prefix=WRONG

// So is a cluster whose blocks have two tiles of one group, and share its columns.
// RUN: sed 's/tile = 64x64x64, /&cluster = 2x1, /' %s | hone-opt --hone-build-kernel=fallback=false -o %t.pair.mlir
// RUN: hone simulate %t.pair.mlir | FileCheck %s

// CHECK: right (clocks, values)
// CHECK-NOT: wrong
// WRONG: error:
// WRONG-SAME: {{value|coverage|bounds|waits}}

func.func @rows(%a: memref<?x64xf16>, %b: memref<?x64x96xf16>, %c: memref<?x96xf16>, %ends: memref<?xi32>) {
  hone.matmul ins(%a, %b : memref<?x64xf16>, memref<?x64x96xf16>) outs(%c : memref<?x96xf16>) ragged(%ends : memref<?xi32>) init(zero) acc(f32)
    arch(#hone.arch<sm_90a>) schedule(#hone.schedule<ws, tile = 64x64x64, consumers = 1x1, stages = 3>)
  return
}
