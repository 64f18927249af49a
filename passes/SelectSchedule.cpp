//===- SelectSchedule.cpp - A schedule for every matmul -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the schedule from the first of these that has one: the op itself, the
// option, the sources, the default. A schedule that a person wrote (on the op,
// or as the option) must be legal: breaking a law is an error. A source's
// answer is a proposal: one that breaks a law is skipped with a remark. The
// decision is written into the IR, with a remark that names the winner and the
// runner-up.
//
//===----------------------------------------------------------------------===//

#include "passes/SelectSchedule.h"
#include "SourceAnswers.h"
#include "dialects/Hone/Hone.h"
#include "passes/Support.h"
#include "passes/WholeKernel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/xxhash.h"
#include <map>

namespace hone {
#define GEN_PASS_DEF_SELECTSCHEDULE
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

namespace {

/// SourceAnswers by arch and problem.
using Memory = llvm::StringMap<std::unique_ptr<SourceAnswers>>;

/// The problem of one op, and the providers of its answers.
struct Question {
  MatmulOp op;
  Problem problem;
  Arch arch;
  const std::optional<RangedSchedule> &option;
  SourceAnswers &answers;
};

struct SelectSchedulePass : hone::impl::SelectScheduleBase<SelectSchedulePass> {
  using SelectScheduleBase::SelectScheduleBase;
  SelectSchedulePass(SelectScheduleOptions options, ScheduleSources sources)
      : SelectScheduleBase(std::move(options)), sources(std::move(sources)),
        hasSources(true) {}
  SelectSchedulePass(SelectScheduleOptions options, SourceFactory makeSources,
                     SelectionSink selected)
      : SelectScheduleBase(std::move(options)),
        makeSources(std::move(makeSources)), selected(std::move(selected)) {
    hasSources = bool(this->makeSources);
  }

  LogicalResult initialize(MLIRContext *) override;
  void runOnOperation() override;

private:
  LogicalResult openSources(MLIRContext *context);
  LogicalResult verifyArch(Location location, StringRef name);
  Basis minBasis() const;
  LogicalResult verifyBasis(const Question &question, const Answer &winner);
  LogicalResult verifySources(MatmulOp op);
  LogicalResult select(MatmulOp op, const Arch &arch, Memory &memory);
  void fetchKernel(const Schedule &schedule);
  void warnOfDatabase(const Memory &memory);
  void tellNotices(const Memory &memory);

