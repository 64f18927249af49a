//===- Explain.cpp - hone explain -----------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the pipeline up to the choice of schedules and prints the choice, and
// facts that follow from it without a GPU: the tiling, the part of a processor
// that a block takes, and a lower bound of the time. The reasons come from the
// passes' own remarks.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "hone/Matmul/Assembled.h"
#include "hone/Schedule/Geometry.h"
#include "hone/Schedule/Roofline.h"
#include "hone/Simulate/SumTree.h"
#include "hone/Text/Number.h"
#include "mlir/IR/Remarks.h"
#include "passes/Support.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "tools/hone/Options.h"
#include "tools/hone/Program/Route.h"
#include "tools/hone/Table.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

namespace {
struct Note {
  Location location;
  std::string name, text;
  bool missed;
};

/// Keeps the remarks of the passes.
class NoteKeeper : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit NoteKeeper(std::vector<Note> &notes) : notes(notes) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string text;
    for (const auto &part : remark.getArgs())
      text += part.val;
    notes.push_back({remark.getLocation(), remark.getRemarkName().str(), text,
                     remark.getRemarkType() == llvm::remarks::Type::Missed});
  }

private:
  std::vector<Note> &notes;
};
} // namespace

static LogicalResult keepNotes(MLIRContext &context, std::vector<Note> &notes) {
  remark::RemarkCategories categories;
  categories.passed = categories.missed = "hone";
  return remark::enableOptimizationRemarks(
      context, std::make_unique<NoteKeeper>(notes),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

/// "FILE:LINE:COLUMN", or "FILE" of a whole module.
static std::string toString(Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place)
    return "unknown";
  return place.getLine() == 0
             ? place.getFilename().str()
             : StringRef(placePrefix(place)).drop_back(2).str();
}

//===----------------------------------------------------------------------===//
// One matmul
//===----------------------------------------------------------------------===//

static std::string orUnknown(std::optional<int64_t> number) {
  return number ? std::to_string(*number) : "?";
}

/// The lower bound of the time, and the resource that limits it.
static std::pair<std::string, std::string> roofline(const Problem &problem,
                                                    const Arch &arch) {
  auto flops = problem.flops(), bytes = problem.bytes();
  if (!flops || !bytes || arch.peakTflops <= 0 || arch.memoryGBs <= 0)
    return {"?", "?"};
  double compute = *flops / (peakTflops(problem, arch) * 1e12);
  double memory = *bytes / (arch.memoryGBs * 1e9);
  return {formatTime(std::max(compute, memory)),
          compute > memory ? "compute" : "memory"};
}

namespace {
/// One matmul as pairs of a name and a value.
using Facts = std::vector<std::pair<std::string, std::string>>;
} // namespace

/// The numbers on which the choice depends.
static std::string numbersOf(const Arch &arch) {
  std::string text =
      formatv("{0} processors, {1} GB/s, {2} TFLOP/s, {3} GHz, {4:F1} MB cache",
              arch.processors, shortestText(arch.memoryGBs),
              shortestText(arch.peakTflops), shortestText(arch.clockGHz),
              double(arch.cacheBytes) * 1e-6);
  if (arch.clusters.front() > 0)
    text +=
        formatv(", {0:$[ ]} clusters of 2 to 16",
                llvm::make_range(arch.clusters.begin(), arch.clusters.end()));
  return text;
}

static Facts factsOf(MatmulOp op, StringRef why) {
  Problem problem = op.getProblem();
  Arch arch = op.getArchAttr().getValue();
  Schedule schedule = op.getScheduleAttr().getValue();
  Geometry geometry = geometryOf(problem, schedule, arch);
  auto [time, bound] = roofline(problem, arch);
  Facts facts = {{"at", toString(op.getLoc())},
                 {"problem", problem.str()},
                 {"arch", arch.name + " (" + arch.isa + ")"},
                 {"schedule", hone::toString(schedule)}};
  // The schedule of the extents above all ranges is the subject of the other
  // lines.
  for (const ScheduleRange &range : op.getSchedules().ranges)
    facts.push_back({formatv("{0} to {1}", range.extent, range.most).str(),
                     hone::toString(range.schedule)});
  facts.push_back({"why", why.str()});
  if (!arch.isHost())
    facts.push_back({"machine", numbersOf(arch)});
  facts.push_back({"tiles", geometry.tiles});
  facts.push_back({"blocks", orUnknown(geometry.blocks)});
  if (!arch.isHost()) {
    facts.push_back(
        {"blocks per processor",
         formatv("{0} (limit: {1})", geometry.resident, geometry.limit)});
    facts.push_back({"waves", geometry.waves
                                  ? formatv("{0:F2} over {1} processors",
                                            *geometry.waves, arch.processors)
                                  : std::string("?")});
    facts.push_back(
        {"shared memory", formatv("{0} of {1} bytes a block",
                                  geometry.sharedBytes, arch.sharedPerBlock)});
    facts.push_back(
        {"registers", formatv("about {0} a thread, {1} threads",
                              geometry.registers, geometry.threads)});
  }
  facts.push_back({"roofline", time == "?" ? time : time + " at least"});
  facts.push_back({"bound by", bound});
  return facts;
}

static void addAssembled(ArrayRef<KernelReport> kernels, Facts &facts) {
  for (const KernelReport &kernel : kernels) {
    facts.push_back(
        {"assembled",
         formatv("{0}: {1} registers a thread, {2} bytes spilled, MEMBARs in "
                 "main loops: {3}",
                 kernel.name, kernel.registers, kernel.spillStores,
                 orUnknown(kernel.fencesInMainLoops))});
    for (const std::string &fault : kernel.faults())
      facts.push_back({"fault", fault});
  }
}

/// The trees of sums of the kernels of each matmul, at a few sizes.
static llvm::Error addSums(ModuleOp selected, const PipelineChoice &choice,
                           ArrayRef<Problem> problems,
                           MutableArrayRef<Facts> matmuls) {
  OwningOpRef<ModuleOp> module = selected.clone();
  if (llvm::Error error = runSelectedToKernels(*module, choice))
    return error;
  auto subjects = simulate::subjectsOf(*module);
  if (failed(subjects))
    return llvm::createStringError("expected kernels and their plans");
  for (const simulate::Subject &subject : *subjects) {
    auto trials = simulate::trialsFor(subject);
    if (!trials)
      return trials.takeError();
    constexpr size_t kFew = 4;
    trials->resize(std::min(kFew, trials->size()));
    auto sums = simulate::sumsOf(subject, *trials);
    if (!sums)
      return sums.takeError();
    std::pair<std::string, std::string> fact = {
        "sums",
        sums->findings.empty() ? sums->text : sums->findings.front().text};
    for (auto [problem, facts] : llvm::zip_equal(problems, matmuls))
      if (problem == subject.problem && !llvm::is_contained(facts, fact))
        facts.push_back(fact);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printText(ArrayRef<Facts> matmuls) {
  for (auto [i, facts] : llvm::enumerate(matmuls)) {
    llvm::outs() << (i ? "\n" : "") << "matmul " << i + 1 << "\n";
    size_t width = 0;
    for (const auto &fact : facts)
      width = std::max(width, fact.first.size());
    for (const auto &[name, value] : facts)
      llvm::outs() << "  " << llvm::left_justify(name, width + 2) << value
                   << "\n";
  }
}

static void printJson(ArrayRef<Facts> matmuls) {
  llvm::json::Array array;
  for (const Facts &facts : matmuls) {
    llvm::json::Object object;
    for (const auto &[name, value] : facts)
      object[name] = value;
    array.push_back(std::move(object));
  }
  llvm::outs() << formatv("{0:2}\n", llvm::json::Value(std::move(array)));
}

/// Prints the ops that are not matmuls, and other missed chances. Returns the
/// number of ops that might have been matmuls.
static size_t printMissed(ArrayRef<Note> notes, llvm::raw_ostream &os) {
  // The host runs the ops that are left alone, so their copies are not news.
  llvm::DenseSet<Location> onHost;
  for (const Note &note : notes)
    if (note.name == "not-matched")
      onHost.insert(note.location);
  size_t count = 0;
  for (const Note &note : notes) {
    if (!note.missed || note.name == "schedule" ||
        (note.name != "not-matched" && onHost.contains(note.location)))
      continue;
    bool isLeft = StringRef(note.name).starts_with("not-");
    os << toString(note.location) << ": " << (isLeft ? "left alone: " : "")
       << note.text << "\n";
    count += note.name == "not-matched";
  }
  return count;
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

namespace {
struct ExplainOptions : PipelineChoice {
  bool assemble = false, sums = false, json = false;
};
} // namespace

static llvm::Expected<int> explain(const ExplainOptions &options) {
  if (llvm::Expected<Arch> arch = resolveArchName(options.arch); !arch)
    return arch.takeError();
  std::vector<Note> notes;
  std::unique_ptr<MLIRContext> context = makeContext();
  auto module = readModule(*context, options.file);
  if (!module)
    return module.takeError();
  if (failed(keepNotes(*context, notes)))
    return llvm::createStringError("expected remarks to be available");
  std::vector<Facts> matmuls;
  std::vector<Problem> problems;
  auto explained = [&](Operation *op, const Selection &selection) {
    problems.push_back(cast<MatmulOp>(op).getProblem());
    matmuls.push_back(factsOf(cast<MatmulOp>(op), selection.reason()));
  };
  if (llvm::Error error = runToSelect(**module, options, explained))
    return std::move(error);
  if (options.sums)
    if (llvm::Error error = addSums(**module, options, problems, matmuls))
      return std::move(error);
  if (options.assemble) {
    auto kernels = assembleMatmuls(**module);
    if (!kernels)
      return kernels.takeError();
    for (auto [facts, each] : llvm::zip_equal(matmuls, *kernels))
      addAssembled(each, facts);
  }
  if (options.json)
    printJson(matmuls);
  else
    printText(matmuls);
  // A build succeeds even if it matches nothing, with these remarks.
  size_t left = printMissed(notes, llvm::errs());
  if (!matmuls.empty() || left)
    return kExitSuccess;
  return llvm::createStringError(formatv(
      "expected a module with a matmul, but got none in '{0}'", options.file));
}

int hone::explainCommand(ArrayRef<StringRef> args) {
  ExplainOptions options;
  OptionList list(
      "hone explain FILE [options]",
      "Shows the schedule of each matmul of FILE, its source and its "
      "consequences. Ops that\nare left alone are reported on standard error.");
  options.addTo(list);
  list.add("arch", "NAME", options.arch,
           "chip or instruction set to schedule for, native, or host",
           checkArch);
  list.add("ranges", "N", options.ranges,
           "maximum number of kernels for a matmul with one unknown extent");
  list.add("assemble", options.assemble,
           "also print the report of ptxas on the kernels, if it is installed");
  list.add("sums", options.sums, "and the order in which kernels add products");
  list.add("json", options.json, "print JSON");
  return list.run(args, [&] { return explain(options); });
}
