//===- Rewrite.cpp - Menu of rewrites -------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Rewrite.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Rewrite/Rewrite.h"
#include "hone/Schedule/WholeKernel.h"
#include "passes/Rewrite/Menu.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::rewrite;

/// One line per rewrite.
static constexpr Rewrite kMenu[] = {
    {"loads", orderLoads},     {"prefetch", prefetchAhead},
    {"flight", keepInFlight},  {"products", orderProducts},
    {"handover", handOver},    {"skew", skewConsumers},
    {"unroll", unrollSteps},   {"stores", joinStores},
    {"staging", guardStaging}, {"next", startNext},
    {"begin", beginTogether},
};

ArrayRef<Rewrite> hone::rewrite::menu() { return kMenu; }

const Rewrite *hone::rewrite::rewriteNamed(StringRef name) {
  const Rewrite *found = llvm::find_if(
      kMenu, [&](const Rewrite &rewrite) { return rewrite.name == name; });
  return found == std::end(kMenu) ? nullptr : found;
}

const Decision &hone::rewrite::decisionOf(const Rewrite &rewrite) {
  for (const Kind *kind : allKinds())
    for (const Decision &decision : kind->decisions)
      if (decision.isRewrite && decision.name == rewrite.name)
        return decision;
  llvm_unreachable("expected a decision for every rewrite of the menu");
}

std::string hone::rewrite::messageOf(StringRef name, StringRef value,
                                     const Refusal &refusal) {
  return (name + "(" + value + "): " + refusal.why).str();
}

LogicalResult hone::rewrite::rewriteKernel(gpu::GPUFuncOp kernel,
                                           const Schedule &schedule) {
  for (const Schedule::Decided &one : schedule.rewrites()) {
    if (namesWholeKernel(*one.decision))
      continue; // passes/WholeKernel.h
    StringRef name = one.decision->name;
    std::string value = one.text();
    const Rewrite *rewrite = rewriteNamed(name);
    if (!rewrite)
      return kernel.emitOpError("expected a rewrite of the menu, but got '")
             << name << "'";
    if (Outcome refused = rewrite->apply(kernel, value))
      return refused->at->emitOpError(messageOf(name, value, *refused));
  }
  return success();
}
