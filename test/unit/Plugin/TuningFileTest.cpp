//===- TuningFileTest.cpp - Tests of reading and writing tuning files -----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record's line reads back, even with hostile texts; errors have places.
// test/passes and test/fuzz cover the rest of a file.
//
//===----------------------------------------------------------------------===//

#include "hone/Plugin/TuningFile.h"
#include "hone/Database/Shipped.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <thread>

using namespace hone;

namespace {

Record sample() {
  Record record;
  record.problem.m = record.problem.n = record.problem.k = 512;
  record.problem.epilogue = "addf(acc, n:f32)";
  record.arch = "h200";
  record.schedule =
      llvm::cantFail(parseSchedule("small, tile = 64x64x64, stages = 4"));
  record.times = {3.12e-6, 3.1e-6, 3.2e-6, 7};
  record.grade = Grade::chosen;
  record.toolchain = {"580.1", "22.1", "0.1", 1};
  record.provenance.policy = "evolution";
  record.measuredAt = 1700000000;
  return record;
}

llvm::Expected<std::vector<TunedLine>> parse(llvm::StringRef text) {
  llvm::Expected<TuningFile> file =
      parseTuningFile(llvm::MemoryBufferRef(text, "t.mlir"));
  if (!file)
    return file.takeError();
  return std::move(file->lines);
}

Record reread(const Record &record) {
  std::vector<TunedLine> lines = llvm::cantFail(parse(tuningLine(record)));
  EXPECT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines.front().hasTime);
  return lines.front().record;
}

TEST(TuningFile, ALineReadsBack) {
  Record read = reread(sample());
  EXPECT_EQ(tuningLine(read), tuningLine(sample()));
  EXPECT_EQ(read.problem.str(), sample().problem.str());
  EXPECT_EQ(toString(read.schedule), toString(sample().schedule));
  EXPECT_NEAR(read.times.median, 3.12e-6, 1e-12);
  EXPECT_EQ(read.times.samples, 7);
  EXPECT_EQ(read.grade, Grade::chosen);
  EXPECT_EQ(read.toolchain, sample().toolchain);
  EXPECT_EQ(read.provenance.policy, "evolution");
  EXPECT_EQ(read.measuredAt, 1700000000);
  EXPECT_EQ(faultOf(read), std::nullopt);
}

TEST(TuningFile, TimesOfAnySize) {
  for (double seconds : {1e-11, 1e-9, 1e-6, 9.99999e-4, 1.0, 12345.0}) {
    Record record = sample();
    // Such a small problem can be that fast.
    record.problem.m = record.problem.n = record.problem.k = 1;
    record.times = {seconds, seconds, seconds, 1};
    EXPECT_NEAR(reread(record).times.median, seconds, seconds * 1e-5);
  }
}

std::string errorOf(llvm::StringRef text) {
  auto lines = parse(text);
  return lines ? "" : llvm::toString(lines.takeError());
}

TEST(TuningFile, NoTimeThatCanNotBe) {
  Record record = sample();
  record.times = {1e-12, 1e-12, 1e-12, 1};
  EXPECT_NE(errorOf(tuningLine(record)).find("h200 computes and reads no "),
            std::string::npos);
}

TEST(TuningFile, IsNeitherDeepNorLong) {
  EXPECT_EQ(
      errorOf("\n" + std::string(50000, '[')),
      "t.mlir:2:1: expected at most 128 levels of brackets, but got more");
  std::string nested;
  for (int i = 0; i < 50000; ++i)
    nested += "module {";
  EXPECT_NE(errorOf(nested).find("levels of brackets"), std::string::npos);
  std::string line = tuningLine(sample());
  size_t at = line.find("samples = ");
  line.insert(at + 10, std::string(40000, '9'));
  EXPECT_EQ(errorOf(line),
            "t.mlir:1:1: expected numbers of at most 400 digits, but got more");
  // In comments and strings brackets are text.
  Record record = sample();
  record.toolchain.driver = std::string(100, '<') + "\"" + std::string(99, '{');
  EXPECT_EQ(reread(record).toolchain.driver, record.toolchain.driver);
  EXPECT_EQ(
      errorOf("// " + std::string(100, '(') + "\n" + tuningLine(sample())), "");
}

TEST(TuningFile, TextsMayHoldAnything) {
  Record record = sample();
  record.toolchain.driver = "a \"quoted\" \\ one,\nand {more} = \x01\xff";
  record.provenance.policy = std::string("nul\0nul", 7);
  Record read = reread(record);
  EXPECT_EQ(read.toolchain.driver, record.toolchain.driver);
  EXPECT_EQ(read.provenance.policy, record.provenance.policy);
}

