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

/// Evaluates tree by tree, because one tree fits in a near cache and all do
/// not.
std::vector<double> Trees::residuals(llvm::ArrayRef<Reading> readings) const {
  std::vector<Bins> places;
  for (const Reading &reading : readings)
    places.push_back(place(reading));
  std::vector<double> sums(readings.size());
  for (const Tree &tree : trees)
    for (auto [sum, bins] : llvm::zip_equal(sums, places)) {
      size_t at = 0, end = tree.questions.size();
      while (at < end) {
        Question question = tree.questions[at];
        at = 2 * at + 1 + (bins[question.input] > question.max);
      }
      sum += tree.leaves[at - end];
    }
  return sums;
}

bool Trees::covers(llvm::StringRef name) const {
  return llvm::is_contained(names, name);
}
