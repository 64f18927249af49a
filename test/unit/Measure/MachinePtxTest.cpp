//===- MachinePtxTest.cpp - Tests of the kernels that measure a GPU -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU gets only kernels that it can run, and ptxas, where it is found, takes
// all of them without a warning.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/MachinePtx.h"
#include "hone/Assemble/Assemble.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

const int kCapabilities[] = {80, 86, 89, 90, 100, 120};

/// The names of the entry points of all modules.
llvm::StringSet<> entriesOf(int capability) {
  constexpr llvm::StringLiteral kEntry = ".visible .entry ";
  llvm::StringSet<> names;
  for (const MachineModule &module : machineModules(capability)) {
    llvm::StringRef text = module.text;
    for (size_t at; (at = text.find(kEntry)) != llvm::StringRef::npos;) {
      text = text.drop_front(at + kEntry.size());
      EXPECT_TRUE(names.insert(text.split('(').first).second);
    }
  }
  return names;
}

TEST(MachinePtx, HasTheKernelsOfItsCapability) {
  for (int capability : kCapabilities) {
    llvm::StringSet<> entries = entriesOf(capability);
    for (const char *name :
         {"hone_copy", "hone_read", "hone_empty", "hone_atomic"})
      EXPECT_TRUE(entries.contains(name)) << name << capability;
    EXPECT_EQ(entries.contains("hone_cluster_barrier"), capability >= 90);
    EXPECT_EQ(entries.contains("hone_empty_overlap"), capability >= 90);
    EXPECT_EQ(entries.contains("hone_wgmma_f16"), capability == 90);
    EXPECT_EQ(entries.contains("hone_mma_f8"), capability >= 89);
    for (const ProductKernel &kernel : productKernels(capability))
      EXPECT_TRUE(entries.contains(kernel.name)) << kernel.name.str();
  }
}

/// The first kernel warms the chip up and gives the clock under load, so it
/// must be the one that loads it most.
TEST(MachinePtx, MultipliesF16First) {
  EXPECT_EQ(productKernels(90).front().name, "hone_wgmma_f16");
  EXPECT_EQ(productKernels(80).front().name, "hone_mma_f16");
}

/// 64 x 256 x 16 products are an instruction of wgmma, 16 x 8 x 16 one of
/// mma.sync; a text has as many of them as a step is said to have.
TEST(MachinePtx, CountsItsProducts) {
  for (int capability : {80, 90}) {
    std::string all;
    for (const MachineModule &module : machineModules(capability))
      all += module.text;
    for (const ProductKernel &kernel : productKernels(capability)) {
      llvm::StringRef body = llvm::StringRef(all)
                                 .split(("entry " + kernel.name + "(").str())
                                 .second.split("\n}\n")
                                 .first;
      bool isGroup = kernel.name.contains("wgmma");
      double depth = kernel.name.ends_with("tf32")  ? 8
                     : kernel.name.ends_with("f16") ? 16
                                                    : 32;
      double flops = isGroup ? 2.0 * 64 * 256 * depth : 2.0 * 16 * 8 * depth;
      unsigned workers = kernel.threads / (isGroup ? 128 : 32);
      unsigned count = body.count(isGroup ? "wgmma.mma_async" : "mma.sync");
      EXPECT_GT(count, 0u);
      EXPECT_EQ(kernel.flopsPerStep, flops * workers * count)
          << kernel.name.str();
    }
  }
}

TEST(MachinePtx, IsTakenByTheAssembler) {
  if (!assemblerVersion())
    GTEST_SKIP() << "no ptxas";
  for (auto [capability, isa] :
       {std::pair(80, "sm_80"), std::pair(90, "sm_90a")})
    for (const MachineModule &module : machineModules(capability)) {
      auto assembly = assemblePtx(module.text, isa, Listing::no);
      ASSERT_TRUE(bool(assembly))
          << module.name.str() << ": " << llvm::toString(assembly.takeError());
      for (const KernelReport &kernel : assembly->report.kernels) {
        EXPECT_TRUE(kernel.warnings.empty()) << kernel.name;
        EXPECT_EQ(kernel.spillStores, 0) << kernel.name;
      }
    }
}

} // namespace
