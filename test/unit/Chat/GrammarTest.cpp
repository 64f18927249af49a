//===- GrammarTest.cpp - Tests of the form of an answer -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schema and grammar must accept every schedule of the space, and refuse
// impossible values of decisions. This test has its own readers of both.
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Grammar.h"
#include "Fixtures.h"
#include "Gbnf.h"
#include "Schema.h"
#include "hone/Chat/Answer.h"
#include "hone/Space/Catalogue.h"
#include "gtest/gtest.h"

using namespace hone;
using namespace hone::test;
namespace json = llvm::json;

namespace {

std::string answerOf(llvm::ArrayRef<std::string> schedules) {
  return "{\"plan\":\"none\",\"schedules\":[" + llvm::join(schedules, ",") +
         "]}";
}

/// Returns whether schema and grammar accept an answer; they must agree.
class Form {
public:
  explicit Form(Kinds kinds, size_t most = 4)
      : schema(llvm::cantFail(json::parse(jsonSchema(kinds, most)))),
        grammar(gbnf(kinds, most)) {}

  bool takes(const std::string &answer) const {
    auto value = json::parse(answer);
    if (!value)
      ADD_FAILURE() << llvm::toString(value.takeError());
    bool byGrammar = grammar.matches(answer);
    EXPECT_EQ(keepsTo(*schema.getAsObject(), *value), byGrammar) << answer;
    return byGrammar;
  }

private:
  json::Value schema;
  Gbnf grammar;
};

TEST(Grammar, TakesTheCatalogue) {
  for (const char *name : {"h200", "a100", "host"}) {
    Arch arch = archOf(name);
    Problem problem = problemOf(512, 512, 512);
    if (arch.isHost())
      problem.a.type = problem.b.type = problem.c = ElementType::f32;
    std::vector<const Kind *> kinds = kindsFor(problem, arch);
    ASSERT_FALSE(kinds.empty());
    Form form(kinds);
    std::vector<Schedule> all = catalogue(problem, arch);
    ASSERT_FALSE(all.empty());
    for (size_t at = 0; at < all.size(); at += 1 + all.size() / 40)
      EXPECT_TRUE(form.takes(answerOf({toAnswerText(all[at])})))
          << toAnswerText(all[at]);
  }
}

TEST(Grammar, ReadsBackWhatItSpells) {
  Problem problem = problemOf(512, 512, 512);
  Arch arch = archOf("h200");
  for (const Schedule &schedule : catalogue(problem, arch)) {
    auto read = parseAnswer(answerOf({toAnswerText(schedule)}),
                            {problem, arch, allKinds(), 1});
    ASSERT_TRUE(!!read);
    ASSERT_EQ(read->schedules.size(), 1u) << read->refused.front().reason;
    EXPECT_EQ(toString(read->schedules.front()), toString(schedule));
  }
}

TEST(Grammar, CountsSchedules) {
  Form form(kWithOftenHint, 3);
  std::string one = toAnswerText(Schedule(oftenHinted()));
  EXPECT_FALSE(form.takes(answerOf({})));
  EXPECT_TRUE(form.takes(answerOf({one})));
  EXPECT_TRUE(form.takes(answerOf({one, one, one})));
  EXPECT_FALSE(form.takes(answerOf({one, one, one, one})));
  EXPECT_FALSE(form.takes("{\"plan\":\"none\"}"));
}

/// Each decision, with a value that it cannot have.
TEST(Grammar, RefusesWhatNoDecisionCanBe) {
  Form form(kWithOftenHint);
  std::string good = toAnswerText(Schedule(oftenHinted()));
  ASSERT_TRUE(form.takes(answerOf({good})));
  for (auto [from, to] :
       std::initializer_list<std::pair<const char *, const char *>>{
           {"\"stages\":4", "\"stages\":13"},
           {"\"stages\":4", "\"stages\":\"4\""},
           {"\"stages\":4", "\"stages\":null"},
           {"\"stages\":4,", ""},
           {"\"run\":2", "\"run\":4"},
           {"128x128x32", "128x128"},
           {"128x128x32", "128x100x32"},
           {"\"group\":8", "\"group\":0"},
           {"\"hint\":\"none\"", "\"hint\":\"often\""},
           {"\"hint\":\"none\"", "\"hint\":2"},
           {"\"kind\":\"mma_sync\"", "\"kind\":\"mma\""}}) {
    std::string bad = good;
    size_t at = bad.find(from);
    ASSERT_NE(at, std::string::npos) << from << " in " << good;
    bad.replace(at, strlen(from), to);
    EXPECT_FALSE(form.takes(answerOf({bad}))) << bad;
  }
}

//===----------------------------------------------------------------------===//
// A decision more
//===----------------------------------------------------------------------===//

TEST(ToyDecision, IsInTheFormOfAnswers) {
  Form form(kWithOftenHint);
  Schedule schedule(oftenHinted());
  EXPECT_NE(toAnswerText(schedule).find("\"hint\":\"none\",\"often\":null}"),
            std::string::npos);
  llvm::cantFail(schedule.decide("hint", "last"));
  llvm::cantFail(schedule.decide("often", "4096"));
  std::string text = toAnswerText(schedule);
  EXPECT_NE(text.find("\"hint\":\"last\",\"often\":4096}"), std::string::npos);
  EXPECT_TRUE(form.takes(answerOf({text})));
  // Without the decision in the table the grammar refuses it.
  const Kind *const plain[] = {&MmaSync::kind()};
  EXPECT_FALSE(Form(plain).takes(answerOf({text})));
}

TEST(ToyDecision, IsInTheWords) {
  std::string words = describeDecisions(kWithOftenHint);
  EXPECT_NE(words.find("- hint: cache hint of the loads. Values: none, first, "
                       "last. Usually none.\n"),
            std::string::npos);
  EXPECT_NE(words.find("- often: loads with the hint. Values: 1 to 4096. "
                       "Usually 1. Costs no new compilation. null where it "
                       "decides nothing.\n"),
            std::string::npos);
}

TEST(ToyDecision, IsReadFromAnswers) {
  Problem problem = problemOf(512, 512, 512);
  Arch arch = archOf("h200");
  auto read = parseAnswer(
      R"([{"kind": "mma_sync", "hint": "last", "often": 7},
          {"kind": "mma_sync", "hint": "none", "often": 7},
          {"kind": "mma_sync", "hint": "never"}])",
      {problem, arch, kWithOftenHint, 8});
  ASSERT_TRUE(!!read);
  ASSERT_EQ(read->schedules.size(), 2u);
  EXPECT_EQ(read->schedules[0]["often"].front(), 7);
  // Without a hint its frequency has no meaning.
  EXPECT_EQ(toString(read->schedules[1]), toString(Schedule(oftenHinted())));
  ASSERT_EQ(read->refused.size(), 1u);
  EXPECT_EQ(read->refused[0].reason,
            "expected 'hint' to be one of none, first, "
            "last, but got 'never'");
}

TEST(Kinds, AreThoseThatCanRunIt) {
  Problem problem = problemOf(512, 512, 512);
  for (const Kind *kind : kindsFor(problem, archOf("h200")))
    EXPECT_FALSE(check(kind->makeDefault(problem, archOf("h200")), &problem));
  EXPECT_LT(kindsFor(problem, archOf("a100")).size(),
            kindsFor(problem, archOf("h200")).size());
  problem.acc = ElementType::f16;
  for (const Kind *kind : kindsFor(problem, archOf("h200")))
    EXPECT_FALSE(kind->refuseTypes(problem));
}

TEST(Laws, AreThoseOfTheKinds) {
  std::string words = describeLaws(kWithOftenHint);
  EXPECT_NE(words.find("- c14 (mma_sync): stages is 2 to 12\n"),
            std::string::npos);
  EXPECT_EQ(words.find("(ws)"), std::string::npos);
}

} // namespace
