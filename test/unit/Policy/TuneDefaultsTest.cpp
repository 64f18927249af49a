//===- TuneDefaultsTest.cpp - Tests of the defaults of tune ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The docs and the pass have the defaults of `hone tune`. test/tools/help.test
// checks its command line, and test/Tuner/same-search.mlir checks that all
// three commands make the same trials and finals.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/TuneDefaults.h"
#include "hone/Policy/LearnedPolicy.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace hone;

static std::string readSource(llvm::StringRef name) {
  llvm::SmallString<128> path(HONE_SOURCE_DIR);
  llvm::sys::path::append(path, name);
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

/// The options in the pass's and a page's lists, as text.
static std::vector<std::pair<std::string, std::string>> listed() {
  SearchOptions search = tuneDefaults();
  return {{"policy", search.policy},
          {"trials", std::to_string(search.trials)},
          {"rewrites", std::to_string(search.rewrites)},
          {"enough", std::to_string(search.enough)},
          {"finalists", std::to_string(search.finalists)},
          {"seed", std::to_string(search.seed)}};
}

TEST(TuneDefaults, ThePagesSayThem) {
  std::string page = readSource("docs/Search.md");
  std::replace(page.begin(), page.end(), '\n', ' '); // lines are broken anew
  for (const auto &[name, value] : listed())
    EXPECT_NE(page.find("| `" + name + "` | " + value + " | "),
              std::string::npos)
        << "expected a row of '" << name << "' with " << value;
  // In words.
  const char *kWords[] = {"none", "one", "two",   "three", "four",
                          "five", "six", "seven", "eight"};
  SearchOptions search = tuneDefaults();
  ASSERT_LE(search.finalists, 8);
  std::string places = kWords[search.finalists];
  EXPECT_NE(page.find("| final | the fastest " + places + " "),
            std::string::npos);
  EXPECT_NE(page.find("They end when " + std::to_string(search.enough) +
                      " in a row (`--enough`) "),
            std::string::npos);
}

TEST(TuneDefaults, ThePassHasNoneOfItsOwn) {
  std::string pass = readSource("lib/Tuner/TunePass.td");
  for (const auto &[name, value] : listed()) {
    size_t option = pass.find("Option<\"" + name + "\"");
    ASSERT_NE(option, std::string::npos) << name;
    std::string text = pass.substr(option, pass.find(">", option) - option);
    EXPECT_NE(text.find("\"::hone::tuneDefaults()." + name + "\""),
              std::string::npos)
        << text;
  }
}

TEST(TuneDefaults, AreCompletedForTheMachine) {
  Schedule built = llvm::cantFail(parseSchedule("host"));
  auto choiceOfBuild = [&]() -> llvm::Expected<BuildChoice> {
    return [&](const Problem &, const Arch &) { return built; };
  };
  SearchOptions search = tuneDefaults();
  Arch h200 = llvm::cantFail(Arch::lookup("h200"));
  EXPECT_EQ(llvm::cantFail(completeSearch(search, h200, /*isMeasured=*/true,
                                          choiceOfBuild)),
            "");
  EXPECT_EQ(search.policy, kHybridPolicy.str());
  EXPECT_EQ(search.rewrites, usualRewrites(kHybridPolicy, search.trials));
  EXPECT_TRUE(search.makePolicy && search.seeds && search.ofBuild);

  // Modelled times have no seeds, and an explicit number of rewrites stays.
  search = tuneDefaults();
  search.rewrites = 5;
  (void)llvm::cantFail(
      completeSearch(search, h200, /*isMeasured=*/false, choiceOfBuild));
  EXPECT_EQ(search.rewrites, 5);
  EXPECT_FALSE(search.seeds);

  search = tuneDefaults();
  search.policy = kDefaultPolicy.str();
  (void)llvm::cantFail(
      completeSearch(search, h200, /*isMeasured=*/true, choiceOfBuild));
  EXPECT_FALSE(search.ofBuild);
}

TEST(TuneDefaults, AnotherPolicyIsSaid) {
  SearchOptions search = tuneDefaults();
  Arch host = llvm::cantFail(Arch::lookup("host"));
  std::string remark = llvm::cantFail(
      completeSearch(search, host, /*isMeasured=*/true, nullptr));
  EXPECT_EQ(search.policy, "evolution");
  EXPECT_NE(remark.find("'evolution' proposes"), std::string::npos) << remark;
  EXPECT_FALSE(search.ofBuild);

  search = tuneDefaults();
  search.policy = "guessing";
  llvm::Expected<std::string> none =
      completeSearch(search, host, /*isMeasured=*/true, nullptr);
  EXPECT_NE(llvm::toString(none.takeError()).find("but got 'guessing'"),
            std::string::npos);
}

/// A policy given as a function, under no known name, stays as it is.
TEST(TuneDefaults, AMakerOfOnesOwnStays) {
  SearchOptions search = tuneDefaults();
  search.policy = "mine";
  bool wasAsked = false;
  search.makePolicy = [&](const Problem &problem, const Arch &arch) {
    wasAsked = true;
    return makePolicy("model", problem, arch, 1, {});
  };
  Arch h200 = llvm::cantFail(Arch::lookup("h200"));
  (void)llvm::cantFail(
      completeSearch(search, h200, /*isMeasured=*/true, nullptr));
  EXPECT_EQ(search.policy, "mine");
  EXPECT_EQ(search.rewrites, 0);
  Problem problem = llvm::cantFail(Problem::parse(
      "m = 64, n = 64, k = 64, a = f16:row:16, b = f16:row:16, acc = f32, "
      "c = f16:16, init = zero"));
  (void)llvm::cantFail(search.makePolicy(problem, h200));
  EXPECT_TRUE(wasAsked);
}
