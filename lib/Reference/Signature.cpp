//===- Signature.cpp - Arguments and results of a function ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Signature.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/Signature.h"
#include "dialects/Hone/Hone.h"
#include "hone/Driver/Compile.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <unistd.h>

using namespace mlir;
using namespace hone;

int64_t Argument::elements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

int64_t Argument::extent() const {
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    if (size == 0)
      return 0;
    last += (size - 1) * stride;
  }
  return last + 1;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// True if the first op on the argument's elements writes all of them.
static bool isWrittenFirst(BlockArgument argument) {
  Operation *first = nullptr;
  for (Operation *user : argument.getUsers()) {
    if (user->getName().getStringRef().ends_with(".dim"))
      continue;
    if (user->getBlock() != argument.getOwner())
      return false;
    if (!first || user->isBeforeInBlock(first))
      first = user;
  }
  if (auto matmul = dyn_cast_or_null<MatmulOp>(first))
    return matmul.getC() == argument && matmul.getInit() == Init::zero &&
           matmul.getA() != argument && matmul.getB() != argument &&
           !llvm::is_contained(matmul.getEpilogueOperands(), argument);
  auto fill = dyn_cast_or_null<linalg::FillOp>(first);
  return fill && fill.getOutputs()[0] == argument;
}

/// True if the argument has the ends of ragged rows.
static bool areEnds(BlockArgument argument) {
  return llvm::any_of(argument.getUsers(), [&](Operation *user) {
    auto matmul = dyn_cast<MatmulOp>(user);
    return matmul && matmul.getEnds() == argument;
  });
}

/// Strides and offset; if the type leaves them dynamic, those of a matrix
/// without gaps at the start of its memory.
static llvm::Expected<std::pair<std::vector<int64_t>, int64_t>>
layoutOf(Type type, ArrayRef<int64_t> sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * sizes[i];
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return std::pair(strides, int64_t(0));
  SmallVector<int64_t> given;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(given, offset)))
    return llvm::createStringError(
        "expected a memref whose layout is strided, but got an affine map");
  for (size_t i = sizes.size(); i-- > 0;) {
    if (!ShapedType::isDynamic(given[i]))
      strides[i] = given[i];
    else if (i + 1 < sizes.size())
      strides[i] = strides[i + 1] * sizes[i + 1];
  }
  return std::pair(strides, ShapedType::isDynamic(offset) ? 0 : offset);
}

int64_t hone::bytesOfMachine() {
  return int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

/// The bytes between the first element and the end of the last, or none if this
/// machine cannot address as many.
static std::optional<int64_t> bytesOf(const Argument &argument) {
  int64_t span = 1;
  for (auto [size, stride] : llvm::zip(argument.sizes, argument.strides)) {
    int64_t steps, min = INT64_MIN;
    if (size == 0)
      return 0;
    if (stride == min ||
        __builtin_mul_overflow(size - 1, std::abs(stride), &steps) ||
        __builtin_add_overflow(span, steps, &span))
      return std::nullopt;
  }
  int64_t bytes;
  if (__builtin_mul_overflow(span, argument.element.bytes(), &bytes) ||
      bytes > bytesOfMachine())
    return std::nullopt;
  return bytes;
}

/// The product of the sizes must not overflow, because strides are computed
/// from it.
static bool isCountable(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    if (size < 0 ||
        __builtin_mul_overflow(count, std::max<int64_t>(size, 1), &count))
      return false;
  return true;
}

static llvm::Expected<Argument> readArgument(BlockArgument value,
                                             const Dims &dims) {
  Argument argument;
  auto shaped = dyn_cast<ShapedType>(value.getType());
  Type element = shaped ? shaped.getElementType() : value.getType();
  std::optional<Element> known = Element::of(element);
  if (!known || (shaped && !shaped.hasRank())) {
    std::string text;
    llvm::raw_string_ostream(text) << value.getType();
    return llvm::createStringError(llvm::formatv(
        "expected argument {0} to be a ranked tensor, a memref or a scalar of "
        "{1}, but got {2}",
        value.getArgNumber(), Element::kTypes, text));
  }
  argument.element = *known;
  argument.isScalar = !shaped;
  if (known->isInteger())
    argument.range = findRange(value, dims), argument.isSorted = areEnds(value);
  else
    argument.isPositive = isRootTaken(value);
  if (!shaped)
    return argument;
  for (int64_t dim = 0; dim < shaped.getRank(); ++dim)
    argument.sizes.push_back(dims.sizeOf(value, dim));
  auto tooLarge = [&] {
    return llvm::createStringError(llvm::formatv(
        "expected argument {0} to fit into this machine's memory, but got "
        "{1:$[ x ]} "
        "elements",
        value.getArgNumber(),
        llvm::make_range(argument.sizes.begin(), argument.sizes.end())));
  };
  if (!isCountable(argument.sizes))
    return tooLarge();
  auto layout = layoutOf(shaped, argument.sizes);
  if (!layout)
    return layout.takeError();
  std::tie(argument.strides, argument.offset) = std::move(*layout);
  if (!bytesOf(argument))
    return tooLarge();
  argument.isOutput = isWrittenFirst(value);
  argument.isTensor = isa<TensorType>(value.getType());
  return argument;
}

static llvm::Expected<Signature::Result> readResult(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  std::optional<Element> element =
      shaped ? Element::of(shaped.getElementType()) : std::nullopt;
  if (element && shaped.hasRank())
    return Signature::Result{*element, size_t(shaped.getRank())};
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return llvm::createStringError(
      llvm::formatv("expected results that are ranked tensors or memrefs of "
                    "{0}, but got {1}",
                    Element::kTypes, text));
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

static llvm::Expected<func::FuncOp> findFunction(ModuleOp module,
                                                 StringRef name) {
  std::vector<func::FuncOp> found;
  std::vector<std::string> names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration() || !function.isPublic())
      continue;
    names.push_back(function.getName().str());
    if (name.empty() || function.getName() == name)
      found.push_back(function);
  }
  if (found.size() == 1)
    return found.front();
  std::string list = names.empty() ? "none" : llvm::join(names, ", ");
  if (!name.empty())
    return llvm::make_error<RequestError>(
        llvm::formatv("expected a public function of the module ({0}), but got "
                      "'{1}'",
                      list, name));
  std::string which = llvm::formatv(
      "expected one public function with a body, but got {0}; use --function",
      list);
  if (names.empty())
    return llvm::createStringError(which);
  return llvm::make_error<RequestError>(which);
}

