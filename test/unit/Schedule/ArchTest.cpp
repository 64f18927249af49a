//===- ArchTest.cpp - Tests of the table of chips -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every name leads to a complete arch, and every device to an arch whose code
// and limits hold on it.
//
//===----------------------------------------------------------------------===//

#include "RandomValues.h"
#include "hone/Schedule/MachineFile.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace hone;
using namespace hone::test;

namespace {

TEST(Arch, EveryNameIsFoundAndComplete) {
  std::set<std::string> seen;
  for (llvm::StringRef name : Arch::names()) {
    EXPECT_TRUE(seen.insert(name.str()).second) << name.str();
    Arch arch = llvm::cantFail(Arch::lookup(name));
    EXPECT_EQ(arch.name, name.str());
    EXPECT_FALSE(arch.chip.empty());
    EXPECT_FALSE(arch.isa.empty());
    EXPECT_GT(arch.processors, 0);
    EXPECT_GT(arch.clockGHz, 0);
    EXPECT_GT(arch.memoryGBs, 0);
    EXPECT_GT(arch.peakTflops, 0);
    EXPECT_GT(arch.cacheBytes, 0);
    EXPECT_EQ(arch.isHost(), name == "host");
    if (arch.isHost())
      continue;
    EXPECT_GE(arch.capability, 80);
    EXPECT_EQ(arch.vectorBits, 0);
    EXPECT_TRUE(llvm::StringRef(arch.features).starts_with("+ptx"));
    EXPECT_EQ(arch.features == "+ptx80", arch.capability < 100) << name.str();
    EXPECT_GT(arch.threadsPerProcessor, 0);
    // A block never gets the kilobyte that the driver reserves.
    EXPECT_EQ(arch.sharedPerBlock + 1024, arch.sharedPerProcessor);
  }
}

TEST(Arch, IsaMeansItsReferenceChip) {
  Arch chip = llvm::cantFail(Arch::lookup("h200"));
  EXPECT_EQ(chip.isa, "sm_90a");
  EXPECT_EQ(chip.capability, 90);
  EXPECT_EQ(chip.processors, 132);
  EXPECT_EQ(chip.sharedPerBlock, 232448);
  Arch isa = llvm::cantFail(Arch::lookup("sm_90a"));
  EXPECT_EQ(isa.chip, "h200");
  EXPECT_EQ(isa.isa, "sm_90a");
  Arch plain = llvm::cantFail(Arch::lookup("sm_90"));
  EXPECT_EQ(plain.chip, "h200");
  EXPECT_EQ(plain.isa, "sm_90");
}

TEST(Arch, DescribesTheHost) {
  Arch host = llvm::cantFail(Arch::lookup("host"));
  EXPECT_TRUE(host.isHost());
  EXPECT_TRUE(host.vectorBits == 128 || host.vectorBits == 256 ||
              host.vectorBits == 512);
}

TEST(Arch, RefusesUnknownNames) {
  EXPECT_EQ(messageOf(Arch::lookup("sm_999")),
            "expected arch to be one of a100, h100, h200, b200, sm_80, sm_90a, "
            "..., host, but got 'sm_999'; use hone machine --list");
  llvm::StringRef misspelt = "; did you mean 'b200'?";
  EXPECT_TRUE(
      llvm::StringRef(messageOf(Arch::lookup("b2000"))).ends_with(misspelt));
  EXPECT_EQ(messageOf(Arch::lookup("native")),
            "expected arch to be the name of a chip, but got 'native'; use the "
            "name of the chip");
  EXPECT_NE(messageOf(Arch::lookup("")), "");
  EXPECT_NE(messageOf(Arch::lookup("H200")), "");
}

TEST(Arch, APartIsAMachineOfItsOwn) {
  Arch whole = llvm::cantFail(Arch::lookup("h200"));
  Arch part = llvm::cantFail(Arch::lookup("h200/64"));
  EXPECT_EQ(part.name, "h200/64");
  EXPECT_EQ(part.chip, "h200/64");
  EXPECT_EQ(part.wholeChip(), "h200");
  EXPECT_EQ(whole.wholeChip(), "h200");
  EXPECT_EQ(part.isa, "sm_90a");
  EXPECT_EQ(part.processors, 64);
  EXPECT_EQ(part.residentClusters(2), whole.residentClusters(2) * 64 / 132);
  EXPECT_DOUBLE_EQ(part.peakTflops, whole.peakTflops * 64 / 132);
  EXPECT_EQ(part.cacheBytes, whole.cacheBytes);
  // All of its processors are the chip itself; an instruction set has parts
  // too.
  EXPECT_EQ(llvm::cantFail(Arch::lookup("h200/132")).chip, "h200");
  EXPECT_EQ(llvm::cantFail(Arch::lookup("sm_90a/64")).chip, "h200/64");
}

/// An H100 refuses 12 and 16 blocks in green contexts of 16 to 112 processors.
TEST(Arch, OnlyAWholeChipThatFitsLargeClustersLaunchesThem) {
  auto maxOf = [](llvm::StringRef name) {
    Arch arch = llvm::cantFail(Arch::lookup(name));
    EXPECT_EQ(arch.residentClusters(arch.maxClusterBlocks() + 1), 0);
    EXPECT_GT(arch.residentClusters(arch.maxClusterBlocks()), 0);
    return arch.maxClusterBlocks();
  };
  for (llvm::StringRef name : {"h200", "h100", "gh200", "h200/132"})
    EXPECT_EQ(maxOf(name), 16) << name.str();
  for (llvm::StringRef name :
       {"h200/128", "h100/16", "h20", "h100-pcie", "sm_90", "sm_90a",
        "sm_90a/64", "b200", "sm_100a", "rtx5090", "sm_120"})
    EXPECT_EQ(maxOf(name), 8) << name.str();
  for (llvm::StringRef name : {"a100", "sm_86", "rtx4090/64", "l40s"})
    EXPECT_EQ(maxOf(name), 1) << name.str();
  // An instance of MIG, and a chip that is not in the table.
  EXPECT_EQ(llvm::cantFail(Arch::lookupDevice(90, "NVIDIA H200", 60))
                .maxClusterBlocks(),
            8);
  EXPECT_EQ(
      llvm::cantFail(Arch::lookupDevice(90, "NVIDIA H900")).maxClusterBlocks(),
      8);
}

TEST(Arch, RefusesPartsThatThereAreNot) {
  for (llvm::StringRef name : {"h200/0", "h200/-4", "h200/133"})
    EXPECT_EQ(messageOf(Arch::lookup(name)),
              ("expected 1 to 132 processors of 'h200', but got " +
               name.split('/').second)
                  .str());
  EXPECT_EQ(messageOf(Arch::lookup("h200/half")),
            "expected arch to have a number of processors after '/', but got "
            "'h200/half'");
  EXPECT_EQ(messageOf(Arch::lookup("host/2")),
            "expected a part of a GPU, but got one of 'host'");
  EXPECT_EQ(messageOf(llvm::cantFail(Arch::lookup("h200/64")).part(8)),
            "expected a part of a GPU, but got one of 'h200/64'");
  EXPECT_NE(messageOf(Arch::lookup("h300/64")), "");
  EXPECT_NE(messageOf(Arch::lookup("h200/64/8")), "");
}

TEST(Arch, FindsDevicesByName) {
  auto nameOf = [](int capability, llvm::StringRef name) {
    return llvm::cantFail(Arch::lookupDevice(capability, name)).name;
  };
  EXPECT_EQ(nameOf(90, "NVIDIA H200"), "h200");
  EXPECT_EQ(nameOf(90, "NVIDIA H100 80GB HBM3"), "h100");
  EXPECT_EQ(nameOf(90, "NVIDIA H100 PCIe"), "h100-pcie");
  EXPECT_EQ(nameOf(90, "NVIDIA H100 NVL"), "h100-nvl");
  EXPECT_EQ(nameOf(90, "NVIDIA H800"), "h800");
  EXPECT_EQ(nameOf(90, "NVIDIA H20"), "h20");
  EXPECT_EQ(nameOf(90, "NVIDIA GH200 480GB"), "gh200");
  EXPECT_EQ(nameOf(80, "NVIDIA A100-SXM4-40GB"), "a100");
  EXPECT_EQ(nameOf(86, "NVIDIA GeForce RTX 3090"), "rtx3090");
  EXPECT_EQ(nameOf(89, "NVIDIA L40S"), "l40s");
  EXPECT_EQ(nameOf(89, "NVIDIA GeForce RTX 4090"), "rtx4090");
  EXPECT_EQ(nameOf(100, "NVIDIA B200"), "b200");
  EXPECT_EQ(nameOf(120, "NVIDIA GeForce RTX 5090"), "rtx5090");
  EXPECT_EQ(nameOf(120, "NVIDIA RTX PRO 6000 Blackwell Server Edition"),
            "rtxpro6000");
  EXPECT_EQ(nameOf(121, "NVIDIA GB10"), "gb10");
}

TEST(Arch, TakesADeviceOfFewerProcessorsForAPart) {
  auto nameOf = [](llvm::StringRef name, int64_t processors) {
    return llvm::cantFail(Arch::lookupDevice(90, name, processors)).name;
  };
  EXPECT_EQ(nameOf("NVIDIA H100 80GB HBM3", 132), "h100");
  EXPECT_EQ(nameOf("NVIDIA H100 80GB HBM3 MIG 3g.40gb", 60), "h100/60");
  EXPECT_EQ(nameOf("NVIDIA H200", 200), "h200");
  EXPECT_EQ(nameOf("NVIDIA H900", 78), "sm_90a/78");
}

TEST(Arch, EqualsOneWithTheSameFacts) {
  const Arch arch = llvm::cantFail(Arch::lookup("h200"));
  EXPECT_TRUE(arch == llvm::cantFail(Arch::lookup("h200")));
  auto isEqualAfter = [&](llvm::function_ref<void(Arch &)> change) {
    Arch other = arch;
    change(other);
    return other == arch;
  };
  EXPECT_FALSE(isEqualAfter([](Arch &other) { other.name += "2"; }));
  EXPECT_FALSE(isEqualAfter([](Arch &other) { other.driver += "2"; }));
  EXPECT_FALSE(isEqualAfter([](Arch &other) { ++other.capability; }));
  EXPECT_FALSE(isEqualAfter([](Arch &other) { ++other.sharedPerBlock; }));
  EXPECT_FALSE(isEqualAfter([](Arch &other) { other.isMeasured ^= true; }));
  // Every rate counts.
  std::vector<std::string> rates;
  Arch copy = arch;
  forEachRate(
      copy, [&](llvm::StringRef key, double &) { rates.push_back(key.str()); });
  ASSERT_FALSE(rates.empty());
  for (const std::string &changed : rates)
    EXPECT_FALSE(isEqualAfter([&](Arch &other) {
      forEachRate(other, [&](llvm::StringRef key, double &rate) {
        rate += key == changed;
      });
    })) << changed;
}

TEST(Arch, FallsBackToTheInstructionSet) {
  auto isaOf = [](int capability, llvm::StringRef name) {
    Arch arch = llvm::cantFail(Arch::lookupDevice(capability, name));
    EXPECT_EQ(arch.name, arch.isa);
    return arch.isa;
  };
  EXPECT_EQ(isaOf(90, "NVIDIA H900"), "sm_90a");
  EXPECT_EQ(isaOf(80, "NVIDIA A30"), "sm_80");
  EXPECT_EQ(isaOf(86, "NVIDIA A10"), "sm_86");
  EXPECT_EQ(isaOf(87, "Orin"), "sm_86");
  EXPECT_EQ(isaOf(89, "NVIDIA L4"), "sm_89");
  EXPECT_EQ(isaOf(100, "NVIDIA B100"), "sm_100");
  EXPECT_EQ(isaOf(120, "NVIDIA GeForce RTX 5060"), "sm_120");
  // A minor version that is in no table runs the code of the one before.
  EXPECT_EQ(isaOf(101, "NVIDIA B150"), "sm_100");
  EXPECT_EQ(isaOf(129, "NVIDIA GeForce RTX 5010"), "sm_121");
  // Another generation runs PTX for sm_89, and may have as little shared memory
  // as that.
  EXPECT_EQ(isaOf(95, "NVIDIA H950"), "sm_89");
  EXPECT_EQ(isaOf(130, "NVIDIA R100"), "sm_89");
}

TEST(Arch, RefusesOldDevices) {
  EXPECT_EQ(messageOf(Arch::lookupDevice(75, "Tesla T4")),
            "expected a device of compute capability 8.0 or newer, but got 7.5 "
            "('Tesla T4')");
}

} // namespace
