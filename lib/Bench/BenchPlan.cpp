//===- BenchPlan.cpp - Plan of hone bench gemm ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options, cells, kernels.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/BenchPlan.h"
#include "hone/Matmul/ProblemModule.h"
#include "hone/Policy/TuneDefaults.h"
#include "hone/Schedule/Roofline.h"
#include "hone/Schedule/Spelling.h"
#include "hone/Search/Policy.h"
#include "hone/Sources/LearnedSource.h"
#include "hone/Sources/ModelSource.h"
#include "hone/Space/Catalogue.h"
#include "hone/Space/CostModel.h"
#include "hone/Space/Draw.h"
#include "hone/Workers/Workers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

StringRef hone::toString(Baseline baseline) {
  switch (baseline) {
  case Baseline::cublas:
    return "cublas";
  case Baseline::cublasLtHeuristic:
    return "cublaslt-heuristic";
  case Baseline::cublasLtAuto:
    return "cublaslt-auto";
  case Baseline::cublasLtDirect:
    return "cublaslt-direct";
  case Baseline::cublasLtPadded:
    return "cublaslt-padded";
  case Baseline::guess:
    return "guess";
  case Baseline::plain:
    return "plain";
  case Baseline::separate:
    return "separate";
  }
  llvm_unreachable("a baseline");
}

