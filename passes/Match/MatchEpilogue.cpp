//===- MatchEpilogue.cpp - Consumers that move into a matmul --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matmul stores one matrix, so the set that moves into it is the largest set
// of elementwise ops that starts at its result and *converges*: all users of
// the result and of the values in between are in the set. Only the value of one
// op, the last, has other users. Inside, values may have any number of uses.
// Reshapes that move no element belong to the set.
//
//   matmul -> add -> tanh -> mul -> return      all of it: `add` is used
//               \____________/                  twice, but by the set
//   matmul -> add -> exp -> return              up to `add`, which is
//               \__________> return             returned, too
//
// First, all possible steps are collected, each with its inputs. Then the last
// op is chosen, the latest first. Every other elementwise op that was visited
// is reported with the reason.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/Match/Match.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include <set>

using namespace mlir;
using namespace hone;
using namespace hone::match;

/// Parameters of a launch that operands of an epilogue may take, an address and
/// a stride for each dimension. A plan has 64, of which A, B, C, the extents
/// and the schedule take at most 28.
static constexpr size_t kMaxParameters = 36;

namespace {
struct BeforeInBlock {
  bool operator()(Operation *left, Operation *right) const {
    return left->isBeforeInBlock(right);
  }
};

/// The elementwise ops that follow a contraction.
class Consumers {
public:
  Consumers(const Contraction &contraction, Value destination,
            OperandPool &pool)
      : matmul(linalg::LinalgOp(contraction.op)), pool(pool),
        hasWindows(imageOf(contraction.a.value).has_value()) {
    reach(matmul->getResult(0),
          {matmul->getResult(0), contraction.lettersC, destination});
  }

  /// Collects all ops that may become steps.
  void collect();
  /// Chooses the last op, and with it the steps, C, and the ops that stay.
  void choose(Epilogue &epilogue);

  /// True if `choose` found the letters of C in transposed order.
  bool isTransposed() const { return transposed; }

private:
  using OpSet = llvm::SmallPtrSet<Operation *, 16>;

  void reach(Value value, const Reached &what);
  void visit(Operation *op);
  OpSet neededBy(const Step &step) const;
  std::string whyNotLast(const Step &step) const;
  std::string whyOpen(const OpSet &set, Operation *last) const;
  FailureOr<View> viewOfC(Value value, StringRef letters,
                          bool isTransposed) const;
  void setC(Epilogue &epilogue, Value result);

