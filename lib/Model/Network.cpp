//===- Network.cpp - A small transformer over candidates ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forward pass. It stores a trace for the backward pass in Gradient.cpp.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Network.h"
#include "hone/Model/Layers.h"
#include "hone/Model/Trace.h"
#include <cmath>

using namespace hone;
using namespace hone::detail;

using Weights = Parts<const float>;
using Trace = Network::Trace;

/// Eigen splits the sums of a product by the cache sizes of the machine. Fixed
/// sizes make the split, and so the rounding, the same everywhere.
static void fixSums() {
  static const bool once = [] {
    Eigen::setCpuCacheSizes(32 << 10, 512 << 10, 4 << 20);
    return true;
  }();
  (void)once;
}

int64_t NetworkShape::parameters() const {
  int64_t attention = 2 * width + 4 * width * width;
  int64_t feedForward = 2 * width + 2 * width * hidden + hidden + width;
  return (inputs + 1 + kStandings + 1) * width +
         blocks * (attention + feedForward) + 3 * width + 1;
}

Network::Network(NetworkShape shape)
    : form(shape), weights(Vector::Zero(shape.parameters())) {
  assert(Weights(form, weights.data()).end == weights.data() + weights.size() &&
         "expected to count what is cut");
  fixSums();
}

//===----------------------------------------------------------------------===//
// Initialization
//===----------------------------------------------------------------------===//

/// The sum of twelve uniform numbers is almost normal. It uses raw numbers of
/// the engine, because the distributions of standard libraries differ.
static float normalOf(std::mt19937_64 &dice) {
  double sum = -6;
  for (int i = 0; i < 12; ++i)
    sum += double(dice() >> 11) * 0x1p-53;
  return float(sum);
}

void Network::initialize(uint64_t seed) {
  std::mt19937_64 dice(seed);
  weights.setZero();
  Parts<float> parts(form, weights.data());
  auto randomize = [&](Parts<float>::Map &part) {
    float scale = 1 / std::sqrt(float(part.rows()));
    for (Eigen::Index i = 0; i < part.size(); ++i)
      part.data()[i] = scale * normalOf(dice);
  };
  randomize(parts.input);
  randomize(parts.standing);
  randomize(parts.nothing);
  for (Parts<float>::Block &block : parts.blocks) {
    block.gainA.setOnes();
    block.gainB.setOnes();
    for (Parts<float>::Map *part : {&block.query, &block.key, &block.value,
                                    &block.out, &block.up, &block.down})
      randomize(*part);
  }
  parts.gain.setOnes();
}

void Network::addInputs(int64_t count) {
  NetworkShape wider = form;
  wider.inputs += count;
  Vector more = Vector::Zero(wider.parameters());
  Eigen::Index known = form.inputs * form.width;
  more.head(known) = weights.head(known);
  more.tail(weights.size() - known) = weights.tail(weights.size() - known);
  form = wider;
  weights = std::move(more);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// Subtracts the mean of each row and divides by its standard deviation.
static void normalize(const Matrix &rows, const Weights::Map &gain,
                      const Weights::Map &bias, Trace::Norm &norm) {
  constexpr float kMin = 1e-5f;
  norm.unit.resize(rows.rows(), rows.cols());
  norm.scale.resize(rows.rows());
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    float mean = rows.row(row).mean();
    norm.unit.row(row) = rows.row(row).array() - mean;
    float variance = norm.unit.row(row).squaredNorm() / float(rows.cols());
    norm.scale[row] = 1 / std::sqrt(variance + kMin);
    norm.unit.row(row) *= norm.scale[row];
  }
  norm.rows = norm.unit.array().rowwise() * gain.row(0).array();
  norm.rows.rowwise() += bias.row(0);
}

static void softmax(Matrix &scores) {
  for (Eigen::Index row = 0; row < scores.rows(); ++row) {
    float max = scores.row(row).maxCoeff(), sum = 0;
    for (Eigen::Index col = 0; col < scores.cols(); ++col) {
      scores(row, col) = expOf(scores(row, col) - max);
      sum += scores(row, col);
    }
    scores.row(row) /= sum;
  }
}

