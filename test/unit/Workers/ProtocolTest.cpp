//===- ProtocolTest.cpp - Tests of frames and messages --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message is received as it was sent, in pieces of any size. Invalid output
// of a worker is an error and nothing worse.
//
//===----------------------------------------------------------------------===//

#include "hone/Workers/Protocol.h"
#include "gtest/gtest.h"
#include <chrono>
#include <random>

using namespace hone;
using namespace hone::protocol;
namespace json = llvm::json;

namespace {

Kernel someKernel() {
  Kernel kernel;
  kernel.key = "sm_90a | ...";
  kernel.plan = "hone-plan 2\nargs a\n";
  kernel.images = {std::string("\x7f"
                               "ELF\0\xff",
                               6),
                   ".version 8.0\n"};
  kernel.facts["hone_small"] = {168, 16, "it spills 16 bytes"};
  return kernel;
}

Measured someAnswer() {
  Measured answer;
  answer.number = 7;
  Measurement ok;
  ok.times = {3e-6, 2.9e-6, 3.1e-6, 9};
  ok.grade = Grade::finalist;
  ok.registers = 168;
  ok.clockMHz = 1755;
  answer.results = {ok, failed(Status::wrong, "expected \"c\",\nbut got NaN")};
  answer.rounds = {{3e-6, 3.1e-6}, {}};
  answer.drift = -0.01;
  answer.heldBack = "its temperature";
  return answer;
}

/// Every kind of message, as JSON.
std::vector<json::Value> everyMessage() {
  Compiled compiled;
  compiled.number = 3;
  compiled.status = Status::compileError;
  compiled.reason = "ptxas: no";
  compiled.kernel = someKernel();
  Measure measure;
  measure.number = 9;
  measure.problem.m = measure.problem.n = measure.problem.k = 64;
  Entrant rival;
  rival.rival = Rival::cublasLtAuto;
  rival.rank = 1;
  Entrant ours;
  ours.schedule = llvm::cantFail(parseSchedule("small"));
  ours.part = Part::separate;
  ours.programmatic = false;
  measure.entrants = {{ours, "a", ""}, {rival, "", "hang"}};
  measure.maxRounds = 36;
  measure.protocol = hone::Protocol::wallServer;
  Compile compile;
  compile.number = 1;
  compile.schedule = llvm::cantFail(parseSchedule("small"));
  compile.arch = "h200";
  compile.code = true;
  compile.kernelIr = "built.mlir";
  compile.batchesB = "bh";
  compile.kernelText = "gpu.func";
  compile.inject = "compile-hang";
  return {toJson(compile),
          toJson(compiled),
          toJson(someKernel()),
          toJson(Open{"0", "libcublasLt.so"}),
          toJson(Opened{"NVIDIA H200", "h200", "580.1", 13000}),
          toJson(Refused{"no GPU"}),
          toJson(Drop{"a"}),
          toJson(measure),
          toJson(Began{9, 1}),
          toJson(Beat{9}),
          toJson(someAnswer())};
}

/// Reads a message by its declared kind, and writes it again.
template <typename T>
std::optional<json::Value> again(const json::Value &message) {
  if (kindOf(message) != T::kind)
    return std::nullopt;
  llvm::Expected<T> value = read<T>(message);
  if (value)
    return toJson(*value);
  ADD_FAILURE() << llvm::toString(value.takeError());
  return std::nullopt;
}

template <typename... Ts>
std::optional<json::Value> againAsAnyOf(const json::Value &message) {
  std::optional<json::Value> result;
  ((result = result ? result : again<Ts>(message)), ...);
  return result;
}

std::optional<json::Value> writtenAgain(const json::Value &message) {
  return againAsAnyOf<Compile, Compiled, Kernel, Open, Opened, Refused, Drop,
                      Measure, Began, Beat, Measured>(message);
}

TEST(Protocol, ReadsWhatItWrites) {
  for (const json::Value &message : everyMessage()) {
    auto result = writtenAgain(message);
    ASSERT_TRUE(result);
    EXPECT_EQ(*result, message);
  }
}

TEST(Protocol, KeepsBytesThatAreNoText) {
  Kernel kernel = llvm::cantFail(read<Kernel>(toJson(someKernel())));
  EXPECT_EQ(kernel.images, someKernel().images);
  EXPECT_EQ(kernel.facts.at("hone_small").fault, "it spills 16 bytes");
}

TEST(Protocol, SaysWhichFieldIsMissing) {
  for (const json::Value &message : everyMessage())
    for (const auto &[name, value] : *message.getAsObject()) {
      json::Object less = *message.getAsObject();
      less.erase(name);
      std::string field = llvm::StringRef(name).str();
      if (field == "is")
        continue;
      llvm::Error error = llvm::Error::success();
      auto collect = [&](auto result) {
        if (!result)
          error = llvm::joinErrors(std::move(error), result.takeError());
      };
      json::Value broken(std::move(less));
      llvm::StringRef kind = kindOf(broken);
      if (kind == Measured::kind)
        collect(read<Measured>(broken));
      else if (kind == Compiled::kind)
        collect(read<Compiled>(broken));
      else if (kind == Measure::kind)
        collect(read<Measure>(broken));
      else {
        llvm::consumeError(std::move(error));
        continue;
      }
      EXPECT_NE(llvm::toString(std::move(error)).find("'" + field + "'"),
                std::string::npos)
          << field;
    }
}

TEST(Protocol, RefusesOtherKinds) {
  auto wrong = read<Measured>(toJson(Beat{1}));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(llvm::toString(wrong.takeError()),
            "expected 'measured', but got 'beat'");
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

TEST(FrameReader, TakesPiecesOfAnySize) {
  std::string bytes;
  for (const json::Value &message : everyMessage())
    bytes += frame(message);
  for (size_t piece : {1, 2, 7, 64, 100000}) {
    FrameReader reader;
    std::vector<json::Value> received;
    for (size_t at = 0; at < bytes.size(); at += piece) {
      reader.feed(llvm::StringRef(bytes).substr(at, piece));
      while (auto message = llvm::cantFail(reader.next()))
        received.push_back(*message);
    }
    EXPECT_EQ(received, everyMessage());
  }
}

std::string errorOf(llvm::StringRef bytes) {
  FrameReader reader;
  reader.feed(bytes);
  auto message = reader.next();
  return message ? "" : llvm::toString(message.takeError());
}

TEST(FrameReader, RefusesDepth) {
  std::string deep(50000, '[');
  EXPECT_EQ(errorOf("hone-worker 3 50000\n" + deep),
            "expected JSON of at most 32 levels of brackets, but got more at "
            "byte 33");
}

/// A second is a thousand times the time needed, and a hundredth of the time of
/// a reader that moves the rest of the buffer for every message.
TEST(FrameReader, TakesManyMessagesAtOnce) {
  constexpr int kCount = 200000;
  std::string bytes, one = frame(toJson(Beat{1}));
  for (int i = 0; i < kCount; ++i)
    bytes += one;
  FrameReader reader;
  reader.feed(bytes);
  auto start = std::chrono::steady_clock::now();
  int received = 0;
  while (llvm::cantFail(reader.next()))
    ++received;
  EXPECT_EQ(received, kCount);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(FrameReader, SaysWhatItGotInstead) {
  EXPECT_EQ(errorOf("Warning: your GPU is hot\n"),
            "expected a frame, but got 'Warning: your GPU is hot'");
  EXPECT_EQ(errorOf("hone-worker 4 5\nhello"),
            "expected a worker of protocol 3, but got 4; use the program that "
            "came with this hone");
  EXPECT_EQ(errorOf("hone-worker 3 999999999999\n"),
            "expected a frame of at most 268435456 bytes, but got "
            "999999999999");
  EXPECT_NE(errorOf("hone-worker 3 5\n{\"is\""), "");
  EXPECT_EQ(errorOf("hone-worker 3 12\n{\"is\""), ""); // more may come
  EXPECT_NE(errorOf(std::string(100, 'x')), "");
}

/// Any input ends with messages, an error, or a request for more.
TEST(FrameReader, SurvivesGarbage) {
  std::string good;
  for (const json::Value &message : everyMessage())
    good += frame(message);
  std::mt19937_64 random(1);
  for (int run = 0; run < 3000; ++run) {
    std::string bytes = good.substr(0, 1 + random() % good.size());
    for (int edits = 1 + random() % 4; edits; --edits)
      switch (size_t at = random() % bytes.size(); random() % 4) {
      case 0:
        bytes[at] = char(random());
        break;
      case 1:
        bytes.erase(at, random() % 9);
        bytes += "}";
        break;
      case 2:
        bytes.insert(at, good.substr(random() % good.size(), random() % 50));
        break;
      default:
        bytes.insert(at, 1, "0123456789{}[]\",:\n"[random() % 18]);
      }
    FrameReader reader;
    reader.feed(bytes);
    while (true) {
      auto message = reader.next();
      if (!message) {
        llvm::consumeError(message.takeError());
        break;
      }
      if (!*message)
        break;
      llvm::consumeError(read<Measured>(**message).takeError());
      llvm::consumeError(read<Compiled>(**message).takeError());
    }
  }
}

} // namespace
