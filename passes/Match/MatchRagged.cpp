//===- MatchRagged.cpp - Products of ragged rows of other dialects --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `chlo.ragged_dot` becomes a `hone.matmul` of ragged rows. Hone does not load
// CHLO: the op is unregistered, in its generic form, and its dimensions are
// read from the text of an attribute:
//
//   #chlo.ragged_dot<lhs_batching_dimensions = [], ..., lhs_ragged_dimensions =
//   [0], rhs_group_dimensions = [0]>
//
// It has the sizes of groups; their ends are sums of these.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Match/Match.h"
#include "passes/Support.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

static constexpr StringLiteral kRaggedDot = "chlo.ragged_dot";

namespace {
/// The dimensions of the two factors, by role.
struct RaggedDims {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsSum, rhsSum, ragged, group;
};
} // namespace

/// Reads "[0, 1]" after "`name` = ".
static std::optional<SmallVector<int64_t>> readList(StringRef text,
                                                    StringRef name) {
  size_t at = text.find(name);
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef rest = text.drop_front(at + name.size()).ltrim();
  if (!rest.consume_front("="))
    return std::nullopt;
  rest = rest.ltrim();
  size_t end = rest.find(']');
  if (!rest.consume_front("[") || end == StringRef::npos)
    return std::nullopt;
  SmallVector<int64_t> numbers;
  for (StringRef each : llvm::split(rest.take_front(end - 1), ',')) {
    each = each.trim();
    if (each.empty())
      continue;
    if (each.getAsInteger(10, numbers.emplace_back()))
      return std::nullopt;
  }
  return numbers;
}

/// The attribute `name` of an unregistered op.
static Attribute attributeOf(Operation *op, StringRef name) {
  if (Attribute attribute = op->getAttr(name))
    return attribute;
  auto properties =
      dyn_cast_if_present<DictionaryAttr>(op->getPropertiesAsAttribute());
  return properties ? properties.get(name) : Attribute();
}

static std::optional<RaggedDims> readDims(Operation *op) {
  Attribute attribute = attributeOf(op, "ragged_dot_dimension_numbers");
  if (!attribute)
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  RaggedDims dims;
  for (auto [name, list] :
       {std::pair("lhs_batching_dimensions", &dims.lhsBatch),
        {"rhs_batching_dimensions", &dims.rhsBatch},
        {"lhs_contracting_dimensions", &dims.lhsSum},
        {"rhs_contracting_dimensions", &dims.rhsSum},
        {"lhs_ragged_dimensions", &dims.ragged},
        {"rhs_group_dimensions", &dims.group}}) {
    auto read = readList(text, name);
    if (!read)
      return std::nullopt;
    *list = *read;
  }
  return dims;
}

namespace {
/// Writes the matmul of one op.
class RaggedDot {
public:
  RaggedDot(IRRewriter &rewriter, Operation *op)
      : rewriter(rewriter), op(op), loc(op->getLoc()) {}

  /// Reads the op; false, with the reason, if no matmul is the same.
  bool read(std::string &why);
  MatmulOp write(Products ofF32, const Numbers &numbers);

private:
  bool readLetters(std::string &why);
  Value endsOfGroups();
  Value sumsOfSizes();

  IRRewriter &rewriter;
  Operation *op;
  Location loc;
  RaggedDims dims;
  std::string lettersA = "..", lettersB = "...", lettersC = "mn";
};
} // namespace

