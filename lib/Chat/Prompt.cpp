//===- Prompt.cpp - Prompt for a language model ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Prompt.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Prompt.h"
#include "hone/Chat/Grammar.h"
#include "hone/Schedule/Geometry.h"
#include "hone/Schedule/Roofline.h"
#include "hone/Space/Catalogue.h"
#include "hone/Space/CostModel.h"
#include "hone/Space/Space.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>

using namespace hone;
using llvm::formatv;

static constexpr size_t kOfModel = 8;
static constexpr size_t kBest = 5, kMiddling = 3, kWorst = 3;
static constexpr size_t kMaxFailures = 8, kMaxRefused = 8;

std::string hone::systemText() {
  return "You choose schedules for matrix multiplications on a given machine. "
         "A schedule is a set of decisions; a compiler builds its kernel, "
         "checks it and measures its time. You are judged by the shortest time "
         "among the schedules you propose, and by how few you need. You answer "
         "with JSON and nothing else.";
}

//===----------------------------------------------------------------------===//
// Problem and machine
//===----------------------------------------------------------------------===//

static std::string micro(double seconds) {
  return formatv("{0:f2} us", 1e6 * seconds);
}

/// Properties of the problem beyond a plain product.
static std::string besidesText(const Problem &problem) {
  std::string text;
  if (problem.batch)
    text += formatv("{0} independent products. ", *problem.batch);
  if (problem.init == Init::read)
    text += "The old value of C is added. ";
  if (!problem.epilogue.empty())
    text += "The epilogue is applied to each sum before it is stored. ";
  return text;
}

static std::string problemText(const Problem &problem, const Arch &arch) {
  double flops = *problem.flops(), bytes = *problem.bytes();
  return formatv(
      "# Problem\n{0}\nC[m, n] = sum over k of A[m, k] * B[k, n]. a row: K is "
      "contiguous, a col: M is; b row: N is contiguous, b col: K is; the last "
      "number is the alignment of lines in bytes. {5}\n{1:f3} GFLOP, at least "
      "{2:f3} MB of memory traffic, {3:f1} FLOP per byte. No schedule takes "
      "less than {4} (roofline).\n",
      problem.str(), flops / 1e9, bytes / 1e6, flops / bytes,
      micro(rooflineSeconds(problem, arch)), besidesText(problem));
}

static std::string archText(const Arch &arch) {
  std::string text = formatv("# Machine\n{0} ({1})", arch.chip, arch.isa);
  if (arch.isHost())
    text += formatv(", vectors of {0} bits", arch.vectorBits);
  else
    text += formatv(
        ": {0} processors, {1} bytes of shared memory per block, {2} per "
        "processor, {3} registers and {4} threads per processor",
        arch.processors, arch.sharedPerBlock, arch.sharedPerProcessor,
        arch.registersPerProcessor, arch.threadsPerProcessor);
  return text + formatv(", {0:f2} GHz, {1:f0} GB/s of memory, {2:f0} TFLOP/s "
                        "at peak, {3:f1} MB of last-level cache.\n",
                        arch.clockGHz, arch.memoryGBs, arch.peakTflops,
                        double(arch.cacheBytes) / 1e6)
                    .str();
}

//===----------------------------------------------------------------------===//
// The cost model
//===----------------------------------------------------------------------===//

static std::string termsText(const CostTerms &terms) {
  std::string text = formatv("{0}", micro(terms.seconds));
  if (terms.blocks <= 0)
    return text;
  return text +
         formatv(" = start {0:f2} + ends {1:f2} + near(loops {2:f2}, bus "
                 "{3:f2}, power {4:f2}); {5:f0} x {6:f0} tiles, {7:f0} blocks "
                 "on {8:f0} processors, {9:f0} rounds, {10:f0} steps of K",
                 1e6 * terms.start, 1e6 * terms.ends, 1e6 * terms.loops,
                 1e6 * terms.bus, 1e6 * terms.power, terms.rows, terms.cols,
                 terms.blocks, terms.processors, terms.rounds, terms.steps)
             .str();
}

/// "shared memory 196 of 227 KiB, 0.73 waves of 132 blocks"
static std::string resourcesText(const Geometry &geometry, const Arch &arch) {
  if (geometry.resident == 0)
    return "";
  std::string text =
      formatv("; shared memory {0} of {1} bytes, {2} threads, {3} registers a "
              "thread, {4} blocks a processor",
              geometry.sharedBytes, arch.sharedPerBlock, geometry.threads,
              geometry.registers, geometry.resident);
  if (geometry.waves)
    text += formatv(", {0:f2} waves", *geometry.waves);
  return text;
}

/// The cost model's best, each with another tile, so that they are not variants
/// of one.
static std::vector<Schedule> variedBest(const PromptFacts &facts) {
  constexpr size_t kMaxOfForm = 3;
  std::vector<Schedule> best;
  std::set<std::string> tiles;
  std::map<std::string, size_t> ofForm;
  for (const Schedule &schedule :
       shortlist(facts.problem, facts.arch, /*max=*/SIZE_MAX)) {
    if (best.size() == kOfModel)
      break;
    if (!llvm::is_contained(facts.kinds, &schedule.kind()) ||
        (facts.isWithin && !facts.isWithin(facts.problem, schedule)))
      continue;
    auto tile = schedule.kind().facts(schedule, facts.problem).tile;
    if (ofForm[formOf(schedule)] < kMaxOfForm &&
        tiles.insert(formatv("{0}x{1}x{2}", tile[0], tile[1], tile[2]))
            .second) {
      ++ofForm[formOf(schedule)];
      best.push_back(schedule);
    }
  }
  return best;
}

