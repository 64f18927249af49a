//===- Hone.td - Problems, schedules and the op that has both -*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `hone` dialect is the part of Hone that the rest of a compiler sees: a
// matmul in canonical form, attributes for its problem, arch and schedule, and
// the lines of a tuning file. Nothing here changes IR.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_HONE_HONE_TD
#define HONE_DIALECTS_HONE_HONE_TD

include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Hone_Dialect : Dialect {
  let name = "hone";
  let cppNamespace = "::hone";
  let summary = "matmuls with a schedule";
  let description = [{
    A `hone.matmul` is a matmul in canonical form. `hone-match` makes it from
    linalg, `hone-select-schedule` attaches `#hone.arch` and `#hone.schedule`,
    and `hone-build-kernel` turns it into a kernel and a launch.

    Version log of the textual and bytecode form:

    | version | change |
    |---------|--------|
    | 1       | first  |
    | 2       | `hone.matmul` names the dimensions of A, B and C that are in an unusual order |
    | 3       | dimensions are `#hone.dims` instead of strings |
    | 4       | `hone.matmul` has `ranges` |
    | 5       | `hone.matmul` has `products` |
    | 6       | `hone.matmul` has `window` |
    | 7       | `hone.matmul` has `numbers` |
    | 8, 9    | `hone.matmul` has `ragged`, then `gather` |
    | 10, 11  | `hone.scatter_rows` has `max`; `hone.route` |

    A linalg op may carry the discardable attribute `hone.schedule`, a
    `#hone.schedule`: `hone-match` moves it to the `hone.matmul` that it creates,
    and so pins the schedule. A second attribute, `hone.ranges`, a `#hone.ranges`, pins
    the schedules for small values of an unknown extent. `hone.products`, a
    `#hone.products`, overrides the options `f32` and `f8` of `hone-match`, and
    `hone.numbers`, a `#hone.numbers`, its option `numbers`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
  let extraClassDeclaration = [{
    /// Version of the textual and bytecode form, as in the log above.
    static constexpr unsigned kVersion = 11;
    /// Name of the discardable attribute that pins a linalg op's schedule.
    static constexpr ::llvm::StringLiteral kScheduleAttrName = "hone.schedule";
    /// Name of the discardable attribute that pins a linalg op's ranges.
    static constexpr ::llvm::StringLiteral kRangesAttrName = "hone.ranges";
    /// Name of the discardable attribute with a linalg op's products.
    static constexpr ::llvm::StringLiteral kProductsAttrName = "hone.products";
    /// Name of the discardable attribute with a linalg op's numbers.
    static constexpr ::llvm::StringLiteral kNumbersAttrName = "hone.numbers";

  private:
    void registerAttributes();
  }];
}

include "Attributes.td"

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

class Hone_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Hone_Dialect, opMnemonic, traits>;

def Hone_Operand : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef],
    "ranked tensor or strided memref", "::mlir::ShapedType">;

def Hone_MatmulOp : Hone_Op<"matmul", [
    // A constant that canonicalization finds in an epilogue stays in it.
    IsolatedFromAbove,
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<BufferizableOpInterface, [
      "bufferizesToMemoryRead", "bufferizesToMemoryWrite", "getAliasingValues",
      "bufferize"]>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "C = epilogue(init + A * B), with a schedule";
  let description = [{
    A (batched) matmul in destination style, on tensors or on memrefs:

        C[b, m, n] = epilogue(init + sum over k of A[b, m, k] * B[b, k, n])

    **Operands.** A is `m x k`, or `k x m` after `col`; B is `k x n`, or `n x k`
    after `col`; C is `m x n`. Batches come first. Any other order is spelled out
    after the operand, with one letter per dimension:

    | letter       | dimension                                               |
    |--------------|---------------------------------------------------------|
    | `b` `h` `i` `j` | batches, outermost first; C has all of them          |
    | `m`          | rows of A and C                                         |
    | `n`          | columns of B and C                                      |
    | `k`          | summed over, in A and B                                 |

    In a batched matmul A or B may lack batches: one matrix then serves all of
    them. On tensors the dimensions may come in any order, so that attention's
    `[batch, sequence, head, element]` needs no transpose; in memory batches come
    first, with arbitrary strides, as `memref.transpose` produces them.

    ```mlir
    %s = hone.matmul ins(%q[b, m, h, k], %k[b, n, h, k] : tensor<4x128x12x64xf16>, tensor<4x128x12x64xf16>)
                     outs(%c : tensor<4x12x128x128xf32>) init(zero) acc(f32) -> tensor<4x12x128x128xf32>
    ```

    **window** makes A an image, of which the product reads windows: a convolution.

        A[(i, p, q), (r, s, c)] = X[i, p * step + r * dilation - low, ..., c], zero outside

    A is then images, one or two dimensions that windows slide along, and channels. The
    product is `m x k` with a row of C for each window, and k is the elements of a window.

    ```mlir
    %d = hone.matmul ins(%x window(3x3, low 1x1, high 1x1), %w : tensor<8x28x28x64xf16>, tensor<576x96xf16>)
                     outs(%c : tensor<6272x96xf16>) init(zero) acc(f32) -> tensor<6272x96xf16>
    ```

    **ragged** splits the rows into groups, each with a B of its own: B has one more
    dimension, its batch, and C has none. `ends` has the end of each group's rows, which
    begin where those of the group before it end:

        row e(g)  =  min(max(ends[g], e(g - 1)), m),   e(-1) = 0
        C[i, n]   =  epilogue(init + sum over k of A[i, k] * B[g, k, n]),   e(g - 1) <= i < e(g)

    So any numbers are ends. Rows from the last end on belong to no group, and the sum over
    k is zero there (docs/Ragged.md).

    ```mlir
    %d = hone.matmul ins(%a, %b : tensor<512x64xf16>, tensor<8x64x96xf16>)
                     outs(%c : tensor<512x96xf16>) ragged(%ends : tensor<8xi32>)
                     init(zero) acc(f32) -> tensor<512x96xf16>
    ```

    Where C has a batch, and A and B have none, the groups are segments of k, and batch g
    of C is the sum over segment g: the gradient of the weights of the product above.

        C[g, m, n]  =  epilogue(init + sum over e(g - 1) <= k < e(g) of A[m, k] * B[k, n])

    ```mlir
    %d = hone.matmul ins(col %x, %dy : tensor<512x64xf16>, tensor<512x96xf16>)
                     outs(%c : tensor<8x64x96xf32>) ragged(%ends : tensor<8xi32>)
                     init(zero) acc(f32) -> tensor<8x64x96xf32>
    ```

    **gather** reads a row of A for each row of C, by its index, or zeros outside of A:

        A'[i, k]  =  A[rows[i], k]   if 0 <= rows[i] < number of A's rows, else 0

    ```mlir
    %d = hone.matmul ins(%a, %b : tensor<96x64xf16>, tensor<8x64x96xf16>)
                     outs(%c : tensor<512x96xf16>) ragged(%ends : tensor<8xi32>)
                     gather(%rows : tensor<512xi32>) init(zero) acc(f32) -> tensor<512x96xf16>
    ```

    **init** is `zero`, or `read`: the old value of C is added to the sum before
    the epilogue.

    **acc** is the type of the running sum. It is never narrower than the
    program's.

    **products** says how products of f32 may be computed where they need not be exact:
    `products(tf32x3)` in three products of tf32, as accurately as f32 sums are, or
    `products(tf32)` in one. `products(blocks)` permits short sums of 128 products of
    8 bits, which are added up in f32, and `products(short)` sums that are short from end
    to end (include/hone/Schedule/Problem.h).

    **numbers** says which runs give the same bits: with `numbers(invariant)` the bits of a
    row of C depend on that row and on B, and not on M. `numbers(invariant:4)` adds K in
    four parts. Without the clause numbers are deterministic.

    **epilogue** is an optional region of scalar elementwise ops (arith, math)
    that maps the sum, in the accumulator's type, and one element of each epilogue
    operand to the stored element. After each operand come its dimensions, in its
    own order: `[n]` is a row that applies to every row of C, `[m]` a column,
    `[b, m, n]` a full result of a batch, `[]` a scalar in a rank-0 operand.
    Without a region the sum is converted to C's element type.

    ```mlir
    %d = hone.matmul ins(%a, col %b : tensor<64x32xf16>, tensor<48x32xf16>)
                     outs(%c : tensor<64x48xf16>) init(zero) acc(f32)
         epilogue(%bias[n] : tensor<48xf32>) {
    ^bb0(%sum: f32, %v: f32):
      %0 = arith.addf %sum, %v : f32
      %1 = arith.truncf %0 : f32 to f16
      hone.yield %1 : f16
    } -> tensor<64x48xf16>
    ```

    `arch(#hone.arch<...>)` and `schedule(#hone.schedule<...>)` follow the
    epilogue once `hone-select-schedule` has run, and `ranges(#hone.ranges<...>)`
    if small values of an unknown extent have other schedules.

    #### Laws
    The verifier names the broken law:

    | law          | statement                                                  |
    |--------------|------------------------------------------------------------|
    | `matmul_c1`  | the operands are all tensors or all memrefs                |
    | `matmul_c2`  | A, B and C have a dimension for each letter, C all batches |
    | `matmul_c3`  | extents are positive, fit in 32 bits, agree, and no matrix |
    |              | is larger than an address space                            |
    | `matmul_c4`  | elements are f16, bf16, f32 or i8, of A and B also         |
    |              | f8E4M3FN or f8E5M2, of C also i32; A and B have the same,  |
    |              | or are both floats of 8 bits, or B has 8 bits and A is f16 |
    |              | or bf16                                                    |
    | `matmul_c5`  | the sum is as wide as the elements of A, B and C; that of  |
    |              | i8 is i32, and so is C without an epilogue, or if read     |
    | `matmul_c6`  | epilogue operands name dimensions of C, each once          |
    | `matmul_c7`  | epilogue operands have the extents of those dimensions     |
    | `matmul_c8`  | the epilogue's arguments are the sum and an element of each|
    | `matmul_c9`  | the epilogue yields an element of C                        |
    | `matmul_c10` | the epilogue holds scalar arith and math ops only          |
    | `matmul_c11` | in memory, a row or a column of A and B is contiguous      |
    | `matmul_c12` | in memory, a row of C is contiguous                        |
    | `matmul_c13` | in memory, no two elements of C are at one place           |
    | `matmul_c14` | in memory, batches stand before rows and columns, in order |
    | `matmul_c15` | products that need not be exact are those of f32, and      |
    |              | `blocks` and `short` are for floats of 8 bits              |
    | `matmul_c16` | an A with a window is images, one dimension for each of    |
    |              | the window's and channels, which are contiguous in memory; |
    |              | there are no batches                                       |
    | `matmul_c17` | m is the number of windows, k that of a window's elements, |
    |              | and the windows are not rows of a matrix                   |
    | `matmul_c18` | ragged rows have an end in i32 for each matrix of B, or of |
    |              | C, contiguous in memory, at most 65536 of them, no other   |
    |              | batches and no window                                      |
    | `matmul_c19` | rows of A that are gathered have an index in i32 or i64    |
    |              | for each row of C, contiguous in memory, and lie in lines  |
    |              | of A; there are no batches and no window                   |

    A schedule is checked for the op's Problem, and for its arch if there is one;
    those laws are `schedule_c1` and up.

    #### Canonicalization
    A batch of one element becomes reshapes of the operands that have it, and of the
    result. A matmul with a schedule keeps its batches.

    #### Bufferization
    C is written, and also read if `init(read)`; all other operands are read. If a
    buffer's layout does not prove `matmul_c11` or `matmul_c12`, the op works on a
    contiguous copy. Dimensions in an order other than that of `matmul_c14` become
    a `memref.transpose`, which moves no data.
  }];

  let arguments = (ins
    Hone_Operand:$a, Hone_Operand:$b, Hone_Operand:$c,
    // The epilogue's operands, the ends of ragged rows, and the index of a gather.
    Variadic<Hone_Operand>:$further,
    DefaultValuedAttr<Hone_Order, "::hone::Order::row">:$orderA,
    DefaultValuedAttr<Hone_Order, "::hone::Order::row">:$orderB,
    DefaultValuedAttr<Hone_Init, "::hone::Init::read">:$init,
    TypeAttr:$acc,
    OptionalAttr<Hone_ProductsAttr>:$products,
    OptionalAttr<Hone_NumbersAttr>:$numbers,
    DefaultValuedAttr<Hone_DimsArrayAttr, "{}">:$epilogueDims,
    OptionalAttr<Hone_ArchAttr>:$arch,
    OptionalAttr<Hone_ScheduleAttr>:$schedule,
    // For small values of an unknown extent.
    OptionalAttr<Hone_RangesAttr>:$ranges,
    // Present if `order` and rank do not determine them.
    OptionalAttr<Hone_DimsAttr>:$dimsA, OptionalAttr<Hone_DimsAttr>:$dimsB,
    OptionalAttr<Hone_DimsAttr>:$dimsC,
    // Present if A is an image.
    OptionalAttr<Hone_WindowAttr>:$window,
    // Present if the last operand besides the index is the ends of ragged rows.
    UnitAttr:$ragged,
    // Present if the last operand is the index of A's rows.
    UnitAttr:$gather);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region MaxSizedRegion<1>:$epilogue);

  let hasCanonicalizer = 1;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  // Version 1 had no dims; version 2 had strings.
  let useCustomPropertiesEncoding = 1;

  let builders = [
    // The op `other` with other operands: attributes and epilogue are copied.
    OpBuilder<(ins "::hone::MatmulOp":$other, "::mlir::Value":$a, "::mlir::Value":$b,
                   "::mlir::Value":$c, "::mlir::ValueRange":$further)>];

  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getCMutable(); }

    ::mlir::OperandRange getEpilogueOperands() {
      return getFurther().drop_back(bool(getEnds()) + bool(getIndex()));
    }
    /// True if C has a batch for each segment of k.
    bool isRaggedSum() { return getRagged() && isBatched(); }
    /// The ends of ragged rows, or null.
    ::mlir::TypedValue<::mlir::ShapedType> getEnds() {
      return getRagged() ? getFromBack(getGather()) : nullptr;
    }
    /// The index through which rows of A are read, or null.
    ::mlir::TypedValue<::mlir::ShapedType> getIndex() {
      return getGather() ? getFromBack(0) : nullptr;
    }
    /// The operand before the last `count` ones, or null.
    ::mlir::TypedValue<::mlir::ShapedType> getFromBack(size_t count) {
      if (getFurther().size() <= count)
        return nullptr;
      return ::llvm::cast<::mlir::TypedValue<::mlir::ShapedType>>(
          getFurther().drop_back(count).back());
    }
    /// The op's canonical Problem. If a memref's strides say that the other index
    /// is contiguous, the order is the one in memory.
    ::hone::Problem getProblem();
    /// All schedules, for an op that has one.
    ::hone::RangedSchedule getSchedules();
    /// Letters of the dimensions of A, B and C, in their order. With a window
    /// those of A are of its matrix, not of the image. Of ragged rows, B's batch
    /// is the group.
    std::string getLettersA();
    std::string getLettersB();
    std::string getLettersC();
    /// Sets the meaning of each dimension of A, B and C, and with it the orders.
    void setLetters(::llvm::StringRef a, ::llvm::StringRef b, ::llvm::StringRef c);
    /// The batches of C, outermost first: "", "b", "bh", ...
    ::llvm::StringRef getBatches();
    bool isBatched() { return !getBatches().empty(); }
    /// The extent of a letter, if the type of A, B or C has it; else
    /// `ShapedType::kDynamic`.
    int64_t getExtent(char letter);
    /// The access to an image, for an A with a window.
    std::optional<::hone::OperandAccess> getImageAccess();
    /// True if the op works on tensors, and so has a result.
    bool hasTensors() { return getNumResults() == 1; }
    /// The layout of A, B or C in memory.
    ::hone::MatrixLayout getLayoutA();
    ::hone::MatrixLayout getLayoutB();
    ::hone::MatrixLayout getLayoutC();
    bool hasEpilogue() { return !getEpilogue().empty(); }
    /// Letters of epilogue operand `i`, a subset of C's.
    ::llvm::StringRef getDimsOf(unsigned i);
    /// The function of the epilogue; its text is the one in the Problem's key.
    ::hone::EpilogueFunction getEpilogueFunction();
    /// "2 1": the epilogue operands in the order in which the text uses them,
    /// which does not distinguish operands of the same kind; empty if that is
    /// the order of the operands.
    std::string getEpilogueUse();
  }];
}

