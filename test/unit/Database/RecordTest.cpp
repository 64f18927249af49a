//===- RecordTest.cpp - Tests of records as lines of JSON -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record reads back as written, and every other text is an error.
//
//===----------------------------------------------------------------------===//

#include "hone/Database/Record.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <limits>
#include <random>

using namespace hone;

namespace {

constexpr const char *kLine =
    R"({"arch":"h200","clock_mhz":1755,"cost_seconds":0.5,"driver":"580.1",)"
    R"("error":0.25,"grade":"finalist","hone":"0.1","llvm":"22.1","measured_at":1700000000,)"
    R"("median":0.5,"model":"","origin":"measured","p10":0.25,"p90":0.75,)"
    R"("policy":"evolution","problem":"m = 512, n = 512, k = 512, )"
    R"(a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero",)"
    R"("registers":168,"samples":7,"schedule":"ws, side = a, )"
    R"(tile = 64x64x64, consumers = 1x1, teams = 1, persistent = no, )"
    R"(cluster = 1x1, splits = 1, streams = no, stages = 8, group = 8","seed":17,)"
    R"("space":1,"spill_bytes":0,"status":"ok"})";

std::string errorOf(llvm::StringRef line) {
  llvm::Expected<Record> record = recordFromJson(line);
  return record ? "" : llvm::toString(record.takeError());
}

std::string with(llvm::StringRef from, llvm::StringRef to) {
  std::string line = kLine;
  size_t at = line.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  return line.replace(at, from.size(), to.str());
}

TEST(Record, ReadsWhatItWrites) {
  Record record = llvm::cantFail(recordFromJson(kLine));
  EXPECT_EQ(toJson(record), kLine);
  record.status = Status::timeout;
  record.reason = "no answer within 30 s, \"quoted\"";
  std::string line = toJson(record);
  EXPECT_EQ(line.find("median"), std::string::npos);
  EXPECT_EQ(toJson(llvm::cantFail(recordFromJson(line))), line);
}

TEST(Record, ReadsLinesWithoutAGrade) {
  Record record =
      llvm::cantFail(recordFromJson(with("\"grade\":\"finalist\",", "")));
  EXPECT_EQ(record.grade, Grade::trial);
}

TEST(Record, EveryStatusHasAName) {
  for (llvm::StringRef name : statusNames())
    EXPECT_EQ(toString(*parseStatus(name)), name);
  EXPECT_FALSE(parseStatus("fine"));
}

TEST(Record, SaysWhatIsWrong) {
  EXPECT_EQ(errorOf("[]"), "expected a JSON object");
  EXPECT_EQ(errorOf(with("\"ok\"", "\"fine\"")),
            "expected 'status' to be one of ok, illegal, compile-error, wrong, "
            "fault, timeout, but got something else");
  EXPECT_EQ(errorOf(with("\"finalist\"", "\"first\"")),
            "expected 'grade' to be one of trial, finalist, chosen, but got "
            "something else");
  EXPECT_EQ(errorOf(with("\"arch\":\"h200\",", "")),
            "expected 'arch' to be a text, but got nothing");
  EXPECT_EQ(errorOf(with("\"samples\":7", "\"samples\":0")),
            "expected a time above 0 and a sample, but got 500000.000 us of 0");
  EXPECT_EQ(errorOf(with("\"median\":0.5", "\"median\":-1")),
            "expected 'median' to be a finite number of 0 or more, but got "
            "something else");
  EXPECT_EQ(errorOf(with("\"p10\":0.25", "\"p10\":1.5")),
            "expected p10, median and p90 in order, but got 1500000.000, "
            "500000.000 and 750000.000 us");
  EXPECT_EQ(errorOf(with("stages = 8", "stages = 99")),
            "schedule_c43: expected stages to be 2 to 16, but got 99; use 16");
  EXPECT_NE(errorOf(with("h200", "H900")).find("expected arch to be one of"),
            std::string::npos);
  EXPECT_EQ(errorOf(with("h200", "x.machine")),
            "expected 'arch' to be the name of a machine, but got a file");
  EXPECT_EQ(errorOf(with("h200", "h200/133")),
            "expected 1 to 132 processors of 'h200', but got 133");
  EXPECT_NE(errorOf(with("h200", "native")), "");
  // The machine of a file.
  EXPECT_EQ(errorOf(with("h200", "made-up")), "");
}

