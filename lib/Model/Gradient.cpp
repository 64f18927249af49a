//===- Gradient.cpp - Backward pass of a network --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function is the backward pass of one in Network.cpp: from the gradient
// by its output it computes the gradient by its input, and adds to the gradient
// of the parameters.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Layers.h"
#include "hone/Model/Network.h"
#include "hone/Model/Trace.h"
#include <cmath>

using namespace hone;
using namespace hone::detail;

using Weights = Parts<const float>;
using Gradients = Parts<float>;

static Matrix normalizeBack(const Network::Trace::Norm &norm, const Matrix &by,
                            const Weights::Map &gain, Gradients::Map &byGain,
                            Gradients::Map &byBias) {
  byGain.row(0) += (by.array() * norm.unit.array()).colwise().sum().matrix();
  byBias.row(0) += by.colwise().sum();
  Matrix unit = by.array().rowwise() * gain.row(0).array();
  for (Eigen::Index row = 0; row < unit.rows(); ++row) {
    float mean = unit.row(row).mean();
    float along = unit.row(row).dot(norm.unit.row(row)) / float(unit.cols());
    unit.row(row).array() -= mean + norm.unit.row(row).array() * along;
    unit.row(row) *= norm.scale[row];
  }
  return unit;
}

static Matrix feedForwardBack(const Weights::Block &block,
                              const Network::Trace::Block &trace,
                              const Matrix &by, Gradients::Block &gradient) {
  gradient.down.noalias() += trace.gated.transpose() * by;
  gradient.downBias.row(0) += by.colwise().sum();
  Matrix inner = by * block.down.transpose();
  if (trace.kept.size())
    inner.array() *= trace.kept.array();
  for (Eigen::Index i = 0; i < inner.size(); ++i) {
    float value = trace.inner.data()[i], gate = sigmoidOf(value);
    inner.data()[i] *= gate * (1 + value * (1 - gate));
  }
  gradient.up.noalias() += trace.normB.rows.transpose() * inner;
  gradient.upBias.row(0) += inner.colwise().sum();
  return inner * block.up.transpose();
}

static Matrix attendBack(const NetworkShape &form, const Weights::Block &block,
                         const Network::Trace::Block &trace, const Matrix &by,
                         Gradients::Block &gradient) {
  gradient.out.noalias() += trace.attended.transpose() * by;
  Matrix attended = by * block.out.transpose();
  Matrix query = Matrix::Zero(trace.query.rows(), form.width);
  Matrix key = Matrix::Zero(trace.key.rows(), form.width);
  Matrix value = Matrix::Zero(trace.value.rows(), form.width);
  Eigen::Index part = form.width / form.heads;
  float scale = 1 / std::sqrt(float(part));
  for (Eigen::Index head = 0; head < form.heads; ++head) {
    auto of = [&](auto &all) { return all.middleCols(head * part, part); };
    const Matrix &look = trace.looks[head];
    of(value).noalias() += look.transpose() * of(attended);
    Matrix score = of(attended) * of(trace.value).transpose();
    for (Eigen::Index row = 0; row < score.rows(); ++row) {
      float mean = score.row(row).dot(look.row(row));
      score.row(row).array() =
          look.row(row).array() * (score.row(row).array() - mean) * scale;
    }
    of(query).noalias() += score * of(trace.key);
    of(key).noalias() += score.transpose() * of(trace.query);
  }
  const Matrix &rows = trace.normA.rows;
  Eigen::Index seen = key.rows();
  gradient.query.noalias() += rows.transpose() * query;
  gradient.key.noalias() += rows.topRows(seen).transpose() * key;
  gradient.value.noalias() += rows.topRows(seen).transpose() * value;
  Matrix given = query * block.query.transpose();
  given.topRows(seen).noalias() += key * block.key.transpose();
  given.topRows(seen).noalias() += value * block.value.transpose();
  return given;
}

static void firstRowsBack(const Batch &batch, const Matrix &by,
                          Gradients &gradient) {
  Eigen::Index context = batch.context.rows(), asked = batch.candidates.rows();
  gradient.nothing.row(0) += by.row(0);
  gradient.inputBias.row(0) += by.bottomRows(by.rows() - 1).colwise().sum();
  gradient.input.noalias() +=
      batch.candidates.transpose() * by.bottomRows(asked);
  if (!context)
    return;
  gradient.input.noalias() +=
      batch.context.transpose() * by.middleRows(1, context);
  gradient.standing.noalias() +=
      batch.standing.transpose() * by.middleRows(1, context);
}

void Network::backward(const Trace &trace, const Vector &byResidual,
                       Vector &byWeights) const {
  Weights parts(form, weights.data());
  Gradients gradient(form, byWeights.data());
  Eigen::Index asked = byResidual.size();
  const Matrix &made = trace.norm.rows;
  gradient.lastBias(0, 0) += byResidual.sum();
  gradient.last.noalias() += made.bottomRows(asked).transpose() * byResidual;
  Matrix by = Matrix::Zero(made.rows(), made.cols());
  by.bottomRows(asked).noalias() = byResidual * parts.last.transpose();
  by = normalizeBack(trace.norm, by, parts.gain, gradient.gain, gradient.bias);
  for (int64_t at = form.blocks - 1; at >= 0; --at) {
    const Weights::Block &block = parts.blocks[at];
    const Trace::Block &kept = trace.blocks[at];
    Gradients::Block &own = gradient.blocks[at];
    by += normalizeBack(kept.normB, feedForwardBack(block, kept, by, own),
                        block.gainB, own.gainB, own.biasB);
    by += normalizeBack(kept.normA, attendBack(form, block, kept, by, own),
                        block.gainA, own.gainA, own.biasA);
  }
  firstRowsBack(*trace.batch, by, gradient);
}
