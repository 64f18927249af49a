//===- Prompt.cpp - Prompt for a language model ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Prompt.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Prompt.h"
#include "hone/Chat/Brief.h"
#include "hone/Chat/Grammar.h"
#include "hone/Numerics/Cause.h"
#include "hone/Schedule/Geometry.h"
#include "hone/Schedule/Roofline.h"
#include "hone/Space/Catalogue.h"
#include "hone/Space/CostModel.h"
#include "hone/Space/Space.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>
#include <map>
#include <set>

using namespace hone;
using llvm::formatv;

static constexpr size_t kOfModel = 4;
static constexpr size_t kBest = 5, kMiddling = 3, kWorst = 3;
static constexpr size_t kMaxFailures = 8, kMaxRefused = 8;

std::string hone::systemText() {
  return "You choose schedules of matrix multiplications: decisions from which "
         "a compiler builds, checks and times a kernel. The fastest of yours "
         "counts. Answer with one JSON object only, "
         "the most promising schedule first:\n"
         "{\"plan\": \"the bottleneck, in a line\", \"schedules\": [\"kind, "
         "decision = value, ..., rewrites = [name(value), ...]\", ...]}\n"
         "A schedule has the decisions that differ from the usual values, in "
         "the order given.";
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
      "# Problem\n{0}\nA's lines run along {1}, B's along {2}; "
      "type:order:alignment in bytes. {3}{4:f2} GFLOP, {5:f2} MB, at "
      "least {6}.\n",
      problem.str(), problem.a.order == Order::row ? "K" : "M",
      problem.b.order == Order::row ? "N" : "K", besidesText(problem),
      flops / 1e9, bytes / 1e6, micro(rooflineSeconds(problem, arch)));
}

static std::string archText(const Arch &arch) {
  std::string text = formatv("# Machine\n{0} ({1})", arch.chip, arch.isa);
  if (arch.isHost())
    text += formatv(", vectors of {0} bits", arch.vectorBits);
  else
    text +=
        formatv(": {0} processors of {1} bytes of shared memory (a block: "
                "{2}), {3} registers and {4} threads",
                arch.processors, arch.sharedPerProcessor, arch.sharedPerBlock,
                arch.registersPerProcessor, arch.threadsPerProcessor);
  return text + formatv(", {0:f2} GHz, {1:f0} GB/s, {2:f0} TFLOP/s, {3:f0} MB "
                        "of cache\n",
                        arch.clockGHz, arch.memoryGBs, arch.peakTflops,
                        double(arch.cacheBytes) / 1e6)
                    .str();
}

//===----------------------------------------------------------------------===//
// The cost model
//===----------------------------------------------------------------------===//

/// "14.4 = 2.9 + max(10.6, 4.2, 7.3)"
static std::string termsText(const CostTerms &terms) {
  std::string text = formatv("{0:f2}", 1e6 * terms.seconds);
  if (terms.blocks <= 0)
    return text;
  return text + formatv(" = {0:f2} + max({1:f2}, {2:f2}, {3:f2})",
                        1e6 * (terms.start + terms.ends), 1e6 * terms.loops,
                        1e6 * terms.bus, 1e6 * terms.power)
                    .str();
}

/// "; 0.87; 229488"
static std::string resourcesText(const Geometry &geometry) {
  std::string text;
  if (geometry.resident != 0 && geometry.waves)
    text += formatv("; {0:f2}", *geometry.waves);
  if (geometry.resident != 0)
    text += formatv("; {0}", geometry.sharedBytes);
  return text;
}

/// The schedules that may be proposed: the default, then by the cost model.
static std::vector<Schedule> orderOfModel(const PromptFacts &facts) {
  std::vector<Schedule> order =
      shortlist(facts.problem, facts.arch, /*max=*/SIZE_MAX);
  llvm::erase_if(order, [&](const Schedule &schedule) {
    return !llvm::is_contained(facts.kinds, &schedule.kind()) ||
           (facts.isWithin && !facts.isWithin(facts.problem, schedule));
  });
  return order;
}

/// The kinds whose best estimate is near the best of all. An answer may have
/// others.
static std::vector<const Kind *>
promisingKinds(const PromptFacts &facts, llvm::ArrayRef<Schedule> order) {
  constexpr double kFar = 1.3;
  std::map<const Kind *, double> best;
  double fastest = std::numeric_limits<double>::infinity();
  for (const Schedule &schedule : order) {
    double seconds = estimateSeconds(facts.problem, facts.arch, schedule);
    double &ofKind = best.try_emplace(&schedule.kind(), seconds).first->second;
    ofKind = std::min(ofKind, seconds);
    fastest = std::min(fastest, seconds);
  }
  std::vector<const Kind *> kinds;
  for (const Kind *kind : facts.kinds)
    if (auto at = best.find(kind);
        at == best.end() || at->second <= kFar * fastest)
      kinds.push_back(kind);
  return kinds;
}

