//===- Trainer.cpp - Training of a policy ---------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Trainer.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/Trainer.h"
#include "hone/Model/Trace.h"
#include "hone/Policy/Objective.h"
#include "hone/Space/Ascending.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ThreadPool.h"
#include <cmath>
#include <cstring>
#include <numeric>
#include <sstream>

using namespace hone;
using llvm::ArrayRef;

Trainer::Trainer(Ensemble &model, size_t at, TrainOptions options)
    : model(model), network(model.networks[at]), options(options),
      dice(uint64_t(options.seed) * 1000003 + at),
      first(Vector::Zero(network.parameters().size())),
      second(Vector::Zero(network.parameters().size())) {}

//===----------------------------------------------------------------------===//
// Lessons
//===----------------------------------------------------------------------===//

namespace {
/// The indices of a task's candidates, each taken at most once.
class Deck {
public:
  Deck(size_t count, std::mt19937_64 &dice) : isTaken(count), dice(dice) {}

  size_t left() const { return isTaken.size() - taken; }
  bool take(size_t at) {
    if (isTaken[at])
      return false;
    isTaken[at] = true;
    ++taken;
    return true;
  }
  /// Takes a random one of the remaining candidates.
  size_t draw() {
    for (;;)
      if (size_t at = dice() % isTaken.size(); take(at))
        return at;
  }
  /// Takes the first remaining candidates of `order`.
  void takeFirst(ArrayRef<size_t> order, size_t count,
                 std::vector<size_t> &to) {
    for (size_t at : order) {
      if (count == 0 || left() == 0)
        return;
      if (take(at)) {
        to.push_back(at);
        --count;
      }
    }
  }

private:
  std::vector<bool> isTaken;
  size_t taken = 0;
  std::mt19937_64 &dice;
};
} // namespace

/// Draws fast candidates, candidates predicted to be fast, and some random
/// ones.
static std::vector<size_t> drawAsked(const Task &task, size_t count,
                                     Deck &deck) {
  std::vector<size_t> asked;
  deck.takeFirst(ascending(task.logSeconds), count / 4, asked);
  std::vector<double> estimates;
  for (const Reading &reading : task.readings)
    estimates.push_back(reading.logEstimate);
  deck.takeFirst(ascending(estimates), count / 2, asked);
  while (asked.size() < count && deck.left() > 0)
    asked.push_back(deck.draw());
  return asked;
}

/// Takes the context from the drawn candidates: one half are those that the
/// network itself would propose, as in use, and one half is random.
std::vector<size_t> Trainer::drawShown(const Task &task, size_t count,
                                       std::vector<size_t> &asked,
                                       std::mt19937_64 &dice) const {
  if (count == 0)
    return {};
  std::vector<Reading> readings;
  for (size_t at : asked)
    readings.push_back(task.readings[at]);
  Vector residual = network.forward(model.batchOf({}, readings));
  constexpr double kNoise = 0.1;
  std::vector<double> judged;
  for (auto [at, reading] : llvm::enumerate(readings)) {
    double fraction = double(dice() >> 11) * 0x1p-53;
    judged.push_back(reading.logEstimate + double(residual[at]) +
                     kNoise * fraction);
  }
  std::vector<size_t> order = ascending(judged);
  for (size_t &at : order)
    at = asked[at];
  Deck deck(task.size(), dice);
  std::vector<size_t> shown;
  deck.takeFirst(order, (count + 1) / 2, shown);
  while (shown.size() < count)
    if (size_t at = asked[dice() % asked.size()]; deck.take(at))
      shown.push_back(at);
  llvm::erase_if(asked,
                 [&](size_t at) { return llvm::is_contained(shown, at); });
  return shown;
}

