//===- ToolMutants.cpp - Whatever a file is, the tool says something ------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-fuzz-tools runs the commands of the tool, in processes of their own, on
// files that are damaged and on command lines that are drawn. Every command
// ends by itself, with a status that the tool has, within its time and within
// 4 GiB of memory. Processes are forked from one that has the tool in it, which
// is a hundred times cheaper than starting the program.
//
//===----------------------------------------------------------------------===//

#include "ToolMutants.h"
#include "hone-c/Runtime.h"
#include "hone/Evaluate/Compile.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "tools/hone/Commands.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <map>
#include <sys/resource.h>
#include <unistd.h>

using namespace hone;
using namespace hone::fuzz;
using llvm::StringRef;

namespace {
/// A case: which command is run on which bytes.
struct Drawn {
  const FileSort *sort;
  std::vector<std::string> command;
  std::string bytes;
};
} // namespace

namespace {
/// Files of one sort: those on which the command succeeded, and those on which
/// it did not end as it should.
struct Count {
  int64_t all = 0, taken = 0, unsound = 0;
};
} // namespace

static uint64_t seedOf(const fuzz::Options &options, int64_t number) {
  return uint64_t(options.seed) * 1000003 + uint64_t(number);
}

/// Sorts take turns, so that each gets its share of any number of cases.
static Drawn draw(const std::vector<FileSort> &sorts,
                  const fuzz::Options &options, int64_t number) {
  fuzz::Random random(seedOf(options, number));
  const FileSort &sort = sorts[size_t(number) % sorts.size()];
  Drawn drawn = {&sort, random.pickFrom(sort.commands), ""};
  drawn.bytes = sort.damage(random.pickFrom(sort.seeds), random);
  return drawn;
}

static std::string replaced(std::string text, StringRef what,
                            const std::string &with) {
  for (size_t at = text.find(what.str()); at != std::string::npos;
       at = text.find(what.str(), at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

/// `hone-opt FILE PIPELINE`, as far as it is ours.
static int runPipeline(StringRef file, StringRef pipeline) {
  auto context = fuzz::makeContext();
  auto module = readModule(*context, file);
  if (!module) {
    llvm::outs() << llvm::toString(module.takeError()) << "\n";
    return 1;
  }
  auto parsed = mlir::parsePassPipeline(pipeline, llvm::errs());
  if (failed(parsed))
    return 3; // of this program, not of the file
  mlir::PassManager passes(context.get());
  static_cast<mlir::OpPassManager &>(passes) = std::move(*parsed);
  return succeeded(passes.run(**module)) ? 0 : 1;
}

/// In the child, which has a folder of its own.
static bool run(const Drawn &drawn, const std::string &folder) {
  constexpr rlim_t kMostMemory = rlim_t(4) << 30;
  rlimit limit = {kMostMemory, kMostMemory};
  setrlimit(RLIMIT_AS, &limit);
  llvm::sys::fs::create_directories(folder);
  llvm::sys::fs::set_current_path(folder);
  std::string file = folder + "/file";
  {
    std::error_code code;
    llvm::raw_fd_ostream(file, code) << drawn.bytes;
    if (code)
      return false;
  }
  int input = ::open(drawn.sort->isInput ? file.c_str() : "/dev/null",
                     O_RDONLY | O_CLOEXEC);
  dup2(input, STDIN_FILENO);
  std::vector<std::string> words;
  for (const std::string &word : drawn.command)
    // A command line that is drawn is the damaged file.
    if (word == "LINE")
      llvm::append_range(words, llvm::split(drawn.bytes, '\n'));
    else
      words.push_back(replaced(replaced(word, "FILE", file), "HERE", folder));
  std::vector<StringRef> args(words.begin(), words.end());
  int status =
      args[0] == "hone-opt" ? runPipeline(args[1], args[2]) : runTool(args);
  llvm::outs() << "status " << status << "\n";
  return status >= 0 && status <= 2;
}

int main(int argc, char **argv) {
  fuzz::Options options = fuzz::Options::parse(argc, argv);
  honeSetErrorHandler([](int32_t, const char *, void *) {}, nullptr);
  llvm::SmallString<128> work;
  if (llvm::sys::fs::createUniqueDirectory("hone-fuzz-tools", work))
    return 2;
  std::string folder = work.str().str();
  std::vector<FileSort> sorts = allSorts(folder);
  std::map<std::string, Count> counts;
  auto folderOf = [&](int64_t number) {
    return folder + "/" + std::to_string(number);
  };
  forEachCase(
      options,
      [&](int64_t number) {
        Drawn drawn = draw(sorts, options, number);
        return FuzzCase{number, std::move(drawn.bytes)};
      },
      [&](const FuzzCase &each) {
        return run(draw(sorts, options, each.number), folderOf(each.number));
      },
      [&](const FuzzCase &each, const CaseReport &report) {
        llvm::sys::fs::remove_directories(folderOf(each.number));
        Drawn drawn = draw(sorts, options, each.number);
        Count &count = counts[drawn.sort->name];
        ++count.all;
        count.taken += StringRef(report.output).ends_with("status 0\n");
        if (report.ending == Ending::good)
          return;
        ++count.unsound;
        keepCase(options, each, report);
        llvm::outs() << "  hone " << llvm::join(drawn.command, " ") << "\n";
      });
  llvm::sys::fs::remove_directories(folder);
  int64_t all = 0, unsound = 0;
  for (const auto &[name, count] : counts) {
    llvm::outs() << llvm::formatv("{0}: {1} files, {2} taken, {3} unsound\n",
                                  name, count.all, count.taken, count.unsound);
    all += count.all;
    unsound += count.unsound;
  }
  llvm::outs() << all << " mutants, " << unsound << " unsound\n";
  return unsound ? 1 : 0;
}
