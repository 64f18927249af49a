//===- GuardNeeds.cpp - Conditions that a guard must imply ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GuardNeeds.h.
//
//===----------------------------------------------------------------------===//

#include "GuardNeeds.h"
#include "../Launch.h"
#include "Bounds.h"
#include "dialects/Kernel/Kernel.h"
#include "hone/Guards/GuardImplication.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;
using llvm::formatv;

/// The alignment for copy engines and for the widest accesses of threads.
static constexpr int64_t kPiece = 16;

namespace {
/// The needs of one alternative, in the terms of the plan.
class Needs {
public:
  explicit Needs(const Subject &subject) : args(subject.plan.args) {
    const auto &launches =
        subject.plan.alternatives[subject.alternative].launches;
    for (auto [i, launch] : llvm::enumerate(launches))
      ofLaunch(launch,
               i < subject.before.size() ? subject.before[i] : subject.kernel);
  }

  std::vector<PlanFormula> conditions;

private:
  bool has(llvm::StringRef name) const {
    return llvm::is_contained(args, name);
  }

  /// Adds `condition`, which must hold where C has elements.
  void need(const PlanFormula &condition) {
    PlanFormula all;
    auto orElse = [&](const PlanFormula &one) {
      all = all.empty() ? one : either(all, one);
    };
    for (const char *extent : {"m", "n", "batch"})
      if (has(extent))
        orElse(PlanFormula::argument(extent) <= 0);
    orElse(condition);
    if (!llvm::is_contained(conditions, all))
      conditions.push_back(all);
  }
  void needMultiple(const PlanFormula &number, int64_t unit) {
    need(equals(number.inBrackets() % unit, 0));
  }

  static bool mentions(const PlanFormula &formula, llvm::StringRef name) {
    return llvm::is_contained(formula.arguments(), name);
  }
  /// True for an address in the workspace, which is aligned.
  static bool isOfWorkspace(PlanFormula address) {
    while (address.op() == PlanFormula::Op::add)
      address = address.left();
    return address.name() == "ws";
  }

  void ofLaunch(const KernelLaunch &launch, gpu::GPUFuncOp kernel) {
    if (launch.params.size() != kernel.getNumArguments())
      return;
    for (auto [argument, param] :
         llvm::zip(kernel.getArguments(), launch.params))
      if (auto type = dyn_cast<MapType>(argument.getType());
          type && param.kind == LaunchParam::tensorMap)
        ofMap(argument, type, param.map);
    kernel.walk([&](MatrixOp matrix) { ofMatrix(matrix, launch); });
  }

  void ofMap(BlockArgument argument, MapType type, const TensorMap &map) {
    // The trials of the copies check these maps.
    if (isOfWorkspace(map.base))
      return;
    needMultiple(map.base, kPiece);
    for (const PlanFormula &stride : map.strides) {
      needMultiple(stride, kPiece);
      need(stride.inBrackets() > 0);
    }
    // Where C has elements, there is at least one batch.
    for (const PlanFormula &dim : map.dims)
      if (!mentions(dim, "batch") && !mentions(dim, "heads") &&
          dim.name() != "images")
        need(dim.inBrackets() > 0);
    bool isStored = llvm::any_of(argument.getUsers(), [](Operation *user) {
      return isa<StoreAsyncOp>(user);
    });
    int64_t bytes = type.getElement().getIntOrFloatBitWidth() / 8;
    if (isStored && !map.dims.empty())
      need(equals(map.dims.front().inBrackets() * bytes % kPiece, 0));
  }

  void ofMatrix(MatrixOp op, const KernelLaunch &launch) {
    MatrixType type = op.getMatrix().getType();
    int64_t bytes = type.getElement().getIntOrFloatBitWidth() / 8;
    int64_t align = std::min<int64_t>(type.getAlign(), kPiece);
    PlanFormula base = formulaOf(op.getBuffer(), launch);
    if (align <= bytes || base.empty() || isOfWorkspace(base))
      return;
    needMultiple(base, align);
    // With only one line, the distance to the next does not matter.
    PlanFormula lines = formulaOf(op.getLines(), launch);
    if (PlanFormula stride = formulaOf(op.getStride(), launch);
        !stride.empty()) {
      PlanFormula multiple = equals(stride.inBrackets() % (align / bytes), 0);
      need(lines.empty() ? multiple
                         : either(lines.inBrackets() <= 1, multiple));
    }
    for (Value distance : distancesIn(op.getOffset()))
      if (PlanFormula number = formulaOf(distance, launch); !number.empty())
        needMultiple(number, align / bytes);
  }

