//===- MachineFileTest.cpp - Tests of machine files -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every machine reads back as itself, and no text that is not one is taken for
// one.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/MachineFile.h"
#include "RandomValues.h"
#include "hone/Text/File.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace hone;
using namespace hone::test;

namespace {

constexpr llvm::StringLiteral kText = R"(# A made-up GPU.
hone-machine 1
name = made-up.1
device = Made Up 1 # as its driver says
isa = sm_90a
capability = 90
processors = 100
shared_per_block = 232448
shared_per_processor = 233472
threads_per_processor = 2048
registers_per_processor = 65536
clusters = 50 24 12 6
clock_ghz = 1.5
memory_gbs = 2000.5
tflops = 800
cache_bytes = 50000000
clock_load_ghz = 1.25
atomic_seconds = 4.5e-7
source = measured
)";

/// The text with one line replaced, or removed.
std::string with(llvm::StringRef key, llvm::StringRef line) {
  std::string text = kText.str();
  size_t begin = text.find("\n" + key.str()) + 1;
  size_t end = text.find('\n', begin) + 1;
  return text.replace(begin, end - begin,
                      line.empty() ? "" : line.str() + "\n");
}

std::string faultOfText(llvm::StringRef text) {
  return messageOf(parseMachine(text, "x.machine"));
}

Arch parsedMachine(llvm::StringRef text) {
  return llvm::cantFail(parseMachine(text, "x.machine"));
}

/// A file of this name in a folder of its own.
class MachineFile : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("machine", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }
  std::string write(llvm::StringRef name, llvm::StringRef text) {
    std::string path = (folder + "/" + name).str();
    llvm::cantFail(writeFile(path, text));
    return path;
  }
  llvm::SmallString<128> folder;
};

TEST_F(MachineFile, HasTheNumbersOfItsLines) {
  Arch arch = parsedMachine(kText);
  EXPECT_EQ(arch.chip, "made-up.1");
  EXPECT_EQ(arch.device, "Made Up 1");
  EXPECT_EQ(arch.isa, "sm_90a");
  EXPECT_EQ(arch.capability, 90);
  EXPECT_EQ(arch.features, "+ptx80");
  EXPECT_EQ(arch.processors, 100);
  EXPECT_EQ(arch.residentClusters(4), 24);
  EXPECT_EQ(arch.memoryGBs, 2000.5);
  EXPECT_EQ(arch.cacheBytes, 50000000);
  EXPECT_EQ(arch.measured.clockGHz, 1.25);
  EXPECT_EQ(arch.measured.atomicSeconds, 4.5e-7);
  EXPECT_EQ(arch.measured.l2GBs, 0);
  EXPECT_TRUE(arch.isMeasured);
}

TEST_F(MachineFile, EveryMachineReadsBack) {
  std::vector<Arch> machines = {parsedMachine(kText),
                                llvm::cantFail(Arch::lookup("h200/64"))};
  for (llvm::StringRef name : Arch::names())
    if (name != "host")
      machines.push_back(llvm::cantFail(Arch::lookup(name)));
  for (Arch &arch : machines) {
    arch.name = arch.chip;
    EXPECT_TRUE(parsedMachine(printMachine(arch)) == arch)
        << printMachine(arch);
    EXPECT_EQ(machineToJson(arch).getInteger("processors"), arch.processors);
  }
}

