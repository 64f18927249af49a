//===- Terms.cpp - Terms that a rest kernel computes ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops on terms, and the rules that unify terms written in two ways.
//
//===----------------------------------------------------------------------===//

#include "Terms.h"
#include "Poison.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::simulate::rest;

//===----------------------------------------------------------------------===//
// Names and types
//===----------------------------------------------------------------------===//

Type hone::simulate::rest::canonicalType(Type type) {
  return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type;
}

unsigned hone::simulate::rest::widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

std::string hone::simulate::rest::canonicalName(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return call.getIntrin().str();
  if (isa<LLVM::RintOp>(op))
    return "math.roundeven";
  StringRef name = op->getName().getStringRef();
  const ScalarOp *row = findScalarOpOfIntrinsic(name);
  return row ? row->name.str() : name.str();
}

bool rest::isCommutative(StringRef name) {
  const ScalarOp *row = findScalarOp(name);
  return row && row->is(ScalarOp::commutative);
}

bool rest::isKnownScalar(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !op->getResult(0).getType().isIntOrIndexOrFloat())
    return false;
  // Values are compared as rounded to nearest.
  if (auto cast = dyn_cast<arith::ArithRoundingModeInterface>(op))
    if (cast.getRoundingModeAttr())
      return false;
  if (isa<LLVM::CallIntrinsicOp>(op)) {
    std::string name = canonicalName(op);
    return StringRef(name).starts_with("llvm.") && findScalarOp(name);
  }
  if (isa<LLVM::RintOp>(op) ||
      findScalarOpOfIntrinsic(op->getName().getStringRef()))
    return true;
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
             op->getDialect()) &&
         isMemoryEffectFree(op);
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

TermId Terms::intern(Term term) {
  term.type = canonicalType(term.type);
  Key key{term.kind,
          term.type.getAsOpaquePointer(),
          term.index,
          term.position,
          term.name,
          term.attribute.getAsOpaquePointer(),
          std::vector<TermId>(term.operands.begin(), term.operands.end())};
  auto [found, isNew] = known.try_emplace(std::move(key), terms.size());
  if (isNew)
    terms.push_back(std::move(term));
  return found->second;
}

TermId Terms::number(const Polynomial &value, Type type) {
  if (auto symbol = value.onlySymbol()) {
    auto found = termsOfUnknowns.find(*symbol);
    if (found != termsOfUnknowns.end() &&
        terms[found->second].type == canonicalType(type))
      return found->second;
  }
  Term term{Term::number, type};
  term.position = value;
  return intern(std::move(term));
}

TermId Terms::load(unsigned array, const Polynomial &bytes, Type type) {
  Term term{Term::load, type, array};
  term.position = bytes;
  return intern(std::move(term));
}

TermId Terms::scalar(unsigned index, Type type, Type passed) {
  type = canonicalType(type);
  scalarTypes[index] = type;
  bool isWhole = canonicalType(passed) == type;
  return intern({isWhole ? Term::scalar : Term::word, passed, index});
}

TermId Terms::leaf(Term::Kind kind, unsigned index, Type type) {
  return intern({kind, type, index});
}

std::optional<TermId> Terms::constant(TypedAttr value) {
  Type type = value.getType();
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    APInt bits = integer.getValue();
    return number(bits.getBitWidth() == 1 ? bits.getZExtValue()
                                          : bits.getSExtValue(),
                  type);
  }
  if (!isa<FloatAttr>(value))
    return std::nullopt;
  Term term{Term::constant, type};
  term.attribute = value;
  return intern(std::move(term));
}

//===----------------------------------------------------------------------===//
// Casts and choices
//===----------------------------------------------------------------------===//

std::optional<TermId> Terms::applyCast(Operation *op, TermId operand) {
  Type type = canonicalType(op->getResult(0).getType());
  const Term x = terms[operand];
  if (x.type == type)
    return operand;
  bool isBitcast = isa<arith::BitcastOp>(op);
  if (isBitcast && x.kind == Term::result &&
      isa_and_nonnull<arith::BitcastOp>(x.op) &&
      terms[x.operands[0]].type == type)
    return x.operands[0];
  // A scalar argument is passed as the lower bits of a word.
  if (x.kind == Term::word && (isBitcast || isa<arith::TruncIOp>(op))) {
    Type own = scalarTypes.at(x.index);
    bool isOwn = type == own && (!isBitcast || widthOf(x.type) == widthOf(own));
    if (isOwn || !isBitcast)
      return intern({isOwn ? Term::scalar : Term::word, type, x.index});
  }
  if (isBitcast || x.kind != Term::number)
    return std::nullopt;
  bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
  bool isWider = widthOf(x.type) < widthOf(type);
  bool keeps = isWider ? !isUnsigned || symbols.isNonNegative(x.position)
                       : fits(x.position, type) &&
                             keepsPromises(op, x.position, 0, x.position);
  if (isWider && widthOf(x.type) == 1)
    keeps &= isUnsigned;
  return keeps ? std::optional(number(x.position, type)) : std::nullopt;
}

