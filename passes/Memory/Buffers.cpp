//===- Buffers.cpp - Roots of buffers and accesses to them ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op without declared effects is assumed to read and write every memref
// operand.
//
//===----------------------------------------------------------------------===//

#include "passes/Memory/Buffers.h"
#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

SmallVector<func::FuncOp> hone::hostFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<gpu::GPUModuleOp>(op))
      return WalkResult::skip();
    if (auto function = dyn_cast<func::FuncOp>(op);
        function && !function.isDeclaration() &&
        !function->hasAttr(kernel::kRestAttr))
      functions.push_back(function);
    return WalkResult::advance();
  });
  return functions;
}

Boundary hone::boundaryOf(func::FuncOp function) {
  auto memory = function->getAttrOfType<DictionaryAttr>(kMemoryAttr);
  if (!memory)
    return Boundary::device;
  // Arguments and results are on one side; a function may have only one of
  // them.
  bool isOnHost = llvm::any_of(memory, [](NamedAttribute side) {
    auto text = dyn_cast<StringAttr>(side.getValue());
    return text && text.getValue() == "host";
  });
  return isOnHost ? Boundary::host : Boundary::device;
}

func::FuncOp hone::calledFunction(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return {};
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  return function && !function.isDeclaration() ? function : func::FuncOp();
}

SmallVector<Value> hone::dynamicSizes(OpBuilder &builder, Location loc,
                                      Value memref) {
  SmallVector<Value> sizes;
  auto type = cast<MemRefType>(memref.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(builder, loc, memref, dim));
  return sizes;
}

//===----------------------------------------------------------------------===//
// Touches
//===----------------------------------------------------------------------===//

bool hone::isFunctionReturn(Operation *op) {
  return op->hasTrait<OpTrait::ReturnLike>() &&
         isa_and_present<FunctionOpInterface>(op->getParentOp());
}

Value hone::viewSourceOf(Operation *op) {
  if (auto transpose = dyn_cast_if_present<memref::TransposeOp>(op))
    return transpose.getIn();
  auto view = dyn_cast_if_present<ViewLikeOpInterface>(op);
  return view && op->getNumResults() == 1 ? view.getViewSource() : Value();
}

bool hone::isDealloc(Operation *op) {
  return isa<memref::DeallocOp, gpu::DeallocOp>(op);
}

bool hone::isContiguous(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getLayout().isIdentity();
}

bool hone::isContiguousCopy(Operation *op) {
  return isa<memref::CopyOp>(op) &&
         llvm::all_of(op->getOperandTypes(), isContiguous);
}

/// True if `op` forwards a buffer, frees it, or reads only its shape and
/// address.
static bool leavesElementsAlone(Operation *op) {
  return isDealloc(op) || isFunctionReturn(op) ||
         isa<memref::TransposeOp, ViewLikeOpInterface, RegionBranchOpInterface,
             RegionBranchTerminatorOpInterface, BranchOpInterface,
             SelectLikeOpInterface, memref::DimOp, memref::RankOp,
             memref::ExtractStridedMetadataOp,
             memref::ExtractAlignedPointerAsIndexOp, memref::AssumeAlignmentOp>(
             op);
}

/// The side that runs `op`.
static Side sideOf(Operation *op) {
  if (isa<MatmulOp, gpu::LaunchFuncOp>(op))
    return Side::device;
  if (isa<gpu::MemcpyOp, gpu::MemsetOp>(op))
    return Side::copy;
  func::FuncOp callee = calledFunction(op);
  return callee && boundaryOf(callee) == Boundary::device ? Side::device
                                                          : Side::host;
}

static Touch touchOf(Operation *op, OpOperand &operand, Side side) {
  // A function of the rest marks the arguments that it changes.
  if (func::FuncOp callee = calledFunction(op);
      callee && callee->hasAttr(kernel::kRestAttr))
    return {
        &operand, side, /*reads=*/true,
        /*writes=*/
        bool(callee.getArgAttr(operand.getOperandNumber(), kRestWrittenAttr))};
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  // The effects of a kernel on its arguments are unknown here.
  if (!effects || isa<gpu::LaunchFuncOp>(op))
    return {&operand, side, /*reads=*/true, /*writes=*/true};
  SmallVector<MemoryEffects::EffectInstance> found;
  effects.getEffectsOnValue(operand.get(), found);
  Touch touch = {&operand, side, false, false};
  for (const MemoryEffects::EffectInstance &effect : found) {
    touch.reads |= isa<MemoryEffects::Read>(effect.getEffect());
    touch.writes |= isa<MemoryEffects::Write>(effect.getEffect());
  }
  return touch;
}

SmallVector<Touch> hone::touchesOf(Operation *op) {
  SmallVector<Touch> touches;
  if (leavesElementsAlone(op))
    return touches;
  Side side = sideOf(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    Touch touch = touchOf(op, operand, side);
    if (touch.reads || touch.writes)
      touches.push_back(touch);
  }
  return touches;
}

bool hone::startsDeviceWork(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        bool starts =
            isa<MatmulOp, gpu::LaunchFuncOp, gpu::MemcpyOp, gpu::MemsetOp>(
                inner);
        if (func::FuncOp callee = calledFunction(inner))
          starts = boundaryOf(callee) == Boundary::device;
        return starts ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

/// The roots of `value`, through the values that each value is made from.
static SmallVector<Value, 1>
findRoots(Value value,
          const llvm::DenseMap<Value, SmallVector<Value, 2>> &sources,
          const BufferViewFlowAnalysis &flow) {
  llvm::SmallSetVector<Value, 8> seen;
  SmallVector<Value, 1> roots;
  seen.insert(value);
  for (unsigned i = 0; i < seen.size(); ++i) {
    Value next = seen[i];
    auto found = sources.find(next);
    bool isView = viewSourceOf(next.getDefiningOp()) != nullptr;
    if (found == sources.end() || (!isView && flow.mayBeTerminalBuffer(next)))
      roots.push_back(next);
    if (found != sources.end())
      seen.insert_range(found->second);
  }
  return roots;
}

BufferRoots::BufferRoots(func::FuncOp function) {
  BufferViewFlowAnalysis flow(function);
  llvm::DenseMap<Value, SmallVector<Value, 2>> sources;
  for (const auto &[value, dependents] : flow)
    for (Value dependent : dependents) {
      // The result of a call is memory of its own.
      bool isCall = isa_and_present<CallOpInterface>(dependent.getDefiningOp());
      if (dependent != value && !isCall)
        sources[dependent].push_back(value);
    }
  // Upstream's analysis does not support this view.
  function.walk([&](memref::TransposeOp op) {
    sources[op.getResult()].push_back(op.getIn());
  });
  auto add = [&](Value value) {
    if (!isa<BaseMemRefType>(value.getType()))
      return;
    values.push_back(value);
    roots[value] = findRoots(value, sources, flow);
  };
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getResults(), add);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), add);
  });
}

SmallVector<Value, 1> BufferRoots::of(Value value) const {
  auto found = roots.find(value);
  return found == roots.end() ? SmallVector<Value, 1>{value} : found->second;
}
