//===- RewriteChat.cpp - Kernels from a language model --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RewriteChat.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/RewriteChat.h"
#include "hone/Check/Prove.h"
#include "hone/Text/Json.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Support.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The clock
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<KernelClock>> KernelClock::start(Problem problem,
                                                          StringRef device,
                                                          StringRef rehearse,
                                                          StringRef worker) {
  std::vector<std::string> devices;
  if (!device.empty())
    devices.push_back(device.str());
  auto settings =
      WorkerOptions::make(worker.str(), std::move(devices), rehearse);
  if (!settings)
    return settings.takeError();
  auto clock = std::make_unique<KernelClock>();
  clock->problem = std::move(problem);
  settings->kernelText = [&texts = clock->texts](StringRef name) {
    auto at = texts.find(name.str());
    return at == texts.end() ? std::string() : at->second;
  };
  if (Error error =
          Workers::start(std::move(*settings)).moveInto(clock->workers))
    return std::move(error);
  return clock;
}

/// The recorded reason why a candidate has no time.
static std::string refusalOf(const Record &record) {
  return formatv("{0}: {1}", toString(record.status), record.reason).str();
}

/// A search that tries only these schedules.
Expected<SearchResult> KernelClock::search(std::vector<Schedule> schedules,
                                           Database *database,
                                           const SearchHooks &hooks) {
  auto results =
      Search(*workers, database,
             contestOf({{problem.str(), std::move(schedules)}}), hooks)
          .run({problem});
  if (!results)
    return results.takeError();
  return std::move(results->front());
}

/// The last record of each schedule is the final's.
Expected<KernelClock::Records>
KernelClock::final(std::vector<Schedule> schedules) {
  Records received;
  SearchHooks hooks;
  hooks.received = [&](const Record &record) {
    received[toString(record.schedule)] = record;
  };
  auto result = search(schedules, /*database=*/nullptr, hooks);
  if (!result)
    return result.takeError();
  for (const Schedule &schedule : schedules)
    if (!received.count(toString(schedule)))
      return llvm::createStringError(
          "expected times, but the search ended before it had them");
  return received;
}

Expected<KernelTimes> KernelClock::time(const WholeKernelFile &file,
                                        const WholeKernelFile *rival) {
  texts[file.kernel.name] = file.kernel.text;
  std::vector<Schedule> schedules = {file.base, file.schedule};
  if (rival)
    schedules.push_back(rival->schedule);
  auto received = final(schedules);
  if (!received)
    return received.takeError();
  const Record &kernel = received->at(toString(file.schedule)),
               &base = received->at(toString(file.base));
  KernelTimes times;
  if (!kernel.isOk()) {
    times.refusal = refusalOf(kernel);
    return times;
  }
  if (!base.isOk())
    return llvm::createStringError(
        "expected a time of the schedule that the kernel began as, but got " +
        refusalOf(base));
  times.kernel = kernel.times.median;
  times.base = base.times.median;
  // If the rival fails now, it has no time.
  if (rival)
    if (const Record &before = received->at(toString(rival->schedule));
        before.isOk())
      times.rival = before.times.median;
  return times;
}

