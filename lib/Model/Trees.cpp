//===- Trees.cpp - Boosted regression trees -------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Trees.h. Training is in GrowTrees.cpp, the file format in TreesFile.cpp.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Trees.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;

Trees::Bins Trees::place(const Reading &reading) const {
  Bins bins(edges.size());
  for (size_t input = 0; input < edges.size(); ++input) {
    const std::vector<float> &cuts = edges[input];
    auto above = cuts.begin() + cuts.size() / 2;
    if (origins[input] >= 0)
      above = std::lower_bound(cuts.begin(), cuts.end(),
                               reading.numbers[origins[input]]);
    bins[input] = uint8_t(above - cuts.begin());
  }
  return bins;
}

double Trees::residual(const Reading &reading) const {
  return residuals(reading).front();
}

/// Adds the leaves of `count` candidates, which go down side by side: a full
/// tree has them in one row, and a processor does not wait for each.
template <size_t count>
void Trees::addLeaves(const Tree &tree, const Bins *places, double *sums) {
  size_t at[count] = {}, end = tree.questions.size();
  const uint8_t *bins[count];
  for (size_t i = 0; i < count; ++i)
    bins[i] = places[i].data();
  while (at[0] < end)
    for (size_t i = 0; i < count; ++i) {
      Question question = tree.questions[at[i]];
      at[i] = 2 * at[i] + 1 + (bins[i][question.input] > question.max);
    }
  for (size_t i = 0; i < count; ++i)
    sums[i] += tree.leaves[at[i] - end];
}

/// Evaluates tree by tree, because one tree fits in a near cache and all do
/// not.
std::vector<double> Trees::residuals(llvm::ArrayRef<Reading> readings) const {
  constexpr size_t kTogether = 8;
  std::vector<Bins> places;
  for (const Reading &reading : readings)
    places.push_back(place(reading));
  std::vector<double> sums(readings.size());
  for (const Tree &tree : trees) {
    size_t i = 0;
    for (; i + kTogether <= sums.size(); i += kTogether)
      addLeaves<kTogether>(tree, &places[i], &sums[i]);
    if (i + 4 <= sums.size()) {
      addLeaves<4>(tree, &places[i], &sums[i]);
      i += 4;
    }
    for (; i < sums.size(); ++i)
      addLeaves<1>(tree, &places[i], &sums[i]);
  }
  return sums;
}

bool Trees::covers(llvm::StringRef name) const {
  return llvm::is_contained(names, name);
}