/// Adds up the sizes of all matmuls. An unknown extent counts as the largest
/// extent of any argument.
static void addWork(func::FuncOp function, const Dims &dims,
                    Signature &signature) {
  int64_t largest = 1;
  for (const Argument &argument : signature.arguments)
    for (int64_t size : argument.sizes)
      largest = std::max(largest, size);
  function.walk([&](MatmulOp op) {
    auto extent = [&](char letter) {
      for (const auto &[value, letters] :
           {std::pair<Value, std::string>(
                op.getA(), op.getWindow() ? "" : op.getLettersA()),
            {op.getB(), op.getLettersB()},
            {op.getC(), op.getLettersC()}})
        if (size_t dim = letters.find(letter); dim != std::string::npos)
          if (int64_t size = dims.sizeOf(value, dim); size >= 0)
            return size;
      return largest;
    };
    double macs = extent('k');
    for (char letter : op.getLettersC())
      macs *= extent(letter);
    ++signature.matmuls;
    signature.macs += macs;
  });
}

/// The only matmul of a function whose result is that matmul's, or which leaves
/// it in its last argument.
static std::optional<PlainProduct> findProduct(func::FuncOp function,
                                               const Dims &dims) {
  SmallVector<MatmulOp> ops;
  function.walk([&](MatmulOp op) { ops.push_back(op); });
  if (ops.size() != 1 || ops[0].isBatched() || ops[0].getWindow() ||
      ops[0].hasEpilogue() || ops[0].getInit() != Init::zero)
    return std::nullopt;
  MatmulOp op = ops[0];
  auto a = dyn_cast<BlockArgument>(op.getA());
  auto b = dyn_cast<BlockArgument>(op.getB());
  auto results = function.getBody().back().getTerminator()->getOperands();
  if (!a || !b || results.size() != 1 || !op.hasTensors() ||
      results[0] != op->getResult(0))
    return std::nullopt;
  bool colA = op.getOrderA() == Order::col;
  bool colB = op.getOrderB() == Order::col;
  return PlainProduct{a.getArgNumber(),
                      b.getArgNumber(),
                      colA,
                      colB,
                      dims.sizeOf(a, op.getLettersA().find('m')),
                      dims.sizeOf(b, op.getLettersB().find('n')),
                      dims.sizeOf(a, op.getLettersA().find('k')),
                      op.getProblem().c,
                      op.getProblem().products};
}

char RequestError::ID = 0;

llvm::Expected<Signature> Signature::read(ModuleOp module, StringRef name,
                                          ArrayRef<int64_t> values,
                                          const MatchOptions &permitted) {
  OwningOpRef<ModuleOp> matched = module.clone();
  if (llvm::Error error = runPasses(*matched, [&](OpPassManager &pm) {
        pm.addPass(createMatch(permitted));
      }))
    return std::move(error);
  llvm::Expected<func::FuncOp> function = findFunction(*matched, name);
  if (!function)
    return function.takeError();

  Dims dims(*function);
  if (llvm::Error error = dims.assign(values))
    return llvm::make_error<RequestError>(llvm::toString(std::move(error)));
  Signature signature;
  signature.name = function->getName().str();
  for (BlockArgument value : function->getArguments()) {
    llvm::Expected<Argument> argument = readArgument(value, dims);
    if (!argument)
      return argument.takeError();
    signature.arguments.push_back(std::move(*argument));
  }
  for (Type type : function->getResultTypes()) {
    llvm::Expected<Result> result = readResult(type);
    if (!result)
      return result.takeError();
    signature.results.push_back(*result);
  }
  addWork(*function, dims, signature);
  signature.product = findProduct(*function, dims);
  return signature;
}
