//===- SegmentTest.cpp - Tests of the lowering of kernel.segment ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop that `hone-lower-kernel` writes runs on this CPU, as it has no
// instruction of a GPU, and is compared with the definition for drawn ends.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/AddressMap.h"
#include "dialects/Kernel/Kernel.h"
#include "hone/Jit/Jit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Passes.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace {

/// A kernel that stores the four results, and the bounds of a segment.
const char kKernel[] = R"(
gpu.module @m [#nvvm.target<chip = "sm_80">] attributes {hone.plans = {}} {
  gpu.func @segment(%ends: !kernel.buffer<i32>, %out: !llvm.ptr, %tile: i32,
      %groups: i32, %rows: i32, %depth: i32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %0, %1, %2, %3 = kernel.segment %tile of %ends[%groups] rows %rows
        depth %depth by 16 : !kernel.buffer<i32>
    llvm.store %0, %out : i32, !llvm.ptr
    %p1 = llvm.getelementptr %out[1] : (!llvm.ptr) -> !llvm.ptr, i32
    llvm.store %1, %p1 : i32, !llvm.ptr
    %p2 = llvm.getelementptr %out[2] : (!llvm.ptr) -> !llvm.ptr, i32
    llvm.store %2, %p2 : i32, !llvm.ptr
    %p3 = llvm.getelementptr %out[3] : (!llvm.ptr) -> !llvm.ptr, i32
    llvm.store %3, %p3 : i32, !llvm.ptr
    %4, %5 = kernel.segment.bounds %tile of %ends[%groups] rows %rows
        : !kernel.buffer<i32>
    %p4 = llvm.getelementptr %out[4] : (!llvm.ptr) -> !llvm.ptr, i32
    llvm.store %4, %p4 : i32, !llvm.ptr
    %p5 = llvm.getelementptr %out[5] : (!llvm.ptr) -> !llvm.ptr, i32
    llvm.store %5, %p5 : i32, !llvm.ptr
    gpu.return
  }
})";

class SegmentTest : public testing::Test {
protected:
  SegmentTest() {
    context
        .loadDialect<KernelDialect, gpu::GPUDialect, arith::ArithDialect,
                     scf::SCFDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
  }

  /// Compiles the lowered kernel as a function of the host.
  void compile() {
    auto module = parseSourceString<ModuleOp>(kKernel, &context);
    ASSERT_TRUE(module);
    PassManager passes(&context);
    passes.addPass(createLowerKernel());
    ASSERT_TRUE(succeeded(passes.run(*module)));
    OwningOpRef<ModuleOp> host = ModuleOp::create(UnknownLoc::get(&context));
    module->walk([&](LLVM::LLVMFuncOp function) {
      if (function.isExternal())
        return;
      SmallVector<StringAttr> names;
      for (NamedAttribute attribute : function->getDiscardableAttrs())
        names.push_back(attribute.getName());
      for (StringAttr name : names)
        function->removeDiscardableAttr(name);
      LLVM::LLVMFuncOp copy = function.clone();
      // The name of a wrapper, whose arguments are the same here.
      copy.setName("_mlir_ciface_" + function.getName().str());
      host->push_back(copy);
    });
    auto made = Jit::create(*host);
    ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
    jit = std::move(*made);
  }

  std::array<int32_t, 6> run(std::vector<int32_t> &ends, int32_t tile,
                             int32_t rows) {
    std::array<int32_t, 6> results;
    results.fill(-1);
    JitArguments arguments;
    arguments.add(ends.data());
    arguments.add(results.data());
    arguments.add(tile);
    arguments.add(int32_t(ends.size()));
    arguments.add(rows);
    arguments.add(kDepth);
    llvm::cantFail(jit->invoke("segment", arguments));
    return results;
  }

  static constexpr int32_t kDepth = 77, kHeight = 16;
  MLIRContext context;
  std::unique_ptr<Jit> jit;
};

/// Ends in order, anywhere near the rows, and of any bits.
std::vector<int32_t> drawEnds(std::mt19937 &dice, int32_t rows) {
  std::vector<int32_t> ends(dice() % 9);
  bool isSorted = dice() % 2, isWild = dice() % 4 == 0;
  for (int32_t &end : ends)
    end = isWild ? int32_t(dice()) : int32_t(dice() % (rows + 20)) - 10;
  if (isSorted)
    std::sort(ends.begin(), ends.end());
  return ends;
}

TEST_F(SegmentTest, LoweringIsTheDefinition) {
  ASSERT_NO_FATAL_FAILURE(compile());
  std::mt19937 dice(7);
  for (int round = 0; round < 400; ++round) {
    auto rows = int32_t(dice() % 200);
    std::vector<int32_t> ends = drawEnds(dice, rows);
    auto endOf = [&](int64_t segment) { return ends[segment]; };
    std::vector<int> owners(rows);
    int64_t tiles = (rows + kHeight - 1) / kHeight + int64_t(ends.size());
    for (int32_t tile = 0; tile < tiles + 3; ++tile) {
      SegmentOfTile wanted =
          segmentOf(tile, endOf, int64_t(ends.size()), rows, kDepth, kHeight);
      auto [segment, first, end, depth, start, stop] = run(ends, tile, rows);
      ASSERT_EQ(segment, wanted.segment);
      ASSERT_EQ(first, wanted.first);
      ASSERT_EQ(end, wanted.end);
      ASSERT_EQ(depth, wanted.depth);
      auto bounds = boundsOf(tile, endOf, int64_t(ends.size()), rows);
      ASSERT_EQ(start, bounds.first);
      ASSERT_EQ(stop, bounds.second);
      // The proof relies on these.
      ASSERT_TRUE(0 <= first && first <= end && end <= rows);
      ASSERT_TRUE(segment == 0 || segment < int64_t(ends.size()));
      for (int32_t row = first; row < std::min(first + kHeight, end); ++row)
        ++owners[row];
      if (tile >= tiles)
        ASSERT_EQ(first, end);
    }
    for (int count : owners)
      ASSERT_EQ(count, 1);
  }
}

} // namespace