def Hone_YieldOp : Hone_Op<"yield", [Pure, ReturnLike, Terminator, HasParent<"MatmulOp">]> {
  let summary = "yields the stored element of an epilogue";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Hone_WaitOp : Hone_Op<"wait"> {
  let summary = "wait until the device has finished all work that was started";
  let description = [{
    All earlier work of the device, kernels and copies, is done when this op
    completes. `hone-insert-waits` inserts one where host code meets an access that
    may still be pending; `hone-emit` turns it into a call to `honeSynchronize`. A
    wait that follows another one, with nothing in between that has an effect, folds
    away.
  }];
  let assemblyFormat = "attr-dict";
  let hasCanonicalizeMethod = 1;
}

def Hone_ConstantOp : Hone_Op<"constant", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the device's copy of a constant of the module";
  let description = [{
    Memory of the device with the elements of a constant `memref.global`. It is loaded
    once in each context, and freed with the program. `hone-place-buffers` makes it
    where kernels read a constant; `hone-emit` turns it into a call of `honeConstant`.

    ```mlir
    %w = hone.constant @weights : memref<512x512xf16>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$global);
  let results = (outs AnyStaticShapeMemRef:$memory);
  let assemblyFormat = "$global attr-dict `:` type($memory)";
}

def Hone_AssertionOp : Hone_Op<"assertion", [Pure]> {
  let summary = "the flag of an assertion that kernels check";
  let description = [{
    Memory of the device that is 0 until a kernel finds that the assertion does not
    hold. The program asks for it with `honeTakeAssertion`. `hone-outline-rest` makes it
    from a `cf.assert` in the body of a linalg op; `hone-emit` turns it into a call of
    `honeAssertion`.

    ```mlir
    %flag = hone.assertion "index out of range" : memref<1xi32>
    ```
  }];
  let arguments = (ins StrAttr:$text);
  let results = (outs MemRefOf<[I32]>:$memory);
  let assemblyFormat = "$text attr-dict `:` type($memory)";
}

include "RowOps.td"
include "TuningOps.td"

#endif // HONE_DIALECTS_HONE_HONE_TD