Expected<Schedule> KernelClock::keep(const WholeKernelFile &file,
                                     const std::string &path) {
  auto database = Database::open(path, Access::write);
  if (!database)
    return database.takeError();
  if (Error error = database->add({}, file.kernel))
    return std::move(error);
  auto result = search({file.base, file.schedule}, &*database, {});
  if (!result)
    return result.takeError();
  if (!result->chosen)
    return llvm::createStringError(
        "expected a choice, but the search ended without one");
  return *result->chosen;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

static constexpr StringRef kSystem =
    "You make GPU kernels faster. A kernel is written in an MLIR dialect in "
    "which one op is one hardware event: loads by the copy engine into a ring "
    "of slots, barriers with phases, groups of products, stores. Nothing is "
    "synchronized unless an op does it.";

static constexpr StringRef kWanted =
    "Write the kernel anew so that it is faster and computes the same. Move, "
    "remove, add or exchange ops. Keep the function's name, its parameters and "
    "its attributes, and use ops of the dialects kernel, arith, math, scf and "
    "gpu only: the launch is as it is, with its threads, its grid, its tensor "
    "maps and its shared memory. A simulator will check every order of events "
    "and every number.\n"
    "Answer with a JSON object: \"plan\", one sentence about what you change, "
    "and \"kernel\", the text of the whole gpu.func.\n";

static constexpr StringRef kSchema =
    R"({"type":"object","properties":{"plan":{"type":"string"},)"
    R"("kernel":{"type":"string"}},"required":["plan","kernel"],)"
    R"("additionalProperties":false})";

static constexpr StringRef kGrammar =
    R"(root ::= "{\"plan\":" text ",\"kernel\":" text "}"
text ::= "\"" ([^"\\\x00-\x1f] | "\\" ["\\/nt])* "\""
)";

namespace {
/// The result of an answer.
struct Attempt {
  std::string kernel; ///< as it was read, so that places in it agree
  std::string why;
  std::optional<WholeKernelFile> file; ///< if it is proven
  std::optional<KernelTimes> times;    ///< if it is also correct
};

/// Questions and answers about one kernel.
class Dialogue {
public:
  Dialogue(mlir::MLIRContext &context, Chat &chat, StringRef path,
           const Arch &arch, KernelClock *clock, WholeKernelFile start)
      : context(context), chat(chat), path(path), arch(arch), clock(clock),
        start(std::move(start)) {}
  Expected<WholeKernelFile> run(int64_t attempts);

private:
  ChatQuestion question(int64_t number) const;
  Expected<WholeKernelFile> read(const ChatAnswer &answer, Attempt &attempt);
  Expected<WholeKernelFile> judge(Attempt &attempt);
  Error refuseKnown(const WholeKernelFile &file) const;
  Error time(Attempt &attempt);
  Expected<Attempt> attemptOf(const ChatAnswer &answer);

  mlir::MLIRContext &context;
  Chat &chat;
  StringRef path;
  const Arch &arch;
  KernelClock *clock;
  WholeKernelFile start;
  std::optional<Attempt> last, best;
  std::map<std::string, std::string> said; ///< results, by kernel name
};
} // namespace

/// The question with the fastest kernel so far, and the last answer's result if
/// that is another kernel.
ChatQuestion Dialogue::question(int64_t number) const {
  ChatQuestion question;
  question.system = kSystem.str();
  question.text = kWanted.str();
  question.text +=
      formatv("\nIt computes {0}, by the schedule {1}.\n\n{2}\n",
              start.problem.str(), toString(start.base), start.kernel.text);
  if (best && best->kernel != last->kernel)
    question.text += formatv("\nThe fastest that you wrote takes {0}. It is"
                             "\n\n{1}\n",
                             best->why, best->kernel);
  if (last)
    question.text +=
        formatv("\nYour last answer was {0}:\n{1}\nIt was\n\n{2}\n",
                last->times ? "right" : "refused", last->why, last->kernel);
  question.schema = kSchema.str();
  question.grammar = kGrammar.str();
  question.answerTokens = chat.answerTokens();
  question.seed = number;
  return question;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

/// The kernel in a JSON object, or in a text around one.
static Expected<std::string> kernelIn(StringRef answer) {
  StringRef object = answer;
  object = object.substr(object.find('{'));
  object = object.substr(0, object.rfind('}') + 1);
  Expected<llvm::json::Value> value = parseUntrustedJson(object);
  const llvm::json::Object *fields = value ? value->getAsObject() : nullptr;
  if (!value)
    llvm::consumeError(value.takeError());
  if (std::optional<StringRef> kernel =
          fields ? fields->getString("kernel") : std::nullopt)
    return kernel->str();
  StringRef rest = answer.substr(answer.find("gpu.func"));
  if (!rest.empty())
    return rest.split("```").first.str();
  return llvm::createStringError(
      "expected a JSON object with a 'kernel', but got something else");
}

/// Refuses a kernel that was answered before, with its earlier result.
Error Dialogue::refuseKnown(const WholeKernelFile &file) const {
  if (file.kernel.name == start.kernel.name)
    return llvm::createStringError(
        "expected another kernel, but got the one that is there");
  auto at = said.find(file.kernel.name);
  if (at == said.end())
    return Error::success();
  return llvm::createStringError(
      "expected another kernel, but got one that was answered before: " +
      at->second);
}

/// Reads and proves the kernel of an answer. If that fails, the error has the
/// reason and the findings.
Expected<WholeKernelFile> Dialogue::judge(Attempt &attempt) {
  constexpr size_t kMaxFindings = 8;
  size_t findings = 0;
  std::string found;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (++findings <= kMaxFindings)
          llvm::raw_string_ostream(found)
              << placePrefix(diagnostic.getLocation()) << diagnostic << "\n";
        return mlir::success();
      });
  auto file = readWholeKernel(context, path, arch, attempt.kernel);
  if (!file)
    return file.takeError();
  attempt.kernel = file->kernel.text;
  if (Error error = refuseKnown(*file))
    return std::move(error);
  if (Error error = proveWholeKernel(context, *file, arch)) {
    found += llvm::toString(std::move(error));
    said[file->kernel.name] = found;
    return llvm::createStringError(found);
  }
  return file;
}

