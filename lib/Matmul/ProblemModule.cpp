//===- ProblemModule.cpp - Program for a problem --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reverse of hone.matmul's getProblem; a test checks that they agree.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/ProblemModule.h"
#include "dialects/Hone/Hone.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "hone/Driver/Compile.h"
#include "hone/Matmul/Images.h"
#include "hone/Schedule/EpilogueFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "passes/Build/BuildGemm.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using llvm::formatv;

static Type typeOf(MLIRContext *context, const EpilogueType &type) {
  if (type.element)
    return toType(context, *type.element);
  return IntegerType::get(context, type.isTruth() ? 1 : 64);
}

//===----------------------------------------------------------------------===//
// The epilogue
//===----------------------------------------------------------------------===//

namespace {
/// Writes an epilogue's function as the block of a region.
class EpilogueBlock {
public:
  explicit EpilogueBlock(Region &region)
      : context(region.getContext()), loc(region.getLoc()),
        builder(OpBuilder::atBlockEnd(&region.emplaceBlock())) {}

  /// `c` is the stored type.
  void write(const EpilogueFunction &function, ElementType acc, ElementType c);

private:
  Value valueOf(const EpilogueValue &value);
  Value constant(const EpilogueValue &value);
  Value step(const EpilogueValue &value);

  MLIRContext *context;
  Location loc;
  OpBuilder builder;
  SmallVector<Value> values;
};
} // namespace

Value EpilogueBlock::constant(const EpilogueValue &value) {
  Type type = typeOf(context, value.type);
  unsigned bits = type.getIntOrFloatBitWidth();
  APInt number(bits, value.bits);
  TypedAttr attribute;
  if (value.type.isFloat())
    attribute =
        FloatAttr::get(type, APFloat(semanticsOf(*value.type.element), number));
  else
    attribute = IntegerAttr::get(type, number);
  return arith::ConstantOp::create(builder, loc, attribute);
}

/// The attribute of a comparison's predicate, or of a rounding mode.
static NamedAttribute modeOf(MLIRContext *context, const EpilogueValue &step) {
  if (step.op->form != ScalarOp::comparison)
    return {"roundingmode",
            arith::RoundingModeAttr::get(
                context, *arith::symbolizeRoundingMode(step.mode))};
  Attribute predicate;
  if (step.op->ofIntegers)
    predicate = arith::CmpIPredicateAttr::get(
        context, *arith::symbolizeCmpIPredicate(step.mode));
  else
    predicate = arith::CmpFPredicateAttr::get(
        context, *arith::symbolizeCmpFPredicate(step.mode));
  return {"predicate", predicate};
}

Value EpilogueBlock::step(const EpilogueValue &value) {
  OperationState state(loc, value.op->name);
  for (size_t place : value.arguments)
    state.operands.push_back(values[place]);
  state.addTypes(typeOf(context, value.type));
  if (!value.mode.empty())
    state.attributes.push_back(modeOf(context, value));
  if (!value.flags.empty())
    state.addAttribute(
        "fastmath", arith::FastMathFlagsAttr::get(
                        context, *arith::symbolizeFastMathFlags(value.flags)));
  return builder.create(state)->getResult(0);
}

Value EpilogueBlock::valueOf(const EpilogueValue &value) {
  switch (value.kind) {
  case EpilogueValue::sum:
    return builder.getBlock()->getArgument(0);
  case EpilogueValue::operand:
    return builder.getBlock()->addArgument(typeOf(context, value.type), loc);
  case EpilogueValue::constant:
    return constant(value);
  case EpilogueValue::step:
    return step(value);
  }
  llvm_unreachable("a kind of value");
}

