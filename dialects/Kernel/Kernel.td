//===- Kernel.td - The explicit schedule of a kernel ---------*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel IR states which threads load, which multiply, with which buffers and
// barriers, in ops that can be read, matched, rewritten and simulated. They are
// in a `gpu.func` and speak for the whole block: no pointers, no lane numbers,
// no PTX.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_KERNEL_TD
#define HONE_DIALECTS_KERNEL_KERNEL_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::hone::kernel";
  let summary = "a GPU kernel whose schedule is explicit";
  let description = [{
    A kernel consists of roles around rings of shared-memory slots. One op is one
    hardware event of the whole block:

    | event                              | op                             |
    |------------------------------------|--------------------------------|
    | which tile of C is mine            | `kernel.tile`                  |
    | which group has its rows           | `kernel.segment`               |
    | where a group's rows are           | `kernel.segment.bounds`        |
    | a ring of slots exists             | `kernel.ring`                  |
    | a tile starts to arrive in a slot  | `kernel.copy`                  |
    | the copies so far become a group   | `kernel.copy.commit`           |
    | all but the last N groups are here | `kernel.copy.wait`             |
    | every thread is here               | `kernel.barrier`               |
    | a slot is read into registers      | `kernel.read`                  |
    | tensor cores multiply              | `kernel.mma`                   |
    | threads multiply                   | `kernel.fma`                   |
    | each sum becomes an element of C   | `kernel.epilogue`              |
    | the tile of C is stored            | `kernel.store`                 |

    Distributed values (`!kernel.fragment`, `!kernel.acc`) live in the registers of
    all threads of the block; which thread holds which element is a pure function
    (dialects/Kernel/AddressMap.h) that the lowering and the simulator share.

    The lowering is one-to-one and invents no synchronization: a barrier that is
    missing here is missing on the GPU.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
  private:
    void registerAttributes();
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

include "Types.td"

//===----------------------------------------------------------------------===//
// Where things are
//===----------------------------------------------------------------------===//

// For ops whose results print with a descriptive name.
defvar Kernel_NamesResults =
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>;

class Kernel_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Kernel_Dialect, opMnemonic, traits>;

// An op whose result prints with this name.
class Kernel_NamedOp<string opMnemonic, string name, list<Trait> traits = []>
    : Kernel_Op<opMnemonic, [Kernel_NamesResults] # traits> {
  let extraClassDefinition = [{
    void $cppClass::getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      setName((*this)->getResult(0), "}] # name # [{");
    }
  }];
}

def Kernel_TileOp : Kernel_Op<"tile", [Pure]> {
  let summary = "which tile of C this block computes";
  let description = [{
    Tiles are numbered in one dimension; without an index, a block gets the tile of
    its own number. Every batch has `tilesM * tilesN` of them; within a batch, bands of
    `group` rows of tiles are walked column by column, so that blocks that run at the
    same time share rows of A and columns of B in L2.

    ```mlir
    %i, %j, %b = kernel.tile of %tilesM, %tilesN group %group
    %i, %j, %b = kernel.tile %index of %tilesM, %tilesN group %group
    ```
  }];
  let arguments = (ins Optional<I32>:$index, I32:$tilesM, I32:$tilesN, I32:$group);
  let results = (outs I32:$tileM, I32:$tileN, I32:$batch);
  let assemblyFormat = "($index^)? `of` $tilesM `,` $tilesN `group` $group attr-dict";
}

