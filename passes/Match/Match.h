//===- Match.h - The parts of hone-match ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matching first reads the program and writes IR last. It describes the values
// that it reads in *letters*: every dimension of every value is (part of) one
// of
//
//   b   batch     in A, B and C, or in C and one of A and B; further ones, not
//                 adjacent to it in one of these, are h, i and j
//   m   rows      in A and C
//   n   columns   in B and C
//   k   summed    in A and B
//   .   one element long, so it can come and go
//
// A `View` is a value with the dimensions that make up each letter. Turning a
// value into its canonical shape is then a reshape; it is a copy only where the
// program makes one, too.
//
//   MatchContraction.h    reads an op; the later steps are declared here
//   MatchPrepare.cpp      makes chains of uses visible
//   MatchOperand.cpp      A and B before the frontends' transformations
//   MatchSide.cpp         their dimensions, split into those of a matrix
//   MatchBody.cpp         the products and sums of an op's body
//   MatchNarrow.cpp       extensions that were fused into producers
//   MatchSplit.cpp        separates a product from ops fused into it
//   MatchWindows.cpp      inputs of convolutions, read by single loops
//   MatchImage.cpp        those whose windows overlap
//   MatchChannels.cpp     images whose channels are not last
//   MatchReorder.cpp      these images in another order
//   MatchChoice.cpp       the values that A and B are read from
//   MatchContraction.cpp  the letters of the dimensions of A, B and C
//   MatchBatches.cpp      merged dimensions, and batches
//   MatchFlat.cpp         batches that the program collapsed
//   Quantized/            scales of A and B that can apply to the sums, and
//                         integer products with zero points
//   MatchSource.cpp       origins of broadcasts, reshapes, conversions
//   MatchStart.cpp        the start value of the sum
//   MatchStep.cpp         one elementwise op, read in letters
//   MatchEpilogue.cpp     elementwise consumers that move into a matmul
//   MatchMemory.cpp       the surroundings of a contraction on memrefs
//   MatchRagged.cpp       products of ragged rows, of CHLO
//   Rows/                 rows added through an index; tokens sorted by experts
//   MatchReshape.cpp      values to canonical shape and back
//   MatchProblem.cpp      the problem of a contraction
//   MatchWrite.cpp        the matmul and its region, in place of the ops
//   Match.cpp             the pass
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_MATCH_MATCH_H
#define HONE_PASSES_MATCH_MATCH_H

#include "mlir/IR/PatternMatch.h"
#include "passes/Match/MatchContraction.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace hone::match {

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Moves dimensions of `dim` ops that fold to a constant below 0 to the rank,
/// which is equally undefined. Later passes look a dimension below 0 up in the
/// shape: Hone's, and upstream's canonicalization of the gpu dialect. Returns
/// true if there were any.
bool moveNegativeDims(mlir::Operation *root);

/// Folds pairs of reshapes, and takes sizes from destinations, so that neither
/// counts as a use of a result's elements. Removes unused ops. With
/// `splitsZeroPoints`, takes zero points out of products of integers.
void prepare(mlir::Operation *root, bool splitsZeroPoints);
/// Turns `chlo.ragged_dot` into matmuls of ragged rows (MatchRagged.cpp). Those
/// of f32 have the products `ofF32`. Returns true if there were any.
bool matchRaggedDots(mlir::Operation *root, Products ofF32,
                     const Numbers &numbers);
/// Gives matmuls that do not state theirs these numbers. Returns true if there
/// were any.
bool stateNumbers(mlir::Operation *root, const Numbers &numbers);
/// The patterns that take out zero points (MatchZeroPoints.cpp).
void populateZeroPointPatterns(mlir::RewritePatternSet &patterns);

/// Writes convolutions of images with channels first as ones with channels
/// last, if `test` is true for one of those that are connected with channels
/// last, and false as it is. Transposes between them vanish.
void moveChannelsLast(mlir::RewriterBase &rewriter, mlir::Operation *root,
                      llvm::function_ref<bool(mlir::linalg::LinalgOp)> test);

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// An input of an elementwise op: a value whose dimensions are dimensions of
/// the iteration space, a scalar, or a constant.
struct Source {
  mlir::Value value;
  /// For each dimension of `value`, that of the iteration space, or `kOne` if
  /// it is one element long.
  llvm::SmallVector<int64_t> dims;
  /// The floating-point types that an element is converted to, one by one.
  llvm::SmallVector<mlir::Type> casts;
  mlir::TypedAttr constant; ///< after the conversions
};

/// Looks through broadcasts, conversions, and reshapes that only add or drop
/// dimensions of one element, as far as `accepts` holds of a source, or as far
/// as possible if it holds of none. A scalar has an empty map.
mlir::FailureOr<Source>
resolveSource(mlir::Value value, mlir::AffineMap map,
              llvm::function_ref<bool(const Source &)> accepts = {});
/// True if a sum that starts from the constant is the plain sum. -0.0 is no
/// such zero: a sum that is -0.0 from there is +0.0 from +0.0.
bool isZeroToAdd(mlir::TypedAttr constant);
/// The view of `source` if the iteration space has `letters`. Fails if the
/// source has only a part of a letter.
mlir::FailureOr<View> viewOf(const Source &source, llvm::StringRef letters);
/// The only dimension in `group` of more than one element, or `kOne`; nothing
/// if there are several.
std::optional<int64_t> onlyDim(mlir::ShapedType type,
                               llvm::ArrayRef<int64_t> group);
