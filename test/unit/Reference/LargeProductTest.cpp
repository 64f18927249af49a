//===- LargeProductTest.cpp - Tests of the check of large products --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Correct results, and the same with one planted mistake of a kernel, checked
// in both ways: by samples and projections, as on the host, and against a
// reference whose products an engine computes, as on a GPU. The engine is a
// model of the GPU's arithmetic on this CPU, and a GPU where there is one.
//
//===----------------------------------------------------------------------===//

#include "hone/Driver/Compile.h"
#include "hone/Numerics/Tolerance.h"
#include "hone/Reference/DeviceProducts.h"
#include "hone/Reference/RandomData.h"
#include "hone/Reference/Reference.h"
#include "hone/Reference/Samples.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <cmath>
#include <functional>

using namespace hone;

namespace {

constexpr int64_t kLargeM = 130, kLargeN = 200, kLargeK = 160;

/// A result of `batches` matrices.
struct Result {
  Values &elements;
  int64_t batches;

  double &at(int64_t batch, int64_t row, int64_t col) const {
    return elements[(batch * kLargeM + row) * kLargeN + col];
  }
  double &last(int64_t row, int64_t col) const {
    return at(batches - 1, row, col);
  }
};

using Plant = std::function<void(const Result &)>;
const std::pair<const char *, Plant> kPlants[] = {
    {"one element",
     [](const Result &c) {
       c.at(0, 77, 131) += 3 * std::sqrt(double(kLargeK));
     }},
    {"the last element",
     [](const Result &c) {
       c.last(kLargeM - 1, kLargeN - 1) += 3 * std::sqrt(double(kLargeK));
     }},
    {"the last row, of the row before",
     [](const Result &c) {
       for (int64_t col = 0; col < kLargeN; ++col)
         c.last(kLargeM - 1, col) = c.last(kLargeM - 2, col);
     }},
    {"the last column, not written",
     [](const Result &c) {
       for (int64_t row = 0; row < kLargeM; ++row)
         c.last(row, kLargeN - 1) = NAN;
     }},
    {"a tile, turned around",
     [](const Result &c) {
       for (int64_t row = 48; row < 64; ++row)
         for (int64_t col = 96; col < 96 + row - 48; ++col)
           std::swap(c.last(row, col), c.last(48 + col - 96, 96 + row - 48));
     }},
    {"a tile, of its neighbour",
     [](const Result &c) {
       for (int64_t row = 64; row < 80; ++row)
         for (int64_t col = 128; col < 144; ++col)
           c.last(row, col) = c.last(row - 16, col);
     }},
    {"a NaN", [](const Result &c) { c.last(kLargeM - 1, 0) = NAN; }},
    {"an infinity",
     [](const Result &c) { c.at(0, 0, kLargeN - 1) = HUGE_VAL; }}};

/// These plants need more than one matrix.
const std::pair<const char *, Plant> kBatchPlants[] = {
    {"the last batch, of the first", [](const Result &c) {
       for (int64_t row = 0; row < kLargeM; ++row)
         for (int64_t col = 0; col < kLargeN; ++col)
           c.last(row, col) = c.at(0, row, col);
     }}};

struct Function {
  const char *name;
  int64_t batches;
  std::string text;
};

/// a * b^T, with sums that start at zero.
Function plain(ElementType type) {
  return {"plain", 1,
          llvm::formatv(R"(
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @plain(%a: tensor<{0}x{2}x{4}>, %b: tensor<{1}x{2}x{4}>) -> tensor<{0}x{1}x{3}> {
  %zero = arith.constant 0.0 : {3}
  %e = tensor.empty() : tensor<{0}x{1}x{3}>
  %i = linalg.fill ins(%zero : {3}) outs(%e : tensor<{0}x{1}x{3}>) -> tensor<{0}x{1}x{3}>
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<{0}x{2}x{4}>, tensor<{1}x{2}x{4}>)
         outs(%i : tensor<{0}x{1}x{3}>) -> tensor<{0}x{1}x{3}>
  return %0 : tensor<{0}x{1}x{3}>
})",
                        kLargeM, kLargeN, kLargeK, toString(type),
                        type == ElementType::bf16 ? "bf16" : "f16")
              .str()};
}

