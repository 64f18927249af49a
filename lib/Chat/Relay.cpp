//===- Relay.cpp - Questions for a program or a folder --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Relay.h.
//
//===----------------------------------------------------------------------===//

#include "Relay.h"
#include "hone/Chat/Answer.h"
#include "hone/Text/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA256.h"
#include <chrono>
#include <csignal>
#include <thread>

using namespace hone;
using namespace hone::detail;
using llvm::formatv;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;

/// An answer is read up to this size, as from a server.
static constexpr uint64_t kMaxAnswer = 4 << 20;

std::optional<Relay> Relay::of(StringRef url) {
  if (url.consume_front("program:"))
    return Relay(To::program, url);
  if (url.consume_front("folder:"))
    return Relay(To::folder, url);
  return std::nullopt;
}

std::optional<std::string> Relay::fault() const {
  if (place.empty())
    return to == To::program
               ? "expected a command after 'program:', but got none"
               : "expected a folder after 'folder:', but got none";
  if (to == To::folder && !fs::is_directory(place))
    return formatv("expected a folder for questions, but '{0}' is not one; use "
                   "mkdir",
                   printable(place, 80))
        .str();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

static std::string questionJson(const ChatQuestion &question, StringRef model) {
  return formatv("{0:2}\n", json::Value(json::Object{
                                {"model", model},
                                {"topic", question.topic},
                                {"system", question.system},
                                {"text", question.text},
                                {"schema", question.schema},
                                {"answer_tokens", question.answerTokens}}))
      .str();
}

/// Of letters and digits, and short.
static std::string nameOf(const ChatQuestion &question, StringRef model) {
  constexpr size_t kBytes = 4, kLongest = 60;
  if (question.topic.empty())
    return question.hash(model);
  std::string name;
  for (char one :
       StringRef(question.topic).split(':').first.take_front(kLongest))
    name += llvm::isAlnum(one) ? one : '-';
  std::string whole = question.topic + "\n" + model.str();
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(whole));
  return name + "-" +
         llvm::toHex(llvm::ArrayRef(digest).take_front(kBytes),
                     /*LowerCase=*/true);
}

static ChatAnswer unanswered(const llvm::Twine &fault) {
  ChatAnswer answer;
  answer.fault = fault.str();
  return answer;
}

/// The text of a file as an answer.
static ChatAnswer readAnswer(const std::string &path) {
  auto file = readFile(path, {"an answer", kMaxAnswer});
  if (!file)
    return unanswered(llvm::toString(file.takeError()));
  ChatAnswer answer;
  answer.text = (*file)->getBuffer().trim().str();
  if (answer.text.empty())
    return unanswered("expected an answer in '" + path +
                      "', but got an empty file");
  return answer;
}

ChatAnswer Relay::ask(const ChatQuestion &question, StringRef model,
                      double seconds,
                      const std::atomic<bool> &isCancelled) const {
  auto start = std::chrono::steady_clock::now();
  std::string text = questionJson(question, model);
  ChatAnswer answer =
      to == To::program
          ? askProgram(text, seconds, isCancelled)
          : askFolder(text, nameOf(question, model), seconds, isCancelled);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  answer.cost.calls = 1;
  answer.cost.seconds = took.count();
  answer.cost.questionTokens = tokensOf(text.size());
  answer.cost.answerTokens = tokensOf(answer.text.size());
  return answer;
}

//===----------------------------------------------------------------------===//
// A program
//===----------------------------------------------------------------------===//

static std::error_code writeText(const std::string &path, StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (code)
    return code;
  file << text;
  file.close();
  code = file.error();
  file.clear_error();
  return code;
}

/// Waits in short steps: the timeouts of llvm::sys are alarms of the process,
/// which another thread may get.
static bool waitUntil(std::chrono::steady_clock::time_point end,
                      const std::atomic<bool> &isCancelled,
                      llvm::function_ref<bool()> isDone) {
  constexpr auto kTick = std::chrono::milliseconds(20);
  while (!isDone()) {
    if (isCancelled || std::chrono::steady_clock::now() >= end)
      return false;
    std::this_thread::sleep_for(kTick);
  }
  return true;
}

static std::chrono::steady_clock::time_point after(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
             std::chrono::duration<double>(seconds));
}

/// Runs a command with these files as its input and output; why it failed.
static std::optional<std::string>
runCommand(StringRef command, StringRef in, StringRef out, double seconds,
           const std::atomic<bool> &isCancelled) {
  std::string why;
  llvm::sys::ProcessInfo process = llvm::sys::ExecuteNoWait(
      "/bin/sh", {"/bin/sh", "-c", command}, /*Env=*/std::nullopt,
      {in, out, std::nullopt}, /*MemoryLimit=*/0, &why,
      /*ExecutionFailed=*/nullptr, /*AffinityMask=*/nullptr,
      /*DetachProcess=*/true);
  if (process.Pid == llvm::sys::ProcessInfo::InvalidPid)
    return why;
  llvm::sys::ProcessInfo ended;
  bool isInTime = waitUntil(after(seconds), isCancelled, [&] {
    ended = llvm::sys::Wait(process, /*SecondsToWait=*/0, &why,
                            /*ProcStat=*/nullptr, /*Polling=*/true);
    return ended.Pid == process.Pid;
  });
  if (!isInTime) {
    // The command has a session of its own, with all that it has started.
    kill(-process.Pid, SIGKILL);
    llvm::sys::Wait(process, /*SecondsToWait=*/std::nullopt);
    return isCancelled ? std::string("a cancelled search")
                       : formatv("none in {0:f0} s", seconds).str();
  }
  if (ended.ReturnCode != 0)
    return formatv("exit status {0}", ended.ReturnCode).str();
  return std::nullopt;
}

ChatAnswer Relay::askProgram(StringRef text, double seconds,
                             const std::atomic<bool> &isCancelled) const {
  llvm::SmallString<128> in, out;
  std::error_code code = fs::createTemporaryFile("hone-question", "json", in);
  if (!code)
    code = fs::createTemporaryFile("hone-answer", "txt", out);
  if (!code)
    code = writeText(in.str().str(), text);
  llvm::FileRemover removeIn(in), removeOut(out);
  if (code)
    return unanswered("cannot create a temporary file for the question: " +
                      llvm::Twine(code.message()));
  if (auto why = runCommand(place, in, out, seconds, isCancelled))
    return unanswered(formatv("expected an answer of '{0}', but got {1}",
                              printable(place, 80), *why));
  return readAnswer(out.str().str());
}

//===----------------------------------------------------------------------===//
// A folder
//===----------------------------------------------------------------------===//

/// A file appears whole: it is written under another name.
static std::error_code writeWhole(const std::string &path, StringRef text) {
  std::string part = path + ".part";
  if (std::error_code code = writeText(part, text))
    return code;
  return fs::rename(part, path);
}

ChatAnswer Relay::askFolder(StringRef text, StringRef name, double seconds,
                            const std::atomic<bool> &isCancelled) const {
  llvm::SmallString<128> base(place);
  llvm::sys::path::append(base, name);
  std::string question = (base + ".json").str(), answer = (base + ".txt").str();
  if (!fs::exists(answer))
    if (std::error_code code = writeWhole(question, text))
      return unanswered("cannot write '" + llvm::Twine(question) +
                        "': " + code.message());
  if (!waitUntil(after(seconds), isCancelled,
                 [&] { return fs::exists(answer); }))
    return unanswered(
        formatv("expected an answer in '{0}', but got none in {1:f0} s; write "
                "it and run the command again",
                answer, seconds));
  return readAnswer(answer);
}
