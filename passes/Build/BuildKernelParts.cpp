//===- BuildKernelParts.cpp - Kernel modules and plans --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the kernel builders: see BuildKernel.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Spelling.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Build/BuildKernel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// KernelModule
//===----------------------------------------------------------------------===//

KernelModule::KernelModule(ModuleOp module, const Arch &arch,
                           StringRef purpose) {
  std::string name = "hone_" + arch.isa;
  if (!purpose.empty())
    name += ("_" + purpose).str();
  if ((op = module.lookupSymbol<gpu::GPUModuleOp>(name)))
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  MLIRContext *context = module.getContext();
  auto target = NVVM::NVVMTargetAttr::get(
      context, /*optLevel=*/3, "nvptx64-nvidia-cuda", arch.isa, arch.features);
  op = gpu::GPUModuleOp::create(builder, module.getLoc(), name,
                                builder.getArrayAttr({target}));
  op->setAttr(kernel::kPlansAttr, builder.getDictionaryAttr({}));
}

void KernelModule::raise(StringRef features) {
  auto target = cast<NVVM::NVVMTargetAttr>(op.getTargetsAttr()[0]);
  // Versions have two digits, so their texts are ordered as they are.
  if (target.getFeatures() >= features)
    return;
  auto raised =
      NVVM::NVVMTargetAttr::get(op.getContext(), target.getO(),
                                target.getTriple(), target.getChip(), features);
  op.setTargetsAttr(ArrayAttr::get(op.getContext(), {raised}));
}

gpu::GPUFuncOp KernelModule::find(StringRef name) {
  return op.lookupSymbol<gpu::GPUFuncOp>(name);
}

gpu::GPUFuncOp KernelModule::create(Location loc, StringRef name,
                                    TypeRange params, int64_t threads) {
  OpBuilder builder = OpBuilder::atBlockEnd(op.getBody());
  auto func = gpu::GPUFuncOp::create(builder, loc, name,
                                     builder.getFunctionType(params, {}));
  func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                builder.getUnitAttr());
  func.setKnownBlockSizeAttr(
      builder.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
  // Without a bound, ptxas aims for an occupancy of its own and spills to reach
  // it.
  func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                builder.getI32IntegerAttr(1));
  return func;
}

/// True if `longer` is `shorter` with more alternatives at the end.
static bool continues(kernel::PlanAttr longer, kernel::PlanAttr shorter) {
  ArrayRef all = longer.getValue().alternatives,
           first = shorter.getValue().alternatives;
  return longer.getValue().args == shorter.getValue().args &&
         all.size() > first.size() && all.take_front(first.size()) == first;
}

FailureOr<SymbolRefAttr> KernelModule::addPlan(Location loc, StringRef wanted,
                                               const LaunchPlan &plan) {
  std::string name = wanted.str();
  NamedAttrList plans(op->getAttrOfType<DictionaryAttr>(kernel::kPlansAttr));
  auto added = kernel::PlanAttr::getChecked([&] { return emitError(loc); },
                                            op.getContext(), plan);
  if (!added)
    return failure();
  auto there = cast_or_null<kernel::PlanAttr>(plans.get(name));
  bool isAnother = there && there != added && !continues(added, there) &&
                   !continues(there, added);
  if (isAnother)
    name += "_" + llvm::utohexstr(llvm::xxh3_64bits(plan.str()),
                                  /*LowerCase=*/true, 16);
  if (!there || isAnother || continues(added, there))
    plans.set(name, added);
  op->setAttr(kernel::kPlansAttr, plans.getDictionary(op.getContext()));
  return SymbolRefAttr::get(op.getSymNameAttr(),
                            {FlatSymbolRefAttr::get(op.getContext(), name)});
}

//===----------------------------------------------------------------------===//
// Names and plans
//===----------------------------------------------------------------------===//

bool hone::isSideBySide(MatmulOp op, int64_t index, char dim) {
  auto type = dyn_cast<MemRefType>(op.getEpilogueOperands()[index].getType());
  size_t at = op.getDimsOf(index).find(dim);
  SmallVector<int64_t> strides;
  int64_t offset;
  return type && at != StringRef::npos &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides[at] == 1;
}

/// " | n1:f32 m:f16": dimensions and element type of each epilogue operand. A 1
/// marks the dimension along which elements are adjacent. The order of use
/// follows, if it differs.
static std::string epilogueOperandsText(MatmulOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [i, operand] : llvm::enumerate(op.getEpilogueOperands())) {
    os << (i ? " " : " | ");
    for (char dim : op.getDimsOf(i))
      os << dim << (isSideBySide(op, i, dim) ? "1" : "");
    os << ":" << cast<ShapedType>(operand.getType()).getElementType();
  }
  if (std::string use = op.getEpilogueUse(); !use.empty())
    os << " used " << use;
  return text;
}

/// " | bh b bh": the batches that A, B and C have, if there are several.
static std::string batchesText(MatmulOp op) {
  if (op.getBatches().size() < 2)
    return "";
  std::string text = " |";
  for (const std::string &letters :
       {op.getLettersA(), op.getLettersB(), op.getLettersC()})
    text += " " + StringRef(letters).drop_back(2).str();
  return text;
}

std::string hone::kernelName(MatmulOp op, const Problem &problem,
                             const Schedule &schedule, StringRef brought) {
  std::string text = problem.open().str() + " | " + compileTimeText(schedule) +
                     epilogueOperandsText(op) + batchesText(op);
  // A plan has the kernel's name, and its guards check facts that types do not
  // prove.
  if (!hasDistinctElements(op.getC().getType()))
    text += " | places of C are asked for";
  if (op.getGather())
    text += " | " +
            std::to_string(op.getIndex().getType().getElementTypeBitWidth());
  if (!brought.empty())
    text += (" | brings " + brought).str();
  std::string hash =
      llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true, 16);
  auto letter = [](const Operand &operand) {
    return operand.order == Order::row ? "n" : "t";
  };
  std::string types = typesOf(problem);
  std::replace_if(
      types.begin(), types.end(),
      [](char character) { return !llvm::isAlnum(character); }, '_');
  return ("hone_" + schedule.kind().name + "_" + types + "_" +
          letter(problem.a) + letter(problem.b) + "_" + hash)
      .str();
}
