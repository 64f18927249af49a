//===- Rest.cpp - Proof of kernels other than matmuls ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Rest.h.
//
//===----------------------------------------------------------------------===//

#include "Rest.h"
#include "Walk.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

static Proof refuse(const Subject &subject, Fault fault, std::string text) {
  Proof proof;
  proof.findings.push_back({fault, std::move(text), Place::of(subject.kernel)});
  return proof;
}

/// Limit of a kernel's ops, since expressions are followed recursively.
static constexpr unsigned kMaxOps = 10000;

static unsigned countOps(Operation *op) {
  unsigned count = 0;
  op->walk([&](Operation *) { ++count; });
  return count;
}

/// True if a step has no points at any size.
static bool isEmpty(const rest::Function &function) {
  return llvm::all_of(function.steps(), [](const rest::GenericStep &step) {
    return step.countOf(step.parallel).constant() == 0;
  });
}

Proof simulate::rest::prove(const Subject &subject) {
  if (!subject.function)
    return refuse(subject, Fault::notModelled,
                  "has no function in the module that states its result");
  if (countOps(subject.kernel) + countOps(subject.function) > kMaxOps)
    return refuse(subject, Fault::limit,
                  "has, with its function, more ops than the " +
                      std::to_string(kMaxOps) + " that a proof goes through");
  Symbols symbols;
  Terms terms(symbols);
  auto function = Function::read(subject.function, terms);
  if (!function)
    return refuse(subject, Fault::notModelled,
                  "cannot be compared with its function: " +
                      llvm::toString(function.takeError()));
  auto launch = readLaunch(subject, symbols, **function);
  if (!launch)
    return refuse(subject, Fault::plan,
                  "has a plan that does not fit: " +
                      llvm::toString(launch.takeError()));
  Proof proof;
  proof.isForAllSizes = true;
  proof.findings = subject.findings;
  if (!proof.findings.empty())
    return proof;
  const GridNumber &grid = launch->grid;
  // Without blocks, nothing runs.
  bool isNever = grid.exact && grid.exact->constant() == 0;
  if (isNever && !isEmpty(**function))
    return refuse(subject, Fault::coverage, "is launched without a block");
  if (isNever)
    return proof;
  Polynomial blocks;
  if (grid.exact)
    blocks = *grid.exact;
  else
    blocks = Polynomial::of(
        symbols.addDigit("blocks", grid.last.value_or(INT32_MAX)));
  Symbol block = symbols.addDigit("block", blocks - 1);
  Symbol thread = symbols.addDigit("thread", launch->threads - 1);
  Walk walk(subject, **function, *launch, terms, thread, block, blocks);
  proof.findings = walk.run();
  return proof;
}
