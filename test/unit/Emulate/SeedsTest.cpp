//===- SeedsTest.cpp - Tests that every planted fault is found ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table: a program, one mistake of its host side, and a word of the finding.
// Without the mistake the same programs are right.
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Programs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace hone;
using namespace hone::seeds;

namespace {
struct Seed {
  const char *name;
  std::reference_wrapper<const Subject> subject;
  Plant plant;
  const char *found; ///< part of the finding
};
} // namespace

/// Keeps every formula of a launch's grid and parameters but one.
static Plant changeLaunch(size_t launch,
                          std::function<void(KernelLaunch &)> change) {
  return [=](Emitted &program) {
    program.changePlan(launch, [&](LaunchPlan &plan) {
      for (PlanAlternative &alternative : plan.alternatives)
        change(alternative.launches.back());
    });
  };
}

static Plant changeAlternatives(size_t launch,
                                std::function<void(PlanAlternative &)> change) {
  return [=](Emitted &program) {
    program.changePlan(launch, [&](LaunchPlan &plan) {
      for (PlanAlternative &alternative : plan.alternatives)
        change(alternative);
    });
  };
}

static void erase(LLVM::CallOp call) {
  OpBuilder builder(call);
  Value zero = LLVM::ConstantOp::create(builder, call.getLoc(),
                                        builder.getI32IntegerAttr(0));
  call->replaceAllUsesWith(ValueRange{zero});
  call.erase();
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static const std::vector<Seed> &planSeeds() {
  static const std::vector<Seed> seeds = {
      {"the only alternative asks for aligned lines of one row", kOneRow,
       [](Emitted &program) {
         program.setArgument(0, "ldc", 333);
         program.changePlan(0, [](LaunchPlan &plan) {
           plan.alternatives.erase(plan.alternatives.begin(),
                                   plan.alternatives.end() - 1);
           plan.alternatives.back().guard = "ldc % 4 == 0";
         });
       },
       "expected an alternative whose guard holds"},
      {"the alternatives' guards are exchanged", kOddLines,
       [](Emitted &program) {
         program.changePlan(0, [](LaunchPlan &plan) {
           plan.alternatives.front().guard = "1";
         });
       },
       "[plan"},
      {"workspace has no room for sums", kStreams,
       changeAlternatives(0,
                          [](PlanAlternative &alternative) {
                            if (!alternative.workspaceBytes.empty())
                              alternative.workspaceBytes = "8192";
                          }),
       "workspace"},
      {"workspace of streams is a slot too small", kStreams,
       changeAlternatives(0,
                          [](PlanAlternative &alternative) {
                            // Four workers put the sums of one tile into a slot
                            // each.
                            if (!alternative.workspaceBytes.empty())
                              alternative.workspaceBytes =
                                  "8192 + 3 * 128 * 64 * 4";
                          }),
       "uses bytes 106496 to"},
      {"workspace of a packed operand is too small by a line", kPacked,
       changeAlternatives(0,
                          [](PlanAlternative &alternative) {
                            if (!alternative.workspaceBytes.empty())
                              alternative.workspaceBytes =
                                  alternative.workspaceBytes.str() + " - 256";
                          }),
       "[bounds"},
      {"grid is short by one block", kChain,
       changeLaunch(1,
                    [](KernelLaunch &launch) {
                      launch.grid[0] = "(" + launch.grid[0].str() + ") - 1";
                    }),
       "never written"},
      {"a dimension of a tensor map is short by 8", kWarpSpecialized,
       changeLaunch(0,
                    [](KernelLaunch &launch) {
                      for (LaunchParam &param : launch.params)
                        if (param.map.base == "b")
                          param.map.dims[1] = param.map.dims[1].str() + " - 8";
                    }),
       "tensor map"},
      {"a stride of a tensor map is another operand's", kWarpSpecialized,
       changeLaunch(0,
                    [](KernelLaunch &launch) {
                      for (LaunchParam &param : launch.params)
                        if (param.map.base == "a")
                          param.map.strides[0] = "ldb * 2";
                    }),
       "tensor map"},
      {"parameters are in another order", kChain,
       changeLaunch(0,
                    [](KernelLaunch &launch) {
                      std::swap(launch.params[0], launch.params[1]);
                    }),
       "operand"},
      {"a packed copy has another number of columns", kPacked,
       [](Emitted &program) {
         program.changePlan(0, [](LaunchPlan &plan) {
           for (PlanAlternative &alternative : plan.alternatives)
             if (alternative.launches.size() > 1) {
               PlanFormula &width = alternative.launches[0].params[3].value;
               width = width.str() + " - 8";
             }
         });
       },
       ""},
      {"a decision of a range is another one", kRanges,
       changeAlternatives(0,
                          [](PlanAlternative &alternative) {
                            alternative.decisions.push_back({"k", 32});
                          }),
       ""},
      {"the grid of a kernel of the rest is short by one", kRest,
       changeLaunch(1,
                    [](KernelLaunch &launch) {
                      launch.grid[0] = "(" + launch.grid[0].str() + ") - 1";
                    }),
       "results"},
      {"a plan names a kernel that the program does not have", kRest,
       changeLaunch(1, [](KernelLaunch &launch) { launch.entry += "_other"; }),
       "expected a kernel of the program"},
  };
  return seeds;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static const std::vector<Seed> &argumentSeeds() {
  static const std::vector<Seed> seeds = {
      {"offset of a slice of masks is lost", kMasks,
       [](Emitted &program) { program.moveArgument(1, "p1", -24); }, "p1"},
      {"ldc is lda", kChain,
       [](Emitted &program) { program.copyArgument(0, "ldc", "lda"); },
       "ldc ="},
      {"an extent is short by one", kChain,
       [](Emitted &program) { program.setArgument(0, "m", 39); }, "m ="},
      {"the stride of a batch is another operand's", kBatches,
       [](Emitted &program) { program.copyArgument(0, "sb", "sa"); }, "sb ="},
      {"the number of batches is short by one", kBatches,
       [](Emitted &program) { program.setArgument(0, "batch", 2); }, "batch ="},
      {"an operand starts a line later", kSlices,
       [](Emitted &program) { program.moveArgument(0, "a", 64); }, "a ="},
      {"two operands are exchanged", kChain,
       [](Emitted &program) { program.swapArguments(0, "a", "b"); }, "a ="},
      {"the result goes to an operand", kChain,
       [](Emitted &program) { program.copyArgument(1, "c", "a"); }, "c ="},
      {"an operand of the epilogue steps along the other dimension", kEpilogue,
       [](Emitted &program) { program.copyArgument(0, "e1m", "e1n"); },
       "e1m ="},
      {"operands of a kernel of the rest are exchanged", kRest,
       [](Emitted &program) { program.swapArguments(1, "p0", "p1"); }, "p0 ="},
  };
  return seeds;
}

//===----------------------------------------------------------------------===//
// Order, memory, copies
//===----------------------------------------------------------------------===//

/// The copies of a program from the device to the host.
static LLVM::CallOp copyOut(Emitted &program) {
  return program.calls("honeCopy").back();
}

/// Moves frees of device memory before all launches.
static void freeFirst(Emitted &program) {
  LLVM::CallOp launch = program.calls("honeLaunch").back();
  gpu::DeallocOp dealloc = program.ops<gpu::DeallocOp>().back();
  Operation *stream = dealloc.getAsyncDependencies()[0].getDefiningOp();
  stream->moveBefore(launch);
  dealloc->moveBefore(launch);
}

/// Moves all buffers of the pool from `from` to `to`.
static void alias(Emitted &program, int64_t from, int64_t to) {
  for (auto view : program.ops<memref::ViewOp>()) {
    auto shift = view.getByteShift().getDefiningOp<arith::ConstantIndexOp>();
    if (!shift || shift.value() != from)
      continue;
    OpBuilder builder(view);
    view.getByteShiftMutable().assign(
        arith::ConstantIndexOp::create(builder, view.getLoc(), to));
  }
}

/// The offset of a view that is not at the start of its pool.
static int64_t someOffset(Emitted &program) {
  for (auto view : program.ops<memref::ViewOp>())
    if (auto shift =
            view.getByteShift().getDefiningOp<arith::ConstantIndexOp>();
        shift && shift.value())
      return shift.value();
  return 0;
}

static const std::vector<Seed> &orderSeeds() {
  static const std::vector<Seed> seeds = {
      {"two launches are exchanged", kChain,
       [](Emitted &program) { program.swapLaunches(0, 1); }, "launch"},
      {"a launch is missing", kChain,
       [](Emitted &program) { program.eraseLaunch(0); }, "expected 1 launches"},
      {"a wait is missing", kReadByHost,
       [](Emitted &program) {
         erase(program.calls("honeSynchronize").front());
       },
       "expected a wait before the host reads"},
      {"a copy is short by a line", kOnHost,
       [](Emitted &program) {
         LLVM::CallOp copy = program.calls("honeCopy").front();
         OpBuilder builder(copy);
         copy->setOperand(
             2, LLVM::ConstantOp::create(builder, copy.getLoc(),
                                         builder.getI64IntegerAttr(3840 - 96)));
       },
       "results"},
      {"a copy goes in the wrong direction", kOnHost,
       [](Emitted &program) {
         LLVM::CallOp copy = copyOut(program);
         Value to = copy->getOperand(0);
         copy->setOperand(0, copy->getOperand(1));
         copy->setOperand(1, to);
       },
       "results"},
      {"the copy back is missing", kOnHost,
       [](Emitted &program) { erase(copyOut(program)); }, "results"},
      {"a buffer is freed too early", kChain, freeFirst, "freed"},
      {"two buffers of the pool are one", kOnHost,
       [](Emitted &program) { alias(program, someOffset(program), 0); },
       "overlaps"},
      {"a pool is short by a tile", kOnHost,
       [](Emitted &program) {
         gpu::AllocOp pool = program.ops<gpu::AllocOp>().front();
         auto type =
             MemRefType::get({8192}, IntegerType::get(pool.getContext(), 8));
         pool.getMemref().setType(type);
       },
       "buffer of 8192"},
      {"a loop carries another buffer", kLoop,
       [](Emitted &program) {
         scf::ForOp loop = program.ops<scf::ForOp>().front();
         Operation *yield = loop.getBody()->getTerminator();
         Value first = yield->getOperand(0);
         yield->setOperand(0, yield->getOperand(1));
         yield->setOperand(1, first);
       },
       "results"},
      {"a constant is another one", kConstants,
       [](Emitted &program) {
         auto gets = program.ops<memref::GetGlobalOp>();
         gets.front().setNameAttr(gets.back().getNameAttr());
       },
       "results"},
  };
  return seeds;
}

static void expectFound(std::vector<Seed> seeds) {
  // A program is compiled once for the seeds in a row.
  llvm::stable_sort(seeds, [](const Seed &left, const Seed &right) {
    return &left.subject.get() < &right.subject.get();
  });
  for (const Seed &seed : seeds) {
    std::string found = check(seed.subject, seed.plant);
    EXPECT_NE(found, "") << seed.name;
    EXPECT_NE(found.find(seed.found), std::string::npos)
        << seed.name << ": " << found;
    EXPECT_NE(found.substr(0, 7), "compile") << seed.name << ": " << found;
  }
}

/// Each call of the runtime fails in turn. The program must report it, and does
/// not if the check of the status is deleted.
TEST(Seeds, noStatusIsDropped) {
  // An allocation, a copy of each argument, two launches, a copy of the result
  // and a wait.
  constexpr int64_t kCalls = 8;
  for (int64_t number = 0; number < kCalls; ++number)
    EXPECT_EQ(checkFailure(kOnHost, number), "") << number;
  auto drop = [](Emitted &program) {
    for (LLVM::CallOp call : program.calls("honeRequire"))
      call.erase();
  };
  for (int64_t number = 0; number + 1 < kCalls; ++number)
    EXPECT_NE(checkFailure(kOnHost, number, drop), "") << number;
}

/// Without the swapped buffers of a loop: their ownership flags lie in memory
/// that no kernel uses, but the program waits for the flags anyway.
static bool hasNeedlessCalls(const Subject &subject) {
  return &subject == &kLoop;
}

/// Deletes each wait, copy and launch of each program, one by one. The
/// emulation has one stream, so tokens between its launches add nothing.
TEST(Seeds, everyCallIsNeeded) {
  std::map<StringRef, size_t> all = {
      {"honeSynchronize", 0}, {"honeCopy", 0}, {"honeLaunch", 0}};
  for (const Subject *subject : allSubjects()) {
    std::map<StringRef, size_t> counts = all;
    EXPECT_EQ(check(*subject,
                    [&](Emitted &program) {
                      for (auto &[name, count] : counts)
                        count = program.calls(name).size();
                    }),
              "")
        << subject->text;
    for (auto [name, count] : counts) {
      if (name != "honeLaunch" && hasNeedlessCalls(*subject))
        continue;
      all[name] += count;
      for (size_t without = 0; without < count; ++without) {
        StringRef callee = name;
        EXPECT_NE(check(*subject,
                        [&](Emitted &program) {
                          erase(program.calls(callee)[without]);
                        }),
                  "")
            << name.str() << " " << without << " of " << subject->text;
      }
    }
  }
  EXPECT_GE(all["honeSynchronize"], 3u);
  EXPECT_GE(all["honeCopy"], 6u);
  EXPECT_GE(all["honeLaunch"], 20u);
}

TEST(Seeds, faultsAreFound) {
  std::vector<Seed> seeds = planSeeds();
  llvm::append_range(seeds, argumentSeeds());
  llvm::append_range(seeds, orderSeeds());
  expectFound(std::move(seeds));
}
