//===- ModelFileTest.cpp - Tests of files of weights ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A written file reads back bit for bit, and every broken file is an error that
// names the fault. Unknown names are read as their mean.
//
//===----------------------------------------------------------------------===//

#include "lib/Model/ModelFile.h"
#include "WriterFixtures.h"
#include "hone/Model/CardedFile.h"
#include "hone/Policy/LearnedPolicy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"
#include <limits>

using namespace hone;
using namespace hone::detail;
using namespace hone::test;
namespace json = llvm::json;

namespace {

const NetworkShape kModelFileShape = {0, 8, 2, 1, 8};

std::vector<Reading> someReadings(Kinds kinds = allKinds()) {
  Problem problem = problemOf(512, 768, 1024);
  Reader reader(problem, h200(), {}, kinds);
  Space space(problem, h200(), {}, kinds);
  std::vector<Reading> readings;
  for (const Schedule &schedule : space.listed())
    if (readings.size() < 40)
      readings.push_back(reader.read(schedule));
  return readings;
}

/// Two networks with nonzero outputs.
Model trained() {
  Model model(kModelFileShape, 2);
  model.normalizeBy(someReadings());
  std::mt19937_64 dice(1);
  for (Network &network : model.networks) {
    network.initialize(dice());
    for (float &value : network.parameters())
      value += 0.1f * (float(dice() >> 40) * 0x1p-23f - 1);
  }
  model.card["chip"] = "h200";
  return model;
}

/// The same with a writer, whose output is nonzero too.
Model writing() {
  Model model = trained();
  model.writer = untrainedWriter({0, 6, 3, 1, 5}, 1);
  Network &network = model.writer->networks.front();
  network.initialize(5);
  network.parameters().array() += 0.01f;
  return model;
}

std::string errorOf(llvm::StringRef bytes) {
  llvm::Expected<Model> model = Model::parse(bytes);
  return model ? "no error" : llvm::toString(model.takeError());
}

void expectRefused(llvm::StringRef bytes, const std::string &what) {
  std::string error = errorOf(bytes);
  EXPECT_EQ(error.rfind("expected weights of a policy", 0), 0u)
      << what << ": " << error;
}

/// The file with another first line.
std::string withHead(llvm::StringRef bytes,
                     llvm::function_ref<void(json::Object &)> edit) {
  auto [line, body] = bytes.split('\n');
  json::Value head = llvm::cantFail(json::parse(line));
  edit(*head.getAsObject());
  std::string text;
  llvm::raw_string_ostream os(text);
  os << head << "\n" << body;
  return text;
}

TEST(ModelFile, ReadsBackBitForBit) {
  Model model = trained();
  std::string bytes = model.str();
  Model read = llvm::cantFail(Model::parse(bytes));
  EXPECT_EQ(read.str(), bytes);
  EXPECT_EQ(read.card, model.card);
  ASSERT_EQ(read.networks.size(), 2u);
  for (size_t at = 0; at < 2; ++at)
    EXPECT_EQ(read.networks[at].parameters(), model.networks[at].parameters());
  std::vector<Reading> readings = someReadings();
  std::vector<Tried> context = {{readings[3], readings[3].logEstimate + 0.1},
                                {readings[4], std::nullopt}};
  EXPECT_EQ(read.judge(context, readings), model.judge(context, readings));
}

TEST(ModelFile, HalvesTakeTwoBytes) {
  Model model = writing();
  size_t whole = model.str().size();
  Vector before = model.networks.front().parameters();
  model.roundToHalves();
  EXPECT_LT((before - model.networks.front().parameters()).cwiseAbs().sum(),
            0x1p-11 * before.cwiseAbs().sum());
  std::string bytes = model.str();
  EXPECT_LT(bytes.size(), whole);
  EXPECT_NE(bytes.find("\"bits\":16"), std::string::npos);
  Model read = llvm::cantFail(Model::parse(bytes));
  EXPECT_EQ(read.str(), bytes);
  EXPECT_EQ(read.networks.front().parameters(),
            model.networks.front().parameters());
  EXPECT_EQ(read.writer->networks.front().parameters(),
            model.writer->networks.front().parameters());
  expectRefused(withHead(bytes, [](auto &head) { head["bits"] = 8; }),
                "another size");
  expectRefused(withHead(bytes, [](auto &head) { head.erase("bits"); }),
                "no size");
}

TEST(ModelFile, HalvesAreTheNearest) {
  for (auto [number, half] : {std::pair(1.0f, 1.0f),
                              {-0.0f, -0.0f},
                              {2049.0f, 2048.0f},
                              {2051.0f, 2052.0f},
                              {0x1.002p0f, 1.0f},
                              {0x1.006p0f, 0x1.008p0f},
                              {1e9f, 65504.0f},
                              {-1e9f, -65504.0f},
                              {0x1p-24f, 0x1p-24f},
                              {0x1.8p-25f, 0x1p-24f},
                              {0x1p-26f, 0.0f},
                              {0x1.ff8p-15f, 0x1.ff8p-15f},
                              {0x1.ffcp-15f, 0x1p-14f}})
    EXPECT_EQ(roundedToHalf(number), half) << number;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    char word[] = {char(bits & 0xff), char(bits >> 8)};
    llvm::StringRef bytes(word, 2);
    float number = takeHalf(bytes);
    EXPECT_EQ(std::isfinite(number), (bits & 0x7c00) != 0x7c00);
    if (!std::isfinite(number))
      continue;
    std::string again;
    appendHalf(again, number);
    EXPECT_EQ(again, std::string(word, 2));
  }
}

