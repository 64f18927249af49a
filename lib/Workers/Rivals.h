//===- Rivals.h - Vendor libraries as entrants ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each library gets the settings for its best time (hone/Device/CublasLt.h),
// and is opened on its first use.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_WORKERS_RIVALS_H
#define HONE_WORKERS_RIVALS_H

#include "hone/Device/CublasLt.h"
#include "hone/Matmul/Entrant.h"
#include "hone/Matmul/GemmData.h"
#include "hone/Matmul/PaddedMatmul.h"
#include <map>

namespace hone {

class Rivals {
public:
  struct Launch {
    Contender launch;
    std::string remark; ///< the algorithm
  };
  /// Called regularly while algorithms are timed.
  using Beat = llvm::function_ref<void()>;

  Rivals(Device &device, std::string library)
      : device(device), library(std::move(library)) {}

  /// Returns launches of a rival's algorithm on `data`, which must outlive
  /// them. `about` is the expected seconds of one launch.
  llvm::Expected<Launch> get(const Entrant &entrant, const GemmData &data,
                             double about, Beat beat);
  /// Drops the data of the last problem.
  void forget() { prepared.clear(); }

private:
  /// cuBLASLt's algorithms for the current problem, on its operands or on
  /// copies.
  struct Prepared {
    std::unique_ptr<CublasMatmul> matmul;
    std::unique_ptr<PaddedMatmul> padded;
    bool addsResidual = false;
    std::vector<size_t> order; ///< the fastest first

    size_t candidates() const;
    Contender launchOf(const GemmData &data, size_t algorithm) const;
    std::string describe(size_t algorithm) const;
  };
  llvm::Expected<Prepared *> prepare(Rival rival, const GemmData &data,
                                     double about, Beat beat);
  llvm::Expected<Prepared> open(Rival rival, const Problem &problem);

  Device &device;
  std::string library;
  std::unique_ptr<CublasLt> lt;
  std::unique_ptr<Cublas> cublas;
  std::map<Rival, Prepared> prepared;
};

} // namespace hone

#endif // HONE_WORKERS_RIVALS_H