def Kernel_SegmentOp : Kernel_Op<"segment", [MemoryEffects<[MemRead]>]> {
  let summary = "the rows that a tile of ragged rows has";
  let description = [{
    The rows of a matrix belong to `groups` segments one after the other. The buffer has
    their ends, which may be any numbers: a segment ends at the largest end up to its own,
    but not before the first row or after the last. The rows after all segments are one
    more. Each segment has rows of tiles of its own, of `height` rows, the last one with
    fewer, and `columns` tiles in each. Tiles are numbered from the first segment on.

    The results are, for tile number `tile`: the segment, its first row and the end of its
    rows, the depth of its product, which is that of the operand, the number of the tile
    in its segment, and the segment's rows of tiles. `kernel.tile` takes the last two. For
    the rows after all segments, the segment is `groups` and the depth is 0; for a number
    beyond all tiles, also the first row and the end are `rows`, and there is one row of
    tiles.

    ```mlir
    %g, %first, %end, %k0, %number, %tilesM = kernel.segment %i of %ends[%groups] rows %m depth %k
        by 64 columns %tilesN : !kernel.buffer<i32>
    ```

    The search begins at the first segment, or where that for a lower number ended: `after`
    is its segment, its first row, and the number of tiles before it.

    ```mlir
    %before = arith.subi %i, %number : i32
    %g1, ... = kernel.segment %j of %ends[%groups] rows %m depth %k by 64 columns %tilesN
        after %g, %first, %before : !kernel.buffer<i32>
    ```

    Every thread reads the ends, so all have the same results.
  }];
  let arguments = (ins I32:$tile, Kernel_BufferType:$ends, I32:$groups, I32:$rows, I32:$depth,
                       ConfinedAttr<I32Attr, [IntPositive]>:$height, I32:$columns,
                       Variadic<I32>:$after);
  let results = (outs I32:$segment, I32:$first, I32:$end, I32:$depthOfTile, I32:$number,
                      I32:$rowsOfTiles);
  let assemblyFormat = [{
    $tile `of` $ends `[` $groups `]` `rows` $rows `depth` $depth `by` $height `columns`
    $columns (`after` $after^)? attr-dict `:` type($ends)
  }];
  let hasVerifier = 1;
}

def Kernel_SegmentBoundsOp : Kernel_Op<"segment.bounds", [MemoryEffects<[MemRead]>]> {
  let summary = "the first row of a segment, and the end of its rows";
  let description = [{
    Segments are those of `kernel.segment`. For a number that is not below `groups`, both
    results are the end of all segments.

    ```mlir
    %first, %end = kernel.segment.bounds %g of %ends[%groups] rows %k : !kernel.buffer<i32>
    ```

    Every thread reads the ends, so all have the same results.
  }];
  let arguments = (ins I32:$segment, Kernel_BufferType:$ends, I32:$groups, I32:$rows);
  let results = (outs I32:$first, I32:$end);
  let assemblyFormat = [{
    $segment `of` $ends `[` $groups `]` `rows` $rows attr-dict `:` type($ends)
  }];
  let hasVerifier = 1;
}

def Kernel_MatrixOp : Kernel_NamedOp<"matrix", "matrix", [Pure]> {
  let summary = "a matrix that starts in a buffer";
  let description = [{
    `lines` lines of `width` elements, `stride` elements apart, the first `offset`
    elements into the buffer.

    ```mlir
    %A = kernel.matrix %a at %offset[%m, %k] stride %lda
        : !kernel.buffer<f16> -> !kernel.matrix<f16, align = 16>
    ```
  }];
  let arguments = (ins Kernel_BufferType:$buffer, I64:$offset, I32:$lines, I32:$width,
                       I64:$stride);
  let results = (outs Kernel_MatrixType:$matrix);
  let assemblyFormat = [{
    $buffer `at` $offset `[` $lines `,` $width `]` `stride` $stride attr-dict `:`
    type($buffer) `->` type($matrix)
  }];
  let hasVerifier = 1;
}

def Kernel_OperandOp : Kernel_NamedOp<"operand", "operand", [Pure]> {
  let summary = "an epilogue operand that starts in a buffer";
  let description = [{
    ```mlir
    %bias = kernel.operand %e at %offset strides(%zero, %one)
        : !kernel.buffer<f32> -> !kernel.operand<f32, "n">
    ```
  }];
  let arguments = (ins Kernel_BufferType:$buffer, I64:$offset, I64:$rowStride, I64:$colStride);
  let results = (outs Kernel_OperandType:$operand);
  let assemblyFormat = [{
    $buffer `at` $offset `strides` `(` $rowStride `,` $colStride `)` attr-dict `:`
    type($buffer) `->` type($operand)
  }];
  let hasVerifier = 1;
}

