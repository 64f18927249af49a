//===- AsyncOps.td - Roles, barriers, and engines that run alone -*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Features of sm_90a: a copy engine that moves whole tiles, tensor cores that
// read shared memory by themselves, and barriers in memory through which both
// report. A block is then no longer one program, but roles that meet at
// barriers.
//
//   role "producer"                        role "consumer", twice
//   ----------------------------------     -----------------------------------
//   await empty[s]                         await full[s]
//   expect full[s] bytes                   mma.async A[s], B[s]
//   load A -> ringA[s] signals full[s]     mma.commit; mma.wait 1
//   load B -> ringB[s] signals full[s]     arrive empty[s - 1]
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_ASYNCOPS_TD
#define HONE_DIALECTS_KERNEL_ASYNCOPS_TD

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Kernel_MapType : Kernel_Type<"Map", "map"> {
  let summary = "a matrix as the copy engine sees it";
  let description = [{
    A kernel parameter that describes a matrix in global memory (a tensor map). One
    event of the engine moves a box of `lines` x `width` elements; elements outside
    the matrix arrive as zeros and are not written. `rank` is 3 to 5 if further
    coordinates select a matrix of a batch, the innermost batch's first, and then which
    part of one that was split. Through a map that is `rounded`, f32 arrive as the nearest
    tf32: tensor cores, which read no more of them, would cut them off.

    A map of a `window` is read by convolutions, whose matrix is never made. It has 3 to 5
    dimensions: channels, one to three dimensions of pixels, images. A line of a box is
    `width` channels of one pixel. The next line is the next position of the window: the
    engine goes on to the next row of the image and to the next image by itself, in steps
    and between corners that the launch plan states. Pixels outside of the image arrive as
    zeros.
  }];
  let parameters = (ins "int64_t":$lines, "int64_t":$width, "::mlir::Type":$element,
                        "int64_t":$rank, DefaultValuedParameter<"bool", "false">:$rounded,
                        DefaultValuedParameter<"bool", "false">:$window);
  let assemblyFormat = [{
    `<` $lines `x` $width `x` $element `,` `rank` `=` $rank ``
    custom<MapFlags>($rounded, $window) `>`
  }];
  let extraClassDeclaration = [{
    /// Offsets of a load: one for each dimension of pixels.
    int64_t getOffsets() const { return getWindow() ? getRank() - 2 : 0; }
  }];
  let genVerifyDecl = 1;
}

def Kernel_BarriersType : Kernel_Type<"Barriers", "barriers"> {
  let summary = "barriers in shared memory, one for each slot of a ring";
  let description = [{
    A barrier completes a phase when `arrivals` agents have arrived and every announced
    byte has landed. Phases alternate between 0 and 1.
  }];
  let parameters = (ins "int64_t":$slots, "int64_t":$arrivals);
  let assemblyFormat = "`<` $slots `of` $arrivals `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static constexpr int64_t kBarrierBytes = 8;
    int64_t getBytes() const { return getSlots() * kBarrierBytes; }
  }];
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

