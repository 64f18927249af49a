//===- LowerKernelEpilogue.cpp - Ops on accumulators ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers `kernel.epilogue`, element by element. Loads outside of C cost no
// branch: those of vectors have a predicate, and others clamp their
// coordinates.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "passes/Lower/ElementPlaces.h"
#include "passes/Lower/EpilogueGate.h"
#include "passes/Lower/EpilogueMath.h"
#include "passes/Lower/LowerKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace {

//===----------------------------------------------------------------------===//
// The region
//===----------------------------------------------------------------------===//

/// The ops of a region that its result needs for each element. Conversions of
/// the accumulators and at the end are separate, because one instruction
/// converts two elements. If it converted one accumulator, ptxas would move it
/// before the wait for the products, and serialize these.
class RegionRecipe {
public:
  explicit RegionRecipe(Block &body) : body(body) {
    auto yield = cast<YieldOp>(body.getTerminator());
    last = yield.getValue().getDefiningOp<arith::TruncFOp>();
    if (last && !(last->getBlock() == &body && last->hasOneUse() &&
                  convertsInPairs(last)))
      last = nullptr;
    result = last ? last.getIn() : yield.getValue();
    for (Operation *user : body.getArgument(0).getUsers())
      if (auto op = dyn_cast<arith::TruncFOp>(user);
          op && op != last && op->getBlock() == &body && convertsInPairs(op))
        first = op.getOut();
    SmallVector<Value> wanted = {result};
    while (!wanted.empty()) {
      Operation *op = wanted.pop_back_val().getDefiningOp();
      // A constant may have been moved out of the region.
      if (!op || op->getBlock() != &body || !needed.insert(op).second)
        continue;
      std::optional<EpilogueGate> gate = EpilogueGate::match(op);
      if (!gate) {
        llvm::append_range(wanted, op->getOperands());
        continue;
      }
      wanted.push_back(gate->argument);
      if (gate->factor)
        wanted.push_back(gate->factor);
      gates.try_emplace(op, *gate);
    }
  }

  bool endsInTruncation() const { return bool(last); }
  /// The type that accumulators are converted to, or none.
  Type roundedType() const { return first ? first.getType() : Type(); }

  /// Emits the value of one element; expands math without an instruction.
  /// `rounded` is the converted accumulator, if the region has one.
  Value apply(OpBuilder &builder, ArrayRef<Value> inputs, Value rounded) const {
    IRMapping mapping;
    mapping.map(body.getArguments(), inputs);
    if (rounded)
      mapping.map(first, rounded);
    for (Operation &op : body.without_terminator()) {
      if (!needed.contains(&op) || (rounded && &op == first.getDefiningOp()))
        continue;
      if (auto gate = gates.find(&op); gate != gates.end()) {
        Value factor = gate->second.factor;
        mapping.map(op.getResult(0),
                    gate->second.expand(
                        builder, op.getLoc(),
                        mapping.lookupOrDefault(gate->second.argument),
                        factor ? mapping.lookupOrDefault(factor) : factor));
        continue;
      }
      SmallVector<Value> operands;
      for (Value operand : op.getOperands())
        operands.push_back(mapping.lookupOrDefault(operand));
      if (Value expanded = expandMath(builder, &op, operands))
        mapping.map(op.getResult(0), expanded);
      else
        builder.clone(op, mapping);
    }
    return mapping.lookupOrDefault(result);
  }

private:
  static bool convertsInPairs(arith::TruncFOp op) {
    return op.getIn().getType().isF32() && !op.getRoundingmode() &&
           op.getType().getIntOrFloatBitWidth() == 16;
  }

