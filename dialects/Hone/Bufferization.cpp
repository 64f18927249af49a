//===- Bufferization.cpp - Tensors to memrefs -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of one-shot bufferization for `hone.matmul`. A matmul on
// tensors may get buffers of any layout, while one on memrefs must have
// provably contiguous rows (or columns). For other buffers, the op works on a
// copy.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace hone;

bool MatmulOp::bufferizesToMemoryRead(OpOperand &operand,
                                      const AnalysisState &) {
  return !isDpsInit(&operand) || getInit() == Init::read;
}

bool MatmulOp::bufferizesToMemoryWrite(OpOperand &operand,
                                       const AnalysisState &) {
  return isDpsInit(&operand);
}

AliasingValueList MatmulOp::getAliasingValues(OpOperand &operand,
                                              const AnalysisState &) {
  if (isDpsInit(&operand))
    return {{getTiedOpResult(&operand), BufferRelation::Equivalent}};
  return {};
}

/// A new buffer of the identity layout with the extents of `buffer`.
static FailureOr<Value> allocateLike(RewriterBase &rewriter, Location loc,
                                     Value buffer,
                                     const BufferizationOptions &options) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> extents;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      extents.push_back(
          memref::DimOp::create(rewriter, loc, buffer, dim).getResult());
  auto contiguous =
      MemRefType::get(type.getShape(), type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  return options.createAlloc(rewriter, loc, contiguous, extents);
}

namespace {
/// The buffers of one op, and the copies that their layouts require.
class Buffers {
public:
  Buffers(RewriterBase &rewriter, MatmulOp op,
          const BufferizationOptions &options, const BufferizationState &state)
      : rewriter(rewriter), op(op), options(options), state(state) {}

  FailureOr<Value> get(Value tensor) {
    return getBuffer(rewriter, tensor, options, state);
  }

  /// The buffer of A or B with its dimensions in memory order, or a copy with
  /// contiguous rows.
  FailureOr<Value> getInput(Value tensor, StringRef letters) {
    FailureOr<Value> buffer = get(tensor);
    if (failed(buffer))
      return failure();
    if ((op.getWindowAttr() || op.getGather()) && tensor == op.getA() &&
        letters == "mk")
      return hasContiguousRows(cast<MemRefType>(buffer->getType()))
                 ? buffer
                 : copyOf(*buffer, /*read=*/true);
    std::string ordered = batchesFirst(letters);
    Value view = reorder(*buffer, letters, ordered);
    if (layoutOf(cast<MemRefType>(view.getType()), ordered))
      return view;
    return copyOf(view, /*read=*/true);
  }

  /// The buffer of ends or indices of rows, or a copy without gaps.
  FailureOr<Value> getVector(Value tensor) {
    FailureOr<Value> buffer = get(tensor);
    if (failed(buffer) ||
        hasContiguousRows(cast<MemRefType>(buffer->getType())))
      return buffer;
    return copyOf(*buffer, /*read=*/true);
  }

  /// `destination` with its dimensions in memory order.
  Value orderResult(Value destination) {
    return reorder(destination, op.getLettersC(),
                   (op.getBatches() + "mn").str());
  }

  /// `destination`, or another buffer with contiguous rows to write instead.
  FailureOr<Value> getResult(Value destination) {
    if (hasContiguousRows(cast<MemRefType>(destination.getType())))
      return destination;
    return copyOf(destination, op.getInit() == Init::read);
  }

private:
  /// A view of `buffer` with dimensions `from` in the order `to`.
  Value reorder(Value buffer, StringRef from, StringRef to) {
    if (from == to)
      return buffer;
    auto order = llvm::map_to_vector(
        to, [&](char letter) -> int64_t { return from.find(letter); });
    auto map = AffineMap::getPermutationMap(order, rewriter.getContext());
    return memref::TransposeOp::create(rewriter, op.getLoc(), buffer,
                                       AffineMapAttr::get(map));
  }

  static std::string print(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }

  static bool hasContiguousRows(MemRefType type) {
    auto [strides, offset] = type.getStridesAndOffset();
    return strides.back() == 1 || type.getShape().back() == 1;
  }

  FailureOr<Value> copyOf(Value buffer, bool read) {
    remark::missed(op.getLoc(),
                   remark::RemarkOpts::name("copied").category("hone"))
        << "works on a copy: " + print(buffer.getType()) +
               " does not prove that rows are contiguous; use identity layouts "
               "at function boundaries";
    FailureOr<Value> copy =
        allocateLike(rewriter, op.getLoc(), buffer, options);
    if (succeeded(copy) && read &&
        failed(options.createMemCpy(rewriter, op.getLoc(), buffer, *copy)))
      return failure();
    return copy;
  }

  RewriterBase &rewriter;
  MatmulOp op;
  const BufferizationOptions &options;
  const BufferizationState &state;
};
} // namespace

LogicalResult MatmulOp::bufferize(RewriterBase &rewriter,
                                  const BufferizationOptions &options,
                                  BufferizationState &state) {
  if (!hasTensors())
    return success();
  Buffers buffers(rewriter, *this, options, state);
  std::string lettersA = getLettersA(), lettersB = getLettersB();
  FailureOr<Value> a = buffers.getInput(getA(), lettersA);
  FailureOr<Value> b = buffers.getInput(getB(), lettersB);
  FailureOr<Value> destination = buffers.get(getC());
  if (failed(a) || failed(b) || failed(destination))
    return failure();
  Value ordered = buffers.orderResult(*destination);
  FailureOr<Value> c = buffers.getResult(ordered);
  if (failed(c))
    return failure();
  SmallVector<Value> further;
  for (Value operand : getFurther()) {
    FailureOr<Value> buffer = operand == getEnds() || operand == getIndex()
                                  ? buffers.getVector(operand)
                                  : buffers.get(operand);
    if (failed(buffer))
      return failure();
    further.push_back(*buffer);
  }
  auto matmul =
      MatmulOp::create(rewriter, getLoc(), *this, *a, *b, *c, further);
  matmul.setLetters(batchesFirst(lettersA), batchesFirst(lettersB),
                    (getBatches() + "mn").str());
  if (*c != ordered &&
      failed(options.createMemCpy(rewriter, getLoc(), *c, ordered)))
    return failure();
  replaceOpWithBufferizedValues(rewriter, getOperation(), *destination);
  return success();
}
