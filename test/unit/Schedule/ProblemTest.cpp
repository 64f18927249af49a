//===- ProblemTest.cpp - Tests of the text of a problem -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A problem's text is a database key: it has one spelling and reads back as the
// same problem. The parser refuses any other text without worse effects.
//
//===----------------------------------------------------------------------===//

#include "ProblemTexts.h"
#include "hone/Schedule/Geometry.h"
#include "hone/Schedule/Spelling.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <chrono>

using namespace hone;
using namespace hone::test;

namespace {

constexpr llvm::StringLiteral kFull =
    "batch = 8, m = 128, n = ?, k = 64, a = f16:row:16, b = f16:col:16:shared, "
    "acc = f32, c = f16:16, init = zero, epilogue = \"addf(acc, n:f32) | "
    "exp($0)\"";
TEST(Problem, ReadsEveryField) {
  Problem problem = llvm::cantFail(Problem::parse(kFull));
  EXPECT_EQ(problem.batch, 8);
  EXPECT_EQ(problem.m, 128);
  EXPECT_EQ(problem.n, kDynamic);
  EXPECT_EQ(problem.k, 64);
  EXPECT_EQ(problem.a.order, Order::row);
  EXPECT_FALSE(problem.a.shared);
  EXPECT_EQ(problem.b.order, Order::col);
  EXPECT_TRUE(problem.b.shared);
  EXPECT_EQ(problem.acc, ElementType::f32);
  EXPECT_EQ(problem.c, ElementType::f16);
  EXPECT_EQ(problem.alignC, 16);
  EXPECT_EQ(problem.init, Init::zero);
  EXPECT_EQ(problem.epilogue, "addf(acc, n:f32) | exp($0)");
  EXPECT_EQ(problem.str(), kFull);
}

TEST(Problem, OmitsBatchAndEpilogue) {
  Problem problem = llvm::cantFail(Problem::parse(kPlain));
  EXPECT_FALSE(problem.batch);
  EXPECT_TRUE(problem.epilogue.empty());
  EXPECT_EQ(problem.str(), kPlain);
}

constexpr llvm::StringLiteral kWindows =
    "m = 9, n = 2, k = 36, a = f16:m[3*x, 3*y] k[3*x, 3*y, 4*1] x[3*12, low 1] "
    "y[3*4, low 1]:8, b = f16:n[2*9] k[36*1]:8, acc = f32, c = f32:4, "
    "init = read";

TEST(Problem, ReadsAccesses) {
  std::string text = kWindows.str();
  text.replace(text.find("n[2*9] k[36*1]"), 14, "col");
  Problem problem = llvm::cantFail(Problem::parse(text));
  ASSERT_TRUE(problem.a.access);
  EXPECT_FALSE(problem.hasMatrices());
  EXPECT_EQ(problem.a.order, Order::row);
  EXPECT_EQ(problem.a.access->window()->h.size, 3);
  EXPECT_EQ(problem.str(), text);
  EXPECT_EQ(problem.open().str(),
            "m = ?, n = ?, k = ?, a = f16:m[?*?x, ?*?y] k[?*?x, ?*?y, ?*1] "
            "x[?*?, low ?] y[?*?, low ?]:8, b = f16:col:8, acc = f32, "
            "c = f32:4, init = read");
  EXPECT_EQ(llvm::cantFail(Problem::parse(problem.open().str())),
            problem.open());
  // An image of 3x3 pixels is read once; B is a matrix, C is read and written.
  EXPECT_EQ(problem.bytes(), 2.0 * 36 + 2 * 72 + 2 * 4 * 18);
  Problem matrix = problem;
  matrix.a.access.reset();
  EXPECT_FALSE(matrix == problem);
  EXPECT_NE(hash_value(matrix), hash_value(problem));
}

TEST(Problem, RefusesAccessesThatDoNotFit) {
  EXPECT_EQ(errorOfProblem(kWindows),
            "expected 'b' to be 'row' or 'col', which its access is, but got "
            "'n[2*9] k[36*1]'; use that word");
  EXPECT_EQ(errorOfProblem(plainWith("bf16:col", "bf16:m[2*4, 2*1] k[3*8]")),
            "expected the access of 'a' to have m = 1, k = 3 and batch = 1, "
            "but got 4, 3 and 1; use extents whose products are those");
  EXPECT_EQ(errorOfProblem(plainWith("bf16:col", "bf16:m[2*4, 2] k[3*8]")),
            "'a': expected a digit of an access as extent*step, but got ' 2'; "
            "use '64*1' for 64 adjacent elements");
}

TEST(Problem, OneSpellingWhateverTheOrderAndSpaces) {
  Problem problem = llvm::cantFail(Problem::parse(
      "init=read,c = f32:4 ,\n acc=f32, b=bf16:row:8, a=bf16:col:2, k=003,n=2,"
      "m=1, epilogue = \"\""));
  EXPECT_EQ(problem.str(), kPlain);
}

TEST(Problem, SharedNeedsSomethingToShare) {
  Problem problem = llvm::cantFail(Problem::parse(kPlain));
  problem.a.shared = true;
  EXPECT_EQ(problem.str(), kPlain);
  EXPECT_EQ(errorOfProblem(plainWith("col:2", "col:2:shared")),
            "expected a batch that can be shared, but got a problem without "
            "one; use 'shared' only with 'batch'");
}

TEST(Problem, RefusesBadExtents) {
  for (const char *bad : {"-3", "0", "", "x", "1.5", "+1", "0x10", "1 2"})
    EXPECT_EQ(errorOfProblem(plainWith("m = 1", std::string("m = ") + bad)),
              std::string("expected extent of 'm' to be a positive integer or "
                          "'?', but got '") +
                  bad + "'");
  EXPECT_EQ(errorOfProblem(plainWith("k = 3", "k = 2147483648")),
            "expected extent of 'k' to be at most 2147483647, but got "
            "'2147483648'");
  EXPECT_EQ(errorOfProblem(plainWith("k = 3", "k = 99999999999999999999")),
            "expected extent of 'k' to be at most 2147483647, but got "
            "'99999999999999999999'");
  EXPECT_EQ(errorOfProblem("batch = 0, " + kPlain.str()),
            "expected extent of 'batch' to be a positive integer or '?', but "
            "got '0'");
  EXPECT_EQ(errorOfProblem(plainWith("m = 1", "m = 2147483647")), "");
  EXPECT_EQ(
      errorOfProblem(plainWith("m = 1", "m = " + std::string(40000, '9'))),
      "expected extent of 'm' to be at most 2147483647, but got '" +
          std::string(60, '9') + "...'");
}

TEST(Problem, RefusesWhatNoMachineHolds) {
  auto sized = [](int64_t batch, int64_t m, int64_t n, int64_t k) {
    Problem problem;
    if (batch != 1)
      problem.batch = batch;
    problem.m = m, problem.n = n, problem.k = k;
    return problem;
  };
  constexpr int64_t kMax = kLargestExtent, kHuge = INT64_MAX;
  EXPECT_EQ(sized(1, kMax, 1, 1).fault(), std::nullopt);
  EXPECT_EQ(sized(1, kDynamic, kDynamic, kDynamic).fault(), std::nullopt);
  EXPECT_EQ(sized(kDynamic, 1, 1, kMax).fault(), std::nullopt);
  for (int64_t bad : {kHuge, int64_t(0), int64_t(-2), INT64_MIN, kMax + 1})
    for (Problem problem : {sized(1, bad, 2, 3), sized(1, 2, bad, 3),
                            sized(1, 2, 3, bad), sized(bad, 2, 3, 4)})
      EXPECT_NE(problem.fault(), std::nullopt) << bad;
  // Each extent is within its bound; the matrices are not.
  EXPECT_EQ(*sized(1, kMax, kMax, 1).fault(),
            "expected C to have at most 140737488355328 bytes, but got "
            "2147483647 x 2147483647 elements");
  EXPECT_EQ(*sized(1, kMax, 1, kMax).fault(),
            "expected A to have at most 140737488355328 bytes, but got "
            "2147483647 x 2147483647 elements");
  EXPECT_EQ(*sized(kMax, 1, kMax, 1).fault(),
            "expected B to have at most 140737488355328 bytes, but got "
            "2147483647 x 1 x 2147483647 elements");
  // Each matrix is within its bound; the product is not.
  constexpr int64_t k4M = 1 << 22;
  EXPECT_EQ(*sized(1, k4M, k4M, k4M).fault(),
            "expected at most 4611686018427387904 multiplications, but got "
            "4194304 x 4194304 x 4194304");
  // A matrix shared by the whole batch is counted once.
  Problem shared = sized(kMax, 1, 1, 1 << 16);
  EXPECT_NE(shared.fault(), std::nullopt);
  shared.a.shared = shared.b.shared = true;
  EXPECT_EQ(shared.fault(), std::nullopt);
  EXPECT_EQ(errorOfProblem(
                plainWith("m = 1, n = 2", "m = 2147483647, n = 2147483647")),
            "expected C to have at most 140737488355328 bytes, but got "
            "2147483647 x 2147483647 elements");
}

/// Every text is read in a time that grows with its length.
TEST(Problem, ReadsLongTextsInTime) {
  auto start = std::chrono::steady_clock::now();
  std::string digits(4000000, '9');
  EXPECT_NE(errorOfProblem(plainWith("k = 3", "k = " + digits)), "");
  EXPECT_NE(errorOfProblem(plainWith("bf16:col:2", "f16:col:" + digits)), "");
  EXPECT_NE(errorOfProblem(kPlain.str() + std::string(4000000, ',')), "");
  EXPECT_NE(messageOf(parseSchedule("small, stages = " + digits)), "");
  EXPECT_NE(messageOf(parseSchedule("small" + std::string(4000000, ','))), "");
  EXPECT_EQ(errorOfProblem(kPlain.str() + ", epilogue = \"" + digits + "\""),
            "expected 'epilogue' to name a value, as in 'acc', '$0', 'n:f32' "
            "or '0.5:f32', but got '" +
                std::string(60, '9') + "...'");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Problem, RefusesBadOperands) {
  EXPECT_EQ(errorOfProblem(plainWith("bf16:col:2", "f16")),
            "expected 'a' to be type:order:alignment, but got 'f16'");
  EXPECT_EQ(errorOfProblem(plainWith("bf16:col:2", "f8:col:2")),
            "expected element type of 'a' to be one of f16, bf16, f32, "
            "f8E4M3FN, f8E5M2, i8, but got 'f8'");
  EXPECT_EQ(errorOfProblem(plainWith("bf16:col:2", "f16:diagonal:2")),
            "expected order of 'a' to be 'row' or 'col', but got 'diagonal'");
  EXPECT_EQ(errorOfProblem(plainWith("bf16:col:2", "f16:col:2:mine")),
            "expected last part of 'a' to be 'shared', but got 'mine'");
  for (const char *bad : {"0", "3", "32", "-1", ""})
    EXPECT_EQ(
        errorOfProblem(plainWith("bf16:row:8", std::string("f16:row:") + bad)),
        std::string("expected alignment of 'b' to be one of 1, 2, 4, 8, "
                    "16, but got '") +
            bad + "'");
}

TEST(Problem, RefusesBadResultsAndInits) {
  EXPECT_EQ(errorOfProblem(plainWith("f32:4", "f32")),
            "expected 'c' to be type:alignment, but got 'f32'");
  EXPECT_EQ(
      errorOfProblem(plainWith("f32:4", "f64:4")),
      "expected element type of 'c' to be one of f16, bf16, f32, i8, i32, but "
      "got 'f64'");
  EXPECT_EQ(errorOfProblem(plainWith("acc = f32", "acc = i16")),
            "expected element type of 'acc' to be one of f16, bf16, f32, i32, "
            "but got 'i16'");
  EXPECT_EQ(errorOfProblem(plainWith("read", "one")),
            "expected 'init' to be 'zero' or 'read', but got 'one'");
}

TEST(Problem, RefusesBadEpilogues) {
  auto withEpilogue = [](llvm::StringRef text) {
    return kPlain.str() + ", epilogue = " + text.str();
  };
  EXPECT_EQ(errorOfProblem(withEpilogue("relu")),
            "expected 'epilogue' to be in double quotes, but got 'relu'");
  EXPECT_EQ(errorOfProblem(withEpilogue("\"relu")),
            "expected 'epilogue' to be in double quotes, but got '\"relu'");
  EXPECT_EQ(errorOfProblem(withEpilogue("\"")),
            "expected 'epilogue' to be in double quotes, but got '\"'");
  EXPECT_EQ(errorOfProblem(withEpilogue("\"a\\b\"")),
            "expected 'epilogue' to be printable text without quotes and "
            "backslashes, but got '\"a\\b\"'");
  EXPECT_EQ(errorOfProblem(withEpilogue("\"a\nb\"")),
            "expected 'epilogue' to be printable text without quotes and "
            "backslashes, but got '\"a.b\"'");
}

TEST(Problem, EpiloguesHaveOneTextWhateverTheirLength) {
  Problem problem = llvm::cantFail(Problem::parse(kPlain));
  // The element type of C may stand after the epilogue.
  Problem read = llvm::cantFail(Problem::parse(
      "epilogue = \"addf(acc,n:f32@2) | truncf($0):f16\", m = 1, n = 2, k = 3, "
      "a = bf16:col:2, b = bf16:row:8, acc = f32, c = f16:4, init = read"));
  EXPECT_EQ(read.epilogue, "addf(acc, n:f32)");
  std::string chain = "exp(acc)";
  for (int i = 0; i < 2000; ++i)
    chain += " | exp($" + std::to_string(i) + ")";
  problem.epilogue = chain;
  EXPECT_EQ(llvm::cantFail(Problem::parse(problem.str())).str(), problem.str());
}

/// As in databases.
TEST(Problem, LongEpiloguesHadAHash) {
  Problem problem = llvm::cantFail(Problem::parse(kPlain)), brief = problem;
  std::string steps = "exp(acc)";
  for (int i = 0; i < 30; ++i)
    steps += " | exp($" + std::to_string(i) + ")";
  problem.epilogue = steps;
  ASSERT_GT(steps.size(), 300u);
  EXPECT_FALSE(problem.isAbbreviated());
  Problem before = problem.abbreviated();
  EXPECT_TRUE(before.isAbbreviated());
  EXPECT_EQ(before.epilogue.substr(0, 300), steps.substr(0, 300));
  EXPECT_EQ(before.epilogue.substr(300, 6), " ... #");
  EXPECT_EQ(llvm::cantFail(Problem::parse(before.str())).str(), before.str());
  EXPECT_TRUE(before.abbreviated() == before);
  problem.epilogue.back() = '(';
  EXPECT_NE(problem.abbreviated().epilogue, before.epilogue);
  brief.epilogue = "exp(acc)";
  EXPECT_TRUE(brief.abbreviated() == brief);
  EXPECT_NE(
      errorOfProblem(kPlain.str() + ", epilogue = \"exp(acc) ... #1234\""), "");
}

TEST(Problem, OpensForWhatIsBuiltOnce) {
  Problem problem = llvm::cantFail(Problem::parse(kFull));
  EXPECT_EQ(problem.open().str(),
            "batch = ?, m = ?, n = ?, k = ?, a = f16:row:16, "
            "b = f16:col:16:shared, acc = f32, c = f16:16, init = zero, "
            "epilogue = \"addf(acc, n:f32) | exp($0)\"");
  EXPECT_EQ(llvm::cantFail(Problem::parse(kPlain)).open().str(),
            "m = ?, n = ?, k = ?, a = bf16:col:2, b = bf16:row:8, acc = f32, "
            "c = f32:4, init = read");
  EXPECT_EQ(llvm::cantFail(Problem::parse(kPlain)).open(kBestAlign).str(),
            "m = ?, n = ?, k = ?, a = bf16:col:16, b = bf16:row:16, acc = f32, "
            "c = f32:16, init = read");
  EXPECT_EQ(llvm::cantFail(Problem::parse(kPlain)).open(/*align=*/1).str(),
            "m = ?, n = ?, k = ?, a = bf16:col:2, b = bf16:row:2, acc = f32, "
            "c = f32:4, init = read");
}

TEST(Problem, RefusesUnknownMissingAndRepeatedFields) {
  EXPECT_EQ(errorOfProblem(""),
            "expected field to be one of batch, m, n, k, rows, sum, a, b, "
            "acc, products, c, init, numbers, epilogue, but got ''");
  EXPECT_EQ(errorOfProblem(kPlain.str() + ", alpha = 2"),
            "expected field to be one of batch, m, n, k, rows, sum, a, b, acc, "
            "products, c, init, numbers, epilogue, but got 'alpha'");
  EXPECT_EQ(errorOfProblem(plainWith("m = 1, ", "")),
            "expected field 'm', but got a problem without it");
  EXPECT_EQ(errorOfProblem(plainWith("n = 2", "m = 1")),
            "expected field 'm' once, but got it twice");
  EXPECT_EQ(errorOfProblem("m"),
            "expected '=' and a value after field 'm', but got nothing");
}

TEST(Problem, AnErrorIsOneShortPrintableLine) {
  std::string garbage(100000, '\n');
  garbage[5] = '\0';
  std::string message = errorOfProblem("x" + garbage + "x");
  EXPECT_LT(message.size(), 200u);
  EXPECT_TRUE(llvm::all_of(message, llvm::isPrint));
}

TEST(Problem, CountsWork) {
  Problem problem = llvm::cantFail(Problem::parse(
      "batch = 4, m = 10, n = 20, k = 30, a = f16:row:16, b = f16:row:16:shared"
      ", acc = f32, c = f32:16, init = zero"));
  EXPECT_TRUE(problem.isStatic());
  EXPECT_EQ(problem.flops(), 2.0 * 4 * 10 * 20 * 30);
  EXPECT_EQ(problem.bytes(), 4 * 300 * 2 + 600 * 2 + 4 * 200 * 4);
  problem.init = Init::read;
  EXPECT_EQ(problem.bytes(), 4 * 300 * 2 + 600 * 2 + 2 * 4 * 200 * 4);
  problem.batch = kDynamic;
  EXPECT_FALSE(problem.isStatic());
  EXPECT_FALSE(problem.flops());
  EXPECT_FALSE(problem.bytes());
}

TEST(Problem, RandomProblemsReadBack) {
  Random random;
  for (int i = 0; i < 5000; ++i) {
    Problem problem = random.problem();
    llvm::Expected<Problem> again = Problem::parse(problem.str());
    ASSERT_TRUE(bool(again)) << problem.str();
    EXPECT_EQ(again->str(), problem.str());
    EXPECT_TRUE(*again == problem);
    EXPECT_TRUE(again->a == problem.a && again->b == problem.b);
    EXPECT_EQ(again->batch, problem.batch);
  }
}

/// Problems that differ from `problem` in one field each.
std::vector<Problem> neighboursOf(const Problem &problem) {
  std::vector<Problem> all(14, problem);
  all[0].batch = problem.batch ? std::nullopt : std::optional<int64_t>(7);
  all[1].m = problem.m == 5 ? 6 : 5;
  all[2].n = problem.n == 5 ? 6 : 5;
  all[3].k = problem.k == 5 ? 6 : 5;
  all[4].a.order = problem.a.order == Order::row ? Order::col : Order::row;
  all[5].b.type = ElementType::i8;
  all[6].b.align = problem.b.align == 1 ? 2 : 1;
  all[7].acc = ElementType::i32;
  all[8].products = Products::blocks;
  all[9].alignC = problem.alignC == 1 ? 2 : 1;
  all[10].init = problem.init == Init::zero ? Init::read : Init::zero;
  all[11].epilogue += "exp(acc)";
  bool isInvariant = problem.numbers.isInvariant();
  all[12].numbers.kind =
      isInvariant ? Numbers::Kind::free : Numbers::Kind::invariant;
  all[12].numbers.parts = 1;
  all[13].numbers.kind = Numbers::Kind::invariant;
  all[13].numbers.parts = problem.numbers.parts == 2 ? 4 : 2;
  // Shared operands are part of a batched problem only.
  all.push_back(problem);
  all.back().a.shared = !problem.a.shared;
  return all;
}

TEST(Problem, IsEqualIfItsTextIs) {
  Random random;
  for (int i = 0; i < 1000; ++i) {
    Problem problem = random.problem();
    for (const Problem &other : neighboursOf(problem)) {
      EXPECT_EQ(problem == other, problem.str() == other.str())
          << problem.str() << "\n"
          << other.str();
      if (problem == other)
        EXPECT_EQ(hash_value(problem), hash_value(other)) << problem.str();
      else
        EXPECT_NE(hash_value(problem), hash_value(other)) << problem.str();
    }
  }
}

TEST(Problem, MutatedTextIsRefusedOrCanonical) {
  Random random;
  int parsed = 0;
  for (int i = 0; i < 50000; ++i) {
    std::string text = random.mutate(random.problem().str());
    llvm::Expected<Problem> problem = Problem::parse(text);
    if (!problem) {
      std::string message = llvm::toString(problem.takeError());
      EXPECT_TRUE(llvm::StringRef(message).starts_with("expected ")) << text;
      EXPECT_TRUE(llvm::all_of(message, llvm::isPrint)) << message;
      continue;
    }
    ++parsed;
    EXPECT_EQ(llvm::cantFail(Problem::parse(problem->str())).str(),
              problem->str());
  }
  EXPECT_GT(parsed, 500);
}

} // namespace
