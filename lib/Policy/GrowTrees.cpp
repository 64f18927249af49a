//===- GrowTrees.cpp - Training of boosted trees --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Trees.h. Candidates are rows, numbers are columns of bins. The gradients
// of a node's rows are summed per bin. The best cut follows from these sums
// alone, and the sums of one child are those of its parent minus those of its
// sibling.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/GrowTrees.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace hone;

static constexpr size_t kBins = 256;

namespace hone {
class Grower {
public:
  Grower(llvm::ArrayRef<Task> tasks, const TreesOptions &options);
  Trees grow();

private:
  /// Sums of the slopes and curvatures of the loss over rows.
  struct Sum {
    double slope = 0, curve = 0;
    void add(const Sum &other, double by = 1) {
      slope += by * other.slope;
      curve += by * other.curve;
    }
  };
  /// One sum for each bin of each column that the tree uses, at `places`.
  using Histogram = std::vector<Sum>;
  struct Node {
    size_t begin = 0, end = 0; ///< of `order`
    Histogram histogram;
    Sum sum;
  };
  struct Cut {
    double gain = 0;
    size_t column = 0, max = 0;
  };

  void placeEdges(llvm::ArrayRef<const Task *> tasks);
  void addRows(llvm::ArrayRef<const Task *> tasks);
  void weigh(size_t problem);
  void takeSlopes();
  void drawSeen();
  Trees::Tree growOne();
  void count(Node &node);
  void recycle(Node &node);
  Cut bestCut(const Node &node) const;
  std::pair<Node, Node> split(Node &node, const Cut &cut, bool isLast);
  double valueOf(const Sum &sum) const {
    return -options.rate * sum.slope / (sum.curve + options.caution);
  }
  void follow(const Trees::Tree &tree);
  void keep(Trees::Tree tree);

  const TreesOptions &options;
  const size_t questions; ///< of a tree
  std::mt19937_64 dice;
  Trees grown;
  std::vector<size_t> inputs; ///< inputs that vary: the columns
  std::vector<std::vector<uint8_t>> columns;
  std::vector<size_t> columnOf; ///< by input
  std::vector<size_t> begins;   ///< of each problem's rows, and their end
  std::vector<double> shares;   ///< weight of each problem
  std::vector<double> times;    ///< logarithms of seconds, by row
  std::vector<double> off;      ///< error of the estimate, by row
  std::vector<double> left;     ///< the same minus the sum of the trees so far
  std::vector<double> weights;
  std::vector<Sum> slopes;
  std::vector<uint32_t> order; ///< rows that the tree uses, by node
  std::vector<uint32_t> aside;
  std::vector<size_t> seen;   ///< columns that the tree uses
  std::vector<size_t> places; ///< of their bins in a histogram, and the end
  std::vector<Sum> own;       ///< slopes of a node's rows
  /// Histograms of earlier nodes: to allocate them again takes as long as to
  /// count.
  std::vector<Histogram> spare;
};
} // namespace hone

//===----------------------------------------------------------------------===//
// Rows and columns
//===----------------------------------------------------------------------===//

/// Edges between occurring values, so that all bins have about as many rows.
static std::vector<float> edgesOf(std::vector<float> values) {
  llvm::sort(values);
  std::vector<float> edges;
  size_t each = std::max<size_t>(values.size() / kBins, 1), next = each;
  for (size_t at = 1; at < values.size() && edges.size() < kBins - 1; ++at) {
    if (values[at] == values[at - 1] || at < next)
      continue;
    // No float lies between two adjacent floats.
    float low = values[at - 1], middle = low + (values[at] - low) / 2;
    edges.push_back(middle < values[at] ? middle : low);
    next = at + each;
  }
  return edges;
}

void Grower::placeEdges(llvm::ArrayRef<const Task *> tasks) {
  size_t count = tasks.front()->readings.front().numbers.size();
  grown.edges.resize(count);
  columnOf.resize(count);
  // A sample of the rows is enough to find the quantiles.
  constexpr size_t kEvery = 3;
  for (size_t input = 0; input < count; ++input) {
    std::vector<float> values;
    for (const Task *task : tasks)
      for (size_t at = 0; at < task->size(); at += kEvery)
        values.push_back(task->readings[at].numbers[input]);
    grown.edges[input] = edgesOf(std::move(values));
    if (grown.edges[input].empty())
      continue;
    columnOf[input] = inputs.size();
    inputs.push_back(input);
  }
}

