//===- Epilogue.cpp - What an epilogue may hold, and its text -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of ops that every lowering knows, and the text that names an
// epilogue in a Problem. The text lists the steps that lead to the stored
// element; a step is referred to by its number, the sum by `acc`, an epilogue
// operand by its dimensions and type:
//
//   addf(acc, n:f32) | maximumf($0, 0:f32)
//
// It depends neither on SSA names nor on the order or repetition of ops in the
// region, and the conversion to C's element type at the end is left out,
// because the Problem says it. So one computation has one text, and two have
// two.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static bool isEpilogueType(Type type) {
  return toElementType(type) || type.isInteger(1);
}

static bool hasKnownName(Operation *op) {
  return isa<arith::AddFOp, arith::CmpFOp, arith::ConstantOp, arith::DivFOp,
             arith::ExtFOp, arith::MaxNumFOp, arith::MaximumFOp,
             arith::MinNumFOp, arith::MinimumFOp, arith::MulFOp, arith::NegFOp,
             arith::SelectOp, arith::SubFOp, arith::TruncFOp>(op) ||
         isa<math::AbsFOp, math::CopySignOp, math::ErfOp, math::Exp2Op,
             math::ExpOp, math::FmaOp, math::Log2Op, math::LogOp, math::RsqrtOp,
             math::SqrtOp, math::TanhOp>(op);
}

bool hone::isEpilogueOp(Operation *op, std::string *why) {
  auto refuse = [&](const Twine &reason) {
    if (why)
      *why = reason.str();
    return false;
  };
  if (!hasKnownName(op))
    return refuse("no lowering for '" + op->getName().getStringRef() +
                  "' in an epilogue");
  auto types =
      llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes());
  // An op on tensors is known by their elements, so that it can be told whether
  // it may become one on scalars. A region holds none: its arguments are
  // scalars, and so are its constants.
  bool isConstant = isa<arith::ConstantOp>(op);
  for (Type type : types)
    if (!isEpilogueType(isConstant ? type : getElementTypeOrSelf(type))) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return refuse("type '" + Twine(text) + "' of '" +
                    op->getName().getStringRef() +
                    "' is none of f16, bf16, f32, i1");
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
class EpilogueText {
public:
  explicit EpilogueText(MatmulOp op) : op(op) {}

  std::string render() {
    Block &block = op.getEpilogue().front();
    Value result = cast<YieldOp>(block.getTerminator()).getValue();
    // Rounding to C's element type is what storing the sum means anyway.
    auto truncation = result.getDefiningOp<arith::TruncFOp>();
    if (truncation && !truncation.getRoundingmodeAttr())
      result = truncation.getIn();
    std::string last = nameOf(result);
    if (steps.empty())
      return last == "acc" ? "" : last;
    // The result is the last step, unless the text says another.
    std::string text = llvm::join(steps, " | ");
    if (last != "$" + std::to_string(steps.size() - 1))
      text += " | " + last;
    return text;
  }

private:
  /// How a step refers to `last`; renders the steps that lead to it, each when
  /// its operands have names. On a stack of its own: an epilogue may be as long
  /// as somebody likes. A value that needs itself, which is found later, has no
  /// name.
  std::string nameOf(Value last) {
    SmallVector<Value> open = {last};
    DenseSet<Value> begun;
    while (!open.empty()) {
      Value value = open.back();
      bool isNew = !names.contains(value) && begun.insert(value).second;
      Operation *step = isStep(value) ? value.getDefiningOp() : nullptr;
      if (isNew && step) {
        for (Value operand : llvm::reverse(step->getOperands()))
          if (!names.contains(operand) && !begun.contains(operand))
            open.push_back(operand);
        continue;
      }
      open.pop_back();
      if (!names.contains(value))
        names[value] = step ? addStep(step) : nameOfLeaf(value);
    }
    return names.lookup(last);
  }

  static bool isStep(Value value) {
    return !isa<BlockArgument>(value) &&
           !value.getDefiningOp<arith::ConstantOp>();
  }