Expected<WholeKernelFile> Dialogue::read(const ChatAnswer &answer,
                                         Attempt &attempt) {
  if (answer.isCut)
    return llvm::createStringError(
        "expected a whole kernel, but got an answer that was cut off");
  if (Error error = kernelIn(answer.text).moveInto(attempt.kernel))
    return std::move(error);
  return judge(attempt);
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

static std::string describe(const KernelTimes &times) {
  std::string text =
      formatv("{0:F2} us, {1:F3} of the {2:F2} us of the kernel that it began "
              "as",
              times.kernel * 1e6, times.kernel / times.base, times.base * 1e6);
  if (times.rival > 0)
    text += formatv(", and {0:F3} of the {1:F2} us of the fastest before it",
                    times.kernel / times.rival, times.rival * 1e6);
  return text;
}

/// Times the kernel in one final with the original and with the fastest so far,
/// so that no two finals are compared. An error is not about the kernel, and
/// ends the dialogue.
Error Dialogue::time(Attempt &attempt) {
  Expected<KernelTimes> times =
      clock->time(*attempt.file, best ? &*best->file : nullptr);
  if (!times)
    return times.takeError();
  attempt.why = times->refusal.empty() ? describe(*times) : times->refusal;
  said[attempt.file->kernel.name] = attempt.why;
  if (times->refusal.empty())
    attempt.times = std::move(*times);
  return Error::success();
}

Expected<Attempt> Dialogue::attemptOf(const ChatAnswer &answer) {
  Attempt attempt;
  Expected<WholeKernelFile> file = read(answer, attempt);
  if (!file) {
    attempt.why = llvm::toString(file.takeError());
    return attempt;
  }
  attempt.file = std::move(*file);
  if (clock)
    if (Error error = time(attempt))
      return std::move(error);
  return attempt;
}

Expected<WholeKernelFile> Dialogue::run(int64_t attempts) {
  for (int64_t number = 1; number <= attempts; ++number) {
    ChatAnswer answer = chat.ask(question(number)).get();
    // A proven kernel is kept if the server fails later.
    if (!answer.isOk() && best)
      break;
    if (!answer.isOk())
      return llvm::createStringError(answer.fault);
    Expected<Attempt> attempt = attemptOf(answer);
    if (!attempt)
      return attempt.takeError();
    if (attempt->file && !clock)
      return std::move(*attempt->file);
    llvm::errs() << formatv("attempt {0}: {1}\n", number, attempt->why);
    if (attempt->times && (attempt->times->rival == 0 ||
                           attempt->times->kernel < attempt->times->rival))
      best = *attempt;
    last = std::move(*attempt);
  }
  if (best)
    return std::move(*best->file);
  return llvm::createStringError(
      formatv("expected a kernel that can be proven, but got none in {0} "
              "attempts",
              attempts));
}

Expected<WholeKernelFile> hone::askForKernel(mlir::MLIRContext &context,
                                             Chat &chat, StringRef path,
                                             const Arch &arch, int64_t attempts,
                                             KernelClock *clock) {
  auto start = readWholeKernel(context, path, arch);
  if (!start)
    return start.takeError();
  return Dialogue(context, chat, path, arch, clock, std::move(*start))
      .run(attempts);
}