bool RaggedDot::read(std::string &why) {
  bool areTensors =
      op->getNumOperands() == 3 && op->getNumResults() == 1 &&
      llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) &&
      isa<RankedTensorType>(op->getResult(0).getType());
  why = "it does not have three ranked tensors and one result";
  if (!areTensors)
    return false;
  std::optional<RaggedDims> found = readDims(op);
  why = "its ragged_dot_dimension_numbers are not those of CHLO";
  if (!found)
    return false;
  dims = *found;
  auto elementOf = [&](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  std::optional<ElementType> a = toFactorType(elementOf(op->getOperand(0))),
                             b = toFactorType(elementOf(op->getOperand(1))),
                             c = toElementType(elementOf(op->getResult(0)));
  why = "its elements are not floats of one type";
  if (!a || !b || !c || *a != *b || isInteger(*a) || isInteger(*c))
    return false;
  why = "the sizes of its groups are not i32 or i64 in one dimension";
  auto sizes = cast<RankedTensorType>(op->getOperand(2).getType());
  if (sizes.getRank() != 1 || !(sizes.getElementType().isSignlessInteger(32) ||
                                sizes.getElementType().isSignlessInteger(64)))
    return false;
  return readLetters(why);
}

bool RaggedDot::readLetters(std::string &why) {
  why = "it has batches; use a product for each";
  if (!dims.lhsBatch.empty() || !dims.rhsBatch.empty())
    return false;
  bool isSum = dims.ragged == dims.lhsSum;
  if (isSum)
    lettersB = "..", lettersC = "bmn";
  why = "its ragged dimension is not that of the rows of A, or of the sum";
  if (dims.group.size() != !isSum || dims.ragged.size() != 1)
    return false;
  why = "its A is not of two dimensions, its B of three, or of two for a "
        "ragged sum, with one sum";
  auto rankOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank();
  };
  if (rankOf(op->getOperand(0)) != 2 ||
      rankOf(op->getOperand(1)) != int64_t(lettersB.size()) ||
      dims.lhsSum.size() != 1 || dims.rhsSum.size() != 1)
    return false;
  auto put = [](std::string &letters, int64_t dim, char letter) {
    bool isFree =
        dim >= 0 && dim < int64_t(letters.size()) && letters[dim] == '.';
    if (isFree)
      letters[dim] = letter;
    return isFree;
  };
  if (!put(lettersA, dims.lhsSum[0], 'k') ||
      !put(lettersA, lettersA.find('.'), 'm') ||
      (!isSum && (int64_t(lettersA.find('m')) != dims.ragged[0] ||
                  !put(lettersB, dims.group[0], kBatchLetters[0]))) ||
      !put(lettersB, dims.rhsSum[0], 'k'))
    return false;
  return put(lettersB, lettersB.find('.'), 'n');
}

/// For each group the sum of the sizes up to its own, in i64.
Value RaggedDot::sumsOfSizes() {
  using utils::IteratorType;
  Value sizes = op->getOperand(2);
  Type i64 = rewriter.getI64Type();
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, sizes), i64);
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getI64IntegerAttr(0));
  Value start = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  auto mapOf = [&](unsigned dim) {
    return AffineMap::get(2, 0, rewriter.getAffineDimExpr(dim));
  };
  auto sums = linalg::GenericOp::create(
      rewriter, loc, start.getType(), sizes, start,
      ArrayRef<AffineMap>{mapOf(1), mapOf(0)},
      ArrayRef<IteratorType>{IteratorType::parallel, IteratorType::reduction},
      [&](OpBuilder &b, Location, ValueRange values) {
        Value group = linalg::IndexOp::create(b, loc, 0);
        Value other = linalg::IndexOp::create(b, loc, 1);
        Value size = values[0];
        if (size.getType() != i64)
          size = arith::ExtSIOp::create(b, loc, i64, size);
        Value counts = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule,
                                             other, group);
        Value none = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
        Value part = arith::SelectOp::create(b, loc, counts, size, none);
        Value sum = arith::AddIOp::create(b, loc, values[1], part);
        linalg::YieldOp::create(b, loc, sum);
      });
  return sums.getResult(0);
}