def Kernel_RingOp : Kernel_NamedOp<"ring", "ring", [Pure]> {
  let summary = "a ring of slots at a place in shared memory";
  let description = [{
    ```mlir
    %ringA = kernel.ring at 0 : !kernel.ring<4 of 128 x 32 x f16>
    ```
  }];
  let arguments = (ins I64Attr:$offset);
  let results = (outs Kernel_RingType:$ring);
  let assemblyFormat = "`at` $offset attr-dict `:` type($ring)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Global to shared memory
//===----------------------------------------------------------------------===//

def Kernel_CopyOp : Kernel_Op<"copy", [AttrSizedOperandSegments]> {
  let summary = "a tile starts to arrive in a slot";
  let description = [{
    Every thread of the block starts its share of copying the tile whose first line
    is `line` and first element `column`; elements outside the matrix become
    zeros. The copy is asynchronous: it is visible to the thread that issued it after
    the `kernel.copy.wait` of its group, and to others after a subsequent barrier. If
    the matrix's lines are aligned to less than 4 bytes the hardware has no such copy,
    and the threads load, shift and store chunks of 16 bytes; the order of events that
    one may rely on is the same.

    `transposed` means that a line of the slot is a column of the tile. Elements of 4
    bytes, the least that the hardware copies, are transposed on their way, one by one.

    With an index, of `count` numbers of lines, the tile has the lines whose numbers are in
    the index from `line` on. Lines after `count`, and those whose number is that of no line
    of the matrix, become zeros.

    ```mlir
    kernel.copy %A[%line, %column] to %ring[%slot]
        : !kernel.matrix<f16, align = 16> to !kernel.ring<4 of 128 x 32 x f16>
    kernel.copy %A[%line, %column] through %index[%count] : !kernel.buffer<i32> to %ring[%slot]
        : !kernel.matrix<f16, align = 16> to !kernel.ring<4 of 128 x 32 x f16>
    ```
  }];
  let arguments = (ins Kernel_MatrixType:$matrix, I32:$line, I32:$column,
                       Optional<Kernel_BufferType>:$index, Optional<I32>:$count,
                       Kernel_RingType:$ring, I32:$slot, UnitAttr:$transposed);
  let assemblyFormat = [{
    $matrix `[` $line `,` $column `]` (`through` $index^ `[` $count `]` `:` type($index))?
    `to` $ring `[` $slot `]` (`transposed` $transposed^)?
    attr-dict `:` type($matrix) `to` type($ring)
  }];
  let extraClassDeclaration = [{
    /// Lines of the matrix, and elements of each, that are copied.
    int64_t getTileLines() {
      RingType ring = getRing().getType();
      return getTransposed() ? ring.getWidth() : ring.getLines();
    }
    int64_t getTileWidth() {
      RingType ring = getRing().getType();
      return getTransposed() ? ring.getLines() : ring.getWidth();
    }
  }];
  let hasVerifier = 1;
}

def Kernel_CopyCommitOp : Kernel_Op<"copy.commit"> {
  let summary = "the copies started since the last commit become a group";
  let description = "A group may be empty: it still counts for `kernel.copy.wait`.";
  let assemblyFormat = "attr-dict";
}

def Kernel_CopyWaitOp : Kernel_Op<"copy.wait"> {
  let summary = "wait until at most `pending` groups of this thread are in flight";
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Kernel_BarrierOp : Kernel_Op<"barrier"> {
  let summary = "every thread of the block is here, and sees the others' writes";
  let assemblyFormat = "attr-dict";
}

include "MmaOps.td"

//===----------------------------------------------------------------------===//
// Registers to global memory
//===----------------------------------------------------------------------===//

def Kernel_EpilogueOp : Kernel_NamedOp<"epilogue", "tile", [
    MemoryEffects<[MemRead]>, AttrSizedOperandSegments]> {
  let summary = "each sum becomes an element of C";
  let description = [{
    Applies the region to every element of the tile at [`row`, `col`] of C, with the
    elements of the operands at the same place. Operands are not read outside
    `rows` x `cols`, the extents of C; the tile's elements there are never stored. An
    input may also be a tile that is in registers already, laid out like the accumulator.

    ```mlir
    %d = kernel.epilogue %acc at [%row, %col] of [%m, %n] with (%bias : !kernel.operand<f32, "n">) {
    ^bb0(%sum: f32, %v: f32):
      ...
      kernel.yield %x : f16
    } : !kernel.acc<128 x 128 x f32, ...> -> !kernel.acc<128 x 128 x f16, ...>
    ```
  }];
  let arguments = (ins Kernel_AccType:$acc, Variadic<I32>:$origin, Variadic<I32>:$extents,
                       Variadic<AnyTypeOf<[Kernel_OperandType, Kernel_AccType]>>:$inputs);
  let results = (outs Kernel_AccType:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $acc `at` `[` $origin `]` `of` `[` $extents `]`
    (`with` `(` $inputs^ `:` type($inputs) `)`)? $body attr-dict `:`
    type($acc) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Kernel_YieldOp : Kernel_Op<"yield", [Pure, ReturnLike, Terminator, HasParent<"EpilogueOp">]> {
  let summary = "yields the element of C";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Kernel_StoreOp : Kernel_Op<"store"> {
  let summary = "the part of the tile inside the matrix is stored";
  let description = [{
    ```mlir
    kernel.store %d to %C[%row, %col]
        : !kernel.acc<128 x 128 x f16, warps = 2 x 2> to !kernel.matrix<f16, align = 16>
    ```
  }];
  let arguments = (ins Kernel_AccType:$acc, Kernel_MatrixType:$matrix, I32:$line, I32:$column);
  let assemblyFormat = [{
    $acc `to` $matrix `[` $line `,` $column `]` attr-dict `:` type($acc) `to` type($matrix)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The host's side
//===----------------------------------------------------------------------===//

def Kernel_PlanAttr : AttrDef<Kernel_Dialect, "Plan"> {
  let mnemonic = "plan";
  let summary = "the launches of a kernel and its siblings";
  let description = [{
    Wraps `hone::LaunchPlan` (include/hone/Runtime/LaunchPlan.h). Between the brackets are
    the lines of its text, which is the form that programs hold and `honeLaunch` reads.

    ```mlir
    #kernel.plan<"hone-plan 2", "args a c m n", "alternative 1", "launch copy",
                 "grid ceildiv(m, 64) ; 1 ; 1", "block 128 ; 1 ; 1", "param ptr a", "param ptr c">
    ```
  }];
  let parameters = (ins
    AttrParameter<"::hone::LaunchPlan", "the plan", "const ::hone::LaunchPlan &">:$value);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Kernel_LaunchOp : Kernel_Op<"launch"> {
  let summary = "run a launch plan";
  let description = [{
    Runs the `#kernel.plan` with this name in `hone.plans` of the `gpu.module`, with one
    64-bit value for each of the plan's arguments, in order. It is the only link between
    host code and kernels: grid rule, parameters, guards and attributes are in the plan
    (hone/Runtime/LaunchPlan.h).

    ```mlir
    kernel.launch @kernels::@plan(a = %0, b = %1, c = %2, m = %3, ...)
    ```
  }];
  let arguments = (ins SymbolRefAttr:$plan, StrArrayAttr:$names, Variadic<I64>:$args);
  let assemblyFormat = "$plan `(` custom<LaunchArgs>($names, $args) `)` attr-dict";
  let hasVerifier = 1;
}

include "AsyncOps.td"
include "LineOps.td"
include "ClusterOps.td"
include "WorkspaceOps.td"

#endif // HONE_DIALECTS_KERNEL_KERNEL_TD
