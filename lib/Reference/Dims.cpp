//===- Dims.cpp - Extents that must agree ---------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Dims.h. An op unknown to this file ties no extents: then the user must
// give one more number, and a mismatch is found when the function runs.
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/Dims.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

Dims::Dims(func::FuncOp function) : function(function) {
  function.walk([&](Operation *op) { tie(op); });
}

void Dims::unite(Value left, unsigned leftDim, Value right, unsigned rightDim) {
  classes.unionSets(dimOf(left, leftDim), dimOf(right, rightDim));
}

void Dims::unite(Value left, Value right) {
  auto x = dyn_cast<ShapedType>(left.getType());
  auto y = dyn_cast<ShapedType>(right.getType());
  if (!x || !y || !x.hasRank() || !y.hasRank() || x.getRank() != y.getRank())
    return;
  for (int64_t dim = 0; dim < x.getRank(); ++dim)
    unite(left, dim, right, dim);
}

void Dims::unite(Value value, unsigned dim, OpFoldResult extent) {
  auto given = dyn_cast<Value>(extent);
  auto source = given ? given.getDefiningOp<ShapedDimOpInterface>() : nullptr;
  if (!source)
    return;
  if (std::optional<int64_t> index = getConstantIntValue(source.getDimension()))
    unite(value, dim, source.getShapedValue(), *index);
}

void Dims::tie(MatmulOp op) {
  std::vector<std::pair<Value, std::string>> operands = {
      {op.getC(), op.getLettersC()}, {op.getB(), op.getLettersB()}};
  // No dimension of an image is one of the product.
  if (!op.getWindow())
    operands.push_back({op.getA(), op.getLettersA()});
  // Any number of rows may be gathered from, with an index for each row of C.
  if (op.getGather()) {
    operands.back().second[0] = 'r';
    operands.push_back({op.getIndex(), "m"});
  }
  for (auto [i, operand] : llvm::enumerate(op.getEpilogueOperands()))
    operands.push_back({operand, op.getDimsOf(i).str()});
  // B's batch is the group.
  if (op.getRagged())
    operands.push_back({op.getEnds(), kBatchLetters.take_front().str()});
  // Ties each dimension to the first one with its letter.
  llvm::DenseMap<char, std::pair<Value, unsigned>> first;
  for (const auto &[operand, letters] : operands)
    for (auto [dim, letter] : llvm::enumerate(letters)) {
      auto [known, isNew] = first.try_emplace(letter, operand, dim);
      if (!isNew)
        unite(operand, dim, known->second.first, known->second.second);
    }
  for (Value result : op->getResults())
    unite(result, op.getC());
}

/// Visits the operands and results of a linalg op, by loop.
static void forEachLoop(
    linalg::LinalgOp op,
    llvm::function_ref<void(unsigned loop, Value value, unsigned dim)> visit) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        visit(loop.getPosition(), operand.get(), dim);
  }
}

void Dims::tie(Operation *op) {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return tie(matmul);
  if (auto generic = dyn_cast<linalg::LinalgOp>(op)) {
    llvm::DenseMap<unsigned, std::pair<Value, unsigned>> first;
    forEachLoop(generic, [&](unsigned loop, Value value, unsigned dim) {
      auto [known, isNew] = first.try_emplace(loop, value, dim);
      if (!isNew)
        unite(value, dim, known->second.first, known->second.second);
    });
    for (auto [result, init] :
         llvm::zip(op->getResults(), generic.getDpsInits()))
      unite(result, init);
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, carried, yielded, result] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(),
                   loop.getYieldedValues(), loop.getResults())) {
      unite(init, carried);
      unite(carried, yielded);
      unite(carried, result);
    }
    return;
  }
  if (auto transpose = dyn_cast<memref::TransposeOp>(op)) {
    AffineMap map = transpose.getPermutation();
    for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
      unite(transpose.getResult(), dim, transpose.getIn(),
            map.getDimPosition(dim));
    return;
  }
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    for (auto [dim, size] : llvm::enumerate(empty.getMixedSizes()))
      unite(empty.getResult(), dim, size);
    return;
  }
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    for (auto [dim, size] : llvm::enumerate(alloc.getMixedSizes()))
      unite(alloc.getResult(), dim, size);
    return;
  }
  bool isElementwise = op->hasTrait<OpTrait::Elementwise>() ||
                       isa<tensor::CastOp, memref::CastOp>(op);
  if (isElementwise && op->getNumResults() == 1)
    for (Value operand : op->getOperands())
      unite(operand, op->getResult(0));
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

static std::string describe(unsigned argument, unsigned dim) {
  return formatv("dimension {0} of argument {1}", dim, argument);
}

/// "dimension 1 of argument 0 = dimension 0 of argument 1"
std::string Dims::nameOf(Dim leader) {
  std::vector<std::string> names;
  for (BlockArgument argument : function.getArguments())
    if (auto shaped = dyn_cast<ShapedType>(argument.getType()))
      for (int64_t dim = 0; shaped.hasRank() && dim < shaped.getRank(); ++dim) {
        auto found = classes.findLeader(dimOf(argument, dim));
        if (found != classes.member_end() && *found == leader)
          names.push_back(describe(argument.getArgNumber(), dim));
      }
  return llvm::join(names, " = ");
}

llvm::Error Dims::assign(ArrayRef<int64_t> values) {
  std::vector<Dim> free;
  llvm::DenseMap<Dim, std::string> namers; ///< names of static extents
  for (BlockArgument argument : function.getArguments()) {
    auto shaped = dyn_cast<ShapedType>(argument.getType());
    if (!shaped || !shaped.hasRank())
      continue;
    for (int64_t dim = 0; dim < shaped.getRank(); ++dim) {
      Dim leader = classes.getOrInsertLeaderValue(dimOf(argument, dim));
      std::string name = describe(argument.getArgNumber(), dim);
      if (shaped.isDynamicDim(dim)) {
        if (!llvm::is_contained(free, leader))
          free.push_back(leader);
        continue;
      }
      int64_t size = shaped.getDimSize(dim);
      auto [known, isNew] = sizes.try_emplace(leader, size);
      namers.try_emplace(leader, name);
      if (!isNew && known->second != size)
        return llvm::createStringError(
            formatv("expected {0} and {1} to be the same number, but got {2} "
                    "and {3}",
                    namers[leader], name, known->second, size));
    }
  }
  llvm::erase_if(free, [&](Dim leader) { return sizes.count(leader) != 0; });
  std::vector<std::string> names;
  for (Dim leader : free)
    names.push_back(nameOf(leader));
  if (values.size() != free.size())
    return llvm::createStringError(formatv(
        "expected {0} dynamic dimensions ({1}), but got {2}; use --dims=N,...",
        free.size(), names.empty() ? "none" : llvm::join(names, ", "),
        values.size()));
  for (auto [leader, value] : llvm::zip_equal(free, values))
    sizes[leader] = value;
  return llvm::Error::success();
}

int64_t Dims::sizeOf(Value value, unsigned dim) const {
  int64_t size = cast<ShapedType>(value.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(size))
    return size;
  auto leader = classes.findLeader(dimOf(value, dim));
  if (leader == classes.member_end())
    return -1;
  auto found = sizes.find(*leader);
  return found == sizes.end() ? -1 : found->second;
}
