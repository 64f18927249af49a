//===- MmaOps.td - Fragments and their products ------------*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragments that threads read from shared memory, and tensor cores that multiply
// them. Kernel.td includes this file.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_MMAOPS_TD
#define HONE_DIALECTS_KERNEL_MMAOPS_TD

def Kernel_ReadOp : Kernel_Op<"read", [Kernel_NamesResults, MemoryEffects<[MemRead]>]> {
  let summary = "a step of a slot is read into registers";
  let description = [{
    Reads 32 bytes of the k dimension, the elements from `16 * step` on, or from
    `8 * step` on if they are f32 and from `32 * step` on if they have 8 bits. A fragment
    with a `depth` has so many of them, from `depth * step` on. `transposed` means that k
    numbers the lines of the ring instead of running within them.

    Numbers of 8 bits may become a fragment of 16 bits, which has each of their values.

    The fragment has all rows of the slot; with `rows` those from there on that its type
    says.

    ```mlir
    %f = kernel.read %ring[%slot] step 0
        : !kernel.ring<4 of 128 x 32 x f16> -> !kernel.fragment<"a", 128 x f16, warps = 2 x 2>
    ```
  }];
  let arguments = (ins Kernel_RingType:$ring, I32:$slot, Optional<I32>:$rows, I32Attr:$step,
                       UnitAttr:$transposed);
  let results = (outs Kernel_FragmentType:$fragment);
  let assemblyFormat = [{
    $ring `[` $slot `]` (`rows` $rows^)? `step` $step (`transposed` $transposed^)? attr-dict
    `:` type($ring) `->` type($fragment)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$fragment, "::mlir::Value":$ring, "::mlir::Value":$slot,
                   "int64_t":$step, "bool":$transposed), [{
      build($_builder, $_state, fragment, ring, slot, /*rows=*/::mlir::Value(), step, transposed);
    }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether numbers of 8 bits become ones of 16.
    bool isWidened() {
      return getRing().getType().getElement() != getFragment().getType().getElement();
    }
    /// Whether lanes fetch numbers themselves, because ldmatrix neither widens
    /// them nor transposes elements of other than 16 bits.
    bool isGathered() {
      ::mlir::Type element = getFragment().getType().getElement();
      return isWidened() || (getTransposed() && element.getIntOrFloatBitWidth() != 16);
    }
  }];
}

def Kernel_SplitOp : Kernel_Op<"split", [Kernel_NamesResults, Pure,
    AllTypesMatch<["fragment", "high", "low"]>]> {
  let summary = "a fragment of f32 as the sum of two";
  let description = [{
    `high` is the tf32 nearest to each number, `low` the remainder, rounded to a tf32,
    too. The remainder of an infinity is NaN.

    ```mlir
    %high, %low = kernel.split %f : !kernel.fragment<"a", 64 x f32, warps = 4 x 1>
    ```
  }];
  let arguments = (ins Kernel_FragmentType:$fragment);
  let results = (outs Kernel_FragmentType:$high, Kernel_FragmentType:$low);
  let assemblyFormat = "$fragment attr-dict `:` type($fragment)";
  let hasVerifier = 1;
}

def Kernel_ZeroOp : Kernel_NamedOp<"zero", "acc", [Pure]> {
  let summary = "a tile of zeros in registers";
  let results = (outs Kernel_AccType:$acc);
  let assemblyFormat = "attr-dict `:` type($acc)";
}

def Kernel_MmaOp : Kernel_NamedOp<"mma", "acc", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a * b over one step of k";
  let description = [{
    Of f32 the tensor cores read the upper 19 bits, a tf32, to the nearest of which each
    factor is rounded. With `split` each factor is the sum of two: that tf32, and the
    remainder. Three products (low by high, high by low, high by high) are summed up from
    zero, and the threads add that sum to `acc`. They round to the nearest, where tensor
    cores would cut off. Infinities become NaN.

    With `apart` the sum of a step, too, starts at zero and is added by the threads, so
    that no sum of 8-bit floats is a long one.

    ```mlir
    %d = kernel.mma %fa, %fb, %acc
        : !kernel.fragment<a, ...>, !kernel.fragment<b, ...>, !kernel.acc<...>
    ```
  }];
  let arguments = (ins Kernel_FragmentType:$a, Kernel_FragmentType:$b, Kernel_AccType:$acc,
                       UnitAttr:$split, UnitAttr:$apart);
  let results = (outs Kernel_AccType:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`split` $split^)? (`apart` $apart^)? attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}

def Kernel_FmaOp : Kernel_NamedOp<"fma", "acc", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a * b over one step of k, by threads";
  let description = [{
    Tensor cores multiply no f32, threads do. Each adds the products for its elements of
    `acc` one by one, in the order of k; each product and its addition are rounded
    together, once.

    ```mlir
    %d = kernel.fma %fa, %fb, %acc
        : !kernel.fragment<a, ..., depth = 4>, !kernel.fragment<b, ..., depth = 4>, !kernel.acc<...>
    ```
  }];
  let arguments = (ins Kernel_FragmentType:$a, Kernel_FragmentType:$b, Kernel_AccType:$acc);
  let results = (outs Kernel_AccType:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}

#endif // HONE_DIALECTS_KERNEL_MMAOPS_TD
