//===- Provenance.cpp - Orders of additions instead of numbers ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codes, and the nodes of a run. SumTree.cpp compares them.
//
//===----------------------------------------------------------------------===//

#include "Provenance.h"
#include "Elements.h"
#include "Values.h"
#include <cmath>

using namespace hone;
using namespace hone::simulate;

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

/// The low part of a number that tensor cores multiply in two parts, over its
/// high part. Both have few bits.
static constexpr double kLow = 0x1p-13;

/// The digits that elements of 8 bits have; others have twice as many. The
/// instructions' widths divide their squares.
static constexpr int64_t kShortDigits = 120, kDigits = 240;

/// The first numbers of a type above or below zero. Conversions to wider types
/// keep them.
static std::vector<double> firstNumbers(ElementType type, bool isNegative,
                                        int64_t count) {
  std::vector<double> numbers;
  for (int64_t i = 1; int64_t(numbers.size()) < count; ++i) {
    auto byte = uint8_t(i);
    bool isShort = sizeOf(type) == 1 && !isInteger(type);
    double number = isShort ? decode(type, &byte) : double(i);
    numbers.push_back(isNegative ? -number : number);
  }
  return numbers;
}

Provenance::Provenance(const Problem &problem)
    : digits(std::min(sizeOf(problem.a.type), sizeOf(problem.b.type)) == 1
                 ? kShortDigits
                 : kDigits),
      hasGroups(problem.groups.has_value()),
      nodes{{false, 0, 0, 0}, {false, 0, 0, 0}} {
  bool isSplit = problem.products == Products::tf32x3;
  addCodes(/*isB=*/false, problem.a.type, isSplit);
  addCodes(/*isB=*/true, problem.b.type, isSplit);
}

void Provenance::addCodes(bool isB, ElementType type, bool isSplit) {
  std::vector<double> &codes = isB ? codesB : codesA;
  codes = firstNumbers(type, /*isNegative=*/isB, digits);
  for (int64_t i = 0; i < digits; ++i) {
    int64_t k = isB ? i * digits : i;
    meanings[float(codes[i])] = {k, isB, false};
    if (!isSplit)
      continue;
    meanings[float(codes[i] * kLow)] = {k, isB, true};
    codes[i] *= 1 + kLow;
  }
}

double Provenance::codeOf(bool isB, int64_t k) const {
  return isB ? codesB[k / digits % digits] : codesA[k % digits];
}

std::optional<std::pair<int64_t, FactorParts>>
Provenance::factorsOf(float left, float right) const {
  auto one = meanings.find(left), other = meanings.find(right);
  if (one == meanings.end() || other == meanings.end() ||
      one->second.isB == other->second.isB)
    return std::nullopt;
  const Digit &a = one->second.isB ? other->second : one->second;
  const Digit &b = one->second.isB ? one->second : other->second;
  return std::pair(a.k + b.k, FactorParts(a.isLow + 2 * b.isLow));
}

