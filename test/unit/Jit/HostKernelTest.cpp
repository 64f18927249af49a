//===- HostKernelTest.cpp - Tests of the host family against a naive loop -===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds, compiles and runs `hone.matmul` for every storage order and element
// type, with and without batch, init and epilogue. The shapes leave edges
// everywhere. Memory around the inputs is NaN, so any read outside them shows.
// The output is NaN before, and the pattern around it must survive. Random
// numbers are compared with a loop in f64, zeros and ones exactly.
//
//===----------------------------------------------------------------------===//

#include "HostProblem.h"
#include "hone/Schedule/Arch.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace hone;
using namespace hone::test;

namespace {

/// `host, tile = ..., micro = ...` with `vectors` vectors of this CPU in a row
/// of the micro-tile, which has `wide` rows where there are 32 registers, and
/// `narrow` rows where there are 16.
std::string schedule(int64_t wide, int64_t narrow, int64_t vectors,
                     const char *rest) {
  int64_t bits = llvm::cantFail(Arch::lookup("host")).vectorBits;
  int64_t m = bits >= 512 ? wide : narrow, n = vectors * bits / 32;
  return llvm::formatv("host, micro = {0}x{1}, tile = {2}x{3}x{4}", m, n, 2 * m,
                       2 * n, rest)
      .str();
}
/// Small blocks: every loop of the kernel runs several times.
std::string smallBlocks() { return schedule(5, 2, 3, "16, unroll = 2"); }
/// Pieces of eight, four, two and one in a panel of A.
std::string oddPanels() { return schedule(15, 7, 1, "24, unroll = 3"); }
std::string wideTiles() { return schedule(6, 2, 4, "512, unroll = 4"); }

const Extents kExtents[] = {
    {1, 1, 1},    {1, 1, 40},  {3, 1, 5},    {1, 7, 3},    {17, 33, 19},
    {5, 48, 16},  {6, 49, 17}, {16, 96, 32}, {64, 64, 64}, {31, 100, 7},
    {2, 200, 50}, {70, 3, 65}, {0, 4, 4},    {4, 0, 4},    {4, 4, 0}};

void expectRight(HostProblem problem) {
  auto jit = problem.compile();
  ASSERT_TRUE(bool(jit)) << llvm::toString(jit.takeError());
  for (const Extents &extents : kExtents)
    for (bool isExact : {false, true})
      EXPECT_EQ(problem.run(**jit, extents, isExact), "")
          << problem.text() << "\nm = " << extents.m << ", n = " << extents.n
          << ", k = " << extents.k << (isExact ? ", zeros and ones" : "");
}

TEST(HostKernelTest, everyOrderOfEveryType) {
  for (const char *type : {"f32", "f16", "bf16"})
    for (bool colA : {false, true})
      for (bool colB : {false, true}) {
        HostProblem problem;
        problem.a = problem.b = problem.c = type;
        problem.colA = colA, problem.colB = colB;
        problem.schedule = smallBlocks();
        expectRight(problem);
      }
}

TEST(HostKernelTest, resultsOfAnotherType) {
  for (const char *a : {"f16", "bf16"})
    for (const char *c : {"f32", "f16", "bf16"}) {
      HostProblem problem;
      problem.a = problem.b = a, problem.c = c;
      problem.readsC = true;
      problem.schedule = smallBlocks();
      problem.optLevel = 3;
      expectRight(problem);
    }
}

TEST(HostKernelTest, everySchedule) {
  for (const std::string &text : {smallBlocks(), oddPanels(), wideTiles()})
    for (bool colA : {false, true}) {
      HostProblem problem;
      problem.colA = colA, problem.colB = !colA;
      problem.schedule = text;
      problem.optLevel = 3;
      expectRight(problem);
    }
}

TEST(HostKernelTest, columnsByStrides) {
  HostProblem problem;
  problem.turnedA = problem.turnedB = true;
  problem.schedule = smallBlocks();
  expectRight(problem);
}

TEST(HostKernelTest, readsC) {
  HostProblem problem;
  problem.readsC = true;
  problem.schedule = smallBlocks();
  expectRight(problem);
}

TEST(HostKernelTest, batches) {
  for (auto [sharedA, sharedB] :
       {std::pair(false, false), {true, false}, {false, true}}) {
    HostProblem problem;
    problem.batch = 3;
    problem.sharedA = sharedA, problem.sharedB = sharedB;
    problem.colB = true;
    problem.schedule = smallBlocks();
    expectRight(problem);
  }
}

TEST(HostKernelTest, epilogues) {
  int number = 0;
  for (const char *type : {"f32", "f16"})
    for (llvm::StringRef dims : {"", "n", "m", "mn", "nm"}) {
      HostProblem problem;
      problem.a = problem.b = problem.c = type;
      problem.batch = number++ % 3 == 2 ? 2 : 0;
      problem.readsC = dims == "n";
      problem.hasEpilogue = true;
      problem.operandDims = dims.str();
      problem.schedule = smallBlocks();
      expectRight(problem);
    }
}

TEST(HostKernelTest, batchedEpilogueOperands) {
  for (llvm::StringRef dims : {"b", "nb", "bmn"}) {
    HostProblem problem;
    problem.batch = 2;
    problem.hasEpilogue = true;
    problem.operandDims = dims.str();
    problem.schedule = smallBlocks();
    expectRight(problem);
  }
}

} // namespace
