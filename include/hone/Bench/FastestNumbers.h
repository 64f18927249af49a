//===- FastestNumbers.h - Trees of sums compared by their times -*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Invariant numbers have one tree of sums for every m, so it is chosen for all
// the values of m that a program has:
//
//   NumbersTimes times;
//   times.add("4096 4096 nt f16:f16", "invariant", 11.2e-6);   // m = 1
//   times.add("4096 4096 nt f16:f16", "invariant:4", 9.1e-6);
//   ...                                                        // m = 16
//   times.fastest()[0].str();  // "...: numbers=invariant:4 has ..."
//
// A mean is geometric. A value of m that is added twice counts twice.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_BENCH_FASTESTNUMBERS_H
#define HONE_BENCH_FASTESTNUMBERS_H

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <string>
#include <vector>

namespace hone {

/// The numbers of a product with the minimum mean time.
struct FastestNumbers {
  std::string product, numbers, first; ///< `first`: those that were added first
  int64_t rows = 0;                    ///< times of each
  double ratio = 1;                    ///< of the mean times: to `first`
  std::vector<std::string> incomplete; ///< numbers that have fewer times

  std::string str() const;
  llvm::json::Value json() const;
};

class NumbersTimes {
public:
  void add(const std::string &product, const std::string &numbers,
           double seconds);
  /// Of each product that has the same count of times for several numbers.
  std::vector<FastestNumbers> fastest() const;

private:
  template <class Value>
  using Named =
      llvm::MapVector<std::string, Value, std::map<std::string, unsigned>>;

  Named<Named<std::vector<double>>> products;
};

} // namespace hone

#endif // HONE_BENCH_FASTESTNUMBERS_H
