//===- MatchContraction.h - A linalg op read as a matmul --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first half of hone-match (see Match.h): the products and sums of an op,
// in letters, and the values that it reads. The other half builds a matmul from
// views of these values.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_MATCH_MATCHCONTRACTION_H
#define HONE_PASSES_MATCH_MATCHCONTRACTION_H

#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

namespace hone {
enum class Scales;
} // namespace hone

namespace hone::match {

/// The letter of a dimension of one element.
constexpr char kUnit = '.';

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// A value as a matrix with one dimension for each letter. The steps are
/// applied in the order of the members: cut, permute, group.
struct View {
  mlir::Value value;
  /// Dimensions of a tensor that are split first, because their parts have
  /// different letters: for each dimension its parts, and their extents. Empty
  /// if no dimension is split.
  llvm::SmallVector<mlir::ReassociationIndices, 0> cuts;
  llvm::SmallVector<int64_t, 0> partExtents;
  /// Order in which the dimensions are taken; empty to keep it. On a memref
  /// this is a view, on a tensor a `linalg.transpose`.
  llvm::SmallVector<int64_t> permutation;
  std::string letters;
  /// For each letter, its (permuted) dimensions; none for a letter that the
  /// value lacks and gets as a dimension of one element.
  llvm::SmallVector<mlir::ReassociationIndices> groups;
};

/// Groups the dimensions of `value` by their letters. Fails if a letter's
/// dimensions are not adjacent.
mlir::FailureOr<View> makeView(mlir::Value value, llvm::StringRef letters);
/// The same for a matrix that needs all letters of `order`: a dimension of one
/// element becomes a missing letter if that keeps the order, and letters that
/// are still missing are added.
mlir::FailureOr<View> makeMatrix(mlir::Value value, llvm::StringRef letters,
                                 llvm::StringRef order);

/// Reshapes a view's value to one dimension per letter. Fails on a memref whose
/// strides do not allow it; `why` gets the reason.
mlir::FailureOr<mlir::Value> toCanonical(mlir::OpBuilder &builder,
                                         mlir::Location loc, const View &view,
                                         std::string &why);
/// Reshapes the tensor `canonical` back to the shape of `view.value`.
mlir::Value fromCanonical(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value canonical, const View &view);

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// A run of a loop's indices: `(index / low) % (high / low)`. A loop of 12
/// whose dimension is expanded to 3 x 4 has the pieces [12, 4) and [4, 1).
/// Unknown boundaries are `kDynamic` for the extent of the loop, and other
/// negative numbers, one for each place in the program, for the rest.
struct Piece {
  unsigned loop;
  int64_t high, low;
  /// Number of indices, `kDynamic` if unknown.
  int64_t size;

  bool operator==(const Piece &other) const {
    return loop == other.loop && high == other.high && low == other.low;
  }
};

/// Pieces from the outermost to the innermost.
using Pieces = llvm::SmallVector<Piece, 2>;

/// Merges consecutive pieces of a loop.
Pieces joined(llvm::ArrayRef<Piece> pieces);

/// An element of `value` for each point of an op's iteration space. This is an
/// indexing map that also gives the part of a loop that runs over a dimension.
struct Access {
  mlir::Value value;
  /// For each dimension, the pieces that it runs over; none for a dimension
  /// whose index is always zero. The value is repeated along loops that occur
  /// nowhere.
  llvm::SmallVector<Pieces> dims;