  Block &body;
  Value first;
  arith::TruncFOp last;
  Value result;
  llvm::DenseSet<Operation *> needed;
  llvm::DenseMap<Operation *, EpilogueGate> gates;
};

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// One thread's elements of a vector along the rows or the columns of C. Each
/// address is that of the first element plus a constant. A clamped coordinate
/// would take registers for the address of each element, so that four vectors
/// spill.
class VectorElements {
public:
  VectorElements(KernelEmitter &emit, Type element, Value pointer,
                 IndexValue stride, IndexValue first, IndexValue last)
      : emit(&emit), element(element), stride(stride), first(first),
        last(last) {
    Type i64 = emit.builder.getI64Type();
    start = emit.element(pointer, first.to(i64) * stride, element);
  }

  /// The element `distance` after the first one; zero outside of C. The text
  /// is not moved before the wait for the previous kernel, which may write it.
  Value at(int64_t distance) {
    Value &value = loaded[distance];
    if (value)
      return value;
    OpBuilder &b = emit->builder;
    Value address = emit->element(start, stride * distance, element);
    bool isWord = element.getIntOrFloatBitWidth() == 32;
    std::string bits = isWord ? "b32" : "b16";
    std::string text = "{\n.reg .pred inside;\nsetp.le.u32 inside, $2, $3;\n"
                       "mov." +
                       bits + " $0, 0;\n@inside ld.global." + bits +
                       " $0, [$1];\n}";
    Value word =
        emit->assembly(b.getIntegerType(element.getIntOrFloatBitWidth()),
                       {address, first + distance, last}, text,
                       isWord ? "=r,l,r,r" : "=h,l,r,r");
    return value = LLVM::BitcastOp::create(b, emit->loc, element, word);
  }

private:
  KernelEmitter *emit;
  Type element;
  IndexValue stride, first, last;
  Value start;
  llvm::DenseMap<int64_t, Value> loaded;
};

//===----------------------------------------------------------------------===//
// kernel.epilogue
//===----------------------------------------------------------------------===//

struct LowerEpilogue {
  static Value lower(EpilogueOp op, EpilogueOp::Adaptor adaptor,
                     KernelLowering &emit) {
    AccType type = op.getAcc().getType();
    ElementPlaces places(emit, op, type, adaptor.getOrigin()[0],
                         adaptor.getOrigin()[1]);
    IndexValue lastRow = emit.index(adaptor.getExtents()[0]) + int64_t(-1);
    IndexValue lastCol = emit.index(adaptor.getExtents()[1]) + int64_t(-1);

    RegionRecipe recipe(op.getBody().front());
    SmallVector<std::optional<VectorElements>> vectors =
        vectorsOf(emit, op, adaptor, places, lastRow, lastCol);
    SmallVector<Value> elements, rounded;
    if (Type narrow = recipe.roundedType()) {
      for (int64_t i = 0; i < type.getElements(); ++i)
        rounded.push_back(emit.field(adaptor.getAcc(), i));
      roundPairs(emit, narrow, rounded);
    }
    for (int64_t i = 0; i < type.getElements(); ++i) {
      SmallVector<Value> inputs{emit.field(adaptor.getAcc(), i)};
      for (auto [input, value, vector] :
           llvm::zip(op.getInputs(), adaptor.getInputs(), vectors))
        if (vector)
          inputs.push_back(
              vector->at(cast<OperandType>(input.getType()).getDims() == "m"
                             ? places.fromFirst(i)->first
                             : places.fromFirst(i)->second));
        else if (auto operand = dyn_cast<OperandType>(input.getType()))
          inputs.push_back(load(emit, operand, value,
                                places.row(i).min(lastRow),
                                places.col(i).min(lastCol)));
        else
          inputs.push_back(emit.field(value, i));
      elements.push_back(recipe.apply(emit.builder, inputs,
                                      rounded.empty() ? Value() : rounded[i]));
    }
    if (recipe.endsInTruncation())
      truncatePairs(emit, op.getResult().getType().getElement(), elements);
    return emit.packAs(op.getResult().getType(), elements);
  }

private:
  /// A vector for each input that is one; nothing for the others.
  static SmallVector<std::optional<VectorElements>>
  vectorsOf(KernelEmitter &emit, EpilogueOp op, EpilogueOp::Adaptor adaptor,
            const ElementPlaces &places, IndexValue lastRow,
            IndexValue lastCol) {
    SmallVector<std::optional<VectorElements>> vectors;
    for (auto [input, value] : llvm::zip(op.getInputs(), adaptor.getInputs())) {
      vectors.emplace_back();
      auto operand = dyn_cast<OperandType>(input.getType());
      if (!operand || !places.fromFirst(0))
        continue;
      bool isAlongRows = operand.getDims() == "m";
      int64_t bits = operand.getElement().getIntOrFloatBitWidth();
      if ((isAlongRows || operand.getDims() == "n") &&
          (bits == 16 || bits == 32))
        vectors.back().emplace(
            emit, operand.getElement(), emit.field(value, 0),
            emit.index(emit.field(value, isAlongRows ? 1 : 2)),
            isAlongRows ? places.row(0) : places.col(0),
            isAlongRows ? lastRow : lastCol);
    }
    return vectors;
  }

