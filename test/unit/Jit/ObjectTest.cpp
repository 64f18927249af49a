//===- ObjectTest.cpp - Tests of object files between processes -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only bytes go from one half to the other. Bytes that are not an object file,
// an undefined name and an unresolved symbol are errors.
//
//===----------------------------------------------------------------------===//

#include "hone/Jit/Object.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

class ObjectTest : public ::testing::Test {
protected:
  llvm::Expected<std::string> compile(llvm::StringRef text) {
    mlir::MLIRContext context;
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                        mlir::LLVM::LLVMDialect, mlir::memref::MemRefDialect>();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return llvm::createStringError("does not parse");
    return compileObject(*module);
  }
};

TEST_F(ObjectTest, runsWithoutTheModuleItCameFrom) {
  auto bytes = compile(R"(
    memref.global "private" constant @table : memref<2xf32> = dense<[3.0, 5.0]>
    func.func @f(%to: memref<?xf32, strided<[?]>>, %at: index) {
      %room = memref.alloc() : memref<64xf32>
      %table = memref.get_global @table : memref<2xf32>
      %x = memref.load %table[%at] : memref<2xf32>
      memref.store %x, %room[%at] : memref<64xf32>
      %y = memref.load %room[%at] : memref<64xf32>
      %old = memref.load %to[%at] : memref<?xf32, strided<[?]>>
      %sum = arith.addf %old, %y : f32
      memref.store %sum, %to[%at] : memref<?xf32, strided<[?]>>
      memref.dealloc %room : memref<64xf32>
      return
    })");
  ASSERT_TRUE(bool(bytes)) << llvm::toString(bytes.takeError());
  auto linked = LinkedObject::create(*bytes);
  ASSERT_TRUE(bool(linked)) << llvm::toString(linked.takeError());
  auto address = (*linked)->lookup("f");
  ASSERT_TRUE(bool(address)) << llvm::toString(address.takeError());

  struct {
    float *allocated, *data;
    int64_t offset, size, stride;
  } to;
  float data[4] = {0, 1, 2, 7};
  to = {data, data, 0, 2, 3};
  reinterpret_cast<void (*)(void *, int64_t)>(*address)(&to, 1);
  EXPECT_EQ(data[3], 12);
  EXPECT_EQ(data[1], 1);
}

TEST_F(ObjectTest, isAnErrorWhereItDoesNotLink) {
  auto bytes = compile(R"(
    func.func private @nobody_has_this()
    func.func @f() {
      call @nobody_has_this() : () -> ()
      return
    })");
  ASSERT_TRUE(bool(bytes)) << llvm::toString(bytes.takeError());
  auto linked = LinkedObject::create(*bytes);
  ASSERT_TRUE(bool(linked)) << llvm::toString(linked.takeError());
  auto address = (*linked)->lookup("f");
  ASSERT_FALSE(bool(address));
  std::string why = llvm::toString(address.takeError());
  EXPECT_NE(why.find("'f'"), std::string::npos);
  EXPECT_NE(why.find("nobody_has_this"), std::string::npos) << why;
  address = (*linked)->lookup("g");
  ASSERT_FALSE(bool(address));
  EXPECT_NE(llvm::toString(address.takeError()).find("'g'"), std::string::npos);
}

TEST_F(ObjectTest, takesNoOtherBytes) {
  for (llvm::StringRef bytes : {"", "hello", "\177ELF"}) {
    auto linked = LinkedObject::create(bytes);
    if (linked) {
      auto address = (*linked)->lookup("matmul");
      EXPECT_FALSE(bool(address)) << bytes.str();
      llvm::consumeError(address.takeError());
      continue;
    }
    EXPECT_NE(llvm::toString(linked.takeError()).find("expected an object"),
              std::string::npos);
  }
}

} // namespace
