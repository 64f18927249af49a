//===- HostProblem.cpp - A matmul to build, run and check -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostProblem.h"
#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/Build/Host/BuildHost.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <random>

using namespace hone;
using namespace hone::test;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// memref<?x?xf32, strided<[?, 1], offset: ?>>; `unit` is the dimension whose
/// stride is 1.
static std::string memrefType(llvm::StringRef element, size_t rank,
                              size_t unit) {
  std::string shape;
  llvm::SmallVector<std::string> strides(rank, "?");
  for (size_t i = 0; i < rank; ++i)
    shape += "?x";
  if (rank)
    strides[unit] = "1";
  return formatv("memref<{0}{1}, strided<[{2}], offset: ?>>", shape, element,
                 llvm::join(strides, ", "));
}

static std::string inputType(llvm::StringRef element, int64_t batch,
                             bool isShared, bool isTurned) {
  size_t rank = batch && !isShared ? 3 : 2;
  return memrefType(element, rank, isTurned ? rank - 2 : rank - 1);
}

static std::string epilogueText(const HostProblem &problem) {
  if (!problem.hasEpilogue)
    return "";
  llvm::SmallVector<std::string> dims;
  for (char dim : problem.operandDims)
    dims.push_back(std::string(1, dim));
  size_t rank = dims.size();
  std::string type = memrefType("f32", rank, rank - 1);
  std::string result = "%1", conversion;
  if (problem.c != "f32") {
    conversion = formatv("%2 = arith.truncf %1 : f32 to {0}", problem.c).str();
    result = "%2";
  }
  return formatv(R"(epilogue(%e[{0}] : {1}) {{
      ^bb0(%sum: f32, %x: f32):
        %least = arith.constant -1.0 : f32
        %0 = arith.addf %sum, %x : f32
        %1 = arith.maximumf %0, %least : f32
        {2}
        hone.yield {3} : {4}
      })",
                 llvm::join(dims, ", "), type, conversion, result, problem.c);
}

std::string HostProblem::text() const {
  std::string typeA = inputType(a, batch, sharedA, turnedA);
  std::string typeB = inputType(b, batch, sharedB, turnedB);
  size_t rankC = batch ? 3 : 2;
  std::string typeC = memrefType(c, rankC, rankC - 1);
  std::string operand;
  if (hasEpilogue)
    operand = ", %e: " +
              memrefType("f32", operandDims.size(), operandDims.size() - 1);
  return formatv(
      R"(func.func @f(%a: {0}, %b: {1}, %c: {2}{3}) {{
      hone.matmul ins({4}%a, {5}%b : {0}, {1}) outs(%c : {2}) init({6}) acc(f32)
        {7} arch(#hone.arch<host>) schedule(#hone.schedule<{8}>)
      return
    })",
      typeA, typeB, typeC, operand, colA ? "col " : "", colB ? "col " : "",
      readsC ? "read" : "zero", epilogueText(*this), schedule);
}

llvm::Expected<std::unique_ptr<Jit>> HostProblem::compile() const {
  mlir::MLIRContext context;
  context.loadDialect<HoneDialect, mlir::arith::ArithDialect,
                      mlir::func::FuncDialect, mlir::math::MathDialect,
                      mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                      mlir::vector::VectorDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text(), &context);
  if (!module)
    return llvm::createStringError("does not parse: " + text());
  llvm::SmallVector<MatmulOp> ops;
  module->walk([&](MatmulOp op) { ops.push_back(op); });
  mlir::IRRewriter rewriter(&context);
  for (MatmulOp op : ops)
    if (failed(buildHostKernel(rewriter, op, op.getScheduleAttr().getValue(),
                               /*fallback=*/false)))
      return llvm::createStringError("does not build: " + text());
  if (failed(module->verify()))
    return llvm::createStringError("does not verify: " + text());
  JitOptions options;
  options.optLevel = optLevel;
  return Jit::create(*module, options);
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

namespace {

/// Elements of one type, at some place in a larger buffer of NaN.
class Matrix {
public:
  /// Sizes without the omitted ones; `unit` is the contiguous dimension.
  Matrix(llvm::StringRef type, llvm::ArrayRef<int64_t> sizes, size_t unit)
      : semantics(type == "f32"   ? llvm::APFloat::IEEEsingle()
                  : type == "f16" ? llvm::APFloat::IEEEhalf()
                                  : llvm::APFloat::BFloat()),
        bytes(type == "f32" ? 4 : 2), sizes(sizes), strides(sizes.size()) {
    constexpr int64_t kGap = 3, kGuard = 64;
    // From the nearest neighbours to the farthest: the unit dimension, then the
    // others from the last to the first.
    llvm::SmallVector<size_t> order;
    for (size_t dim = sizes.size(); dim-- > 0;)
      order.insert(dim == unit ? order.begin() : order.end(), dim);
    int64_t extent = 1;
    for (size_t dim : order) {
      strides[dim] = extent;
      extent = extent * sizes[dim] + kGap;
    }
    first = kGuard;
    data.resize((extent + 2 * kGuard) * bytes);
    for (size_t at = 0; at < data.size() / bytes; ++at)
      put(at, NAN);
  }

  double get(llvm::ArrayRef<int64_t> index) const {
    return read(position(index));
  }
  /// The whole buffer, by `position`.
  std::vector<double> values() const {
    std::vector<double> values(data.size() / bytes);
    for (size_t at = 0; at < values.size(); ++at)
      values[at] = read(at);
    return values;
  }
  size_t position(llvm::ArrayRef<int64_t> index) const {
    size_t at = first;
    for (auto [i, stride] : llvm::zip_equal(index, strides))
      at += i * stride;
    return at;
  }
  int64_t stride(size_t dim) const { return strides[dim]; }
  void set(llvm::ArrayRef<int64_t> index, double value) {
    put(position(index), value);
  }

