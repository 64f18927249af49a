//===- Untried.cpp - Parts of a kernel that no trial covers ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trials prove a kernel if all larger sizes behave like those of the trials:
// every question (Questions.h) has got both of its answers in some trial. Where
// a question is about one of a loop's steps, or about a value carried along
// with them, the rings must go around once more after the answer: a slot that
// is not released in step 20 is missing at its next use. Values that depend
// only on a block's rank in its cluster and on a group's number take all of
// their values in every trial.
//
//===----------------------------------------------------------------------===//

#include "../Plan/Formulas.h"
#include "../Plan/GuardNeeds.h"
#include "../Plan/Widths.h"
#include "../Trials/TrialStart.h"
#include "../Walk.h"
#include "Carries.h"
#include "Degrees.h"
#include "Origins.h"
#include "Questions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PointerIntPair.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

namespace {
/// The number of slots that a thread has awaited, by barriers; null for copies.
using Awaited = llvm::SmallMapVector<Value, int64_t, 4>;

/// The first time that a question got an answer: the slots that its thread had
/// awaited by then. A later time is never better.
using Sights =
    llvm::SmallMapVector<llvm::PointerIntPair<Question *, 1, bool>, Awaited, 8>;

/// The parts of one kernel that no trial has covered so far.
class Untried {
public:
  explicit Untried(gpu::GPUFuncOp kernel)
      : kernel(kernel), program(kernel), slots(stepsOf(kernel).slots) {
    Growing growing(kernel);
    Degrees degrees(growing);
    for (const Step &step : program.steps)
      if (isAsked(step) && !questions.contains(step.op))
        if (auto some = questionsOf(step.op, growing, degrees); !some.empty()) {
          open += some.size();
          questions[step.op] = std::move(some);
        }
  }

  gpu::GPUFuncOp getKernel() const { return kernel; }
  const Program &getProgram() const { return program; }

  bool isDone() const { return !open; }

  llvm::Error walk(Subject subject, const Trial &trial, size_t launchNumber) {
    subject.kernel = kernel;
    subject.launch = launchNumber;
    auto launch = evaluate(subject, trial);
    if (!launch)
      return launch.takeError();
    for (auto [argument, param] :
         llvm::zip_first(kernel.getArguments(), launch->params))
      if (arguments.try_emplace(argument, param.value).first->second !=
          param.value)
        changing.insert(argument);
    int64_t clusters = launch->grid / std::max<int64_t>(launch->cluster, 1);
    if (program.isPersistent && !program.meetsAcrossClusters) {
      clusters = std::min(clusters, trial.maxClusters);
      launch->grid = clusters * launch->cluster;
    }
    for (int64_t i = 0; i < clusters && !isDone(); ++i)
      for (const Member &member : rosterOf(program, *launch, i))
        if (member.isLeader && !isDone() && left > 0)
          walk(Walk(program, *launch, member));
    return llvm::Error::success();
  }

  void report(std::vector<Finding> &findings) const {
    if (left <= 0)
      return findings.push_back(pastLimit(program));
    llvm::DenseSet<Operation *> reported;
    for (const Step &step : program.steps) {
      auto question = questions.find(step.op);
      if (question == questions.end() || !reported.insert(step.op).second)
        continue;
      const Question *first =
          llvm::find_if(question->second, [&](const Question &one) {
            return isOpen(one) && !hasReason(step.op, one);
          });
      if (first == question->second.end())
        continue;
      findings.push_back({Fault::untried, first->str(), Place::of(step.op)});
    }
  }

private:
  static bool isAsked(const Step &step) {
    return step.kind == Step::compute || step.kind == Step::branch;
  }

  static bool isOpen(const Question &question) {
    return question.needsFirst || question.needsSecond;
  }