void EpilogueBlock::write(const EpilogueFunction &function, ElementType acc,
                          ElementType c) {
  builder.getBlock()->addArgument(toType(context, acc), loc);
  for (const EpilogueValue &value : function.values)
    values.push_back(valueOf(value));
  // The rounding to C's type is not part of the function.
  Value last = values[function.result()];
  Type stored = toType(context, c);
  if (last.getType() != stored)
    last = arith::TruncFOp::create(builder, loc, stored, last);
  YieldOp::create(builder, loc, last);
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

namespace {
/// The types of a program's memrefs. Laws bound the numbers of windows, and a
/// kernel reads these through lines of known alignment, so with windows all
/// extents and strides are known.
class MemrefTypes {
public:
  MemrefTypes(MLIRContext *context, const Problem &problem,
              const std::optional<Window> &image)
      : context(context), problem(problem), image(image) {}

  /// Of the dimensions in `letters`, with lines aligned to `align` bytes. All
  /// strides but the last are unknown.
  Type of(StringRef letters, ElementType type, int64_t align) const;
  Type ofImage() const;

private:
  Type strided(ArrayRef<int64_t> extents, ArrayRef<int64_t> strides,
               ElementType type) const {
    return MemRefType::get(
        extents, toType(context, type),
        StridedLayoutAttr::get(context, /*offset=*/0, strides));
  }

  MLIRContext *context;
  const Problem &problem;
  const std::optional<Window> &image;
};
} // namespace

Type MemrefTypes::of(StringRef letters, ElementType type, int64_t align) const {
  SmallVector<int64_t> extents(letters.size(), ShapedType::kDynamic);
  if (image)
    for (auto [letter, extent] : llvm::zip_equal(letters, extents))
      extent = letter == 'm'   ? problem.m
               : letter == 'n' ? problem.n
                               : problem.k;
  if (letters.size() < 2)
    return MemRefType::get(extents, toType(context, type));
  SmallVector<int64_t> strides(letters.size(), ShapedType::kDynamic);
  strides.back() = 1;
  if (image)
    strides.front() = lineStride(extents.back(), type, align);
  return strided(extents, strides, type);
}

Type MemrefTypes::ofImage() const {
  return strided(
      {image->images, image->h.extent, image->w.extent, image->channels},
      {image->imagePitch, image->h.pitch, image->w.pitch, 1}, problem.a.type);
}

static WindowAttr windowOf(MLIRContext *context, const Window &image) {
  auto along = [&](auto number) -> SmallVector<int64_t> {
    return {number(image.h), number(image.w)};
  };
  using Side = Window::Side;
  return WindowAttr::get(context,
                         along([](const Side &side) { return side.size; }),
                         along([](const Side &side) { return side.step; }),
                         along([](const Side &side) { return side.dilation; }),
                         along([](const Side &side) { return side.low; }),
                         along([](const Side &side) { return *side.high(); }));
}

static std::string lettersOf(StringRef batches, const Operand &operand,
                             StringRef matrix) {
  std::string letters = (operand.shared ? "" : batches).str() + matrix.str();
  if (operand.order == Order::col)
    std::swap(letters[letters.size() - 2], letters.back());
  return letters;
}

/// A function with the matmul of `problem`, whose epilogue is `function`.
static ProblemModule moduleOf(MLIRContext &context, const Problem &problem,
                              const EpilogueFunction &function,
                              StringRef batchesB) {
  size_t count = !problem.batch ? 0 : batchesB.empty() ? 1 : 2;
  StringRef batches = kBatchLetters.take_front(count);
  std::string a = lettersOf(batches, problem.a, "mk");
  std::string b =
      lettersOf(batchesB.empty() ? batches : batchesB, problem.b, "kn");
  std::string c = (batches + "mn").str();

  ProblemModule program;
  std::optional<Window> image = imageOf(problem);
  MemrefTypes memrefs(&context, problem, image);
  SmallVector<Type> types = {
      image ? memrefs.ofImage()
            : memrefs.of(a, problem.a.type, problem.a.align),
      memrefs.of(b, problem.b.type, problem.b.align),
      memrefs.of(c, problem.c, problem.alignC)};
  SmallVector<Attribute> dims;
  for (const EpilogueValue &value : function.values)
    if (value.kind == EpilogueValue::operand) {
      program.operands.push_back({*value.type.element, value.dims});
      types.push_back(memrefs.of(value.dims, *value.type.element, /*align=*/1));
      dims.push_back(DimsAttr::get(&context, value.dims));
    }

  Location loc = UnknownLoc::get(&context);
  program.module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockBegin(program.module->getBody());
  auto main = func::FuncOp::create(builder, loc, "matmul",
                                   builder.getFunctionType(types, {}));
  builder.setInsertionPointToStart(main.addEntryBlock());
  auto arguments = main.getArguments();
  auto matmul = MatmulOp::create(
      builder, loc, TypeRange(), arguments[0], arguments[1], arguments[2],
      ValueRange(arguments.drop_front(3)), Order::row, Order::row, problem.init,
      toType(&context, problem.acc),
      problem.products == Products::exact
          ? ProductsAttr()
          : ProductsAttr::get(&context, problem.products),
      problem.numbers.isDefault() ? NumbersAttr()
                                  : NumbersAttr::get(&context, problem.numbers),
      builder.getArrayAttr(dims), ArchAttr(), ScheduleAttr(), RangesAttr(),
      DimsAttr(), DimsAttr(), DimsAttr(),
      image ? windowOf(&context, *image) : WindowAttr());
  program.matmul = matmul;
  matmul.setLetters(a, b, c);
  if (!problem.epilogue.empty())
    EpilogueBlock(matmul.getEpilogue()).write(function, problem.acc, problem.c);
  // Unknown strides do not express the alignment of lines.
  if (!image && !(problem.open() == problem.open(kBestAlign)))
    matmul->setAttr(kLinesAttr,
                    builder.getDenseI64ArrayAttr(
                        {problem.a.align, problem.b.align, problem.alignC}));
  func::ReturnOp::create(builder, loc);
  return program;
}

llvm::Expected<ProblemModule> ProblemModule::of(MLIRContext &context,
                                                const Problem &problem,
                                                StringRef batchesB) {
  if (problem.isAbbreviated())
    return llvm::createStringError(
        "expected an epilogue that is known as a whole, but got the beginning "
        "and a hash, as older hones kept it; use the program that has it");
  if (problem.readsPlaces() || problem.b.access ||
      (problem.a.access && !imageOf(problem)))
    return llvm::createStringError(
        formatv("expected a problem whose b is a matrix, and whose a is one or "
                "has windows of known numbers, but got {0}; use the program "
                "that has it",
                !problem.readsPlaces()
                    ? problem.str()
                    : "one that reads rows of groups or of an index"));
  EpilogueFunction function;
  if (!problem.epilogue.empty())
    if (llvm::Error error = EpilogueFunction::parse(problem.epilogue, problem)
                                .moveInto(function))
      return std::move(error);
  ProblemModule program = moduleOf(context, problem, function, batchesB);
  if (llvm::Error error = verifyModule(*program.module))
    return std::move(error);
  // Windows may be those of several images; a schedule is for the access.
  if (!(problem.a.access == program.matmul.getImageAccess()))
    return llvm::createStringError(
        "expected windows of an image of their own, but got a = " +
        problem.a.access->str() + "; use the program that has it");
  return program;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::string hone::kernelKey(const Problem &problem, const Schedule &schedule,
                            const Arch &arch) {
  return arch.isa + " | " + problemOfKernel(problem).str() + " | " +
         compileTimeText(schedule);
}