void Grower::addRows(llvm::ArrayRef<const Task *> tasks) {
  columns.resize(inputs.size());
  for (const Task *task : tasks) {
    begins.push_back(off.size());
    shares.push_back(task->weight);
    for (size_t at = 0; at < task->size(); ++at) {
      Trees::Bins bins = grown.place(task->readings[at]);
      for (auto [column, input] : llvm::zip_equal(columns, inputs))
        column.push_back(bins[input]);
      off.push_back(task->logSeconds[at] - task->readings[at].logEstimate);
      times.push_back(task->logSeconds[at]);
    }
  }
  begins.push_back(off.size());
  weights.resize(off.size());
}

/// Sorts by problem, so that the order of the tables has no effect.
static std::vector<const Task *> inOrder(llvm::ArrayRef<Task> tasks,
                                         const TreesOptions &options) {
  std::vector<std::pair<std::string, const Task *>> named;
  for (const Task &task : tasks)
    if (task.size() > 0 && !(options.leavesOut && options.leavesOut(task)))
      named.emplace_back(task.problem.str(), &task);
  llvm::sort(named);
  std::vector<const Task *> order;
  for (const auto &[name, task] : named)
    order.push_back(task);
  return order;
}

Grower::Grower(llvm::ArrayRef<Task> tasks, const TreesOptions &options)
    : options(options), questions((size_t(1) << options.depth) - 1),
      dice(options.seed) {
  assert(options.depth >= 1 && options.depth <= Trees::kDeepest);
  grown.names = Reader::names();
  grown.origins = placesAmong(Reader::names(), grown.names);
  std::vector<const Task *> order = inOrder(tasks, options);
  if (order.empty()) {
    grown.edges.resize(grown.names.size());
    return;
  }
  placeEdges(order);
  addRows(order);
  slopes.resize(off.size());
}

//===----------------------------------------------------------------------===//
// A tree
//===----------------------------------------------------------------------===//

/// Gives every problem the same weight. Within a problem, fast rows and rows
/// that are predicted to be fast weigh more: a slow row that looks fast gets
/// chosen.
void Grower::weigh(size_t problem) {
  const size_t begin = begins[problem], end = begins[problem + 1];
  double min = times[begin], sum = 0;
  for (size_t row = begin; row < end; ++row)
    min = std::min(min, times[row]);
  for (size_t row = begin; row < end; ++row) {
    double soonest = std::min(times[row], times[row] - left[row]);
    weights[row] = std::exp(std::min(0.0, (min - soonest) / options.sharpness));
    sum += weights[row];
  }
  // The mean weight of a row is 1.
  double each =
      shares[problem] * double(off.size()) / double(begins.size() - 1) / sum;
  for (size_t row = begin; row < end; ++row)
    weights[row] *= each;
}

/// An error common to all candidates of a problem does not change which one is
/// fastest, so it counts less.
void Grower::takeSlopes() {
  for (size_t problem = 0; problem + 1 < begins.size(); ++problem) {
    weigh(problem);
    double mean = 0, sum = 0;
    for (size_t row = begins[problem]; row < begins[problem + 1]; ++row) {
      mean += weights[row] * left[row];
      sum += weights[row];
    }
    mean = sum > 0 ? mean / sum : 0;
    for (size_t row = begins[problem]; row < begins[problem + 1]; ++row)
      slopes[row] = {-weights[row] * (left[row] - (1 - options.common) * mean),
                     weights[row]};
  }
}

void Grower::drawSeen() {
  auto chance = [&](double odds) {
    return double(dice() >> 11) * 0x1p-53 < odds;
  };
  order.clear();
  for (size_t row = 0; row < left.size(); ++row)
    if (chance(options.rows))
      order.push_back(uint32_t(row));
  aside.resize(order.size());
  seen.clear();
  places.assign(1, 0);
  for (size_t column = 0; column < columns.size(); ++column)
    if (chance(options.inputs)) {
      seen.push_back(column);
      places.push_back(places.back() + grown.edges[inputs[column]].size() + 1);
    }
}

void Grower::count(Node &node) {
  if (!spare.empty()) {
    node.histogram = std::move(spare.back());
    spare.pop_back();
  }
  node.histogram.assign(places.back(), {});
  own.clear();
  for (size_t at = node.begin; at < node.end; ++at)
    own.push_back(slopes[order[at]]);
  for (auto [place, column] : llvm::enumerate(seen)) {
    Sum *sums = &node.histogram[places[place]];
    const uint8_t *bins = columns[column].data();
    for (size_t at = node.begin; at < node.end; ++at)
      sums[bins[order[at]]].add(own[at - node.begin]);
  }
}

void Grower::recycle(Node &node) {
  if (!node.histogram.empty())
    spare.push_back(std::move(node.histogram));
}