  /// True if a single result is expected: an operand has only one number, or
  /// is numbered below a size.
  bool hasReason(Operation *op, const Question &question) const {
    if (question.kind != Question::change)
      return false;
    if (isa<arith::DivUIOp, arith::DivSIOp, arith::CeilDivUIOp,
            arith::CeilDivSIOp>(op) &&
        !divisorOf(op))
      return true;
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      if (auto argument = dyn_cast<BlockArgument>(operand))
        return hasOneNumber(argument);
      auto asked = questions.find(operand.getDefiningOp());
      return asked != questions.end() &&
             llvm::any_of(asked->second, [](const Question &one) {
               return one.kind == Question::change && isOpen(one);
             });
    });
  }

  /// True if the argument is the same in every trial: the plan gives it one
  /// number, or it is the variable of a loop that ends at 1.
  bool hasOneNumber(BlockArgument argument) const {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<gpu::GPUFuncOp>(parent))
      return !changing.contains(argument);
    auto loop = dyn_cast<scf::ForOp>(parent);
    return loop && argument == loop.getInductionVar() &&
           constantOf(loop.getUpperBound()) == 1;
  }

  /// Walks through one thread from end to end.
  void walk(Walk thread) {
    Sights sights;
    Awaited awaited;
    thread.run(left, [&](Walk &walk, const Step &step) {
      if (isAsked(step) || step.kind == Step::move)
        look(walk, step, awaited, sights);
      else if (auto await = dyn_cast<kernel::AwaitOp>(step.op))
        ++awaited[await.getBarriers()];
      else if (isa<kernel::CopyWaitOp>(step.op))
        ++awaited[Value()];
      return !isDone();
    });
    for (auto &[sight, before] : sights)
      if (comesInTime(before, awaited))
        take(*sight.getPointer(), sight.getInt());
  }

  /// True if the most awaited ring goes around once more after the answer.
  /// Other rings are awaited once per tile.
  bool comesInTime(const Awaited &before, const Awaited &all) const {
    int64_t max = 0;
    for (auto [barriers, count] : all)
      max = std::max(max, count);
    return llvm::all_of(all, [&](const auto &ring) {
      auto [barriers, count] = ring;
      int64_t round =
          barriers ? cast<kernel::BarriersType>(barriers.getType()).getSlots()
                   : slots;
      return count < max ||
             before.lookup(barriers) <= std::max<int64_t>(count - round, 0);
    });
  }

  void look(Walk &walk, const Step &step, const Awaited &awaited,
            Sights &sights) {
    auto found = questions.find(step.op);
    if (found == questions.end() || isa<scf::ForOp>(step.op) != isEntry(step) ||
        isa<scf::IfOp>(step.op) != (step.kind == Step::branch))
      return;
    for (Question &question : found->second) {
      if (!isOpen(question))
        continue;
      std::optional<bool> answer = answerOf(walk, step, question);
      if (!answer)
        continue;
      if (question.isOfStep)
        sights.insert({{&question, *answer}, awaited});
      else
        take(question, *answer);
    }
  }

  /// True for the step before a loop, where its variable gets the first value.
  bool isEntry(const Step &step) const {
    auto loop = dyn_cast<scf::ForOp>(step.op);
    return loop && step.kind == Step::move && !step.out.empty() &&
           step.out.front() == program.registerOf(loop.getInductionVar());
  }

  static std::optional<bool> answerOf(Walk &walk, const Step &step,
                                      Question &question) {
    if (step.kind == Step::branch)
      return walk.input(step, 0) != 0;
    if (question.kind == Question::change) {
      uint64_t now = walk.result(step);
      if (!question.seen)
        question.seen = now;
      return now == *question.seen;
    }
    if (question.kind == Question::carry)
      return question.answer(
          {uint64_t(walk.number(question.inner->getOperand(0))),
           uint64_t(walk.number(question.inner->getOperand(1))),
           divisorOf(step.op).value_or(0)},
          64);
    if (auto loop = dyn_cast<scf::ForOp>(step.op)) {
      constexpr unsigned kWidth = 32;
      return question.answer({uint64_t(walk.number(loop.getLowerBound())),
                              uint64_t(walk.number(loop.getUpperBound())),
                              uint64_t(walk.number(loop.getStep()))},
                             kWidth);
    }
    if (question.kind == Question::truth)
      return walk.result(step) != 0;
    SmallVector<uint64_t, 2> values;
    for (size_t i = 0; i < step.in.size(); ++i)
      values.push_back(walk.input(step, i));
    Type type = step.op->getOperand(0).getType();
    return question.answer(values,
                           type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
  }

  void take(Question &question, bool answer) {
    bool wasOpen = isOpen(question);
    (answer ? question.needsFirst : question.needsSecond) = false;
    open -= wasOpen && !isOpen(question);
  }

  gpu::GPUFuncOp kernel;
  Program program;
  const int64_t slots;
  int64_t left = kMaxWalked;
  /// The first number of each argument, and the arguments that have had another
  /// one.
  llvm::DenseMap<Value, int64_t> arguments;
  llvm::DenseSet<Value> changing;
  /// Questions without both answers.
  size_t open = 0;
  llvm::DenseMap<Operation *, SmallVector<Question, 1>> questions;
};
} // namespace

llvm::Expected<std::vector<Finding>>
simulate::untriedIn(const Subject &subject, llvm::ArrayRef<Trial> trials) {
  std::vector<Finding> findings;
  for (size_t i = 0; i <= subject.before.size(); ++i) {
    bool isLast = i == subject.before.size();
    size_t launch = isLast ? subject.launch : i;
    Untried untried(isLast ? subject.kernel : subject.before[i]);
    for (const Trial &trial : trials)
      if (!untried.isDone() && !trial.reachOnly)
        if (llvm::Error error = untried.walk(subject, trial, launch))
          return std::move(error);
    untried.report(findings);
    findWideNumbers(subject, untried.getKernel(), untried.getProgram(), launch,
                    findings);
  }
  if (llvm::Error error = findUntriedFormulas(subject, trials, findings))
    return std::move(error);
  findGuardHoles(subject, findings);
  return findings;
}
