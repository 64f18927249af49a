//===- RewriteChat.cpp - A language model writes a kernel -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RewriteChat.h.
//
//===----------------------------------------------------------------------===//

#include "RewriteChat.h"
#include "TuneKernel.h"
#include "hone/Text/Json.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

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
/// What became of an answer.
struct Attempt {
  std::string kernel, why;
  std::optional<KernelTimes> times; ///< else it was refused
};

/// A kernel that is right, and by how much it is faster.
struct Survivor {
  WholeKernelFile file;
  double ratio;
};
} // namespace

static ChatQuestion questionOf(const WholeKernelFile &start,
                               const std::optional<Attempt> &last,
                               const Chat &chat, int64_t number) {
  ChatQuestion question;
  question.system = kSystem.str();
  question.text = kWanted.str();
  question.text +=
      formatv("\nIt computes {0}, by the schedule {1}.\n\n{2}\n",
              start.problem.str(), toString(start.base), start.kernel.text);
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

/// The kernel of an object, or of a text around one.
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

/// Reads and proves the kernel of an answer; else says why it is none, with what
/// was found.
static Expected<WholeKernelFile> judge(mlir::MLIRContext &context,
                                       StringRef path, const Arch &arch,
                                       Attempt &attempt) {
  constexpr size_t kMostFindings = 8;
  size_t findings = 0;
  std::string said;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (++findings <= kMostFindings)
          llvm::raw_string_ostream(said)
              << diagnostic.getLocation() << ": " << diagnostic << "\n";
        return mlir::success();
      });
  auto file = readWholeKernel(context, path, arch, attempt.kernel);
  if (!file)
    return file.takeError();
  // Places are those of the text as it was read.
  attempt.kernel = file->kernel.text;
  if (Error error = proveWholeKernel(context, *file, arch))
    return llvm::createStringError(said + llvm::toString(std::move(error)));
  return file;
}

static Expected<WholeKernelFile> answerTo(mlir::MLIRContext &context,
                                          const ChatAnswer &answer,
                                          StringRef path, const Arch &arch,
                                          Attempt &attempt) {
  if (answer.isCut)
    return llvm::createStringError(
        "expected a whole kernel, but got an answer that was cut off");
  Expected<std::string> kernel = kernelIn(answer.text);
  if (!kernel)
    return kernel.takeError();
  attempt.kernel = std::move(*kernel);
  return judge(context, path, arch, attempt);
}

static std::string describe(const KernelTimes &times) {
  return formatv("{0:F2} us, {1:F3} of the {2:F2} us of the kernel that it "
                 "began as",
                 times.kernel * 1e6, times.ratio(), times.base * 1e6)
      .str();
}

/// What came of an answer: a kernel that is right, or why there is none.
static Expected<WholeKernelFile>
read(mlir::MLIRContext &context, const ChatAnswer &answer, StringRef path,
     const Arch &arch, const WholeKernelFile &start, Attempt &attempt) {
  auto file = answerTo(context, answer, path, arch, attempt);
  if (file && file->kernel.name == start.kernel.name)
    return llvm::createStringError(
        "expected another kernel, but got the one that is there");
  return file;
}

/// An error ends everything: it is not about the kernel.
static Error timeAttempt(KernelClock &clock, const WholeKernelFile &file,
                         Attempt &attempt) {
  Expected<KernelTimes> times = clock.time(file);
  if (!times)
    return times.takeError();
  attempt.why = times->refusal.empty() ? describe(*times) : times->refusal;
  if (times->refusal.empty())
    attempt.times = std::move(*times);
  return Error::success();
}

Expected<WholeKernelFile> hone::askForKernel(mlir::MLIRContext &context,
                                             Chat &chat, StringRef path,
                                             const Arch &arch, int64_t attempts,
                                             KernelClock *clock) {
  auto start = readWholeKernel(context, path, arch);
  if (!start)
    return start.takeError();
  std::optional<Attempt> last;
  std::optional<Survivor> best;
  for (int64_t number = 1; number <= attempts; ++number) {
    ChatAnswer answer = chat.ask(questionOf(*start, last, chat, number)).get();
    // What is right already is worth more than a server that went away.
    if (!answer.isOk() && best)
      break;
    if (!answer.isOk())
      return llvm::createStringError(answer.fault);
    Attempt attempt;
    auto file = read(context, answer, path, arch, *start, attempt);
    if (file && !clock)
      return file;
    if (!file)
      attempt.why = llvm::toString(file.takeError());
    else if (Error error = timeAttempt(*clock, *file, attempt))
      return std::move(error);
    else if (attempt.times && (!best || attempt.times->ratio() < best->ratio))
      best = Survivor{std::move(*file), attempt.times->ratio()};
    llvm::errs() << formatv("attempt {0}: {1}\n", number, attempt.why);
    last = std::move(attempt);
  }
  if (best)
    return std::move(best->file);
  return llvm::createStringError(
      formatv("expected a kernel that can be proven, but got none in {0} "
              "attempts",
              attempts));
}
