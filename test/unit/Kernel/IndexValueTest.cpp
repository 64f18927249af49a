//===- IndexValueTest.cpp - Tests of address maps written as IR -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each map is evaluated twice, with int64_t and with IndexValue on constants.
// The canonicalizer folds the ops of the latter, and the two results must
// agree: shifts and masks must equal the divisions that they replace.
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/IndexValue.h"
#include "dialects/Kernel/AddressMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "gtest/gtest.h"

using namespace hone;
using namespace hone::kernel;

namespace {

/// Collects values and their expected constants.
class IndexValueTest : public testing::Test {
protected:
  IndexValueTest() : builder(&context), loc(builder.getUnknownLoc()) {
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect>();
    module = mlir::ModuleOp::create(loc);
    builder.setInsertionPointToStart(module->getBody());
    func = mlir::func::FuncOp::create(builder, loc, "maps",
                                      builder.getFunctionType({}, {}));
    builder.setInsertionPointToStart(func.addEntryBlock());
  }

  IndexValue constant(int64_t number) {
    return {builder, loc,
            mlir::arith::ConstantOp::create(
                builder, loc, builder.getI32IntegerAttr(int32_t(number)))};
  }

  void expect(mlir::Value value, int64_t number) {
    values.push_back(value);
    numbers.push_back(number);
  }

  void foldAndCompare() {
    mlir::func::ReturnOp::create(builder, loc, values);
    func.setFunctionType(
        builder.getFunctionType({}, mlir::ValueRange(values).getTypes()));
    ASSERT_TRUE(succeeded(mlir::verify(*module)));
    mlir::PassManager passes(&context);
    passes.addPass(mlir::createCanonicalizerPass());
    ASSERT_TRUE(succeeded(passes.run(*module)));
    auto *terminator = func.getBody().front().getTerminator();
    for (auto [value, number] : llvm::zip(terminator->getOperands(), numbers)) {
      llvm::APInt folded;
      ASSERT_TRUE(mlir::matchPattern(value, mlir::m_ConstantInt(&folded)));
      ASSERT_EQ(folded.getSExtValue(), number);
    }
  }

  mlir::MLIRContext context;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp func;
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<int64_t> numbers;
};

} // namespace

TEST_F(IndexValueTest, PlaceOf) {
  for (int64_t thread : {0, 31, 32, 100, 255, 383})
    for (int64_t warpsN : {1, 2, 3, 4}) {
      auto ir = placeOf(constant(thread), warpsN);
      auto number = placeOf(thread, warpsN);
      expect(ir.lane, number.lane);
      expect(ir.warpM, number.warpM);
      expect(ir.warpN, number.warpN);
    }
  foldAndCompare();
}

TEST_F(IndexValueTest, TileOf) {
  for (int64_t block : {0, 1, 17, 54, 55, 109, 164})
    for (int64_t group : {1, 3, 8, 65535}) {
      auto ir =
          tileOf(constant(block), constant(11), constant(5), constant(group),
                 [](IndexValue a, IndexValue b) { return a.min(b); });
      auto number =
          tileOf<int64_t>(block, 11, 5, group,
                          [](int64_t a, int64_t b) { return std::min(a, b); });
      expect(ir.tileM, number.tileM);
      expect(ir.tileN, number.tileN);
      expect(ir.batch, number.batch);
    }
  foldAndCompare();
}

TEST_F(IndexValueTest, Offsets) {
  for (int64_t lineBytes : {32, 64, 128, 384})
    for (int64_t line : {0, 1, 2, 5, 13, 127})
      for (int64_t byte : {0, 2, 16, 30}) {
        expect(byteOffset(constant(line), constant(byte), lineBytes, 128),
               byteOffset(line, byte, lineBytes, 128));
        expect(chunkOffset(constant(line), constant(byte / 16), lineBytes, 128),
               chunkOffset(line, byte / 16, lineBytes, 128));
      }
  foldAndCompare();
}

TEST_F(IndexValueTest, PieceOf) {
  for (int64_t threads : {32, 96, 256})
    for (int64_t lineBytes : {32, 64, 384})
      for (int64_t bytes : {2, 16})
        for (int64_t index : {0, 1, 5})
          for (int64_t thread : {0, 7, 31}) {
            auto ir =
                pieceOf(constant(thread), index, threads, lineBytes, bytes);
            auto number = pieceOf(thread, index, threads, lineBytes, bytes);
            expect(ir.first, number.first);
            expect(ir.second, number.second);
          }
  foldAndCompare();
}

TEST_F(IndexValueTest, Fragments) {
  for (int64_t lane = 0; lane < 32; ++lane) {
    for (bool isA : {false, true})
      for (bool transposed : {false, true}) {
        auto ir = matrixRow(constant(lane), isA, transposed);
        auto number = matrixRow(lane, isA, transposed);
        expect(ir.line, number.line);
        expect(ir.chunk, number.chunk);
      }
    for (int64_t index : {0, 1, 6, 31}) {
      auto ir = elementOf(constant(lane), index, int64_t(48));
      auto number = elementOf(lane, index, int64_t(48));
      expect(ir.first, number.first);
      expect(ir.second, number.second);
    }
  }
  foldAndCompare();
}

TEST_F(IndexValueTest, WidensAsUnsigned) {
  IndexValue large = constant(int64_t(0xfffffff0));
  expect(large.to(builder.getI64Type()), 0xfffffff0);
  expect(large.to(builder.getI64Type()).to(builder.getI32Type()), -16);
  expect(large.lessThan(constant(1)), 0);
  expect(large / int64_t(16), 0x0fffffff);
  expect(large % int64_t(48), 0xfffffff0 % 48);
  expect(large.min(constant(5)), 5);
  foldAndCompare();
}