  mlir::Type elementType() const {
    return mlir::getElementTypeOrSelf(value.getType());
  }
};

/// Replaces a loop or a dimension where there is only one element.
constexpr int64_t kOne = -1;

/// A loop times a constant.
struct StridedLoop {
  int64_t loop, stride;
};
using StridedLoops = llvm::SmallVector<StridedLoop, 2>;

/// The loops whose sum is an index of `op`, the largest stride first; in a sum
/// those of one element count as zero. Nothing for an index of another form.
std::optional<StridedLoops> termsOf(mlir::linalg::LinalgOp op,
                                    mlir::AffineExpr expr);

/// The access of `op` to its operand `index`. Fails if an index is not a loop;
/// sums with loops of one element, as in 1x1 convolutions, are loops.
mlir::FailureOr<Access> accessOf(mlir::linalg::LinalgOp op, unsigned index);

/// The operand `index` of `op`, and every earlier value that holds the same
/// elements, the nearest first. Each is the operand itself or one of
///
///   - the input of an extension from f16 or bf16 (or of a copy):
///     `linalg.generic`, `copy`, `map`, `arith.extf` on tensors,
///   - the input of a reordering: `linalg.transpose`, a generic that permutes,
///   - the input of a repetition along a loop that C and the other side have,
///     so that one matrix serves a whole batch: `linalg.broadcast`, a generic,
///   - the input of a reshape: `tensor.expand_shape`, `collapse_shape`, `cast`.
///
/// Nothing is rewritten: the producers stay for other users, and the user of an
/// access erases dead ops. A memref stands only for itself, because
/// its elements may change.
llvm::SmallVector<Access> accessesOf(mlir::linalg::LinalgOp op, unsigned index);

/// An access whose dimensions were split and permuted, so that each has one
/// letter.
struct AccessSide {
  /// The value, its cuts and its permutation, but no groups yet.
  View view;
  /// The pieces of each dimension after the cuts and the permutation.
  llvm::SmallVector<Pieces> dims;
};

/// Splits the dimensions of `access` where the letter changes.
AccessSide sideOf(const Access &access,
                  llvm::function_ref<char(const Piece &)> letterOf);
/// Takes all pieces of `access` in the order of `order`, another access to the
/// same elements. A program that reorders wide elements can thus reorder narrow
/// ones instead.
AccessSide sideInOrderOf(const Access &access, const Access &order);

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// The body of an op that is `c + left * right`.
struct Product {
  /// The factors before they are extended for the product: block arguments, or
  /// values that the body computes from them.
  mlir::Value left, right;
  /// The factors as operands of the product.
  mlir::Value wideLeft, wideRight;
  /// The narrowest type in which the program multiplies or sums.
  mlir::Type sumType;
};

/// True if `op` sums products of two or more inputs, even if Hone does not
/// support the matmul.
bool looksLikeMatmul(mlir::linalg::LinalgOp op);
/// The ops under `module` that may be matmuls, one function after the other.
/// Ops in kernels stay as they are. In a function the last op comes first: the
/// extension of a result for a later product is then gone when the result's own
/// epilogue is read.
llvm::SmallVector<mlir::linalg::LinalgOp> findCandidates(mlir::ModuleOp module);
/// Reads the body of `op`; returns nothing if it has another form.
std::optional<Product> readBody(mlir::linalg::LinalgOp op);
/// True if the factors are the elements of A and B.
bool isPlain(mlir::linalg::LinalgOp op, const Product &product);
/// The value before it was extended to a wider type.
mlir::Value skipExtensions(mlir::Value value);
/// The same, and also an i8 before its conversion to a float, which is exact.
mlir::Value skipWidenings(mlir::Value value);
/// The ops of `body` that compute `value`.
llvm::SetVector<mlir::Operation *> expressionOf(mlir::Value value,
                                                mlir::Block *body);
/// The arguments of the body of `op` that `value` is computed from.
llvm::SmallVector<unsigned> inputsOf(mlir::Value value,
                                     mlir::linalg::LinalgOp op);

/// Turns extensions that were fused into the producers of A and B into ops of
/// their own, if both are then of one narrow type.
void exposeNarrow(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Writes a plain op in front of `op` that computes the same, and one for each
/// factor that the body of `op` computes. The caller erases `op` after taking
/// the new one. Fails with the reason, and may leave dead ops.
mlir::FailureOr<mlir::linalg::LinalgOp>
split(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
      const Product &product, bool prefersWindows, std::string &why);

/// True if an input with single loops as indices would be a copy: an index
/// advances by more than one element, or windows are not a matrix in place.
bool mayBeCopied(mlir::linalg::LinalgOp op);

/// The value that one factor of a product is read from, and its map.
struct PlainFactor {
  mlir::Value value;
  mlir::AffineMap map;
};
/// The operand `index` of `op`, indexed by single loops. This is the operand
/// itself, or a slice and an expansion of it if windows, or elements, are
/// adjacent or a constant number of elements apart. Fails with the reason. With
/// `prefersWindows`, an operand that would become a copy is read as windows if
/// it can be (`readWindows`).
mlir::FailureOr<PlainFactor> readByLoops(mlir::OpBuilder &builder,
                                         mlir::linalg::LinalgOp op,
                                         unsigned index, bool prefersWindows,
                                         std::string &why);

/// An image, the windows of it that a product reads, and the reason why only a
/// matmul with a window can read them.
struct Image {
  mlir::Value value;
  WindowAttr window;
  std::string reason;
};
/// The operand `index` of `op` as windows of an image, indexed by single loops.
/// Its value stands for them, and has no elements of its own: a matmul that
/// reads it takes its image. Fails if it is no such operand.
mlir::FailureOr<PlainFactor> readWindows(mlir::OpBuilder &builder,
                                         mlir::linalg::LinalgOp op,
                                         unsigned index,
                                         llvm::StringRef reason);
/// The image that such a value stands for; nothing for any other value.
std::optional<Image> imageOf(mlir::Value value);

/// Copies the program's pinned attributes of a kernel from `from` to `to`,
/// which replaces it.
void copyPins(mlir::Operation *from, mlir::Operation *to);

/// An op without the scales of its operands, and its result with them.
struct Rescaled {
  mlir::linalg::LinalgOp op;
  mlir::Value result;
  /// True if its factors are narrower than those with scales.
  bool isNarrower = false;
};
/// Writes an op in front of `op` that multiplies the unscaled values, as far as
/// this is `permitted`, and ops that multiply its sums by the scales. Fails,
/// and changes nothing, if there is no scale to move.
mlir::FailureOr<Rescaled> moveScales(mlir::RewriterBase &rewriter,
                                     mlir::linalg::LinalgOp op,
                                     Scales permitted);

/// An op with several loops instead of one batch, and the value that replaces
/// the old result.
struct Unflattened {
  mlir::linalg::LinalgOp op;
  mlir::Value result;
};
/// Writes an op in front of `op` that computes the same with one loop for each
/// part of a batch, if a matmul can then omit a transpose in front of A or B.
/// Otherwise fails, and changes nothing.
mlir::FailureOr<Unflattened> unflatten(mlir::RewriterBase &rewriter,
                                       mlir::linalg::LinalgOp op);

/// An op whose result is in another order, and the transpose after it and after
/// the elementwise ops that alone read it.
struct Regrouped {
  mlir::linalg::LinalgOp op;
  /// The value that the transpose replaces, and the transpose's.
  mlir::Value before, after;
};
/// Writes an op in front of `op` whose result has the batches first, then the
/// rows, then the columns, or columns before rows where a row is innermost.
/// Otherwise fails, and changes nothing.
mlir::FailureOr<Regrouped> regroupResult(mlir::RewriterBase &rewriter,
                                         mlir::linalg::LinalgOp op);

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// A linalg op that is a matmul, read in letters.
struct Contraction {
  mlir::linalg::LinalgOp op;
  View a, b, c;
  /// Letters of the dimensions of the destination.
  std::string lettersC;
  /// The type in which the program sums (or multiplies).
  mlir::Type sumType;
  /// Ways to compute products if A and B are f32.
  Products products = Products::exact;
  Numbers numbers;
  /// The obstacle to narrower operands, if there is one: one operand is
  /// extended, but the other is not, or from another type.
  std::string mixed;
  /// The reason why A or B is copied, if one is.
  std::string copied;
};

/// True, with the reason, if `contraction` reads windows that are not those of
/// A, or that no kernel of `target` reads.
bool refuseImages(const Contraction &contraction, const Problem &problem,
                  const Arch *target, std::string &why);

/// Turns dimensions that do not merge with others of their kind into batches.
/// Among the `letters` of the loops of A, B and C, whose columns are innermost
/// in C, those of `kBatchLetters` then each stand for one dimension, as m and n
/// do. Returns the reason if that is not possible, else an empty string.
std::string nameBatches(llvm::ArrayRef<Access> operands,
                        llvm::ArrayRef<int64_t> extents, std::string &letters);
/// The loop along which the elements of a tensor or memref are adjacent: that
/// of its last dimension of several elements, unless a memref's strides differ.
/// Nothing for a scalar.
std::optional<unsigned> innermostLoop(const Access &access,
                                      llvm::StringRef letters);

/// The way to read one operand: directly, or copied to the order of another
/// access to the same elements.
struct Reading {
  Access access;
  std::optional<Access> order;
};
/// Reads `op` as a matmul of these A, B and C; `why` gets the reason if that is
/// not possible.
mlir::FailureOr<Contraction> read(mlir::linalg::LinalgOp op,
                                  const std::array<Reading, 3> &choices,
                                  std::string &why);
/// Bits of both factors in the narrowest types that `op` can be read with;
/// nothing if it has none.
std::optional<unsigned> factorBits(mlir::linalg::LinalgOp op);
/// Reads `op` as a matmul. With `mayConvert`, B may be narrower than A; with
/// `mayCopy`, a factor is copied where a GPU then needs clearly less time. If
/// Hone does not support the matmul, `why` gets the reason.
mlir::FailureOr<Contraction> analyze(mlir::linalg::LinalgOp op, bool mayConvert,
                                     bool mayCopy, std::string &why);

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// The reason for a copy that saves time.
constexpr llvm::StringRef kManyBatches =
    "its rows or columns would be batches, which take longer than a copy";
/// More batches become a loop on the host.
constexpr size_t kKernelBatches = 2;

/// True if rows or columns are batches, which read a factor again, or if the
/// host loops around the launch.
bool repeatsFactors(const Contraction &contraction);
/// An estimate of the microseconds of a matmul on a GPU, with the copies of its
/// factors; nothing if an extent is unknown.
std::optional<double> costOf(const Contraction &contraction);
/// The same of `op`, if rows or columns of its result would be batches.
std::optional<double> costInPlace(mlir::linalg::LinalgOp op);
/// The same of an op and the transpose of its result.
std::optional<double> costOf(const Regrouped &regrouped);
/// True if a copy that saves time between these costs is worthwhile.
inline bool isClearlyLess(std::optional<double> cost,
                          std::optional<double> than) {
  return cost && than && *cost < 0.7 * *than;
}

} // namespace hone::match

#endif // HONE_PASSES_MATCH_MATCHCONTRACTION_H
