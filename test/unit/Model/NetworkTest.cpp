//===- NetworkTest.cpp - Tests of gradients and guarantees of a network ---===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every gradient is compared with the change of the loss for a small step of
// its parameter: with and without a context, and with the same inner numbers
// dropped.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Network.h"
#include "hone/Model/Layers.h"
#include "hone/Model/Trace.h"
#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"
#include <limits>

using namespace hone;
using namespace hone::detail;

namespace {

const NetworkShape kNetworkShape = {7, 8, 2, 2, 12};

float normalOf(std::mt19937_64 &dice) {
  double sum = -6;
  for (int i = 0; i < 12; ++i)
    sum += double(dice() >> 11) * 0x1p-53;
  return float(sum);
}

Matrix randomMatrix(int64_t rows, int64_t cols, std::mt19937_64 &dice) {
  Matrix matrix(rows, cols);
  for (Eigen::Index i = 0; i < matrix.size(); ++i)
    matrix.data()[i] = normalOf(dice);
  return matrix;
}

Batch randomBatch(int64_t context, int64_t candidates, std::mt19937_64 &dice) {
  return {randomMatrix(context, kNetworkShape.inputs, dice),
          randomMatrix(context, kStandings, dice),
          randomMatrix(candidates, kNetworkShape.inputs, dice)};
}

/// No parameter of it is 0 or 1.
Network randomNetwork(uint64_t seed) {
  Network network(kNetworkShape);
  network.initialize(seed);
  std::mt19937_64 dice(seed + 1);
  for (float &value : network.parameters())
    value += 0.3f * normalOf(dice);
  return network;
}

struct Group {
  std::string name;
  size_t begin, size;
};

/// The vector of parameters, cut into its groups.
std::vector<Group> groupsOf(const Network &network) {
  const float *data = network.parameters().data();
  Parts<const float> parts(network.shape(), data);
  std::vector<Group> groups;
  auto add = [&](std::string name, const Parts<const float>::Map &part) {
    groups.push_back(
        {std::move(name), size_t(part.data() - data), size_t(part.size())});
  };
  add("input", parts.input);
  add("inputBias", parts.inputBias);
  add("standing", parts.standing);
  add("nothing", parts.nothing);
  for (size_t at = 0; at < parts.blocks.size(); ++at) {
    const Parts<const float>::Block &block = parts.blocks[at];
    std::string front = "block" + std::to_string(at) + ".";
    add(front + "gainA", block.gainA);
    add(front + "biasA", block.biasA);
    add(front + "query", block.query);
    add(front + "key", block.key);
    add(front + "value", block.value);
    add(front + "out", block.out);
    add(front + "gainB", block.gainB);
    add(front + "biasB", block.biasB);
    add(front + "up", block.up);
    add(front + "upBias", block.upBias);
    add(front + "down", block.down);
    add(front + "downBias", block.downBias);
  }
  add("gain", parts.gain);
  add("bias", parts.bias);
  add("last", parts.last);
  add("lastBias", parts.lastBias);
  return groups;
}

struct GradientCase {
  const char *name;
  int64_t context;
  float dropout;
};

class NetworkGradient : public testing::TestWithParam<GradientCase> {
protected:
  static constexpr uint64_t kMask = 99; ///< the seed of the dropout

  double lossOf(const Network &network) const {
    std::mt19937_64 mask(kMask);
    Network::Trace trace;
    Vector residual =
        network.forward(batch, trace, {GetParam().dropout, &mask});
    double loss = 0;
    for (Eigen::Index at = 0; at < residual.size(); ++at)
      loss += slopes[at] * double(residual[at]);
    return loss;
  }

  Vector gradientOf(const Network &network) const {
    std::mt19937_64 mask(kMask);
    Network::Trace trace;
    network.forward(batch, trace, {GetParam().dropout, &mask});
    Vector gradient = Vector::Zero(network.parameters().size());
    network.backward(trace, slopes, gradient);
    return gradient;
  }

  double slopeOf(Network &network, size_t at) const {
    constexpr float kStep = 4e-3f;
    float &weight = network.parameters()[at];
    float usual = weight;
    weight = usual + kStep;
    float above = weight;
    double more = lossOf(network);
    weight = usual - kStep;
    double less = lossOf(network), width = double(above) - double(weight);
    weight = usual;
    return (more - less) / width;
  }

