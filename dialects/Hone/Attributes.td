//===- Attributes.td - Attributes of hone ------------------*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems, archs, schedules and the clauses of hone.matmul. Hone.td includes this
// file.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_HONE_ATTRIBUTES_TD
#define HONE_DIALECTS_HONE_ATTRIBUTES_TD

class Hone_Attr<string name, string attrMnemonic> : AttrDef<Hone_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def Hone_ProblemAttr : Hone_Attr<"Problem", "problem"> {
  let summary = "problem of a matmul: extents, types, storage, epilogue";
  let description = [{
    Wraps `hone::Problem` (include/hone/Schedule/Problem.h); the text between the
    brackets is its canonical text, the key of the database.

    ```mlir
    #hone.problem<m = 128, n = ?, k = 64, a = f16:row:16, b = f16:col:16,
                  acc = f32, c = f16:16, init = zero>
    ```
  }];
  let parameters = (ins
    AttrParameter<"::hone::Problem", "the problem", "const ::hone::Problem &">:$value);
  let genVerifyDecl = 1;
}

def Hone_ArchAttr : Hone_Attr<"Arch", "arch"> {
  let summary = "the machine a schedule is for";
  let description = [{
    The name of a chip, of an instruction set or of a file with the numbers of a
    machine (include/hone/Schedule/Arch.h). Such a file is read when the text is
    parsed.

    ```mlir
    #hone.arch<h200>
    #hone.arch<"my.machine">
    ```
  }];
  let parameters = (ins
    AttrParameter<"::hone::Arch", "the machine", "const ::hone::Arch &">:$value);
  let extraClassDeclaration = [{
    ::llvm::StringRef getName() const { return getValue().name; }
  }];
}

def Hone_ScheduleAttr : Hone_Attr<"Schedule", "schedule"> {
  let summary = "every decision about how a matmul runs";
  let description = [{
    Wraps `hone::Schedule` (include/hone/Schedule/Schedule.h): the name of a
    kind, then its decisions. A decision that is left out takes its usual value.
    The verifier applies the laws that need nothing but the schedule.

    ```mlir
    #hone.schedule<mma_sync, tile = 128x128x32, warps = 2x4, stages = 4, group = 8>
    ```
  }];
  let parameters = (ins
    AttrParameter<"::hone::Schedule", "the schedule", "const ::hone::Schedule &">:$value);
  let genVerifyDecl = 1;
}

def Hone_RangesAttr : Hone_Attr<"Ranges", "ranges"> {
  let summary = "other schedules for small values of an unknown extent";
  let description = [{
    Wraps `hone::ScheduleRanges` (include/hone/Schedule/Ranges.h): schedules for
    values of `m`, `n` or `k` up to a bound, smallest first. Values above the last
    bound have the op's `schedule`. The launch plan picks when the extent is known.

    ```mlir
    #hone.ranges<m to 16: mma_sync, tile = 16x64x64 | m to 512: ws, tile = 128x128x64>
    ```
  }];
  let parameters = (ins
    AttrParameter<"::hone::ScheduleRanges", "the ranges",
                  "const ::hone::ScheduleRanges &">:$value);
  let genVerifyDecl = 1;
}

def Hone_DimsAttr : Hone_Attr<"Dims", "dims"> {
  let summary = "the dimensions of a matrix, in order";
  let description = [{
    One letter for each dimension, as in `hone.matmul`, none of them twice; no
    letters for a scalar.

    ```mlir
    #hone.dims<b, m, k>
    ```
  }];
  let parameters = (ins StringRefParameter<"letters">:$letters);
  let genVerifyDecl = 1;
}
def Hone_DimsArrayAttr : TypedArrayAttrBase<Hone_DimsAttr, "dimensions of matrices">;

// An enum of include/hone/Schedule/Problem.h, which has no MLIR, stored as the number of
// one of its `count` values.
class Hone_ProblemEnum<string name, int count, string summary> : Attr<And<[
    CPred<"::llvm::isa<::mlir::IntegerAttr>($_self)">,
    CPred<"::llvm::cast<::mlir::IntegerAttr>($_self).getType().isSignlessInteger(32)">,
    CPred<"::llvm::cast<::mlir::IntegerAttr>($_self).getValue().ult(" # count # ")">]>, summary> {
  let storageType = "::mlir::IntegerAttr";
  let returnType = "::hone::" # name;
  let valueType = I32;
  let convertFromStorage = "static_cast<" # returnType # ">($_self.getInt())";
  let constBuilderCall = "$_builder.getI32IntegerAttr(static_cast<int32_t>($0))";
}
def Hone_Order : Hone_ProblemEnum<"Order", 2, "which index of a matrix is contiguous">;
def Hone_Init : Hone_ProblemEnum<"Init", 2, "where the sum starts">;

def Hone_ProductsAttr : Hone_Attr<"Products", "products"> {
  let summary = "how products of f32, or sums of those of 8 bits, may be computed";
  let description = [{
    `exact`, `tf32x3` or `tf32` for f32, from the most accurate to the least; `exact` or
    `blocks` or `short` for 8 bits (include/hone/Schedule/Problem.h). The attribute is a
    permission: a kernel may compute more accurate products.

    ```mlir
    #hone.products<tf32x3>
    ```
  }];
  let parameters = (ins
    AttrParameter<"::hone::Products", "how", "::hone::Products">:$value);
}

def Hone_WindowAttr : Hone_Attr<"Window", "window"> {
  let summary = "windows that slide over an image";
  let description = [{
    The size of a window along each dimension of an image, the distance of windows, the
    distance of a window's elements, and the zeros before and after the image. Numbers that
    are left out are 1, or 0 for zeros.

    ```mlir
    #hone.window<3x3, step 2x2, dilation 1x1, low 0x0, high 1x1>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$size, ArrayRefParameter<"int64_t">:$step,
    ArrayRefParameter<"int64_t">:$dilation, ArrayRefParameter<"int64_t">:$low,
    ArrayRefParameter<"int64_t">:$high);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of windows along a dimension of this extent, 0 if none fits;
    /// unknown if the extent is.
    int64_t countAlong(unsigned side, int64_t extent) const;
  }];
}

def Hone_NumbersAttr : Hone_Attr<"Numbers", "numbers"> {
  let summary = "which runs of a matmul give the same bits";
  let description = [{
    `free`, `deterministic`, or `invariant`, with the parts of K if there are several
    (include/hone/Schedule/Problem.h).

    ```mlir
    #hone.numbers<invariant>
    #hone.numbers<invariant:4>
    ```
  }];
  let parameters = (ins
    AttrParameter<"::hone::Numbers", "which runs", "::hone::Numbers">:$value);
}

#endif // HONE_DIALECTS_HONE_ATTRIBUTES_TD