TEST(ModelFile, TruncatedFilesAreErrors) {
  std::string bytes = trained().str();
  size_t head = bytes.find('\n');
  for (size_t size = 0; size <= head + 9; size += size + 1 < head ? 3 : 1)
    expectRefused(llvm::StringRef(bytes).take_front(size),
                  "the first " + std::to_string(size));
  for (size_t size = head + 10; size < bytes.size(); size += 997)
    expectRefused(llvm::StringRef(bytes).take_front(size),
                  "the first " + std::to_string(size));
  expectRefused(llvm::StringRef(bytes).drop_back(1), "all but one");
  expectRefused(bytes + "0", "one more");
}

TEST(ModelFile, AWriterReadsBackBitForBit) {
  Model model = writing();
  std::string bytes = model.str();
  Model read = llvm::cantFail(Model::parse(bytes));
  EXPECT_EQ(read.str(), bytes);
  ASSERT_TRUE(read.writer);
  EXPECT_EQ(read.writer->networks.front().parameters(),
            model.writer->networks.front().parameters());
  EXPECT_EQ(read.judge({}, someReadings()), model.judge({}, someReadings()));
  // A model without a writer is written without one.
  model.writer.reset();
  EXPECT_EQ(model.str(), trained().str());
  EXPECT_FALSE(llvm::cantFail(Model::parse(model.str())).writer);
}

TEST(ModelFile, ABrokenWriterIsAnError) {
  std::string good = writing().str();
  for (size_t cut : {size_t(1), size_t(4), size_t(400), good.size() / 2})
    expectRefused(llvm::StringRef(good).drop_back(cut),
                  "all but " + std::to_string(cut));
  auto expectBad = [&](const char *what, json::Value value) {
    expectRefused(withHead(good,
                           [&](auto &head) {
                             (*head.getObject("writer"))[what] =
                                 std::move(value);
                           }),
                  what);
  };
  for (const char *size : {"width", "heads", "blocks", "hidden", "networks"})
    for (json::Value value :
         {json::Value(-1), json::Value(0), json::Value(1 << 30),
          json::Value(std::numeric_limits<int64_t>::max()), json::Value("8"),
          json::Value(nullptr)})
      expectBad(size, value);
  for (const char *list : {"names", "means", "spreads"})
    expectBad(list, json::Array{});
  for (json::Value none :
       {json::Value(nullptr), json::Value(1), json::Value(json::Array{}),
        json::Value(json::Object{})})
    expectRefused(withHead(good, [&](auto &head) { head["writer"] = none; }),
                  "a writer that is none");
  expectRefused(withHead(good, [&](auto &head) { head.erase("writer"); }),
                "parameters of nobody");
  ModelFile file = llvm::cantFail(ModelFile::parse(good));
  file.writer->networks[0][3] = std::numeric_limits<float>::infinity();
  expectRefused(file.str(), "a parameter");
}

