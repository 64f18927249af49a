//===- Launch.cpp - Launch of a rest kernel -------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Launch.h. Names of a plan's arguments: p2 is the address of argument 2,
// p2d0 and p2s0 its extent and stride in dimension 0, x3 the scalar argument 3.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "hone/Runtime/Expression.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::simulate::rest;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

std::optional<Param> rest::parseParam(StringRef name) {
  Param param;
  if (name.consume_front("x"))
    param.kind = Param::scalar;
  else if (!name.consume_front("p"))
    return std::nullopt;
  if (name.consumeInteger(10, param.argument))
    return std::nullopt;
  if (name.empty())
    return param;
  bool isExtent = name.consume_front("d");
  if (param.kind == Param::scalar || (!isExtent && !name.consume_front("s")) ||
      name.consumeInteger(10, param.dim) || !name.empty())
    return std::nullopt;
  param.kind = isExtent ? Param::extent : Param::stride;
  return param;
}

static bool fits(LaunchParam::Kind kind, Type type) {
  switch (kind) {
  case LaunchParam::ptr:
    return isa<LLVM::LLVMPointerType>(type);
  case LaunchParam::i32:
    return type.isInteger(32);
  case LaunchParam::i64:
    return type.isInteger(64);
  case LaunchParam::f32:
    return type.isF32();
  case LaunchParam::tensorMap:
    return false;
  }
  return false;
}

/// True if the function has the argument and dimension of `param`, with a type
/// of this kind.
static bool exists(const Param &param, const Function &function, Type type) {
  func::FuncOp op = function.op();
  if (param.argument >= op.getNumArguments())
    return false;
  Type own = op.getArgumentTypes()[param.argument];
  auto memref = dyn_cast<MemRefType>(own);
  if (param.kind == Param::scalar)
    return !memref && own.isIntOrIndexOrFloat() &&
           (!type.isF32() || own.isF32()) &&
           widthOf(own) <= type.getIntOrFloatBitWidth();
  bool isPointer = isa<LLVM::LLVMPointerType>(type);
  if (!memref || isPointer != (param.kind == Param::address))
    return false;
  return isPointer ||
         (type.isInteger(64) && int64_t(param.dim) < memref.getRank());
}