/// The size of a tensor's dimension, from values that exist before its elements
/// are computed.
mlir::OpFoldResult sizeOf(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value tensor, int64_t dim);

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

/// The origin of a scalar that the epilogue uses.
struct Argument {
  mlir::Value result; ///< the matmul's, or an earlier step's, in the program
  mlir::TypedAttr constant;
  /// An epilogue operand, and the types that its element is converted to.
  std::optional<unsigned> operand;
  llvm::SmallVector<mlir::Type> casts;
};

/// One elementwise op of the program that moves into the epilogue.
struct Step {
  mlir::Operation *op = nullptr;
  /// One per operand; empty for one that is not read.
  llvm::SmallVector<Argument> arguments;
  /// Scalars from outside that the body reads.
  llvm::SmallVector<std::pair<mlir::Value, Argument>> captures;
};

/// Calls `action` for all arguments of `step`.
template <typename StepOrConst, typename Action>
void forEachArgument(StepOrConst &step, Action action) {
  for (auto &argument : step.arguments)
    action(argument);
  for (auto &capture : step.captures)
    action(capture.second);
}

/// A value of the program that holds, element by element, the result of a
/// matmul or a step: that result itself or a reshape of it.
struct Reached {
  mlir::Value result;
  std::string letters; ///< of the dimensions
  /// The tensor it is written to; null for a new one.
  mlir::Value destination;
};
using ReachedMap = llvm::MapVector<mlir::Value, Reached>;

/// The operands of an epilogue, each view once.
class OperandPool {
public:
  unsigned add(const View &view);
  llvm::ArrayRef<View> getViews() const { return views; }

private:
  llvm::SmallVector<View> views;
};

/// Reads `op`, which uses a value of `reached`, as a step. `result` gets its
/// result; `why` gets the reason if that is not possible.
mlir::FailureOr<Step> readStep(mlir::Operation *op, const ReachedMap &reached,
                               OperandPool &pool, Reached &result,
                               std::string &why);
/// Reads `op` as a reshape of a reached value that moves no element and keeps
/// the letters apart.
mlir::FailureOr<Reached> followReshape(mlir::Operation *op,
                                       const ReachedMap &reached);

/// All changes to the sum before it is stored.
struct Epilogue {
  Init init = Init::read;
  bool startsUndefined = false; ///< from a tensor that was never written
  /// The value that is added to the sum first: a broadcast vector, or the old
  /// value of a destination other than the one written.
  std::optional<Argument> addend;
  llvm::SmallVector<View> operands;
  llvm::SmallVector<Step> steps;
  /// The destination; if `newC` is set, a new tensor of that shape.
  View c;
  bool newC = false;
  /// The op whose result the matmul replaces.
  mlir::Operation *last = nullptr;
  /// The fill of a memref that `init` stands for, or null.
  mlir::Operation *overwritten = nullptr;
  /// Ops that read the result and are not fused, each with the reason.
  llvm::SmallVector<std::pair<mlir::Operation *, std::string>> left;
};

/// Reads the start of the sum of `contraction`: zero, or a vector that is
/// repeated for every row or column and can as well be added at the end.
/// Returns the tensor to write if no op follows, null for a new one.
mlir::Value analyzeStart(const Contraction &contraction, Epilogue &epilogue,
                         OperandPool &pool);
/// The surroundings of a contraction on tensors. If all consumers use the
/// transposed result, A and B of `contraction` are exchanged.
Epilogue analyzeEpilogue(Contraction &contraction);
/// The surroundings of a contraction on memrefs: C is written, and read unless
/// it was filled with zeros.
Epilogue analyzeMemory(const Contraction &contraction);

/// The element type of A or B.
ElementType elementTypeOf(mlir::Value value);
/// The part of the problem that is known before there is a matmul: types,
/// orders and extents.
Problem outlineOf(const Contraction &contraction, const Epilogue &epilogue);

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Erases those of `ops` that are unused, and then the ops that only they used.
void eraseDead(mlir::RewriterBase &rewriter,
               llvm::ArrayRef<mlir::Operation *> ops);
/// Writes one matmul and removes the ops that it replaces. If that is not
/// possible, the program stays unchanged and `why` gets the reason.
mlir::FailureOr<MatmulOp> write(mlir::RewriterBase &rewriter,
                                const Contraction &contraction,
                                const Epilogue &epilogue, std::string &why);

//===----------------------------------------------------------------------===//
// Ops that are not matched
//===----------------------------------------------------------------------===//

/// Products that are left alone, by the message about them.
class LeftAlone {
public:
  /// Adds `op`, with a remark.
  void add(mlir::linalg::LinalgOp op, const std::string &why);
  /// Emits one warning for each cause, or one error; returns true if there was
  /// an error.
  bool report(bool isError) const;

private:
  llvm::MapVector<std::string, llvm::SmallVector<mlir::Location>,
                  std::map<std::string, unsigned>>
      byCause;
};

} // namespace hone::match

#endif // HONE_PASSES_MATCH_MATCH_H
