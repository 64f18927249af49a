//===- LawMaskTest.cpp - Tests of the mask without a list -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every sentence that can be written is legal, every legal schedule that is
// drawn can be written, and there is no dead end. In a small space the words
// that may follow are exactly those that have a legal completion.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/LawMask.h"
#include "WriterFixtures.h"
#include "hone/Model/Model.h"
#include "hone/Schedule/WholeKernel.h"
#include "hone/Space/Draw.h"
#include "gtest/gtest.h"
#include <set>

using namespace hone;
using namespace hone::test;

namespace {

/// A mask and its parts.
struct Writing {
  Writing(const Problem &problem, const Arch &arch, Kinds kinds = allKinds(),
          CompletionOptions options = {}, LawMaskOptions looks = {})
      : language(kinds), reader(problem, arch, {}, kinds),
        completion(problem, arch, kinds, options),
        mask(completion, language, reader, looks) {}

  /// Draws words until the schedule is complete.
  Schedule walk(std::mt19937_64 &dice) {
    Mask::State state = mask.begin();
    for (;;) {
      llvm::ArrayRef<Mask::Step> steps = mask.next(state);
      if (steps.empty())
        return mask.written(state);
      for (size_t at = 1; at < steps.size(); ++at)
        EXPECT_LT(steps[at - 1].word, steps[at].word);
      state = steps[dice() % steps.size()].to;
    }
  }

  /// The part of a schedule's sentence that cannot be written; empty: none.
  std::string unwritable(const Schedule &schedule) {
    Mask::State state = mask.begin();
    Sentence sentence = language.spell(schedule);
    for (;;) {
      llvm::ArrayRef<Mask::Step> steps = mask.next(state);
      if (steps.empty())
        return mask.written(state) == schedule
                   ? ""
                   : "written: " + toString(mask.written(state));
      size_t slot = steps.front().word.slot;
      auto word = llvm::find_if(
          sentence, [&](const Word &one) { return one.slot == slot; });
      std::optional<Mask::Step> step;
      if (word != sentence.end())
        step = mask.follow(state, *word);
      if (!step)
        return word == sentence.end() ? language.slots()[slot].name
                                      : language.text(*word);
      state = step->to;
    }
  }

