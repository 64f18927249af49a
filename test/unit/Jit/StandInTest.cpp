//===- StandInTest.cpp - A device that is late ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That the stand-in sees what it is there to see: launches that nobody waited
// for, memory of the device under the host's hands, and, of whole programs, the
// lack of any single wait that the passes put in.
//
//===----------------------------------------------------------------------===//

#include "hone/Jit/StandIn.h"
#include "dialects/Hone/Hone.h"
#include "hone/Plugin/Register.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Emit.h"
#include "passes/Passes.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hone;

namespace {

class StandInTest : public ::testing::Test {
protected:
  StandInTest() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Makes `text` ready to be called.
  void compile(StandIn &device, mlir::ModuleOp module) {
    emitRuntimeMemory(module);
    ASSERT_EQ(llvm::toString(device.delay(module)), "");
    JitOptions options;
    options.symbols = StandIn::symbols();
    auto made = Jit::create(module, options);
    ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
    jit = std::move(*made);
    ASSERT_EQ(llvm::toString(device.attach(*jit)), "");
  }
  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  mlir::MLIRContext context;
  std::unique_ptr<Jit> jit;
};

constexpr llvm::StringLiteral kAddOne = R"(
  func.func private @add_one(%t: memref<4xf32>) attributes {hone.problem} {
    %one = arith.constant 1.0 : f32
    linalg.map ins(%t : memref<4xf32>) outs(%t : memref<4xf32>)
      (%x: f32, %o: f32) {
        %0 = arith.addf %x, %one : f32
        linalg.yield %0 : f32
      }
    return
  }
  func.func @launches(%t: memref<4xf32>) {
    call @add_one(%t) : (memref<4xf32>) -> ()
    return
  }
  func.func @waits(%t: memref<4xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    call @add_one(%t) : (memref<4xf32>) -> ()
    hone.wait
    %x = memref.load %t[%c0] : memref<4xf32>
    return %x : f32
  }
)";

TEST_F(StandInTest, aLaunchIsDoneWhenSomethingWaits) {
  StandIn device;
  auto module = parse(kAddOne);
  ASSERT_TRUE(module);
  compile(device, *module);
  auto *data = static_cast<float *>(device.allocate(16, /*isShared=*/true));
  std::fill_n(data, 4, 2.0f);

  JitArguments arguments;
  arguments.addMemRef(data, {4});
  ASSERT_FALSE(jit->invoke("launches", arguments));
  EXPECT_EQ(device.launches(), 1);
  EXPECT_EQ(data[0], 2.0f);
  device.synchronize();
  EXPECT_EQ(data[0], 3.0f);

  float seen = 0;
  arguments.addResult(&seen);
  ASSERT_FALSE(jit->invoke("waits", arguments));
  EXPECT_EQ(seen, 4.0f);
  device.release(data);
}

TEST_F(StandInTest, copiesAreInTheOrderOfTheStream) {
  StandIn device;
  void *there = device.allocate(4);
  float one = 1, two = 2, back = 0;
  device.copy(there, &one, 4);
  device.copy(&back, there, 4);
  device.copy(there, &two, 4);
  // A copy takes what is there when it is done.
  one = 7;
  EXPECT_EQ(back, 0.0f);
  device.synchronize();
  EXPECT_EQ(back, 7.0f);
  device.release(there);
}

TEST_F(StandInTest, theHostMayNotTouchTheDevice) {
  StandIn device;
  auto *there = static_cast<volatile float *>(device.allocate(4));
  EXPECT_EXIT((void)*there, ::testing::ExitedWithCode(1),
              "touched memory of the device");
  EXPECT_EXIT(*there = 1, ::testing::ExitedWithCode(1),
              "touched memory of the device");
}

TEST_F(StandInTest, newMemoryIsPoisoned) {
  StandIn device;
  auto *shared = static_cast<float *>(device.allocate(8, /*isShared=*/true));
  EXPECT_TRUE(std::isnan(shared[0]) && std::isnan(shared[1]));
  device.release(shared);
}