TEST_F(MachineFile, RefusesWhatCannotBeTrue) {
  const std::pair<std::string, llvm::StringRef> kCases[] = {
      {with("processors", "processors = 0"),
       "machine file 'x.machine', line 7: expected 'processors' to be a whole "
       "number of 1 to 1024, but got '0'"},
      {with("processors", "processors = 99999999999999999999"),
       "to be a whole number of 1 to 1024, but got '99999999999999999999'"},
      {with("processors", "processors = -1"), "line 7: expected 'processors'"},
      {with("memory_gbs", "memory_gbs = 0"),
       "line 14: expected 'memory_gbs' to be a number of 1 to 1000000, but got "
       "'0'"},
      {with("memory_gbs", "memory_gbs = nan"), "'memory_gbs' to be a number"},
      {with("memory_gbs", "memory_gbs = 1e999"), "'memory_gbs' to be a number"},
      {with("clusters", "clusters = 24 50 12 6"),
       "expected 'clusters' to be no more clusters than of half the size"},
      {with("clusters", "clusters = 50 24 12"), "to be four numbers"},
      {with("clusters", "clusters = 51 24 12 6"),
       "'clusters' of 2 blocks to be 50 or fewer on so many processors"},
      {with("shared_per_block", "shared_per_block = 233473"),
       "'shared_per_block' to be 'shared_per_processor' or less"},
      {with("capability", "capability = 80"),
       "'capability' to be 90, that of sm_90a, but got '80'"},
      {with("isa", "isa = sm_90b"), "'isa' to be one of sm_80"},
      {with("name", "name = Made Up"), "'name' to be small letters"},
      {with("name", "name = made-up.machine"), "'name' to be small letters"},
      {with("name", "name = native"), "'name' to be small letters"},
      {with("name", "name = sm_90a/64"), "'name' to be small letters"},
      {with("name", "name = made-up/99"),
       "'processors' to be 99, as in the name, but got 100"},
      {with("source", "source = guessed"), "to be published or measured"},
      {with("clock_ghz", "clock_gz = 1.5"), "did you mean 'clock_ghz'?"},
      {with("clock_ghz", "memory_gbs = 1.5"),
       "line 14: expected one 'memory_gbs', but got two"},
      {with("clock_ghz", "clock_ghz"), "expected 'key = value'"},
      {with("clock_ghz", ""), "expected 'clock_ghz = ...' before the end"},
      {with("hone-machine", "hone-machine 2"),
       "line 2: expected 'hone-machine 1', but got 'hone-machine 2'"},
      {with("hone-machine", ""), "line 2: expected 'hone-machine 1'"},
      {"", "line 0: expected 'hone-machine 1', but got the end of the file"},
      {kText.str() + kText.str(), "expected one machine, but got 2"},
  };
  for (const auto &[text, fault] : kCases)
    EXPECT_NE(faultOfText(text).find(fault.str()), std::string::npos)
        << faultOfText(text) << "\ninstead of\n"
        << fault.str();
}

TEST_F(MachineFile, RefusesATruncatedOne) {
  std::string text = printMachine(parsedMachine(kText));
  for (size_t size = 0; size < text.size(); ++size)
    EXPECT_NE(faultOfText(llvm::StringRef(text).take_front(size)), "") << size;
}

/// Every accepted file prints as a text that reads as the same machine.
TEST_F(MachineFile, WithADamagedByteIsRefusedOrReadsBack) {
  std::string text = kText.str();
  size_t taken = 0;
  for (size_t i = 0; i < text.size(); ++i)
    for (char byte : {'\0', '\n', ' ', '9', '=', '#', '\xff'}) {
      std::string damaged = text;
      damaged[i] = byte;
      auto arch = parseMachine(damaged, "x.machine");
      if (!arch) {
        llvm::consumeError(arch.takeError());
        continue;
      }
      ++taken;
      EXPECT_TRUE(parsedMachine(printMachine(*arch)) == *arch) << damaged;
    }
  EXPECT_GT(taken, 0u);
}

TEST_F(MachineFile, IsAnArchByItsPath) {
  std::string path = write("made-up.machine", kText);
  Arch arch = llvm::cantFail(Arch::lookup(path));
  EXPECT_EQ(arch.name, path);
  EXPECT_EQ(arch.chip, "made-up.1");
  EXPECT_TRUE(Arch::isFile(path));
  Arch part = llvm::cantFail(Arch::lookup(path + "/32"));
  EXPECT_TRUE(Arch::isFile(part.name));
  EXPECT_EQ(part.name, path + "/32");
  EXPECT_EQ(part.chip, "made-up.1/32");
  EXPECT_EQ(part.wholeChip(), "made-up.1");
  EXPECT_EQ(part.processors, 32);
  EXPECT_EQ(part.memoryGBs, arch.memoryGBs);
  EXPECT_FALSE(Arch::isFile("h200"));
  EXPECT_FALSE(Arch::isFile("h200/64"));
}

TEST_F(MachineFile, ThatIsMissingIsNamed) {
  std::string path = (folder + "/none.machine").str();
  EXPECT_NE(messageOf(Arch::lookup(path)).find("none.machine"),
            std::string::npos);
  EXPECT_NE(messageOf(Arch::lookup(path + "/8")).find("none.machine"),
            std::string::npos);
  path = write("large.machine", std::string((1 << 20) + 1, '#'));
  EXPECT_NE(messageOf(Arch::lookup(path)).find("a machine file of at most"),
            std::string::npos);
}

} // namespace