static std::string modelText(const PromptFacts &facts) {
  std::string text =
      "# The default and the cost model's best\n"
      "Estimates, which are often 10 % off. near: the maximum, with rounded "
      "corners. start: of the launch; ends: around a tile's loop over K; "
      "loops: the busiest processor's steps of K; bus: memory traffic; power: "
      "all multiplications at the sustained rate.\n";
  for (const Schedule &schedule : variedBest(facts)) {
    CostTerms terms = costTerms(facts.problem, facts.arch, schedule);
    Geometry geometry = geometryOf(facts.problem, schedule, facts.arch);
    text += formatv("{0}: {1}{2}\n", toAnswerText(schedule), termsText(terms),
                    resourcesText(geometry, facts.arch));
  }
  return text;
}

static std::string hintsText(const PromptFacts &facts) {
  std::string text;
  for (const PromptHint &hint : facts.hints)
    text += formatv("{0}: {1}\n", toAnswerText(hint.schedule), hint.origin);
  return text.empty() ? "" : "# From other problems and models\n" + text;
}

//===----------------------------------------------------------------------===//
// Known results
//===----------------------------------------------------------------------===//

/// The best, some from the middle, the worst; by time, each once.
static std::vector<const Attempted *>
telling(std::vector<const Attempted *> sorted) {
  if (sorted.size() <= kBest + kMiddling + kWorst)
    return sorted;
  std::vector<const Attempted *> some(sorted.begin(), sorted.begin() + kBest);
  size_t between = sorted.size() - kBest - kWorst;
  for (size_t at = 0; at < kMiddling; ++at)
    some.push_back(sorted[kBest + (2 * at + 1) * between / (2 * kMiddling)]);
  some.insert(some.end(), sorted.end() - kWorst, sorted.end());
  return some;
}

static std::string measuredText(const PromptFacts &facts) {
  std::vector<const Attempted *> ok;
  for (const Attempted &tried : facts.tried)
    if (tried.result.isOk())
      ok.push_back(&tried);
  if (ok.empty())
    return "";
  // Equal times are sorted by text, not by order of arrival.
  llvm::sort(ok, [](const Attempted *left, const Attempted *right) {
    return std::make_pair(left->result.times.median, toString(left->schedule)) <
           std::make_pair(right->result.times.median,
                          toString(right->schedule));
  });
  double best = ok.front()->result.times.median;
  std::string text = formatv("# Measured\nTime over the best of {0}, which "
                             "takes {1}.\n",
                             ok.size(), micro(best));
  for (const Attempted *tried : telling(ok))
    text += formatv("{0:f2} {1}\n", tried->result.times.median / best,
                    toAnswerText(tried->schedule));
  return text;
}

/// Schedules that failed in the same way share a line.
static std::string failedText(const PromptFacts &facts) {
  constexpr size_t kLongest = 160;
  std::map<std::string, std::vector<std::string>> byHow;
  for (const Attempted &tried : facts.tried)
    if (!tried.result.isOk())
      byHow[(toString(tried.result.status) + ": " +
             printable(tried.result.reason, kLongest))
                .str()]
          .push_back(toAnswerText(tried.schedule));
  std::string text;
  size_t lines = 0;
  for (auto &[how, schedules] : byHow) {
    if (lines++ == kMaxFailures)
      break;
    text += formatv("{0} times {1}; e.g. {2}\n", schedules.size(), how,
                    *llvm::min_element(schedules));
  }
  return text.empty() ? "" : "# Failed\n" + text;
}

static std::string refusedText(const PromptFacts &facts) {
  std::string text;
  for (const Refusal &refused : facts.refused.take_back(kMaxRefused))
    text += formatv("{0}: {1}\n", refused.text, refused.reason);
  return text.empty() ? ""
                      : "# Refused, of your last answer, before anything was "
                        "built\n" +
                            text;
}

//===----------------------------------------------------------------------===//
// The task
//===----------------------------------------------------------------------===//

static std::string taskText(const PromptFacts &facts) {
  bool isFirst = llvm::count_if(facts.tried, [](const Attempted &tried) {
                   return tried.result.isOk();
                 }) <= 1;
  std::string mix =
      isFirst ? "Little is measured yet: let them differ in kind and tile, "
                "some near the cost model's best and some that it may have "
                "wrong."
              : "Let two thirds differ from the fastest in one or two "
                "decisions, away from schedules that were slow or failed; let "
                "the others try new decisions.";
  std::string example =
      toAnswerText(defaultSchedule(facts.problem, facts.arch, facts.kinds));
  return formatv("# Task\nPropose {0} schedules that are not listed above and "
                 "keep every law. {1} A schedule is a text: its kind, then the "
                 "decisions that differ from the usual ones, in the order "
                 "above, rewrites last. Answer with one JSON object: a plan of "
                 "one line that names the bottleneck, then the schedules, the "
                 "most promising first:\n{{\"plan\": \"...\", \"schedules\": "
                 "[\"{2}\", ...]}\n",
                 facts.wanted, mix, example);
}

std::string hone::questionText(const PromptFacts &facts) {
  return problemText(facts.problem, facts.arch) + archText(facts.arch) +
         "# Decisions\n" + describeDecisions(facts.kinds) +
         "# Laws; a schedule that breaks one is refused\n" +
         describeLaws(facts.kinds, facts.problem, facts.arch) +
         modelText(facts) + hintsText(facts) + measuredText(facts) +
         failedText(facts) + refusedText(facts) + taskText(facts);
}
