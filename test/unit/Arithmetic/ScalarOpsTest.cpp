//===- ScalarOpsTest.cpp - Tests of the table of scalar arithmetic --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds each row against upstream, and against each room that looks rows up: no
// op is missing in the epilogues, the kernels, the simulator or the reference.
//
//===----------------------------------------------------------------------===//

#include "hone/Arithmetic/ScalarOps.h"
#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Modelled.h"
#include "hone/Driver/Compile.h"
#include "hone/Reference/ReferenceErrors.h"
#include "lib/Simulate/Values/Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "passes/Lower/EpilogueMath.h"
#include "passes/Rest/Rest.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace hone;

namespace {

/// A function that returns one op on its arguments.
class OneOp {
public:
  OneOp(MLIRContext *context, const ScalarOp &row, StringRef real = "f32")
      : row(row), real(real) {
    std::string parameters, operands, types, before;
    for (size_t i = 0; i < row.arity; ++i) {
      std::string number = std::to_string(i), type = typeOf(i);
      operands += (i ? ", %" : "%") + number;
      types += (i ? ", " : "") + type;
      // Kernels compute powers with a constant exponent.
      if (row.lowering == ScalarOp::Lowering::power && i == 1)
        before = "%1 = arith.constant " +
                 std::string(type == "i32" ? "3" : "3.0") + " : " + type;
      else
        parameters += (i ? ", %" : "%") + number + ": " + type;
    }
    bool compares = row.form == ScalarOp::comparison;
    std::string text =
        "func.func @f(" + parameters + ") -> " + result() + " {\n" + before +
        "\n%r = \"" + row.name.str() + "\"(" + operands + ") " +
        (compares ? "<{predicate = 2 : i64}> " : "") + ": (" + types + ") -> " +
        result() + "\nreturn %r : " + result() + "\n}";
    module = parseSourceString<ModuleOp>(text, context);
  }

  bool isValid() const { return module && succeeded(verify(*module)); }
  ModuleOp getModule() { return *module; }
  Block &block() {
    return (*module->getOps<func::FuncOp>().begin()).getBody().front();
  }
  Operation *op() {
    return block().getTerminator()->getOperand(0).getDefiningOp();
  }

private:
  std::string typeOf(size_t operand) const {
    bool isCondition = row.form == ScalarOp::selection && operand == 0;
    bool isExponent = row.name == "math.fpowi" && operand == 1;
    if (isCondition)
      return "i1";
    if (row.form == ScalarOp::widening)
      return row.ofIntegers ? "i8" : "f16";
    if (row.form == ScalarOp::narrowing && !row.ofIntegers && real != "f64")
      return "f32";
    return row.ofIntegers || isExponent ? "i32" : real;
  }
  std::string result() const {
    switch (row.form) {
    case ScalarOp::plain:
    case ScalarOp::selection:
      return row.ofIntegers ? "i32" : real;
    case ScalarOp::comparison:
      return "i1";
    case ScalarOp::widening:
      return row.ofIntegers ? "i32" : "f32";
    case ScalarOp::narrowing:
      return row.ofIntegers ? "i8" : "f16";
    case ScalarOp::toFloat:
      return real;
    case ScalarOp::toInteger:
      return "i32";
    case ScalarOp::reinterpretation:
      return row.ofIntegers ? "index" : "i" + real.substr(real.find('f') + 1);
    }
    llvm_unreachable("a form");
  }

  const ScalarOp &row;
  std::string real;
  OwningOpRef<ModuleOp> module;
};

class ScalarOps : public testing::Test {
protected:
  /// Calls `check` with each row that is an op of arith or math.
  void forEach(llvm::function_ref<void(const ScalarOp &, OneOp &)> check,
               StringRef real = "f32") {
    for (const ScalarOp &row : scalarOps()) {
      if (row.dialect() == "llvm")
        continue;
      SCOPED_TRACE(row.name.str());
      OneOp one(context.get(), row, real);
      ASSERT_TRUE(one.isValid());
      check(row, one);
    }
  }

