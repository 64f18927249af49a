//===- Digests.cpp - Digests of the catalogue's kernels and plans ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-simulate-digests shows whether a change of the code changes kernels,
// launch plans or the cost model. It prints a line for every schedule of the
// catalogue, problem by problem:
//
// case;extents;schedule;the estimate, to the bit;a digest of the kernel
//
// Names of kernels are hashes of the schedule's text. Before the digest is
// taken, the names are replaced by numbers and the schedules are removed.
//
//   hone-simulate-digests > before.csv        at one commit
//   hone-simulate-digests before.csv          at another: prints differences
//
// A file may have the other commit's spelling of schedules: a schedule has to
// read back as the same one of this commit. `--ptx` goes on to PTX and host
// code; `--every=7` builds only every seventh kernel.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "hone/Schedule/Schedule.h"
#include "hone/Space/Catalogue.h"
#include "hone/Space/CostModel.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "passes/SelectSchedule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <map>
#include <mutex>

using namespace hone;
using namespace hone::test;
using llvm::formatv;
using llvm::StringRef;

namespace {
struct Settings {
  bool ptx = false;
  size_t every = 1;
  std::string before;
};
/// A line of the output.
struct Line {
  std::string label, schedule, estimate, digest;
  std::string str() const {
    return label + ";" + schedule + ";" + estimate + ";" + digest;
  }
};
/// A problem and the matmul of its kernels.
struct Subject {
  Case matmul;
  Problem problem;
  std::string label;
};
} // namespace

//===----------------------------------------------------------------------===//
// Digests of kernels
//===----------------------------------------------------------------------===//

static std::vector<Case> allMatmuls() {
  std::vector<Case> cases;
  for (const char *arch : {"h200", "sm_80"})
    for (bool colA : {false, true})
      for (bool colB : {false, true}) {
        Case one;
        one.arch = arch;
        one.colA = colA;
        one.colB = colB;
        cases.push_back(one);
      }
  Case one;
  one.colB = true;
  one.in = "bf16";
  one.out = "f32";
  cases.push_back(one);
  one.batched = true;
  cases.push_back(one);
  one = {};
  one.reads = true;
  cases.push_back(one);
  one.reads = false;
  for (const char *epilogue : {"bias", "residual"}) {
    one.epilogue = epilogue;
    one.colB = !one.colB;
    cases.push_back(one);
  }
  one = {};
  one.arch = "host";
  one.in = one.out = "f32";
  cases.push_back(one);
  return cases;
}

static std::vector<Subject> allSubjects() {
  static constexpr std::array<int64_t, 3> kExtents[] = {
      {512, 512, 512},  {4096, 4096, 4096}, {16, 4096, 4096},
      {64, 64, 16384},  {300, 1000, 720},   {8192, 8192, 1024},
      {1024, 768, 256}, {128, 7168, 2048}};
  std::vector<Subject> subjects;
  for (const Case &matmul : allMatmuls())
    for (auto [m, n, k] : kExtents) {
      Subject subject;
      subject.matmul = matmul;
      Problem &problem = subject.problem;
      problem.m = m, problem.n = n, problem.k = k;
      problem.a.type = problem.b.type = *parseElementType(matmul.in);
      problem.c = *parseElementType(matmul.out);
      problem.a.order = matmul.colA ? Order::col : Order::row;
      problem.b.order = matmul.colB ? Order::col : Order::row;
      problem.init = matmul.reads ? Init::read : Init::zero;
      problem.epilogue = matmul.epilogue.empty() ? "" : "addf(acc, n:f32)";
      if (matmul.batched)
        problem.batch = 6;
      subject.label =
          formatv("{0}{1};{2} {3} {4}", matmul.arch,
                  StringRef(matmul.str()).split(',').second, m, n, k);
      subjects.push_back(std::move(subject));
    }
  return subjects;
}

/// `text` without schedules, and with kernels numbered in order of appearance.
static std::string normalised(StringRef text) {
  llvm::Regex name("hone_[a-z0-9_]*_[0-9a-f]{16}"
                   "|#hone\\.schedule<[^>]*>"
                   "|schedule = \"[^\"]*\"");
  std::map<std::string, size_t> numbers;
  std::string result;
  llvm::SmallVector<StringRef> found;
  while (name.match(text, &found)) {
    size_t at = found[0].data() - text.data();
    result += text.take_front(at);
    if (found[0].starts_with("hone_"))
      result +=
          formatv(
              "kernel{0}",
              numbers.try_emplace(found[0].str(), numbers.size()).first->second)
              .str();
    text = text.drop_front(at + found[0].size());
  }
  return result + text.str();
}