  std::string nameOfLeaf(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return nameOfArgument(argument.getArgNumber());
    return nameOfConstant(value.getDefiningOp<arith::ConstantOp>().getValue());
  }

  /// `acc`, or `n:f32`, or `n:f32@2` for the second operand of that kind.
  std::string nameOfArgument(unsigned number) {
    if (number == 0)
      return "acc";
    std::string name = kindOfOperand(number - 1);
    unsigned same = 1;
    for (unsigned other = 0; other + 1 < number; ++other)
      same += kindOfOperand(other) == name;
    return same == 1 ? name : name + "@" + std::to_string(same);
  }

  /// Batches count together, as they do in the Problem.
  std::string kindOfOperand(unsigned index) {
    std::string dims;
    for (char letter : op.getDimsOf(index)) {
      bool isBatch = kBatchLetters.contains(letter);
      if (!isBatch || !StringRef(dims).contains('b'))
        dims += isBatch ? 'b' : letter;
    }
    Type type = getElementTypeOrSelf(op.getEpilogueOperands()[index]);
    return (dims.empty() ? "scalar" : dims) + ":" + print(type);
  }

  static std::string nameOfConstant(TypedAttr value) {
    auto real = dyn_cast<FloatAttr>(value);
    if (!real)
      return value == BoolAttr::get(value.getContext(), true) ? "true"
                                                              : "false";
    APFloat number = real.getValue();
    SmallString<16> text;
    if (number.isFinite())
      number.toString(text); // shortest that reads back as the same number
    else
      text = "0x" + llvm::toString(number.bitcastToAPInt(), 16, false);
    return (text + ":" + print(real.getType())).str();
  }

  /// Adds the step that computes `step`, or finds the same one.
  std::string addStep(Operation *step) {
    SmallVector<std::string> operands;
    for (Value operand : step->getOperands())
      operands.push_back(names.lookup(operand));
    std::string text = step->getName().stripDialect().str() +
                       attributesOf(step) + "(" + llvm::join(operands, ", ") +
                       ")";
    if (isa<arith::ExtFOp, arith::TruncFOp>(step))
      text += ":" + print(step->getResult(0).getType());
    auto [entry, isNew] = numbers.try_emplace(text, steps.size());
    if (isNew)
      steps.push_back(text);
    return "$" + std::to_string(entry->second);
  }

  /// What changes the meaning of an op besides its operands, in angle brackets.
  static std::string attributesOf(Operation *step) {
    SmallVector<std::string> parts;
    if (auto compare = dyn_cast<arith::CmpFOp>(step))
      parts.push_back(
          arith::stringifyCmpFPredicate(compare.getPredicate()).str());
    if (auto truncation = dyn_cast<arith::TruncFOp>(step))
      if (auto mode = truncation.getRoundingmode())
        parts.push_back(arith::stringifyRoundingMode(*mode).str());
    if (auto fast = dyn_cast<arith::ArithFastMathInterface>(step))
      if (auto flags = fast.getFastMathFlagsAttr();
          flags && flags.getValue() != arith::FastMathFlags::none)
        parts.push_back(arith::stringifyFastMathFlags(flags.getValue()));
    return parts.empty() ? "" : "<" + llvm::join(parts, " ") + ">";
  }

  template <typename T>
  static std::string print(const T &value) {
    std::string text;
    llvm::raw_string_ostream(text) << value;
    return text;
  }

  MatmulOp op;
  SmallVector<std::string> steps;
  llvm::StringMap<size_t> numbers;
  DenseMap<Value, std::string> names;
};
} // namespace

std::string MatmulOp::getEpilogueText() {
  constexpr size_t kLongest = 300;
  if (!hasEpilogue())
    return "";
  std::string text = EpilogueText(*this).render();
  if (text.size() <= kLongest)
    return text;
  std::string hash =
      llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true);
  return text.substr(0, kLongest) + " ... #" + hash;
}
