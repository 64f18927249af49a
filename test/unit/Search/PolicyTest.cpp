//===- PolicyTest.cpp - Tests of the proposals of policies ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The guarantees of Policy.h: no illegal proposal, no repetition, and the same
// proposals for the same seed; and the purpose of each policy.
//
//===----------------------------------------------------------------------===//

#include "hone/Search/Policy.h"
#include "Fixtures.h"
#include "hone/Schedule/BySchedule.h"
#include "hone/Schedule/MmaSync.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "hone/Space/Catalogue.h"
#include "hone/Space/CostModel.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace hone;
using namespace hone::test;

namespace {

using Measure = FakeEvaluator::Measure;

std::unique_ptr<Policy> policyOf(llvm::StringRef name, const Problem &problem,
                                 int64_t seed = 1, Arch arch = h200(),
                                 Within isWithin = {}) {
  return llvm::cantFail(makePolicy(name, problem, arch, seed, isWithin));
}

std::vector<std::string> textsOf(llvm::ArrayRef<Schedule> schedules) {
  std::vector<std::string> texts;
  for (const Schedule &schedule : schedules)
    texts.push_back(toString(schedule));
  return texts;
}

Measurement plainTime(const Schedule &schedule) {
  return okIn(timeOf(schedule));
}

/// The proposals of a policy, `atOnce` at a time. It receives every result, the
/// last first if `backwards`.
std::vector<Schedule> proposalsOf(Policy &policy, size_t count,
                                  Measure measure = plainTime,
                                  size_t atOnce = 8, bool backwards = false) {
  std::vector<Schedule> all, unsent;
  while (all.size() < count) {
    std::vector<Schedule> some =
        policy.propose(std::min(atOnce, count - all.size()));
    all.insert(all.end(), some.begin(), some.end());
    unsent.insert(unsent.end(), some.begin(), some.end());
    if (!some.empty() && !policy.isWaiting())
      continue;
    if (unsent.empty())
      break;
    // Results arrive only where it has no proposal, or at random places in
    // between.
    if (!some.empty() && all.size() % 3)
      continue;
    if (backwards)
      std::reverse(unsent.begin(), unsent.end());
    for (const Schedule &schedule : unsent)
      policy.receive(schedule, measure(schedule));
    unsent.clear();
  }
  return all;
}

/// Shapes, layouts and types of every kind.
std::vector<Problem> manyProblems() {
  std::vector<Problem> problems = {
      problemOf(1, 1, 1),          problemOf(16, 4096, 4096),
      problemOf(64, 64, 16384),    problemOf(512, 512, 512, Order::row),
      problemOf(8192, 8192, 8192), problemOf(1000, 1000, 1000, Order::row)};
  Problem odd = problemOf(333, 1001, 777);
  odd.a.align = odd.b.align = odd.alignC = 2;
  problems.push_back(odd);
  Problem batched = problemOf(128, 256, 512);
  batched.batch = 12;
  batched.b.shared = true;
  problems.push_back(batched);
  Problem turned = problemOf(384, 768, 4096, Order::row);
  turned.a.order = Order::col;
  turned.a.type = turned.b.type = ElementType::bf16;
  turned.c = ElementType::f32;
  turned.epilogue = "addf(acc, n:f32) | exp($0)";
  problems.push_back(turned);
  return problems;
}

TEST(Policy, UnknownNamesAreErrors) {
  auto policy = makePolicy("best", problemOf(64, 64, 64), h200(), 1);
  ASSERT_FALSE(bool(policy));
  EXPECT_EQ(llvm::toString(policy.takeError()),
            "expected a policy, but got 'best'; use default, model, "
            "exhaustive, random or evolution");
}

TEST(Policy, ProposesWhatIsLegalAndEachOnce) {
  for (llvm::StringRef chip : {"h200", "a100"})
    for (const Problem &problem : manyProblems())
      for (llvm::StringRef name : policyNames()) {
        Arch arch = archOf(chip);
        auto policy = policyOf(name, problem, 1, arch);
        std::vector<Schedule> proposals = proposalsOf(*policy, 60);
        detail::ScheduleSet seen;
        for (const Schedule &schedule : proposals) {
          EXPECT_EQ(check(schedule, &problem, &arch).value_or("legal"),
                    "legal");
          EXPECT_TRUE(seen.insert(schedule).second)
              << name.str() << ": " << toString(schedule);
        }
        EXPECT_EQ(proposals.size(), name == "default" ? 1u : 60u)
            << name.str() << " on " << chip.str() << ": " << problem.str();
      }
}

TEST(Policy, ProposesNothingWhereNoFamilyRuns) {
  Problem problem = problemOf(64, 64, 64);
  problem.a.type = problem.b.type = ElementType::e4m3;
  for (llvm::StringRef name : policyNames()) {
    auto policy = policyOf(name, problem);
    EXPECT_TRUE(policy->propose(8).empty()) << name.str();
    EXPECT_FALSE(policy->isWaiting()) << name.str();
  }
}

TEST(Policy, SearchesTheHost) {
  Arch host = archOf("host");
  Problem problem = problemOf(512, 512, 512);
  problem.a.type = problem.b.type = problem.c = ElementType::f32;
  for (llvm::StringRef name : {"model", "exhaustive", "random", "evolution"}) {
    auto policy = policyOf(name, problem, 1, host);
    std::vector<Schedule> proposals = proposalsOf(*policy, 20);
    EXPECT_EQ(proposals.size(), 20u) << name.str();
    for (const Schedule &schedule : proposals)
      EXPECT_FALSE(check(schedule, &problem, &host)) << toString(schedule);
  }
}

TEST(Policy, TheSameSeedProposesTheSame) {
  Problem problem = problemOf(1024, 1024, 1024);
  for (llvm::StringRef name : policyNames()) {
    auto one = policyOf(name, problem, 7), two = policyOf(name, problem, 7);
    EXPECT_EQ(textsOf(proposalsOf(*one, 80)), textsOf(proposalsOf(*two, 80)))
        << name.str();
  }
  for (llvm::StringRef name : {"random", "evolution"}) {
    auto one = policyOf(name, problem, 7), two = policyOf(name, problem, 8);
    EXPECT_NE(textsOf(proposalsOf(*one, 80)), textsOf(proposalsOf(*two, 80)))
        << name.str();
  }
}

TEST(Policy, OtherProblemsDrawOtherNumbers) {
  auto one = policyOf("random", problemOf(1024, 1024, 1024)),
       two = policyOf("random", problemOf(1024, 1024, 2048));
  EXPECT_NE(textsOf(one->propose(20)), textsOf(two->propose(20)));
}

/// The proposals do not depend on the order of replies or the number requested.
TEST(Policy, TheOrderOfRepliesDoesNotMatter) {
  Problem problem = problemOf(1024, 1024, 1024);
  for (llvm::StringRef name : policyNames()) {
    auto one = policyOf(name, problem), two = policyOf(name, problem);
    EXPECT_EQ(textsOf(proposalsOf(*one, 64, plainTime, 8)),
              textsOf(proposalsOf(*two, 64, plainTime, 3, /*backwards=*/true)))
        << name.str();
  }
}

TEST(Policy, StaysWithinWhatItMay) {
  Problem problem = problemOf(512, 512, 512);
  std::vector<Schedule> all = catalogue(problem, h200());
  detail::ScheduleSet some;
  for (size_t at = 0; at < all.size(); at += 5)
    some.insert(all[at]);
  Within isWithin = [&](const Problem &, const Schedule &schedule) {
    return some.count(schedule) > 0;
  };
  for (llvm::StringRef name : policyNames()) {
    auto policy = policyOf(name, problem, 1, h200(), isWithin);
    std::vector<Schedule> proposals = proposalsOf(*policy, 1000);
    for (const Schedule &schedule : proposals)
      EXPECT_TRUE(some.count(schedule))
          << name.str() << ": " << toString(schedule);
    // A list has all schedules; random draws may miss a few.
    if (name != "default")
      EXPECT_GE(proposals.size(), some.size() * 9 / 10) << name.str();
  }
}

/// Operands that the copy engine cannot read run directly where they are packed
/// first or loaded by threads, and never by a sibling kernel.
TEST(Policy, UnalignedOperandsRunAsTheyAre) {
  Problem odd = problemOf(333, 1001, 777);
  odd.a.align = odd.b.align = odd.alignC = 2;
  for (llvm::StringRef name : policyNames()) {
    auto policy = policyOf(name, odd);
    for (const Schedule &schedule : proposalsOf(*policy, 40))
      EXPECT_FALSE(checkMemory(schedule, odd)) << name.str();
  }
}

TEST(Policy, DefaultIsTheDefault) {
  Problem problem = problemOf(512, 512, 512);
  auto policy = policyOf("default", problem);
  EXPECT_EQ(textsOf(proposalsOf(*policy, 10)),
            textsOf({defaultSchedule(problem, h200())}));
}

TEST(Policy, ModelIsInTheOrderOfTheModel) {
  Problem problem = problemOf(512, 512, 512);
  std::vector<Schedule> all = catalogue(problem, h200());
  auto policy = policyOf("model", problem);
  std::vector<Schedule> proposals = proposalsOf(*policy, 100000);
  EXPECT_GT(proposals.size(), all.size());
  EXPECT_TRUE(llvm::is_sorted(
      proposals, [&](const Schedule &first, const Schedule &second) {
        return estimateSeconds(problem, h200(), first) <
               estimateSeconds(problem, h200(), second);
      }));
}

TEST(Policy, ExhaustiveBeginsWithTheCatalogue) {
  Problem problem = problemOf(512, 512, 512);
  std::vector<Schedule> all = catalogue(problem, h200());
  for (Schedule &schedule : all)
    schedule = settled(schedule, problem);
  auto policy = policyOf("exhaustive", problem);
  std::vector<Schedule> proposals = proposalsOf(*policy, 100000);
  ASSERT_GT(proposals.size(), all.size());
  EXPECT_EQ(textsOf(llvm::ArrayRef(proposals).take_front(all.size())),
            textsOf(all));
}

/// The kind of a schedule, and its decisions with words as values.
std::string tileFormOf(const Schedule &schedule) {
  std::string form = schedule.kind().name.str();
  for (const Schedule::Decided &one : schedule.decided())
    if (!one.decision->isRewrite && !one.decision->isSettled &&
        (!one.decision->words.empty() || one.decision->name == "teams"))
      form += ", " + one.text();
  return form;
}

TEST(RandomPolicy, ReachesEveryForm) {
  Problem problem = problemOf(512, 512, 512);
  auto policy = policyOf("random", problem);
  std::map<std::string, int> listed, drawn;
  for (const Schedule &schedule : catalogue(problem, h200()))
    ++listed[tileFormOf(schedule)];
  for (const Schedule &schedule : policy->propose(600))
    ++drawn[tileFormOf(schedule)];
  EXPECT_GE(listed.size(), 6u);
  for (auto [form, count] : listed)
    EXPECT_GE(drawn[form], 20) << form;
}

TEST(RandomPolicy, LeavesTheCatalogue) {
  Problem problem = problemOf(512, 512, 512);
  std::set<std::string> listed;
  for (const Schedule &schedule : catalogue(problem, h200()))
    listed.insert(toString(schedule));
  auto policy = policyOf("random", problem);
  size_t outside = 0;
  for (const std::string &text : textsOf(policy->propose(100)))
    outside += !listed.count(text);
  EXPECT_GT(outside, 50u);
}

TEST(EvolutionPolicy, StartsAsTheModel) {
  Problem problem = problemOf(512, 512, 512);
  std::vector<Schedule> model = policyOf("model", problem)->propose(16);
  model.push_back(defaultSchedule(problem, h200()));
  auto policy = policyOf("evolution", problem);
  std::vector<std::string> first = textsOf(policy->propose(100));
  // The default competes from the first generation on.
  std::vector<std::string> wanted = textsOf(model);
  EXPECT_EQ(std::set<std::string>(first.begin(), first.end()),
            std::set<std::string>(wanted.begin(), wanted.end()));
}

TEST(EvolutionPolicy, WaitsForAGeneration) {
  auto policy = policyOf("evolution", problemOf(512, 512, 512));
  std::vector<Schedule> first = policy->propose(100);
  EXPECT_TRUE(policy->isWaiting());
  for (const Schedule &schedule : llvm::drop_begin(first)) {
    EXPECT_TRUE(policy->propose(100).empty());
    policy->receive(schedule, plainTime(schedule));
  }
  EXPECT_TRUE(policy->isWaiting());
  policy->receive(first.front(), failed(Status::timeout, "it said nothing"));
  EXPECT_FALSE(policy->isWaiting());
  EXPECT_EQ(policy->propose(100).size(), 8u);
}

/// Known results are not proposed again, and are built upon.
TEST(EvolutionPolicy, GoesOnFromWhatIsKnown) {
  Problem problem = problemOf(512, 512, 512);
  auto before = policyOf("evolution", problem);
  std::vector<Schedule> known = proposalsOf(*before, 40);
  auto policy = policyOf("evolution", problem);
  for (const Schedule &schedule : known)
    policy->receive(schedule, plainTime(schedule));
  std::set<std::string> seen;
  for (const std::string &text : textsOf(known))
    seen.insert(text);
  std::vector<Schedule> more = proposalsOf(*policy, 40);
  EXPECT_EQ(more.size(), 40u);
  for (const std::string &text : textsOf(more))
    EXPECT_FALSE(seen.count(text)) << text;
}

/// Persistent blocks whose consumers share whole tiles.
bool isCooperative(const Schedule &schedule) {
  if (!WarpSpecialized::are(schedule))
    return false;
  WarpSpecialized knobs(schedule);
  return knobs.persistent && knobs.teams == 1 && !knobs.streams;
}

/// The number of cooperative proposals after the first generation.
size_t laterCooperative(llvm::ArrayRef<Schedule> proposals) {
  return llvm::count_if(proposals.drop_front(17), isCooperative);
}

/// A form that fails here gets random and a few more trials only.
TEST(EvolutionPolicy, LeavesWhatFails) {
  Problem problem = problemOf(4096, 4096, 4096);
  auto measure = [&](const Schedule &schedule) {
    if (isCooperative(schedule))
      return failed(Status::fault, "the launch failed");
    return okIn(estimateSeconds(problem, h200(), schedule));
  };
  auto blind = policyOf("evolution", problem),
       evolution = policyOf("evolution", problem);
  auto asModelled = [&](const Schedule &schedule) {
    return okIn(estimateSeconds(problem, h200(), schedule));
  };
  EXPECT_GT(laterCooperative(proposalsOf(*blind, 64, asModelled)), 10u);
  EXPECT_LT(laterCooperative(proposalsOf(*evolution, 64, measure)), 10u);
}

/// A form that is faster than its estimate gets more trials.
TEST(EvolutionPolicy, FollowsWhatIsFast) {
  Problem problem = problemOf(4096, 4096, 4096);
  auto measure = [&](double factor) {
    return [&problem, factor](const Schedule &schedule) {
      bool isCoop = isCooperative(schedule);
      return okIn(estimateSeconds(problem, h200(), schedule) *
                  (isCoop ? factor : 1));
    };
  };
  auto slow = policyOf("evolution", problem),
       fast = policyOf("evolution", problem);
  EXPECT_LT(laterCooperative(proposalsOf(*slow, 64, measure(1.5))) + 10,
            laterCooperative(proposalsOf(*fast, 64, measure(0.7))));
}

/// A schedule outside the catalogue may be better than all of it.
TEST(EvolutionPolicy, FindsWhatTheCatalogueLacks) {
  Problem problem = problemOf(512, 512, 512);
  std::set<std::string> listed;
  double best = 1;
  // Short groups are fast here, and the catalogue has none.
  auto measure = [&](const Schedule &schedule) {
    int64_t group = schedule["group"].front();
    return okIn(estimateSeconds(problem, h200(), schedule) *
                (group < 8 ? .5 : 1));
  };
  for (const Schedule &schedule : catalogue(problem, h200())) {
    listed.insert(toString(schedule));
    best = std::min(best, measure(schedule).times.median);
  }
  double found = 1;
  auto policy = policyOf("evolution", problem);
  for (const Schedule &schedule : proposalsOf(*policy, 64, measure))
    found = std::min(found, measure(schedule).times.median);
  EXPECT_LT(found, best * 0.7);
}

} // namespace
