//===- AssembleTest.cpp - Tests of ptxas logs and cuobjdump listings ------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logs are the output of ptxas 13.0. Listings are the output of cuobjdump
// without the parts that Hone does not read.
//
//===----------------------------------------------------------------------===//

#include "hone/Assemble/Assemble.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

constexpr const char *kGood = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90a'
ptxas info    : Function properties for first
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 1 barriers
ptxas info    : Compile time = 12.345 ms
ptxas info    : Compiling entry function 'second' for 'sm_90a'
ptxas info    : Function properties for second
    1464 bytes stack frame, 1304 bytes spill stores, 1296 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 1464 bytes cumulative stack size
ptxas info    : Compile time = 56.676 ms
)";

TEST(AssemblerLog, SaysWhatEachKernelUses) {
  AssemblyReport report = parseAssemblerLog(kGood);
  ASSERT_EQ(report.kernels.size(), 2u);
  const KernelReport &first = report.kernels[0], &second = report.kernels[1];
  EXPECT_EQ(first.name, "first");
  EXPECT_EQ(first.registers, 168);
  EXPECT_TRUE(first.faults().empty());
  EXPECT_FALSE(first.fencesInMainLoops.has_value());
  EXPECT_EQ(second.registers, 32);
  EXPECT_EQ(second.spillStores, 1304);
  EXPECT_EQ(second.spillLoads, 1296);
  EXPECT_EQ(second.faults(),
            std::vector<std::string>{"spills 1304 bytes and reads 1296 back, "
                                     "with 32 registers a thread"});
  EXPECT_EQ(report.find("second"), &second);
  EXPECT_EQ(report.find("third"), nullptr);
}

TEST(AssemblerLog, GivesWarningsToTheirKernel) {
  std::string log =
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async "
      "instructions are serialized due to insufficient register resources for "
      "the wgmma pipeline in function 'second'\n" +
      std::string(kGood);
  AssemblyReport report = parseAssemblerLog(log);
  ASSERT_EQ(report.kernels.size(), 2u);
  EXPECT_TRUE(report.kernels[0].faults().empty());
  ASSERT_EQ(report.kernels[1].warnings.size(), 1u);
  EXPECT_EQ(report.kernels[1].warnings[0],
            "C7510: Potential Performance Loss: wgmma.mma_async instructions "
            "are serialized due to insufficient register resources for the "
            "wgmma pipeline in function 'second'");
}

TEST(AssemblerLog, ABlameWithoutANameIsForAll) {
  std::string log = "ptxas info    : (C7508) Potential Performance Loss: "
                    "'setmaxnreg' ignored; unable to determine register count "
                    "at entry.\n" +
                    std::string(kGood);
  AssemblyReport report = parseAssemblerLog(log);
  ASSERT_EQ(report.kernels.size(), 2u);
  EXPECT_EQ(report.kernels[0].warnings.size(), 1u);
  EXPECT_EQ(report.kernels[1].warnings.size(), 1u);
}

TEST(AssemblerLog, RandomTextIsNotAKernel) {
  EXPECT_TRUE(parseAssemblerLog("").kernels.empty());
  EXPECT_TRUE(
      parseAssemblerLog("0 bytes spill stores\n''\n(C75").kernels.empty());
}

/// The fences of kernel 'k' whose instructions are `lines`.
std::optional<int64_t> fencesOf(const std::string &lines) {
  AssemblyReport report;
  report.kernels.emplace_back().name = "k";
  addFences("\n\t\tFunction : k\n\t.headerflags\t@\"EF_CUDA_SM90\"\n" + lines,
            report);
  return report.kernels[0].fencesInMainLoops;
}

TEST(Sass, AFenceInTheLoopThatMultipliesCounts) {
  EXPECT_EQ(fencesOf(R"(
        /*0000*/                   LDC R1, c[0x0][0x28] ;      /* 0x00000a00ff017b82 */
                                                               /* 0x000fe20000000800 */
        /*0010*/                   MEMBAR.ALL.GPU ;
        /*0020*/                   HGMMA.64x256x16.F32 R24, gdesc[UR4], R24 ;
        /*0030*/                   MEMBAR.ALL.GPU ;
        /*0040*/               @P0 BRA 0x20 ;
        /*0050*/                   EXIT ;
        /*0060*/                   BRA 0x60;
)"),
            1);
}

TEST(Sass, OneOutsideDoesNot) {
  // A persistent kernel: the loop over tiles has a fence after the inner loop.
  EXPECT_EQ(fencesOf(R"(
        /*0010*/                   MOV R1, R2 ;
        /*0020*/                   HMMA.16816.F32 R4, R8, R12, R4 ;
        /*0030*/               @P0 BRA 0x20 ;
        /*0040*/                   MEMBAR.ALL.GPU ;
        /*0050*/              @!P1 BRA 0x10 ;
        /*0060*/                   EXIT ;
)"),
            0);
}

TEST(Sass, ASlowPathAfterTheCodeIsNotALoop) {
  // The wait's slow path stands at the end and branches back into the loop.
  EXPECT_EQ(fencesOf(R"(
        /*0010*/               @P0 BRA 0x70 ;
        /*0020*/                   HGMMA.64x256x16.F32 R24, gdesc[UR4], R24 ;
        /*0030*/               @P1 BRA 0x10 ;
        /*0040*/                   MEMBAR.ALL.GPU ;
        /*0050*/                   EXIT ;
        /*0070*/                   NANOSLEEP 0x20 ;
        /*0080*/              @!P0 BRA 0x70 ;
        /*0090*/                   BRA 0x20 ;
)"),
            0);
}

TEST(Sass, OtherKernelsAndTextAreLeftAlone) {
  AssemblyReport report;
  report.kernels.emplace_back().name = "k";
  addFences("Function : other\n /*0000*/ MEMBAR.ALL.GPU ;\n/*zz*/ X ;", report);
  EXPECT_FALSE(report.kernels[0].fencesInMainLoops.has_value());
}

} // namespace
