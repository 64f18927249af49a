//===- Walk.cpp - Walk through a rest kernel, op by op --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values, branches, barriers and exchanges. Ops without effects are evaluated
// where their result is used, because the meaning of a block's number depends
// on the step.
//
//===----------------------------------------------------------------------===//

#include "Walk.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::simulate::rest;

Walk::Walk(const Subject &subject, Function &function, const Launch &launch,
           Terms &terms, Symbol thread, Symbol block, Polynomial blocks)
    : kernel(subject.kernel), function(function), launch(launch), terms(terms),
      thread(thread), blockNumber(Polynomial::of(block)),
      blocks(std::move(blocks)), threads(terms, thread, launch.threads),
      active(launch.threads, true) {}

bool Walk::fail(Operation *op, Fault fault, std::string text) {
  Place place = Place::of(op);
  place.agent = "any thread";
  findings.push_back({fault, std::move(text), std::move(place)});
  return false;
}

bool Walk::isUnknown(Operation *op, StringRef what) {
  return fail(op, Fault::notModelled, what.str());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<TermId> Walk::computeValue(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &kernel.getBody().front())
      return std::nullopt;
    const Param &param = launch.params[argument.getArgNumber()];
    Type own = function.op().getArgumentTypes()[param.argument];
    if (param.kind == Param::scalar)
      return terms.scalar(param.argument, own, argument.getType());
    auto array = function.arrayOf(function.op().getArgument(param.argument));
    if (!array || param.kind == Param::address)
      return std::nullopt;
    const Array &memory = function.arrays()[*array];
    return terms.number(param.kind == Param::extent ? memory.extents[param.dim]
                                                    : memory.strides[param.dim],
                        argument.getType());
  }
  Operation *op = value.getDefiningOp();
  if (isa<NVVM::ThreadIdXOp>(op))
    return terms.number(Polynomial::of(thread), value.getType());
  if (isa<NVVM::BlockIdXOp>(op))
    return terms.number(blockNumber, value.getType());
  if (isa<NVVM::GridDimXOp>(op))
    return terms.number(blocks, value.getType());
  if (isa<NVVM::BlockDimXOp>(op))
    return terms.number(launch.threads, value.getType());
  if (auto extract = dyn_cast<LLVM::ExtractElementOp>(op)) {
    auto lanes = lanesOf(extract.getVector());
    auto at = valueOf(extract.getPosition());
    auto lane = at ? terms.numberOf(*at).constant() : std::nullopt;
    if (!lanes || !lane || *lane < 0 || *lane >= int64_t(lanes->size()))
      return std::nullopt;
    return (*lanes)[*lane];
  }
  SmallVector<TermId> operands;
  for (Value operand : op->getOperands())
    if (auto known = valueOf(operand))
      operands.push_back(*known);
    else
      return std::nullopt;
  return terms.apply(op, operands);
}

std::optional<TermId> Walk::valueOf(Value value) {
  if (auto found = fixed.find(value); found != fixed.end())
    return found->second;
  if (auto found = computed.find(value); found != computed.end())
    return found->second;
  std::optional<TermId> result = computeValue(value);
  if (result)
    computed[value] = *result;
  return result;
}

std::optional<SmallVector<TermId>> Walk::lanesOf(DenseElementsAttr constant) {
  SmallVector<TermId> lanes;
  if (constant)
    for (Attribute value : constant.getValues<Attribute>())
      if (auto lane = terms.constant(cast<TypedAttr>(value)))
        lanes.push_back(*lane);
  if (lanes.empty() || int64_t(lanes.size()) != constant.getNumElements())
    return std::nullopt;
  return lanes;
}

/// The elements of a vector that was loaded, chosen, constant, or built by
/// insertions.
std::optional<SmallVector<TermId>> Walk::lanesOf(Value value) {
  if (auto found = vectors.find(value); found != vectors.end())
    return found->second;
  if (Attribute all; matchPattern(value, m_Constant(&all)))
    return lanesOf(dyn_cast<DenseElementsAttr>(all));
  if (auto select = value.getDefiningOp<arith::SelectOp>()) {
    auto condition = valueOf(select.getCondition());
    auto a = lanesOf(select.getTrueValue()),
         b = lanesOf(select.getFalseValue());
    if (!condition || !a || !b || a->size() != b->size() ||
        isa<VectorType>(select.getCondition().getType()))
      return std::nullopt;
    return llvm::map_to_vector(llvm::zip_equal(*a, *b), [&](auto lane) {
      return terms.select(select, *condition, std::get<0>(lane),
                          std::get<1>(lane));
    });
  }
  // Collects the lanes from the last insertion to the first.
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type || type.getRank() != 1)
    return std::nullopt;
  SmallVector<std::optional<TermId>> lanes(type.getNumElements());
  while (auto insert = value.getDefiningOp<LLVM::InsertElementOp>()) {
    auto at = valueOf(insert.getPosition()), own = valueOf(insert.getValue());
    auto lane = at ? terms.numberOf(*at).constant() : std::nullopt;
    if (!own || !lane || *lane < 0 || *lane >= int64_t(lanes.size()))
      return std::nullopt;
    if (!lanes[*lane])
      lanes[*lane] = own;
    value = insert.getVector();
  }
  if (!llvm::all_of(lanes, [](auto &lane) { return lane.has_value(); }))
    return std::nullopt;
  return llvm::map_to_vector(lanes, [](auto &lane) { return *lane; });
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void Walk::walkBarrier(Operation *op) {
  if (isMasked || inChunks)
    fail(op, Fault::barrier, "is not reached by every thread");
  threads.passBarrier();
  ++epoch;
}

