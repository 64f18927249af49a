//===- GatherSite.cpp - A product next to a gather ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Reorder/GatherSite.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;
using namespace hone;
using namespace hone::reorder;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The group of each row of a ragged product, as `hone.matmul` defines it; rows
/// of no group have the number of groups. Nothing if the ends are not constant.
static std::optional<RowNumbers> groupsOf(MatmulOp op, int64_t rows) {
  DenseIntElementsAttr ends;
  if (!matchPattern(Value(op.getEnds()), m_Constant(&ends)))
    return std::nullopt;
  RowNumbers groups;
  int64_t group = 0;
  for (const APInt &end : ends.getValues<APInt>()) {
    int64_t last = std::min(end.getSExtValue(), rows);
    if (last > int64_t(groups.size()))
      groups.resize(last, group);
    ++group;
  }
  groups.resize(rows, group);
  return groups;
}

/// The rows of `numbers` that differ, in the order of their first places. Equal
/// rows of two groups differ.
static UniqueRows uniqueOf(ArrayRef<int64_t> numbers, ArrayRef<int64_t> groups,
                           size_t groupCount) {
  UniqueRows result;
  SmallVector<int32_t> counts(groupCount + 1);
  DenseMap<std::pair<int64_t, int64_t>, int64_t> seen;
  for (auto [number, group] : llvm::zip(numbers, groups)) {
    auto [at, isNew] =
        seen.try_emplace({group, number}, int64_t(result.numbers.size()));
    result.places.push_back(at->second);
    if (!isNew)
      continue;
    result.numbers.push_back(number);
    ++counts[group];
  }
  std::partial_sum(counts.begin(), counts.end() - 1,
                   std::back_inserter(result.ends));
  return result;
}

/// Reads the numbers, if they are constants, and so are the ends of groups.
static Site withUnique(Site site) {
  if (site.isRagged() && !site.isGatheredFirst)
    return site;
  std::optional<RowNumbers> numbers = site.index.getNumbers();
  if (!numbers)
    return site;
  std::optional<RowNumbers> groups = RowNumbers(numbers->size(), 0);
  size_t groupCount = 0;
  if (site.isRagged()) {
    groups = groupsOf(site.getMatmul(), numbers->size());
    groupCount = site.getMatmul().getEnds().getType().getDimSize(0);
  }
  if (groups)
    site.unique = uniqueOf(*numbers, *groups, groupCount);
  return site;
}

/// No op in between may read other values with rows.
std::optional<Site> Site::readBefore(const RowOp &product) {
  Site site;
  site.product = product;
  site.isGatheredFirst = true;
  auto clause =
      site.getMatmul() ? RowIndex::readClause(site.getMatmul()) : std::nullopt;
  if (clause) {
    site.index = *clause;
    return withUnique(site);
  }
  Block *block = product.op->getBlock();
  for (RowOp at = product; !at.rowOperands.empty();) {
    Operation *op = at.op->getOperand(at.rowOperands.front()).getDefiningOp();
    if (!op || op->getBlock() != block)
      return std::nullopt;
    if (auto index = RowIndex::read(op)) {
      site.index = *index;
      site.gather = op;
      std::reverse(site.between.begin(), site.between.end());
      return withUnique(site);
    }
    auto next = RowOp::read(op);
    if (!next || next->isProduct)
      return std::nullopt;
    site.between.push_back(*next);
    at = *next;
  }
  return std::nullopt;
}

/// Looks for a product that computes `value`, and appends the ops from there to
/// `between`. Each is read by the next one alone.
static std::optional<RowOp> productOf(Value value, Block *block,
                                      SmallVectorImpl<RowOp> &between) {
  Operation *op = value.getDefiningOp();
  auto at = op && op->getBlock() == block ? RowOp::read(op) : std::nullopt;
  if (!at || at->isProduct)
    return at;
  for (unsigned number : at->rowOperands)
    if (auto product = productOf(op->getOperand(number), block, between)) {
      between.push_back(*at);
      return product;
    }
  return std::nullopt;
}

std::optional<Site> Site::readAfter(Operation *gather) {
  auto index = RowIndex::read(gather);
  if (!index)
    return std::nullopt;
  Site site;
  site.index = *index;
  site.gather = gather;
  auto product =
      productOf(index->getSource(), gather->getBlock(), site.between);
  if (!product)
    return std::nullopt;
  site.product = *product;
  return withUnique(site);
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

bool Site::isKnown() const {
  auto isStatic = [](const RowOp &op) { return op.hasElements(); };
  return isStatic(product) && llvm::all_of(between, isStatic) &&
         !ShapedType::isDynamic(index.getRows()) &&
         index.getSource().getType().hasStaticShape() &&
         (!isRagged() || !isGatheredFirst || unique);
}

std::string Site::getObstacle() const {
  SmallVector<RowOp> ops(between);
  ops.push_back(product);
  if (isRagged() && !isGatheredFirst)
    return "its rows belong to groups, and the index has another order";
  if (isRagged() && !unique)
    return "its index and the ends of its groups are not constants";
  if (!isKnown())
    return "an extent is 0, or known when the program runs";
  if (!isGatheredFirst) {
    bool isShared = llvm::any_of(
        ops, [](const RowOp &op) { return !op.getResult().hasOneUse(); });
    return isShared ? "its result has other readers" : "";
  }
  bool varies = llvm::any_of(ops, [](const RowOp &op) {
    return op.rowOperands.size() != 1 || !op.startsAlike();
  });
  return varies ? "its rows start from, or meet, values of their own" : "";
}

std::optional<int64_t> Site::getRows(Form form) const {
  switch (form) {
  case Form::index:
    return index.getRows();
  case Form::source:
    if (isRagged() && isGatheredFirst)
      return std::nullopt;
    // One row of zeros stands for all numbers that a clause has out of range.
    return index.getSourceRows() +
           (hasClause() &&
            (!unique || llvm::is_contained(unique->numbers, kNoRow)));
  case Form::unique:
    return unique ? std::optional<int64_t>(unique->numbers.size())
                  : std::nullopt;
  }
  llvm_unreachable("not a form");
}