/// Any file that can be read can be used.
TEST(ModelFile, MutantsAreErrorsOrModels) {
  std::string good = writing().str();
  size_t head = good.find('\n');
  std::mt19937_64 dice(11);
  size_t read = 0;
  Problem problem = problemOf(512, 768, 1024);
  Pool pool(problem, h200(), allKinds(), 0);
  for (int mutants = 0; mutants < 400; ++mutants) {
    std::string bytes = good;
    for (size_t changes = 1 + dice() % 3; changes > 0; --changes)
      bytes[dice() % head] = char(dice() % 4 ? ' ' + dice() % 95 : dice());
    llvm::Expected<Model> model = Model::parse(bytes);
    if (!model) {
      EXPECT_EQ(llvm::toString(model.takeError()).rfind("expected weights", 0),
                0u);
      continue;
    }
    ++read;
    for (double value : model->judge({}, pool.readings))
      ASSERT_TRUE(std::isfinite(value));
    EXPECT_TRUE(writtenSchedule(*model, pool.space));
  }
  EXPECT_GT(read, 10u);
  // A judge with an input that only writers have reads its mean.
  ModelFile file = llvm::cantFail(ModelFile::parse(good));
  file.names.front() = WordReader::names().back();
  Model greedy = llvm::cantFail(Model::parse(file.str()));
  for (double value : greedy.judge({}, pool.readings))
    EXPECT_TRUE(std::isfinite(value));
}

TEST(ModelFile, ADamagedBodyIsAnError) {
  std::string bytes = trained().str();
  bytes[bytes.size() - 7] ^= 1;
  EXPECT_NE(errorOf(bytes).find("not those it was written with"),
            std::string::npos);
}

TEST(ModelFile, NotANumberIsAnError) {
  for (float bad : {std::numeric_limits<float>::quiet_NaN(),
                    std::numeric_limits<float>::infinity(),
                    -std::numeric_limits<float>::infinity()}) {
    ModelFile file = llvm::cantFail(ModelFile::parse(trained().str()));
    file.networks[1][5] = bad;
    expectRefused(file.str(), "a parameter");
  }
}

TEST(ModelFile, WrongHeadsAreErrors) {
  std::string good = trained().str();
  auto expectBad = [&](const char *what, json::Value value) {
    expectRefused(withHead(good, [&](auto &head) { head[what] = value; }),
                  what);
    expectRefused(withHead(good, [&](auto &head) { head.erase(what); }),
                  std::string("no ") + what);
  };
  expectBad("hone-policy", 2);
  expectBad("hone-policy", "1");
  expectBad("check", "0123456789abcdef");
  expectBad("check", 3);
  for (const char *size : {"width", "heads", "blocks", "hidden", "networks"})
    for (json::Value value :
         {json::Value(-1), json::Value(0), json::Value(1 << 30),
          json::Value(std::numeric_limits<int64_t>::max()), json::Value("8"),
          json::Value(nullptr)})
      expectBad(size, value);
  expectBad("heads", 3);
  for (const char *list : {"names", "means", "spreads"})
    for (json::Value value : {json::Value(json::Array{}), json::Value(1),
                              json::Value(json::Array{nullptr})})
      expectBad(list, value);
  for (double bad : {0.0, -1.0, 1e300})
    expectRefused(
        withHead(good,
                 [&](auto &head) { (*head.getArray("spreads"))[0] = bad; }),
        "a spread");
  expectRefused(withHead(good,
                         [](auto &head) {
                           json::Array &names = *head.getArray("names");
                           names[1] = names[0];
                         }),
                "a name twice");
}

TEST(ModelFile, OtherTextIsAnError) {
  for (llvm::StringRef text : {"", "\n", "{}", "{}\n", "[]\n", "null\n",
                               "<html>busy</html>\n", "{\"hone-policy\":1}\n"})
    expectRefused(text, text.str());
  expectRefused(std::string(1 << 20, '['), "many brackets");
  std::string nested = "{\"hone-policy\":1,\"names\":";
  expectRefused(nested + std::string(1 << 20, '[') + "\n", "deep names");
  llvm::Expected<Model> none = Model::readFile("/nonexistent/weights");
  ASSERT_FALSE(bool(none));
  EXPECT_EQ(
      llvm::toString(none.takeError()).rfind("expected weights of a policy", 0),
      0u);
}

