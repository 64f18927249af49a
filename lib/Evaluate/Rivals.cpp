//===- Rivals.cpp - The vendor's libraries as entrants --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of cuBLASLt's algorithms go on is decided on the GPU's clock for every
// protocol: how long a launch takes the host does not depend on the algorithm.
//
//===----------------------------------------------------------------------===//

#include "Rivals.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;

/// Opens a library once.
template <typename LibraryT>
static Error openOnce(std::unique_ptr<LibraryT> &library, Device &device,
                      const std::string &file, const char *name) {
  if (library)
    return Error::success();
  auto opened = LibraryT::open(device, file);
  if (!opened)
    return llvm::createStringError(
        formatv("skipped {0}: {1}", name, llvm::toString(opened.takeError())));
  library = std::move(*opened);
  return Error::success();
}

static Contender launchOf(CublasMatmul &matmul, const GemmData &data,
                          size_t algorithm) {
  return [&data, &matmul, algorithm](size_t set) {
    return matmul.run(data.a(set), data.b(set), data.c(set), algorithm);
  };
}

llvm::Expected<Rivals::Prepared *>
Rivals::prepare(Rival rival, const GemmData &data, Quick quick) {
  constexpr int kMost = 100;
  if (auto known = prepared.find(rival); known != prepared.end())
    return &known->second;
  if (Error error = openOnce(lt, device, library, "cuBLASLt"))
    return std::move(error);
  auto matmul =
      lt->prepare(data.problem(), rival == Rival::cublasLtAuto ? kMost : 1);
  if (!matmul)
    return matmul.takeError();
  std::vector<std::pair<double, size_t>> times;
  size_t count = (*matmul)->candidates();
  for (size_t i = 0; i < count; ++i) {
    auto time = count > 1 ? quick(launchOf(**matmul, data, i))
                          : llvm::Expected<double>(0.0);
    if (time)
      times.push_back({*time, i});
    else
      llvm::consumeError(time.takeError());
  }
  llvm::sort(times);
  Prepared &result = prepared[rival];
  result.matmul = std::move(*matmul);
  for (auto [time, i] : times)
    result.order.push_back(i);
  return &result;
}

llvm::Expected<Rivals::Launch> Rivals::get(const Entrant &entrant,
                                           const GemmData &data, Quick quick) {
  if (entrant.rival == Rival::cublas) {
    if (Error error = openOnce(cublas, device, library, "cuBLAS"))
      return std::move(error);
    return Launch{[this, &data](size_t set) {
                    return cublas->run(data.problem(), data.a(set), data.b(set),
                                       data.c(set));
                  },
                  ""};
  }
  auto found = prepare(entrant.rival, data, quick);
  if (!found)
    return found.takeError();
  const std::vector<size_t> &order = (*found)->order;
  if (size_t(entrant.rank) >= order.size())
    return llvm::createStringError(
        formatv("expected {0} algorithms, but got {1}", entrant.rank + 1,
                order.size()));
  size_t at = order[entrant.rank];
  CublasMatmul &matmul = *(*found)->matmul;
  return Launch{launchOf(matmul, data, at),
                formatv("algorithm {0} of {1}", at + 1, matmul.candidates())};
}