/// Two batch dimensions, a C that is read, and an epilogue.
Function batched() {
  return {"batched", 6,
          llvm::formatv(R"(
#a = affine_map<(x, y, m, n, k) -> (x, y, m, k)>
#b = affine_map<(x, y, m, n, k) -> (y, k, n)>
#c = affine_map<(x, y, m, n, k) -> (x, y, m, n)>
#i = affine_map<(x, y, m, n) -> (x, y, m, n)>
func.func @batched(%a: tensor<2x3x{0}x{2}xf16>, %b: tensor<3x{2}x{1}xf16>, %c: tensor<2x3x{0}x{1}xf32>)
    -> tensor<2x3x{0}x{1}xf16> {
  %0 = linalg.contract indexing_maps = [#a, #b, #c]
         ins(%a, %b : tensor<2x3x{0}x{2}xf16>, tensor<3x{2}x{1}xf16>)
         outs(%c : tensor<2x3x{0}x{1}xf32>) -> tensor<2x3x{0}x{1}xf32>
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<2x3x{0}x{1}xf16>
  %1 = linalg.generic {{indexing_maps = [#i, #i], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
         ins(%0 : tensor<2x3x{0}x{1}xf32>) outs(%e : tensor<2x3x{0}x{1}xf16>) {{
  ^bb0(%s: f32, %o: f16):
    %h = arith.mulf %s, %half : f32
    %t = arith.truncf %h : f32 to f16
    linalg.yield %t : f16
  } -> tensor<2x3x{0}x{1}xf16>
  return %1 : tensor<2x3x{0}x{1}xf16>
})",
                        kLargeM, kLargeN, kLargeK)
              .str()};
}

/// A function with its data, its reference by an engine, and a correct result.
class Subject {
public:
  Subject(const Function &function, Inputs inputs, ProductEngine &engine)
      : batches(function.batches), context(makeContext()) {
    module =
        mlir::parseSourceString<mlir::ModuleOp>(function.text, context.get());
    signature = llvm::cantFail(Signature::read(*module, "", {}));
    data = makeData(signature, inputs, /*seed=*/3);
    auto program = llvm::cantFail(ReferenceProgram::create(*module));
    program->setEngine(&engine);
    auto memory = Memory::host();
    Call call(program->getJit(), signature, *memory, /*isReference=*/true);
    llvm::cantFail(call.prepare(data));
    llvm::cantFail(call.run());
    reference = llvm::cantFail(call.outcome());
    right = reference;
    Outcome::Array &result = right.arrays.front();
    for (double &element : result.elements)
      element = roundTo(result.element.type, element);
  }

  /// The number of wrong elements and sums after `plant`.
  int64_t check(const Plant &plant, bool byProjection) const {
    Outcome got = right;
    plant({got.arrays.front().elements, batches});
    auto found = byProjection ? checkLargeProduct(signature, *signature.product,
                                                  data, got)
                              : compare(got, reference);
    return llvm::cantFail(std::move(found)).wrong;
  }
  bool isPlain() const { return signature.product.has_value(); }

private:
  int64_t batches;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Signature signature;
  std::vector<Values> data;
  Outcome reference, right;
};

/// The GPU's arithmetic, at any size.
class HostEngine : public StandInProducts {
public:
  bool takes(double) const override { return true; }
};

/// A GPU, at any size.
class GpuEngine : public ProductEngine {
public:
  explicit GpuEngine(ProductEngine &gpu) : gpu(gpu) {}
  bool takes(double) const override { return true; }
  llvm::Error multiply(llvm::ArrayRef<Term> terms, double *c) override {
    return gpu.multiply(terms, c);
  }

private:
  ProductEngine &gpu;
};

std::vector<Function> functions() {
  return {plain(ElementType::f16), plain(ElementType::bf16),
          plain(ElementType::f32), batched()};
}

void checkAll(ProductEngine &engine) {
  for (const Function &function : functions())
    for (Inputs inputs : {Inputs::normal, Inputs::zeroOne}) {
      Subject subject(function, inputs, engine);
      EXPECT_EQ(subject.isPlain(), function.batches == 1);
      for (bool byProjection : {false, true}) {
        if (byProjection && !subject.isPlain())
          continue;
        EXPECT_EQ(subject.check([](const Result &) {}, byProjection), 0)
            << function.name << byProjection;
        for (const auto &[what, plant] : kPlants)
          EXPECT_GT(subject.check(plant, byProjection), 0)
              << function.name << byProjection << ": " << what;
        if (function.batches == 1)
          continue;
        for (const auto &[what, plant] : kBatchPlants)
          EXPECT_GT(subject.check(plant, byProjection), 0)
              << function.name << ": " << what;
      }
    }
}

TEST(LargeProductTest, MistakesOfKernels) {
  HostEngine engine;
  checkAll(engine);
}

TEST(LargeProductTest, MistakesOfKernelsWithAGpu) {
  auto gpu = DeviceProducts::open();
  if (!gpu) {
    llvm::consumeError(gpu.takeError());
    GTEST_SKIP() << "no GPU";
  }
  GpuEngine engine(**gpu);
  checkAll(engine);
}

/// One element is off by twice its tolerance: only a reference of every element
/// can find that.
TEST(LargeProductTest, OneElementByLittle) {
  HostEngine engine;
  Subject subject(plain(ElementType::f16), Inputs::normal, engine);
  auto plant = [](const Result &c) {
    double &element = c.at(0, 77, 131);
    element += 4 * unitRoundoff(ElementType::f16) * std::fabs(element) +
               1e-4 * std::sqrt(double(kLargeK));
  };
  EXPECT_EQ(subject.check(plant, /*byProjection=*/false), 1);
}

/// Where a program permits products of tf32, all elements may be too small by
/// their loss; elsewhere that is an error.
TEST(LargeProductTest, ProductsOfTf32WherePermitted) {
  HostEngine engine;
  auto cutOff = [](const Result &c) {
    for (int64_t row = 0; row < kLargeM; ++row)
      for (int64_t col = 0; col < kLargeN; ++col)
        c.at(0, row, col) *= 1 - 0x1p-10;
  };
  Function exact = plain(ElementType::f32), permitted = exact;
  for (Function *function : {&exact, &permitted})
    for (size_t at; (at = function->text.find("f16")) != std::string::npos;)
      function->text.replace(at, 3, "f32");
  size_t at = permitted.text.find("indexing_maps");
  permitted.text.insert(permitted.text.find("ins(", at),
                        "{hone.products = #hone.products<tf32>} ");
  for (bool byProjection : {false, true}) {
    Subject right(permitted, Inputs::normal, engine);
    EXPECT_EQ(right.check(cutOff, byProjection), 0) << byProjection;
    Subject wrong(exact, Inputs::normal, engine);
    EXPECT_GT(wrong.check(cutOff, byProjection), 0) << byProjection;
  }
}

} // namespace
