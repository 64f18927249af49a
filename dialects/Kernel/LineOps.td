//===- LineOps.td - Lines that start anywhere -------------*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copy engine needs lines that start at multiples of 16 bytes. Threads can
// copy lines that start anywhere: these ops move such lines in whole words,
// which LineMap.h assigns to threads.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_LINEOPS_TD
#define HONE_DIALECTS_KERNEL_LINEOPS_TD

def Kernel_StoreLinesOp : Kernel_Op<"store.lines"> {
  let summary = "the group's threads store lines of a slot";
  let description = [{
    Stores `lines` lines of the slot, from `from` on, at [`line`, `column`] of the
    matrix, as far as they lie in it. Each warp writes consecutive words of a line; where
    a line of 2-byte elements starts between two words, its first and its last element are
    written alone. No other byte is written: the bytes between lines stay as they
    are.

    The slot has been read when the op is done: threads that overwrite it have to meet
    the group's at a barrier first.

    ```mlir
    kernel.store.lines 64 of %ringC[%slot] from %line to %C[%row, %col]
        : !kernel.ring<2 of 128 x 64 x f16> to !kernel.matrix<f16, align = 2>
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$lines, Kernel_RingType:$ring,
                       I32:$slot, I32:$from, Kernel_MatrixType:$matrix, I32:$line,
                       I32:$column);
  let assemblyFormat = [{
    $lines `of` $ring `[` $slot `]` `from` $from `to` $matrix `[` $line `,` $column `]`
    attr-dict `:` type($ring) `to` type($matrix)
  }];
  let hasVerifier = 1;
}

/// From one matrix to another, or to two where elements are split.
class Kernel_BetweenMatricesOp<string mnemonic> : Kernel_Op<mnemonic> {
  let arguments = (ins I32:$run, Kernel_MatrixType:$source, Kernel_MatrixType:$target,
                       Optional<Kernel_MatrixType>:$low);
  let assemblyFormat = [{
    `run` $run `of` $source `to` $target (`and` $low^)? attr-dict `:` type($source)
    `to` type($target) (`and` type($low)^)?
  }];
  let hasVerifier = 1;
}

def Kernel_CopyLinesOp : Kernel_BetweenMatricesOp<"copy.lines"> {
  let summary = "the block copies a run of pieces of one matrix to another, or splits it";
  let description = [{
    Lines are cut into pieces of 16 bytes, which are numbered line by line; a *run* is
    four of them for each thread of the block. The op copies run `run` of `source`, whose
    lines may start anywhere, to the same lines and columns of `target`, whose lines start
    at multiples of 16 bytes. The last piece of a line is written as a whole: its elements
    after the line's last one are undefined. Elements have 1, 2 or 4 bytes.

    Of `source` it reads aligned words of 4 bytes, each of which has a byte of the line.

    Elements of 8 bits may become f16 or bf16, which have all their values: i8 as signed
    numbers, f8E4M3FN and f8E5M2. A piece is 16 bytes of the target then, too.

    With a second target (`and`) each element, an f32, is split into the sum of two
    numbers of which tensor cores read all bits: the nearest tf32 goes to the first, and
    the remainder, rounded to a tf32, too, to the second.

    ```mlir
    kernel.copy.lines run %run of %A to %packed
        : !kernel.matrix<f16, align = 2> to !kernel.matrix<f16, align = 16>
    kernel.copy.lines run %run of %B to %packed
        : !kernel.matrix<i8, align = 1> to !kernel.matrix<f16, align = 16>
    kernel.copy.lines run %run of %A to %high and %low
        : !kernel.matrix<f32, align = 4> to !kernel.matrix<f32, align = 16> and !kernel.matrix<f32, align = 16>
    ```
  }];
}

def Kernel_TransposeLinesOp : Kernel_BetweenMatricesOp<"transpose.lines"> {
  let summary = "the block copies a part of one matrix to its transpose";
  let description = [{
    As `kernel.copy.lines`, but the lines of `target` are the columns of `source`.
    A *run* is a part of 64 lines of `source`, of as many bytes each as the block has
    threads; the parts of the same lines follow each other. The last piece of 16 bytes of
    a line of `target` is written as a whole.

    ```mlir
    kernel.transpose.lines run %run of %B to %packed
        : !kernel.matrix<f8E4M3FN, align = 1> to !kernel.matrix<f8E4M3FN, align = 16>
    ```
  }];
}

#endif // HONE_DIALECTS_KERNEL_LINEOPS_TD
