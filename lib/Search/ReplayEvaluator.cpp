//===- ReplayEvaluator.cpp - Evaluator that replays a recorded table ------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ReplayEvaluator.h. Each random number is a hash of the inputs that it may
// depend on, so it depends on nothing else.
//
//===----------------------------------------------------------------------===//

#include "hone/Search/ReplayEvaluator.h"
#include "hone/Numerics/Statistics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace hone;
using llvm::Expected;
using llvm::formatv;

ReplayEvaluator::ReplayEvaluator(const DenseTable &table, Arch arch,
                                 ReplayOptions options)
    : chip(std::move(arch)), options(options) {
  for (const DenseShape &shape : table) {
    for (auto [schedule, seconds] :
         llvm::zip_equal(shape.schedules, shape.seconds))
      times[schedule][shape.problem] = seconds;
    llvm::append_range(schedules[shape.problem], shape.schedules);
  }
}

std::optional<double>
ReplayEvaluator::recorded(const Problem &problem,
                          const Schedule &schedule) const {
  auto row = times.find(schedule);
  if (row == times.end())
    return std::nullopt;
  auto cell = row->second.find(problem);
  if (cell == row->second.end())
    return std::nullopt;
  return cell->second;
}

Within ReplayEvaluator::within() const {
  return {[this](const Problem &problem, const Schedule &schedule) {
            return has(problem, schedule);
          },
          [this](const Problem &problem) {
            auto list = schedules.find(problem);
            return list == schedules.end() ? std::vector<Schedule>()
                                           : list->second;
          }};
}

//===----------------------------------------------------------------------===//
// Chance
//===----------------------------------------------------------------------===//

/// A number from 0 to 1, excluding 0.
static double fractionOf(const std::string &text) {
  return double((llvm::xxh3_64bits(text) >> 11) + 1) * 0x1p-53;
}

/// `seconds` times a log-normal factor, a different one each time.
double ReplayEvaluator::noisy(double seconds, llvm::StringRef candidate) {
  uint64_t count = ++measured[candidate];
  std::string key =
      formatv("{0}/{1}/{2}", options.seed, candidate, count).str();
  // The Box-Muller transform from two uniform numbers to a normal one.
  double radius = std::sqrt(-2 * std::log(fractionOf(key + "/r")));
  double angle = 2 * llvm::numbers::pi * fractionOf(key + "/a");
  return seconds * std::exp(options.noise * radius * std::cos(angle));
}

//===----------------------------------------------------------------------===//
// Questions and replies
//===----------------------------------------------------------------------===//

void ReplayEvaluator::ask(Question question) {
  waiting.push_back(std::move(question));
}

Expected<Reply> ReplayEvaluator::replyTo(const Question &question) {
  Reply reply;
  reply.number = question.number;
  size_t rounds = question.isFinal() ? std::max<size_t>(options.rounds, 1) : 1;
  for (const Schedule &schedule : question.schedules) {
    std::optional<double> seconds = recorded(question.problem, schedule);
    std::string name = question.problem.str() + ": " + toString(schedule);
    if (!seconds)
      return llvm::createStringError(
          formatv("expected a time of '{0}' in the recorded table, but got "
                  "none; use a search within the table",
                  name));
    std::vector<double> samples;
    for (size_t round = 0; round < rounds; ++round)
      samples.push_back(noisy(*seconds, name));
    Measurement measurement;
    measurement.times = quantiles(samples);
    reply.measurements.push_back(measurement);
    if (question.isFinal())
      reply.rounds.push_back(std::move(samples));
  }
  return reply;
}

Expected<std::optional<Reply>> ReplayEvaluator::next(double) {
  if (waiting.empty())
    return std::nullopt;
  double chance = fractionOf(formatv("{0}/{1}", options.seed, replies++));
  size_t at = std::min(size_t(chance * waiting.size()), waiting.size() - 1);
  if (options.underWay <= 1)
    at = 0;
  Question question = std::move(waiting[at]);
  waiting.erase(waiting.begin() + at);
  Expected<Reply> reply = replyTo(question);
  if (!reply)
    return reply.takeError();
  return std::move(*reply);
}