void Walk::walkShuffle(Operation *op) {
  auto shuffle = cast<NVVM::ShflOp>(op);
  auto constantOf = [&](Value value) {
    auto term = valueOf(value);
    return term ? terms.numberOf(*term).constant() : std::nullopt;
  };
  if (isMasked || inChunks) {
    fail(op, Fault::barrier, "is not reached by every lane of its mask");
    return;
  }
  auto mask = constantOf(shuffle.getThreadMask());
  auto clamp = constantOf(shuffle.getMaskAndClamp());
  auto value = valueOf(shuffle.getVal()), by = valueOf(shuffle.getOffset());
  bool isPlain = shuffle.getKind() == NVVM::ShflKind::bfly && mask && clamp &&
                 uint32_t(*mask) == ~0u && *clamp == 31 && value && by &&
                 shuffle.getType().isInteger(32);
  if (!isPlain) {
    isUnknown(op, "is not an exchange of two lanes among all of a warp");
    return;
  }
  TermId result = terms.leaf(Term::shuffled, events++, shuffle.getType());
  if (auto fault = threads.shuffle(result, *value, *by))
    fail(op, fault->fault, fault->text);
  fixed[shuffle.getResult()] = result;
}

void Walk::walkBranch(scf::IfOp branch) {
  if (inChunks || isMasked || branch.getNumResults()) {
    isUnknown(branch, "is a branch that the proof does not follow");
    return;
  }
  auto condition = valueOf(branch.getCondition());
  auto *decisions = condition ? threads.numbersOf(*condition) : nullptr;
  if (!decisions) {
    isUnknown(branch, "depends on something else than the thread's number");
    return;
  }
  isMasked = true;
  for (bool then : {true, false}) {
    for (int64_t i = 0; i < threads.size(); ++i)
      active[i] = bool((*decisions)[i]) == then;
    Region &region = then ? branch.getThenRegion() : branch.getElseRegion();
    bool isTaken = llvm::is_contained(active, true);
    if (!region.empty() && isTaken)
      walk(region.front());
  }
  isMasked = false;
  active.assign(threads.size(), true);
}

/// Ops without an effect: their results are computed where they are used.
static bool hasNoEffect(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() || isKnownScalar(op) ||
         isa<NVVM::ThreadIdXOp, NVVM::BlockIdXOp, NVVM::GridDimXOp,
             NVVM::BlockDimXOp, LLVM::GEPOp, LLVM::AddressOfOp,
             LLVM::ExtractElementOp, LLVM::InsertElementOp, LLVM::PoisonOp,
             LLVM::UndefOp, arith::SelectOp>(op);
}

void Walk::walkOp(Operation &op) {
  if (!checkPromises(&op))
    return;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return walkLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return walkBranch(branch);
  if (isa<LLVM::LoadOp>(op))
    return walkLoad(&op);
  if (isa<LLVM::StoreOp>(op))
    return walkStore(&op);
  if (isa<kernel::BarrierOp>(op))
    return walkBarrier(&op);
  if (isa<NVVM::ShflOp>(op))
    return walkShuffle(&op);
  if (isa<kernel::DependWaitOp>(op)) {
    if (isMasked || inChunks)
      fail(&op, Fault::depend, "is not reached by every thread");
    hasWaited = true;
    return;
  }
  if (!hasNoEffect(&op) &&
      !isa<kernel::DependReleaseOp, gpu::ReturnOp, scf::YieldOp>(op))
    isUnknown(&op, "is an op that the proof does not model");
}

void Walk::walk(Block &block) {
  for (Operation &op : block) {
    if (!findings.empty())
      return;
    walkOp(op);
    if (terms.symbols.isSpent()) {
      // Earlier findings may be due to the work limit.
      findings.clear();
      fail(&op, Fault::limit,
           "takes more work than a proof may, a hundred times that of large "
           "kernels");
    }
  }
}

std::vector<Finding> Walk::run() {
  if (!kernel.getBody().hasOneBlock()) {
    isUnknown(kernel, "has branches that the proof does not follow");
    return findings;
  }
  if (!checkKernel())
    return findings;
  walk(kernel.getBody().front());
  if (findings.empty() && current < function.steps().size())
    fail(kernel, Fault::coverage,
         "does " + std::to_string(current) + " of the " +
             std::to_string(function.steps().size()) +
             " steps of its function");
  return findings;
}