uint32_t Provenance::keep(llvm::ArrayRef<float> factors) {
  auto [known, isNew] = keptNumbers.try_emplace(factors.vec(), kept.size());
  if (isNew)
    kept.push_back(factors.vec());
  return known->second;
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

uint32_t Provenance::enter(const Leaf &leaf, std::vector<int64_t> elements) {
  // A leaf in order is known by its first element and their number.
  std::vector<int64_t> key = {leaf.at.width, int64_t(leaf.at.parts),
                              leaf.at.first, leaf.count};
  if (!leaf.count)
    key.insert(key.end(), elements.begin(), elements.end());
  auto [known, isNew] = leafNumbers.try_emplace(key, leaves.size());
  if (isNew)
    leaves.push_back(leaf);
  return known->second;
}

std::optional<uint32_t> Provenance::leafOf(llvm::ArrayRef<float> a,
                                           llvm::ArrayRef<float> b) {
  std::vector<int64_t> elements;
  std::optional<FactorParts> parts;
  bool isOrdered = true;
  for (auto [i, left, right] : llvm::enumerate(a, b)) {
    bool isZero = left == 0 || right == 0;
    auto factors = factorsOf(left, right);
    isOrdered &= isZero || factors;
    elements.push_back(factors ? factors->first : -1);
    if (!factors)
      continue;
    isOrdered &= !parts || *parts == factors->second;
    parts = factors->second;
  }
  auto count = int64_t(elements.size());
  while (count && elements[count - 1] < 0 && isOrdered)
    --count;
  if (!count)
    return std::nullopt;
  for (int64_t i = 0; i < count; ++i)
    isOrdered &= elements[i] >= 0 && elements[i] == elements[0] + i;
  int64_t first = *llvm::max_element(elements);
  for (int64_t k : elements)
    first = k < 0 ? first : std::min(first, k);
  SumLeaf at = {std::max<int64_t>(first, 0), int64_t(elements.size()),
                parts.value_or(FactorParts::whole)};
  return enter(Leaf{at, isOrdered ? count : 0}, elements);
}

std::optional<uint32_t> Provenance::leafAt(const SumLeaf &leaf, int64_t end) {
  int64_t count = std::min(leaf.width, end - leaf.first);
  if (count <= 0)
    return std::nullopt;
  SumLeaf coded = leaf;
  coded.first %= digits * digits;
  return enter(Leaf{coded, count}, {});
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

uint32_t Provenance::nodeOf(double sum) const {
  return sum >= 0 && sum < double(nodes.size()) ? uint32_t(sum) : kUnknown;
}

uint32_t Provenance::enter(Node node) {
  auto key = std::tuple(node.isSum, node.left, node.right);
  auto known = numbers.find(key);
  if (known != numbers.end())
    return known->second;
  if (isFull())
    return kUnknown;
  nodes.push_back(node);
  return numbers[key] = uint32_t(nodes.size() - 1);
}

uint32_t Provenance::add(uint32_t one, uint32_t other) {
  if (one == kUnknown || other == kUnknown)
    return kUnknown;
  if (one == kZero || other == kZero)
    return one + other;
  // Either order gives the same bits.
  if (std::pair(nodes[one].first, one) > std::pair(nodes[other].first, other))
    std::swap(one, other);
  return enter({true, one, other, nodes[one].first});
}

uint32_t Provenance::accumulate(uint32_t sum, std::optional<uint32_t> leaf) {
  if (!leaf || sum == kUnknown)
    return sum;
  int64_t first = leaves[*leaf].at.first;
  if (sum != kZero)
    first = std::min(first, nodes[sum].first);
  return enter({false, sum, *leaf, first});
}

double Provenance::add(double one, double other) {
  return add(nodeOf(one), nodeOf(other));
}

double Provenance::multiply(double sum, uint32_t a, uint32_t b) {
  auto [known, isNew] = pairs.try_emplace({a, b});
  if (isNew)
    known->second = leafOf(kept[a], kept[b]);
  return accumulate(nodeOf(sum), known->second);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void Provenance::restart() {
  finished.clear();
  roots.clear();
}

double Provenance::finish(double sum) {
  auto [known, isNew] =
      finished.try_emplace(nodeOf(sum), int64_t(finished.size()) + 1);
  // All that results of 8 bits can hold; sums beyond are unknown.
  constexpr int64_t kMax = 100;
  return double(std::min(known->second, kMax));
}

void Provenance::readRoots(const Trial &trial, const LaunchValues &launch,
                           const Values &values) {
  auto [type, bytes] = values.contents("c", /*isOld=*/false);
  const OperandRegion &c = *launch.find("c");
  auto rootAt = [&](double held) {
    if (finished.empty())
      return nodeOf(held);
    bool isPosition = held >= 1 && held <= double(finished.size());
    return isPosition ? std::next(finished.begin(), int64_t(held) - 1)->first
                      : uint32_t(kUnknown);
  };
  int64_t end = 0;
  for (int32_t each : launch.ends)
    end = std::min(std::max<int64_t>(end, each), trial.m);
  if (!hasGroups)
    end = trial.m;
  auto isRead = [&](int64_t row) {
    if (launch.index.empty())
      return true;
    int64_t at = launch.index[row];
    return at >= 0 && at < launch.find("a")->lines;
  };
  std::map<double, bool> seen;
  for (int64_t batch = 0; batch < trial.batch; ++batch)
    for (int64_t row = 0; row < end; ++row)
      for (int64_t column = 0; isRead(row) && column < trial.n; ++column) {
        int64_t at = c.startOf(batch) + row * c.lineStride + column;
        double held = decode(type, bytes + at * sizeOf(type));
        if (std::isnan(held))
          held = -1;
        if (!std::exchange(seen[held], true))
          roots.push_back({rootAt(held), batch, row, column});
      }
}
