//===- ImagesTest.cpp - Tests of problems with windows --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A problem with windows becomes a program, data on this CPU and data on a GPU.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/Images.h"
#include "hone/Driver/Compile.h"
#include "hone/Matmul/GemmData.h"
#include "hone/Matmul/HostProduct.h"
#include "hone/Schedule/Convolution.h"
#include "hone/Schedule/Spelling.h"
#include "test/unit/Runtime/FakeDriver.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace hone;
using namespace hone::test;

namespace {

Problem convolutionOf(const char *text, llvm::StringRef types = "f16:f16") {
  Problem form;
  llvm::cantFail(setTypes(form, types));
  return llvm::cantFail(Convolution::parse(text)).in(form);
}

Problem withAccess(int64_t m, int64_t k, const char *access) {
  Problem problem = withExtents(Problem(), m, 24, k);
  problem.a.access = llvm::cantFail(OperandAccess::parse(access));
  return problem;
}

/// Padding on one side, dilation, gaps between rows, no padding, one side.
std::vector<Problem> windowedProblems() {
  return {convolutionOf("conv:2x14x14x64:96x3x3:1:1"),
          convolutionOf("conv:1x9x9x8:4x3x5:2:1", "bf16:f32"),
          convolutionOf("conv:2x15x15x32:64x1x1:2"),
          withAccess(64, 72,
                     "m[8*x, 8*y] k[3*x, 3*y, 8*1] x[8*80, low 2] "
                     "y[8*8, low 0]"),
          withAccess(36, 72,
                     "m[6*x, 6*y] k[3*2x, 3*3y, 8*1] x[6*96, low 1] "
                     "y[9*8, low 4]"),
          withAccess(48, 144, "m[2*960, 6*160, 4*16] k[3*160, 48*1]"),
          withAccess(9, 40, "m[9*x] k[5*x, 8*1] x[9*8, low 2]")};
}

/// The text of a problem that a program's matmul has.
TEST(ImagesTest, ProgramsHaveTheProblem) {
  auto context = makeContext();
  for (const Problem &problem : windowedProblems()) {
    auto program = ProblemModule::of(*context, problem);
    ASSERT_TRUE(bool(program)) << problem.str() << "\n"
                               << llvm::toString(program.takeError());
    EXPECT_EQ(program->matmul.getProblem().str(), problem.str());
    EXPECT_TRUE(program->matmul.getProblem() == problem);
    EXPECT_TRUE(llvm::cantFail(Problem::parse(problem.str())) == problem);
  }
}

TEST(ImagesTest, ProgramsOfUnknownNumbersAreRefused) {
  auto context = makeContext();
  Problem problem = windowedProblems().front();
  auto open = ProblemModule::of(*context, problem.open());
  EXPECT_NE(llvm::toString(open.takeError()).find("windows of known numbers"),
            std::string::npos);
  Problem batched = problem;
  batched.batch = 1;
  EXPECT_TRUE(bool(ProblemModule::of(*context, batched).takeError()));
  // Elements of two lines of A alternate in memory: no image has them.
  Problem other = withAccess(4, 16, "m[2*1, 2*64] k[8*2, 2*40]");
  EXPECT_TRUE(bool(ProblemModule::of(*context, other).takeError()));
}

TEST(ImagesTest, KernelsAreOfOneProblem) {
  Arch arch = llvm::cantFail(Arch::lookup("h200"));
  Schedule schedule = llvm::cantFail(parseSchedule("ws"));
  Problem one = convolutionOf("conv:2x14x14x64:96x3x3:1:1"),
          other = convolutionOf("conv:4x14x14x64:96x3x3:1:1");
  EXPECT_TRUE(KernelRequest::of(one, schedule).problem == one);
  EXPECT_NE(kernelKey(one, schedule, arch), kernelKey(other, schedule, arch));
}

//===----------------------------------------------------------------------===//
// On this CPU
//===----------------------------------------------------------------------===//

/// A memref of `rank` dimensions, as MLIR's C interface passes it.
template <int rank>
struct Memref {
  void *allocated;
  char *data;
  int64_t offset, sizes[rank], strides[rank];
};

/// A convolution by its definition: 3x3, step 1, one position of padding.
template <bool padded>
void convolve(void *a, void *b, void *c) {
  auto &image = *static_cast<Memref<4> *>(a);
  auto &filters = *static_cast<Memref<2> *>(b),
       &to = *static_cast<Memref<2> *>(c);
  auto [n, height, width, channels] = image.sizes;
  for (int64_t m = 0; m < to.sizes[0]; ++m)
    for (int64_t f = 0; f < to.sizes[1]; ++f) {
      double sum = 0;
      for (int64_t k = 0; k < filters.sizes[0]; ++k) {
        int64_t y = m / width % height + k / channels / 3 - 1;
        int64_t x = m % width + k / channels % 3 - 1;
        bool isInside = y >= 0 && y < height && x >= 0 && x < width;
        if (!isInside && padded)
          continue;
        y = std::clamp<int64_t>(y, 0, height - 1);
        x = std::clamp<int64_t>(x, 0, width - 1);
        sum += loadElement(ElementType::f32, image.data,
                           m / width / height * image.strides[0] +
                               y * image.strides[1] + x * image.strides[2] +
                               k % channels) *
               loadElement(ElementType::f32, filters.data,
                           k * filters.strides[0] + f);
      }
      storeElement(ElementType::f32, to.data, m * to.strides[0] + f, sum);
    }
}

TEST(ImagesTest, TheHostChecksConvolutions) {
  HostProduct product;
  Problem problem = convolutionOf("conv:2x5x6x4:8x3x3:1:1", "f32:f32");
  llvm::cantFail(product.set(problem));
  EXPECT_EQ(product.matrices()[0].bytes.size(), size_t(2 * 5 * 6 * 4 * 4));
  product.poison();
  EXPECT_TRUE(bool(product.check(/*whole=*/true).takeError()));
  product.run(&convolve</*padded=*/true>);
  EXPECT_LE(llvm::cantFail(product.check(/*whole=*/true)), 1);
  product.plant("large");
  EXPECT_TRUE(bool(product.check(/*whole=*/false).takeError()));
  product.run(&convolve</*padded=*/false>);
  EXPECT_TRUE(bool(product.check(/*whole=*/true).takeError()));
}

//===----------------------------------------------------------------------===//
// On a GPU
//===----------------------------------------------------------------------===//

/// The kernel of a build runs on an image of each set: the plan's guard and the
/// limits of maps hold, and the reference is of the windows of the first set.
TEST(ImagesTest, KernelsAreLaunchedOnImages) {
  FakeDriver fake;
  auto context = makeContext();
  Problem problem = convolutionOf("conv:2x14x14x64:96x3x3:1:1");
  auto kit = llvm::cantFail(GemmKit::open());
  fake.paramSizes["hone_unfold"] = {sizeof(gpucheck::Matrix),
                                    sizeof(gpucheck::Places),
                                    sizeof(gpucheck::Matrix)};
  auto task = llvm::cantFail(GemmTask::of(*context, problem));
  auto data = llvm::cantFail(GemmData::create(*kit, std::move(task), 3));
  constexpr size_t kImageBytes = 2 * 14 * 14 * 64 * 2;
  EXPECT_EQ(data->a(1) - data->a(0), kImageBytes);
  EXPECT_EQ(kit->unfolded.size(), size_t(392 * 576 * 2));
  auto unfold = llvm::find_if(fake.launches, [](const auto &launch) {
    return launch.entry == "hone_unfold";
  });
  ASSERT_NE(unfold, fake.launches.end());
  gpucheck::Places places = llvm::cantFail(placesOf(*problem.a.access));
  EXPECT_EQ(memcmp(unfold->params[1].data(), &places, sizeof(places)), 0);

  Schedule schedule = llvm::cantFail(
      parseSchedule("ws, side = a, tile = 128x64x64, consumers = 2x1, "
                    "stages = 3, cluster = 1x2"));
  auto kernel = llvm::cantFail(MatmulKernel::create(
      *context, KernelRequest::of(problem, schedule), "h100"));
  auto launch = llvm::cantFail(contenderOf(*kernel, schedule, *data));
  std::string entry = kernel->plan().alternatives[0].launches[0].entry;
  fake.paramSizes[entry] = {128, 128, 128};
  for (size_t set : {0, 2}) {
    llvm::cantFail(launch(set));
    ASSERT_EQ(fake.launches.back().entry, entry);
    std::vector<uint64_t> words(16);
    memcpy(words.data(), fake.launches.back().params[0].data(), 128);
    EXPECT_EQ(words[1], data->a(set));
    // Channels, columns, rows, images; bytes between columns, rows and images.
    EXPECT_EQ(std::vector<uint64_t>(words.begin() + 2, words.begin() + 9),
              (std::vector<uint64_t>{64, 14, 14, 2, 128, 1792, 25088}));
  }
  EXPECT_EQ(fake.countCalls("cuTensorMapEncodeIm2col"), 2u);
}

} // namespace