  /// The 64-bit arguments in a matrix' offset: distances of batches.
  static SmallVector<Value> distancesIn(Value offset) {
    SmallVector<Value> open = {offset}, found;
    while (!open.empty()) {
      Value value = open.pop_back_val();
      if (Operation *from = value.getDefiningOp())
        llvm::append_range(open, from->getOperands());
      else if (value.getType().isInteger(64))
        found.push_back(value);
    }
    return found;
  }

  const std::vector<std::string> &args;
};
} // namespace

/// A matrix that serves a whole batch has a distance of 0 between elements of
/// the batch. Where a plan has images, the arguments of A are an image's.
static void addSharedBatches(const Subject &subject, GuardFacts &facts) {
  auto add = [&](const std::string &outer, const std::string &inner,
                 llvm::StringRef batches) {
    for (const auto &[letter, name] :
         {std::pair('b', outer), std::pair('h', inner)})
      if (!batches.contains(letter) &&
          llvm::is_contained(subject.plan.args, name))
        facts.add(equals(PlanFormula::argument(name), 0));
  };
  const Problem &problem = subject.problem;
  bool hasImage = llvm::is_contained(subject.plan.args, "images");
  if (!hasImage)
    add("sa", "ha", ownBatches(subject, problem.a));
  add("sb", "hb", ownBatches(subject, problem.b));
  for (auto [i, operand] : llvm::enumerate(subject.operands)) {
    std::string name = "e" + std::to_string(i);
    add(name + "b", name + "h", operand.second);
  }
}

/// Arguments that count something.
static constexpr llvm::StringLiteral kExtents[] = {
    "m",    "n",   "k",   "batch", "heads", "images",  "channels",
    "taps", "inh", "inw", "outh",  "outw",  "filterh", "filterw"};

/// Facts that hold for every call: the ranges of sizes.
static GuardFacts factsOf(const Subject &subject) {
  GuardFacts facts(subject.plan.args);
  for (llvm::StringRef name : subject.plan.args) {
    auto known = subject.constants.find(name);
    bool isExtent = llvm::is_contained(kExtents, name);
    bool isAddress =
        name == "a" || name == "b" || name == "c" ||
        (name.size() > 1 && name[0] == 'e' && llvm::isDigit(name.back()));
    PlanFormula value = PlanFormula::argument(name.str());
    constexpr int64_t kExtent = int64_t(1) << 31, kAddress = int64_t(1) << 56,
                      kDistance = int64_t(1) << 40;
    if (known != subject.constants.end())
      facts.add(equals(value, known->second));
    else if (isExtent)
      facts.add(both(value >= 0, value < kExtent));
    else if (isAddress)
      facts.add(both(value >= 0, value < kAddress));
    else
      facts.add(both(value > 0 - kDistance, value < kDistance));
  }
  addSharedBatches(subject, facts);
  facts.add(subject.plan.alternatives[subject.alternative].guard);
  return facts;
}

void simulate::findGuardHoles(const Subject &subject,
                              std::vector<Finding> &findings) {
  GuardFacts facts = factsOf(subject);
  gpu::GPUFuncOp kernel = subject.kernel;
  const PlanFormula &guard =
      subject.plan.alternatives[subject.alternative].guard;
  auto find = [&](std::string text) {
    findings.push_back({Fault::plan,
                        std::move(text),
                        {kernel.getLoc(), "gpu.func", "", 0, 0, "", {}},
                        std::nullopt,
                        ""});
  };
  // Anything follows from facts that contradict each other.
  if (facts.implies(0))
    return find(formatv("has the guard '{0}', which never holds", guard.str()));
  for (const PlanFormula &condition : Needs(subject).conditions)
    if (!facts.implies(condition))
      find(formatv("needs '{0}', which does not follow from the guard '{1}'",
                   condition.str(), guard.str()));
}