def Kernel_RoleOp : Kernel_Op<"role", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "program of a part of the block's warps";
  let description = [{
    The block's warps are assigned to its roles in program order, `warps` to each. A role
    of 4 * n warps consists of n *groups* of four warps (warpgroups): every group runs the
    region by itself, with its number as the region's argument, and the ops in the region
    speak for one group. In a role with `one_thread` a single thread runs the region.

    `registers` is how many registers each thread of the role may use from there on;
    threads that give registers up leave them to those that ask for more.

    ```mlir
    kernel.role "consumer" warps 8 registers 232 {
    ^bb0(%group: i32):
      ...
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, I32Attr:$warps, OptionalAttr<I32Attr>:$registers,
                       UnitAttr:$one_thread);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `warps` $warps (`registers` $registers^)? (`one_thread` $one_thread^)? $body
    attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Threads per group, for which the ops of the region speak.
    int64_t getGroupThreads() { return getWarps() < 4 ? getWarps() * 32 : 128; }
    /// Number of the role's first warp in the block.
    int64_t getFirstWarp();
  }];
}

def Kernel_WorkerOp : Kernel_Op<"worker", [Pure]> {
  let summary = "which of the grid's clusters this block belongs to, and how many there are";
  let description = [{
    A cluster of `blocks` blocks works on adjacent tiles; a single block is a cluster of
    one.

    ```mlir
    %worker, %workers = kernel.worker of 2
    ```
  }];
  let arguments = (ins I32Attr:$blocks);
  let results = (outs I32:$worker, I32:$workers);
  let assemblyFormat = "`of` $blocks attr-dict";
  let hasVerifier = 1;
}

def Kernel_ClusterRankOp : Kernel_Op<"cluster.rank", [Pure]> {
  let summary = "this block's number in its cluster";
  let results = (outs I32:$rank);
  let assemblyFormat = "attr-dict";
}

def Kernel_ClusterSyncOp : Kernel_Op<"cluster.sync"> {
  let summary = "every thread of the cluster is here, and sees the others' writes";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

def Kernel_BarriersOp : Kernel_NamedOp<"barriers", "barriers", [Pure]> {
  let summary = "barriers at a place in shared memory";
  let description = [{
    ```mlir
    %full = kernel.barriers at 196608 : !kernel.barriers<4 of 1>
    ```
  }];
  let arguments = (ins I64Attr:$offset);
  let results = (outs Kernel_BarriersType:$barriers);
  let assemblyFormat = "`at` $offset attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def Kernel_BarriersInitOp : Kernel_Op<"barriers.init"> {
  let summary = "the barriers start their first phase";
  let description = [{
    One thread of the block initializes them, visibly for the copy engine and for the
    cluster. Other threads may use them after a barrier of the block or cluster.
  }];
  let arguments = (ins Variadic<Kernel_BarriersType>:$barriers);
  let assemblyFormat = "$barriers attr-dict `:` type($barriers)";
}

def Kernel_AwaitOp : Kernel_Op<"await"> {
  let summary = "wait for the end of a phase";
  let description = [{
    Continues when the barrier's current phase is no longer `phase`. On a new barrier, a
    wait for phase 1 returns at once.
  }];
  let arguments = (ins Kernel_BarriersType:$barriers, I32:$slot, I32:$phase);
  let assemblyFormat = "$barriers `[` $slot `]` `phase` $phase attr-dict `:` type($barriers)";
}

def Kernel_ExpectOp : Kernel_Op<"expect"> {
  let summary = "arrive, and announce bytes that will land";
  let arguments = (ins Kernel_BarriersType:$barriers, I32:$slot, I32Attr:$bytes);
  let assemblyFormat = "$barriers `[` $slot `]` `bytes` $bytes attr-dict `:` type($barriers)";
}

def Kernel_ArriveOp : Kernel_Op<"arrive"> {
  let summary = "one thread of the group arrives";
  let description = [{
    With `everywhere` N it arrives at this barrier in each of the cluster's N blocks, with
    `blocks` in those whose ranks are the set bits of the mask. It orders only as much as
    within a block: the group's reads of shared memory come before it, its writes to other
    blocks' memory need not.
  }];
  let arguments = (ins Kernel_BarriersType:$barriers, I32:$slot, Optional<I32>:$blocks,
                       DefaultValuedAttr<I32Attr, "1">:$everywhere);
  let assemblyFormat = [{
    $barriers `[` $slot `]` (`blocks` $blocks^)? (`everywhere` $everywhere^)? attr-dict `:`
    type($barriers)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// True if it may arrive in other blocks.
    bool isRemote() { return getBlocks() || getEverywhere() > 1; }
  }];
}

def Kernel_GroupBarrierOp : Kernel_Op<"group.barrier"> {
  let summary = "every thread of the group is here, and sees the others' writes";
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Kernel_RoleBarrierOp : Kernel_Op<"role.barrier"> {
  let summary = "every thread of the role's groups is here, and sees the others' writes";
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Kernel_ProxyFenceOp : Kernel_Op<"proxy.fence"> {
  let summary = "writes to shared memory become visible to the engines";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// The copy engine
//===----------------------------------------------------------------------===//

def Kernel_MapPrefetchOp : Kernel_Op<"map.prefetch"> {
  let summary = "the engine starts to fetch a map";
  let description = [{
    A map lies in the launch's parameters, and the first load or store through it waits
    until the engine has read it. One thread starts that here, without a wait for it.

    ```mlir
    kernel.map.prefetch %A
    ```
  }];
  let arguments = (ins Kernel_MapType:$map);
  let assemblyFormat = "$map attr-dict `:` type($map)";
}

def Kernel_LoadOp : Kernel_Op<"load", [AttrSizedOperandSegments]> {
  let summary = "the engine starts to fill a slot";
  let description = [{
    The tile at [`line`, `column`] (of the matrix at `batches`, if the map's rank is
    higher than 2) goes to the slot; when it lands, its bytes count for the barrier. One
    thread issues it, the group's first in a role of groups, once for each box of the map
    in the slot.

    With `part` P `of` N, blocks of a cluster share one tile: this block loads the P-th
    N-th of the slot's lines, which lands in that slot of all N blocks and counts for the
    barrier of each. They are the cluster's first N, or with `blocks` those whose ranks are
    the set bits of the mask.

    ```mlir
    kernel.load %A[%row, %k] to %ringA[%slot] signals %full[%slot]
    ```

    Through a map of a window, the coordinates are the column of the first pixel, the
    channel, the row and the image, and `offsets` are the columns and rows from there to
    the tap of the filter. The first pixel is the window's corner before the offsets are
    added, and lies between the map's corners. A part is one box, and its coordinates are
    those of its own first pixel.

    ```mlir
    kernel.load %A[%w, %c, %h, %n] offsets(%s, %r) to %ringA[%slot] signals %full[%slot]
    ```
  }];
  let arguments = (ins Kernel_MapType:$map, I32:$line, I32:$column, Variadic<I32>:$batches,
                       Variadic<I32>:$offsets, Kernel_RingType:$ring, I32:$slot,
                       Kernel_BarriersType:$barriers, Optional<I32>:$part,
                       DefaultValuedAttr<I32Attr, "1">:$parts, Optional<I32>:$blocks);
  let assemblyFormat = [{
    $map `[` $line `,` $column (`,` $batches^)? `]` (`offsets` `(` $offsets^ `)`)? `to` $ring
    `[` $slot `]` `signals` $barriers (`part` $part^ `of` $parts)? (`blocks` $blocks^)?
    attr-dict `:` type($map) `to` type($ring) `,` type($barriers)
  }];
  let hasVerifier = 1;
}

def Kernel_PrefetchOp : Kernel_Op<"prefetch", [AttrSizedOperandSegments]> {
  let summary = "the engine starts to fetch a tile to the L2";
  let description = [{
    The tile is the one that a `kernel.load` of `ring` would bring: one thread asks for it
    box by box, and a later load finds it in the L2. The op fills no slot, signals no
    barrier, and leaves out elements outside the matrix. With `part` P `of` N it fetches
    the P-th N-th of the tile's lines.

    ```mlir
    kernel.prefetch %A[%row, %k] like %ringA
    ```
  }];
  let arguments = (ins Kernel_MapType:$map, I32:$line, I32:$column, Variadic<I32>:$batches,
                       Variadic<I32>:$offsets, Kernel_RingType:$ring, Optional<I32>:$part,
                       DefaultValuedAttr<I32Attr, "1">:$parts);
  let assemblyFormat = [{
    $map `[` $line `,` $column (`,` $batches^)? `]` (`offsets` `(` $offsets^ `)`)? `like` $ring
    (`part` $part^ `of` $parts)? attr-dict `:` type($map) `like` type($ring)
  }];
  let hasVerifier = 1;
}

def Kernel_StoreAsyncOp : Kernel_Op<"store.async"> {
  let summary = "the engine starts to store a slot";
  let description = [{
    One thread of the group issues the store of the slot's lines from `from` on, as many
    as the map's box has, once for each panel of the slot. The engine reads the slot some
    time later. It writes whole chunks of 16 bytes: if the map's width is not a multiple
    of that, it also writes the elements after the last column of each line, up to the next
    multiple.

    ```mlir
    kernel.store.async %ringC[%slot] from %line to %C[%row, %col]
    ```
  }];
  let arguments = (ins Kernel_RingType:$ring, I32:$slot, I32:$from, Kernel_MapType:$map,
                       I32:$line, I32:$column, Variadic<I32>:$batches);
  let assemblyFormat = [{
    $ring `[` $slot `]` `from` $from `to` $map `[` $line `,` $column (`,` $batches^)? `]`
    attr-dict `:` type($ring) `to` type($map)
  }];
  let hasVerifier = 1;
}

def Kernel_StoreCommitOp : Kernel_Op<"store.commit"> {
  let summary = "the stores started since the last commit become a group";
  let assemblyFormat = "attr-dict";
}

def Kernel_StoreWaitOp : Kernel_Op<"store.wait"> {
  let summary = "wait until at most `pending` groups of stores are yet to be read";
  let description = [{
    The thread that issues the group's stores waits; others learn about it through a
    barrier. With `written`, the groups have also reached global memory.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending, UnitAttr:$written);
  let assemblyFormat = "$pending (`written` $written^)? attr-dict";
}

include "MmaAsyncOps.td"

//===----------------------------------------------------------------------===//
// Registers to shared memory
//===----------------------------------------------------------------------===//

def Kernel_SliceOp : Kernel_NamedOp<"slice", "part", [Pure]> {
  let summary = "some columns of an accumulator";
  let description = [{
    As many columns of each warp's part as the result has, starting with `from`.

    ```mlir
    %part = kernel.slice %acc from 64 : !kernel.acc<...> -> !kernel.acc<...>
    ```
  }];
  let arguments = (ins Kernel_AccType:$acc, I32Attr:$from);
  let results = (outs Kernel_AccType:$part);
  let assemblyFormat = "$acc `from` $from attr-dict `:` type($acc) `->` type($part)";
  let hasVerifier = 1;
}

def Kernel_StageOp : Kernel_Op<"stage"> {
  let summary = "a tile in registers is written to a slot";
  let description = [{
    The tile's rows become the slot's lines from `to` on, and its columns the elements of
    a line; with `transposed` its columns become the lines.

    ```mlir
    kernel.stage %tile to %ringC[%slot] at %line
    ```
  }];
  let arguments = (ins Kernel_AccType:$acc, Kernel_RingType:$ring, I32:$slot, I32:$line,
                       UnitAttr:$transposed);
  let assemblyFormat = [{
    $acc `to` $ring `[` $slot `]` `at` $line (`transposed` $transposed^)? attr-dict `:`
    type($acc) `to` type($ring)
  }];
  let hasVerifier = 1;
}

def Kernel_UnstageOp : Kernel_NamedOp<"unstage", "old", [MemoryEffects<[MemRead]>]> {
  let summary = "a tile is read from a slot into registers";
  let description = [{
    The inverse of `kernel.stage`: each thread gets the elements that it would write.

    ```mlir
    %old = kernel.unstage %ringC[%slot] at %line
    ```
  }];
  let arguments = (ins Kernel_RingType:$ring, I32:$slot, I32:$line, UnitAttr:$transposed);
  let results = (outs Kernel_AccType:$acc);
  let assemblyFormat = [{
    $ring `[` $slot `]` `at` $line (`transposed` $transposed^)? attr-dict `:`
    type($ring) `->` type($acc)
  }];
  let hasVerifier = 1;
}

#endif // HONE_DIALECTS_KERNEL_ASYNCOPS_TD
