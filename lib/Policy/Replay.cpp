//===- Replay.cpp - How good a policy is ----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Trainer.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/Trainer.h"
#include "llvm/ADT/STLExtras.h"
#include <Eigen/Cholesky>
#include <cstdio>
#include <cmath>
#include <numeric>

using namespace hone;

/// What of a task a policy keeps in mind: the rest is not worth its time.
static constexpr size_t kInMind = 96;

/// Places in the order of what the model says of them.
static std::vector<size_t> orderOf(const Model &model, const Task &task,
                                   llvm::ArrayRef<Tried> context,
                                   llvm::ArrayRef<size_t> places) {
  std::vector<Reading> readings;
  for (size_t at : places)
    readings.push_back(task.readings[at]);
  std::vector<double> said = model.judge(context, readings);
  std::vector<size_t> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(
      order, [&](size_t one, size_t other) { return said[one] < said[other]; });
  for (size_t &at : order)
    at = places[at];
  return order;
}

static double replayOne(const Model &model, const Task &task, size_t k,
                        bool hears) {
  std::vector<size_t> places(task.size());
  std::iota(places.begin(), places.end(), 0);
  places = orderOf(model, task, {}, places);
  places.resize(std::min(places.size(), kInMind));
  std::vector<Tried> context;
  double best = 1e9;
  while (context.size() < k && !places.empty()) {
    if (hears && !context.empty())
      places = orderOf(model, task, context, places);
    size_t at = places.front();
    places.erase(places.begin());
    best = std::min(best, task.logSeconds[at]);
    context.push_back({task.readings[at], task.logSeconds[at]});
  }
  return std::exp(task.best() - best);
}

struct GpSettings { double s, l, n, c, explore; };
static double gpOne(const Model &model, const Task &task, size_t k, GpSettings g) {
  std::vector<size_t> places(task.size());
  std::iota(places.begin(), places.end(), 0);
  places = orderOf(model, task, {}, places);
  places.resize(std::min(places.size(), kInMind));
  std::vector<Reading> readings;
  for (size_t at : places) readings.push_back(task.readings[at]);
  Matrix seen;
  Vector residual = model.networks[0].forward(model.batchOf({}, readings), seen);
  size_t n = places.size();
  Eigen::MatrixXd K(n, n);
  for (size_t i = 0; i < n; ++i) for (size_t j = 0; j < n; ++j) {
    double d = (seen.row(i) - seen.row(j)).squaredNorm() / seen.cols();
    K(i, j) = g.c * g.c + g.s * g.s * std::exp(-d / (2 * g.l * g.l));
  }
  std::vector<double> said(n), off(n);
  for (size_t i = 0; i < n; ++i) { said[i] = readings[i].logEstimate + residual[i]; off[i] = task.logSeconds[places[i]] - said[i]; }
  std::vector<size_t> tried; std::vector<bool> is(n);
  double best = 1e9;
  for (size_t t = 0; t < k && t < n; ++t) {
    size_t m = tried.size();
    Eigen::MatrixXd A(m, m); Eigen::VectorXd y(m);
    for (size_t i = 0; i < m; ++i) { y[i] = off[tried[i]]; for (size_t j = 0; j < m; ++j) A(i, j) = K(tried[i], tried[j]) + (i == j ? g.n * g.n : 0); }
    Eigen::LLT<Eigen::MatrixXd> llt(A);
    Eigen::VectorXd w = m ? llt.solve(y) : y;
    double most = -1e9; size_t chosen = 0;
    for (size_t i = 0; i < n; ++i) {
      if (is[i]) continue;
      Eigen::VectorXd kk(m);
      for (size_t j = 0; j < m; ++j) kk[j] = K(i, tried[j]);
      double mean = said[i] + (m ? kk.dot(w) : 0);
      double var = K(i, i) - (m ? kk.dot(llt.solve(kk)) : 0);
      double sd = std::sqrt(std::max(var, 1e-8)), v;
      if (m == 0) v = -mean;
      else if (g.explore < 0) { double z = (best - mean) / sd; v = std::log(std::max(sd * (z * 0.5 * std::erfc(-z / 1.4142135) + 0.39894228 * std::exp(-z * z / 2)),1e-300)); }
      else v = -(mean - g.explore * sd);
      if (v > most) { most = v; chosen = i; }
    }
    is[chosen] = true; tried.push_back(chosen);
    best = std::min(best, task.logSeconds[places[chosen]]);
  }
  return std::exp(task.best() - best);
}
namespace hone { void gpTry(const Model &, llvm::ArrayRef<Task>); }
void hone::gpTry(const Model &model, llvm::ArrayRef<Task> tasks) {
  for (double s : {0.06, 0.1}) for (double l : {0.3, 0.6, 1.2}) for (double c : {0.0, 0.1}) for (double e : {-1.0, 0.0, 0.5}) {
    GpSettings g{s, l, 0.015, c, e};
    fprintf(stderr, "s %.2f l %.1f c %.1f e %.1f:", s, l, c, e);
    for (size_t k : {2, 4, 8}) {
      std::vector<double> r; for (const Task &t : tasks) r.push_back(gpOne(model, t, k, g));
      Quality q = qualityOf(r); fprintf(stderr, "  %zu: %.4f (%.4f)", k, q.mean, q.tenth);
    }
    fprintf(stderr, "\n");
  }
}

std::vector<double> hone::replay(const Model &model, llvm::ArrayRef<Task> tasks,
                                 size_t k, bool hears) {
  std::vector<double> ratios;
  for (const Task &task : tasks)
    ratios.push_back(replayOne(model, task, k, hears));
  return ratios;
}

Quality hone::qualityOf(std::vector<double> ratios) {
  Quality quality;
  if (ratios.empty())
    return quality;
  double sum = 0;
  for (double ratio : ratios)
    sum += std::log(ratio);
  llvm::sort(ratios);
  quality.mean = std::exp(sum / ratios.size());
  quality.tenth = ratios[ratios.size() / 10];
  quality.least = ratios.front();
  return quality;
}