TEST(Record, RefusesWhatCanNotBeTrue) {
  auto impossible = [&](llvm::StringRef median) {
    std::string line = with("\"median\":0.5", ("\"median\":" + median).str());
    for (llvm::StringRef other : {"\"p10\":0.25", "\"p90\":0.75"}) {
      size_t at = line.find(other.str());
      line.replace(at, other.size(), (other.take_front(6) + median).str());
    }
    return errorOf(line);
  };
  // 512^3 in less time than any chip of that name needs.
  EXPECT_NE(impossible("1e-12").find("expected a time of "), std::string::npos)
      << impossible("1e-12");
  EXPECT_NE(impossible("1e-7").find("h200 computes and reads no faster"),
            std::string::npos);
  EXPECT_EQ(impossible("2.9e-6"), "");
  for (llvm::StringRef none : {"NaN", "Infinity", "-1e-6", "1e999"})
    EXPECT_NE(impossible(none), "") << none.str();

  Record record = llvm::cantFail(recordFromJson(kLine));
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  auto faulty = [&](auto change) {
    Record changed = record;
    change(changed);
    return faultOf(changed).has_value();
  };
  EXPECT_FALSE(faulty([](Record &) {}));
  for (double bad : {kNaN, -kInfinity, -1.0}) {
    EXPECT_TRUE(faulty([&](Record &r) { r.times.median = bad; })) << bad;
    EXPECT_TRUE(faulty([&](Record &r) { r.times.p10 = bad; })) << bad;
    EXPECT_TRUE(faulty([&](Record &r) { r.times.p90 = bad; })) << bad;
    EXPECT_TRUE(faulty([&](Record &r) { r.error = bad; })) << bad;
    EXPECT_TRUE(faulty([&](Record &r) { r.clockMHz = bad; })) << bad;
    EXPECT_TRUE(faulty([&](Record &r) { r.provenance.costSeconds = bad; }));
  }
  EXPECT_TRUE(faulty([&](Record &r) { r.times.p90 = kInfinity; }));
  EXPECT_TRUE(faulty([&](Record &r) { std::swap(r.times.p10, r.times.p90); }));
  EXPECT_TRUE(faulty([&](Record &r) { r.registers = -1; }));
}

/// A host's record may be of a faster CPU than the reading host's.
TEST(Record, AHostMayBeAnother) {
  std::string line = with("\"h200\"", "\"host\"");
  size_t at = line.find("ws,");
  line.replace(at, line.find('"', at) - at, "host");
  EXPECT_EQ(errorOf(line), "");
}

TEST(Record, RefusesDepth) {
  std::string line = "{\"arch\":" + std::string(50000, '[');
  EXPECT_NE(errorOf(line).find("levels of brackets"), std::string::npos);
}

/// For any bytes the result is a record or an error.
TEST(Record, SurvivesAnything) {
  std::mt19937 random(1);
  std::string original = kLine;
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string line = original;
    for (unsigned edits = 1 + random() % 4; edits; --edits) {
      size_t at = random() % line.size();
      switch (random() % 3) {
      case 0:
        line[at] = char(random());
        break;
      case 1:
        line.erase(at, 1 + random() % 8);
        break;
      default:
        line.insert(at, line.substr(random() % line.size(), random() % 9));
      }
      if (line.empty())
        line = "x";
    }
    llvm::Expected<Record> record = recordFromJson(line);
    if (!record) {
      EXPECT_FALSE(llvm::toString(record.takeError()).empty());
      continue;
    }
    // An accepted line has the same content after writing and reading.
    ++accepted;
    std::string written = toJson(*record);
    EXPECT_EQ(toJson(llvm::cantFail(recordFromJson(written))), written);
  }
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, 20000);
}

} // namespace
