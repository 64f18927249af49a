//===- Facts.cpp - Facts about scheduled matmuls --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Facts.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Report/Facts.h"
#include "hone/Command/Table.h"
#include "hone/Schedule/Geometry.h"
#include "hone/Schedule/Roofline.h"
#include "hone/Simulate/SumTree.h"
#include "hone/Text/Number.h"
#include "passes/Support.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using llvm::formatv;

std::string hone::placeOf(Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place)
    return "unknown";
  return place.getLine() == 0
             ? place.getFilename().str()
             : StringRef(placePrefix(place)).drop_back(2).str();
}

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

Facts hone::factsOf(MatmulOp op, StringRef why) {
  Problem problem = op.getProblem();
  Arch arch = op.getArchAttr().getValue();
  Schedule schedule = op.getScheduleAttr().getValue();
  Geometry geometry = geometryOf(problem, schedule, arch);
  auto [time, bound] = roofline(problem, arch);
  Facts facts = {{"at", placeOf(op.getLoc())},
                 {"problem", problem.str()},
                 {"arch", arch.name + " (" + arch.isa + ")"},
                 {"schedule", hone::toString(schedule)}};
  // The schedule of the extents above all ranges is the subject of the other
  // lines.
  for (const ScheduleRange &range : op.getSchedules().ranges)
    facts.push_back({formatv("{0} to {1}", range.extent, range.max).str(),
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

void hone::addAssembled(ArrayRef<KernelReport> kernels, Facts &facts) {
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

llvm::Error hone::addSums(ModuleOp built, ArrayRef<Problem> problems,
                          MutableArrayRef<Facts> matmuls) {
  auto subjects = simulate::subjectsOf(built);
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