static llvm::Error readParams(gpu::GPUFuncOp kernel, const KernelLaunch &launch,
                              const Function &function, Launch &result) {
  auto types = kernel.getArgumentTypes();
  if (types.size() != launch.params.size())
    return llvm::createStringError(
        formatv("expected {0} parameters, but got {1}", types.size(),
                launch.params.size()));
  for (auto [type, given] : llvm::zip_equal(types, launch.params)) {
    auto param = parseParam(given.value.name());
    if (!param || !fits(given.kind, type) || !exists(*param, function, type))
      return llvm::createStringError(
          "expected a parameter of its function, but got '" +
          given.value.str() + "'");
    result.params.push_back(*param);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

/// The extent that a plan's argument of this name stands for.
static std::optional<Polynomial> extentNamed(StringRef name,
                                             const Function &function) {
  auto param = parseParam(name);
  if (!param || param->kind != Param::extent)
    return std::nullopt;
  for (const Array &array : function.arrays())
    if (array.table.empty() && array.argument == param->argument &&
        param->dim < array.extents.size())
      return array.extents[param->dim];
  return std::nullopt;
}

static GridNumber exactly(const Polynomial &number, const Symbols &symbols) {
  return {number, symbols.isLess(0, number), number.constant()};
}

static std::optional<GridNumber> applyStep(Expression::Op op,
                                           const GridNumber &a,
                                           const GridNumber &b,
                                           const Symbols &symbols) {
  using Op = Expression::Op;
  auto known = [](const GridNumber &x) {
    return x.exact ? x.exact->constant() : std::nullopt;
  };
  if (op == Op::min) {
    GridNumber min = {{}, a.isPositive && b.isPositive, {}};
    for (const auto &last : {a.last, b.last})
      if (last)
        min.last = std::min(*last, min.last.value_or(*last));
    if (known(a) && known(b))
      return exactly(std::min(*known(a), *known(b)), symbols);
    return min;
  }
  if (!a.exact || !b.exact)
    return std::nullopt;
  if (op == Op::add)
    return exactly(*a.exact + *b.exact, symbols);
  if (op == Op::sub)
    return exactly(*a.exact - *b.exact, symbols);
  if (op == Op::mul)
    return exactly(*a.exact * *b.exact, symbols);
  if (op != Op::ceildiv || known(b).value_or(0) <= 0)
    return std::nullopt;
  if (known(a))
    return exactly(llvm::divideCeilSigned(*known(a), *known(b)), symbols);
  return GridNumber{{}, a.isPositive, {}};
}

static std::optional<GridNumber> readGrid(const PlanFormula &formula,
                                          const Function &function,
                                          const Symbols &symbols) {
  if (std::optional<int64_t> number = formula.number())
    return exactly(*number, symbols);
  if (formula.op() == Expression::Op::push) {
    auto extent = extentNamed(formula.name(), function);
    return extent ? std::optional(exactly(*extent, symbols)) : std::nullopt;
  }
  auto a = readGrid(formula.left(), function, symbols);
  auto b = readGrid(formula.right(), function, symbols);
  return a && b ? applyStep(formula.op(), *a, *b, symbols) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// Reads the promises of a guard: `p0 % 16 == 0 && p0s0 >= 0 && ...`.
static void readGuard(const PlanFormula &guard, const Function &function,
                      Launch &launch, Symbols &symbols) {
  for (const PlanFormula &condition : conjuncts(guard)) {
    if (!condition.right().isNumber(0))
      continue;
    PlanFormula left = condition.left();
    if (condition.op() == Expression::Op::ge) {
      auto param = parseParam(left.name());
      if (!param || param->kind != Param::stride)
        continue;
      for (const Array &array : function.arrays())
        if (array.table.empty() && array.argument == param->argument)
          if (auto open = array.openStrides.find(param->dim);
              open != array.openStrides.end())
            symbols.promiseNonNegative(open->second);
    } else if (condition.op() == Expression::Op::eq &&
               left.op() == Expression::Op::mod) {
      auto param = parseParam(left.left().name());
      if (!param || param->kind != Param::address)
        continue;
      if (int64_t align = left.right().number().value_or(0); align > 0) {
        int64_t &known = launch.aligns[param->argument];
        known = std::max(known, align);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

llvm::Expected<Launch>
hone::simulate::rest::readLaunch(const Subject &subject, Symbols &symbols,
                                 const Function &function) {
  const PlanAlternative &alternative =
      subject.plan.alternatives[subject.alternative];
  const KernelLaunch &given = alternative.launches[subject.launch];
  gpu::GPUFuncOp kernel = subject.kernel;
  Launch launch;
  if (alternative.launches.size() != 1 || !alternative.decisions.empty() ||
      !alternative.extent.empty() || !alternative.workspaceBytes.empty())
    return llvm::createStringError(
        "expected one launch for any extents, without a workspace");
  if (given.sharedBytes)
    return llvm::createStringError(
        formatv("expected no dynamic shared memory, but got {0} bytes",
                given.sharedBytes));
  if (llvm::Error error = readParams(kernel, given, function, launch))
    return std::move(error);
  auto size = kernel.getKnownBlockSize();
  if (!size || size->size() != 3 || (*size)[0] <= 0 || (*size)[0] > 1024 ||
      (*size)[0] % 32 || (*size)[1] != 1 || (*size)[2] != 1)
    return llvm::createStringError("expected a block of whole warps");
  launch.threads = (*size)[0];
  if (!given.block[0].isNumber(launch.threads) || !given.block[1].isNumber(1) ||
      !given.block[2].isNumber(1))
    return llvm::createStringError(
        formatv("expected a block of {0} threads, but got '{1}'",
                launch.threads, given.block[0].str()));
  for (int dim : {0, 1, 2})
    if (!given.cluster[dim].isNumber(1) ||
        (dim > 0 && !given.grid[dim].isNumber(1)))
      return llvm::createStringError("expected a grid of single blocks in x");
  auto grid = readGrid(given.grid[0], function, symbols);
  if (!grid)
    return llvm::createStringError("expected a grid that is a formula of "
                                   "extents, but got '" +
                                   given.grid[0].str() + "'");
  launch.grid = *grid;
  readGuard(alternative.guard, function, launch, symbols);
  launch.isProgrammatic = given.programmatic;
  return launch;
}
