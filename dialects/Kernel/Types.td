//===- Types.td - Matrices, slots and tiles in registers -----*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types that the ops of every arch use. Types that only some ops use are
// defined in the same file as those ops.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_TYPES_TD
#define HONE_DIALECTS_KERNEL_TYPES_TD

class Kernel_Type<string name, string typeMnemonic> : TypeDef<Kernel_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Kernel_BufferType : Kernel_Type<"Buffer", "buffer"> {
  let summary = "an operand of the launch, in global memory";
  let description = "A kernel parameter: the start of an operand, and its element type.";
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
}

def Kernel_MatrixType : Kernel_Type<"Matrix", "matrix"> {
  let summary = "a matrix in global memory";
  let description = [{
    Lines of contiguous elements. `align` is the proven alignment of every line's
    start, in bytes: it limits how many bytes one access may move. The extents and the
    distance of lines are run-time values of `kernel.matrix`.
  }];
  let parameters = (ins "::mlir::Type":$element, "int64_t":$align);
  let assemblyFormat = "`<` $element `,` `align` `=` $align `>`";
  let genVerifyDecl = 1;
}

def Kernel_OperandType : Kernel_Type<"Operand", "operand"> {
  let summary = "an epilogue operand in global memory, indexed like C";
  let description = [{
    An operand whose element for (m, n) lies at `m * rowStride + n * colStride`;
    `dims` says which of the two it depends on: `""`, `"m"`, `"n"` or `"mn"`.
  }];
  let parameters = (ins "::mlir::Type":$element, StringRefParameter<"dimensions">:$dims);
  let assemblyFormat = "`<` $element `,` $dims `>`";
  let genVerifyDecl = 1;
}

def Kernel_RingType : Kernel_Type<"Ring", "ring"> {
  let summary = "slots of shared memory that are filled and read in turn";
  let description = [{
    `slots` tiles of `lines` x `width` elements. Lines of a multiple of 128 bytes are
    cut into panels of 128 bytes, stored one after the other, `lines` lines each. The
    16-byte chunks of a line are permuted by an XOR with the line's number
    (AddressMap.h), so that reading eight lines at the same column hits every bank
    once. The copy engine and the tensor cores of sm_90a use the same layout. Lines of
    an odd number of chunks are stored as they are, because eight of them start at
    different banks anyway.
  }];
  let parameters = (ins "int64_t":$slots, "int64_t":$lines, "int64_t":$width,
                        "::mlir::Type":$element);
  let assemblyFormat = "`<` $slots `of` $lines `x` $width `x` $element `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of one line, of one slot, and of the whole ring.
    int64_t getLineBytes() const { return getWidth() * getElement().getIntOrFloatBitWidth() / 8; }
    /// Contiguous bytes of each line, and panels of such lines.
    int64_t getPanelWidth() const { return panelBytes(getLineBytes()); }
    int64_t getPanels() const { return getLineBytes() / getPanelWidth(); }
    int64_t getPanelBytes() const { return getLines() * getPanelWidth(); }
    int64_t getSlotBytes() const { return getLines() * getLineBytes(); }
    int64_t getBytes() const { return getSlots() * getSlotBytes(); }
  }];
}

def Kernel_FragmentType : Kernel_Type<"Fragment", "fragment"> {
  let summary = "one step of A or B in registers";
  let description = [{
    The operand of `mma.m16n8k16`, of `mma.m16n8k8` for f32, or of `mma.m16n8k32` for 8
    bits, for A (`rows` = the block's M) or B (`rows` = its N), for every warp of a
    `warpsM` x `warpsN` block. Warps that share rows hold copies.

    With `depth` it is for threads that multiply by themselves (`kernel.fma`): each holds
    so many elements along k, 16 bytes, of every row (of B: column) in which its elements
    of C lie. Lanes that share rows hold copies, too.
  }];
  let parameters = (ins StringRefParameter<"which operand, a or b">:$side, "int64_t":$rows,
                        "::mlir::Type":$element, "int64_t":$warpsM, "int64_t":$warpsN,
                        DefaultValuedParameter<"int64_t", "0">:$depth);
  let builders = [TypeBuilder<(ins "::mlir::StringRef":$side, "int64_t":$rows,
                                   "::mlir::Type":$element, "int64_t":$warpsM,
                                   "int64_t":$warpsN), [{
    return $_get($_ctxt, side, rows, element, warpsM, warpsN, /*depth=*/0);
  }]>];
  let assemblyFormat = [{
    `<` $side `,` $rows `x` $element `,` `warps` `=` $warpsM `x` $warpsN
    (`,` `depth` `=` $depth^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isA() const { return getSide() == "a"; }
    /// Rows that one warp holds.
    int64_t getWarpRows() const { return getRows() / (isA() ? getWarpsM() : getWarpsN()); }
    /// Elements of k.
    int64_t getStep() const {
      return getDepth() ? getDepth() : stepOf(getElement().getIntOrFloatBitWidth() / 8);
    }
    /// 32-bit registers per thread.
    int64_t getRegisters() const {
      return getDepth() ? ownRows(getWarpRows(), isA()) * getDepth() : getWarpRows() / 16 * 4;
    }
    /// Elements per thread.
    int64_t getElements() const {
      return getRegisters() * 32 / getElement().getIntOrFloatBitWidth();
    }
  }];
}

def Kernel_AccType : Kernel_Type<"Acc", "acc"> {
  let summary = "a tile of C in registers";
  let description = [{
    `rows` x `cols` elements, distributed over `warpsM` x `warpsN` warps in the layout of
    mma.m16n8k16. The element type is the accumulator's until the epilogue.

    With `run` they are distributed along lines instead: a thread holds `run` elements of
    a line, the next thread the next ones (PartialMap.h). Tensor cores cannot use these.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$cols, "::mlir::Type":$element,
                        "int64_t":$warpsM, "int64_t":$warpsN,
                        DefaultValuedParameter<"int64_t", "0">:$run);
  let builders = [TypeBuilder<(ins "int64_t":$rows, "int64_t":$cols, "::mlir::Type":$element,
                                   "int64_t":$warpsM, "int64_t":$warpsN), [{
    return $_get($_ctxt, rows, cols, element, warpsM, warpsN, /*run=*/0);
  }]>];
  let assemblyFormat = [{
    `<` $rows `x` $cols `x` $element `,` `warps` `=` $warpsM `x` $warpsN
    (`,` `run` `=` $run^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getWarpRows() const { return getRows() / getWarpsM(); }
    int64_t getWarpCols() const { return getCols() / getWarpsN(); }
    /// Elements per thread.
    int64_t getElements() const { return getRows() * getCols() / getThreads(); }
    /// Threads over which the tile is distributed.
    int64_t getThreads() const { return getWarpsM() * getWarpsN() * 32; }
  }];
}

#endif // HONE_DIALECTS_KERNEL_TYPES_TD
