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
#include "hone/Schedule/WarpSpecialized.h"
#include "hone/Space/Catalogue.h"
#include "gtest/gtest.h"

using namespace hone;
using namespace hone::test;
namespace json = llvm::json;

namespace {

std::string answerOf(llvm::ArrayRef<std::string> schedules) {
  std::vector<std::string> strings;
  for (const std::string &schedule : schedules)
    strings.push_back("\"" + schedule + "\"");
  return "{\"plan\":\"none\",\"schedules\":[" + llvm::join(strings, ",") + "]}";
}

/// Returns whether schema and grammar accept an answer; they must agree.
class Form {
public:
  explicit Form(Kinds kinds, size_t max = 4)
      : schema(llvm::cantFail(json::parse(jsonSchema(kinds, max)))),
        grammar(gbnf(kinds, max)) {}

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
  std::string good = "mma_sync, tile = 128x128x64, stages = 3, run = 8, "
                     "group = 4, hint = first, often = 7";
  ASSERT_TRUE(form.takes(answerOf({good})));
  for (auto [from, to] :
       std::initializer_list<std::pair<const char *, const char *>>{
           {"stages = 3", "stages = 13"},
           {"stages = 3", "stages = 03"},
           {"stages = 3", "stages=3"},
           {"stages = 3", "stages = null"},
           {"run = 8", "run = 4"},
           {"128x128x64", "128x128"},
           {"128x128x64", "128x100x64"},
           {"group = 4", "group = 0"},
           {"group = 4", "group = 4, group = 4"},
           {"hint = first", "hint = often"},
           {"hint = first", "hint = 2"},
           {"mma_sync", "mma"}}) {
    std::string bad = good;
    size_t at = bad.find(from);
    ASSERT_NE(at, std::string::npos) << from << " in " << good;
    bad.replace(at, strlen(from), to);
    EXPECT_FALSE(form.takes(answerOf({bad}))) << bad;
  }
}

TEST(Grammar, LeavesOutWhatIsUsual) {
  Form form(kWithOftenHint);
  EXPECT_EQ(toAnswerText(Schedule(oftenHinted())), "mma_sync");
  EXPECT_TRUE(form.takes(answerOf({"mma_sync"})));
  EXPECT_TRUE(form.takes(answerOf({"mma_sync, stages = 3"})));
}

TEST(Grammar, HasRewritesLast) {
  const Kind *const kinds[] = {&WarpSpecialized::kind()};
  Form form(kinds);
  Schedule schedule = llvm::cantFail(
      parseSchedule("ws, stages = 5, rewrites = [flight(0), unroll(peel)]"));
  EXPECT_EQ(toAnswerText(schedule),
            "ws, stages = 5, rewrites = [flight(0), unroll(peel)]");
  EXPECT_TRUE(form.takes(answerOf({toAnswerText(schedule)})));
  EXPECT_TRUE(form.takes(answerOf({"ws, rewrites = [flight(0)]"})));
  EXPECT_FALSE(form.takes(answerOf({"ws, rewrites = []"})));
  EXPECT_FALSE(form.takes(answerOf({"ws, rewrites = [flight(3)]"})));
  EXPECT_FALSE(form.takes(answerOf({"ws, rewrites = [whole(a)]"})));
  EXPECT_FALSE(form.takes(answerOf({"ws, flight = 0"})));
}

//===----------------------------------------------------------------------===//
// A decision more
//===----------------------------------------------------------------------===//

TEST(ToyDecision, IsInTheFormOfAnswers) {
  Form form(kWithOftenHint);
  Schedule schedule(oftenHinted());
  llvm::cantFail(schedule.decide("hint", "last"));
  llvm::cantFail(schedule.decide("often", "4096"));
  std::string text = toAnswerText(schedule);
  EXPECT_EQ(text, "mma_sync, hint = last, often = 4096");
  EXPECT_TRUE(form.takes(answerOf({text})));
  // Without the decision in the table the grammar refuses it.
  const Kind *const plain[] = {&MmaSync::kind()};
  EXPECT_FALSE(Form(plain).takes(answerOf({text})));
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

} // namespace
