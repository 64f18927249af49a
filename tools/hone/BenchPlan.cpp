//===- BenchPlan.cpp - What hone bench gemm measures ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options, cells, kernels.
//
//===----------------------------------------------------------------------===//

#include "BenchPlan.h"
#include "hone/Search/Catalogue.h"
#include "hone/Search/CostModel.h"
#include "hone/Search/ModelSource.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

StringRef hone::toString(Protocol protocol) {
  constexpr StringRef kNames[] = {"device", "wall-offline", "wall-server"};
  return kNames[static_cast<size_t>(protocol)];
}

StringRef hone::toString(Baseline baseline) {
  constexpr StringRef kNames[] = {"cublas", "cublaslt-heuristic",
                                  "cublaslt-auto", "plain", "separate"};
  return kNames[static_cast<size_t>(baseline)];
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Reads a list of enumerators by their names; "none" is an empty list.
template <typename EnumT>
static Error readNames(StringRef what, StringRef text,
                       llvm::ArrayRef<EnumT> all, std::vector<EnumT> &values) {
  if (text == "none")
    return Error::success();
  for (StringRef part : llvm::split(text, ',')) {
    auto found = llvm::find_if(
        all, [&](EnumT value) { return toString(value) == part; });
    if (found == all.end()) {
      std::string names;
      for (EnumT value : all)
        names += (names.empty() ? "" : ", ") + toString(value).str();
      return llvm::createStringError(
          formatv("expected a {0}, but got '{1}'; use {2}", what, part, names));
    }
    values.push_back(*found);
  }
  return Error::success();
}

static Error readSpecs(const GemmOptions &options, BenchPlan &plan) {
  MatmulSpec spec;
  if (Error error = spec.setTypes(options.types))
    return error;
  llvm::Expected<Epilogue> epilogue = parseEpilogue(options.epilogue);
  if (!epilogue)
    return epilogue.takeError();
  spec.epilogue = *epilogue;
  for (StringRef layout : llvm::split(options.layouts, ',')) {
    if (Error error = spec.setLayout(layout))
      return error;
    plan.specs.push_back(spec);
  }
  return Error::success();
}

static Error readShapes(const GemmOptions &options, BenchPlan &plan) {
  auto shapes = options.grid.empty() ? parseShapes(options.shapes)
                                     : shapeGrid(options.grid);
  if (!shapes)
    return shapes.takeError();
  auto sample = sampleOf(options.sample, *shapes);
  if (!sample)
    return sample.takeError();
  plan.shapes = std::move(*sample);
  return Error::success();
}

/// Ours: a list, in which `default` is each problem's own, and a search.
static Error readSchedules(const GemmOptions &options, BenchPlan &plan) {
  for (StringRef text : llvm::split(options.schedules, ';')) {
    if (text.trim() == "default") {
      plan.hasDefault = true;
      continue;
    }
    if (text.trim() == "guess") {
      plan.hasGuess = true;
      continue;
    }
    llvm::Expected<Schedule> schedule = parseSchedule(text.trim());
    if (!schedule)
      return schedule.takeError();
    plan.schedules.push_back(*schedule);
  }
  constexpr size_t kSearched = 24;
  auto [kind, most] = StringRef(options.search).split(':');
  plan.searched = options.search.empty() ? 0 : kSearched;
  if (!options.search.empty() &&
      (kind != "grid" ||
       (options.search != "grid" && most.getAsInteger(10, plan.searched))))
    return llvm::createStringError(
        formatv("expected a search, but got '{0}'; use grid or e.g. grid:24",
                options.search));
  return Error::success();
}

/// The libraries multiply; an epilogue is compared with what ours cost without.
static Error readBaselines(const GemmOptions &options, BenchPlan &plan) {
  if (options.epilogue != "none")
    return readNames<Baseline>(
        "baseline of an epilogue",
        options.baselines.empty() ? "plain,separate" : options.baselines,
        {Baseline::plain, Baseline::separate}, plan.baselines);
  return readNames<Baseline>(
      "baseline",
      options.baselines.empty() ? "cublaslt-auto" : options.baselines,
      {Baseline::cublas, Baseline::cublasLtHeuristic, Baseline::cublasLtAuto},
      plan.baselines);
}

llvm::Expected<BenchPlan> hone::readBenchPlan(const GemmOptions &options) {
  BenchPlan plan;
  plan.options = options;
  auto rehearsal = Rehearsal::parse(options.rehearse);
  if (!rehearsal)
    return rehearsal.takeError();
  plan.rehearsal = *rehearsal;
  if (Error error = readShapes(options, plan))
    return std::move(error);
  if (Error error = readSpecs(options, plan))
    return std::move(error);
  if (Error error = readSchedules(options, plan))
    return std::move(error);
  if (Error error = readNames<Protocol>(
          "protocol", options.protocols,
          {Protocol::device, Protocol::wallOffline, Protocol::wallServer},
          plan.protocols))
    return std::move(error);
  if (Error error = readBaselines(options, plan))
    return std::move(error);
  StringRef programmatic = options.programmatic;
  if (programmatic != "both" && programmatic != "on" && programmatic != "off")
    return llvm::createStringError(
        formatv("expected --programmatic to be both, on or off, but got '{0}'",
                programmatic));
  if (programmatic != "off")
    plan.programmatic.push_back("on");
  if (programmatic != "on")
    plan.programmatic.push_back("off");
  return plan;
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

std::string BenchPlan::nameOf(const BenchCell &cell) const {
  return hone::toString(cell.extents) + " " + specs[cell.spec].layout();
}

std::string BenchPlan::typesOf(const BenchCell &cell, bool isPlain) const {
  const MatmulSpec &spec = specs[cell.spec];
  std::string types =
      (hone::toString(spec.in) + ":" + hone::toString(spec.out)).str();
  if (isPlain || spec.epilogue == Epilogue::none)
    return types;
  return types + " " + hone::toString(spec.epilogue).str();
}

BenchRow BenchPlan::rowOf(const BenchCell &cell, StringRef protocol,
                          StringRef programmatic, StringRef baseline) const {
  BenchRow row;
  row.shape = cell.extents;
  row.layout = specs[cell.spec].layout();
  row.types = typesOf(cell, /*isPlain=*/false);
  row.protocol = protocol.str();
  row.programmatic = programmatic.str();
  row.baseline = baseline.str();
  row.roofline = rooflineSeconds(problem(cell), arch);
  row.device = device;
  return row;
}

Part hone::outcomeOf(const MatmulSpec &spec, const Candidate &candidate) {
  bool fused = spec.epilogue != Epilogue::none && !candidate.isPlain;
  return fused ? Part::fused : Part::product;
}

std::vector<BenchRow> BenchPlan::rowsOf(const BenchCell &cell) const {
  std::vector<BenchRow> rows;
  for (Protocol protocol : protocols)
    for (const std::string &mode : programmatic) {
      for (Baseline baseline : baselines)
        rows.push_back(rowOf(cell, hone::toString(protocol), mode,
                             hone::toString(baseline)));
      if (baselines.empty())
        rows.push_back(rowOf(cell, hone::toString(protocol), mode, "none"));
    }
  return rows;
}

/// The schedules that compete for a problem: listed, default, searched; legal,
/// each once.
static std::vector<Schedule> competitors(const BenchPlan &plan,
                                         const Problem &problem) {
  std::vector<Schedule> all = plan.schedules;
  if (plan.hasDefault)
    all.push_back(defaultSchedule(problem, plan.arch));
  if (plan.hasGuess)
    all.push_back(guessSchedule(problem, plan.arch)
                      .value_or(defaultSchedule(problem, plan.arch)));
  if (plan.searched)
    llvm::append_range(all, shortlist(problem, plan.arch, plan.searched));
  std::vector<Schedule> legal;
  llvm::StringSet<> seen;
  for (const Schedule &schedule : all)
    if (!check(schedule, &problem, &plan.arch) &&
        seen.insert(toString(schedule)).second)
      legal.push_back(schedule);
  return legal;
}

/// A schedule is measured by itself: no other kind's kernel may take its place.
/// One that takes any memory has a kernel of its own for unaligned lines.
static bool needsSibling(const Schedule &schedule, const Extents &extents) {
  constexpr int64_t kAligned = 8;
  return !schedule.kind().refuseMemory &&
         llvm::any_of(extents,
                      [](int64_t extent) { return extent % kAligned != 0; });
}

/// The cell's candidates, or those of the product without its epilogue.
static void addCandidates(BenchPlan &plan, llvm::StringMap<size_t> &kernels,
                          bool isPlain, BenchCell &cell) {
  MatmulSpec spec = plan.specs[cell.spec];
  if (isPlain)
    spec.epilogue = Epilogue::none;
  auto [m, n, k] = cell.extents;
  Problem problem = spec.problem(m, n, k);
  for (const Schedule &schedule : competitors(plan, problem)) {
    KernelRequest request = {spec, schedule};
    request.spec.fallback = needsSibling(schedule, cell.extents);
    std::string key = formatv("{0} {1} {2} {3}", cell.spec, isPlain,
                              request.spec.fallback, compileTimeText(schedule));
    auto [place, isNew] = kernels.try_emplace(key, plan.kernels.size());
    if (isNew)
      plan.kernels.push_back({std::move(request), {}, ""});
    cell.candidates.push_back({schedule, isPlain, place->second,
                               estimateSeconds(problem, plan.arch, schedule)});
  }
}

void hone::fillCells(BenchPlan &plan, llvm::ArrayRef<BenchRow> done) {
  llvm::StringSet<> keys;
  for (const BenchRow &row : done)
    keys.insert(row.key());
  llvm::StringMap<size_t> kernels;
  for (const Extents &extents : plan.shapes)
    for (size_t spec = 0; spec < plan.specs.size(); ++spec) {
      BenchCell cell = {spec, extents, {}};
      if (llvm::all_of(plan.rowsOf(cell), [&](const BenchRow &row) {
            return keys.contains(row.key());
          }))
        continue;
      addCandidates(plan, kernels, /*isPlain=*/false, cell);
      if (plan.specs[spec].epilogue != Epilogue::none)
        addCandidates(plan, kernels, /*isPlain=*/true, cell);
      plan.cells.push_back(std::move(cell));
    }
}