Grower::Cut Grower::bestCut(const Node &node) const {
  auto scoreOf = [&](const Sum &sum) {
    return sum.slope * sum.slope / (sum.curve + options.caution);
  };
  Cut best;
  const double whole = scoreOf(node.sum);
  for (size_t place = 0; place < seen.size(); ++place) {
    Sum below;
    const size_t begin = places[place], bins = places[place + 1] - begin;
    for (size_t max = 0; max + 1 < bins; ++max) {
      below.add(node.histogram[begin + max]);
      Sum above = node.sum;
      above.add(below, -1);
      double gain = scoreOf(below) + scoreOf(above) - whole;
      // A smaller gain may be a rounding error.
      if (gain > best.gain && gain > 1e-9)
        best = {gain, seen[place], max};
    }
  }
  return best;
}

/// Counts the smaller child; the sums of the other are the difference.
std::pair<Grower::Node, Grower::Node> Grower::split(Node &node, const Cut &cut,
                                                    bool isLast) {
  const std::vector<uint8_t> &bins = columns[cut.column];
  size_t middle = node.begin, after = 0;
  for (size_t at = node.begin; at < node.end; ++at) {
    if (bins[order[at]] <= cut.max)
      order[middle++] = order[at];
    else
      aside[after++] = order[at];
  }
  std::copy_n(aside.begin(), after, order.begin() + middle);
  Node below{node.begin, middle, {}, {}}, above{middle, node.end, {}, {}};
  bool isBelowLess = middle - node.begin < node.end - middle;
  Node &less = isBelowLess ? below : above, &more = isBelowLess ? above : below;
  for (size_t at = less.begin; at < less.end; ++at)
    less.sum.add(slopes[order[at]]);
  more.sum = node.sum;
  more.sum.add(less.sum, -1);
  if (!isLast) {
    count(less);
    more.histogram = std::move(node.histogram);
    for (auto [sum, other] : llvm::zip_equal(more.histogram, less.histogram))
      sum.add(other, -1);
  }
  return {std::move(below), std::move(above)};
}

Trees::Tree Grower::growOne() {
  Trees::Tree tree;
  tree.questions.resize(questions);
  tree.leaves.assign(questions + 1, 0);
  std::vector<std::optional<Node>> nodes(2 * questions + 1);
  Node root{0, order.size(), {}, {}};
  for (uint32_t row : order)
    root.sum.add(slopes[row]);
  count(root);
  nodes[0] = std::move(root);
  for (size_t at = 0; at < questions; ++at) {
    if (!nodes[at])
      continue;
    Cut cut = bestCut(*nodes[at]);
    if (cut.gain > 0) {
      tree.questions[at] = {uint16_t(inputs[cut.column]), uint8_t(cut.max)};
      auto [below, above] = split(*nodes[at], cut, at >= questions / 2);
      nodes[2 * at + 1] = std::move(below);
      nodes[2 * at + 2] = std::move(above);
    } else {
      nodes[2 * at + 1] = std::move(nodes[at]);
    }
    recycle(*nodes[at]);
    nodes[at].reset();
  }
  for (size_t leaf = 0; leaf <= questions; ++leaf)
    if (std::optional<Node> &node = nodes[questions + leaf]) {
      tree.leaves[leaf] = float(valueOf(node->sum));
      recycle(*node);
    }
  return tree;
}

//===----------------------------------------------------------------------===//
// The whole model
//===----------------------------------------------------------------------===//

void Grower::follow(const Trees::Tree &tree) {
  for (size_t row = 0; row < left.size(); ++row) {
    size_t at = 0;
    while (at < questions) {
      Trees::Question question = tree.questions[at];
      uint8_t bin = columns[columnOf[question.input]][row];
      at = 2 * at + 1 + (bin > question.max);
    }
    left[row] -= tree.leaves[at - questions];
  }
}

/// Divides by the number of groves, so that the sum of all trees is their mean.
void Grower::keep(Trees::Tree tree) {
  for (float &leaf : tree.leaves)
    leaf /= float(options.groves);
  grown.trees.push_back(std::move(tree));
}

Trees Grower::grow() {
  if (inputs.empty())
    return std::move(grown);
  for (int64_t grove = 0; grove < options.groves; ++grove) {
    left = off;
    for (int64_t round = 0; round < options.rounds; ++round) {
      takeSlopes();
      drawSeen();
      Trees::Tree tree = growOne();
      follow(tree);
      keep(std::move(tree));
      if (options.progress)
        options.progress(options.groves * options.rounds);
    }
  }
  return std::move(grown);
}

Trees hone::growTrees(llvm::ArrayRef<Task> tasks, const TreesOptions &options) {
  return Grower(tasks, options).grow();
}
