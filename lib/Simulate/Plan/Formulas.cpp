//===- Formulas.cpp - What a plan's formulas ask of sizes -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Formulas.h.
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "../Launch.h"
#include "../Untried/Questions.h"
#include "hone/Runtime/Expression.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::simulate;
using llvm::formatv;
using Op = Expression::Op;
using Source = Expression::Source;

//===----------------------------------------------------------------------===//
// What a step asks
//===----------------------------------------------------------------------===//

static Question reaching(int64_t least) {
  Question question;
  question.kind = Question::reach;
  question.least = least;
  question.wantsSecond = false;
  return question;
}

static Question ordering(unsigned slack) {
  Question question;
  question.kind = Question::order;
  question.slack = slack;
  question.isSigned = true;
  return question;
}

/// What `step` asks; a constant is its second operand.
static std::optional<Question> questionOf(const Expression::Step &step) {
  bool isConstant = step.source == Source::constant;
  switch (step.op) {
  case Op::min:
  case Op::max: {
    Question question = ordering(0);
    // Few sizes are zero.
    question.wantsFirst =
        !(step.op == Op::max && isConstant && step.value <= 1);
    return question;
  }
  case Op::div:
  case Op::mod:
  case Op::ceildiv: {
    if (isConstant)
      return reaching(step.value + (step.op == Op::ceildiv));
    Question question = ordering(1);
    question.wantsFirst = false;
    return question;
  }
  case Op::eq:
  case Op::ne:
  case Op::lt:
  case Op::le:
  case Op::gt:
  case Op::ge:
  case Op::skipIfZero:
  case Op::skipIfNonZero:
    return Question();
  default:
    return std::nullopt;
  }
}

static int64_t quotientOf(Op op, int64_t a, int64_t b) {
  // The plan says so when it is evaluated.
  if (b == 0 || b == -1)
    return 0;
  if (op == Op::mod)
    return a % b;
  return a / b + (op == Op::ceildiv && a % b != 0 && (a < 0) == (b < 0));
}

/// Arithmetic that overflows is an error of the launch, and found there.
static int64_t resultOf(Op op, int64_t a, int64_t b) {
  switch (op) {
  case Op::add:
    return int64_t(uint64_t(a) + uint64_t(b));
  case Op::sub:
    return int64_t(uint64_t(a) - uint64_t(b));
  case Op::mul:
    return int64_t(uint64_t(a) * uint64_t(b));
  case Op::div:
  case Op::mod:
  case Op::ceildiv:
    return quotientOf(op, a, b);
  case Op::eq:
    return a == b;
  case Op::ne:
    return a != b;
  case Op::lt:
    return a < b;
  case Op::le:
    return a <= b;
  case Op::gt:
    return a > b;
  case Op::ge:
    return a >= b;
  case Op::logicalAnd:
    return a && b;
  case Op::logicalOr:
    return a || b;
  case Op::min:
    return std::min(a, b);
  case Op::max:
    return std::max(a, b);
  case Op::orElse:
    return b ? b : a;
  default:
    return b;
  }
}

static bool isTruth(Op op) { return op >= Op::eq && op <= Op::ge; }

namespace {
/// A formula, and what of it no trial has tried so far.
class Formula {
public:
  Formula(const std::string &text, const std::vector<std::string> &names)
      : text(text) {
    // What cannot be parsed cannot be evaluated either, which is reported.
    if (!Expression::parse(text, names, expression).empty())
      return;
    for (auto [i, step] : llvm::enumerate(expression.steps()))
      if (auto question = questionOf(step))
        questions[i] = *question;
  }

  void look(llvm::ArrayRef<int64_t> arguments, int64_t resident) {
    if (questions.empty())
      return;
    std::vector<int64_t> stack;
    const auto &steps = expression.steps();
    for (size_t i = 0; i < steps.size(); ++i) {
      const Expression::Step &step = steps[i];
      int64_t b = take(step, arguments, resident, stack);
      if (step.op == Op::push) {
        stack.push_back(b);
      } else if (step.op == Op::negate) {
        stack.push_back(-b);
      } else if (step.op == Op::skipIfZero || step.op == Op::skipIfNonZero) {
        int64_t &top = stack.back();
        ask(i, top != 0, 0, 0);
        if ((top == 0) == (step.op == Op::skipIfZero)) {
          top = top != 0;
          i += step.value;
        }
      } else {
        int64_t a = stack.back();
        stack.back() = resultOf(step.op, a, b);
        ask(i, isTruth(step.op) && stack.back(), a, b);
      }
    }
  }

  const std::string text;
  /// By step.
  llvm::SmallMapVector<size_t, Question, 4> questions;

private:
  static int64_t take(const Expression::Step &step,
                      llvm::ArrayRef<int64_t> arguments, int64_t resident,
                      std::vector<int64_t> &stack) {
    if (step.op == Op::skipIfZero || step.op == Op::skipIfNonZero)
      return 0;
    switch (step.source) {
    case Source::argument:
      return arguments[step.value];
    case Source::constant:
      return step.value;
    case Source::resident:
      return resident;
    case Source::stack:
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
    else if (question.kind == Question::order || a >= 0)
      answer = question.answer({uint64_t(a), uint64_t(b)}, kWidth);
    if (!answer)
      return;
    (*answer ? question.wantsFirst : question.wantsSecond) = false;
    if (!question.wantsFirst && !question.wantsSecond)
      questions.erase(found);
  }

  Expression expression;
};
} // namespace

//===----------------------------------------------------------------------===//
// A plan's formulas
//===----------------------------------------------------------------------===//

/// All but the guard.
static std::vector<std::string> formulasOf(const PlanAlternative &alternative) {
  std::vector<std::string> texts;
  auto add = [&](llvm::ArrayRef<std::string> some) {
    for (const std::string &text : some)
      if (!text.empty() && !llvm::is_contained(texts, text))
        texts.push_back(text);
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
    }
  }
  return texts;
}

llvm::Error simulate::findUntriedFormulas(const Subject &subject,
                                          llvm::ArrayRef<Trial> trials,
                                          std::vector<Finding> &findings) {
  std::vector<std::string> names = subject.plan.args;
  names.push_back("ws");
  std::vector<Formula> formulas;
  for (const std::string &text :
       formulasOf(subject.plan.alternatives[subject.alternative]))
    formulas.emplace_back(text, names);
  for (const Trial &trial : trials) {
    auto launch = evaluate(subject, trial);
    if (!launch)
      return launch.takeError();
    for (Formula &formula : formulas)
      formula.look(launch->arguments, trial.mostClusters);
  }
  mlir::gpu::GPUFuncOp kernel = subject.kernel;
  for (const Formula &formula : formulas)
    if (!formula.questions.empty())
      findings.push_back(
          {Fault::untried,
           formatv("has a plan whose formula '{0}' {1}", formula.text,
                   formula.questions.front().second.str()),
           {kernel.getLoc(), "gpu.func", "", 0, 0, "", {}},
           std::nullopt,
           ""});
  return llvm::Error::success();
}
