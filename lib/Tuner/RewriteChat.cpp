//===- RewriteChat.cpp - Kernels from a language model --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RewriteChat.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/RewriteChat.h"
#include "hone/Chat/Answer.h"
#include "hone/Tuner/KernelQuestion.h"
#include "hone/Tuner/KernelShort.h"
#include "hone/Tuner/KernelTrial.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <list>

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

namespace {
/// The events of a round.
struct Counts {
  size_t asked = 0, answered = 0, candidates = 0, applied = 0, proven = 0,
         timed = 0;
};

class Evolution {
public:
  Evolution(mlir::MLIRContext &context, Chat &chat, StringRef path,
            const Arch &arch, const KernelChatOptions &options,
            KernelClock *clock)
      : context(context), chat(chat), path(path), arch(arch), options(options),
        clock(clock) {}
  Expected<WholeKernelFile> run();

private:
  Error begin();
  void tryMenu();
  void tryAnswers(int64_t round);
  ChatQuestion question(int64_t round, size_t island);
  void take(int64_t round, size_t island, const ChatAnswer &answer);
  void change(size_t island, const KernelChange &change, std::string origin);
  Error finish(int64_t round);
  std::vector<KernelTrial *> prove();
  std::vector<KernelTrial *> promising(std::vector<KernelTrial *> proven,
                                       int64_t round) const;
  Error time(std::vector<KernelTrial *> trials);
  void settle();
  void report(int64_t round) const;
  void refuse(size_t island, StringRef change, StringRef why);
  const Problem &problem() const {
    return clock ? clock->timed() : start->file.problem;
  }

  mlir::MLIRContext &context;
  Chat &chat;
  StringRef path;
  const Arch &arch;
  const KernelChatOptions &options;
  KernelClock *clock;