  /// Calls `visit` for every index.
  template <typename Visitor>
  void forEach(Visitor &&visit) const {
    llvm::SmallVector<int64_t> index(sizes.size());
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    for (int64_t number = 0; number < count; ++number) {
      int64_t rest = number;
      for (size_t i = sizes.size(); i-- > 0; rest /= sizes[i])
        index[i] = rest % sizes[i];
      visit(llvm::ArrayRef<int64_t>(index));
    }
  }

  void addTo(JitArguments &arguments) {
    arguments.addMemRef(&data[first * bytes], sizes, strides);
  }
  /// True if `other` differs from this only in elements, not around them.
  bool hasSameSurroundings(Matrix other) const {
    forEach([&](llvm::ArrayRef<int64_t> index) {
      memcpy(&other.data[position(index) * bytes],
             &data[position(index) * bytes], bytes);
    });
    return data == other.data;
  }
  /// Distance of neighbours near one.
  double epsilon() const {
    return std::ldexp(1.0,
                      1 - int(llvm::APFloat::semanticsPrecision(semantics)));
  }

private:
  double read(size_t at) const {
    uint64_t bits = 0;
    memcpy(&bits, &data[at * bytes], bytes);
    llvm::APFloat value(semantics, llvm::APInt(bytes * 8, bits));
    bool losesInfo;
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  }
  void put(size_t at, double number) {
    llvm::APFloat value(number);
    bool losesInfo;
    value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    uint64_t bits = value.bitcastToAPInt().getZExtValue();
    memcpy(&data[at * bytes], &bits, bytes);
  }

  const llvm::fltSemantics &semantics;
  size_t bytes, first;
  llvm::SmallVector<int64_t> sizes, strides;
  std::vector<char> data;
};

/// The extents of dimensions such as "bmk"; 'b' only if there is a batch.
struct Shape {
  int64_t b, m, n, k;

  llvm::SmallVector<int64_t> of(llvm::StringRef dims) const {
    llvm::SmallVector<int64_t> result;
    for (char dim : dims)
      result.push_back(dim == 'b' ? b : dim == 'm' ? m : dim == 'n' ? n : k);
    return result;
  }
};

} // namespace

static void fill(Matrix &matrix, std::mt19937 &generator, bool isExact) {
  std::normal_distribution<double> normal;
  matrix.forEach([&](llvm::ArrayRef<int64_t> index) {
    matrix.set(index, isExact ? generator() % 2 : normal(generator));
  });
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

std::string HostProblem::run(Jit &jit, const Extents &extents,
                             bool isExact) const {
  Shape shape = {batch, extents.m, extents.n, extents.k};
  auto dimsOf = [&](bool isShared, const char *dims) {
    return (batch && !isShared ? "b" : "") + std::string(dims);
  };
  std::string dimsA = dimsOf(sharedA, colA ? "km" : "mk");
  std::string dimsB = dimsOf(sharedB, colB ? "nk" : "kn");
  std::string dimsC = dimsOf(false, "mn");
  Matrix mA(a, shape.of(dimsA), dimsA.size() - (turnedA ? 2 : 1));
  Matrix mB(b, shape.of(dimsB), dimsB.size() - (turnedB ? 2 : 1));
  Matrix mC(c, shape.of(dimsC), dimsC.size() - 1);
  Matrix mE("f32", shape.of(operandDims), operandDims.size() - 1);
  std::mt19937 generator(7);
  fill(mA, generator, isExact);
  fill(mB, generator, isExact);
  fill(mE, generator, isExact);
  if (readsC)
    fill(mC, generator, isExact);

  Matrix before = mC;
  JitArguments arguments;
  for (Matrix *matrix : {&mA, &mB, &mC})
    matrix->addTo(arguments);
  if (hasEpilogue)
    mE.addTo(arguments);
  if (llvm::Error error = jit.invoke("f", arguments))
    return llvm::toString(std::move(error));
  if (!before.hasSameSurroundings(mC))
    return "wrote outside of the result";

  std::vector<double> valuesA = mA.values(), valuesB = mB.values();
  int64_t stepA = mA.stride(dimsA.find('k')),
          stepB = mB.stride(dimsB.find('k'));
  std::string wrong;
  mC.forEach([&](llvm::ArrayRef<int64_t> index) {
    Shape at = {batch ? index[0] : 0, index[index.size() - 2], index.back(), 0};
    double sum = readsC ? before.get(index) : 0;
    size_t atA = mA.position(at.of(dimsA)), atB = mB.position(at.of(dimsB));
    for (int64_t k = 0; k < extents.k; ++k)
      sum += valuesA[atA + k * stepA] * valuesB[atB + k * stepB];
    if (hasEpilogue)
      sum = std::max(sum + mE.get(at.of(operandDims)), -1.0);
    double tolerance = isExact ? 0
                               : 2e-6 * std::sqrt(extents.k + 1.0) +
                                     mC.epsilon() * std::abs(sum);
    double got = mC.get(index);
    if (!(std::abs(got - sum) <= tolerance) && wrong.empty())
      wrong = formatv("expected {0}, but got {1} at row {2}, column {3}", sum,
                      got, at.m, at.n)
                  .str();
  });
  return wrong;
}