/// Kernels and host code by turns: h -> norm(h w), twice.
constexpr llvm::StringLiteral kTurns = R"(
  func.func @turns(%x: tensor<16x16xf16>, %w: tensor<16x16xf16>) -> tensor<16x16xf16> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<16x16xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
    %es = tensor.empty() : tensor<16xf32>
    %is = linalg.fill ins(%zero : f32) outs(%es : tensor<16xf32>) -> tensor<16xf32>
    %eh = tensor.empty() : tensor<16x16xf16>

    %p0 = linalg.matmul ins(%x, %w : tensor<16x16xf16>, tensor<16x16xf16>) outs(%init : tensor<16x16xf32>) -> tensor<16x16xf32>
    %s0 = linalg.reduce { arith.maxnumf } ins(%p0 : tensor<16x16xf32>) outs(%is : tensor<16xf32>) dimensions = [1]
    %n0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%p0, %s0 : tensor<16x16xf32>, tensor<16xf32>) outs(%eh : tensor<16x16xf16>) {
    ^bb0(%v: f32, %a: f32, %o: f16):
      %0 = arith.subf %v, %a : f32
      %1 = arith.truncf %0 : f32 to f16
      linalg.yield %1 : f16
    } -> tensor<16x16xf16>

    %p1 = linalg.matmul ins(%n0, %w : tensor<16x16xf16>, tensor<16x16xf16>) outs(%init : tensor<16x16xf32>) -> tensor<16x16xf32>
    %s1 = linalg.reduce { arith.minnumf } ins(%p1 : tensor<16x16xf32>) outs(%is : tensor<16xf32>) dimensions = [1]
    %n1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%p1, %s1 : tensor<16x16xf32>, tensor<16xf32>) outs(%eh : tensor<16x16xf16>) {
    ^bb0(%v: f32, %a: f32, %o: f16):
      %0 = arith.subf %v, %a : f32
      %1 = arith.truncf %0 : f32 to f16
      linalg.yield %1 : f16
    } -> tensor<16x16xf16>
    %p2 = linalg.matmul ins(%n1, %w : tensor<16x16xf16>, tensor<16x16xf16>) outs(%n1 : tensor<16x16xf16>) -> tensor<16x16xf16>
    return %p2 : tensor<16x16xf16>
  }
)";

/// Runs @turns less its wait number `without`; -1 for none. True if the result
/// is that of the reference, which is the first call's.
class TurnsTest : public StandInTest {
protected:
  mlir::OwningOpRef<mlir::ModuleOp> place() {
    auto module = parse(kTurns);
    PipelineOptions device, host;
    device.arch = "sm_90a";
    device.arguments = "host";
    host.arch = "host";
    mlir::PassManager pm(&context);
    buildPipeline(pm, device, PipelinePart::upTo(PipelineStep::place));
    buildPipeline(pm, host, {PipelineStep::select, PipelineStep::build});
    EXPECT_TRUE(mlir::succeeded(pm.run(*module)));
    return module;
  }
  std::vector<uint16_t> run(mlir::ModuleOp module) {
    StandIn device;
    compile(device, module);
    // f16: small numbers of both signs.
    std::vector<uint16_t> x(256), w(256);
    for (int i = 0; i < 256; ++i) {
      x[i] = 0x3400 + (i * 37 % 1024) + (i % 3 ? 0 : 0x8000);
      w[i] = 0x3400 + (i * 91 % 1024) + (i % 5 ? 0 : 0x8000);
    }
    JitArguments arguments;
    llvm::ArrayRef<int64_t> result = arguments.addMemRefResult(2);
    arguments.addMemRef(x.data(), {16, 16});
    arguments.addMemRef(w.data(), {16, 16});
    EXPECT_FALSE(jit->invoke("turns", arguments));
    // The caller reads at once: nothing waits for it.
    auto *data = reinterpret_cast<uint16_t *>(result[1]);
    std::vector<uint16_t> values(data, data + 256);
    device.synchronize();
    free(reinterpret_cast<void *>(result[0]));
    jit.reset();
    return values;
  }
};

TEST_F(TurnsTest, everyWaitIsNeeded) {
  auto module = place();
  std::vector<WaitOp> waits;
  module->walk([&](WaitOp op) { waits.push_back(op); });
  ASSERT_GE(waits.size(), 2u);
  std::vector<uint16_t> right = run(*module);
  EXPECT_EQ(right, run(*module));
  for (size_t without = 0; without < waits.size(); ++without) {
    mlir::OwningOpRef<mlir::ModuleOp> mutant = module->clone();
    size_t i = 0;
    mutant->walk([&](WaitOp op) {
      if (i++ == without)
        op.erase();
    });
    EXPECT_NE(right, run(*mutant)) << "without wait " << without;
  }
}

} // namespace
