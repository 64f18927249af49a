//===- BuildHost.cpp - Calls of host kernels ------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds or writes the kernel of a matmul and calls it. Two matmuls share a
// kernel if they have the same problem and schedule, apart from extents and
// alignment, with operands of the same generalized types. The function carries
// both as attributes, so the IR describes each kernel.
//
//===----------------------------------------------------------------------===//

#include "passes/Build/Host/BuildHost.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/Build/Host/BuildHostParts.h"
#include <numeric>

using namespace mlir;
using namespace hone;
using namespace hone::host;

static constexpr llvm::StringLiteral kProblemName = "hone.problem";
static constexpr llvm::StringLiteral kScheduleName = "hone.schedule";
static constexpr llvm::StringLiteral kArchName = "hone.arch";
static constexpr llvm::StringLiteral kDimsName = "hone.epilogue_dims";
static constexpr llvm::StringLiteral kOrdersName = "hone.orders";

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

FailureOr<MemRefType> host::generalize(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return failure();
  // If several strides are 1, vectors run along the last.
  auto unit = llvm::find(llvm::reverse(strides), 1);
  for (auto it = strides.rbegin(); it != strides.rend(); ++it)
    if (it != unit)
      *it = ShapedType::kDynamic;
  SmallVector<int64_t> shape(type.getRank(), ShapedType::kDynamic);
  auto layout =
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides);
  return MemRefType::get(shape, type.getElementType(), layout,
                         type.getMemorySpace());
}

MemRefType host::dropBatches(MemRefType type, StringRef letters) {
  if (letters.find_first_of(kBatchLetters) == StringRef::npos)
    return type;
  auto layout = cast<StridedLayoutAttr>(type.getLayout());
  SmallVector<int64_t> shape, strides;
  for (auto [dim, letter] : llvm::enumerate(letters)) {
    if (kBatchLetters.contains(letter))
      continue;
    shape.push_back(type.getDimSize(dim));
    strides.push_back(layout.getStrides()[dim]);
  }
  return MemRefType::get(
      shape, type.getElementType(),
      StridedLayoutAttr::get(type.getContext(), layout.getOffset(), strides),
      type.getMemorySpace());
}

bool host::Kernel::keepsSums() const {
  if (!c.getElementType().isF32())
    return true;
  return llvm::any_of(epilogueDims, [](StringRef dims) {
    return dims.contains('m') && dims.contains('n');
  });
}

//===----------------------------------------------------------------------===//
// Finding and writing
//===----------------------------------------------------------------------===//

static FailureOr<Kernel> describe(MatmulOp op) {
  Kernel kernel;
  kernel.op = op;
  if (!op.getArch() || !op.getSchedule())
    return op.emitOpError("expected an arch and a schedule; run "
                          "hone-select-schedule first");
  Schedule schedule = op.getSchedule()->getValue();
  if (!Host::are(schedule))
    return op.emitOpError("expected a schedule of kind 'host', but got '")
           << schedule.kind().name << "'; use arch 'host' only with that kind";
  kernel.knobs = Host(schedule);
  int64_t widest = op.getArch()->getValue().vectorBits / 32;
  kernel.lanes = std::gcd(kernel.microN(), std::max<int64_t>(widest, 1));

  SmallVector<MemRefType> types;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    FailureOr<MemRefType> general = failure();
    if (type)
      general = generalize(type);
    if (failed(general))
      return op.emitOpError("expected strided memrefs, but got ")
             << operand.getType() << "; use one-shot-bufferize first";
    types.push_back(*general);
  }
  kernel.a = types[0], kernel.b = types[1], kernel.c = types[2];
  kernel.lettersA = op.getLettersA();
  kernel.lettersB = op.getLettersB();
  kernel.lettersC = op.getLettersC();
  kernel.epilogue.assign(types.begin() + 3, types.end());
  for (unsigned i = 0; i < kernel.epilogue.size(); ++i)
    kernel.epilogueDims.push_back(op.getDimsOf(i));
  return kernel;
}