std::vector<Rival> hone::rivalsOf(Baseline baseline, const Problem &problem) {
  if (!problem.hasMatrices())
    return {};
  switch (baseline) {
  case Baseline::cublas:
    return {Rival::cublas};
  case Baseline::cublasLtHeuristic:
    return {Rival::cublasLtHeuristic};
  case Baseline::cublasLtAuto:
    if (hasOddLines(problem) && problem.epilogue.empty())
      return {Rival::cublasLtAuto, Rival::cublasLtPadded};
    return {Rival::cublasLtAuto};
  case Baseline::cublasLtDirect:
    return {Rival::cublasLtAuto};
  case Baseline::cublasLtPadded:
    return {Rival::cublasLtPadded};
  default:
    return {};
  }
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

static Error readForms(const GemmOptions &options, BenchPlan &plan) {
  Problem form;
  if (Error error = setTypes(form, options.types))
    return error;
  llvm::Expected<Epilogue> epilogue = parseEpilogue(options.epilogue);
  if (!epilogue)
    return epilogue.takeError();
  plan.epilogue = *epilogue;
  form.epilogue = canonicalText(*epilogue, form.c);
  for (StringRef layout : llvm::split(options.layouts, ',')) {
    if (Error error = setLayout(form, layout))
      return error;
    plan.forms.push_back(form);
  }
  return Error::success();
}

static Error readShapes(const GemmOptions &options, BenchPlan &plan) {
  std::vector<BenchShape> all;
  if (options.grid.empty()) {
    auto shapes = parseShapes(options.shapes);
    if (!shapes)
      return shapes.takeError();
    all = std::move(*shapes);
  } else {
    auto grid = shapeGrid(options.grid);
    if (!grid)
      return grid.takeError();
    for (const Extents &extents : *grid)
      all.push_back({extents, std::nullopt, std::nullopt});
  }
  auto sample = sampleOf(options.sample, all.size());
  if (!sample)
    return sample.takeError();
  for (size_t at : *sample)
    plan.shapes.push_back(all[at]);
  return Error::success();
}

/// "tune:64", "grid:24", "sample:24", or one of them without a number.
static Error readSearch(StringRef text, BenchPlan &plan) {
  if (text.empty())
    return Error::success();
  auto [kind, number] = text.split(':');
  int64_t count = kind == "tune" ? tuneDefaults().trials : 24;
  bool isGood =
      llvm::is_contained({"tune", "grid", "sample"}, kind) &&
      (kind == text || (!number.getAsInteger(10, count) && count > 0));
  if (!isGood)
    return llvm::createStringError(
        formatv("expected a search, but got '{0}'; use e.g. tune:64, grid:24 "
                "or sample:64",
                text));
  plan.tuneTrials = kind == "tune" ? count : 0;
  plan.searched = kind == "grid" ? count : 0;
  plan.sampled = kind == "sample" ? count : 0;
  return Error::success();
}

/// Hone's schedules: the choice of a build; or a list, in which `default` is
/// each problem's own default, and the best of a search.
static Error readSchedules(const GemmOptions &options, BenchPlan &plan) {
  StringRef listed = options.schedules, search = options.search;
  if (listed.empty() && search.empty())
    search = "tune";
  if (Error error = readSearch(search, plan))
    return error;
  if (plan.tuneTrials == 0 && !options.database.empty())
    return llvm::createStringError(
        "expected a tune with --db, but got none; use --search=tune:64");
  if (listed.empty() && plan.tuneTrials == 0)
    listed = "default";
  if (listed.empty())
    return Error::success();
  for (StringRef text : llvm::split(listed, ';')) {
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
  return Error::success();
}

/// Libraries only multiply; a result with an epilogue is compared with Hone's
/// product without it.
static Error readBaselines(const GemmOptions &options, BenchPlan &plan) {
  if (options.epilogue != "none")
    return readNames<Baseline>("baseline of an epilogue",
                               options.baselines.empty() ? "plain,separate"
                                                         : options.baselines,
                               {Baseline::plain, Baseline::separate,
                                Baseline::cublasLtAuto, Baseline::guess},
                               plan.baselines);
  return readNames<Baseline>(
      "baseline",
      options.baselines.empty() ? "cublaslt-auto" : options.baselines,
      {Baseline::cublas, Baseline::cublasLtHeuristic, Baseline::cublasLtAuto,
       Baseline::cublasLtDirect, Baseline::cublasLtPadded, Baseline::guess},
      plan.baselines);
}

/// Leaves the shapes of this worker's part. A shape's layouts stay together,
/// because their times are compared.
static Error takePart(StringRef text, BenchPlan &plan) {
  llvm::Expected<Share> part = Share::parse(text);
  if (!part)
    return part.takeError();
  llvm::erase_if(plan.shapes, [&](const BenchShape &shape) {
    return !part->has(shape.convolution
                          ? shape.convolution->str()
                          : formatv("{0}*{1}", shape.batch.value_or(1),
                                    toString(shape.extents))
                                .str());
  });
  return Error::success();
}

llvm::Expected<BenchPlan> hone::readBenchPlan(const GemmOptions &options) {
  BenchPlan plan;
  plan.options = options;
  if (plan.isRehearsal())
    if (auto faults = FaultPlan::parse(options.rehearse); !faults)
      return faults.takeError();
  if (Error error = readShapes(options, plan))
    return std::move(error);
  if (Error error = takePart(options.part, plan))
    return std::move(error);
  if (Error error = readForms(options, plan))
    return std::move(error);
  bool hasColumns = llvm::any_of(plan.forms, [](const Problem &form) {
    return form.a.order == Order::col;
  });
  for (const BenchShape &shape : plan.shapes)
    if (shape.convolution && hasColumns)
      return llvm::createStringError(
          formatv("expected layouts whose A is in rows for '{0}', but got "
                  "'{1}'; use nn, with filters innermost, or nt",
                  shape.convolution->str(), options.layouts));
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
  std::string name;
  if (cell.problem.batch)
    name = formatv("{0}*", *cell.problem.batch);
  name += cell.shape.convolution ? cell.shape.convolution->str()
                                 : hone::toString(cell.shape.extents);
  return name + " " + layoutOf(cell.problem);
}

std::string BenchPlan::typesOf(const BenchCell &cell, bool isPlain) const {
  std::string types = hone::typesOf(cell.problem);
  if (cell.problem.batch)
    types += formatv(" {0}{1}", kBatchMark, *cell.problem.batch);
  if (!isPlain && epilogue != Epilogue::none)
    types += " " + hone::toString(epilogue).str();
  if (cell.shape.convolution)
    types += " " + cell.shape.convolution->str();
  return types;
}

Problem BenchPlan::problemOf(const BenchCell &cell,
                             const Candidate &candidate) const {
  Problem problem = cell.problem;
  if (candidate.isPlain)
    problem.epilogue.clear();
  return problem;
}

BenchRow BenchPlan::rowOf(const BenchCell &cell, StringRef protocol,
                          StringRef programmatic, StringRef baseline) const {
  BenchRow row;
  row.shape = cell.shape.extents;
  row.layout = layoutOf(cell.problem);
  row.types = typesOf(cell, /*isPlain=*/false);
  row.protocol = protocol.str();
  row.programmatic = programmatic.str();
  row.baseline = baseline.str();
  row.roofline = rooflineSeconds(cell.problem, arch);
  row.device = device;
  return row;
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

/// The choice of a build without a database.
static Schedule guessOf(const Problem &problem, const Arch &arch) {
  if (std::optional<Schedule> preferred =
          preferredSchedule(Model::shipped(), problem, arch))
    return *preferred;
  return guessSchedule(problem, arch).value_or(defaultSchedule(problem, arch));
}

/// The schedules that compete for a problem: listed, default, searched; only
/// legal ones, without duplicates.
static std::vector<Schedule> competitors(const BenchPlan &plan,
                                         const Problem &problem) {
  std::vector<Schedule> all = plan.schedules;
  if (plan.hasDefault)
    all.push_back(defaultSchedule(problem, plan.arch));
  if (plan.hasGuess)
    all.push_back(guessOf(problem, plan.arch));
  if (plan.searched)
    llvm::append_range(all, shortlist(problem, plan.arch, plan.searched));
  // The sample depends on the problem's name.
  constexpr int64_t kSeed = 1;
  if (plan.sampled)
    llvm::append_range(all, sampled(problem, plan.arch, plan.sampled,
                                    seedFor(problem, kSeed)));
  std::vector<Schedule> legal;
  llvm::StringSet<> seen;
  for (const Schedule &schedule : all)
    if (!check(schedule, &problem, &plan.arch) &&
        seen.insert(toString(schedule)).second)
      legal.push_back(schedule);
  return legal;
}

/// Adds the cell's candidates, or those of the product without its epilogue.
static void addCandidates(const BenchPlan &plan, bool isPlain,
                          BenchCell &cell) {
  Problem problem = plan.problemOf(cell, {{}, isPlain});
  for (const Schedule &schedule : competitors(plan, problem))
    cell.candidates.push_back(
        {schedule, isPlain, estimateSeconds(problem, plan.arch, schedule)});
}

void hone::fillCells(BenchPlan &plan, llvm::ArrayRef<BenchRow> done) {
  llvm::StringSet<> keys;
  for (const BenchRow &row : done)
    keys.insert(row.key());
  for (const BenchShape &shape : plan.shapes)
    for (const Problem &form : plan.forms) {
      BenchCell cell = {shape.in(form), shape, {}, std::nullopt};
      if (llvm::all_of(plan.rowsOf(cell), [&](const BenchRow &row) {
            return keys.contains(row.key());
          }))
        continue;
      addCandidates(plan, /*isPlain=*/false, cell);
      if (plan.hasPlain())
        addCandidates(plan, /*isPlain=*/true, cell);
      if (llvm::is_contained(plan.baselines, Baseline::guess))
        cell.guess = guessOf(cell.problem, plan.arch);
      if (cell.guess && check(*cell.guess, &cell.problem, &plan.arch))
        cell.guess.reset();
      plan.cells.push_back(std::move(cell));
    }
}

std::vector<std::pair<Problem, Schedule>> BenchPlan::kernels() const {
  std::vector<std::pair<Problem, Schedule>> kernels;
  llvm::StringSet<> seen;
  auto add = [&](Problem problem, const Schedule &schedule) {
    if (seen.insert(kernelKey(problem, schedule, arch)).second)
      kernels.emplace_back(std::move(problem), schedule);
  };
  for (const BenchCell &cell : cells) {
    for (const Candidate &candidate : cell.candidates)
      add(problemOf(cell, candidate), candidate.schedule);
    if (cell.guess)
      add(cell.problem, *cell.guess);
  }
  return kernels;
}
