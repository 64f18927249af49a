//===- WholeKernel.cpp - Kernels from text --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WholeKernel.h.
//
//===----------------------------------------------------------------------===//

#include "passes/WholeKernel.h"
#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/Modelled.h"
#include "hone/Text/CrashGuard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "passes/Support.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The kernel's text under another name.
static std::string textOf(gpu::GPUFuncOp kernel, StringRef name) {
  OwningOpRef<gpu::GPUFuncOp> copy = kernel.clone();
  copy->setName(name);
  std::string text;
  llvm::raw_string_ostream os(text);
  // Outside of its module the kernel does not verify, and would be printed in
  // generic form.
  copy->print(os, OpPrintingFlags().useLocalScope().assumeVerified());
  return text;
}

/// The name of the replaced kernel: "for_" and the digits of its text.
static std::string placeOf(gpu::GPUFuncOp built) {
  uint64_t hash = llvm::xxh3_64bits(textOf(built, "built"));
  return "for_" + llvm::utohexstr(hash, /*LowerCase=*/true, /*Width=*/16);
}

namespace {
/// Tests whether two values are the same formula of the arguments of their
/// epilogues and kernels, in any place and order of computation.
class SameFormulas {
public:
  bool operator()(Value left, Value right) {
    auto [at, isNew] = pairs.try_emplace(left, right);
    if (!isNew && at->second == right)
      return true;
    if (!areSame(left, right))
      return pairs.erase(left), false;
    return true;
  }

private:
  bool areSame(Value left, Value right) {
    auto argument = dyn_cast<BlockArgument>(left);
    if (auto other = dyn_cast<BlockArgument>(right); argument || other)
      return argument && other &&
             argument.getArgNumber() == other.getArgNumber() &&
             parentOf(argument) == parentOf(other);
    Operation *one = left.getDefiningOp(), *other = right.getDefiningOp();
    return isPure(one) && one->getNumRegions() == 0 &&
           one->getName() == other->getName() &&
           one->getAttrDictionary() == other->getAttrDictionary() &&
           one->getResultTypes() == other->getResultTypes() &&
           one->getNumOperands() == other->getNumOperands() &&
           cast<OpResult>(left).getResultNumber() ==
               cast<OpResult>(right).getResultNumber() &&
           llvm::all_of(llvm::zip(one->getOperands(), other->getOperands()),
                        [&](auto both) {
                          return (*this)(std::get<0>(both), std::get<1>(both));
                        });
  }
  static OperationName parentOf(BlockArgument argument) {
    return argument.getOwner()->getParentOp()->getName();
  }

  DenseMap<Value, Value> pairs; ///< that are the same, as far as is known
};
} // namespace

static Value resultOf(kernel::EpilogueOp op) {
  return cast<kernel::YieldOp>(op.getBody().front().getTerminator()).getValue();
}

/// A proof tries some values, and a comparison ("above 1000?") may have results
/// that none of them gives. So the epilogue must be the built one.
static LogicalResult verifyEpilogues(gpu::GPUFuncOp written,
                                     gpu::GPUFuncOp built) {
  SmallVector<kernel::EpilogueOp> known;
  built.walk([&](kernel::EpilogueOp op) { known.push_back(op); });
  return failure(written
                     .walk([&](kernel::EpilogueOp op) {
                       if (llvm::any_of(known, [&](kernel::EpilogueOp one) {
                             return SameFormulas()(resultOf(op), resultOf(one));
                           }))
                         return WalkResult::advance();
                       op.emitOpError()
                           << "expected the arithmetic of the kernel that was "
                              "built, but got other; a whole kernel may move "
                              "arithmetic, but not change it";
                       return WalkResult::interrupt();
                     })
                     .wasInterrupted());
}

/// Without a trusted source, every op must be one that the proof models.
static LogicalResult verifyModelled(gpu::GPUFuncOp written) {
  Operation *op = kernel::firstUnmodelled(written);
  if (!op)
    return success();
  return op->emitError() << "expected an op that is simulated, but got '"
                         << op->getName()
                         << "'; a whole kernel has ops of the kernel dialect, "
                            "loops, branches and integers";
}

/// Checks the properties that a plan relies on but the text does not show.
static LogicalResult
verifyAlike(gpu::GPUFuncOp written, gpu::GPUFuncOp built,
            llvm::function_ref<InFlightDiagnostic()> fail) {
  if (written.getFunctionType() != built.getFunctionType())
    return fail() << "expected a kernel of type " << built.getFunctionType()
                  << ", as its plan launches, but got "
                  << written.getFunctionType();
  if (!written.isKernel() ||
      written.getKnownBlockSizeAttr() != built.getKnownBlockSizeAttr())
    return fail() << "expected a kernel of " << built.getKnownBlockSizeAttr()
                  << " threads, but got " << written.getKnownBlockSizeAttr();
  return verifyEpilogues(written, built);
}

