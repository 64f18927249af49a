//===- WholeKernelTest.cpp - Tests of names of kernels --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text has one name, a schedule contains it, and texts that must not be
// parsed are found.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/WholeKernel.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

Schedule parsedSchedule(llvm::StringRef text) {
  return llvm::cantFail(parseSchedule(text));
}

TEST(WholeKernel, HasTheNameOfItsText) {
  // The digits are those of `printf text | sha256sum`.
  WholeKernel kernel = WholeKernel::of("text");
  EXPECT_EQ(kernel.name, "k982d9e3eb996f55");
  EXPECT_TRUE(isKernelName(kernel.name));
  EXPECT_FALSE(faultOf(kernel));
  kernel.text = "texts";
  EXPECT_EQ(faultOf(kernel)->rfind("expected the text of kernel "
                                   "'k982d9e3eb996f55', but got that of k",
                                   0),
            0u);
  EXPECT_EQ(faultOf(WholeKernel::of(std::string(kMaxKernelBytes + 1, 'x'))),
            "expected kernel IR of at most 1048576 bytes, but got 1048577");
}

TEST(WholeKernel, OtherTextsAreNoNames) {
  for (const char *text :
       {"", "k", "none", "k982d9e3eb996f5", "k982d9e3eb996f551",
        "K982d9e3eb996f55", "k982D9e3eb996f55", "k982d9e3eb996g55",
        "k000000000000000", "x982d9e3eb996f55"})
    EXPECT_FALSE(isKernelName(text)) << text;
}

TEST(WholeKernel, IsCarriedByASchedule) {
  Schedule base =
      parsedSchedule("ws, tile = 64x64x64, consumers = 1x1, rewrites = "
                     "[flight(0)]");
  EXPECT_FALSE(wholeKernelOf(base));
  for (const char *name :
       {"k982d9e3eb996f55", "k000000000000001", "kfffffffffffffff"}) {
    Schedule whole = llvm::cantFail(withWholeKernel(base, name));
    EXPECT_EQ(wholeKernelOf(whole), name);
    EXPECT_FALSE(check(whole));
    // It replaces other rewrites, and can be removed.
    std::string text = toString(whole);
    EXPECT_NE(text.find("rewrites = [whole(" + std::string(name) + ")]"),
              std::string::npos)
        << text;
    EXPECT_EQ(parsedSchedule(text), whole);
    EXPECT_NE(compileTimeText(whole), compileTimeText(base));
    llvm::cantFail(whole.decide(kRewrites, "[]"));
    EXPECT_FALSE(wholeKernelOf(whole));
  }
}

TEST(WholeKernel, IsOfAKindThatTakesOne) {
  llvm::Expected<Schedule> whole =
      withWholeKernel(parsedSchedule("mma_sync"), "k982d9e3eb996f55");
  ASSERT_FALSE(bool(whole));
  EXPECT_EQ(llvm::toString(whole.takeError()),
            "expected a kind whose kernels can be replaced, but got mma_sync; "
            "use ws");
  llvm::Error error =
      parsedSchedule("ws").decide(kRewrites, "[whole(982d9e3eb996f55)]");
  EXPECT_EQ(llvm::toString(std::move(error)),
            "expected 'whole' to be the name of a kernel, k and 15 hexadecimal "
            "digits, but got '982d9e3eb996f55'");
}

TEST(WholeKernel, FindsWhatMustNotBeParsed) {
  EXPECT_FALSE(tooMuchOf("func.func @f(%a: tensor<4xf32>) -> (f32) { }"));
  std::string deep(129, '(');
  std::optional<TooMuch> found = tooMuchOf("// ((\n\"((\" " + deep);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 2u);
  EXPECT_EQ(found->what,
            "expected at most 128 levels of brackets, but got more");
  EXPECT_FALSE(tooMuchOf("// " + deep));
  EXPECT_FALSE(tooMuchOf("\"" + deep + "\""));
  EXPECT_EQ(tooMuchOf(std::string(401, '1'))->what,
            "expected numbers of at most 400 digits, but got more");
  EXPECT_EQ(tooMuchOf("\n%a = f %b#2147483647")->what,
            "expected numbers of results of at most 4 digits, but got more");
  EXPECT_FALSE(tooMuchOf("%b#1234 #map12345 #a12345 \"#12345\""));
  EXPECT_EQ(tooMuchOf("\n%x.1:12345 = f")->line, 2u);
  EXPECT_FALSE(tooMuchOf("%b:1234 = f loc(\"x\":12345:1)"));
}

/// An arrow ends with the character that elsewhere closes a bracket.
TEST(WholeKernel, CountsTypesWithinTypes) {
  std::string type;
  for (int depth = 0; depth < 129; ++depth)
    type += "() -> (";
  EXPECT_TRUE(tooMuchOf(type));
}

} // namespace