/// The kernel's name before it is made unique: the types that it computes on.
static std::string baseName(const Problem &problem) {
  SmallVector<StringRef> types = {toString(problem.a.type)};
  if (problem.b.type != problem.a.type || problem.c != problem.a.type)
    types.append({toString(problem.b.type), toString(problem.c)});
  return "hone_host_" + llvm::join(types, "_");
}

/// An existing function of the module that is this kernel.
static func::FuncOp find(ModuleOp module, FunctionType type,
                         ArrayRef<NamedAttribute> identity) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.getFunctionType() == type &&
        llvm::all_of(identity, [&](NamedAttribute attribute) {
          return function->getDiscardableAttr(attribute.getName()) ==
                 attribute.getValue();
        }))
      return function;
  return nullptr;
}

/// A symbol that neither the kernel nor its parts (`<name>_pack_a`, ...) share
/// with the module.
static std::string uniqueName(ModuleOp module, const std::string &base) {
  auto isTaken = [&](const std::string &name) {
    return llvm::any_of(
        ArrayRef<StringRef>{"", "_pack_a", "_pack_b", "_multiply", "_store"},
        [&](StringRef part) { return module.lookupSymbol(name + part.str()); });
  };
  std::string name = base;
  for (unsigned i = 0; isTaken(name); ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

static func::FuncOp findOrBuild(RewriterBase &rewriter, Kernel &kernel) {
  MatmulOp op = kernel.op;
  auto module = op->getParentOfType<ModuleOp>();
  MLIRContext *context = op.getContext();
  Problem problem = op.getProblem().open(/*align=*/1);
  SmallVector<NamedAttribute> identity = {
      rewriter.getNamedAttr(kArchName, *op.getArch()),
      rewriter.getNamedAttr(kProblemName, ProblemAttr::get(context, problem)),
      rewriter.getNamedAttr(kScheduleName, *op.getSchedule())};
  // The body also depends on the roles of a type's dimensions. The problem's
  // text only has the order in memory, and a single column is in both orders.
  std::string orders =
      (toString(op.getOrderA()) + " " + toString(op.getOrderB())).str();
  // With several batches, the ranks do not determine the batches of a matrix.
  if (op.getBatches().size() > 1)
    orders += " " + kernel.lettersA + " " + kernel.lettersB;
  // The numbers of a window are constants of the packing.
  if (WindowAttr window = op.getWindowAttr())
    llvm::raw_string_ostream(orders) << " " << window;
  // The problem's text does not have the order of the operands.
  if (std::string use = op.getEpilogueUse(); !use.empty())
    orders += " used " + use;
  if (!kernel.epilogue.empty())
    identity.push_back(
        rewriter.getNamedAttr(kDimsName, op.getEpilogueDimsAttr()));
  identity.push_back(
      rewriter.getNamedAttr(kOrdersName, rewriter.getStringAttr(orders)));

  SmallVector<Type> types = {kernel.a, kernel.b, kernel.c};
  llvm::append_range(types, kernel.epilogue);
  if (auto function =
          find(module, rewriter.getFunctionType(types, {}), identity))
    return function;

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(module.getBody());
  kernel.name = uniqueName(module, baseName(problem));
  ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
  func::FuncOp function = buildLoops(builder, kernel);
  for (NamedAttribute attribute : identity)
    function->setDiscardableAttr(attribute.getName(), attribute.getValue());
  return function;
}

LogicalResult hone::buildHostKernel(RewriterBase &rewriter, MatmulOp op,
                                    const Schedule &, bool) {
  FailureOr<Kernel> kernel = describe(op);
  if (failed(kernel))
    return failure();
  func::FuncOp function = findOrBuild(rewriter, *kernel);

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> operands;
  for (auto [operand, type] :
       llvm::zip_equal(op->getOperands(), function.getArgumentTypes()))
    operands.push_back(
        operand.getType() == type
            ? operand
            : memref::CastOp::create(rewriter, op.getLoc(), type, operand));
  func::CallOp::create(rewriter, op.getLoc(), function, operands);
  rewriter.eraseOp(op);
  return success();
}