TEST(TuningFile, AnIsaMeansItsChip) {
  std::string text = tuningLine(sample());
  text.replace(text.find("<h200>"), 6, "<sm_90a>");
  EXPECT_EQ(llvm::cantFail(parse(text)).front().record.arch, "h200");
}

TEST(TuningFile, NothingIsAFile) {
  EXPECT_TRUE(llvm::cantFail(parse("")).empty());
  EXPECT_TRUE(llvm::cantFail(parse("// Nothing yet.\n")).empty());
}

TEST(TuningFile, ComplaintsHavePlaces) {
  std::string line = tuningLine(sample());
  EXPECT_EQ(llvm::toString(parse("\n" + line + line).takeError()),
            "t.mlir:3:1: expected one schedule for a problem on h200, but got "
            "a second; remove one of the lines\n"
            "t.mlir:2:1: note: the first is here");
  std::string garbage = llvm::toString(parse("\x01\x02").takeError());
  EXPECT_EQ(garbage.rfind("t.mlir:1:1: ", 0), 0u) << garbage;
  // The start of bytecode, and nothing else.
  garbage = llvm::toString(parse("ML\xefR\x06").takeError());
  EXPECT_EQ(garbage.rfind("t.mlir:", 0), 0u) << garbage;
}

//===----------------------------------------------------------------------===//
// The built-in file
//===----------------------------------------------------------------------===//

std::vector<TunedLine> shippedLines() {
  return llvm::cantFail(parse(shippedTuningText()));
}

/// Lines are looked up as text, and must give the same records as the parser.
TEST(ShippedTuning, EveryLineIsFound) {
  std::vector<TunedLine> lines = shippedLines();
  Toolchain today = lines.front().record.toolchain;
  std::shared_ptr<Lookup> shipped = shippedTuning(today);
  for (const TunedLine &line : lines) {
    const Record &record = line.record;
    std::optional<Found> found = shipped->find(record.problem, record.arch);
    ASSERT_TRUE(found) << record.problem.str();
    EXPECT_EQ(toString(found->record.schedule), toString(record.schedule));
    EXPECT_EQ(found->record.toolchain, record.toolchain);
    EXPECT_EQ(found->isStale, !today.covers(record.toolchain));
  }
  EXPECT_GT(lines.size(), 500u);
  EXPECT_EQ(shipped->problems("h100").size() + shipped->problems("h200").size(),
            lines.size());
}

TEST(ShippedTuning, OfAnotherToolchainItIsStale) {
  Record record = shippedLines().front().record;
  Toolchain today = record.toolchain;
  ++today.space;
  EXPECT_TRUE(shippedTuning(today)->find(record.problem, record.arch)->isStale);
  // A compiler without a GPU has no driver.
  today = record.toolchain;
  today.driver.clear();
  EXPECT_FALSE(
      shippedTuning(today)->find(record.problem, record.arch)->isStale);
}

TEST(ShippedTuning, IsSilentOnOthers) {
  Problem problem = shippedLines().front().record.problem;
  std::shared_ptr<Lookup> shipped = shippedTuning(thisToolchain());
  EXPECT_FALSE(shipped->find(problem, "h20"));
  EXPECT_TRUE(shipped->problems("h20").empty());
  problem.epilogue = "addf(acc, n:f32)";
  EXPECT_FALSE(shipped->find(problem, "h100"));
  EXPECT_FALSE(shipped->find(problem, "h200"));
}

TEST(ShippedTuning, NumbersDecideWhichChipsAreNear) {
  auto nearTo = [](Arch arch) {
    std::vector<std::string> names;
    for (const NearMachine &near : shippedNear(arch))
      names.push_back(near.chip);
    return llvm::join(names, " ");
  };
  auto archOf = [](llvm::StringRef name) {
    return llvm::cantFail(Arch::lookup(name));
  };
  EXPECT_EQ(nearTo(archOf("h200")), "h200 h100");
  EXPECT_EQ(nearTo(archOf("h100")), "h100 h200");
  EXPECT_EQ(nearTo(archOf("h800")), "h100 h200");
  EXPECT_EQ(nearTo(archOf("h20")), "");
  EXPECT_EQ(nearTo(archOf("a100")), "");
  Arch renamed = archOf("h100");
  renamed.chip = "h200";
  EXPECT_EQ(nearTo(renamed), "h100 h200");
}

TEST(ShippedTuning, AnyThreadMayAsk) {
  Problem problem = shippedLines().front().record.problem;
  std::shared_ptr<Lookup> shipped = shippedTuning(thisToolchain());
  std::vector<std::string> answers(8);
  std::vector<std::thread> threads;
  for (std::string &answer : answers)
    threads.emplace_back([&] {
      size_t known = shipped->problems("h200").size();
      answer = toString(shipped->find(problem, "h200")->record.schedule) +
               std::to_string(known);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &answer : answers)
    EXPECT_EQ(answer, answers.front());
}

} // namespace