Lesson Trainer::lessonOf(const Task &task, std::mt19937_64 &dice) const {
  size_t max = std::min<size_t>(options.context, task.size() / 4);
  // A fourth of the lessons have no context, like the first proposal of a
  // search.
  size_t count = options.hasContext && max && dice() % 4 ? 1 + dice() % max : 0;
  Deck deck(task.size(), dice);
  std::vector<size_t> asked = drawAsked(task, options.candidates + count, deck);
  count = std::min(count, asked.size() / 4);
  std::vector<Tried> context;
  for (size_t at : drawShown(task, count, asked, dice))
    context.push_back({task.readings[at], task.logSeconds[at]});
  Lesson lesson;
  std::vector<Reading> readings;
  for (size_t at : asked) {
    readings.push_back(task.readings[at]);
    lesson.logEstimates.push_back(task.readings[at].logEstimate);
    lesson.logSeconds.push_back(task.logSeconds[at]);
  }
  lesson.batch = model.batchOf(context, readings);
  return lesson;
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

static void addTo(std::vector<double> &sum, ArrayRef<double> gradient,
                  double by) {
  for (auto [value, slope] : llvm::zip_equal(sum, gradient))
    value += by * slope;
}

/// Squared errors of the estimates, with the common error reduced, weighted by
/// how short the times are.
double Trainer::valueLoss(ArrayRef<double> said, ArrayRef<double> right,
                          double weight, std::vector<double> &bySaid) {
  constexpr double kScale = 0.5, kCommon = 0.2;
  double best = *std::min_element(right.begin(), right.end());
  std::vector<double> weights, off;
  double sum = 0, mean = 0, loss = 0;
  for (auto [one, other] : llvm::zip_equal(said, right)) {
    weights.push_back(std::exp((best - other) / kScale));
    off.push_back(one - other);
    sum += weights.back();
  }
  for (auto [one, by] : llvm::zip_equal(off, weights))
    mean += one * by / sum;
  for (auto [one, by, slope] : llvm::zip_equal(off, weights, bySaid)) {
    double own = one - mean;
    loss += weight * by / sum * own * own;
    slope += weight * by / sum * 2 * (own + kCommon * mean);
  }
  return loss + weight * kCommon * mean * mean;
}

double Trainer::follow(Batch batch, Vector &gradient, std::mt19937_64 &dice,
                       Loss loss) const {
  // A little noise on the inputs reduces overfitting.
  constexpr float kNoise = 0.02f;
  for (Matrix *rows : {&batch.context, &batch.candidates})
    for (Eigen::Index i = 0; i < rows->size(); ++i)
      rows->data()[i] += kNoise * (float(dice() >> 40) * 0x1p-23f - 1) * 1.7f;
  Network::Trace trace;
  Vector residual =
      network.forward(batch, trace, {float(options.dropout), &dice});
  std::vector<double> byResidual(residual.size());
  double value = loss(residual, byResidual);
  Vector by(residual.size());
  for (auto [at, slope] : llvm::enumerate(byResidual))
    by[at] = float(slope);
  network.backward(trace, by, gradient);
  return value;
}

double Trainer::learn(const Lesson &lesson, Vector &gradient,
                      std::mt19937_64 &dice) const {
  return follow(lesson.batch, gradient, dice,
                [&](const Vector &residual, std::vector<double> &bySaid) {
                  return lossOf(lesson, residual, bySaid);
                });
}

double Trainer::lossOf(const Lesson &lesson, const Vector &residual,
                       std::vector<double> &bySaid) const {
  size_t count = lesson.logSeconds.size();
  std::vector<double> said(count), logits(count);
  for (size_t at = 0; at < count; ++at) {
    said[at] = lesson.logEstimates[at] + double(residual[at]);
    logits[at] = -said[at] / options.tau;
  }
  double loss = valueLoss(said, lesson.logSeconds, options.value, bySaid);
  if (options.listwise > 0) {
    constexpr double kSharpness = 0.03;
    std::vector<double> right;
    for (double time : lesson.logSeconds)
      right.push_back(-time / kSharpness);
    Valued entropy = crossEntropy(logits, softmaxOf(right));
    loss += options.listwise * entropy.value;
    addTo(bySaid, entropy.gradient, -options.listwise / options.tau);
  }
  if (options.bestOf > 0) {
    double best =
        *std::min_element(lesson.logSeconds.begin(), lesson.logSeconds.end());
    std::vector<double> rewards;
    for (double time : lesson.logSeconds)
      rewards.push_back(std::exp(best - time));
    for (int64_t draws : {1, 4, 8}) {
      Valued expected = expectedBest(logits, rewards, draws);
      loss -= options.bestOf / 3 * (expected.value - 1);
      addTo(bySaid, expected.gradient, options.bestOf / 3 / options.tau);
    }
  }
  return loss;
}

double Trainer::teach(const Task &task, Vector &gradient,
                      std::mt19937_64 &dice) const {
  return learn(lessonOf(task, dice), gradient, dice);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

double Trainer::rateNow() const {
  double part = double(done) / double(std::max<int64_t>(options.steps, 1));
  constexpr double kRise = 0.1;
  if (part < kRise)
    return options.rate * (0.04 + 0.96 * part / kRise);
  constexpr double kPi = 3.14159265358979323846;
  double fall = std::min((part - kRise) / (1 - kRise), 1.0);
  return options.rate * 0.5 * (1 + std::cos(kPi * fall));
}

void Trainer::follow(Vector &gradient) {
  constexpr float kMaxNorm = 1, kFirst = 0.9f, kSecond = 0.99f, kMin = 1e-8f;
  float norm = gradient.norm();
  if (norm > kMaxNorm)
    gradient *= kMaxNorm / norm;
  ++done;
  first = kFirst * first + (1 - kFirst) * gradient;
  second.array() =
      kSecond * second.array() + (1 - kSecond) * gradient.array().square();
  float ageFirst = 1 - std::pow(kFirst, float(done));
  float ageSecond = 1 - std::pow(kSecond, float(done));
  auto rate = float(rateNow());
  Vector &weights = network.parameters();
  weights.array() -= rate * (first.array() / ageFirst) /
                     ((second.array() / ageSecond).sqrt() + kMin);
  weights.array() -= rate * float(options.decay) * weights.array();
}

int64_t Trainer::step(const Draw &draw) {
  constexpr size_t kShards = 4;
  // Tasks and seeds are drawn in order; their processing has no fixed order.
  std::vector<std::pair<const Task *, uint64_t>> tasks;
  for (int64_t at = 0; at < options.tasks; ++at) {
    const Task &task = draw(dice);
    tasks.emplace_back(&task, dice());
  }
  std::vector<Vector> gradients(kShards, Vector::Zero(first.size()));
  std::vector<double> losses(kShards);
  auto work = [&](size_t shard) {
    for (size_t at = shard; at < tasks.size(); at += kShards) {
      std::mt19937_64 own(tasks[at].second);
      losses[shard] += teach(*tasks[at].first, gradients[shard], own);
    }
  };
  if (options.threads > 1) {
    llvm::DefaultThreadPool pool(llvm::hardware_concurrency(options.threads));
    for (size_t shard = 0; shard < kShards; ++shard)
      pool.async(work, shard);
    pool.wait();
  } else {
    for (size_t shard = 0; shard < kShards; ++shard)
      work(shard);
  }
  Vector gradient = gradients.front();
  for (const Vector &other : llvm::drop_begin(gradients))
    gradient += other;
  gradient /= float(tasks.size());
  lastLoss = std::accumulate(losses.begin(), losses.end(), 0.0) / tasks.size();
  follow(gradient);
  return done;
}

//===----------------------------------------------------------------------===//
// Stopping and resuming
//===----------------------------------------------------------------------===//

std::string Trainer::state() const {
  std::ostringstream os;
  os << "hone-train 1 " << done << " " << first.size() << " " << dice << "\n";
  std::string text = os.str();
  for (const Vector *part :
       std::array<const Vector *, 3>{&network.parameters(), &first, &second})
    text.append(reinterpret_cast<const char *>(part->data()),
                part->size() * sizeof(float));
  return text;
}

llvm::Error Trainer::restore(llvm::StringRef bytes) {
  auto [head, rest] = bytes.split('\n');
  std::istringstream is(head.str());
  std::string magic;
  int64_t version = 0, steps = 0, size = 0;
  std::mt19937_64 read;
  is >> magic >> version >> steps >> size >> read;
  if (!is || magic != "hone-train" || version != 1 || size != first.size() ||
      rest.size() != 3 * size * sizeof(float))
    return llvm::createStringError(
        "expected the state of a training of this shape, but got another "
        "file; remove it to begin anew");
  done = steps;
  dice = read;
  for (Vector *part : {&network.parameters(), &first, &second}) {
    std::memcpy(part->data(), rest.data(), size * sizeof(float));
    rest = rest.drop_front(size * sizeof(float));
  }
  return llvm::Error::success();
}
