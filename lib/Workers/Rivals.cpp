//===- Rivals.cpp - Vendor libraries as entrants --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For every protocol, GPU time decides which of cuBLASLt's algorithms remain:
// the host's time for a launch does not depend on the algorithm.
//
//===----------------------------------------------------------------------===//

#include "Rivals.h"
#include "hone/Reference/Epilogue.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>

using namespace hone;
using llvm::Error;
using llvm::formatv;

/// Opens a library on its first use.
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

//===----------------------------------------------------------------------===//
// One problem
//===----------------------------------------------------------------------===//

size_t Rivals::Prepared::candidates() const {
  return padded ? padded->candidates() : matmul->candidates();
}

Contender Rivals::Prepared::launchOf(const GemmData &data,
                                     size_t algorithm) const {
  if (padded)
    return [&data, padded = padded.get(), algorithm](size_t set) {
      return padded->run(data.a(set), data.b(set), data.c(set), algorithm);
    };
  return [&data, matmul = matmul.get(), algorithm,
          addsResidual = addsResidual](size_t set) {
    return matmul->run(data.a(set), data.b(set), data.c(set), algorithm,
                       addsResidual ? data.e(set) : 0);
  };
}

std::string Rivals::Prepared::describe(size_t algorithm) const {
  return padded ? padded->describe(algorithm)
                : formatv("algorithm {0} of {1}", algorithm + 1, candidates())
                      .str();
}

llvm::Expected<Rivals::Prepared> Rivals::open(Rival rival,
                                              const Problem &problem) {
  constexpr int kMax = 100;
  if (Error error = openOnce(lt, device, library, "cuBLASLt"))
    return std::move(error);
  Prepared result;
  Problem product = problem;
  if (!problem.epilogue.empty()) {
    result.addsResidual = namedEpilogue(problem) == Epilogue::residual;
    product.epilogue.clear();
    if (!result.addsResidual || rival == Rival::cublasLtPadded)
      return llvm::createStringError(
          "skipped cuBLASLt: it is compared for no epilogue but a residual");
  }
  if (rival == Rival::cublasLtPadded) {
    if (Error error = PaddedMatmul::create(device, *lt, problem, kMax)
                          .moveInto(result.padded))
      return std::move(error);
    return std::move(result);
  }
  auto matmul = lt->prepare(product, rival == Rival::cublasLtAuto ? kMax : 1);
  if (!matmul)
    return matmul.takeError();
  result.matmul = std::move(*matmul);
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// Ranking of a library's algorithms
//===----------------------------------------------------------------------===//

/// Records graphs of about a millisecond, one per algorithm; an algorithm that
/// fails has none. Each graph is replayed once, because the first replay
/// uploads it and loads its kernels.
static std::vector<std::pair<size_t, DeviceGraph>>
graphsOf(Device &device, size_t count,
         llvm::function_ref<Contender(size_t)> launchOf, size_t launches,
         llvm::function_ref<void()> beat) {
  std::vector<std::pair<size_t, DeviceGraph>> graphs;
  for (size_t algorithm = 0; algorithm < count; ++algorithm) {
    beat();
    Contender launch = launchOf(algorithm);
    // First a call outside a capture, which may load modules and allocate.
    if (Error error = launch(0)) {
      llvm::consumeError(std::move(error));
      continue;
    }
    auto graph = device.record([&]() -> Error {
      for (size_t set = 0; set < launches; ++set)
        if (Error error = launch(set))
          return error;
      return Error::success();
    });
    if (!graph) {
      llvm::consumeError(graph.takeError());
      continue;
    }
    if (auto warm = device.time(*graph))
      graphs.emplace_back(algorithm, std::move(*graph));
    else
      llvm::consumeError(warm.takeError());
  }
  return graphs;
}

/// Ranks algorithms by their minimum time of a few turns. Each turn runs all of
/// them forwards and backwards, so that a falling clock does not favour the
/// first.
static std::vector<size_t> rank(Device &device, size_t count,
                                llvm::function_ref<Contender(size_t)> launchOf,
                                size_t launches,
                                llvm::function_ref<void()> beat) {
  constexpr int kTurns = 4;
  auto graphs = graphsOf(device, count, launchOf, launches, beat);
  std::vector<std::pair<double, size_t>> times;
  for (auto &[algorithm, graph] : graphs)
    times.push_back({std::numeric_limits<double>::infinity(), algorithm});
  for (int turn = 0; turn < kTurns; ++turn)
    for (size_t i = 0; i < graphs.size(); ++i) {
      size_t at = turn % 2 ? graphs.size() - 1 - i : i;
      beat();
      if (auto seconds = device.time(graphs[at].second))
        times[at].first = std::min(times[at].first, *seconds);
      else
        llvm::consumeError(seconds.takeError());
    }
  llvm::sort(times);
  std::vector<size_t> order;
  for (auto [seconds, algorithm] : times)
    order.push_back(algorithm);
  return order;
}

llvm::Expected<Rivals::Prepared *>
Rivals::prepare(Rival rival, const GemmData &data, double about, Beat beat) {
  constexpr double kGraphSeconds = 1e-3, kLaunchSeconds = 2e-6;
  if (auto known = prepared.find(rival); known != prepared.end())
    return &known->second;
  auto opened = open(rival, data.problem());
  if (!opened)
    return opened.takeError();
  Prepared &result = prepared[rival];
  result = std::move(*opened);
  if (result.candidates() == 1) {
    result.order = {0};
    return &result;
  }
  size_t launches =
      std::clamp<size_t>(kGraphSeconds / (about + kLaunchSeconds), 3, 256);
  result.order = rank(
      device, result.candidates(),
      [&](size_t algorithm) { return result.launchOf(data, algorithm); },
      launches, beat);
  return &result;
}

llvm::Expected<Rivals::Launch> Rivals::get(const Entrant &entrant,
                                           const GemmData &data, double about,
                                           Beat beat) {
  if (entrant.rival == Rival::cublas) {
    if (data.problem().batch)
      return llvm::createStringError(
          "skipped cuBLAS: cublasGemmEx multiplies no batches");
    if (sizeOf(data.problem().b.type) == 1)
      return llvm::createStringError(
          "skipped cuBLAS: cublasGemmEx multiplies no elements of 8 bits");
    if (Error error = openOnce(cublas, device, library, "cuBLAS"))
      return std::move(error);
    return Launch{[this, &data](size_t set) {
                    return cublas->run(data.problem(), data.a(set), data.b(set),
                                       data.c(set));
                  },
                  ""};
  }
  auto found = prepare(entrant.rival, data, about, beat);
  if (!found)
    return found.takeError();
  const Prepared &known = **found;
  if (size_t(entrant.rank) >= known.order.size())
    return llvm::createStringError(
        formatv("expected {0} algorithms, but got {1}", entrant.rank + 1,
                known.order.size()));
  size_t at = known.order[entrant.rank];
  return Launch{known.launchOf(data, at), known.describe(at)};
}
