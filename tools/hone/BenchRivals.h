//===- BenchRivals.h - What ours is compared with ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vendor's libraries as contenders. Each gets what it needs to be at its
// best (CublasLt.h), and is opened once per process.
//
// | baseline           | which algorithm runs                               |
// |--------------------|----------------------------------------------------|
// | cublas             | what cublasGemmEx chooses                          |
// | cublaslt-heuristic | the first that cuBLASLt's heuristic names          |
// | cublaslt-auto      | the fastest of up to 100 that it names: as many as |
// |                    | ours go on to the final, by a short time of each   |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_BENCHRIVALS_H
#define HONE_TOOLS_BENCHRIVALS_H

#include "BenchPlan.h"
#include "hone/Device/CublasLt.h"
#include "hone/Evaluate/GemmData.h"

namespace hone {

/// One launch of a baseline that takes part in a final.
struct Rival {
  size_t baseline; ///< in BenchPlan::baselines
  Contender launch;
  std::string remark;
};

class Rivals {
public:
  /// Opens what the plan's baselines need; `note` hears what is not there.
  static Rivals open(const BenchPlan &plan, Device &device,
                     llvm::function_ref<void(std::string)> note);

  /// Contenders on `data` for one baseline; none where its library is not
  /// there or does not take the problem. `quick` times one of many.
  llvm::Expected<std::vector<Rival>>
  prepare(size_t baseline, const Problem &problem, const GemmData &data,
          llvm::function_ref<llvm::Expected<double>(const Contender &)> quick);

private:
  const BenchPlan *plan = nullptr;
  std::unique_ptr<CublasLt> lt;
  std::unique_ptr<Cublas> cublas;
  /// Of the problem at hand; contenders refer to it.
  std::vector<std::unique_ptr<CublasMatmul>> matmuls;
};

} // namespace hone

#endif // HONE_TOOLS_BENCHRIVALS_H
