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

/// A kernel that stores the six results, the bounds of a segment, and the
/// results of a search that begins at an earlier tile's segment.
const char kHead[] = R"(
gpu.module @m [#nvvm.target<chip = "sm_80">] attributes {hone.plans = {}} {
  gpu.func @segment(%ends: !kernel.buffer<i32>, %out: !llvm.ptr, %tile: i32,
      %groups: i32, %rows: i32, %depth: i32, %columns: i32, %earlier: i32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %0, %1, %2, %3, %4, %5 = kernel.segment %tile of %ends[%groups] rows %rows
        depth %depth by 16 columns %columns : !kernel.buffer<i32>
    %6, %7 = kernel.segment.bounds %tile of %ends[%groups] rows %rows
        : !kernel.buffer<i32>
    %e:6 = kernel.segment %earlier of %ends[%groups] rows %rows
        depth %depth by 16 columns %columns : !kernel.buffer<i32>
    %before = arith.subi %earlier, %e#4 : i32
    %8, %9, %10, %11, %12, %13 = kernel.segment %tile of %ends[%groups] rows %rows
        depth %depth by 16 columns %columns after %e#0, %e#1, %before
        : !kernel.buffer<i32>
)";

std::string kernelText() {
  std::string text = kHead;
  for (int i = 0; i < 14; ++i)
    text += llvm::formatv(
        "%p{0} = llvm.getelementptr %out[{0}] : (!llvm.ptr) -> !llvm.ptr, i32\n"
        "llvm.store %{0}, %p{0} : i32, !llvm.ptr\n",
        i);
  return text + "gpu.return } }";
}

class SegmentTest : public testing::Test {
protected:
  SegmentTest() {
    context
        .loadDialect<KernelDialect, gpu::GPUDialect, arith::ArithDialect,
                     scf::SCFDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
  }

  /// Compiles the lowered kernel as a function of the host.
  void compile() {
    auto module = parseSourceString<ModuleOp>(kernelText(), &context);
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

  std::array<int32_t, 14> run(std::vector<int32_t> &ends, int32_t tile,
                              int32_t rows, int32_t columns, int32_t earlier) {
    std::array<int32_t, 14> results;
    results.fill(-1);
    JitArguments arguments;
    arguments.add(ends.data());
    arguments.add(results.data());
    arguments.add(tile);
    arguments.add(int32_t(ends.size()));
    arguments.add(rows);
    arguments.add(kDepth);
    arguments.add(columns);
    arguments.add(earlier);
    llvm::cantFail(jit->invoke("segment", arguments));
    return results;
  }

  static constexpr int32_t kDepth = 77, kHeight = 16;
  MLIRContext context;
  std::unique_ptr<Jit> jit;
};

/// Ends in order, anywhere near the rows, and of any bits.
std::vector<int32_t> drawEnds(std::mt19937 &dice, int32_t rows) {
  std::vector<int32_t> ends(dice() % (dice() % 2 ? 9 : 30));
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
    auto columns = int32_t(1 + dice() % 4);
    // Of rows, in the first column of tiles and in the last one.
    std::vector<int> owners(rows), last(rows);
    int64_t tiles = (rows + kHeight - 1) / kHeight + int64_t(ends.size());
    for (int32_t tile = 0; tile < (tiles + 1) * columns + 3; ++tile) {
      SegmentOfTile wanted = segmentOf(tile, endOf, int64_t(ends.size()), rows,
                                       kDepth, kHeight, columns);
      std::array<int32_t, 14> results = run(
          ends, tile, rows, columns, /*earlier=*/int32_t(dice() % (tile + 1)));
      for (int i = 0; i < 6; ++i)
        ASSERT_EQ(results[8 + i], results[i]);
      auto [segment, first, end, depth, number, height, start, stop] =
          std::array<int32_t, 8>{results[0], results[1], results[2],
                                 results[3], results[4], results[5],
                                 results[6], results[7]};
      ASSERT_EQ(segment, wanted.segment);
      ASSERT_EQ(first, wanted.first);
      ASSERT_EQ(end, wanted.end);
      ASSERT_EQ(depth, wanted.depth);
      ASSERT_EQ(number, wanted.number);
      ASSERT_EQ(height, wanted.rowsOfTiles);
      auto bounds = boundsOf(tile, endOf, int64_t(ends.size()), rows);
      ASSERT_EQ(start, bounds.first);
      ASSERT_EQ(stop, bounds.second);
      // The proof relies on these.
      ASSERT_TRUE(0 <= first && first <= end && end <= rows);
      ASSERT_TRUE(segment <= int64_t(ends.size()));
      ASSERT_TRUE(number >= 0 && height > 0);
      if (tile >= tiles * columns) {
        ASSERT_EQ(first, end);
        continue;
      }
      int32_t begin = first + number / columns * kHeight;
      for (int32_t row = begin; row < std::min(begin + kHeight, end); ++row) {
        owners[row] += number % columns == 0;
        last[row] += number % columns == columns - 1;
      }
    }
    for (const std::vector<int> &counts : {owners, last})
      for (int count : counts)
        ASSERT_EQ(count, 1);
  }
}

} // namespace