/// Kernels, plans and host code for `one`.
static std::string digestOf(mlir::MLIRContext &context, const Case &one,
                            bool toPtx) {
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(one.moduleText(), &context);
  mlir::PassManager passes(&context);
  SelectScheduleOptions options;
  options.arch = one.arch;
  options.schedule = PinnedSchedule::parse(one.schedule);
  passes.addPass(createSelectSchedule(options, ScheduleSources()));
  BuildKernelOptions build;
  // The siblings are the same for all.
  build.fallback = one.schedule.find("64x64") != std::string::npos;
  passes.addPass(createBuildKernel(build));
  passes.addPass(mlir::createCanonicalizerPass());
  if (toPtx) {
    passes.addPass(createLowerKernel());
    passes.addPass(createEmit());
  }
  if (!module || failed(passes.run(*module)))
    return "cannot be built";
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return llvm::utohexstr(llvm::xxh3_64bits(normalised(text)), true, 16);
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// The lines of a subject for `schedules`, without digests.
static std::vector<Line> linesOf(const Subject &subject,
                                 llvm::ArrayRef<Schedule> schedules) {
  Arch arch = llvm::cantFail(Arch::lookup(subject.matmul.arch));
  std::vector<Line> lines;
  for (const Schedule &schedule : schedules) {
    char estimate[64];
    snprintf(estimate, sizeof(estimate), "%a",
             estimateSeconds(subject.problem, arch, schedule));
    lines.push_back({subject.label, toString(schedule), estimate, ""});
  }
  return lines;
}

/// Builds every distinct kernel once, and writes its digest to each of its
/// lines.
static void addDigests(std::vector<std::pair<Case, Line *>> lines,
                       const Settings &settings) {
  std::map<std::string, std::vector<std::pair<Case, Line *>>> kernels;
  for (auto &[matmul, line] : lines) {
    Case one = matmul;
    one.schedule =
        compileTimeText(llvm::cantFail(parseSchedule(line->schedule)));
    kernels[one.str()].emplace_back(one, line);
  }
  std::vector<std::vector<std::pair<Case, Line *>> *> order;
  for (auto &[key, same] : kernels)
    if (llvm::xxh3_64bits(same.front().second->estimate) % settings.every == 0)
      order.push_back(&same);
  inParallel(order.size(), [&](mlir::MLIRContext &context, size_t at) {
    std::string digest =
        digestOf(context, order[at]->front().first, settings.ptx);
    for (auto &[one, line] : *order[at])
      line->digest = digest;
  });
}

/// Compares with the output of another commit.
static std::vector<Line> readLines(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  std::vector<Line> lines;
  if (!file)
    return lines;
  llvm::SmallVector<StringRef> rows, cells;
  (*file)->getBuffer().split(rows, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef row : rows) {
    cells.clear();
    row.split(cells, ';');
    if (cells.size() == 5)
      lines.push_back({(cells[0] + ";" + cells[1]).str(), cells[2].str(),
                       cells[3].str(), cells[4].str()});
  }
  return lines;
}

int main(int argc, char **argv) {
  Settings settings;
  for (StringRef argument : llvm::drop_begin(llvm::ArrayRef(argv, argc))) {
    if (argument == "--ptx")
      settings.ptx = true;
    else if (argument.consume_front("--every="))
      argument.getAsInteger(10, settings.every);
    else
      settings.before = argument.str();
  }
  std::vector<Subject> subjects = allSubjects();
  std::vector<std::vector<Line>> lines;
  std::vector<std::pair<Case, Line *>> toBuild;
  for (const Subject &subject : subjects)
    lines.push_back(linesOf(
        subject, catalogue(subject.problem,
                           llvm::cantFail(Arch::lookup(subject.matmul.arch)))));
  for (auto [subject, some] : llvm::zip_equal(subjects, lines))
    for (Line &line : some)
      toBuild.emplace_back(subject.matmul, &line);
  addDigests(toBuild, settings);
  std::vector<Line> before = readLines(settings.before);
  if (settings.before.empty()) {
    for (const auto &[one, line] : toBuild)
      llvm::outs() << line->str() << "\n";
    return 0;
  }
  size_t same = 0, built = 0, different = before.size() != toBuild.size();
  for (auto [old, now] : llvm::zip(before, toBuild)) {
    Line &line = *now.second;
    llvm::Expected<Schedule> read = parseSchedule(old.schedule);
    bool agrees = read && toString(*read) == line.schedule &&
                  old.label == line.label && old.estimate == line.estimate &&
                  (old.digest == line.digest || old.digest.empty() ||
                   line.digest.empty());
    llvm::consumeError(read.takeError());
    same += agrees;
    built += agrees && !old.digest.empty() && !line.digest.empty();
    if (!agrees && ++different <= 20)
      llvm::outs() << "- " << old.str() << "\n+ " << line.str() << "\n";
  }
  llvm::outs() << formatv("{0} of {1} schedules are the same, {2} of them "
                          "built; {3} lines of the file\n",
                          same, toBuild.size(), built, before.size());
  return different ? 1 : 0;
}
