//===- KeyTest.cpp - Tests of the redaction of keys -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Key.h"
#include "hone/Chat/Http.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace hone;

namespace {

constexpr const char *kText = "sk-0123456789abcdefSECRET";

std::string faultOf(llvm::Expected<Key> key) {
  return key ? "" : llvm::toString(key.takeError());
}

TEST(Key, IsTakenOutOfTexts) {
  Key key = llvm::cantFail(Key::make(kText));
  EXPECT_EQ(key.header(), std::string("Authorization: Bearer ") + kText);
  EXPECT_EQ(key.redact("no key here"), "no key here");
  EXPECT_EQ(key.redact(kText), "[key]");
  EXPECT_EQ(key.redact(std::string("<") + kText + "><" + kText + ">"),
            "<[key]><[key]>");
  // Parts, as servers print them.
  EXPECT_EQ(key.redact("sk-01234...efSECRET"), "[key]...[key]");
  EXPECT_EQ(key.redact("sk-012...SECRET"), "sk-012...SECRET");
  // Twice without a gap.
  EXPECT_EQ(key.redact(std::string(kText) + kText), "[key]");
  EXPECT_EQ(Key().redact(kText), kText);
}

TEST(Key, LeavesNoPartOfEightCharacters) {
  Key key = llvm::cantFail(Key::make(kText));
  std::string text = kText;
  for (size_t begin = 0; begin < text.size(); ++begin)
    for (size_t size = 1; begin + size <= text.size(); ++size) {
      std::string said =
          key.redact("a" + text.substr(begin, size) + "b" + text);
      for (size_t at = 0; at + 8 <= text.size(); ++at)
        EXPECT_EQ(said.find(text.substr(at, 8)), std::string::npos) << said;
    }
}

TEST(Key, HasAForm) {
  EXPECT_EQ(faultOf(Key::make("  sk-12345678\n")), "");
  EXPECT_EQ(faultOf(Key::make("")).substr(0, 18), "expected a key of ");
  EXPECT_EQ(faultOf(Key::make("none")).substr(0, 18), "expected a key of ");
  EXPECT_EQ(faultOf(Key::make(std::string(5000, 'x'))).substr(0, 18),
            "expected a key of ");
  // A key that would add a header.
  std::string fault = faultOf(Key::make("sk-12345678\r\nHost: elsewhere"));
  EXPECT_NE(fault, "");
  EXPECT_EQ(fault.find("12345678"), std::string::npos);
}

/// The key with every character as an escape.
static std::string escaped(const char *before, const char *format) {
  std::string text;
  for (const char *at = kText; *at; ++at) {
    char digits[8];
    snprintf(digits, sizeof(digits), format, unsigned(*at));
    text += before + std::string(digits);
  }
  return text;
}

TEST(Key, IsFoundAfterEscapes) {
  Key key = llvm::cantFail(Key::make(kText));
  for (const std::string &said :
       {escaped("\\", "u%04x"), escaped("\\\\", "u%04X"),
        escaped("\\\\\\\\", "u%04x"), escaped("\\", "x%02x"),
        escaped("%", "%02X")})
    EXPECT_EQ(key.redact("is it " + said + "?"), "is it [key]?") << said;
  // Text without a key stays as it was written.
  for (const char *said : {"\\u0041 and \\\\u00e9", "100%", "\\u00", "%zz"})
    EXPECT_EQ(key.redact(said), said);
  EXPECT_EQ(key.redact(std::string(1 << 20, '\\')), std::string(1 << 20, '\\'));
}

TEST(Key, ComesFromAFile) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("hone-key", "", path));
  {
    std::error_code code;
    llvm::raw_fd_ostream file(path, code);
    file << kText << "\nsecond line\n";
  }
  Key key = llvm::cantFail(Key::fromFile(path.str().str()));
  EXPECT_EQ(key.redact(kText), "[key]");
  llvm::sys::fs::remove(path);
  EXPECT_NE(faultOf(Key::fromFile(path.str().str())).find("expected a file"),
            std::string::npos);
}

TEST(Key, IsTakenOutOfTheEnvironment) {
  ::setenv("HONE_LLM_KEY", kText, 1);
  Key key = llvm::cantFail(Key::fromEnvironment());
  EXPECT_EQ(key.redact(kText), "[key]");
  EXPECT_EQ(std::getenv("HONE_LLM_KEY"), nullptr);
  EXPECT_TRUE(llvm::cantFail(Key::fromEnvironment()).isEmpty());
  ::setenv("HONE_LLM_KEY", "short", 1);
  EXPECT_EQ(faultOf(Key::fromEnvironment()).substr(0, 14), "HONE_LLM_KEY: ");
}

//===----------------------------------------------------------------------===//
// Where it goes
//===----------------------------------------------------------------------===//

TEST(Url, MustBeOneOfAnEndpoint) {
  EXPECT_FALSE(faultOfUrl("http://localhost:8080/v1"));
  EXPECT_FALSE(faultOfUrl("https://api.example.com/v1/chat/completions"));
  for (const char *url :
       {"", "localhost:8080", "ftp://host/v1", "file:///etc/passwd", "http://",
        "http:///v1", "http://host/ v1", "http://host/v1\nHost: x",
        "http://host/v1?key=1", "http://host/v1#x"})
    EXPECT_TRUE(faultOfUrl(url)) << url;
  std::string fault = faultOfUrl("http://me:sk-12345678@host/v1").value_or("");
  EXPECT_EQ(fault.substr(0, 38), "expected a URL without a user or a key");
  EXPECT_EQ(fault.find("12345678"), std::string::npos);
}

TEST(Url, IsPrintedWithoutSecrets) {
  EXPECT_EQ(originOf("https://host:8/v1?key=1"), "https://host:8");
  EXPECT_EQ(originOf("https://me:secret@host/v1"), "https://host");
  EXPECT_EQ(originOf("/elsewhere?key=1"), "another path");
}

TEST(Url, KeepsSecretsOrNot) {
  for (const char *url : {"https://host/v1", "http://localhost/v1",
                          "http://127.0.0.1:80/v1", "http://[::1]:80/v1"})
    EXPECT_TRUE(keepsSecrets(url)) << url;
  for (const char *url : {"http://host/v1", "http://localhost.example.com/v1",
                          "http://127.0.0.1.example.com/v1", "http://[::2]/v1"})
    EXPECT_FALSE(keepsSecrets(url)) << url;
}

TEST(RetryAfter, IsANumberOrADate) {
  EXPECT_EQ(parseRetryAfter("7"), 7.0);
  EXPECT_EQ(parseRetryAfter(" 0.5 "), 0.5);
  // No wait for a date in the past.
  EXPECT_EQ(parseRetryAfter("Wed, 21 Oct 2015 07:28:00 GMT"), 0.0);
  EXPECT_GT(parseRetryAfter("Wed, 21 Oct 2065 07:28:00 GMT").value_or(0), 1e8);
  for (const char *text : {"", "soon", "-1", "nan", "inf", "1e999"})
    EXPECT_FALSE(parseRetryAfter(text)) << text;
}

} // namespace