/// The same in i32, where no sum changes its sign.
Value RaggedDot::endsOfGroups() {
  Value sums = sumsOfSizes();
  Type i32 = rewriter.getI32Type();
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, sums), i32);
  AffineMap map = rewriter.getMultiDimIdentityMap(1);
  auto ends = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), sums, empty,
      ArrayRef<AffineMap>{map, map},
      ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
      [&](OpBuilder &b, Location, ValueRange values) {
        auto constant = [&](int64_t number) -> Value {
          return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(number));
        };
        Value end = arith::MaxSIOp::create(b, loc, values[0], constant(0));
        end = arith::MinSIOp::create(b, loc, end, constant(INT32_MAX));
        end = arith::TruncIOp::create(b, loc, i32, end);
        linalg::YieldOp::create(b, loc, end);
      });
  return ends.getResult(0);
}

MatmulOp RaggedDot::write(Products ofF32, const Numbers &numbers) {
  rewriter.setInsertionPoint(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value a = op->getOperand(0), b = op->getOperand(1), ends = endsOfGroups();
  SmallVector<OpFoldResult> sizes = {
      tensor::getMixedSize(rewriter, loc, a, lettersA.find('m')),
      tensor::getMixedSize(rewriter, loc, b, lettersB.find('n'))};
  if (lettersC.size() > sizes.size())
    sizes.insert(sizes.begin(), tensor::getMixedSize(rewriter, loc, ends, 0));
  Value c =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  Type element = getElementTypeOrSelf(a.getType());
  MLIRContext *context = rewriter.getContext();
  bool isExact = !element.isF32() || ofF32 == Products::exact;
  auto matmul = MatmulOp::create(
      rewriter, loc, TypeRange{c.getType()}, a, b, c, ValueRange{ends},
      Order::row, Order::row, Init::zero, accumulatorOf(element),
      isExact ? ProductsAttr() : ProductsAttr::get(context, ofF32),
      numbers.isDefault() ? NumbersAttr() : NumbersAttr::get(context, numbers),
      rewriter.getArrayAttr({}), ArchAttr(), ScheduleAttr(), RangesAttr(),
      DimsAttr(), DimsAttr(), DimsAttr(), WindowAttr(), /*ragged=*/true,
      /*gather=*/false);
  matmul.setLetters(lettersA, lettersB, lettersC);
  Value result = matmul->getResult(0);
  if (result.getType() != type)
    result = tensor::CastOp::create(rewriter, loc, type, result);
  rewriter.replaceOp(op, result);
  return matmul;
}

/// Reads A and B of a product of ragged rows from before transposes, which only
/// give their dimensions another order.
static void foldTransposes(MatmulOp op) {
  if (!op.hasTensors() || op.getScheduleAttr())
    return;
  std::string letters[] = {op.getLettersA(), op.getLettersB()};
  // Gathered rows are lines of A.
  for (unsigned i = op.getGather(); i < std::size(letters); ++i)
    while (auto transpose =
               op->getOperand(i).getDefiningOp<linalg::TransposeOp>()) {
      std::string before = letters[i];
      for (auto [dim, from] : llvm::enumerate(transpose.getPermutation()))
        before[from] = letters[i][dim];
      letters[i] = before;
      op->setOperand(i, transpose.getInput());
      if (transpose->use_empty())
        transpose->erase();
    }
  op.setLetters(letters[0], letters[1], op.getLettersC());
}

bool match::matchRaggedDots(Operation *root, Products ofF32,
                            const Numbers &numbers) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (op->getName().getStringRef() == kRaggedDot)
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  bool hasChanged = false;
  for (Operation *op : ops) {
    std::string why;
    RaggedDot dot(rewriter, op);
    if (!dot.read(why)) {
      remarkMissed(op, "left-alone", "left to other passes: " + why);
      continue;
    }
    MatmulOp matmul = dot.write(ofF32, numbers);
    remarkPassed(matmul, "matched", matmul.getProblem().str());
    hasChanged = true;
  }
  root->walk([&](MatmulOp op) {
    if (op.getRagged())
      foldTransposes(op), hasChanged = true;
  });
  return hasChanged;
}
