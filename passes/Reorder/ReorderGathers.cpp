//===- ReorderGathers.cpp - Product before, after or between gathers ------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row i of a product depends on row i of A, so these are equal, and multiply R,
// S and U rows: those of the index, of its source, and those that differ.
//
//   x[index] * W      (x * W)[index]      (x[unique] * W)[places]
//
// Ops between the product and the gather, and one after the product, go along.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Reorder/GatherSite.h"
#include "passes/Support.h"

using namespace mlir;
using namespace hone;
using namespace hone::reorder;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// `source` with a row of zeros after the others.
static Value withZeros(OpBuilder &builder, Location loc, Value source) {
  auto type = cast<RankedTensorType>(source.getType());
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  SmallVector<OpFoldResult> low(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> high = low;
  high[0] = builder.getIndexAttr(1);
  auto longer = RankedTensorType::get(
      {type.getDimSize(0) + 1, type.getDimSize(1)}, type.getElementType());
  return tensor::PadOp::create(builder, loc, longer, source, low, high, zero);
}

/// The numbers of a clause's index, as a constant of its type.
static Value writeClause(OpBuilder &builder, MatmulOp op,
                         ArrayRef<int64_t> numbers) {
  Type element = op.getIndex().getType().getElementType();
  auto type = RankedTensorType::get(int64_t(numbers.size()), element);
  SmallVector<APInt, 0> words;
  for (int64_t number : numbers)
    words.emplace_back(element.getIntOrFloatBitWidth(), number,
                       /*isSigned=*/true);
  return arith::ConstantOp::create(builder, op.getLoc(),
                                   DenseElementsAttr::get(type, words));
}

/// The ends of groups among the rows that differ.
static Value writeEnds(OpBuilder &builder, Location loc,
                       ArrayRef<int32_t> ends) {
  auto type = RankedTensorType::get(int64_t(ends.size()), builder.getI32Type());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, ends));
}

namespace {
/// Writes a site in another form.
class SiteWriter {
public:
  SiteWriter(RewriterBase &rewriter, Site &site, Form form, int64_t rows)
      : rewriter(rewriter), site(site), form(form), rows(rows),
        loc(site.product.op->getLoc()) {}

  /// Returns the product, and appends the ops that it has erased.
  Operation *write(DenseSet<Operation *> &erased);

private:
  Value rowsOf(Value value);
  Operation *write(const RowOp &op);
  Operation *writeProduct();
  void readAfter();
  void erase(Operation *op, DenseSet<Operation *> &erased);

  RewriterBase &rewriter;
  Site &site;
  Form form;
  int64_t rows;
  Location loc;
  /// New values for the rows of old ones.
  DenseMap<Value, Value> moved;
  /// Ops after the product that go along.
  SmallVector<RowOp> after;
};
} // namespace

/// The rows of `value` that are multiplied.
Value SiteWriter::rowsOf(Value value) {
  if (Value known = moved.lookup(value))
    return known;
  Value result = form == Form::index
                     ? site.index.gather(rewriter, loc, value)
                     : RowIndex::write(rewriter, loc, site.unique->numbers)
                           .gather(rewriter, loc, value);
  return moved[value] = result;
}

Operation *SiteWriter::write(const RowOp &op) {
  Operation *copy =
      op.write(rewriter, rows, [&](Value value) { return rowsOf(value); });
  moved[op.getResult()] = copy->getResult(0);
  return copy;
}

/// A clause reads the rows that differ. Without it, the product reads all rows
/// of the source.
Operation *SiteWriter::writeProduct() {
  MatmulOp before = site.getMatmul();
  Value source, ends;
  if (site.hasClause()) {
    Value index = before.getIndex();
    moved[index] = form == Form::unique
                       ? writeClause(rewriter, before, site.unique->numbers)
                       : index;
    if (form == Form::source)
      source = rows > site.index.getSourceRows()
                   ? withZeros(rewriter, loc, before.getA())
                   : Value(before.getA());
  }
  if (site.isRagged())
    ends = writeEnds(rewriter, loc, site.unique->ends);
  Operation *op = write(site.product);
  if (source) {
    cast<MatmulOp>(op).setGather(false);
    op->eraseOperand(op->getNumOperands() - 1);
    op->setOperand(0, source);
  }
  if (ends)
    op->setOperand(op->getNumOperands() - 1 - site.hasClause(), ends);
  return op;
}

/// Ops that read the product alone follow it, so that they become its epilogue.
void SiteWriter::readAfter() {
  for (Value value = site.product.getResult(); value.hasOneUse();) {
    Operation *user = *value.getUsers().begin();
    auto next = user->getBlock() == site.product.op->getBlock()
                    ? RowOp::read(user)
                    : std::nullopt;
    if (!next || next->isProduct || next->rowOperands.size() != 1 ||
        user->getOperand(next->rowOperands[0]) != value ||
        !next->startsAlike() || !next->hasElements())
      return;
    after.push_back(*next);
    value = next->getResult();
  }
}

