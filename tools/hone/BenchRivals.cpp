//===- BenchRivals.cpp - What ours is compared with -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of cuBLASLt's algorithms go on is decided on the GPU's clock for every
// protocol: how long a launch takes the host does not depend on the algorithm.
//
//===----------------------------------------------------------------------===//

#include "BenchRivals.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::formatv;

Rivals Rivals::open(const BenchPlan &plan, Device &device,
                    llvm::function_ref<void(std::string)> note) {
  Rivals rivals;
  rivals.plan = &plan;
  bool needsLt = llvm::any_of(plan.baselines, [](Baseline baseline) {
    return baseline == Baseline::cublasLtHeuristic ||
           baseline == Baseline::cublasLtAuto;
  });
  if (needsLt) {
    if (auto opened = CublasLt::open(device, plan.options.cublas))
      rivals.lt = std::move(*opened);
    else
      note("skipped cuBLASLt: " + llvm::toString(opened.takeError()));
  }
  if (llvm::is_contained(plan.baselines, Baseline::cublas)) {
    if (auto opened = Cublas::open(device, plan.options.cublas))
      rivals.cublas = std::move(*opened);
    else
      note("skipped cuBLAS: " + llvm::toString(opened.takeError()));
  }
  return rivals;
}

llvm::Expected<std::vector<Rival>> Rivals::prepare(
    size_t baseline, const Problem &problem, const GemmData &data,
    llvm::function_ref<llvm::Expected<double>(const Contender &)> quick) {
  Baseline kind = plan->baselines[baseline];
  std::vector<Rival> rivals;
  if (baseline == 0)
    matmuls.clear();
  if (kind == Baseline::cublas) {
    if (cublas)
      rivals.push_back({baseline,
                        [this, problem, &data](size_t set) {
                          return cublas->run(problem, data.a(set), data.b(set),
                                             data.c(set));
                        },
                        ""});
    return rivals;
  }
  if (!lt)
    return rivals;
  constexpr int kCandidates = 100;
  auto prepared =
      lt->prepare(problem, kind == Baseline::cublasLtAuto ? kCandidates : 1);
  if (!prepared)
    return prepared.takeError();
  matmuls.push_back(std::move(*prepared));
  CublasMatmul &matmul = *matmuls.back();
  std::vector<std::pair<double, size_t>> times;
  auto launch = [&data, &matmul](size_t candidate) {
    return Contender([&data, &matmul, candidate](size_t set) {
      return matmul.run(data.a(set), data.b(set), data.c(set), candidate);
    });
  };
  for (size_t i = 0; i < matmul.candidates(); ++i) {
    auto time = matmul.candidates() > 1 ? quick(launch(i))
                                        : llvm::Expected<double>(0.0);
    if (time)
      times.push_back({*time, i});
    else
      llvm::consumeError(time.takeError());
  }
  llvm::sort(times);
  times.resize(std::min<size_t>(times.size(), plan->options.finalists));
  for (auto [time, i] : times)
    rivals.push_back(
        {baseline, launch(i),
         formatv("algorithm {0} of {1}", i + 1, matmul.candidates())});
  return rivals;
}