  MemberPtr start, best; ///< `best`: of the others
  bool isStartProven = false;
  std::optional<Population> population;
  std::map<std::string, MemberPtr> proven;  ///< by name
  std::map<std::string, std::string> known; ///< names that were tried: results
  std::list<KernelTrial> trials;            ///< of this round
  std::vector<std::vector<std::string>> refused; ///< by island, of this round
  Counts counts;
  std::string fault; ///< of the last question without an answer
  size_t answered = 0;
  int64_t timesLeft = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// The first kernel
//===----------------------------------------------------------------------===//

/// The kernel of the file takes part, proven or not.
Error Evolution::begin() {
  auto file = readWholeKernel(context, path, arch);
  if (!file)
    return file.takeError();
  start = std::make_shared<KernelMember>();
  start->file = std::move(*file);
  KernelTrial trial;
  trial.member = start;
  KernelTrial *all[] = {&trial};
  proveTrials(all, arch, problem());
  isStartProven = trial.why.empty();
  if (!isStartProven)
    llvm::errs() << formatv("{0}: not proven: {1}\n", path, trial.why);
  proven[start->name()] = start;
  known[start->name()] = "the one that is there";
  population.emplace(start, size_t(options.islands));
  refused.resize(size_t(options.islands));
  timesLeft = options.timed;
  return Error::success();
}

void Evolution::tryMenu() {
  size_t island = 0;
  for (const std::string &name : rewritesOf(context, start->file.kernel.text)) {
    ++counts.candidates;
    change(island++ % population->size(), {start->name(), {name}, {}}, "menu");
  }
}

//===----------------------------------------------------------------------===//
// Questions and answers
//===----------------------------------------------------------------------===//

ChatQuestion Evolution::question(int64_t round, size_t island) {
  constexpr size_t kWinners = 6;
  uint64_t drawn = llvm::xxh3_64bits(
      formatv("{0} {1} {2}", options.seed, round, island).str());
  std::vector<MemberPtr> parents = population->parents(island, drawn);
  std::vector<MemberPtr> winners = population->winners(kWinners);
  std::vector<std::string> rewrites =
      rewritesOf(context, parents.front()->file.kernel.text);
  ChatQuestion question;
  question.topic = formatv("{0}x{1}x{2} kernel round {3} island {4} on {5}: "
                           "{6}, {7}",
                           problem().m, problem().n, problem().k, round, island,
                           arch.chip, problem().str(), start->name());
  question.system = kernelSystemText();
  question.text = kernelQuestionText({start->file, problem(), arch, parents,
                                      winners, rewrites, refused[island]});
  std::vector<std::string> names;
  for (const MemberPtr &parent : parents)
    names.push_back(parent->name());
  question.schema = kernelAnswerSchema(names);
  question.grammar = kernelAnswerGrammar(names);
  question.answerTokens = chat.answerTokens();
  question.seed = options.seed + round * options.islands + int64_t(island);
  return question;
}

/// All questions of a round are asked before the first answer is awaited.
void Evolution::tryAnswers(int64_t round) {
  std::vector<std::shared_future<ChatAnswer>> answers;
  for (size_t island = 0; island < population->size(); ++island)
    answers.push_back(chat.ask(question(round, island)));
  counts.asked = answers.size();
  for (std::vector<std::string> &reasons : refused)
    reasons.clear();
  for (auto [island, answer] : llvm::enumerate(answers))
    take(round, island, answer.get());
}

void Evolution::take(int64_t round, size_t island, const ChatAnswer &answer) {
  if (!answer.isOk()) {
    fault = answer.fault;
    chat.remark(fault);
    return;
  }
  ++counts.answered;
  ++answered;
  if (answer.isCut)
    return refuse(island, "",
                  "expected a whole answer, but got one that was cut off");
  Expected<KernelAnswer> read = parseKernelAnswer(answer.text);
  if (!read)
    return refuse(island, "", llvm::toString(read.takeError()));
  counts.candidates += read->changes.size() + read->refused.size();
  for (const std::string &why : read->refused)
    refuse(island, "", why);
  for (const KernelChange &one : read->changes)
    change(
        island, one,
        formatv("round {0}, island {1}, \"{2}\"", round, island, read->plan));
}

void Evolution::refuse(size_t island, StringRef change, StringRef why) {
  constexpr size_t kMaxReasons = 8, kMaxBytes = 600, kMaxChange = 300;
  if (refused[island].size() < kMaxReasons)
    refused[island].push_back((why.take_front(kMaxBytes).trim() +
                               (change.empty() ? "" : "\nof ") +
                               change.take_front(kMaxChange) + "\n")
                                  .str());
}

/// Makes the kernel of a change. A kernel that was tried before is not tried
/// again.
void Evolution::change(size_t island, const KernelChange &change,
                       std::string origin) {
  KernelTrial trial;
  trial.island = island;
  trial.change = change.str();
  auto parent = proven.find(change.parent);
  if (parent == proven.end())
    return refuse(island, trial.change,
                  "expected the name of a kernel that the question shows, but "
                  "got another");
  const Shorthand shorthand(start->file.kernel.text);
  KernelChange whole = change;
  for (Edit &edit : whole.edits)
    edit = {shorthand.restore(edit.find), shorthand.restore(edit.replace)};
  auto text = changedText(context, parent->second->file.kernel.text, whole);
  if (!text)
    return refuse(island, trial.change, llvm::toString(text.takeError()));
  readTrial(context, path, arch, *text, trial);
  if (!trial.why.empty())
    return refuse(island, trial.change, trial.why);
  auto [at, isNew] = known.try_emplace(trial.member->name(), "in this round");
  if (!isNew)
    return refuse(island, trial.change,
                  "expected another kernel, but got one that was tried "
                  "before: " +
                      at->second);
  trial.member->origin = origin + ": " + trial.change;
  trial.member->niche =
      nicheOf(start->file.kernel.text, trial.member->file.kernel.text);
  trials.push_back(std::move(trial));
  ++counts.applied;
}

//===----------------------------------------------------------------------===//
// Proofs and times
//===----------------------------------------------------------------------===//

std::vector<KernelTrial *> Evolution::prove() {
  std::vector<KernelTrial *> all, right;
  for (KernelTrial &trial : trials)
    all.push_back(&trial);
  proveTrials(all, arch, problem());
  for (KernelTrial *trial : all)
    if (trial->why.empty()) {
      right.push_back(trial);
      proven[trial->member->name()] = trial->member;
    }
  counts.proven = right.size();
  return right;
}

/// The kernels to time: those of the fewest ticks, but the best of each niche
/// first. Each round has an equal share of the times that are left.
std::vector<KernelTrial *> Evolution::promising(std::vector<KernelTrial *> some,
                                                int64_t round) const {
  llvm::stable_sort(some, [](const KernelTrial *one, const KernelTrial *other) {
    return isBetter(*one->member, *other->member);
  });
  std::map<std::string, int> seen;
  std::map<const KernelTrial *, int> rank;
  for (const KernelTrial *trial : some)
    rank[trial] = seen[trial->member->niche]++;
  llvm::stable_sort(some,
                    [&](const KernelTrial *one, const KernelTrial *other) {
                      return rank[one] < rank[other];
                    });
  int64_t rounds = options.rounds - round + 1;
  int64_t share = (timesLeft + rounds - 1) / rounds;
  some.resize(std::min<size_t>(some.size(), size_t(share)));
  return some;
}

/// One final of the kernels, the fastest before them, the original, and the
/// kernel of the file.
Error Evolution::time(std::vector<KernelTrial *> some) {
  std::vector<const WholeKernelFile *> files;
  std::vector<MemberPtr> rivals;
  for (const KernelTrial *trial : some)
    files.push_back(&trial->member->file);
  if (best)
    rivals.push_back(best);
  if (isStartProven)
    rivals.push_back(start);
  for (const MemberPtr &rival : rivals)
    files.push_back(&rival->file);
  auto times = clock->time(files);
  if (!times)
    return times.takeError();
  counts.timed = some.size();
  timesLeft -= int64_t(some.size());
  double base = times->back().seconds;
  auto set = [&](KernelMember &member, const KernelTime &time) {
    // If a rival fails now, its earlier time stays.
    if (!time.refusal.empty())
      return;
    member.seconds = time.seconds;
    member.fraction = time.seconds / base;
  };
  for (auto [at, rival] : llvm::enumerate(rivals))
    set(*rival, (*times)[some.size() + at]);
  for (auto [at, trial] : llvm::enumerate(some)) {
    trial->why = (*times)[at].refusal;
    set(*trial->member, (*times)[at]);
    if (trial->why.empty() && (!best || isBetter(*trial->member, *best)))
      best = trial->member;
  }
  return Error::success();
}

/// Trials become members, or reasons.
void Evolution::settle() {
  for (KernelTrial &trial : trials) {
    bool isRight = trial.why.empty();
    known[trial.member->name()] =
        isRight ? timeText(*trial.member) : StringRef(trial.why).trim().str();
    if (isRight)
      population->add(trial.island, trial.member);
    else
      refuse(trial.island, trial.change, trial.why);
  }
  trials.clear();
  population->migrate();
}

/// The end of a round.
Error Evolution::finish(int64_t round) {
  std::vector<KernelTrial *> right = prove();
  if (clock) {
    std::vector<KernelTrial *> some = promising(right, round);
    if (!some.empty())
      if (Error error = time(std::move(some)))
        return error;
  } else if (!right.empty()) {
    best = (*llvm::min_element(right, [](auto *one, auto *other) {
             return isBetter(*one->member, *other->member);
           }))->member;
  }
  settle();
  report(round);
  counts = {};
  return Error::success();
}

void Evolution::report(int64_t round) const {
  constexpr size_t kReasons = 3, kBytes = 480;
  llvm::errs() << formatv("round {0}: asked {1}, answered {2}, candidates {3}, "
                          "applied {4}, proven {5}, timed {6}; best: {7}\n",
                          round, counts.asked, counts.answered,
                          counts.candidates, counts.applied, counts.proven,
                          counts.timed, best ? timeText(*best) : "none");
  size_t shown = 0;
  for (const std::vector<std::string> &reasons : refused)
    for (StringRef reason : reasons)
      if (shown++ < kReasons)
        llvm::errs() << "  refused: "
                     << printable(reason.split('\n').first, kBytes) << "\n";
}

Expected<WholeKernelFile> Evolution::run() {
  if (Error error = begin())
    return std::move(error);
  if (clock) {
    tryMenu();
    if (Error error = finish(0))
      return std::move(error);
  }
  for (int64_t round = 1; round <= options.rounds; ++round) {
    tryAnswers(round);
    if (counts.answered == 0)
      break;
    if (Error error = finish(round))
      return std::move(error);
    if (best && !clock)
      break;
  }
  if (answered == 0)
    return llvm::createStringError(fault);
  if (!best)
    return llvm::createStringError(
        formatv("expected a kernel that can be proven, but got none in {0} "
                "answers",
                answered));
  llvm::errs() << formatv("fastest: {0}, {1}; {2}\n", best->name(),
                          timeText(*best), best->origin);
  if (start->fraction > 0)
    llvm::errs() << formatv("{0} itself: {1}\n", path, timeText(*start));
  return best->file;
}

Expected<WholeKernelFile> hone::askForKernel(mlir::MLIRContext &context,
                                             Chat &chat, StringRef path,
                                             const Arch &arch,
                                             const KernelChatOptions &options,
                                             KernelClock *clock) {
  return Evolution(context, chat, path, arch, options, clock).run();
}
