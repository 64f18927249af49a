//===- LowerKernel.h - Patterns from kernel IR to NVVM ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the pattern files of hone-lower-kernel: the LLVM types of kernel
// types, and the few values that every lowering needs. Private to passes/.
//
// | kernel type          | LLVM type                                     |
// |----------------------|-----------------------------------------------|
// | `buffer`             | `ptr<1>`                                      |
// | `matrix`             | `struct<(ptr<1>, i32 lines, i32 width, i64    |
// |                      | stride)>`                                     |
// | `operand`            | `struct<(ptr<1>, i64 rowStride, i64           |
// |                      | colStride)>`                                  |
// | `ring`, `barriers`,  | `i32`, a shared-memory address                |
// | `partial`            |                                               |
// | `sums`, `counters`   | `ptr<1>`                                      |
// | `map`                | `ptr` to the descriptor, passed by value      |
// | `fragment`           | `struct<(i32, ...)>`, a register each         |
// | `acc`                | `struct<(element, ...)>`, an element each     |
//
// Shared memory is addressed by 32-bit integers until the access itself: LLVM's
// pointers to it have 64 bits, which would double the registers of every
// address.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_LOWER_LOWERKERNEL_H
#define HONE_PASSES_LOWER_LOWERKERNEL_H

#include "dialects/Kernel/AddressMap.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/Lower/IndexValue.h"