std::optional<TermId> Terms::applySelect(ArrayRef<TermId> operands) {
  const Term &condition = terms[operands[0]];
  if (condition.kind == Term::number)
    if (auto known = condition.position.constant())
      return operands[*known ? 1 : 2];
  // No 64-bit instruction propagates a NaN. Kernels select between the larger
  // of two numbers and their sum, which is a NaN if one of them is.
  const Term &chosen = terms[operands[1]], &other = terms[operands[2]];
  bool isMax = chosen.name == "arith.maxnumf";
  auto compare = dyn_cast_or_null<arith::CmpFOp>(condition.op);
  if (condition.kind != Term::result || !compare ||
      compare.getPredicate() != arith::CmpFPredicate::ORD ||
      other.name != "arith.addf" || chosen.operands != other.operands ||
      (!isMax && chosen.name != "arith.minnumf"))
    return std::nullopt;
  SmallVector<TermId, 3> compared(condition.operands);
  llvm::sort(compared);
  if (compared != chosen.operands)
    return std::nullopt;
  Term term{Term::result, chosen.type};
  term.name = isMax ? "arith.maximumf" : "arith.minimumf";
  term.operands = chosen.operands;
  return intern(std::move(term));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static bool isCast(Operation *op) {
  return isa<arith::BitcastOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::IndexCastOp, arith::IndexCastUIOp, arith::TruncIOp>(op);
}

/// The attributes in which ops of one name differ, apart from their operands.
static Attribute attributeOf(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return compare.getPredicateAttr();
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return compare.getPredicateAttr();
  if (unsigned promises = promisesOf(op).bits())
    return Builder(op->getContext()).getI32IntegerAttr(promises);
  return nullptr;
}

std::optional<TermId> Terms::apply(Operation *op, ArrayRef<TermId> operands) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return this->constant(constant.getValue());
  if (auto constant = dyn_cast<LLVM::ConstantOp>(op))
    if (auto value = dyn_cast<TypedAttr>(constant.getValue()))
      return this->constant(value);
  if (!isKnownScalar(op))
    return std::nullopt;
  bool isNumbers = llvm::all_of(
      operands, [&](TermId id) { return terms[id].kind == Term::number; });
  std::optional<TermId> simpler;
  if (isCast(op))
    simpler = applyCast(op, operands[0]);
  else if (isa<arith::SelectOp>(op))
    simpler = applySelect(operands);
  else if (isa<arith::CmpIOp>(op) && isNumbers)
    simpler = decide(op, operands[0], operands[1]);
  else if (isNumbers && operands.size() == 2)
    simpler = applyNumbers(op, operands[0], operands[1]);
  if (simpler)
    return simpler;
  Term term{Term::result, op->getResult(0).getType()};
  term.name = canonicalName(op);
  // Casts from and to `index` are casts from and to 64 bits.
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    bool isWider = widthOf(terms[operands[0]].type) < widthOf(term.type);
    term.name = !isWider                      ? "arith.trunci"
                : isa<arith::IndexCastOp>(op) ? "arith.extsi"
                                              : "arith.extui";
  }
  term.attribute = attributeOf(op);
  term.operands.assign(operands.begin(), operands.end());
  if (isCommutative(term.name))
    llvm::sort(term.operands);
  term.op = op;
  return intern(std::move(term));
}

TermId Terms::select(Operation *op, TermId condition, TermId a, TermId b) {
  if (auto simpler = applySelect({condition, a, b}))
    return *simpler;
  Term term{Term::result, terms[a].type};
  term.name = canonicalName(op);
  term.operands = {condition, a, b};
  term.op = op;
  return intern(std::move(term));
}

SmallVector<TermId> Terms::flatten(TermId id, StringRef name) const {
  SmallVector<TermId> leaves, left = {id};
  while (!left.empty() && symbols.spend(1)) {
    TermId next = left.pop_back_val();
    const Term &term = terms[next];
    if (term.kind == Term::result && term.name == name)
      left.append(term.operands.rbegin(), term.operands.rend());
    else
      leaves.push_back(next);
  }
  return leaves;
}

void Terms::leavesOf(TermId id, SmallVectorImpl<TermId> &leaves) const {
  SmallVector<TermId> left = {id};
  std::vector<bool> seen(terms.size());
  while (!left.empty()) {
    TermId next = left.pop_back_val();
    if (seen[next])
      continue;
    seen[next] = true;
    Term::Kind kind = terms[next].kind;
    if (kind == Term::result || kind == Term::started || kind == Term::looped)
      left.append(terms[next].operands.begin(), terms[next].operands.end());
    else
      leaves.push_back(next);
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LoopTerms Terms::openLoop(ArrayRef<TermId> bounds, ArrayRef<TermId> values,
                          unsigned depth) {
  Type type = terms[bounds.front()].type;
  Term start{Term::started, type, depth};
  start.operands.assign(bounds.begin(), bounds.end());
  start.operands.append(values.begin(), values.end());
  LoopTerms loop;
  loop.start = intern(std::move(start));
  loop.counter = leaf(Term::counter, loop.start, type);
  for (auto [i, value] : llvm::enumerate(values)) {
    Term own{Term::ofRound, terms[value].type, loop.start};
    own.position = Polynomial(int64_t(i));
    loop.values.push_back(intern(std::move(own)));
  }
  return loop;
}

SmallVector<TermId> Terms::closeLoop(const LoopTerms &loop,
                                     ArrayRef<TermId> yielded) {
  SmallVector<TermId> results;
  for (auto [i, value] : llvm::enumerate(yielded)) {
    Term result{Term::looped, terms[value].type, unsigned(i)};
    result.operands = {loop.start};
    result.operands.append(yielded.begin(), yielded.end());
    results.push_back(intern(std::move(result)));
  }
  return results;
}
