//===- Formulas.cpp - Questions about a plan's formulas -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Formulas.h.
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "../Launch.h"
#include "StepQuestions.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::simulate;
using namespace hone::simulate::formula;
using llvm::formatv;

namespace {
/// A formula, and its parts that no trial has tried so far.
class Formula {
public:
  Formula(const PlanFormula &formula, const std::vector<std::string> &names)
      : text(formula.str()) {
    // A formula of unknown arguments cannot be evaluated either, which is
    // reported.
    if (!formula.bind(names, expression).empty())
      return;
    std::vector<Known> stack;
    for (auto [i, step] : llvm::enumerate(expression.steps()))
      if (auto question = questionOf(i, step, stack))
        questions[i] = *question;
  }

  void look(llvm::ArrayRef<int64_t> arguments, int64_t resident) {
    noteArguments(arguments);
    std::vector<int64_t> stack;
    const auto &steps = expression.steps();
    for (size_t i = 0; i < steps.size(); ++i) {
      const Expression::Step &step = steps[i];
      int64_t b = take(step, arguments, resident, stack);
      if (step.op == Expression::Op::push) {
        stack.push_back(b);
      } else if (step.op == Expression::Op::negate) {
        stack.push_back(-b);
      } else if (step.op == Expression::Op::skipIfZero ||
                 step.op == Expression::Op::skipIfNonZero) {
        int64_t &top = stack.back();
        ask(i, top != 0, 0, 0);
        if ((top == 0) == (step.op == Expression::Op::skipIfZero)) {
          top = top != 0;
          i += step.value;
        }
      } else {
        int64_t a = stack.back();
        stack.back() = resultOf(step.op, a, b);
        ask(i, isTruth(step.op) && stack.back(), a, b);
        note(i, a, b, stack.back());
      }
    }
  }

  /// The untried parts, or an empty string.
  std::string untried() const {
    if (!questions.empty())
      return questions.front().second.str();
    constexpr llvm::StringRef kWhere = "at the sizes that prove a kernel";
    for (const Carry &carry : carries)
      if (carry.needsStay || carry.needsPass)
        return formatv("divides by {0} a value made of others, whose "
                       "remainders never {1} {0} {2}",
                       carry.divisor,
                       carry.needsStay ? "stay below" : "get past", kWhere);
    for (const auto &[i, result] : results)
      if (isLost(result))
        return formatv("has a part that is {0} {1} and that may change",
                       result.last, kWhere);
    return "";
  }

  const std::string text;
  /// By step.
  llvm::SmallMapVector<size_t, Question, 4> questions;

private:
  /// The question of a step; its result replaces its operands in `stack`.
  std::optional<Question> questionOf(size_t number,
                                     const Expression::Step &step,
                                     std::vector<Known> &stack) {
    if (step.op == Expression::Op::skipIfZero ||
        step.op == Expression::Op::skipIfNonZero)
      return Question();
    Known b;
    if (step.source == Expression::Source::constant)
      b.constant = step.value;
    if (step.source == Expression::Source::argument)
      b.argument = step.value;
    if (step.source == Expression::Source::stack) {
      b = stack.back();
      stack.pop_back();
    }
    if (step.op == Expression::Op::push || step.op == Expression::Op::negate) {
      stack.push_back(step.op == Expression::Op::push ? b : negated(b));
      return std::nullopt;
    }
    Known a = stack.back();
    stack.back() = resultOf(step.op, a, b);
    if (a.constant && b.constant)
      return std::nullopt;
    stack.back().step = number;
    Result result;
    result.op = step.op;
    result.operands = {a, b};
    results[number] = result;
    if (isQuotient(step.op) && b.constant && *b.constant > 1)
      addCarries(number, a, *b.constant);
    return formula::questionOf(step.op, a, b);
  }

  void addCarries(size_t quotient, const Known &dividend, int64_t divisor) {
    if (!dividend.step)
      return;
    const Result &inner = results[*dividend.step];
    if (inner.op != Expression::Op::add && inner.op != Expression::Op::sub &&
        inner.op != Expression::Op::mul)
      return;
    auto isMultiple = [&](const Known &one) {
      return one.constant.value_or(one.factor) % divisor == 0;
    };
    auto isOne = [&](const Known &one) {
      return one.constant && *one.constant % divisor == 1;
    };
    const auto &[a, b] = inner.operands;
    bool never = isMultiple(b) ||
                 (inner.op != Expression::Op::sub && isMultiple(a)) ||
                 (inner.op == Expression::Op::mul &&
                  (divisor == 2 || isOne(a) || isOne(b)));
    if (!never)
      carries.push_back({quotient, *dividend.step, divisor});
    for (const Known &operand : inner.operands)
      addCarries(quotient, operand, divisor);
  }

  void noteArguments(llvm::ArrayRef<int64_t> arguments) {
    if (first.empty())
      first.assign(arguments.begin(), arguments.end());
    for (auto [i, value] : llvm::enumerate(arguments))
      if (value != first[i])
        changing.insert(i);
  }

  void note(size_t step, int64_t a, int64_t b, int64_t value) {
    auto found = results.find(step);
    if (found == results.end())
      return;
    Result &result = found->second;
    result.changes |= result.wasSeen && result.last != value;
    result.wasSeen = true;
    result.last = value, result.a = a, result.b = b;
    for (Carry &carry : carries)
      if (carry.quotient == step) {
        const Result &inner = results[carry.inner];
        (staysBelow(inner.op, inner.a, inner.b, carry.divisor)
             ? carry.needsStay
             : carry.needsPass) = false;
      }
  }

