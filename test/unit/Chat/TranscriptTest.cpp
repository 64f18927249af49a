//===- TranscriptTest.cpp - Tests of recorded questions and answers -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Transcript.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

class TranscriptTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> made;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("hone-chat", "", made));
    path = made.str().str();
  }
  void TearDown() override { llvm::sys::fs::remove(path); }

  void append(const ChatQuestion &question, const ChatAnswer &answer) {
    llvm::cantFail(Transcript::append(path, "model", question, answer));
  }
  void write(llvm::StringRef text) {
    std::error_code code;
    llvm::raw_fd_ostream file(path, code);
    file << text;
  }
  Transcript read() { return llvm::cantFail(Transcript::read(path)); }
  std::string errorOfReading() {
    auto transcript = Transcript::read(path);
    return transcript ? "" : llvm::toString(transcript.takeError());
  }
  static ChatAnswer saying(std::string text) {
    ChatAnswer answer;
    answer.text = std::move(text);
    return answer;
  }

  std::string path;
  ChatQuestion question = {"you", "what?", "{}", "root ::= \"x\"", 100, 0.5, 1};
};

TEST_F(TranscriptTest, GivesBackWhatWasSaid) {
  ChatAnswer cut = saying("half a \"line\"\n");
  cut.isCut = true;
  append(question, cut);
  Transcript transcript = read();
  EXPECT_EQ(transcript.model(), "model");
  auto found = transcript.find(question.hash("model"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text, cut.text);
  EXPECT_TRUE(found->isCut);
  EXPECT_TRUE(found->isOk());
  EXPECT_FALSE(transcript.find(question.hash("another")));
}

TEST_F(TranscriptTest, GivesBackFailures) {
  ChatAnswer failed;
  failed.fault = "expected an answer";
  append(question, failed);
  auto found = read().find(question.hash("model"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->fault, failed.fault);
}

TEST_F(TranscriptTest, AnswersInTurn) {
  append(question, saying("one"));
  append(question, saying("two"));
  Transcript transcript = read();
  std::string hash = question.hash("model");
  EXPECT_EQ(transcript.find(hash)->text, "one");
  EXPECT_EQ(transcript.find(hash)->text, "two");
  EXPECT_EQ(transcript.find(hash)->text, "two");
}

TEST_F(TranscriptTest, HashesWhatIsAsked) {
  std::string hash = question.hash("model");
  EXPECT_EQ(hash.size(), 32u);
  auto differs = [&](auto change) {
    ChatQuestion other = question;
    change(other);
    return other.hash("model") != hash;
  };
  EXPECT_TRUE(differs([](ChatQuestion &other) { other.system = "me"; }));
  EXPECT_TRUE(differs([](ChatQuestion &other) { other.text = "who?"; }));
  EXPECT_TRUE(differs([](ChatQuestion &other) { other.schema = "[]"; }));
  EXPECT_TRUE(differs([](ChatQuestion &other) { other.answerTokens = 99; }));
  EXPECT_TRUE(differs([](ChatQuestion &other) { other.temperature = 0; }));
  EXPECT_TRUE(differs([](ChatQuestion &other) { other.seed = 2; }));
  // The grammar has the same content as the schema.
  EXPECT_FALSE(differs([](ChatQuestion &other) { other.grammar = ""; }));
  // Holds on another day and another machine.
  EXPECT_EQ(hash, "af3b882b4c9317634ed651e80354892d");
}

TEST_F(TranscriptTest, PassesOverALineThatWasCutOff) {
  append(question, saying("one"));
  std::string whole =
      llvm::cantFail(llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(path)))
          ->getBuffer()
          .str();
  write(whole + whole.substr(0, whole.size() / 2));
  EXPECT_EQ(read().find(question.hash("model"))->text, "one");
}

TEST_F(TranscriptTest, RefusesWhatIsNone) {
  for (const char *text :
       {"hello\n", "[]\n", "{}\n", "{\"hash\": \"x\"}\n",
        "{\"hash\": \"x\", \"answer\": 3}\n",
        "{\"hash\": \"x\", \"answer\": \"a\", \"fault\": \"b\"}\n",
        "{\"hash\": \"x\", \"fault\": \"\"}\n"}) {
    write(text);
    EXPECT_NE(errorOfReading().find("line 1: "), std::string::npos) << text;
  }
  write(std::string(100000, '[') + "\n");
  EXPECT_NE(errorOfReading().find("levels of brackets"), std::string::npos);
  llvm::sys::fs::remove(path);
  EXPECT_NE(errorOfReading().find("expected a transcript"), std::string::npos);
}

TEST_F(TranscriptTest, SaysWhereItCanNotBeWritten) {
  llvm::Error error =
      Transcript::append("/no/such/folder/x", "model", question, saying("one"));
  EXPECT_NE(llvm::toString(std::move(error)).find("/no/such/folder/x"),
            std::string::npos);
  EXPECT_NE(llvm::toString(Transcript::append("/dev/full", "model", question,
                                              saying("one"))),
            "");
}

} // namespace
