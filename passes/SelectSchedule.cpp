//===- SelectSchedule.cpp - A schedule for every matmul -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks, in this order, the op itself, the option, the sources and the default.
// What a person wrote (on the op, as the option) must be legal: breaking a law
// is an error. What a source answers is a proposal: one that breaks a law is
// passed over with a remark. The decision is written into the IR, with a remark
// that names the winner and the runner-up.
//
//===----------------------------------------------------------------------===//

#include "passes/SelectSchedule.h"
#include "dialects/Hone/Hone.h"
#include "passes/Support.h"
#include "llvm/ADT/StringExtras.h"

namespace hone {
#define GEN_PASS_DEF_SELECTSCHEDULE
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

namespace {

/// The question of one op, and where its answers come from.
struct Question {
  MatmulOp op;
  Problem problem;
  Arch arch;
  const std::optional<Schedule> &option;
  const ScheduleSources &sources;
};

/// The answer that is taken, and the one that would have been without it.
struct Decision {
  Answer winner;
  std::optional<Answer> runnerUp;
};

struct SelectSchedulePass : hone::impl::SelectScheduleBase<SelectSchedulePass> {
  using SelectScheduleBase::SelectScheduleBase;
  SelectSchedulePass(SelectScheduleOptions options, ScheduleSources sources)
      : SelectScheduleBase(std::move(options)), sources(std::move(sources)) {}
  SelectSchedulePass(SelectScheduleOptions options, SourceFactory makeSources)
      : SelectScheduleBase(std::move(options)),
        makeSources(std::move(makeSources)) {}

  LogicalResult initialize(MLIRContext *) override;
  void runOnOperation() override;

private:
  LogicalResult select(MatmulOp op, const Arch &arch);

  LogicalResult openSources(MLIRContext *context);

  ScheduleSources sources;
  SourceFactory makeSources;
  std::optional<Schedule> parsedOption;
};

} // namespace

//===----------------------------------------------------------------------===//
// One decision
//===----------------------------------------------------------------------===//

/// What a person wrote, most specific first.
static SmallVector<Answer, 2> writtenAnswers(const Question &question) {
  SmallVector<Answer, 2> answers;
  MatmulOp op = question.op;
  if (ScheduleAttr pinned = op.getScheduleAttr())
    answers.push_back({pinned.getValue(), "the op's own schedule"});
  if (question.option)
    answers.push_back({*question.option, "the schedule option"});
  return answers;
}

/// The next of `sources` that has a legal answer; advances `next` past it.
static std::optional<Answer> askSources(const Question &question,
                                        size_t &next) {
  while (next < question.sources.size()) {
    std::optional<Answer> answer =
        question.sources[next++]->ask(question.problem, question.arch);
    if (!answer)
      continue;
    std::optional<std::string> law =
        check(answer->schedule, &question.problem, &question.arch);
    if (!law)
      return answer;
    remarkMissed(question.op, "answer-passed-over",
                 answer->source + " proposes '" +
                     hone::toString(answer->schedule) + "', but " + *law);
  }
  return std::nullopt;
}

/// The first two answers. The first may be illegal; then it is a person's or
/// the default.
static Decision decide(const Question &question) {
  SmallVector<Answer, 2> answers = writtenAnswers(question);
  size_t next = 0;
  while (answers.size() < 2) {
    std::optional<Answer> answer = askSources(question, next);
    if (!answer)
      break;
    answers.push_back(std::move(*answer));
  }
  if (answers.size() < 2)
    answers.push_back(*DefaultSource().ask(question.problem, question.arch));
  Decision decision = {answers.front(), std::nullopt};
  if (answers.size() > 1)
    decision.runnerUp = answers[1];
  return decision;
}

static std::string describe(const Decision &decision, const Problem &problem) {
  std::string text = hone::toString(decision.winner.schedule) + " from " +
                     decision.winner.source;
  if (decision.runnerUp)
    text += ", before " + hone::toString(decision.runnerUp->schedule) +
            " from " + decision.runnerUp->source;
  return text + ", for " + problem.str();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

LogicalResult SelectSchedulePass::openSources(MLIRContext *context) {
  if (!makeSources) {
    if (database.empty())
      return success();
    return emitError(UnknownLoc::get(context))
           << "option 'database': expected a program that can read '"
           << database
           << "', but this one was built without; use libhone's registration";
  }
  llvm::Expected<ScheduleSources> made = makeSources(database, guess);
  if (!made)
    return emitError(UnknownLoc::get(context))
           << "option 'database': " << llvm::toString(made.takeError());
  sources = std::move(*made);
  return success();
}

LogicalResult SelectSchedulePass::initialize(MLIRContext *context) {
  if (failed(openSources(context)))
    return failure();
  parsedOption = std::nullopt;
  if (schedule.empty())
    return success();
  llvm::Expected<Schedule> parsed = parseSchedule(schedule);
  if (!parsed)
    return emitError(UnknownLoc::get(context))
           << "option 'schedule': " << llvm::toString(parsed.takeError());
  parsedOption = *parsed;
  return success();
}

LogicalResult SelectSchedulePass::select(MatmulOp op, const Arch &defaultArch) {
  ArchAttr pinned = op.getArchAttr();
  Question question = {op, op.getProblem(),
                       pinned ? pinned.getValue() : defaultArch, parsedOption,
                       sources};
  Decision decision = decide(question);
  const Schedule &winner = decision.winner.schedule;
  if (std::optional<std::string> law =
          check(winner, &question.problem, &question.arch))
    return op.emitOpError() << *law << " (" << decision.winner.source << ", '"
                            << hone::toString(winner) << "')";
  op.setArchAttr(ArchAttr::get(op.getContext(), question.arch.name));
  op.setScheduleAttr(ScheduleAttr::get(op.getContext(), winner));
  remarkPassed(op, "schedule", describe(decision, question.problem));
  return success();
}

void SelectSchedulePass::runOnOperation() {
  std::optional<Arch> resolved = resolveArchOption(getOperation(), arch);
  if (!resolved)
    return signalPassFailure();
  SmallVector<MatmulOp> matmuls;
  getOperation().walk([&](MatmulOp op) { matmuls.push_back(op); });
  if (matmuls.empty())
    remarkMissed(getOperation(), "schedule", "no hone.matmul in this module");
  bool allSelected = true;
  for (MatmulOp op : matmuls)
    allSelected &= succeeded(select(op, *resolved));
  if (!allSelected)
    signalPassFailure();
}

std::unique_ptr<Pass> hone::createSelectSchedule(SelectScheduleOptions options,
                                                 ScheduleSources sources) {
  return std::make_unique<SelectSchedulePass>(std::move(options),
                                              std::move(sources));
}

std::unique_ptr<Pass> hone::createSelectSchedule(SelectScheduleOptions options,
                                                 SourceFactory makeSources) {
  return std::make_unique<SelectSchedulePass>(std::move(options),
                                              std::move(makeSources));
}