  /// The operand's element for (row, col). The load is not `invariant`,
  /// although this kernel never writes the operand: the previous kernel may
  /// write it and may still run, because this one waits for it only after its
  /// start.
  static Value load(KernelEmitter &emit, OperandType type, Value operand,
                    IndexValue row, IndexValue col) {
    OpBuilder &b = emit.builder;
    Type i64 = b.getI64Type();
    IndexValue element = emit.i64(0);
    if (type.getDims().contains('m'))
      element = row.to(i64) * emit.index(emit.field(operand, 1));
    if (type.getDims().contains('n'))
      element = element + col.to(i64) * emit.index(emit.field(operand, 2));
    Value address =
        emit.element(emit.field(operand, 0), element, type.getElement());
    return LLVM::LoadOp::create(b, emit.loc, type.getElement(), address);
  }

  /// Replaces each two elements by the halves of the vector of `convert`.
  static void convertPairs(KernelEmitter &emit, MutableArrayRef<Value> elements,
                           llvm::function_ref<Value(Value, Value)> convert) {
    for (size_t i = 0; i + 1 < elements.size(); i += 2) {
      Value both = convert(elements[i], elements[i + 1]);
      for (size_t j = 0; j < 2; ++j)
        elements[i + j] = LLVM::ExtractElementOp::create(emit.builder, emit.loc,
                                                         both, emit.i32(j));
    }
  }

  /// As `truncatePairs`. LLVM would split an op on vectors whose halves are
  /// read as scalars.
  static void roundPairs(KernelEmitter &emit, Type element,
                         MutableArrayRef<Value> elements) {
    OpBuilder &b = emit.builder;
    Type narrow = VectorType::get(2, element);
    StringAttr name = b.getStringAttr(
        element.isF16() ? "llvm.nvvm.ff2f16x2.rn" : "llvm.nvvm.ff2bf16x2.rn");
    convertPairs(emit, elements, [&](Value low, Value high) {
      return LLVM::CallIntrinsicOp::create(b, emit.loc, narrow, name,
                                           ValueRange{high, low})
          .getResult(0);
    });
  }

  static void truncatePairs(KernelEmitter &emit, Type element,
                            MutableArrayRef<Value> elements) {
    OpBuilder &b = emit.builder;
    Type wide = VectorType::get(2, b.getF32Type());
    Type narrow = VectorType::get(2, element);
    convertPairs(emit, elements, [&](Value low, Value high) -> Value {
      Value both = LLVM::PoisonOp::create(b, emit.loc, wide);
      both = LLVM::InsertElementOp::create(b, emit.loc, both, low, emit.i32(0));
      both =
          LLVM::InsertElementOp::create(b, emit.loc, both, high, emit.i32(1));
      return LLVM::FPTruncOp::create(b, emit.loc, narrow, both);
    });
  }
};

} // namespace

void hone::populateEpiloguePatterns(const TypeConverter &types,
                                    RewritePatternSet &patterns) {
  addLowerings<LowerEpilogue::lower>(types, patterns);
}
