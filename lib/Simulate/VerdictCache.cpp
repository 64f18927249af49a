//===- VerdictCache.cpp - Each structure is proven once -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key is the kernel as text, with its target and its plan.
//
//===----------------------------------------------------------------------===//

#include "hone/Simulate/VerdictCache.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

static std::string keyOf(const Subject &subject) {
  std::string text;
  llvm::raw_string_ostream os(text);
  gpu::GPUFuncOp kernel = subject.kernel;
  for (gpu::GPUFuncOp before : subject.before)
    before.print(os);
  kernel->print(os);
  if (auto module = kernel->getParentOfType<gpu::GPUModuleOp>())
    os << module.getTargetsAttr();
  os << subject.plan.str() << subject.alternative << " " << subject.launch
     << " " << subject.problem.str();
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::ArrayRef(
      reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  return llvm::utohexstr(hash.high64, /*LowerCase=*/true, 16) +
         llvm::utohexstr(hash.low64, /*LowerCase=*/true, 16);
}

std::string VerdictCache::judge(const Subject &subject) {
  gpu::GPUFuncOp kernel = subject.kernel;
  auto trials = trialsFor(subject);
  if (!trials)
    return llvm::toString(trials.takeError());
  SimulateOptions options;
  options.mostFindings = 1;
  for (const Trial &trial : *trials) {
    auto verdict = simulate::simulate(subject, trial, options);
    if (!verdict)
      return llvm::toString(verdict.takeError());
    if (verdict->passed())
      continue;
    const Finding &finding = verdict->findings.front();
    return formatv("expected a kernel whose barriers are right, but got '{0}', "
                   "where '{1}' {2} [{3}; {4}; {5}]",
                   kernel.getName(), finding.at.op, finding.text,
                   toString(finding.fault), finding.at.str(), trial.str());
  }
  return "";
}

llvm::Error VerdictCache::prove(ModuleOp module) {
  FailureOr<std::vector<Subject>> subjects = subjectsOf(module);
  if (failed(subjects))
    return llvm::createStringError("expected launch plans that can be read");
  for (const Subject &subject : *subjects) {
    std::string key = keyOf(subject), why;
    {
      std::lock_guard<std::mutex> lock(mutex);
      ++questions;
      if (auto known = verdicts.find(key); known != verdicts.end()) {
        if (!known->second.empty())
          return llvm::createStringError(known->second);
        continue;
      }
    }
    // Two that ask at once both simulate; they find the same.
    why = judge(subject);
    std::lock_guard<std::mutex> lock(mutex);
    ++runs;
    verdicts[key] = why;
    if (!why.empty())
      return llvm::createStringError(why);
  }
  return llvm::Error::success();
}