/// With finite parameters the outputs may still not be finite.
TEST(ModelFile, OverflowsGiveFiniteTimes) {
  ModelFile file = llvm::cantFail(ModelFile::parse(trained().str()));
  for (Vector &parameters : file.networks)
    parameters.setConstant(3e38f);
  Model model = llvm::cantFail(Model::parse(file.str()));
  for (double value : model.judge({}, someReadings()))
    EXPECT_TRUE(std::isfinite(value));
}

TEST(ModelFile, TheBuiltInWeightsSayNumbers) {
  const Model &model = Model::shipped();
  EXPECT_FALSE(model.networks.empty());
  for (double value : model.judge({}, someReadings()))
    EXPECT_TRUE(std::isfinite(value));
  for (const Kind *kind : allKinds())
    for (const Decision &decision : kind->decisions)
      // The weights are older than the quiet decisions.
      EXPECT_TRUE(decision.quiet || model.covers(*kind, decision))
          << decision.name.str();
}

TEST(ModelFile, AnUnknownNameIsReadAsItsMean) {
  Model model = trained();
  ModelFile file = llvm::cantFail(ModelFile::parse(model.str()));
  auto at = llvm::find(file.names, "problem.m") - file.names.begin();
  ASSERT_LT(size_t(at), file.names.size());
  file.names[at] = "problem.of.tomorrow";
  Model stranger = llvm::cantFail(Model::parse(file.str()));
  std::vector<Reading> readings = someReadings(), usual = readings;
  for (Reading &reading : usual)
    reading.numbers[at] = file.means[at];
  EXPECT_EQ(stranger.judge({}, readings), model.judge({}, usual));
  llvm::Error error = model.join(stranger);
  EXPECT_TRUE(bool(error));
  llvm::consumeError(std::move(error));
}

//===----------------------------------------------------------------------===//
// A decision that was added later
//===----------------------------------------------------------------------===//

TEST(ModelFile, ANewNameHasNoWeightAtFirst) {
  Model model = trained();
  std::vector<Reading> readings = someReadings();
  const std::vector<Tried> context = {
      {readings[3], readings[3].logEstimate + 0.1}};
  const std::vector<double> before = model.judge(context, readings);
  std::vector<std::string> names = Reader::names();
  model.learnNames(names, readings);
  EXPECT_EQ(model.judge(context, readings), before) << "of no new name";

  names.push_back("later");
  for (auto [at, reading] : llvm::enumerate(readings))
    reading.numbers.push_back(float(at));
  const std::vector<Tried> longer = {
      {readings[3], readings[3].logEstimate + 0.1}};
  model.learnNames(names, readings);
  std::vector<double> after = model.judge(longer, readings);
  for (size_t at = 0; at < before.size(); ++at)
    EXPECT_NEAR(after[at], before[at], 1e-4) << at;
  for (Network &network : model.networks) {
    EXPECT_EQ(network.shape().inputs, int64_t(names.size()));
    int64_t width = network.shape().width;
    network.parameters().segment((names.size() - 1) * width, width).setOnes();
  }
  EXPECT_NE(model.judge(longer, readings), after) << "once it was learned";
  EXPECT_EQ(llvm::cantFail(Model::parse(model.str())).str(), model.str());
}

TEST(ModelFile, OldWeightsLeaveANewDecisionAsItIs) {
  Model model = llvm::cantFail(Model::parse(Model::shipped().str(), kWithHint));
  for (const Decision &decision : hinted().decisions)
    EXPECT_EQ(model.covers(hinted(), decision), decision.name != "hint")
        << decision.name.str();
  Space space(problemOf(512, 512, 512), h200(), {}, kWithHint);
  auto policy = makeLearnedPolicy(model, space, 1, {/*leaves=*/true});
  size_t count = 0, unhinted = 0;
  for (int round = 0; round < 8; ++round)
    for (const Schedule &schedule : policy->propose(8)) {
      EXPECT_EQ(&schedule.kind(), &hinted());
      unhinted += schedule.decided().back().text() == "none";
      policy->receive(schedule, okIn(timeOf(schedule)));
      ++count;
    }
  EXPECT_GT(count, 8u);
  // A few trials go to forms that the weights do not cover.
  EXPECT_GE(3 * unhinted, count);
}

} // namespace