  Language language;
  Reader reader;
  Completion completion;
  LawMask mask;
};

bool isPermitted(const Schedule &schedule, const Problem &problem,
                 const Arch &arch) {
  return isLegal(schedule, problem, arch) && !wholeKernelOf(schedule);
}

/// Also other types, layouts and epilogues.
std::vector<Problem> manyProblems() {
  std::vector<Problem> all = someProblems();
  for (llvm::StringRef text :
       {"m = 640, n = 3072, k = 1024, a = i8:row:16, b = i8:col:16, acc = i32, "
        "c = i32:16, init = zero, epilogue = \"\"",
        "m = 256, n = 768, k = 512, a = f32:row:16, b = f32:row:16, acc = f32, "
        "products = tf32x3, c = f32:16, init = zero, epilogue = \"\"",
        "m = 4096, n = 5120, k = 4096, a = f16:col:16, b = f16:row:16, acc = "
        "f32, c = f16:16, init = read, epilogue = \"\""})
    all.push_back(llvm::cantFail(Problem::parse(text)));
  return all;
}

constexpr llvm::StringLiteral kChips[] = {"h200", "h100/32", "sm_80", "sm_120",
                                          "host"};

TEST(LawMask, EverySentenceIsLegal) {
  std::mt19937_64 dice(1);
  std::set<std::string> texts;
  size_t count = 0;
  for (llvm::StringRef chip : kChips)
    for (const Problem &problem : manyProblems())
      for (bool rewrites : {false, true}) {
        Arch arch = archOf(chip);
        Writing writing(problem, arch, allKinds(), {rewrites});
        if (writing.mask.isEmpty())
          continue;
        for (int walks = 0; walks < 25; ++walks, ++count) {
          Schedule schedule = writing.walk(dice);
          ASSERT_TRUE(isPermitted(schedule, problem, arch))
              << toString(schedule);
          EXPECT_TRUE(rewrites || schedule.rewrites().empty());
          texts.insert(toString(schedule));
        }
      }
  EXPECT_GT(count, 1000u);
  EXPECT_GT(texts.size(), count / 2);
}

/// Of some hundred schedules that are drawn, one has a prefix whose completions
/// are too far from its witness even for a thorough search.
TEST(LawMask, DrawnSchedulesCanBeWritten) {
  size_t count = 0, lost = 0;
  std::string example;
  for (llvm::StringRef chip : kChips)
    for (const Problem &problem : manyProblems()) {
      Arch arch = archOf(chip);
      Writing writing(problem, arch);
      constexpr size_t kEvery = 5;
      Pool pool(problem, arch, allKinds(), 20);
      std::vector<Schedule> all;
      for (size_t at = 0; at < pool.schedules.size(); at += kEvery)
        all.push_back(pool.schedules[at]);
      if (!arch.isHost())
        llvm::append_range(all, sampled(problem, arch, 12, 3));
      for (const Schedule &schedule : all) {
        // Drawn schedules may have sides without a word. Rewrites are written
        // later (Scribe::rewrite).
        if (!isPermitted(schedule, problem, arch) ||
            !schedule.rewrites().empty() ||
            !llvm::expectedToOptional(
                writing.language.read(writing.language.spell(schedule))))
          continue;
        ++count;
        std::string word = writing.unwritable(schedule);
        if (word.empty())
          continue;
        ++lost;
        example = word + " of " + toString(schedule) + " for " + problem.str();
      }
    }
  EXPECT_GT(count, 1000u);
  EXPECT_LE(lost, count / 200) << example;
}

//===----------------------------------------------------------------------===//
// A small space
//===----------------------------------------------------------------------===//

Broken brokenSum(const Schedule &schedule, const KnownFacts &) {
  llvm::ArrayRef<int64_t> numbers = schedule.numbers();
  int64_t sum = numbers[0] + numbers[1] + numbers[2];
  if (sum <= 9)
    return std::nullopt;
  return "expected a sum of at most 9, but got " + std::to_string(sum);
}
Broken brokenProduct(const Schedule &schedule, const KnownFacts &) {
  llvm::ArrayRef<int64_t> numbers = schedule.numbers();
  int64_t product = numbers[1] * numbers[3];
  if (product % 6 == 0)
    return std::nullopt;
  return "expected a multiple of 6, but got " + std::to_string(product);
}
/// Two numbers have to change together.
Broken brokenPair(const Schedule &schedule, const KnownFacts &) {
  llvm::ArrayRef<int64_t> numbers = schedule.numbers();
  if (numbers[0] != 3 || (numbers[2] == 2 && numbers[4] == 5))
    return std::nullopt;
  return "expected 2 and 5, but got " + std::to_string(numbers[2]) + " and " +
         std::to_string(numbers[4]);
}
Broken brokenAlways(const Schedule &, const KnownFacts &) {
  return "expected a miracle";
}

constexpr Law kSmallLaws[] = {{10, "sum", brokenSum},
                              {11, "product", brokenProduct},
                              {12, "pair", brokenPair}};
constexpr Law kNoLaws[] = {{10, "never", brokenAlways}};
constexpr Decision kSmallDecisions[] = {
    {"one", When::compileTime, "", {{1, 1, 6}}},
    {"two", When::compileTime, "", {{1, 1, 6}, {1, 1, 6}}},
    {"three", When::compileTime, "", {{6, 1, 6}}},
    {"four", When::compileTime, "", {{1, 1, 6}}},
    {"five",
     When::compileTime,
     "",
     {{1, 1, 3}},
     {},
     [](const Schedule &schedule) { return schedule["four"].front() > 3; }},
};

Kind smallKind(llvm::ArrayRef<Law> laws,
               Schedule (*makeDefault)(const Problem &, const Arch &)) {
  Kind kind = MmaSync::kind();
  kind.decisions = kSmallDecisions;
  kind.laws = laws;
  kind.facts = [](const Schedule &, const Problem &) {
    BlockFacts facts;
    facts.threads = 128;
    facts.registers = facts.threads * 64;
    facts.sharedBytes = 1024;
    return facts;
  };
  kind.makeDefault = makeDefault;
  return kind;
}
const Kind &small() {
  static const Kind row =
      smallKind(kSmallLaws, [](const Problem &, const Arch &) {
        return Schedule(small());
      });
  return row;
}
const Kind &impossible() {
  static const Kind row = smallKind(kNoLaws, [](const Problem &, const Arch &) {
    return Schedule(impossible());
  });
  return row;
}

TEST(LawMask, InASmallSpaceItIsExact) {
  static const Kind *const kOne[] = {&small()};
  Problem problem = problemOf(64, 64, 64);
  Writing writing(problem, h200(), kOne);
  std::set<std::vector<int64_t>> legal, written;
  Schedule row(small());
  for (int64_t index = 0; index < 6 * 6 * 6 * 6 * 6 * 3; ++index) {
    int64_t rest = index;
    for (auto [at, value] : llvm::enumerate(row.numbers())) {
      int64_t count = at == 5 ? 3 : 6;
      value = 1 + rest % count;
      rest /= count;
    }
    if (isPermitted(row, problem, h200()))
      legal.insert(row.numbers().vec());
  }
  std::vector<Mask::State> open = {writing.mask.begin()};
  while (!open.empty()) {
    Mask::State state = open.back();
    open.pop_back();
    llvm::ArrayRef<Mask::Step> steps = writing.mask.next(state);
    if (steps.empty())
      EXPECT_TRUE(
          written.insert(writing.mask.written(state).numbers().vec()).second);
    for (const Mask::Step &step : steps)
      open.push_back(step.to);
  }
  EXPECT_EQ(written, legal);
  EXPECT_GT(legal.size(), 100u);
}

TEST(LawMask, AnEmptySpaceIsReported) {
  static const Kind *const kOne[] = {&impossible()};
  Writing none(problemOf(64, 64, 64), h200(), kOne);
  EXPECT_TRUE(none.mask.isEmpty());
  EXPECT_LT(none.completion.answers(), 200000u);
  // With another kind it is not a choice.
  static const Kind *const kTwo[] = {&impossible(), &small()};
  Writing one(problemOf(64, 64, 64), h200(), kTwo);
  EXPECT_FALSE(one.mask.isEmpty());
  std::mt19937_64 dice(1);
  EXPECT_EQ(&one.walk(dice).kind(), &small());
}

TEST(LawMask, ANewDecisionIsWritten) {
  Problem problem = problemOf(512, 768, 1024);
  Writing writing(problem, h200(), kWithOftenHint);
  std::mt19937_64 dice(4);
  std::set<int64_t> hints, often;
  for (int walks = 0; walks < 60; ++walks) {
    Schedule schedule = writing.walk(dice);
    ASSERT_TRUE(isPermitted(schedule, problem, h200())) << toString(schedule);
    hints.insert(schedule["hint"].front());
    often.insert(schedule["often"].front());
  }
  EXPECT_EQ(hints.size(), 3u);
  EXPECT_GT(often.size(), 10u);
  // A value that is not offered can be followed.
  Schedule rare = writing.walk(dice);
  rare.numbers().drop_front(rare.numbers().size() - 2)[0] = 2;
  rare.numbers().back() = 1001;
  EXPECT_EQ(writing.unwritable(rare), "");
}

/// The one with the shortest expected time first, none slower than the witness
/// that the mask begins with.
TEST(LawMask, BeamsKeepShortTimes) {
  for (const Problem &problem : someProblems()) {
    Writing writing(problem, h200());
    Ensemble none = untrainedWriter({0, 16, 2, 1, 16}, 0);
    double begun = writing.mask.ahead(writing.mask.begin()).logSeconds;
    std::vector<Written> all =
        Writer(none, writing.language, writing.mask, {}).beams(8);
    ASSERT_FALSE(all.empty());
    EXPECT_LE(all.front().logSeconds, begun) << problem.str();
    for (size_t at = 1; at < all.size(); ++at)
      EXPECT_LE(all[at - 1].logSeconds, all[at].logSeconds) << problem.str();
  }
}

/// Witnesses that are read together have the readings of each.
TEST(LawMask, LooksAheadAtSeveralStates) {
  Problem problem = problemOf(512, 768, 1024);
  Writing one(problem, h200()), other(problem, h200());
  std::vector<Mask::State> states;
  for (const Mask::Step &step : one.mask.next(one.mask.begin()))
    states.push_back(step.to);
  (void)other.mask.next(other.mask.begin());
  other.mask.lookAhead(states);
  for (Mask::State state : states) {
    EXPECT_EQ(one.mask.ahead(state).logSeconds,
              other.mask.ahead(state).logSeconds);
    EXPECT_EQ(one.mask.ahead(state).witness->numbers,
              other.mask.ahead(state).witness->numbers);
  }
}

/// Eight beams of forty words may take 16 ms, at some 50 ns for each answer of
/// a law.
TEST(LawMask, TakesFewAnswersForAWord) {
  for (const Problem &problem : someProblems()) {
    LawMaskOptions plain{0, 0};
    Writing writing(problem, h200(), allKinds(), {}, plain);
    Ensemble none = untrainedWriter({0, 16, 2, 1, 16}, 0);
    Writer(none, writing.language, writing.mask, {}).beams(8);
    EXPECT_LT(writing.completion.answers(), 8 * 40 * 1000u) << problem.str();
  }
}

} // namespace
