//===- Prove.cpp - Proof of a kernel for all sizes ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Simulate.h.
//
//===----------------------------------------------------------------------===//

#include "Rest/Rest.h"
#include "hone/Simulate/Simulate.h"
#include "hone/Simulate/SumTree.h"

using namespace hone;
using namespace hone::simulate;

llvm::Expected<Proof> simulate::prove(const Subject &subject,
                                      const SimulateOptions &asked) {
  if (subject.isRest)
    return rest::prove(subject);
  SimulateOptions options = asked;
  auto trials = trialsFor(subject);
  if (!trials)
    return trials.takeError();
  Proof proof;
  for (const Trial &trial : *trials) {
    auto verdict = simulate(subject, trial, options);
    if (!verdict)
      return verdict.takeError();
    ++proof.sizes;
    options.maxWork -= verdict->work;
    proof.logOrders = std::max(proof.logOrders, verdict->logOrders);
    if (verdict->error)
      proof.error = std::max(proof.error.value_or(0), *verdict->error);
    if (verdict->passed())
      continue;
    // Another size would only repeat the findings.
    proof.findings = std::move(verdict->findings);
    proof.at = trial;
    return proof;
  }
  auto untried = untriedIn(subject, *trials);
  if (!untried)
    return untried.takeError();
  proof.findings = std::move(*untried);
  if (!proof.passed() || !subject.problem.numbers.isInvariant())
    return proof;
  auto sums = sumsOf(subject, *trials, asked);
  if (!sums)
    return sums.takeError();
  proof.sums = std::move(sums->text);
  proof.findings = std::move(sums->findings);
  proof.at = sums->at;
  return proof;
}
