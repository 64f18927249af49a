//===- LowerKernel.cpp - Kernel IR to NVVM --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass. The pattern files lower kernel ops. Each `gpu.func` becomes an
// `llvm.func`, which can carry launch bounds and by-value descriptors. MLIR's
// own conversions lower the rest (loops, arithmetic).
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/LowerKernel.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"

namespace hone {
#define GEN_PASS_DEF_LOWERKERNEL
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

namespace {

/// A kernel's function: parameter types converted, launch bounds kept.
struct LowerFunction : OpConversionPattern<gpu::GPUFuncOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(gpu::GPUFuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    if (failed(getTypeConverter()->convertSignatureArgs(op.getArgumentTypes(),
                                                        signature)))
      return rewriter.notifyMatchFailure(op,
                                         "a parameter's type has no LLVM type");
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(getContext()), signature.getConvertedTypes());
    auto func =
        LLVM::LLVMFuncOp::create(rewriter, op.getLoc(), op.getName(), type);
    func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  rewriter.getUnitAttr());
    func->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                  rewriter.getUnitAttr());
    func->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                  op.getKnownBlockSizeAttr());
    for (StringRef name : {NVVM::NVVMDialect::getMinctasmAttrName(),
                           NVVM::NVVMDialect::getClusterDimAttrName()})
      if (Attribute value = op->getAttr(name))
        func->setAttr(name, value);
    passMapsByValue(op, func);
    // An operand may be read through another one (a residual that is C), so no
    // parameter is `noalias`; all of them are aligned like their elements.
    rewriter.inlineRegionBefore(op.getBody(), func.getBody(), func.end());
    if (failed(rewriter.convertRegionTypes(&func.getBody(), *getTypeConverter(),
                                           &signature)))
      return rewriter.notifyMatchFailure(
          op, "the body's arguments cannot be converted");
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The copy engine reads a tensor map in the kernel's parameters, where the
  /// launch has put it.
  static void passMapsByValue(gpu::GPUFuncOp op, LLVM::LLVMFuncOp func) {
    constexpr int64_t kMapBytes = 128, kMapAlign = 64;
    Builder builder(op.getContext());
    auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), kMapBytes);
    for (auto [i, type] : llvm::enumerate(op.getArgumentTypes())) {
      if (!isa<kernel::MapType>(type))
        continue;
      func.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(bytes));
      func.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                      builder.getI64IntegerAttr(kMapAlign));
      func.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                      builder.getUnitAttr());
    }
  }
};