  ScheduleSources sources;
  SourceFactory makeSources;
  SelectionSink selected;
  /// True if the caller gave sources, even an empty list.
  bool hasSources = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// One decision
//===----------------------------------------------------------------------===//

/// The option's schedules for this problem. If the extent of the ranges is
/// known, the answer is one schedule.
static Answer answerOf(const RangedSchedule &option, const Problem &problem) {
  Answer answer = {option.last, "the schedule option", Basis::written};
  if (option.ranges.empty())
    return answer;
  int64_t extent = namedExtent(problem, option.ranges.front().extent);
  if (extent == kDynamic)
    answer.ranges = option.ranges;
  else
    answer.schedule = option.at(extent);
  return answer;
}

/// The schedules that a person wrote, most specific first.
static SmallVector<Answer, 2> writtenAnswers(const Question &question) {
  SmallVector<Answer, 2> answers;
  MatmulOp op = question.op;
  if (op.getScheduleAttr()) {
    RangedSchedule pinned = op.getSchedules();
    answers.push_back({pinned.last, "the op's own schedule", Basis::written,
                       std::move(pinned.ranges)});
  }
  if (question.option)
    answers.push_back(answerOf(*question.option, question.problem));
  return answers;
}

/// The first `wanted` answers whose basis is `min` or better; if there is
/// none, the first of all. The first may be illegal if a person wrote it or it
/// is the default.
static Selection decide(const Question &question, Basis min, size_t wanted) {
  SmallVector<Answer, 2> answers = writtenAnswers(question);
  for (size_t number = 0; answers.size() < wanted; ++number) {
    const Answer *answer = question.answers.get(number);
    if (!answer)
      break;
    if (answer->basis <= min)
      answers.push_back(*answer);
  }
  if (answers.empty())
    answers.push_back(*question.answers.get(0));
  Selection selection = {answers.front(), std::nullopt};
  if (answers.size() > 1)
    selection.runnerUp = answers[1];
  return selection;
}

static std::string describe(const Selection &selection,
                            const Problem &problem) {
  return selection.winner.text() + " from " + selection.reason() + ", for " +
         problem.str();
}

//===----------------------------------------------------------------------===//
// Archs and bases that a build may require
//===----------------------------------------------------------------------===//

/// Checks the arch; `native` and `host` mean this machine.
LogicalResult SelectSchedulePass::verifyArch(Location location,
                                             StringRef name) {
  if (!deterministic || (name != "native" && name != "host"))
    return success();
  return emitError(location)
         << "expected the name of a chip or an instruction set "
            "(deterministic), but got '"
         << name << "', which depends on the machine";
}

Basis SelectSchedulePass::minBasis() const {
  if (require == Require::exact)
    return Basis::exact;
  return require == Require::measured ? Basis::nearest : Basis::fallback;
}

LogicalResult SelectSchedulePass::verifyBasis(const Question &question,
                                              const Answer &winner) {
  Basis min = minBasis();
  if (winner.basis <= min)
    return success();
  MatmulOp op = question.op;
  return op.emitOpError()
         << "expected a schedule that was measured for this problem"
         << (min == Basis::nearest ? " or a similar one (require=measured)"
                                   : " (require=exact)")
         << ", but got one from " << winner.source
         << "; use 'hone tune', or pin a schedule, for "
         << question.problem.str() << " on " << question.arch.chip;
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
  FailureOr<ScheduleSources> made =
      makeSources(context, {database, guess, shipped, ranges,
                            /*soundOnly=*/minBasis() != Basis::fallback});
  if (failed(made))
    return failure();
  sources = std::move(*made);
  return success();
}

LogicalResult SelectSchedulePass::initialize(MLIRContext *context) {
  if (failed(openSources(context)))
    return failure();
  if (!schedule.fault().empty())
    return emitError(UnknownLoc::get(context))
           << "option 'schedule': " << schedule.fault();
  return success();
}

/// Without this check, a program that omits the sources would silently get the
/// default for everything, at a fraction of the speed.
LogicalResult SelectSchedulePass::verifySources(MatmulOp op) {
  bool isAsked =
      (guess || shipped) && !op.getScheduleAttr() && !schedule.isGiven();
  if (hasSources || !isAsked)
    return success();
  return op.emitOpError()
         << "expected sources of schedules, but this program gives "
            "hone-select-schedule none; use hone::buildPipeline of "
            "hone/Plugin/Register.h, a SourceFactory, or the options "
            "guess=false shipped=false for the default schedule";
}

LogicalResult SelectSchedulePass::select(MatmulOp op, const Arch &defaultArch,
                                         Memory &memory) {
  if (failed(verifySources(op)))
    return failure();
  ArchAttr pinned = op.getArchAttr();
  if (pinned && failed(verifyArch(op.getLoc(), pinned.getName())))
    return failure();
  Problem problem = op.getProblem();
  Arch arch = pinned ? pinned.getValue() : defaultArch;
  std::unique_ptr<SourceAnswers> &answers =
      memory[arch.name + "\n" + problem.str()];
  if (!answers)
    answers = std::make_unique<SourceAnswers>(sources, problem, arch);
  Question question = {op, problem, arch, schedule.schedules(), *answers};
  // The runner-up is computed only where it is shown.
  Selection selection = decide(question, minBasis(), selected ? 2 : 1);
  const Answer &winner = selection.winner;
  if (std::optional<std::string> law = check(winner, &problem, &arch))
    return op.emitOpError() << *law << " (" << winner.source << ")";
  if (failed(verifyBasis(question, winner)))
    return failure();
  remarkPassed(op, "schedule", [&] {
    return describe(decide(question, minBasis(), 2), problem);
  });
  for (const std::string &text : answers->getPassedOver())
    remarkMissed(op, "answer-passed-over", text);
  // From here on the op has a schedule of its own.
  op.setArchAttr(ArchAttr::get(op.getContext(), arch));
  op.setScheduleAttr(ScheduleAttr::get(op.getContext(), winner.schedule));
  if (!winner.ranges.empty())
    op.setRangesAttr(RangesAttr::get(op.getContext(), winner.ranges));
  fetchKernel(winner.schedule);
  for (const ScheduleRange &range : winner.ranges)
    fetchKernel(range.schedule);
  if (selected)
    selected(op, selection);
  return success();
}

/// Puts the text of a whole kernel into the module. If no source has it, the
/// builder reports that, or builds the kernel that it replaces.
void SelectSchedulePass::fetchKernel(const Schedule &schedule) {
  std::optional<std::string> name = wholeKernelOf(schedule);
  if (!name || hasWholeKernel(getOperation(), *name))
    return;
  for (const auto &source : sources)
    if (std::optional<std::string> text = source->kernel(*name)) {
      WholeKernel kernel = {*name, std::move(*text)};
      if (!faultOf(kernel))
        return addWholeKernel(getOperation(), kernel);
    }
}

/// Remarks on every schedule of an arch; `name` is the option's value.
static std::vector<std::string> noticesOf(const Arch &arch, StringRef name) {
  constexpr int kNewestWithKind = 90;
  std::vector<std::string> notices;
  StringRef whole = StringRef(arch.name).split('/').first;
  if (name == "native" && whole == arch.isa)
    notices.push_back("the GPU of this computer is in no table of chips: its "
                      "kernels are built for " +
                      arch.name + ", which runs there");
  if (arch.capability > kNewestWithKind)
    notices.push_back("no kind of schedule is made for " + arch.name +
                      ": mma_sync serves it, with the tensor core "
                      "instructions of sm_80");
  return notices;
}

/// The archs that sources were asked about, by name.
static std::map<std::string, const Arch *> askedArchs(const Memory &memory) {
  std::map<std::string, const Arch *> archs;
  for (const auto &[text, answers] : memory)
    if (answers->wasAsked())
      archs.try_emplace(answers->getArch().name, &answers->getArch());
  return archs;
}

/// Warns if the database has no measurements of an arch, as after a choice of
/// the wrong file. The source of the database is the first.
void SelectSchedulePass::warnOfDatabase(const Memory &memory) {
  if (database.empty() || sources.empty())
    return;
  for (const auto &[name, asked] : askedArchs(memory))
    for (StringRef notice : sources.front()->notices(*asked))
      if (StringRef text = notice.split(": ").second;
          text.starts_with("expected"))
        emitWarning(UnknownLoc::get(&getContext()))
            << "option 'database': '" << database << "': " << text
            << "; use 'hone tune' on " << asked->chip << ", or another file";
}

/// Emits the notices about the archs that were queried, and those of sources.
void SelectSchedulePass::tellNotices(const Memory &memory) {
  std::map<std::string, const Arch *> archs = askedArchs(memory);
  for (const auto &[name, asked] : archs)
    for (const std::string &notice : noticesOf(*asked, arch))
      remarkMissed(getOperation(), "arch", notice);
  llvm::StringSet<> told;
  for (const auto &[name, asked] : archs)
    for (const auto &source : sources)
      for (const std::string &notice : source->notices(*asked))
        if (told.insert(notice).second)
          remarkMissed(getOperation(), "sources", notice);
}

/// A digest for programs that must make the same decisions, such as the ranks
/// of one job.
static std::string digestOf(ArrayRef<MatmulOp> matmuls) {
  std::string text;
  for (MatmulOp op : matmuls)
    text += (op.getArchAttr().getName() + "\n" + op.getProblem().str() + "\n" +
             toString(op.getSchedules()) + "\n")
                .str();
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true,
                         /*Width=*/16);
}

void SelectSchedulePass::runOnOperation() {
  std::optional<Arch> resolved;
  if (succeeded(verifyArch(UnknownLoc::get(&getContext()), arch)))
    resolved = resolveArchOption(getOperation(), arch);
  if (!resolved)
    return signalPassFailure();
  SmallVector<MatmulOp> matmuls;
  getOperation().walk([&](MatmulOp op) { matmuls.push_back(op); });
  if (matmuls.empty())
    return remarkMissed(getOperation(), "schedule",
                        "no hone.matmul in this module");
  Memory memory;
  bool allSelected = true;
  for (MatmulOp op : matmuls)
    allSelected &= succeeded(select(op, *resolved, memory));
  warnOfDatabase(memory);
  if (!allSelected)
    return signalPassFailure();
  if (!getContext().getRemarkEngine())
    return;
  tellNotices(memory);
  remarkPassed(getOperation(), "schedules",
               Twine(matmuls.size()) + " matmuls, " + Twine(memory.size()) +
                   " problems, digest " + digestOf(matmuls));
}

std::unique_ptr<Pass> hone::createSelectSchedule(SelectScheduleOptions options,
                                                 ScheduleSources sources) {
  return std::make_unique<SelectSchedulePass>(std::move(options),
                                              std::move(sources));
}

std::unique_ptr<Pass> hone::createSelectSchedule(SelectScheduleOptions options,
                                                 SourceFactory makeSources,
                                                 SelectionSink selected) {
  return std::make_unique<SelectSchedulePass>(
      std::move(options), std::move(makeSources), std::move(selected));
}
