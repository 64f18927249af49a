//===- OptionsTest.cpp - Tests of command lines ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that options set, and the status of a wrong command line.
//
//===----------------------------------------------------------------------===//

#include "hone/Command/Options.h"
#include "hone/Command/Command.h"
#include "gtest/gtest.h"

using namespace hone;
using llvm::StringRef;

namespace {
struct Values {
  std::string file, words = "first", list;
  std::vector<int64_t> numbers = {7};
  int64_t count = 3;
  double part = 0.5;
  bool flag = false;

  int run(llvm::ArrayRef<StringRef> args) {
    OptionList options("tool FILE [options]", "Tests options.");
    options.positional("FILE", file, "a file");
    options.add("words", "NAME", words, "one of two", {"first", "second"});
    options.add("list", "NAME;...", list, "names");
    options.add("numbers", "N,...", numbers, "numbers");
    options.add("count", "N", count, "a number");
    options.abbreviate('c', "count");
    options.add("part", "PERCENT", part, 0.01, "a part");
    options.add("flag", flag, "a flag");
    return options.run(args, [&]() -> llvm::Expected<int> {
      if (count == 99)
        return llvm::createStringError("expected another number");
      return kExitSuccess;
    });
  }
};
} // namespace

TEST(Options, SetValues) {
  Values values;
  EXPECT_EQ(values.run({"a.mlir", "--words=second", "--count=5", "--part=25",
                        "--flag"}),
            kExitSuccess);
  EXPECT_EQ(values.file, "a.mlir");
  EXPECT_EQ(values.words, "second");
  EXPECT_EQ(values.count, 5);
  EXPECT_DOUBLE_EQ(values.part, 0.25);
  EXPECT_TRUE(values.flag);
}

TEST(Options, ListsGrowAndReplaceTheDefault) {
  Values values;
  EXPECT_EQ(values.run({"a", "--numbers=1,2", "--numbers=3", "--list=x",
                        "--list=y", "-c", "4"}),
            kExitSuccess);
  EXPECT_EQ(values.numbers, (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(values.list, "x;y");
  EXPECT_EQ(values.count, 4);
}

TEST(Options, AWrongCommandLineHasAStatusOfItsOwn) {
  const std::vector<std::vector<StringRef>> wrong = {
      {},
      {"a", "b"},
      {"a", "--words=third"},
      {"a", "--count=0"},
      {"a", "--count=1", "--count=2"},
      {"a", "--flag=1"},
      {"a", "--unknown"}};
  for (const std::vector<StringRef> &args : wrong)
    EXPECT_EQ(Values().run(args), kExitUsage);
  EXPECT_EQ(Values().run({"a", "--count=99"}), kExitFailure);
}

TEST(Command, RunsTheNamedOne) {
  int ran = 0;
  const Command commands[] = {
      {"one", "the first",
       [&](llvm::ArrayRef<StringRef> args) {
         ran = int(args.size());
         return int(kExitSuccess);
       }},
  };
  CommandGroup group = {"tool", "Tests commands.", ""};
  EXPECT_EQ(runOneOf(commands, {"one", "a", "b"}, group), kExitSuccess);
  EXPECT_EQ(ran, 2);
  EXPECT_EQ(runOneOf(commands, {"two"}, group), kExitUsage);
  EXPECT_EQ(runOneOf(commands, {}, group), kExitUsage);
}