FailureOr<WholeKernel> hone::wholeKernelFrom(gpu::GPUFuncOp written,
                                             gpu::GPUFuncOp built) {
  auto fail = [&] { return written.emitOpError(); };
  if (failed(verifyModelled(written)) ||
      failed(verifyAlike(written, built, fail)))
    return failure();
  WholeKernel kernel = WholeKernel::of(textOf(written, placeOf(built)));
  if (std::optional<std::string> fault = faultOf(kernel))
    return fail() << *fault;
  return kernel;
}

//===----------------------------------------------------------------------===//
// In a module
//===----------------------------------------------------------------------===//

static WholeKernelOp find(ModuleOp module, StringRef name) {
  for (auto op : module.getOps<WholeKernelOp>())
    if (op.getId() == name)
      return op;
  return nullptr;
}

bool hone::hasWholeKernel(ModuleOp module, StringRef name) {
  return bool(find(module, name));
}

void hone::addWholeKernel(ModuleOp module, const WholeKernel &kernel) {
  if (hasWholeKernel(module, kernel.name))
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  WholeKernelOp::create(builder, module.getLoc(), kernel);
}

void hone::eraseWholeKernels(ModuleOp module) {
  for (auto op : llvm::make_early_inc_range(module.getOps<WholeKernelOp>()))
    op.erase();
}

//===----------------------------------------------------------------------===//
// Placing
//===----------------------------------------------------------------------===//

/// Parses the text, within a module, with errors at its lines.
static OwningOpRef<ModuleOp> parseText(MLIRContext *context,
                                       const WholeKernel &kernel) {
  // Keeps the text's line numbers in diagnostics.
  std::string text = "gpu.module @whole { " + kernel.text + "\n}\n";
  OwningOpRef<ModuleOp> module;
  bool isRead = endsByItself([&] {
    module =
        parseSourceString<ModuleOp>(text, ParserConfig(context), kernel.name);
  });
  return isRead ? std::move(module) : nullptr;
}

static gpu::GPUFuncOp onlyKernel(ModuleOp module);

/// Parses the text in a context that has only the dialects of kernels, and
/// their dependencies.
std::optional<std::string> hone::faultOfText(const WholeKernel &kernel) {
  if (std::optional<TooMuch> found = tooMuchOf(kernel.text))
    return "line " + std::to_string(found->line) + ": " + found->what;
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, gpu::GPUDialect, kernel::KernelDialect,
                  math::MathDialect, NVVM::NVVMDialect, scf::SCFDialect,
                  vector::VectorDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream os(said);
    if (said.empty())
      os << placePrefix(diagnostic.getLocation()) << diagnostic;
    return success();
  });
  OwningOpRef<ModuleOp> module = parseText(&context, kernel);
  if (!module)
    return said.empty() ? "it does not parse" : said;
  gpu::GPUFuncOp written = onlyKernel(*module);
  if (!written)
    return "expected one gpu.func, but got something else";
  return failed(verifyModelled(written)) ? said : kernel::faultOfBlock(written);
}

/// The only kernel of the text.
static gpu::GPUFuncOp onlyKernel(ModuleOp module) {
  auto gpuModule = *module.getOps<gpu::GPUModuleOp>().begin();
  auto kernels = gpuModule.getOps<gpu::GPUFuncOp>();
  bool isOnly = llvm::hasSingleElement(*gpuModule.getBody()) &&
                llvm::hasSingleElement(*module.getBody());
  return isOnly && !kernels.empty() ? *kernels.begin() : nullptr;
}

LogicalResult hone::placeWholeKernel(gpu::GPUFuncOp built,
                                     const Schedule &schedule) {
  std::optional<std::string> name = wholeKernelOf(schedule);
  if (!name)
    return success();
  auto fail = [&] { return built.emitOpError() << "whole(" << *name << "): "; };
  WholeKernelOp op = find(built->getParentOfType<ModuleOp>(), *name);
  if (!op)
    return fail() << "expected hone.kernel \"" << *name
                  << "\" in the module, but got none; use the database or "
                     "tuning file that has it";
  WholeKernel kernel = op.getKernel();
  if (std::optional<std::string> fault = faultOfText(kernel))
    return fail() << "expected kernel IR, but got: " << *fault;
  OwningOpRef<ModuleOp> module = parseText(built.getContext(), kernel);
  if (!module)
    return failure(); // with the error that it reported here
  gpu::GPUFuncOp written = onlyKernel(*module);
  std::string place = placeOf(built);
  if (written.getName() != place)
    return fail() << "expected a kernel that replaces '" << place
                  << "', but got one for '" << written.getName()
                  << "': another problem, another plan or another hone";
  if (failed(verifyAlike(written, built, fail)))
    return failure();
  written->remove();
  written.setName(built.getName());
  OpBuilder(built).insert(written);
  built.erase();
  return success();
}
