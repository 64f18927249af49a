//===- KernelAnswerTest.cpp - Tests of answers with kernels ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/KernelAnswer.h"
#include "test/unit/Chat/Gbnf.h"
#include "test/unit/Chat/Schema.h"
#include "gtest/gtest.h"

using namespace hone;
using namespace hone::test;

namespace {

constexpr llvm::StringLiteral kGood =
    R"({"plan":"less","candidates":[)"
    R"j({"parent":"k1","rewrites":["flight(0)","unroll(2)"],"edits":[]},)j"
    R"({"parent":"k2","rewrites":[],"edits":[{"find":"a\nb","replace":""}]}]})";

KernelAnswer answerOf(llvm::StringRef text) {
  auto answer = parseKernelAnswer(text);
  if (answer)
    return *answer;
  ADD_FAILURE() << llvm::toString(answer.takeError());
  return {};
}

std::string candidates(const std::string &list) {
  return "{\"plan\":\"x\",\"candidates\":[" + list + "]}";
}

TEST(KernelAnswer, ReadsRewritesAndEdits) {
  for (std::string text : {kGood.str(), "<think>{\"a\": 1} {" + candidates("") +
                                            "</think>```json\n" + kGood.str() +
                                            "\n```\nGood luck."}) {
    KernelAnswer answer = answerOf(text);
    EXPECT_EQ(answer.plan, "less");
    ASSERT_EQ(answer.changes.size(), 2u);
    EXPECT_EQ(answer.changes[0].parent, "k1");
    EXPECT_EQ(answer.changes[0].rewrites.back(), "unroll(2)");
    EXPECT_EQ(answer.changes[1].edits.front().find, "a\nb");
    EXPECT_TRUE(answer.refused.empty());
  }
}

TEST(KernelAnswer, IsSpelledAsItIsRead) {
  for (const KernelChange &change : answerOf(kGood).changes) {
    KernelAnswer again = answerOf(candidates(change.str()));
    ASSERT_EQ(again.changes.size(), 1u);
    EXPECT_EQ(again.changes[0].str(), change.str());
  }
}

TEST(KernelAnswer, RefusesEachFaultyCandidateForItself) {
  std::string good = R"j({"parent":"k1","rewrites":["flight(0)"]})j";
  for (
      const char *bad :
      {"1", "null", "[]", "{}", R"({"parent":1,"rewrites":["x"]})",
       R"({"parent":"k1"})", R"({"parent":"k1","rewrites":[],"edits":[]})",
       R"({"parent":"k1","rewrites":["x"],"edits":[{"find":"","replace":""}]})",
       R"({"parent":"k1","rewrites":"x"})", R"({"parent":"k1","rewrites":[1]})",
       R"({"parent":"k1","edits":[{"find":"a"}]})",
       R"({"parent":"k1","edits":["a"]})"}) {
    KernelAnswer answer = answerOf(candidates(std::string(bad) + "," + good));
    EXPECT_EQ(answer.changes.size(), 1u) << bad;
    ASSERT_EQ(answer.refused.size(), 1u) << bad;
    EXPECT_TRUE(llvm::StringRef(answer.refused[0]).starts_with("expected"));
  }
}

TEST(KernelAnswer, LeavesOutCandidatesBeyondTheEighth) {
  std::string one = R"j({"parent":"k1","rewrites":["flight(0)"]})j", all = one;
  for (int more = 0; more < 100; ++more)
    all += "," + one;
  EXPECT_EQ(answerOf(candidates(all)).changes.size(), kMaxCandidates);
}

TEST(KernelAnswer, IsAnErrorWithoutCandidates) {
  for (const std::string &text :
       {std::string(), std::string("I would rather not."), std::string("{}"),
        std::string("}{"), std::string(R"({"candidates":1})"),
        kGood.str().substr(0, 60), std::string(100'000, '{'),
        std::string(100'000, '[')}) {
    auto answer = parseKernelAnswer(text);
    EXPECT_FALSE(bool(answer)) << text.substr(0, 60);
    llvm::consumeError(answer.takeError());
  }
}

TEST(KernelAnswer, HasAFormThatAcceptsIt) {
  std::vector<std::string> parents = {"k1", "k2"};
  auto schema = llvm::cantFail(llvm::json::parse(kernelAnswerSchema(parents)));
  Gbnf grammar(kernelAnswerGrammar(parents));
  auto takes = [&](const std::string &text) {
    auto value = llvm::cantFail(llvm::json::parse(text));
    return std::pair(keepsTo(*schema.getAsObject(), value),
                     grammar.matches(text));
  };
  EXPECT_EQ(takes(kGood.str()), std::pair(true, true));
  EXPECT_EQ(takes(R"({"plan":"x","candidates":[]})"), std::pair(false, false));
  EXPECT_EQ(takes(candidates(
                R"j({"parent":"k3","rewrites":["flight(0)"],"edits":[]})j")),
            std::pair(false, false));
}

} // namespace
