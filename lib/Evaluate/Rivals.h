//===- Rivals.h - The vendor's libraries as entrants ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each gets what it needs to be at its best (hone/Device/CublasLt.h), and is
// opened when it is first asked for.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_RIVALS_H
#define HONE_EVALUATE_RIVALS_H

#include "hone/Device/CublasLt.h"
#include "hone/Evaluate/Entrant.h"
#include "hone/Evaluate/GemmData.h"
#include <map>

namespace hone {

class Rivals {
public:
  struct Launch {
    Contender launch;
    std::string remark; ///< which algorithm it is
  };
  /// Times one of many algorithms.
  using Quick = llvm::function_ref<llvm::Expected<double>(const Contender &)>;

  Rivals(Device &device, std::string library)
      : device(device), library(std::move(library)) {}

  /// Launches of a rival's algorithm on `data`, which must outlive them.
  llvm::Expected<Launch> get(const Entrant &entrant, const GemmData &data,
                             Quick quick);
  /// The problem is another one.
  void forget() { prepared.clear(); }

private:
  /// cuBLASLt's algorithms for the problem at hand.
  struct Prepared {
    std::unique_ptr<CublasMatmul> matmul;
    std::vector<size_t> order; ///< the fastest first
  };
  llvm::Expected<Prepared *> prepare(Rival rival, const GemmData &data,
                                     Quick quick);

  Device &device;
  std::string library;
  std::unique_ptr<CublasLt> lt;
  std::unique_ptr<Cublas> cublas;
  std::map<Rival, Prepared> prepared;
};

} // namespace hone

#endif // HONE_EVALUATE_RIVALS_H
