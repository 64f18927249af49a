//===- ToolRun.cpp - One case of hone-fuzz-tools --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ToolRun.h.
//
//===----------------------------------------------------------------------===//

#include "ToolRun.h"
#include "hone/Command/Options.h"
#include "hone/Driver/Compile.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "tools/hone-lab/Lab.h"
#include "tools/hone/Commands.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hone;
using namespace hone::fuzz;
using llvm::StringRef;

/// Not a status of the tool: the case itself is wrong.
static constexpr int kOwnFault = 64;

ToolCase fuzz::drawCase(const std::vector<FileSort> &sorts, int64_t seed,
                        int64_t number, bool isIntact) {
  fuzz::Random random(uint64_t(seed) * 1000003 + uint64_t(number));
  const FileSort &sort = sorts[size_t(number) % sorts.size()];
  ToolCase drawn = {number, &sort, random.pickFrom(sort.commands), ""};
  const std::string &seedText = random.pickFrom(sort.seeds);
  drawn.bytes = isIntact ? seedText : sort.damage(seedText, random);
  return drawn;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

/// `hone-opt FILE PIPELINE`, for Hone's own passes.
static int runPipeline(StringRef file, StringRef pipeline) {
  auto context = fuzz::makeContext();
  auto module = readModule(*context, file);
  if (!module) {
    llvm::outs() << llvm::toString(module.takeError()) << "\n";
    return kExitFailure;
  }
  auto parsed = mlir::parsePassPipeline(pipeline, llvm::errs());
  if (failed(parsed))
    return kOwnFault;
  mlir::PassManager passes(context.get());
  static_cast<mlir::OpPassManager &>(passes) = std::move(*parsed);
  return succeeded(passes.run(**module)) ? kExitSuccess : kExitFailure;
}

int fuzz::runHere(llvm::ArrayRef<StringRef> words) {
  if (words.size() == 3 && words[0] == "hone-opt")
    return runPipeline(words[1], words[2]);
  if (!words.empty() && words[0] == "hone-lab")
    return runLab(words.drop_front());
  return runTool(words);
}

/// Starts a program and waits; ends by the same signal.
int ToolRun::start(const std::string &program,
                   llvm::ArrayRef<std::string> words) const {
  std::vector<char *> args = {const_cast<char *>(program.c_str())};
  for (const std::string &word : words)
    args.push_back(const_cast<char *>(word.c_str()));
  args.push_back(nullptr);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(timeout);
    execv(program.c_str(), args.data());
    _exit(kOwnFault);
  }
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid)
    return kOwnFault;
  if (!WIFSIGNALED(status))
    return WEXITSTATUS(status);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return kOwnFault;
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

std::string ToolRun::folderOf(const ToolCase &each) const {
  return folder + "/" + std::to_string(each.number);
}

void ToolRun::remove(const ToolCase &each) const {
  llvm::sys::fs::remove_directories(folderOf(each));
}

static std::string replaced(std::string text, StringRef what,
                            const std::string &with) {
  for (size_t at = text.find(what.str()); at != std::string::npos;
       at = text.find(what.str(), at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

/// The words, with FILE, HERE and LINE replaced.
static std::vector<std::string> commandLineOf(const ToolCase &each,
                                              const std::string &here,
                                              const std::string &file) {
  std::vector<std::string> words;
  for (const std::string &word : each.command)
    // In a random command line the damaged file is the words. No word has a
    // NUL.
    if (word == "LINE")
      for (StringRef part : llvm::split(each.bytes, '\n'))
        words.push_back(part.split('\0').first.str());
    else
      words.push_back(replaced(replaced(word, "FILE", file), "HERE", here));
  return words;
}

static bool isWritten(const std::string &path, StringRef bytes) {
  std::error_code code;
  llvm::raw_fd_ostream(path, code) << bytes;
  return !code;
}

bool ToolRun::run(const ToolCase &each) const {
  rlimit limit = {rlim_t(memory) << 20, rlim_t(memory) << 20}, none = {0, 0};
  setrlimit(RLIMIT_AS, &limit);
  setrlimit(RLIMIT_CORE, &none);
  constexpr int64_t kLongEnough = 10;
  if (each.sort->mayTakeLong)
    alarm(std::min(timeout, kLongEnough));
  std::string here = folderOf(each), file = here + "/" + each.sort->file;
  llvm::sys::fs::create_directories(here);
  llvm::sys::fs::set_current_path(here);
  bool isReady = isWritten(file, each.bytes);
  for (const auto &[name, bytes] : each.sort->beside)
    isReady &= isWritten(here + "/" + name, bytes);
  int input = ::open(each.sort->isInput ? file.c_str() : "/dev/null",
                     O_RDONLY | O_CLOEXEC);
  dup2(input, STDIN_FILENO);
  if (!isReady)
    return false;
  std::vector<std::string> words = commandLineOf(each, here, file);
  bool isPass = words[0] == "hone-opt" && words.size() == 3;
  const std::string &program = isPass ? honeOpt : hone;
  int status = 0;
  if (program.empty()) {
    std::vector<StringRef> args(words.begin(), words.end());
    status = runHere(args);
  } else if (isPass) {
    status = start(
        program, {words[1], "--pass-pipeline=" + words[2], "-o", "/dev/null"});
  } else {
    status = start(program, words);
  }
  llvm::outs() << "status " << status << "\n";
  return status >= kExitSuccess && status <= kExitUnchecked;
}