struct LowerReturn : OpConversionPattern<gpu::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(gpu::ReturnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

struct LowerKernel : hone::impl::LowerKernelBase<LowerKernel> {
  void runOnOperation() override {
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      // Only modules that Hone built: other kernels stay as they are.
      if (module->hasAttr(kernel::kPlansAttr) && failed(lower(module)))
        return signalPassFailure();
    eraseProvenFunctions();
  }

private:
  /// Erases the functions that kernels of the rest were made from. They have no
  /// use from here on.
  void eraseProvenFunctions() {
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (function->hasAttr(kernel::kRestAttr) &&
          SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        function.erase();
  }

  /// Kernel ops apply to a whole block, so its size must be known and be a
  /// multiple of a warp.
  static LogicalResult checkBlock(Operation *op) {
    auto func = op->getParentOfType<gpu::GPUFuncOp>();
    DenseI32ArrayAttr size = func ? func.getKnownBlockSizeAttr() : nullptr;
    if (!size || size.size() != 3 || size[0] < 1 || size[1] != 1 ||
        size[2] != 1)
      return op->emitError("expected a gpu.func with a known_block_size of "
                           "[threads, 1, 1] around '")
             << op->getName() << "', but got none";
    auto role = op->getParentOfType<kernel::RoleOp>();
    if (isa<kernel::BarrierOp>(op) && role &&
        role.getWarps() * kernel::kWarpSize != size[0])
      return op->emitError("expected a role of all of the block's ")
             << size[0] << " threads around a 'kernel.barrier', but got "
             << role.getWarps() * kernel::kWarpSize
             << "; use kernel.role.barrier";
    int64_t have = role ? role.getGroupThreads() : size[0];
    auto check = [&](auto type) -> LogicalResult {
      int64_t threads = type.getWarpsM() * type.getWarpsN() * kernel::kWarpSize;
      if (threads == have)
        return success();
      return op->emitError("expected a ")
             << (role ? "group" : "block") << " of " << threads
             << " threads for " << type << ", but got " << have;
    };
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(),
                                              op->getResultTypes())) {
      if (auto acc = dyn_cast<kernel::AccType>(type); acc && failed(check(acc)))
        return failure();
      if (auto fragment = dyn_cast<kernel::FragmentType>(type);
          fragment && failed(check(fragment)))
        return failure();
    }
    return success();
  }

  LogicalResult lower(gpu::GPUModuleOp module) {
    WalkResult checked = module.walk([](Operation *op) {
      bool ours = isa_and_nonnull<kernel::KernelDialect>(op->getDialect());
      return WalkResult(ours ? checkBlock(op) : success());
    });
    if (checked.wasInterrupted())
      return failure();
    for (auto func : module.getOps<gpu::GPUFuncOp>())
      if (!func.getKnownBlockSizeAttr())
        return func.emitError(
            "expected a kernel with a known_block_size, but got none");
    declareShared(module);
    keepLoops(module);
    if (failed(lowerKernelOps(module)))
      return failure();
    for (auto func : module.getOps<LLVM::LLVMFuncOp>())
      if (failed(lowerRolesOf(func)))
        return failure();
    return lowerRest(module);
  }

  /// Declares the dynamic shared memory, aligned so that a 128-byte swizzle
  /// atom of any ring starts at a multiple of its size.
  void declareShared(gpu::GPUModuleOp module) {
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/false,
                           LLVM::Linkage::External, kSharedSymbol, Attribute(),
                           /*alignment=*/1024, kSharedSpace);
  }

  /// Prevents unrolling, which is the schedule's decision. LLVM would peel the
  /// first step of a loop; but where products from two places meet at one wait,
  /// ptxas serializes all of them (C7514).
  void keepLoops(gpu::GPUModuleOp module) {
    auto unroll = LLVM::LoopUnrollAttr::get(
        &getContext(), /*disable=*/BoolAttr::get(&getContext(), true), {}, {},
        {}, {}, {}, {});
    auto keep =
        LLVM::LoopAnnotationAttr::get(&getContext(), {}, {}, {}, unroll, {}, {},
                                      {}, {}, {}, {}, {}, {}, {}, {}, {});
    module.walk([&](Operation *op) {
      if (!isa<kernel::MmaAsyncOp, kernel::MmaFetchedOp>(op))
        return;
      if (auto loop = op->getParentOfType<scf::ForOp>())
        loop->setAttr("loop_annotation", keep);
    });
  }

  LogicalResult lowerKernelOps(gpu::GPUModuleOp module) {
    MLIRContext *context = &getContext();
    KernelTypeConverter types(context);
    RewritePatternSet patterns(context);
    patterns.add<LowerFunction, LowerReturn>(types, context);
    populatePlacePatterns(types, patterns);
    populateSegmentPatterns(types, patterns);
    populateCopyPatterns(types, patterns);
    populateMmaPatterns(types, patterns);
    populateFmaPatterns(types, patterns);
    populateEpiloguePatterns(types, patterns);
    populateStorePatterns(types, patterns);
    populateAsyncPatterns(types, patterns);
    populateWgmmaPatterns(types, patterns);
    populateStagePatterns(types, patterns);
    populateClusterPatterns(types, patterns);
    populateWorkspacePatterns(types, patterns);
    populateLinePatterns(types, patterns);
    populatePackPatterns(types, patterns);

    ConversionTarget target(*context);
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns,
                                                         target);
    target.addIllegalDialect<kernel::KernelDialect>();
    target.addLegalOp<kernel::RoleOp>();
    target.addIllegalOp<gpu::GPUFuncOp, gpu::ReturnOp>();
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect,
                           arith::ArithDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    return applyPartialConversion(module, target, std::move(patterns));
  }

  /// Lowers loops and arithmetic through MLIR's own patterns, but not through
  /// convert-gpu-to-nvvm: it would turn the remaining math of an epilogue into
  /// device library calls.
  LogicalResult lowerRest(gpu::GPUModuleOp module) {
    // Loops and branches are scf's: every region has one block, and none to
    // merge. It takes two fifths of a canonicalization to find that out.
    GreedyRewriteConfig ofBlocks;
    ofBlocks.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    OpPassManager first(gpu::GPUModuleOp::getOperationName());
    first.addPass(createCanonicalizerPass(ofBlocks));
    first.addPass(createCSEPass());
    if (failed(runPipeline(first, module)))
      return failure();

    MLIRContext *context = &getContext();
    LLVMTypeConverter types(context);
    RewritePatternSet patterns(context);
    populateSCFToControlFlowConversionPatterns(patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    ConversionTarget target(*context);
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      return failure();
    // NVVM ops without an intrinsic become assembly.
    OpPassManager clean(gpu::GPUModuleOp::getOperationName());
    clean.addPass(createCanonicalizerPass());
    clean.addPass(createCSEPass());
    clean.addPass(createConvertNVVMToLLVMPass());
    return runPipeline(clean, module);
  }
};

} // namespace
