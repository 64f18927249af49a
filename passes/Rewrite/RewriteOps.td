//===- RewriteOps.td - Rewrites as transforms ---------------*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The menu of rewrites as ops of the Transform dialect, for kernel IR in stock
// mlir-opt: one op a rewrite, with one of its words as the argument. Each calls
// a function of Rewrite.h, which schedules use as well.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_REWRITE_REWRITEOPS_TD
#define HONE_PASSES_REWRITE_REWRITEOPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Rewrite_Op<string name> : Op<Transform_Dialect, "kernel." # name,
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TransformEachOpTrait,
     TransformOpInterface, ReportTrackingListenerFailuresOpTrait]> {
  let arguments = (ins StrAttr:$value, TransformHandleTypeInterface:$kernel);
  let assemblyFormat = "$value `in` $kernel attr-dict `:` type($kernel)";
  let hasVerifier = 1;
  let cppNamespace = "::hone::rewrite";
  let extraClassDeclaration = [{
    /// The rewrite's name in the menu.
    static constexpr ::llvm::StringLiteral kRewrite = "}] # name # [{";
    ::mlir::DiagnosedSilenceableFailure applyToOne(
        ::mlir::transform::TransformRewriter &rewriter,
        ::mlir::gpu::GPUFuncOp kernel,
        ::mlir::transform::ApplyToEachResultList &results,
        ::mlir::transform::TransformState &state);
  }];
}

def Rewrite_LoadsOp : Rewrite_Op<"loads"> {
  let summary = "the order in which the producer loads the parts of a slot";
  let description = [{
    `"cols_first"` reverses it. Fails silenceably unless there are two or more.

    ```mlir
    transform.kernel.loads "cols_first" in %kernel : !transform.any_op
    ```
  }];
}

def Rewrite_PrefetchOp : Rewrite_Op<"prefetch"> {
  let summary = "the producer has tiles fetched to the L2 some steps before it loads them";
  let description = [{
    Fails silenceably where a load has no coordinate that the loop over K moves, or two.

    ```mlir
    transform.kernel.prefetch "4" in %kernel : !transform.any_op
    ```
  }];
}

def Rewrite_FlightOp : Rewrite_Op<"flight"> {
  let summary = "groups of products in flight when a slot is given back";
  let description = [{
    With `"0"` a step waits for its own products and gives its own slot back; with `"2"`
    it gives back that of two steps before. Fails silenceably unless one group is in flight,
    and the slot of the step before is given back.

    ```mlir
    transform.kernel.flight "0" in %kernel : !transform.any_op
    ```
  }];
}

def Rewrite_ProductsOp : Rewrite_Op<"products"> {
  let summary = "the order of a step's products";
  let description = [{
    With `"by_step"` the bands of 64 rows take turns. Fails silenceably where there is one
    band.

    ```mlir
    transform.kernel.products "by_step" in %kernel : !transform.any_op
    ```
  }];
}

def Rewrite_HandoverOp : Rewrite_Op<"handover"> {
  let summary = "where a team's threads meet before the other one multiplies";
  let description = [{
    With `"early"` they meet when they have got their turn, so that nothing but an arrival
    lies between their products and the other team's. Fails silenceably without teams.

    ```mlir
    transform.kernel.handover "early" in %kernel : !transform.any_op
    ```
  }];
}

def Rewrite_SkewOp : Rewrite_Op<"skew"> {
  let summary = "slots by which the first consumer is ahead when the others begin";
  let description = [{
    The others wait until so many more slots are full, once. Fails silenceably where one
    group multiplies, where slots are too few, or where a tile's steps are not known before
    the tile.

    ```mlir
    transform.kernel.skew "2" in %kernel : !transform.any_op
    ```
  }];
}

def Rewrite_UnrollOp : Rewrite_Op<"unroll"> {
  let summary = "the loop over K, without its first step or some steps at a time";
  let description = [{
    With `"peel"` the first step stands before the loop, and the loop asks no longer
    whether it is the first. With a number, so many steps are one iteration; the remaining
    steps are a loop of their own. Fails silenceably where the loop does not count from 0 by 1.

    ```mlir
    transform.kernel.unroll "peel" in %kernel : !transform.any_op
    ```
  }];
}

def Rewrite_StoresOp : Rewrite_Op<"stores"> {
  let summary = "whether chunks of a tile have barriers of their own";
  let description = [{
    With `"joined"` all chunks that have slots at the same time are staged, then fenced,
    then stored: two barriers instead of two each. Fails silenceably where the engine does
    not store, where it also fills the slots, or where there is one slot or chunk.

    ```mlir
    transform.kernel.stores "joined" in %kernel : !transform.any_op
    ```
  }];
}

def Rewrite_StagingOp : Rewrite_Op<"staging"> {
  let summary = "wait and barrier before the first write to a chunk's slot";
  let description = [{
    With `"guarded"` a wait and a barrier, as for any other time. Fails silenceably where
    they stand there already.

    ```mlir
    transform.kernel.staging "guarded" in %kernel : !transform.any_op
    ```
  }];
}

def Rewrite_NextOp : Rewrite_Op<"next"> {
  let summary = "when the next launch may begin to start";
  let description = [{
    With `"loaded"` when the producer has asked for its last loads, with `"stored"` at the
    end. Fails silenceably unless the kernel says so once, outside of roles.

    ```mlir
    transform.kernel.next "loaded" in %kernel : !transform.any_op
    ```
  }];
}

def Rewrite_BeginOp : Rewrite_Op<"begin"> {
  let summary = "threads that wait for the preceding launch";
  let description = [{
    With `"together"` every thread, where roles part. As built, the role that loads does;
    others learn of it through the barriers of slots. Fails silenceably unless that role
    waits once.

    ```mlir
    transform.kernel.begin "together" in %kernel : !transform.any_op
    ```
  }];
}

#endif // HONE_PASSES_REWRITE_REWRITEOPS_TD
