//===- LowerToLLVM.cpp - Lowering of host code to LLVM --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's conversions in a working order, top to bottom. The same passes by
// the same names work in mlir-opt.
//
//===----------------------------------------------------------------------===//

#include "LowerToLLVM.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Public functions get the wrapper that `Jit::lookup` finds. Private ones have
/// no callers outside the module, so LLVM may inline and drop them.
static void exportFunctions(ModuleOp module) {
  MLIRContext *context = module.getContext();
  context->loadDialect<LLVM::LLVMDialect>();
  auto internal =
      LLVM::LinkageAttr::get(context, LLVM::linkage::Linkage::Internal);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration())
      continue;
    if (function.isPublic())
      function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                        UnitAttr::get(context));
    else
      function->setAttr("llvm.linkage", internal);
  }
}

/// Replaces an expansion that splits a dimension into several of unknown size:
/// upstream's expansion of metadata computes one of them from the others, and
/// crashes. All are operands.
static void expandByOperands(memref::ExpandShapeOp op) {
  MemRefType type = op.getResultType();
  auto isSplit = [&](const ReassociationIndices &group) {
    return llvm::count_if(
               group, [&](int64_t dim) { return type.isDynamicDim(dim); }) > 1;
  };
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  if (llvm::none_of(groups, isSplit))
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto source =
      memref::ExtractStridedMetadataOp::create(builder, loc, op.getSrc());
  auto [known, offset] = type.getStridesAndOffset();
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<OpFoldResult> strides(sizes.size());
  auto valueOf = [&](OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(builder, loc, size);
  };
  for (auto [group, inner] : llvm::zip_equal(groups, source.getStrides())) {
    Value stride = inner;
    for (int64_t dim : llvm::reverse(group)) {
      strides[dim] = ShapedType::isDynamic(known[dim])
                         ? OpFoldResult(stride)
                         : builder.getIndexAttr(known[dim]);
      stride = arith::MulIOp::create(builder, loc, stride, valueOf(sizes[dim]));
    }
  }
  OpFoldResult start = ShapedType::isDynamic(offset)
                           ? OpFoldResult(source.getOffset())
                           : builder.getIndexAttr(offset);
  op.replaceAllUsesWith(
      memref::ReinterpretCastOp::create(
          builder, loc, type, source.getBaseBuffer(), start, sizes, strides)
          .getResult());
  op.erase();
}

/// True if host code uses GPU operations, rather than calls of the launcher.
static bool usesGpuDialect(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        if (isa<gpu::GPUModuleOp, gpu::BinaryOp>(op))
          return WalkResult::skip();
        return isa_and_nonnull<gpu::GPUDialect>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Gives an op of the GPU dialect the thread's stream, as upstream's lowering
/// requires. Memory shared with the host is the exception: it can only be
/// allocated without a stream. Allocations are ordered on the stream, so they
/// need no wait; an op without tokens on elements is synchronous, so a wait
/// follows it.
static void giveStream(gpu::AsyncOpInterface op) {
  auto alloc = dyn_cast<gpu::AllocOp>(op.getOperation());
  if (op.getAsyncToken() || (alloc && alloc.getHostShared()) ||
      !isa<gpu::AllocOp, gpu::DeallocOp, gpu::MemcpyOp, gpu::MemsetOp>(op))
    return;
  OpBuilder builder(op);
  Type token = gpu::AsyncTokenType::get(op.getContext());
  Value stream = gpu::WaitOp::create(builder, op.getLoc(), token, ValueRange())
                     .getAsyncToken();
  // The token is the op's first operand and its last result.
  SmallVector<Type> results(op->getResultTypes());
  results.push_back(token);
  OperationState state(op.getLoc(), op->getName(), op->getOperands(), results,
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  auto ordered = cast<gpu::AsyncOpInterface>(builder.create(state));
  ordered.addAsyncDependency(stream);
  if (!isa<gpu::AllocOp, gpu::DeallocOp>(op.getOperation()))
    gpu::WaitOp::create(builder, op.getLoc(), Type(), ordered.getAsyncToken());
  op->replaceAllUsesWith(ordered->getResults().drop_back());
  op->erase();
}

void hone::jit::dropUnusedBinaries(ModuleOp module) {
  for (auto binary : llvm::make_early_inc_range(module.getOps<gpu::BinaryOp>()))
    if (SymbolTable::symbolKnownUseEmpty(binary, module))
      binary.erase();
}

//===----------------------------------------------------------------------===//
// The passes
//===----------------------------------------------------------------------===//

/// Loops and vectors, down to blocks and vectors of rank 1.
static void addLoopPasses(OpPassManager &pm) {
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(hone::jit::createLowerVectorsPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createConvertVectorToSCFPass(
      VectorTransferToSCFOptions().enableFullUnroll()));
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
}

/// Arithmetic on types that a CPU may lack. bf16 is expanded everywhere: the
/// instruction of some CPUs flushes subnormals, and other CPUs would call a
/// function that their runtime may lack.
static void addFloatPasses(OpPassManager &pm) {
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16"};
  emulate.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
}

static void addConversionPasses(OpPassManager &pm) {
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertComplexToLLVMPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

LogicalResult hone::jit::lowerToLLVM(ModuleOp module) {
  exportFunctions(module);
  module.walk(expandByOperands);
  PassManager pm(module.getContext());
  pm.addPass(math::createMathExtendToSupportedTypes());
  addLoopPasses(pm);
  addFloatPasses(pm);
  if (usesGpuDialect(module)) {
    module.walk([](gpu::AsyncOpInterface op) { giveStream(op); });
    pm.addPass(createGpuToLLVMConversionPass());
  }
  addConversionPasses(pm);
  return pm.run(module);
}
