//===- MmaAsyncOps.td - Groups of products of wgmma --------*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor cores that read shared memory by themselves. AsyncOps.td includes this
// file.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_MMAASYNCOPS_TD
#define HONE_DIALECTS_KERNEL_MMAASYNCOPS_TD

def Kernel_MmaFenceOp : Kernel_Op<"mma.fence"> {
  let summary = "accumulators are in registers before the tensor cores take them";
  let assemblyFormat = "attr-dict";
}

def Kernel_AccUndefinedOp : Kernel_NamedOp<"acc.undefined", "acc", [Pure]> {
  let summary = "registers for accumulators, with undefined contents";
  let results = (outs Kernel_AccType:$acc);
  let assemblyFormat = "attr-dict `:` type($acc)";
}

def Kernel_MmaAsyncOp : Kernel_NamedOp<"mma.async", "acc", [
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "the tensor cores start acc + a * b over one step of two slots";
  let description = [{
    A group of four warps starts the product of 64 rows of A, from `rows` on, and of as
    many columns of B as the accumulator has, from `cols` on. If `keep` is false the sum
    starts at zero, whatever `acc` holds. `transposed_a` and `transposed_b` mean that k
    numbers the lines of a slot. A step has 32 bytes of k: 16 elements, or 8 f32, of
    which the tensor cores read the upper 19 bits (a tf32; see the map's `rounded`), or 32
    of 8 bits. Sums of 8-bit
    floats keep some 14 bits; those of i8 are i32 and exact, modulo 2^32. Above 32 columns
    an accumulator of i32 has a multiple of 16. Only elements of 16 bits are read transposed.

    The result may be passed to another `mma.async`; any other use needs a
    `kernel.mma.wait` first. The slots, too, may be overwritten only after that wait.

    ```mlir
    %acc1 = kernel.mma.async %ringA[%slot] rows %row, %ringB[%slot] cols %col step 0 to %acc if %later
    ```
  }];
  let arguments = (ins Kernel_RingType:$ringA, I32:$slotA, I32:$rows, Kernel_RingType:$ringB,
                       I32:$slotB, I32:$cols, I32Attr:$step, Kernel_AccType:$acc,
                       Optional<I1>:$keep, UnitAttr:$transposed_a, UnitAttr:$transposed_b);
  let results = (outs Kernel_AccType:$result);
  let assemblyFormat = [{
    $ringA `[` $slotA `]` `rows` $rows (`transposed` $transposed_a^)? `,`
    $ringB `[` $slotB `]` `cols` $cols (`transposed` $transposed_b^)? `step` $step
    `to` $acc (`if` $keep^)? attr-dict `:` type($ringA) `,` type($ringB) `,` type($acc)
  }];
  let hasVerifier = 1;
}

def Kernel_AccAddOp : Kernel_NamedOp<"acc.add", "acc", [Pure,
    AllTypesMatch<["before", "block", "sum"]>]> {
  let summary = "accumulators are added up by threads";
  let description = [{
    Each thread adds its elements in f32 and rounds to the nearest: short sums of the
    tensor cores become parts of a long one.

    ```mlir
    %sum = kernel.acc.add %before, %block : !kernel.acc<64 x 128 x f32, warps = 4 x 1>
    ```
  }];
  let arguments = (ins Kernel_AccType:$before, Kernel_AccType:$block);
  let results = (outs Kernel_AccType:$sum);
  let assemblyFormat = "$before `,` $block attr-dict `:` type($sum)";
  let hasVerifier = 1;
}

def Kernel_MmaCommitOp : Kernel_Op<"mma.commit"> {
  let summary = "the products started since the last commit become a group";
  let assemblyFormat = "attr-dict";
}

def Kernel_MmaFetchedOp : Kernel_NamedOp<"mma.fetched", "acc", [
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "the same with rows of A that are in registers";
  let description = [{
    As `kernel.mma.async`, but the 64 rows of A are a fragment, which lanes have read and
    may have transposed, or split, on the way. Tensor cores transpose only operands of 2
    bytes in shared memory, and split none. A `kernel.mma.fence` follows the reads. The
    product owns the registers until a `kernel.mma.wait` for it: no op may read into them
    before.

    ```mlir
    %acc1 = kernel.mma.fetched %rows, %ringB[%slot] cols %col step 0 to %acc if %later
    ```
  }];
  let arguments = (ins Kernel_FragmentType:$a, Kernel_RingType:$ringB, I32:$slotB, I32:$cols,
                       I32Attr:$step, Kernel_AccType:$acc, Optional<I1>:$keep,
                       UnitAttr:$transposed_b);
  let results = (outs Kernel_AccType:$result);
  let assemblyFormat = [{
    $a `,` $ringB `[` $slotB `]` `cols` $cols (`transposed` $transposed_b^)? `step` $step `to`
    $acc (`if` $keep^)? attr-dict `:` type($a) `,` type($ringB) `,` type($acc)
  }];
  let hasVerifier = 1;
}

def Kernel_MmaWaitOp : Kernel_Op<"mma.wait", [Kernel_NamesResults]> {
  let summary = "wait until at most `pending` groups of products are in flight";
  let description = [{
    The accumulators pass through it, so that no op reads them earlier.

    ```mlir
    %done:2 = kernel.mma.wait 0 for %acc0, %acc1 : ...
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending,
                       Variadic<Kernel_AccType>:$accs);
  let results = (outs Variadic<Kernel_AccType>:$results);
  let assemblyFormat = [{
    $pending (`for` $accs^ `:` custom<SameTypes>(type($accs), type($results)))? attr-dict
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "uint32_t":$pending, "::mlir::ValueRange":$accs), [{
    build($_builder, $_state, accs.getTypes(), $_builder.getI32IntegerAttr(pending), accs);
  }]>];
}

#endif // HONE_DIALECTS_KERNEL_MMAASYNCOPS_TD
