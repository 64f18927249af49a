//===- ProblemFaults.cpp - Problems that no kernel computes ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents, accesses and sizes for which a problem is refused, whatever the
// machine.
//
//===----------------------------------------------------------------------===//

#include "Text.h"
#include "hone/Schedule/Geometry.h"
#include "hone/Schedule/Problem.h"

using namespace hone;
using namespace hone::detail;

/// The product of the known `factors`, or nothing if it exceeds `max`.
static std::optional<int64_t>
productUpTo(int64_t max, std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors)
    if (factor != kDynamic &&
        (__builtin_mul_overflow(product, factor, &product) || product > max))
      return std::nullopt;
  return product;
}

static std::optional<std::string> faultOfExtents(const Problem &problem) {
  for (auto [name, extent] : {std::pair{"batch", problem.batch.value_or(1)},
                              {"m", problem.m},
                              {"n", problem.n},
                              {"k", problem.k},
                              {"groups", problem.groups.value_or(1)}})
    if (extent != kDynamic && (extent < 1 || extent > kLargestExtent))
      return ("expected extent of '" + llvm::Twine(name) + "' to be 1 to " +
              llvm::Twine(kLargestExtent) + ", but got " + llvm::Twine(extent))
          .str();
  return std::nullopt;
}

/// Ragged and indexed rows, and ragged sums.
static std::optional<std::string> faultOfRows(const Problem &problem) {
  const auto &[batch, groups] = std::tie(problem.batch, problem.groups);
  if ((groups || problem.isIndexed) && (batch || !problem.hasMatrices()))
    return std::string("expected ") + (groups ? "ragged" : "indexed") +
           " rows of a matrix without a batch, but got " +
           (batch ? "batch = " + printExtent(*batch)
                  : "a or b with another access") +
           "; use a product for each";
  if (problem.isRaggedSum && (!batch || !problem.a.shared ||
                              !problem.b.shared || !problem.hasMatrices()))
    return std::string("expected a ragged sum of a batch with shared matrices "
                       "a and b, but got ") +
           (batch ? "others" : "no batch") + "; use batch and :shared";
  if (problem.isIndexed && problem.a.order == Order::col)
    return std::string("expected indexed rows of an a in rows, but got col; "
                       "use a transposed copy");
  int64_t ends = problem.isRaggedSum ? *batch : groups.value_or(1);
  if (ends > kMaxGroups)
    return ("expected at most " + llvm::Twine(kMaxGroups) +
            " groups of ragged rows, but got " + llvm::Twine(ends) +
            "; use several products")
        .str();
  return std::nullopt;
}

/// The access of an operand of `lines` rows or columns, which `text` names.
static std::optional<std::string>
faultOfAccess(const Problem &problem, const char *name, const Operand &operand,
              int64_t lines, const char *text) {
  if (!operand.access)
    return std::nullopt;
  const OperandAccess &access = *operand.access;
  if (std::optional<std::string> fault = access.fault())
    return fault;
  int64_t matrices = operand.shared ? 1 : problem.batch.value_or(1);
  auto differ = [](int64_t left, int64_t right) {
    return left != kDynamic && right != kDynamic && left != right;
  };
  if (!differ(access.batches(), matrices) &&
      !differ(access.lineCount(), lines) &&
      !differ(access.sumCount(), problem.k))
    return std::nullopt;
  return ("expected the access of '" + llvm::Twine(name) + "' to have " + text +
          " = " + printExtent(lines) + ", k = " + printExtent(problem.k) +
          " and batch = " + printExtent(matrices) + ", but got " +
          printExtent(access.lineCount()) + ", " +
          printExtent(access.sumCount()) + " and " +
          printExtent(access.batches()) +
          "; use extents whose products are those")
      .str();
}

/// Bytes of a matrix, and the number of products.
static std::optional<std::string> faultOfSizes(const Problem &problem) {
  const auto &[m, n, k] = std::tie(problem.m, problem.n, problem.k);
  int64_t count = problem.batch.value_or(1);
  auto times = [](int64_t number) {
    return number == 1 ? "" : printExtent(number) + " x ";
  };
  struct {
    const char *name;
    int64_t count, rows, columns, bytes;
  } matrices[] = {
      {"A", problem.a.shared ? 1 : count, m, k, sizeOf(problem.a.type)},
      {"B", problem.groups.value_or(problem.b.shared ? 1 : count), k, n,
       sizeOf(problem.b.type)},
      {"C", count, m, n, sizeOf(problem.c)}};
  for (const auto &[name, number, rows, columns, bytes] : matrices)
    if (!productUpTo(kMaxMatrixBytes, {bytes, rows, columns, number}))
      return ("expected " + llvm::Twine(name) + " to have at most " +
              llvm::Twine(kMaxMatrixBytes) + " bytes, but got " +
              times(number) + printExtent(rows) + " x " + printExtent(columns) +
              " elements")
          .str();
  if (!productUpTo(kMaxProducts, {count, m, n, k}))
    return ("expected at most " + llvm::Twine(kMaxProducts) +
            " multiplications, but got " + times(count) + printExtent(m) +
            " x " + printExtent(n) + " x " + printExtent(k))
        .str();
  return std::nullopt;
}

std::optional<std::string> Problem::fault() const {
  if (auto fault = faultOfExtents(*this))
    return fault;
  if (auto fault = faultOfRows(*this))
    return fault;
  if (auto fault = faultOfAccess(*this, "a", a, m, "m"))
    return fault;
  if (auto fault = faultOfAccess(*this, "b", b, n, "n"))
    return fault;
  return faultOfSizes(*this);
}
