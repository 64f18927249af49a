//===- JsonTest.cpp - Tests of untrusted JSON -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON within the limits reads as LLVM's parser reads it; JSON beyond them is
// an error, and does not end the process.
//
//===----------------------------------------------------------------------===//

#include "hone/Text/Json.h"
#include "gtest/gtest.h"

using namespace hone;
namespace json = llvm::json;

namespace {

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<json::Value> value = parseUntrustedJson(text);
  return value ? "" : llvm::toString(value.takeError());
}

std::string nested(size_t levels, llvm::StringRef open, llvm::StringRef close) {
  std::string text;
  for (size_t i = 0; i < levels; ++i)
    text += open;
  text += "1";
  for (size_t i = 0; i < levels; ++i)
    text += close;
  return text;
}

TEST(UntrustedJson, ReadsWhatIsShallow) {
  std::string text = R"({"a":[1,2.5,"[[[{{{\"[["],"b":{"c":null}})";
  EXPECT_EQ(llvm::cantFail(parseUntrustedJson(text)),
            llvm::cantFail(json::parse(text)));
  EXPECT_EQ(errorOf(nested(kDeepestJson, "[", "]")), "");
  EXPECT_EQ(errorOf(nested(kDeepestJson / 2, "{\"a\":[", "]}")), "");
  // Consecutive brackets are not deep.
  std::string wide = "[";
  for (int i = 0; i < 10000; ++i)
    wide += "[],";
  EXPECT_EQ(errorOf(wide + "[]]"), "");
}

TEST(UntrustedJson, RefusesDepth) {
  constexpr llvm::StringLiteral kExpected =
      "expected JSON of at most 32 levels of brackets, but got more at byte 33";
  for (size_t levels :
       {size_t(kDeepestJson) + 1, size_t(50000), size_t(500000)})
    EXPECT_EQ(errorOf(nested(levels, "[", "]")), kExpected);
  EXPECT_NE(errorOf(nested(50000, "{\"a\":", "}")), "");
  // Without an end, and after a string that looks like one.
  EXPECT_EQ(errorOf(std::string(50000, '[')), kExpected);
  EXPECT_NE(errorOf("[\"\\\"\"," + std::string(50000, '[')).find("levels"),
            std::string::npos);
}

TEST(UntrustedJson, RefusesValuesWithoutEnd) {
  std::string text = "[0";
  for (size_t i = 0; i < kMaxJsonValues; ++i)
    text += ",0";
  EXPECT_EQ(errorOf(text + "]"),
            "expected JSON of at most 1048576 values, but got more");
}

TEST(UntrustedJson, LeavesTheRestToTheParser) {
  for (const char *bad : {"", "]", "}]}]", "\"", "\"\\", "[1 2]", "{\"a\"}"})
    EXPECT_NE(errorOf(bad), "") << bad;
}

} // namespace