/// The model's best of `kinds`, each with another tile, so that they are not
/// variants of one.
static std::vector<Schedule> variedBest(const PromptFacts &facts, Kinds kinds,
                                        llvm::ArrayRef<Schedule> order) {
  constexpr size_t kMaxOfForm = 3;
  std::vector<Schedule> best;
  std::set<std::string> tiles;
  std::map<std::string, size_t> ofForm;
  // Hints have lines of their own, and so has the default, once it is measured.
  std::vector<Schedule> shown = {
      defaultSchedule(facts.problem, facts.arch, facts.kinds)};
  for (const PromptHint &hint : facts.hints)
    shown.push_back(hint.schedule);
  for (const Schedule &schedule : order) {
    if (best.size() == kOfModel)
      break;
    auto tile = schedule.kind().facts(schedule, facts.problem).tile;
    if (!llvm::is_contained(shown, schedule) &&
        llvm::is_contained(kinds, &schedule.kind()) &&
        ofForm[formOf(schedule)] < kMaxOfForm &&
        tiles.insert(formatv("{0}x{1}x{2}", tile[0], tile[1], tile[2]))
            .second) {
      ++ofForm[formOf(schedule)];
      best.push_back(schedule);
    }
  }
  return best;
}

static std::string modelText(const PromptFacts &facts,
                             llvm::ArrayRef<Schedule> best) {
  std::string text = "# The best by a cost model\n"
                     "us, often 10 % off = ends of tiles + max(loop over K, "
                     "memory, products); "
                     "waves; shared memory\n";
  for (const Schedule &schedule : best) {
    CostTerms terms = costTerms(facts.problem, facts.arch, schedule);
    Geometry geometry = geometryOf(facts.problem, schedule, facts.arch);
    text += formatv("{0}: {1}{2}\n", toAnswerText(schedule), termsText(terms),
                    resourcesText(geometry));
  }
  return text;
}

static std::string hintsText(const PromptFacts &facts) {
  std::string text;
  for (const PromptHint &hint : facts.hints)
    text += formatv("{0}: {1}\n", toAnswerText(hint.schedule), hint.origin);
  return text.empty() ? ""
                      : "# From similar problems and a trained model\n" + text;
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

/// Schedules that failed for the same cause share a line, the most frequent
/// cause first. Those of the last answer have lines of their own.
static std::string failedText(const PromptFacts &facts) {
  constexpr size_t kLongest = 160;
  using Example = std::pair<std::string, std::string>; // with its reason
  std::map<std::string, std::vector<Example>> byCause;
  for (const Attempted &tried : facts.tried) {
    bool isOfLastAnswer = llvm::any_of(facts.refused, [&](const Refusal &one) {
      return one.schedule == tried.schedule;
    });
    if (!tried.result.isOk() && !isOfLastAnswer)
      byCause[causeOf(tried.result)].emplace_back(
          toAnswerText(tried.schedule),
          printable(tried.result.reason, kLongest));
  }
  std::vector<std::pair<size_t, std::string>> lines;
  for (const auto &[cause, examples] : byCause) {
    const Example &one = *llvm::min_element(examples);
    lines.emplace_back(examples.size(),
                       formatv("{0} times {1}; e.g. {2}: {3}\n",
                               examples.size(), cause, one.first, one.second));
  }
  llvm::stable_sort(lines, [](const auto &one, const auto &other) {
    return one.first > other.first;
  });
  std::string text;
  for (const auto &line : llvm::ArrayRef(lines).take_front(kMaxFailures))
    text += line.second;
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
  return formatv(
      "# Task\nPropose {0} schedules that are not above and keep the "
      "laws. {1}\n",
      facts.wanted,
      isFirst ? "Let them differ in tile and form, some near those "
                "above, some that the models may have wrong."
              : "Let two thirds differ from the fastest in one or "
                "two decisions; let the others try new ones.");
}

std::string hone::questionStart(const PromptFacts &facts) {
  std::vector<Schedule> order = orderOfModel(facts);
  std::vector<const Kind *> kinds = promisingKinds(facts, order);
  return archText(facts.arch) +
         describeKinds(kinds, facts.problem, facts.arch) +
         problemText(facts.problem, facts.arch) +
         modelText(facts, variedBest(facts, kinds, order)) + hintsText(facts);
}

std::string hone::questionEnd(const PromptFacts &facts) {
  return measuredText(facts) + failedText(facts) + refusedText(facts) +
         taskText(facts);
}
