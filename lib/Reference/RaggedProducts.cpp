//===- RaggedProducts.cpp - Products of ragged rows as loops --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RaggedProducts.h.
//
//===----------------------------------------------------------------------===//

#include "RaggedProducts.h"
#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace hone;

namespace {

class RaggedProduct {
public:
  RaggedProduct(IRRewriter &rewriter, MatmulOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()) {}

  void expand() {
    rewriter.setInsertionPoint(op);
    if (op.getGather())
      gather();
    Value start = startOfSums();
    Value sums = op.getRagged() ? sumsOfGroups(start)
                                : productOf(op.getA(), op.getLettersA(),
                                            op.getB(), op.getLettersB(), start);
    rewriter.replaceOp(op, finished(sums));
  }

private:
  /// Copies the rows of the index, or none where it has no row's number, into a
  /// matrix of zeros, and gives that to the op in place of A.
  void gather() {
    Value a = op.getA(), numbers = op.getIndex(), zero = index(0);
    Type type = op.getA().getType().getElementType();
    Value lines = tensor::DimOp::create(rewriter, loc, a, 0);
    OpFoldResult depth = tensor::getMixedSize(rewriter, loc, a, 1);
    SmallVector<OpFoldResult> sizes = {
        tensor::getMixedSize(rewriter, loc, numbers, 0), depth};
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, type);
    Value none =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
    Value zeros =
        linalg::FillOp::create(rewriter, loc, none, empty).getResult(0);
    auto loop = scf::ForOp::create(
        rewriter, loc, zero, tensor::DimOp::create(rewriter, loc, numbers, 0),
        index(1), zeros);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(loop.getBody());
      Value row = loop.getInductionVar(), rows = loop.getRegionIterArg(0);
      Value number = tensor::ExtractOp::create(rewriter, loc, numbers, row);
      number = arith::IndexCastOp::create(rewriter, loc,
                                          rewriter.getIndexType(), number);
      // Without signs, a negative number is large.
      Value isLine = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::ult, number, lines);
      auto choose = [&](Value yes) -> OpFoldResult {
        return arith::SelectOp::create(rewriter, loc, isLine, yes, zero)
            .getResult();
      };
      OpFoldResult one = rewriter.getIndexAttr(1),
                   start = rewriter.getIndexAttr(0);
      SmallVector<OpFoldResult> size = {choose(index(1)), depth};
      Value line = tensor::ExtractSliceOp::create(
          rewriter, loc, a, ArrayRef{choose(number), start}, size,
          ArrayRef{one, one});
      Value next = tensor::InsertSliceOp::create(
          rewriter, loc, line, rows, ArrayRef<OpFoldResult>{row, start}, size,
          ArrayRef{one, one});
      scf::YieldOp::create(rewriter, loc, next);
    }
    op.getAMutable().assign(loop.getResult(0));
    op->eraseOperand(op->getNumOperands() - 1);
    op.removeGatherAttr();
  }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }

  /// Zero, or the old values of C in the sum's type.
  Value startOfSums() {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, op.getC());
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, op.getAcc());
    if (op.getInit() == Init::zero) {
      Value zero = arith::ConstantOp::create(rewriter, loc,
                                             rewriter.getZeroAttr(op.getAcc()));
      return linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
    }
    if (op.getC().getType().getElementType() == op.getAcc())
      return linalg::CopyOp::create(rewriter, loc, op.getC(), empty)
          .getResult(0);
    return mapped(empty, op.getC(), {}, [&](OpBuilder &b, ValueRange values) {
      return arith::ExtFOp::create(b, loc, op.getAcc(), values[0]).getResult();
    });
  }

  /// A group: its number, and its rows or its part of k, from `start` to `end`.
  struct Group {
    Value number, start, end;
  };
  /// The part of a value that a group has.
  struct Slice {
    SmallVector<OpFoldResult> offsets, sizes, strides;
    SmallVector<int64_t> shape;
  };

  /// That of `value`, whose dimensions are `letters`.
  Slice sliceOf(const Group &group, Value value, StringRef letters) {
    Slice slice;
    slice.sizes = tensor::getMixedSizes(rewriter, loc, value);
    slice.offsets.assign(letters.size(), rewriter.getIndexAttr(0));
    slice.strides.assign(letters.size(), rewriter.getIndexAttr(1));
    slice.shape.assign(cast<RankedTensorType>(value.getType()).getShape());
    for (size_t dim = letters.size(); dim-- > 0;) {
      if (letters[dim] == (op.isRaggedSum() ? 'k' : 'm')) {
        slice.offsets[dim] = group.start;
        slice.sizes[dim] =
            arith::SubIOp::create(rewriter, loc, group.end, group.start)
                .getResult();
        slice.shape[dim] = ShapedType::kDynamic;
      } else if (kBatchLetters.contains(letters[dim])) {
        slice.offsets[dim] = group.number;
        slice.sizes[dim] = rewriter.getIndexAttr(1);
        slice.shape.erase(slice.shape.begin() + dim);
      }
    }
    return slice;
  }

  Value partOf(const Group &group, Value value, StringRef letters) {
    Slice slice = sliceOf(group, value, letters);
    auto type = cast<RankedTensorType>(value.getType()).clone(slice.shape);
    return tensor::ExtractSliceOp::create(
        rewriter, loc, type, value, slice.offsets, slice.sizes, slice.strides);
  }

  Value sumsOfGroups(Value start) {
    Value ends = op.getEnds(), zero = index(0);
    std::string a = op.getLettersA(), b = op.getLettersB(),
                c = op.getLettersC();
    Value rows =
        op.isRaggedSum()
            ? tensor::DimOp::create(rewriter, loc, op.getA(), a.find('k'))
            : tensor::DimOp::create(rewriter, loc, op.getC(), 0);
    Value groups = tensor::DimOp::create(rewriter, loc, ends, 0);
    auto loop = scf::ForOp::create(rewriter, loc, zero, groups, index(1),
                                   ValueRange{zero, start});
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    Value group = loop.getInductionVar(), first = loop.getRegionIterArg(0),
          sums = loop.getRegionIterArg(1);
    Value end = tensor::ExtractOp::create(rewriter, loc, ends, group);
    end =
        arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(), end);
    end = arith::MinSIOp::create(
        rewriter, loc, arith::MaxSIOp::create(rewriter, loc, end, first), rows);
    Group part = {group, first, end};
    Value product =
        productOf(partOf(part, op.getA(), a), a, partOf(part, op.getB(), b), b,
                  partOf(part, sums, c));
    Slice slice = sliceOf(part, sums, c);
    Value all = tensor::InsertSliceOp::create(rewriter, loc, product, sums,
                                              slice.offsets, slice.sizes,
                                              slice.strides);
    scf::YieldOp::create(rewriter, loc, ValueRange{end, all});
    return loop.getResult(1);
  }

  /// The map of an operand with dimensions `letters` in a nest of `loops`.
  AffineMap mapOf(StringRef letters, StringRef loops) {
    SmallVector<AffineExpr> results;
    for (char letter : letters)
      if (size_t at = loops.find(letter); at != StringRef::npos)
        results.push_back(rewriter.getAffineDimExpr(at));
    return AffineMap::get(loops.size(), 0, results, rewriter.getContext());
  }

  Value productOf(Value a, StringRef lettersA, Value b, StringRef lettersB,
                  Value sums) {
    using utils::IteratorType;
    SmallVector<AffineMap> maps = {mapOf(lettersA, "mnk"),
                                   mapOf(lettersB, "mnk"), mapOf("mn", "mnk")};
    SmallVector<IteratorType> loops = {IteratorType::parallel,
                                       IteratorType::parallel,
                                       IteratorType::reduction};
    auto product = linalg::GenericOp::create(
        rewriter, loc, sums.getType(), ValueRange{a, b}, sums, maps, loops,
        [&](OpBuilder &builder, Location, ValueRange values) {
          auto extended = [&](Value value) -> Value {
            if (value.getType() == op.getAcc())
              return value;
            return arith::ExtFOp::create(builder, loc, op.getAcc(), value);
          };
          Value one = arith::MulFOp::create(builder, loc, extended(values[0]),
                                            extended(values[1]));
          Value sum = arith::AddFOp::create(builder, loc, values[2], one);
          linalg::YieldOp::create(builder, loc, sum);
        });
    return product.getResult(0);
  }

  using Body = function_ref<Value(OpBuilder &, ValueRange)>;

  /// `body` of each element of `value` and of the epilogue's `operands`.
  Value mapped(Value to, Value value, ValueRange operands, Body body) {
    SmallVector<Value> inputs = {value};
    llvm::append_range(inputs, operands);
    std::string all = op.getLettersC();
    SmallVector<AffineMap> maps = {mapOf(all, all)};
    for (size_t i = 0; i < operands.size(); ++i)
      maps.push_back(mapOf(op.getDimsOf(i), all));
    maps.push_back(mapOf(all, all));
    SmallVector<utils::IteratorType> loops(all.size(),
                                           utils::IteratorType::parallel);
    auto result = linalg::GenericOp::create(
        rewriter, loc, to.getType(), inputs, to, maps, loops,
        [&](OpBuilder &builder, Location, ValueRange values) {
          linalg::YieldOp::create(builder, loc,
                                  body(builder, values.drop_back()));
        });
    return result.getResult(0);
  }

  /// The result, instead of C.
  Value finished(Value sums) {
    if (!op.hasEpilogue() &&
        op.getC().getType().getElementType() == op.getAcc())
      return linalg::CopyOp::create(rewriter, loc, sums, op.getC())
          .getResult(0);
    return mapped(op.getC(), sums,
                  op.hasEpilogue() ? ValueRange(op.getEpilogueOperands())
                                   : ValueRange(),
                  [&](OpBuilder &builder, ValueRange values) {
                    return elementOf(builder, values);
                  });
  }

  Value elementOf(OpBuilder &builder, ValueRange values) {
    if (!op.hasEpilogue())
      return arith::TruncFOp::create(
          builder, loc, op.getC().getType().getElementType(), values[0]);
    Block &body = op.getEpilogue().front();
    IRMapping mapping;
    mapping.map(body.getArguments(), values);
    for (Operation &inner : body.without_terminator())
      builder.clone(inner, mapping);
    return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
  }

  IRRewriter &rewriter;
  MatmulOp op;
  Location loc;
};

} // namespace

llvm::Error hone::expandRaggedProducts(ModuleOp module) {
  SmallVector<MatmulOp> ops;
  module.walk([&](MatmulOp op) {
    if (op.getRagged() || op.getGather())
      ops.push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (MatmulOp op : ops) {
    if (!op.hasTensors())
      return llvm::createStringError(
          "expected a product of ragged or indexed rows on tensors for a "
          "reference, but got one on memrefs; use tensors");
    if (op.getAcc().isInteger())
      return llvm::createStringError(
          "expected a product of ragged or indexed rows of floats for a "
          "reference, but "
          "got integers; use floats");
    RaggedProduct(rewriter, op).expand();
  }
  return llvm::Error::success();
}