  std::mt19937_64 dice{5};
  Batch batch = randomBatch(GetParam().context, 5, dice);
  Vector slopes = randomMatrix(5, 1, dice);
};

TEST_P(NetworkGradient, IsWhatASmallStepDoes) {
  Network network = randomNetwork(3);
  Vector gradient = gradientOf(network);
  size_t seen = 0;
  for (const Group &group : groupsOf(network)) {
    EXPECT_EQ(group.begin, seen) << group.name;
    seen += group.size;
    double max =
        gradient.segment(group.begin, group.size).cwiseAbs().maxCoeff();
    // Attention over one row has weight 1, whatever the query is.
    bool isIdle = GetParam().context == 0 &&
                  (group.name == "standing" ||
                   llvm::StringRef(group.name).ends_with(".query") ||
                   llvm::StringRef(group.name).ends_with(".key"));
    if (isIdle)
      EXPECT_LT(max, 1e-5) << group.name;
    else
      EXPECT_GT(max, 2e-3) << group.name;
    for (size_t at = group.begin; at < group.begin + group.size; ++at) {
      double exact = gradient[at];
      ASSERT_NEAR(slopeOf(network, at), exact,
                  0.01 * std::abs(exact) + 0.005 * max + 4e-4)
          << group.name << " at " << at - group.begin;
    }
  }
  EXPECT_EQ(seen, size_t(network.parameters().size()));
}

TEST_P(NetworkGradient, IsAddedToWhatIsThere) {
  Network network = randomNetwork(4);
  Vector once = gradientOf(network), twice = once;
  std::mt19937_64 mask(kMask);
  Network::Trace trace;
  network.forward(batch, trace, {GetParam().dropout, &mask});
  network.backward(trace, slopes, twice);
  EXPECT_LT((twice - 2 * once).cwiseAbs().maxCoeff(),
            1e-5 * once.cwiseAbs().maxCoeff());
}

INSTANTIATE_TEST_SUITE_P(, NetworkGradient,
                         testing::Values(GradientCase{"alone", 0, 0},
                                         GradientCase{"context", 6, 0},
                                         GradientCase{"one", 1, 0},
                                         GradientCase{"dropout", 6, 0.3f}),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

TEST(Network, ACandidateIsJudgedAlikeWhateverItIsJudgedWith) {
  std::mt19937_64 dice(1);
  Network network = randomNetwork(6);
  for (int64_t context : {0, 1, 9}) {
    Batch all = randomBatch(context, 33, dice);
    Vector together = network.forward(all);
    for (int64_t count : {1, 2, 7, 32}) {
      Batch some = all;
      some.candidates = all.candidates.bottomRows(count);
      Vector residual = network.forward(some);
      EXPECT_LT((residual - together.tail(count)).cwiseAbs().maxCoeff(), 2e-6)
          << context << " of a context, " << count << " candidates";
    }
  }
}

TEST(Network, TheOrderOfTheContextDoesNotMatter) {
  std::mt19937_64 dice(2);
  Network network = randomNetwork(7);
  Batch batch = randomBatch(8, 5, dice), turned = batch;
  turned.context = batch.context.colwise().reverse().eval();
  turned.standing = batch.standing.colwise().reverse().eval();
  Vector residual = network.forward(batch);
  EXPECT_LT((residual - network.forward(turned)).cwiseAbs().maxCoeff(), 5e-6);
  // Its contents do matter.
  turned.standing = batch.standing;
  EXPECT_GT((residual - network.forward(turned)).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(Network, BeginsWithNoResidual) {
  std::mt19937_64 dice(3);
  Network network(kNetworkShape);
  network.initialize(1);
  for (int64_t context : {0, 4}) {
    Vector residual = network.forward(randomBatch(context, 9, dice));
    EXPECT_EQ(residual, Vector(Vector::Zero(9)));
  }
  // It can learn anyway: its last layer has a gradient.
  Batch batch = randomBatch(4, 9, dice);
  Network::Trace trace;
  network.forward(batch, trace, {});
  Vector gradient = Vector::Zero(network.parameters().size());
  network.backward(trace, randomMatrix(9, 1, dice), gradient);
  EXPECT_GT(gradient.cwiseAbs().maxCoeff(), 0.1);
}

TEST(Network, EqualSeedsAreEqualBits) {
  Network one(kNetworkShape), same(kNetworkShape), other(kNetworkShape);
  one.initialize(11);
  same.initialize(11);
  other.initialize(12);
  EXPECT_EQ(one.parameters(), same.parameters());
  EXPECT_NE(one.parameters(), other.parameters());
  EXPECT_EQ(one.parameters().size(), kNetworkShape.parameters());

  std::mt19937_64 dice(4);
  Batch batch = randomBatch(5, 6, dice);
  Network trained = randomNetwork(8);
  EXPECT_EQ(trained.forward(batch), trained.forward(batch));
}

TEST(Network, ExponentsAreRightAndNeverOverflow) {
  for (float value = -80; value < 80; value += 0.37f)
    EXPECT_NEAR(expOf(value) / std::exp(value), 1, 5e-7) << value;
  constexpr float kMax = std::numeric_limits<float>::infinity();
  for (float value : {-kMax, -1e30f, -88.0f, 89.0f, 1e30f, kMax,
                      std::numeric_limits<float>::quiet_NaN()})
    EXPECT_TRUE(std::isfinite(expOf(value)) && expOf(value) > 0) << value;
}

} // namespace