  /// True if `result` never changed, though its operands did.
  bool isLost(const Result &result) const {
    if (result.changes || !result.wasSeen || isTruth(result.op) ||
        (isQuotient(result.op) && result.op != Expression::Op::mod &&
         !result.operands[1].constant))
      return false;
    return llvm::none_of(result.operands, [&](const Known &operand) {
      if (operand.argument)
        return !changing.contains(*operand.argument);
      return operand.step && !results.find(*operand.step)->second.changes;
    });
  }

  static int64_t take(const Expression::Step &step,
                      llvm::ArrayRef<int64_t> arguments, int64_t resident,
                      std::vector<int64_t> &stack) {
    if (step.op == Expression::Op::skipIfZero ||
        step.op == Expression::Op::skipIfNonZero)
      return 0;
    switch (step.source) {
    case Expression::Source::argument:
      return arguments[step.value];
    case Expression::Source::constant:
      return step.value;
    case Expression::Source::resident:
      return resident;
    case Expression::Source::stack:
      break;
    }
    int64_t top = stack.back();
    stack.pop_back();
    return top;
  }

  void ask(size_t step, bool holds, int64_t a, int64_t b) {
    auto found = questions.find(step);
    if (found == questions.end())
      return;
    Question &question = found->second;
    constexpr unsigned kWidth = 64;
    std::optional<bool> answer;
    if (question.kind == Question::truth)
      answer = holds;
    else if (question.kind == Question::order ||
             (question.operand ? b : a) >= 0)
      answer = question.answer({uint64_t(a), uint64_t(b)}, kWidth);
    if (!answer)
      return;
    (*answer ? question.needsFirst : question.needsSecond) = false;
    if (!question.needsFirst && !question.needsSecond)
      questions.erase(found);
  }

  Expression expression;
  llvm::SmallMapVector<size_t, Result, 4> results;
  std::vector<Carry> carries;
  /// The arguments of the first trial, and which of them have changed.
  std::vector<int64_t> first;
  llvm::SmallDenseSet<size_t> changing;
};
} // namespace

//===----------------------------------------------------------------------===//
// A plan's formulas
//===----------------------------------------------------------------------===//

/// All formulas but the guard.
static std::vector<PlanFormula> formulasOf(const PlanAlternative &alternative) {
  std::vector<PlanFormula> formulas;
  auto add = [&](llvm::ArrayRef<PlanFormula> some) {
    for (const PlanFormula &formula : some)
      if (!formula.empty() && !llvm::is_contained(formulas, formula))
        formulas.push_back(formula);
  };
  add(alternative.workspaceBytes);
  for (const KernelLaunch &launch : alternative.launches) {
    add(launch.grid);
    add(launch.block);
    add(launch.cluster);
    for (const LaunchParam &param : launch.params) {
      add(param.value);
      add(param.map.base);
      add(param.map.dims);
      add(param.map.strides);
      add(param.map.lower);
      add(param.map.upper);
      add(param.map.steps);
    }
  }
  return formulas;
}

/// True for the name of an operand's address.
static bool isAddress(llvm::StringRef name) {
  return name == "a" || name == "b" || name == "c" || name == "ws" ||
         (name.consume_front("e") && !name.empty() &&
          llvm::all_of(name, llvm::isDigit));
}

/// The address of an operand may occur in addresses only.
static void findAddresses(const Subject &subject,
                          std::vector<Finding> &findings) {
  mlir::gpu::GPUFuncOp kernel = subject.kernel;
  auto look = [&](llvm::ArrayRef<PlanFormula> formulas) {
    for (const PlanFormula &formula : formulas)
      for (const Expression::Step &step : formula.program().steps())
        if (step.source == Expression::Source::argument &&
            isAddress(formula.arguments()[step.value]))
          findings.push_back(
              {Fault::plan,
               formatv("has a plan whose formula '{0}' depends on the address "
                       "'{1}'; expected extents and distances alone",
                       formula.str(), formula.arguments()[step.value]),
               {kernel.getLoc(), "gpu.func", "", 0, 0, "", {}},
               std::nullopt,
               ""});
  };
  const auto &alternative = subject.plan.alternatives[subject.alternative];
  look(alternative.workspaceBytes);
  for (const KernelLaunch &launch : alternative.launches) {
    look(launch.grid);
    look(launch.block);
    look(launch.cluster);
    for (const LaunchParam &param : launch.params) {
      look(param.map.dims);
      look(param.map.strides);
      look(param.map.lower);
      look(param.map.upper);
      look(param.map.steps);
      if (param.kind == LaunchParam::i32 || param.kind == LaunchParam::i64)
        look(param.value);
    }
  }
}

llvm::Error simulate::findUntriedFormulas(const Subject &subject,
                                          llvm::ArrayRef<Trial> trials,
                                          std::vector<Finding> &findings) {
  std::vector<std::string> names = subject.plan.args;
  names.push_back("ws");
  findAddresses(subject, findings);
  std::vector<Formula> formulas;
  for (const PlanFormula &formula :
       formulasOf(subject.plan.alternatives[subject.alternative]))
    formulas.emplace_back(formula, names);
  for (const Trial &trial : trials) {
    auto launch = evaluate(subject, trial);
    if (!launch)
      return launch.takeError();
    for (Formula &formula : formulas)
      formula.look(launch->arguments, trial.maxClusters);
  }
  mlir::gpu::GPUFuncOp kernel = subject.kernel;
  for (const Formula &formula : formulas)
    if (std::string untried = formula.untried(); !untried.empty())
      findings.push_back(
          {Fault::untried,
           formatv("has a plan whose formula '{0}' {1}", formula.text, untried),
           {kernel.getLoc(), "gpu.func", "", 0, 0, "", {}},
           std::nullopt,
           ""});
  return llvm::Error::success();
}
