//===- BuildKernelParts.cpp - What the kernel builders share --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel modules, launch arguments and plan attributes: see BuildKernel.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Spelling.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/BuildKernel.h"
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

void KernelModule::addPlan(StringRef name, const LaunchPlan &plan) {
  NamedAttrList plans(op->getAttrOfType<DictionaryAttr>(kernel::kPlansAttr));
  plans.set(name, planToAttr(op.getContext(), plan));
  op->setAttr(kernel::kPlansAttr, plans.getDictionary(op.getContext()));
}

SymbolRefAttr KernelModule::planRef(StringRef name) {
  return SymbolRefAttr::get(op.getSymNameAttr(),
                            {FlatSymbolRefAttr::get(op.getContext(), name)});
}

//===----------------------------------------------------------------------===//
// LaunchArgs
//===----------------------------------------------------------------------===//

void LaunchArgs::add(StringRef name, Value index) {
  names.push_back(name.str());
  values.push_back(
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index));
}

void LaunchArgs::addAddress(StringRef name, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref);
  auto [strides, offset] = type.getStridesAndOffset();
  if (offset != 0) {
    auto parts = memref::ExtractStridedMetadataOp::create(builder, loc, memref);
    Value size = arith::ConstantIndexOp::create(
        builder, loc, type.getElementType().getIntOrFloatBitWidth() / 8);
    Value bytes = arith::MulIOp::create(builder, loc, parts.getOffset(), size);
    address = arith::AddIOp::create(builder, loc, address, bytes);
  }
  add(name, address);
}

void LaunchArgs::addExtent(StringRef name, Value memref, int64_t dim) {
  add(name, memref::DimOp::create(builder, loc, memref, dim));
}

void LaunchArgs::addExtents(StringRef name, Value memref, int64_t count) {
  Value product = memref::DimOp::create(builder, loc, memref, 0);
  for (int64_t dim = 1; dim < count; ++dim)
    product =
        arith::MulIOp::create(builder, loc, product,
                              memref::DimOp::create(builder, loc, memref, dim));
  add(name, product);
}

void LaunchArgs::addStride(StringRef name, Value memref, int64_t dim) {
  auto [strides, offset] =
      cast<MemRefType>(memref.getType()).getStridesAndOffset();
  if (!ShapedType::isDynamic(strides[dim]))
    return addConstant(name, strides[dim]);
  auto parts = memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  add(name, parts.getStrides()[dim]);
}

void LaunchArgs::addConstant(StringRef name, int64_t value) {
  names.push_back(name.str());
  values.push_back(arith::ConstantOp::create(builder, loc,
                                             builder.getI64IntegerAttr(value)));
}

void LaunchArgs::addWord(StringRef name, Value word) {
  names.push_back(name.str());
  values.push_back(word);
}

kernel::LaunchOp LaunchArgs::launch(RewriterBase &rewriter,
                                    SymbolRefAttr plan) {
  SmallVector<StringRef> keys(names.begin(), names.end());
  return kernel::LaunchOp::create(rewriter, loc, plan,
                                  rewriter.getStrArrayAttr(keys), values);
}

void LaunchArgs::launch(RewriterBase &rewriter, MatmulOp op,
                        SymbolRefAttr plan) {
  kernel::LaunchOp launch = this->launch(rewriter, plan);
  launch->setAttr("hone.problem",
                  ProblemAttr::get(op.getContext(), op.getProblem()));
  launch->setAttr("hone.schedule", op.getScheduleAttr());
  if (RangesAttr ranges = op.getRangesAttr())
    launch->setAttr("hone.ranges", ranges);
  rewriter.eraseOp(op);
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

/// " | n1:f32 m:f16": dimensions and element type of each epilogue operand; 1
/// behind the dimension whose elements lie side by side. Then the order of
/// their use, if it is another.
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

/// " | bh b bh": which of several batches A, B and C have.
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
  // A plan has the kernel's name, and asks at run time what types do not prove.
  if (!hasDistinctElements(op.getC().getType()))
    text += " | places of C are asked for";
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

ArrayAttr hone::planToAttr(MLIRContext *context, const LaunchPlan &plan) {
  std::string text = plan.str();
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return Builder(context).getStrArrayAttr(lines);
}

std::string hone::planText(ArrayAttr lines) {
  std::string text;
  for (auto line : lines.getAsRange<StringAttr>())
    text += line.getValue().str() + "\n";
  return text;
}