/// Attention of every row to the first `seen` rows.
static void attend(const NetworkShape &form, const Weights::Block &block,
                   Eigen::Index seen, Trace::Block &trace) {
  const Matrix &rows = trace.normA.rows;
  trace.query.noalias() = rows * block.query;
  trace.key.noalias() = rows.topRows(seen) * block.key;
  trace.value.noalias() = rows.topRows(seen) * block.value;
  trace.attended.resize(rows.rows(), form.width);
  trace.looks.resize(form.heads);
  Eigen::Index part = form.width / form.heads;
  float scale = 1 / std::sqrt(float(part));
  for (Eigen::Index head = 0; head < form.heads; ++head) {
    auto of = [&](const Matrix &all) {
      return all.middleCols(head * part, part);
    };
    Matrix &look = trace.looks[head];
    look.noalias() = of(trace.query) * of(trace.key).transpose() * scale;
    softmax(look);
    trace.attended.middleCols(head * part, part).noalias() =
        look * of(trace.value);
  }
}

/// Two layers with a gate x * sigmoid(x) between them.
static void feedForward(const Weights::Block &block, Dropout dropout,
                        Trace::Block &trace) {
  trace.inner.noalias() = trace.normB.rows * block.up;
  trace.inner.rowwise() += block.upBias.row(0);
  trace.gated.resizeLike(trace.inner);
  for (Eigen::Index i = 0; i < trace.inner.size(); ++i) {
    float value = trace.inner.data()[i];
    trace.gated.data()[i] = value * sigmoidOf(value);
  }
  if (dropout.rate <= 0)
    return;
  trace.kept.resizeLike(trace.inner);
  constexpr uint64_t kAll = 1 << 16;
  uint64_t dropped = uint64_t(dropout.rate * kAll), bits = 0;
  for (Eigen::Index i = 0; i < trace.kept.size(); ++i) {
    bits = i % 4 ? bits >> 16 : (*dropout.dice)();
    trace.kept.data()[i] = bits % kAll < dropped ? 0 : 1 / (1 - dropout.rate);
  }
  trace.gated.array() *= trace.kept.array();
}

//===----------------------------------------------------------------------===//
// The forward pass
//===----------------------------------------------------------------------===//

static Matrix firstRows(const Weights &parts, const Batch &batch) {
  Eigen::Index context = batch.context.rows();
  Matrix rows(1 + context + batch.candidates.rows(), parts.input.cols());
  rows.row(0) = parts.nothing.row(0);
  if (context) {
    rows.middleRows(1, context).noalias() = batch.context * parts.input;
    rows.middleRows(1, context).noalias() += batch.standing * parts.standing;
  }
  rows.bottomRows(batch.candidates.rows()).noalias() =
      batch.candidates * parts.input;
  rows.bottomRows(rows.rows() - 1).rowwise() += parts.inputBias.row(0);
  return rows;
}

Vector Network::forward(const Batch &batch, Trace &trace,
                        Dropout dropout) const {
  assert(batch.candidates.cols() == form.inputs && "expected its inputs");
  Weights parts(form, weights.data());
  trace.batch = &batch;
  trace.seen = 1 + batch.context.rows();
  trace.blocks.resize(form.blocks);
  Matrix rows = firstRows(parts, batch);
  for (int64_t at = 0; at < form.blocks; ++at) {
    const Weights::Block &block = parts.blocks[at];
    Trace::Block &kept = trace.blocks[at];
    normalize(rows, block.gainA, block.biasA, kept.normA);
    attend(form, block, trace.seen, kept);
    rows.noalias() += kept.attended * block.out;
    normalize(rows, block.gainB, block.biasB, kept.normB);
    feedForward(block, dropout, kept);
    rows.noalias() += kept.gated * block.down;
    rows.rowwise() += block.downBias.row(0);
  }
  normalize(rows, parts.gain, parts.bias, trace.norm);
  Vector residual =
      trace.norm.rows.bottomRows(batch.candidates.rows()) * parts.last;
  return residual.array() + parts.lastBias(0, 0);
}

Vector Network::forward(const Batch &batch) const {
  Trace trace;
  return forward(batch, trace, {});
}