  std::unique_ptr<MLIRContext> context = makeContext();
};

bool isInstruction(const ScalarOp &row) {
  return row.lowering == ScalarOp::Lowering::instruction ||
         row.lowering == ScalarOp::Lowering::extremum;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

TEST_F(ScalarOps, AreFoundByName) {
  for (const ScalarOp &row : scalarOps())
    EXPECT_EQ(findScalarOp(row.name), &row);
  for (StringRef name : {"", "exp", "arith.constant", "math.exps", "zzz"})
    EXPECT_EQ(findScalarOp(name), nullptr);
}

TEST_F(ScalarOps, HaveIntrinsicsOfLlvm) {
  for (const ScalarOp &row : scalarOps()) {
    bool isOne = row.lowering == ScalarOp::Lowering::intrinsic;
    ASSERT_EQ(row.intrinsic.empty(), !isOne) << row.name.str();
    if (!isOne)
      continue;
    EXPECT_TRUE(RegisteredOperationName::lookup(row.intrinsic, context.get()))
        << row.intrinsic.str();
    EXPECT_EQ(findScalarOpOfIntrinsic(row.intrinsic), &row);
  }
}

TEST_F(ScalarOps, HaveValues) {
  for (const ScalarOp &row : scalarOps()) {
    bool isReal = !row.ofIntegers && (row.form == ScalarOp::plain ||
                                      row.form == ScalarOp::widening ||
                                      row.form == ScalarOp::narrowing);
    bool isWhole = row.ofIntegers && row.form != ScalarOp::comparison &&
                   row.form != ScalarOp::toFloat;
    EXPECT_EQ(row.inFloat != nullptr, isReal) << row.name.str();
    EXPECT_EQ(row.inDouble != nullptr, isReal) << row.name.str();
    EXPECT_EQ(row.onIntegers != nullptr, isWhole) << row.name.str();
    EXPECT_EQ(row.error != ScalarOp::Error::none, isReal) << row.name.str();
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The attribute that upstream folds the op to, or null.
Attribute folded(OneOp &one, ArrayRef<Attribute> operands) {
  SmallVector<OpFoldResult> results;
  if (failed(one.op()->fold(operands, results)) || results.size() != 1)
    return nullptr;
  return dyn_cast<Attribute>(results[0]);
}

TEST_F(ScalarOps, HaveTheValuesThatUpstreamFoldsTo) {
  Builder builder(context.get());
  unsigned count = 0;
  forEach([&](const ScalarOp &row, OneOp &one) {
    if (!row.inFloat || row.form != ScalarOp::plain || row.name == "math.fpowi")
      return;
    for (std::array<float, 3> x : {std::array<float, 3>{0.75, 0.5, 0.25},
                                   {1.5, -2.5, 3},
                                   {-2.5, 2, NAN},
                                   {NAN, 1, 1}}) {
      SmallVector<Attribute> operands;
      for (size_t i = 0; i < row.arity; ++i)
        operands.push_back(builder.getF32FloatAttr(x[i]));
      auto attribute = dyn_cast_or_null<FloatAttr>(folded(one, operands));
      if (!attribute)
        continue;
      ++count;
      double value = attribute.getValueAsDouble();
      std::array<double, 3> wide = {x[0], x[1], x[2]};
      for (double own :
           {double(row.inFloat(x.data())), row.inDouble(wide.data())}) {
        if (std::isnan(value))
          EXPECT_TRUE(std::isnan(own));
        else
          EXPECT_NEAR(own, value, 1e-6 * std::max(1.0, std::fabs(value)));
      }
    }
  });
  EXPECT_GT(count, 80u);
}

TEST_F(ScalarOps, HaveTheIntegersThatUpstreamFoldsTo) {
  Builder builder(context.get());
  unsigned count = 0;
  forEach([&](const ScalarOp &row, OneOp &one) {
    if (!row.onIntegers)
      return;
    unsigned width = row.form == ScalarOp::widening ? 8 : 32;
    for (auto [a, b] : {std::pair<int64_t, int64_t>{100, 7},
                        {-100, 7},
                        {-7, 3},
                        {7, 3},
                        {0, 1}}) {
      SmallVector<Attribute> operands;
      for (int64_t value : {a, b})
        if (operands.size() < row.arity)
          operands.push_back(builder.getIntegerAttr(
              builder.getIntegerType(width), APInt(width, value, true)));
      auto attribute = dyn_cast_or_null<IntegerAttr>(folded(one, operands));
      if (!attribute)
        continue;
      ++count;
      uint64_t mask = llvm::maskTrailingOnes<uint64_t>(width);
      uint64_t own = row.onIntegers({a & mask, b & mask, a, b});
      APInt value = attribute.getValue();
      EXPECT_EQ(APInt(64, own).trunc(value.getBitWidth()), value)
          << a << " " << b;
    }
  });
  EXPECT_GT(count, 80u);
}

//===----------------------------------------------------------------------===//
// Rooms
//===----------------------------------------------------------------------===//

TEST_F(ScalarOps, EpiloguesHaveThem) {
  forEach([](const ScalarOp &row, OneOp &one) {
    bool hasIndex = one.op()->getResult(0).getType().isIndex();
    EXPECT_EQ(isEpilogueOp(one.op()), row.is(ScalarOp::ofEpilogues));
    EXPECT_FALSE(hasIndex && row.is(ScalarOp::ofEpilogues));
  });
}

TEST_F(ScalarOps, PositionsHaveThem) {
  forEach([](const ScalarOp &row, OneOp &one) {
    bool isInteger = row.ofIntegers && row.form != ScalarOp::toFloat;
    EXPECT_EQ(kernel::isIntegerArithmetic(one.op()),
              isInteger && row.is(ScalarOp::ofPositions));
  });
}

/// Whether an op of the math dialect is left, for which a kernel would call a
/// library.
bool callsLibrary(ModuleOp module) {
  bool calls = false;
  module.walk([&](Operation *op) {
    calls |= isa<math::MathDialect>(op->getDialect()) && !isa<math::AbsIOp>(op);
  });
  return calls;
}

TEST_F(ScalarOps, KernelsComputeThem) {
  for (StringRef real : {"f16", "bf16", "f32", "f64"})
    forEach(
        [&](const ScalarOp &row, OneOp &one) {
          using L = ScalarOp::Lowering;
          Operation *op = one.op();
          bool isWide = op->getOperand(0).getType().isF64();
          bool expected = isWide ? isInstruction(row) ||
                                       row.lowering == L::power ||
                                       row.is(ScalarOp::onDouble)
                                 : row.lowering != L::none;
          ASSERT_EQ(isRestScalar(op), expected) << real.str();
          if (!expected)
            return;
          OpBuilder builder(op);
          Value value = emitRestScalar(builder, op, op->getOperands());
          ASSERT_TRUE(value);
          op->getResult(0).replaceAllUsesWith(value);
          op->erase();
          EXPECT_TRUE(one.isValid());
          EXPECT_FALSE(callsLibrary(one.getModule()));
        },
        real);
}

TEST_F(ScalarOps, KernelsComputeThemInEpilogues) {
  for (StringRef real : {"f16", "bf16", "f32"})
    forEach(
        [&](const ScalarOp &row, OneOp &one) {
          if (!row.is(ScalarOp::ofEpilogues))
            return;
          Operation *op = one.op();
          OpBuilder builder(op);
          if (Value value = expandMath(builder, op, op->getOperands())) {
            op->getResult(0).replaceAllUsesWith(value);
            op->erase();
          }
          EXPECT_TRUE(one.isValid());
          EXPECT_FALSE(callsLibrary(one.getModule()));
        },
        real);
}

TEST_F(ScalarOps, SimulatorComputesThem) {
  forEach([](const ScalarOp &row, OneOp &one) {
    if (!row.is(ScalarOp::ofEpilogues))
      return;
    simulate::ScalarRegion region(one.block());
    SmallVector<double> values = {0.75, 0.5, 0.25};
    SmallVector<Inexact<double>> inexact;
    for (double &value : values) {
      if (row.ofIntegers || row.form == ScalarOp::selection)
        value = std::ceil(value);
      inexact.push_back({value, 0});
    }
    values.resize(row.arity);
    inexact.resize(row.arity);
    double result = region.inFloat(values);
    Inexact<double> carried = region.withErrors(inexact);
    EXPECT_NEAR(result, carried.value, 1e-6);
    if (row.inDouble)
      EXPECT_NEAR(result, row.inDouble(values.data()), 1e-6);
    if (row.isApproximated())
      EXPECT_GT(carried.error, 0);
    EXPECT_LT(carried.error, 1e-6);
    if (!row.inDouble)
      return;
    for (Inexact<double> &each : inexact)
      each.error = 1e-3;
    EXPECT_LT(region.withErrors(inexact).error, 1);
  });
}

TEST_F(ScalarOps, ReferenceCarriesTheirErrors) {
  forEach([](const ScalarOp &row, OneOp &one) {
    bool hasDecisions = false;
    llvm::Error error =
        carryErrors(one.getModule(), Decisions::asComputed, hasDecisions);
    // A reference has no bits of floats.
    EXPECT_EQ(bool(error), row.name == "arith.bitcast");
    llvm::consumeError(std::move(error));
  });
}

} // namespace