namespace hone {

/// Global memory, shared memory, and the shared memory of a cluster's blocks,
/// in the numbering of the NVPTX back end.
constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3, kClusterSpace = 7;
/// Symbol of a module's dynamic shared memory.
inline constexpr llvm::StringLiteral kSharedSymbol = "hone_shared";

/// Converts kernel types as in the table above; other types are kept.
class KernelTypeConverter : public mlir::TypeConverter {
public:
  explicit KernelTypeConverter(mlir::MLIRContext *context);
};

/// Emits the values that lowerings need repeatedly, at one place in one kernel.
class KernelEmitter {
public:
  KernelEmitter(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  IndexValue i32(int64_t number) const;
  IndexValue i64(int64_t number) const;
  IndexValue index(mlir::Value value) const { return {builder, loc, value}; }
  /// Field `position` of a struct value.
  mlir::Value field(mlir::Value aggregate, int64_t position) const;
  /// A struct of `type` with these fields.
  mlir::Value pack(mlir::Type type, mlir::ValueRange fields) const;
  /// `count` fields from `first` on, as a vector; a single field as it is.
  mlir::Value neighbours(mlir::Value aggregate, int64_t first,
                         int64_t count) const;
  /// A vector of bytes as one integer, so that it is stored as a whole; other
  /// values as they are.
  mlir::Value asWhole(mlir::Value value) const;
  /// The sum of two floats or integers, or vectors of them.
  mlir::Value add(mlir::Value x, mlir::Value y) const;
  /// `pointer` (global memory) plus `index` (i64) elements of `type`. The GEP
  /// does the scaling, so that constants in the index reach the instruction.
  mlir::Value element(mlir::Value pointer, mlir::Value index,
                      mlir::Type type) const;
  /// The pointer for an i32 address in shared memory.
  mlir::Value shared(mlir::Value address) const;
  /// The address of slot `slot` of a ring.
  IndexValue slotOf(mlir::Value ring, mlir::Value slot,
                    kernel::RingType type) const {
    return index(ring) + index(slot) * type.getSlotBytes();
  }

  /// The result of `operands` in PTX that LLVM has no op for. The text keeps
  /// its order among loads, stores and other such texts.
  mlir::Value assembly(mlir::Type type, mlir::ValueRange operands,
                       llvm::StringRef text, llvm::StringRef constraints) const;

  /// The bits of an f32, rounded to the nearest tf32; ties round to even,
  /// which needs sm_90, or away from zero.
  mlir::Value toTf32(mlir::Value bits, bool tiesToEven = false) const;
  /// Rounds `bits`, ties away from zero. Returns the bits of the rest, which is
  /// exact; where `bits` are a NaN, it or the rest is one.
  mlir::Value splitOff(mlir::Value &bits) const;

  /// The address of the module's dynamic shared memory.
  IndexValue sharedBase() const;

  /// The thread's number in its block, of `threads`.
  IndexValue thread(int64_t threads) const;
  /// The thread's number among the threads of `op`: those of its group inside a
  /// role, else those of the block.
  IndexValue threadOf(mlir::Operation *op) const;
  /// The block's number in the grid.
  IndexValue block() const;
  /// Runs `write` in those threads of the op's group whose number, its
  /// argument, is below `count`.
  void inFirstThreads(mlir::Operation *op, int64_t count,
                      llvm::function_ref<void(IndexValue)> write) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// Emits the lowering of one op, in front of it.
class KernelLowering : public KernelEmitter {
public:
  KernelLowering(mlir::OpBuilder &builder, mlir::Location loc,
                 const mlir::TypeConverter &types)
      : KernelEmitter(builder, loc), types(types) {}

  using KernelEmitter::pack;
  /// A struct with these fields, for a value of kernel IR of `type`.
  mlir::Value packAs(mlir::Type type, mlir::ValueRange fields) const {
    return pack(types.convertType(type), fields);
  }

  const mlir::TypeConverter &types;
};

/// The pattern of a function that emits an op's lowering, and returns the
/// values of its results if it has any.
template <auto lower>
struct LowerBy;
template <typename Op, typename Adaptor, typename Result,
          Result (*lower)(Op, Adaptor, KernelLowering &)>
struct LowerBy<lower> : mlir::OpConversionPattern<Op> {
  using mlir::OpConversionPattern<Op>::OpConversionPattern;
  mlir::LogicalResult
  matchAndRewrite(Op op, Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    KernelLowering emit(rewriter, op.getLoc(), *this->getTypeConverter());
    if constexpr (std::is_void_v<Result>) {
      lower(op, adaptor, emit);
      rewriter.eraseOp(op);
    } else {
      rewriter.replaceOp(op, lower(op, adaptor, emit));
    }
    return mlir::success();
  }
};

/// Adds the patterns of some functions.
template <auto... lower>
void addLowerings(const mlir::TypeConverter &types,
                  mlir::RewritePatternSet &patterns) {
  patterns.add<LowerBy<lower>...>(types, patterns.getContext());
}

/// The address of a place in shared memory that an op names.
template <typename Op>
mlir::Value lowerPlace(Op op, typename Op::Adaptor, KernelLowering &emit) {
  return emit.sharedBase() + int64_t(op.getOffset());
}

/// The part of a fragment for threads that one thread reads.
mlir::Value readOwn(kernel::ReadOp op, kernel::ReadOp::Adaptor adaptor,
                    KernelLowering &emit);

/// The name of a factor type in PTX.
llvm::StringRef ptxNameOf(mlir::Type element);

/// Two numbers of 16 bits in a word: bytes `first` and `first` + 1 of `word`,
/// of type `from`, converted to `to`.
mlir::Value widenPair(KernelEmitter &emit, mlir::Value word, int64_t first,
                      mlir::Type from, mlir::Type to);
/// The words of the widened numbers: bytes 0 and 1 of a word, then 2 and 3.
llvm::SmallVector<mlir::Value> widenBytes(KernelEmitter &emit,
                                          llvm::ArrayRef<mlir::Value> words,
                                          mlir::Type from, mlir::Type to);

/// Threads per block of the kernel that contains `op`, or that is `op`.
int64_t threadsOf(mlir::Operation *op);

/// The number of threads of `op`: those of its group inside a role, else the
/// block's.
int64_t groupThreadsOf(mlir::Operation *op);

/// Turns the roles of a kernel into branches, once no other kernel op is left.
mlir::LogicalResult lowerRolesOf(mlir::LLVM::LLVMFuncOp func);

/// One file each: places of tiles; global to shared; shared to tensor cores;
/// shared to threads that multiply; registers to global; barriers and the copy
/// engine; tensor cores that read shared memory; tiles to slots and back;
/// blocks and kernels that cooperate; sums in global memory; lines that start
/// anywhere; matrices that are copied.
using PopulatePatterns = void(const mlir::TypeConverter &types,
                              mlir::RewritePatternSet &patterns);
PopulatePatterns populatePlacePatterns, populateSegmentPatterns,
    populateCopyPatterns, populateMmaPatterns, populateFmaPatterns,
    populateEpiloguePatterns, populateStorePatterns, populateAsyncPatterns,
    populateWgmmaPatterns, populateStagePatterns, populateClusterPatterns,
    populateWorkspacePatterns, populateLinePatterns, populatePackPatterns;

} // namespace hone

#endif // HONE_PASSES_LOWER_LOWERKERNEL_H