  Operation *matmul;
  OperandPool &pool;
  bool hasWindows; ///< no kernel reads them as columns
  ReachedMap reached;
  /// Users of reached values that were not visited yet, in program order: an op
  /// is visited when all its operands are known.
  std::set<Operation *, BeforeInBlock> pending;
  SmallVector<Step> steps;
  OpSet members; ///< ops of steps, and reshapes
  SmallVector<std::pair<Operation *, std::string>> left;
  bool transposed = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

/// True if a user may expect `op` to move into a matmul.
static bool isWorthARemark(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return !looksLikeMatmul(linalgOp);
  return isa<linalg::SoftmaxOp>(op) ||
         OpTrait::hasElementwiseMappableTraits(op);
}

void Consumers::reach(Value value, const Reached &what) {
  reached[value] = what;
  for (Operation *user : value.getUsers()) {
    if (user->getBlock() == matmul->getBlock())
      pending.insert(user);
    else if (isWorthARemark(user))
      left.emplace_back(user, "it is not in the block of the matmul");
  }
}

void Consumers::visit(Operation *op) {
  if (FailureOr<Reached> reshaped = followReshape(op, reached);
      succeeded(reshaped)) {
    members.insert(op);
    return reach(op->getResult(0), *reshaped);
  }
  if (isa<tensor::CollapseShapeOp>(op)) {
    for (Operation *user : op->getUsers())
      if (isWorthARemark(user))
        left.emplace_back(user, "the reshape before it joins dimensions of "
                                "the matmul that are of several kinds");
    return;
  }
  if (!isWorthARemark(op))
    return;
  Reached result;
  std::string why;
  FailureOr<Step> step = readStep(op, reached, pool, result, why);
  if (failed(step)) {
    left.emplace_back(op, why);
    return;
  }
  members.insert(op);
  steps.push_back(std::move(*step));
  reach(op->getResult(0), result);
}

void Consumers::collect() {
  while (!pending.empty()) {
    Operation *op = *pending.begin();
    pending.erase(pending.begin());
    visit(op);
  }
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// `step` and the members that it depends on.
Consumers::OpSet Consumers::neededBy(const Step &step) const {
  OpSet needed;
  SmallVector<Operation *> worklist = {step.op};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!members.contains(op) || !needed.insert(op).second)
      continue;
    for (Value operand : op->getOperands())
      if (reached.contains(operand))
        if (Operation *definition = operand.getDefiningOp())
          worklist.push_back(definition);
  }
  return needed;
}

/// The reason why `set` does not converge in the result of `last`; empty if it
/// does.
std::string Consumers::whyOpen(const OpSet &set, Operation *last) const {
  for (const auto &[value, what] : reached) {
    Operation *definition = value.getDefiningOp();
    bool isInside = definition == matmul ||
                    (set.contains(definition) && definition != last);
    if (!isInside)
      continue;
    for (Operation *user : value.getUsers())
      if (!set.contains(user))
        return "a value that it reads is also used by '" +
               user->getName().getStringRef().str() +
               "', and a matmul stores one result";
  }
  return "";
}

/// The order of a C whose dimensions are `letters`. Missing letters come first
/// within the matrix.
static std::string orderOf(StringRef letters) {
  std::string order;
  for (char letter : letters)
    if (letter != kUnit && !StringRef(order).contains(letter))
      order += letter;
  size_t place = std::min(order.find_first_not_of(kBatchLetters), order.size());
  for (char letter : StringRef("mn"))
    if (!letters.contains(letter))
      order.insert(place++, 1, letter);
  return order;
}

FailureOr<View> Consumers::viewOfC(Value value, StringRef letters,
                                   bool isTransposed) const {
  std::string order = orderOf(letters);
  if (order.back() != (isTransposed ? 'm' : 'n'))
    return failure();
  if (isTransposed && hasWindows)
    return failure();
  FailureOr<View> view = makeMatrix(value, letters, order);
  if (failed(view) || view->letters != order)
    return failure();
  return view;
}

std::string Consumers::whyNotLast(const Step &step) const {
  Value result = step.op->getResult(0);
  StringRef letters = reached.find(result)->second.letters;
  OpSet needed = neededBy(step);
  if (std::string why = whyOpen(needed, step.op); !why.empty())
    return why;
  if (!toElementType(getElementTypeOrSelf(result.getType())))
    return "its result is not f16, bf16 or f32";
  if (failed(viewOfC(result, letters, false)) &&
      failed(viewOfC(result, letters, true)))
    return "neither rows nor columns are innermost in its result, or parts "
           "of one kind are apart (" +
           letters.str() + ")";
  llvm::SmallSet<unsigned, 16> operands;
  for (const Step &other : steps)
    if (needed.contains(other.op))
      forEachArgument(other, [&](const Argument &argument) {
        if (argument.operand)
          operands.insert(*argument.operand);
      });
  size_t parameters = 0;
  for (unsigned operand : operands)
    parameters += 1 + pool.getViews()[operand].letters.size();
  if (parameters > kMaxParameters)
    return "the epilogue would have more operands than a launch takes";
  return "";
}

void Consumers::setC(Epilogue &epilogue, Value result) {
  const Reached &what = reached.find(result)->second;
  epilogue.newC = !what.destination;
  Value place = epilogue.newC ? result : what.destination;
  FailureOr<View> view = viewOfC(place, what.letters, false);
  transposed = failed(view);
  epilogue.c = transposed ? *viewOfC(place, what.letters, true) : *view;
}

void Consumers::choose(Epilogue &epilogue) {
  const Step *last = nullptr;
  SmallVector<std::pair<Operation *, std::string>> open;
  for (const Step &step : llvm::reverse(steps)) {
    std::string why = whyNotLast(step);
    if (why.empty()) {
      last = &step;
      break;
    }
    open.emplace_back(step.op, why);
  }
  epilogue.last = last ? last->op : matmul;
  OpSet needed = last ? neededBy(*last) : OpSet();
  for (const Step &step : steps)
    if (needed.contains(step.op))
      epilogue.steps.push_back(step);
  setC(epilogue, epilogue.last->getResult(0));
  llvm::append_range(epilogue.left, left);
  llvm::append_range(epilogue.left, llvm::reverse(open));
}

//===----------------------------------------------------------------------===//
// The whole epilogue
//===----------------------------------------------------------------------===//

/// Calls `action` for all arguments of an epilogue.
template <typename Action>
static void forAllArguments(Epilogue &epilogue, Action action) {
  if (epilogue.addend)
    action(*epilogue.addend);
  for (Step &step : epilogue.steps)
    forEachArgument(step, action);
}

/// Keeps only those operands of `pool` that are read, in order of use.
static void takeOperands(const OperandPool &pool, Epilogue &epilogue) {
  llvm::SmallSetVector<unsigned, 8> used;
  forAllArguments(epilogue, [&](Argument &argument) {
    if (!argument.operand)
      return;
    used.insert(*argument.operand);
    argument.operand =
        std::distance(used.begin(), llvm::find(used, *argument.operand));
  });
  for (unsigned operand : used)
    epilogue.operands.push_back(pool.getViews()[operand]);
}

/// If the sum starts from a tensor other than the written one, that tensor
/// becomes an operand.
static void readStartAsOperand(const Contraction &contraction,
                               Epilogue &epilogue, bool transposed,
                               OperandPool &pool) {
  linalg::LinalgOp op = contraction.op;
  Value start = op.getDpsInits().front();
  bool isPlace = !epilogue.newC && !transposed && epilogue.c.value == start;
  if (epilogue.init == Init::zero || isPlace)
    return;
  epilogue.init = Init::zero;
  epilogue.newC |= epilogue.c.value == start;
  epilogue.addend.emplace();
  // C's dimensions in C's order: this is one view for each letter.
  epilogue.addend->operand = pool.add(*makeView(start, contraction.lettersC));
}

/// Computes the transposed product: exchanges A and B, and the names m and n.
static void transpose(Contraction &contraction, Epilogue &epilogue) {
  auto rename = [](std::string &letters) {
    for (char &letter : letters)
      letter = letter == 'm' ? 'n' : letter == 'n' ? 'm' : letter;
  };
  std::swap(contraction.a, contraction.b);
  for (View *view : {&contraction.a, &contraction.b, &epilogue.c})
    rename(view->letters);
  for (View &view : epilogue.operands)
    rename(view.letters);
}

Epilogue match::analyzeEpilogue(Contraction &contraction) {
  Epilogue epilogue;
  OperandPool pool;
  Value destination = analyzeStart(contraction, epilogue, pool);
  Consumers consumers(contraction, destination, pool);
  consumers.collect();
  consumers.choose(epilogue);
  // A tensor that is read is not overwritten, which would need a copy.
  forAllArguments(epilogue, [&](const Argument &argument) {
    if (argument.operand)
      epilogue.newC |=
          pool.getViews()[*argument.operand].value == epilogue.c.value;
  });
  readStartAsOperand(contraction, epilogue, consumers.isTransposed(), pool);
  takeOperands(pool, epilogue);
  if (consumers.isTransposed())
    transpose(contraction, epilogue);
  return epilogue;
}
