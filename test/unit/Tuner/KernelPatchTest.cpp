//===- KernelPatchTest.cpp - Tests of edits of a text ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/KernelPatch.h"
#include "hone/Schedule/WholeKernel.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

constexpr llvm::StringLiteral kText = "  a\n  b\n    c\n  b\n  d\n";

/// The patched text, or the error.
std::string patched(std::vector<Edit> edits, llvm::StringRef text = kText) {
  auto result = applyPatch(text, edits);
  return result ? *result : llvm::toString(result.takeError());
}

bool hasText(const std::string &text, llvm::StringRef part) {
  return llvm::StringRef(text).contains(part);
}

TEST(KernelPatch, ReplacesLinesThatOccurOnce) {
  EXPECT_EQ(patched({{"a", "x"}}), "x\n  b\n    c\n  b\n  d\n\n");
  EXPECT_EQ(patched({{"b\nc", "x\ny\nz"}}), "  a\nx\ny\nz\n  b\n  d\n\n");
  // No line remains of a line that becomes nothing but an empty one.
  EXPECT_EQ(patched({{"c", ""}}), "  a\n  b\n\n  b\n  d\n\n");
}

TEST(KernelPatch, IgnoresSpacesAndEmptyLinesAround) {
  EXPECT_EQ(patched({{"\n\tc  \n  b\r\n\n", "x"}}), "  a\n  b\nx\n  d\n\n");
}

TEST(KernelPatch, AppliesEditsToTheTextAsItWas) {
  std::string both = "  b\n  b\n    c\n  b\na\n\n";
  EXPECT_EQ(patched({{"a", "  b"}, {"d", "a"}}), both);
  EXPECT_EQ(patched({{"d", "a"}, {"a", "  b"}}), both);
}

TEST(KernelPatch, CountsLinesThatDoNotOccurOnce) {
  EXPECT_TRUE(hasText(patched({{"a", "x"}, {"b", "x"}}),
                      "edit 2: expected lines that the parent has once, but it "
                      "has them 2 times"));
  EXPECT_TRUE(hasText(patched({{"e", "x"}}), "has them 0 times"));
  EXPECT_TRUE(
      hasText(patched({{"b\nd\nc", "x"}}), "has the first of 3, 'b', 2 times"));
  // A part of a line does not count.
  EXPECT_TRUE(hasText(patched({{"wait 1", "x"}}, "mma.wait 1"), "0 times"));
}

TEST(KernelPatch, RefusesEditsOfTheSameLines) {
  for (const char *other : {"c", "b\nc", "c\nb\nd", "a\nb\nc\nb\nd"})
    EXPECT_TRUE(hasText(patched({{"c\nb", "x"}, {other, "y"}}),
                        "edit 2: expected other lines than edit 1"))
        << other;
  EXPECT_EQ(patched({{"a\nb", "x"}, {"c\nb", "y"}}), "x\ny\n  d\n\n");
}

TEST(KernelPatch, RefusesHostileEdits) {
  EXPECT_TRUE(hasText(patched({}), "expected 1 to 32 edits, but got 0"));
  EXPECT_TRUE(hasText(patched(std::vector<Edit>(33, {"a", "b"})), "got 33"));
  for (const char *empty : {"", "\n", " \n\t\n "})
    EXPECT_TRUE(hasText(patched({{empty, "x"}}), "but got none"));
  std::string huge(kMaxKernelBytes, 'x'), many(100'000, '\n');
  EXPECT_TRUE(hasText(patched({{"a", huge}}), "expected a kernel of at most"));
  EXPECT_TRUE(hasText(patched({{huge, "a"}}), "0 times"));
  EXPECT_LT(patched({{huge, "a"}}).size(), 300u);
  EXPECT_TRUE(hasText(patched({{"a" + many + "a", "x"}}), "0 times"));
  EXPECT_TRUE(hasText(patched({{"a", "x"}}, ""), "0 times"));
  std::string bytes("a\0\x1b[2J", 6);
  EXPECT_FALSE(hasText(patched({{bytes, "x"}}), "\x1b"));
}

} // namespace