void SiteWriter::erase(Operation *op, DenseSet<Operation *> &erased) {
  if (!op || !op->use_empty())
    return;
  erased.insert(op);
  op->walk([&](Operation *inner) { erased.insert(inner); });
  rewriter.eraseOp(op);
}

Operation *SiteWriter::write(DenseSet<Operation *> &erased) {
  OpBuilder::InsertionGuard guard(rewriter);
  if (site.isGatheredFirst)
    readAfter();
  Operation *last = after.empty() ? site.getLast() : after.back().op;
  rewriter.setInsertionPoint(last);
  Operation *product = nullptr;
  if (site.isGatheredFirst) {
    Value source = site.index.getSource();
    if (site.gather)
      moved[site.gather->getResult(0)] =
          form == Form::source ? source : rowsOf(source);
    for (const RowOp &op : site.between)
      write(op);
    product = writeProduct();
    for (const RowOp &op : after)
      write(op);
  } else {
    product = writeProduct();
    for (const RowOp &op : site.between)
      write(op);
  }
  Value result =
      moved.lookup(site.isGatheredFirst ? Value(last->getResult(0))
                                        : Value(site.index.getSource()));
  if (form == Form::unique)
    result = RowIndex::write(rewriter, loc, site.unique->places)
                 .gather(rewriter, loc, result);
  else if (site.isGatheredFirst)
    result = site.index.gather(rewriter, loc, result);
  rewriter.replaceAllUsesWith(last->getResult(0), result);
  for (const RowOp &op : llvm::reverse(after))
    erase(op.op, erased);
  erase(site.getLast(), erased);
  for (const RowOp &op : llvm::reverse(site.between))
    erase(op.op, erased);
  erase(site.isGatheredFirst ? site.gather : site.product.op, erased);
  return product;
}

//===----------------------------------------------------------------------===//
// Sweeps
//===----------------------------------------------------------------------===//

/// The form that multiplies the fewest rows, if they are fewer than now.
static std::optional<Form> bestForm(const Site &site) {
  std::optional<Form> best;
  int64_t fewest = *site.getRows(site.getForm());
  for (Form form : {Form::source, Form::index, Form::unique})
    if (auto rows = site.getRows(form); rows && *rows < fewest) {
      best = form;
      fewest = *rows;
    }
  return best;
}

static StringRef textOf(Form form) {
  switch (form) {
  case Form::index:
    return "those of the index";
  case Form::source:
    return "those of the index's source";
  case Form::unique:
    return "those of the index that differ";
  }
  llvm_unreachable("not a form");
}

/// Rewrites `site` if that pays. If an obstacle is all that forbids it, leaves a
/// remark, if it `reports`.
static bool rewriteSite(RewriterBase &rewriter, Site &site, bool reports,
                        DenseSet<Operation *> &erased) {
  std::string obstacle = site.getObstacle();
  std::optional<Form> form;
  if (site.isKnown())
    form = bestForm(site);
  if (!obstacle.empty() && reports && (form || !site.isKnown()))
    remarkMissed(site.product.op, "not-reordered", obstacle);
  if (!obstacle.empty() || !form)
    return false;
  int64_t before = *site.getRows(site.getForm());
  int64_t rows = *site.getRows(*form);
  Operation *product = SiteWriter(rewriter, site, *form, rows).write(erased);
  remarkPassed(product, "rows-reordered",
               "multiplies " + Twine(rows) + " rows instead of " +
                   Twine(before) + ": " + textOf(*form));
  return true;
}

static bool sweep(RewriterBase &rewriter, Operation *module, bool reports) {
  SmallVector<Operation *> ops;
  module->walk([&](Operation *op) {
    if (op->getNumResults() == 1)
      ops.push_back(op);
  });
  DenseSet<Operation *> erased;
  bool hasChanged = false;
  for (Operation *op : ops) {
    if (erased.contains(op) || op->use_empty())
      continue;
    std::optional<Site> site;
    if (auto product = RowOp::read(op); product && product->isProduct)
      site = Site::readBefore(*product);
    if (!site)
      site = Site::readAfter(op);
    if (site)
      hasChanged |= rewriteSite(rewriter, *site, reports, erased);
  }
  return hasChanged;
}

bool reorder::reorderGathers(RewriterBase &rewriter, Operation *module) {
  bool hasChanged = false;
  // Every change makes fewer rows.
  while (sweep(rewriter, module, /*reports=*/false))
    hasChanged = true;
  sweep(rewriter, module, /*reports=*/true);
  return hasChanged;
}
