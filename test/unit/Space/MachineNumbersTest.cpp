//===- MachineNumbersTest.cpp - Tests that no name decides ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model's choices depend on a machine's numbers and not on its name.
//
//===----------------------------------------------------------------------===//

#include "../Search/Fixtures.h"
#include "hone/Schedule/MachineFile.h"
#include "hone/Space/Catalogue.h"
#include "hone/Space/CostModel.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace hone;
using namespace hone::test;

namespace {

/// The H200's file after some of its text was replaced.
Arch edited(
    std::initializer_list<std::pair<llvm::StringRef, llvm::StringRef>> edits) {
  std::string text = printMachine(h200());
  for (auto [from, to] : edits) {
    size_t at = text.find(from.str());
    EXPECT_NE(at, std::string::npos) << from.str();
    text.replace(at, from.size(), to.str());
  }
  return llvm::cantFail(parseMachine(text, "edited.machine"));
}

/// Of some problems, the schedule of the catalogue that the model prices
/// lowest.
std::vector<std::string> choicesOn(const Arch &arch) {
  std::vector<std::string> choices;
  for (int64_t m : {16, 333, 2048, 8192})
    for (auto [n, k] :
         {std::pair(256, 8192), std::pair(4096, 4096), std::pair(8192, 64)}) {
      Problem problem = problemOf(m, n, k);
      std::vector<Schedule> all = catalogue(problem, arch);
      auto seconds = [&](const Schedule &schedule) {
        return estimateSeconds(problem, arch, schedule);
      };
      choices.push_back(toString(
          *llvm::min_element(all, [&](const Schedule &a, const Schedule &b) {
            return seconds(a) < seconds(b);
          })));
    }
  return choices;
}

TEST(MachineNumbers, DecideAndNoNameDoes) {
  std::vector<std::string> ours = choicesOn(h200());
  EXPECT_EQ(choicesOn(edited({{"name = h200", "name = other"},
                              {"device = H200", "device = Other"}})),
            ours);
  EXPECT_NE(choicesOn(edited({{"memory_gbs = 4300", "memory_gbs = 2150"}})),
            ours);
  EXPECT_NE(choicesOn(edited({{"processors = 132", "processors = 78"},
                              {"clusters = 66 30 15 7", "clusters = 39 18 9 4"},
                              {"tflops = 989", "tflops = 584"}})),
            ours);
}

} // namespace
