//===- ElementBytesTest.cpp - Tests of the bytes of elements --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "passes/Support.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace hone;

namespace {

class ElementBytes : public testing::Test {
protected:
  int64_t bytesOf(Type type) { return bytesOfElement(type).value_or(-1); }

  MLIRContext context;
  Builder builder{&context};
};

TEST_F(ElementBytes, OfIntegersAreAPowerOfTwo) {
  for (auto [bits, bytes] : {std::pair(1, 1),
                             {4, 1},
                             {7, 1},
                             {8, 1},
                             {9, 2},
                             {16, 2},
                             {24, 4},
                             {32, 4},
                             {48, 8},
                             {64, 8},
                             {100, 16},
                             {128, 16}})
    EXPECT_EQ(bytesOf(builder.getIntegerType(bits)), bytes) << bits;
  EXPECT_EQ(bytesOf(builder.getIndexType()), 8);
}

TEST_F(ElementBytes, OfFloats) {
  EXPECT_EQ(bytesOf(Float4E2M1FNType::get(&context)), 1);
  EXPECT_EQ(bytesOf(Float8E5M2Type::get(&context)), 1);
  EXPECT_EQ(bytesOf(builder.getBF16Type()), 2);
  EXPECT_EQ(bytesOf(builder.getF64Type()), 8);
  EXPECT_EQ(bytesOf(Float80Type::get(&context)), 16);
}

TEST_F(ElementBytes, OfSeveralNumbers) {
  Type f32 = builder.getF32Type();
  EXPECT_EQ(bytesOf(ComplexType::get(f32)), 8);
  EXPECT_EQ(bytesOf(VectorType::get({3}, f32)), 16);
  EXPECT_EQ(bytesOf(VectorType::get({2, 3}, f32)), 32);
  EXPECT_EQ(bytesOf(VectorType::get({8}, builder.getI1Type())), 1);
}

TEST_F(ElementBytes, OfOtherTypesAreUnknown) {
  EXPECT_EQ(bytesOf(builder.getIntegerType(200)), -1);
  EXPECT_EQ(bytesOf(MemRefType::get({4}, builder.getF32Type())), -1);
}

} // namespace
