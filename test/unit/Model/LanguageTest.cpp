//===- LanguageTest.cpp - Tests of the words of a schedule ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every schedule reads back from its sentence, an invalid sentence is an error,
// and a mask's words lead to legal schedules only.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Language.h"
#include "WriterFixtures.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hone;
using namespace hone::test;

namespace {

/// For every kind and chip: listed schedules, defaults, and drawn ones.
std::vector<Schedule> schedulesOf(const Problem &problem, const Arch &arch) {
  Space space(problem, arch, {}, allKinds());
  std::vector<Schedule> all = space.known().vec();
  for (const Kind *kind : allKinds())
    all.push_back(Schedule(*kind));
  Dice dice(7);
  for (int draws = 0; draws < 40; ++draws)
    // Drawn schedules may have sides without a word.
    if (std::optional<Schedule> drawn = space.draw(dice);
        drawn && bool(llvm::expectedToOptional(
                     Language().read(Language().spell(*drawn)))))
      all.push_back(*drawn);
  return all;
}

TEST(Language, EveryScheduleReadsBackFromItsSentence) {
  Language language;
  size_t count = 0;
  for (llvm::StringRef chip : {"h200", "sm_80", "host"})
    for (const Problem &problem : someProblems())
      for (const Schedule &schedule : schedulesOf(problem, archOf(chip))) {
        Sentence words = language.spell(schedule);
        llvm::Expected<Schedule> read = language.read(words);
        ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
        EXPECT_EQ(*read, schedule);
        EXPECT_EQ(words.size(), 1 + schedule.numbers().size());
        for (size_t at = 0; at < words.size(); ++at)
          EXPECT_EQ(language.next(llvm::ArrayRef(words).take_front(at)),
                    words[at].slot);
        EXPECT_EQ(language.next(words), std::nullopt);
        ++count;
      }
  EXPECT_GT(count, 3000u);
}

TEST(Language, DifferentSchedulesHaveDifferentSentences) {
  Language language;
  std::map<Sentence, std::string> seen;
  for (const Schedule &schedule :
       schedulesOf(problemOf(1024, 1024, 1024), h200())) {
    auto [at, isNew] =
        seen.emplace(language.spell(schedule), toString(schedule));
    EXPECT_TRUE(isNew || at->second == toString(schedule));
  }
}

TEST(Language, AMalformedSentenceIsAnError) {
  Language language;
  Sentence good = language.spell(Schedule());
  auto errorOf = [&](llvm::ArrayRef<Word> words) {
    llvm::Expected<Schedule> read = language.read(words);
    return read ? "none" : llvm::toString(read.takeError());
  };
  std::mt19937_64 dice(3);
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_EQ(errorOf(llvm::ArrayRef(good).take_front(size)).rfind("expected"),
              0u);
  EXPECT_EQ(errorOf({}),
            "expected a kind, but got no word; use words as they are spelled");
  Sentence more = good;
  more.push_back(good.back());
  EXPECT_EQ(errorOf(more).rfind("expected"), 0u);
  // A sentence that reads has the spelling of its schedule.
  for (int mutants = 0; mutants < 5000; ++mutants) {
    Sentence words = good;
    for (size_t changes = 1 + dice() % 3; changes > 0; --changes) {
      Word &word = words[dice() % words.size()];
      if (dice() % 3 == 0)
        word.slot = dice() % 3 ? dice() % 200 : dice();
      else
        word.value = dice() % 3 ? int64_t(dice() % 300) - 20 : int64_t(dice());
    }
    if (llvm::Expected<Schedule> read = language.read(words))
      EXPECT_EQ(language.spell(*read), words);
    else
      EXPECT_EQ(llvm::toString(read.takeError()).rfind("expected "), 0u);
  }
}

TEST(Language, IsMadeOfTheTable) {
  Language language, longer(kWithHint);
  EXPECT_EQ(language.slots().front().name, "kind");
  Sentence words = longer.spell(Schedule(hinted()));
  EXPECT_EQ(longer.text(words.front()), "kind=mma_sync");
  EXPECT_EQ(longer.text(words.back()), "mma_sync.hint.0=none");
  words.back().value = 3;
  EXPECT_EQ(longer.text(words.back()), "mma_sync.hint.0=last");
  EXPECT_EQ(toString(llvm::cantFail(longer.read(words))).find("hint = last") !=
                std::string::npos,
            true);
  words.back().value = 4;
  EXPECT_EQ(llvm::toString(longer.read(words).takeError()),
            "expected a value of mma_sync.hint.0, but got "
            "mma_sync.hint.0=4; use words as they are spelled");
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// All sentences that can be written from a state.
void collect(Mask &mask, Mask::State state, std::vector<Schedule> &all) {
  if (mask.next(state).empty())
    return all.push_back(mask.written(state));
  for (const Mask::Step &step : mask.next(state))
    collect(mask, step.to, all);
}

TEST(Trie, LeadsToTheWholePoolAndNothingElse) {
  Language language;
  for (const Problem &problem : someProblems()) {
    Pool pool(problem, h200());
    if (pool.schedules.empty())
      continue;
    Trie trie(language, pool.schedules, pool.readings);
    std::vector<Schedule> written;
    collect(trie, trie.begin(), written);
    std::set<std::string> texts, wanted;
    for (const Schedule &schedule : written)
      texts.insert(toString(schedule));
    for (const Schedule &schedule : pool.schedules)
      wanted.insert(toString(schedule));
    EXPECT_EQ(texts, wanted);
    EXPECT_EQ(written.size(), texts.size());
    EXPECT_EQ(trie.ahead(trie.begin()).count, double(written.size()));
  }
}

TEST(Trie, EveryStateIsAChoiceOrASchedule) {
  Language language;
  Pool pool(problemOf(768, 512, 1024), h200());
  // Some schedules are there twice.
  for (size_t at = 0; at < 10; ++at) {
    pool.schedules.push_back(pool.schedules[at]);
    pool.readings.push_back(pool.readings[at]);
  }
  Trie trie(language, pool.schedules, pool.readings);
  for (Mask::State state = 0; state < trie.states(); ++state) {
    llvm::ArrayRef<Mask::Step> steps = trie.next(state);
    EXPECT_NE(steps.size(), 1u);
    for (size_t at = 1; at < steps.size(); ++at) {
      EXPECT_LT(steps[at - 1].word, steps[at].word);
      EXPECT_EQ(steps[at - 1].word.slot, steps[at].word.slot);
    }
    double min = 1e9, sum = 0;
    for (const Mask::Step &step : steps) {
      min = std::min(min, trie.ahead(step.to).witness->logEstimate);
      sum += trie.ahead(step.to).count;
    }
    if (steps.empty())
      continue;
    EXPECT_EQ(trie.ahead(state).witness->logEstimate, min);
    EXPECT_EQ(trie.ahead(state).count, sum);
    EXPECT_LE(trie.ahead(state).logSeconds, min);
  }
}

TEST(Trie, SoftMinimaAreThoseOfEverythingAhead) {
  std::vector<double> logs = {-9.5, -9.52, -9.3, -8.0, -9.52};
  double sum = 0;
  for (double log : logs)
    sum += std::exp(-log / kWriterTau);
  EXPECT_NEAR(softMinimum(logs), -kWriterTau * std::log(sum), 1e-12);
  EXPECT_EQ(softMinimum(logs[0]), logs[0]);
  EXPECT_TRUE(std::isinf(softMinimum({})));
  EXPECT_EQ(softMinimum({-9.0, 1e300}), -9.0);
  for (double power : {-600.0, -20.0, -0.1, 0.0, 0.3, 8.0})
    EXPECT_NEAR(exponentOf(power) / std::exp(power), 1, 1e-12) << power;
  EXPECT_EQ(exponentOf(-1e300), 0);
}

TEST(Loose, WritesSentencesThatMayBreakLaws) {
  Language language;
  Pool pool(problemOf(768, 512, 1024), h200());
  Loose loose(language, pool.schedules, pool.readings);
  std::mt19937_64 dice(5);
  size_t illegal = 0;
  for (int draws = 0; draws < 200; ++draws) {
    Mask::State state = loose.begin();
    for (;;) {
      llvm::ArrayRef<Mask::Step> steps = loose.next(state);
      if (steps.empty())
        break;
      state = steps[dice() % steps.size()].to;
      EXPECT_TRUE(std::isfinite(loose.ahead(state).logSeconds));
    }
    illegal += !pool.space.contains(loose.written(state));
  }
  EXPECT_GT(illegal, 50u);
}

} // namespace
