//===- SelectScheduleTest.cpp - Tests of the choice of a schedule ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-select-schedule with sources, which no command line can provide: their
// order, and the handling of an answer that breaks a law.
//
//===----------------------------------------------------------------------===//

#include "hone/passes/SelectSchedule.h"
#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace hone;

namespace {

constexpr StringLiteral kPlain = R"mlir(
  func.func @f(%a: memref<64x32xf16>, %b: memref<32x48xf16>,
               %c: memref<64x48xf16>) {
    hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>)
      outs(%c : memref<64x48xf16>) init(zero) acc(f32)
    return
  })mlir";

constexpr StringLiteral kPinned = R"mlir(
  func.func @f(%a: memref<64x32xf16>, %b: memref<32x48xf16>,
               %c: memref<64x48xf16>) {
    hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>)
      outs(%c : memref<64x48xf16>) init(zero) acc(f32)
      schedule(#hone.schedule<mma_sync, stages = 5>)
    return
  })mlir";

/// A source that always gives the same answer, or none, and counts questions.
struct Fixed : ScheduleSource {
  explicit Fixed(StringRef text) : text(text) {}
  std::optional<Answer> ask(const Problem &problem, const Arch &) override {
    ++questions;
    EXPECT_EQ(problem.n, 48);
    if (text.empty())
      return std::nullopt;
    return Answer{llvm::cantFail(parseSchedule(text)), "fixed"};
  }
  std::string text;
  int questions = 0;
};

class SelectScheduleTest : public testing::Test {
protected:
  SelectScheduleTest() {
    context.loadDialect<HoneDialect, arith::ArithDialect, func::FuncDialect>();
  }

  /// The schedule of the only matmul in `program` after the pass.
  std::string select(StringRef program, ScheduleSources sources,
                     std::string option = "") {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(program, &context);
    PassManager manager(&context);
    SelectScheduleOptions options;
    options.arch = "h200";
    options.schedule = PinnedSchedule::parse(option);
    manager.addPass(createSelectSchedule(options, std::move(sources)));
    if (!module || failed(manager.run(*module)))
      return "failed";
    std::string result;
    module->walk([&](MatmulOp op) {
      result = hone::toString(op.getScheduleAttr().getValue());
    });
    return result;
  }

  static bool hasStages(StringRef schedule, int stages) {
    return schedule.contains("stages = " + std::to_string(stages));
  }

  MLIRContext context;
};

TEST_F(SelectScheduleTest, TheFirstSourceThatAnswersWins) {
  auto none = std::make_shared<Fixed>("");
  auto first = std::make_shared<Fixed>("mma_sync, stages = 2");
  auto second = std::make_shared<Fixed>("mma_sync, stages = 3");
  EXPECT_TRUE(hasStages(select(kPlain, {none, first, second}), 2));
  EXPECT_EQ(none->questions, 1);
}

TEST_F(SelectScheduleTest, AnIllegalAnswerIsPassedOver) {
  auto illegal = std::make_shared<Fixed>("host");
  auto legal = std::make_shared<Fixed>("mma_sync, stages = 3");
  EXPECT_TRUE(hasStages(select(kPlain, {illegal, legal}), 3));
}

TEST_F(SelectScheduleTest, TheDefaultFollowsTheSources) {
  auto none = std::make_shared<Fixed>("");
  auto illegal = std::make_shared<Fixed>("host");
  EXPECT_EQ(select(kPlain, {none, illegal}), select(kPlain, {}));
}

TEST_F(SelectScheduleTest, APersonComesBeforeTheSources) {
  auto source = std::make_shared<Fixed>("mma_sync, stages = 2");
  EXPECT_TRUE(hasStages(select(kPinned, {source}), 5));
  EXPECT_TRUE(hasStages(select(kPlain, {source}, "mma_sync, stages = 3"), 3));
  EXPECT_TRUE(hasStages(select(kPinned, {source}, "mma_sync, stages = 3"), 5));
}

TEST_F(SelectScheduleTest, NoSourceIsAskedWhereTwoAnswersAreThere) {
  auto source = std::make_shared<Fixed>("mma_sync, stages = 2");
  select(kPinned, {source}, "mma_sync, stages = 3");
  EXPECT_EQ(source->questions, 0);
}

/// Without a handler of remarks, runner-up sources are not queried.
TEST_F(SelectScheduleTest, NoRunnerUpWithoutRemarks) {
  auto first = std::make_shared<Fixed>("mma_sync, stages = 2");
  auto second = std::make_shared<Fixed>("mma_sync, stages = 3");
  select(kPlain, {first, second});
  EXPECT_EQ(first->questions, 1);
  EXPECT_EQ(second->questions, 0);
  select(kPinned, {first});
  EXPECT_EQ(first->questions, 1);
}

TEST_F(SelectScheduleTest, AQuestionIsAskedOnce) {
  std::string twice = kPlain.str();
  twice += StringRef(kPlain).split("@f").second.str().insert(0, "func.func @g");
  auto source = std::make_shared<Fixed>("mma_sync, stages = 2");
  EXPECT_TRUE(hasStages(select(twice, {source}), 2));
  EXPECT_EQ(source->questions, 1);
}

/// The error of a pass without sources; no error if it needs none.
TEST_F(SelectScheduleTest, ForgottenSourcesAreAnError) {
  std::string said;
  context.getDiagEngine().registerHandler(
      [&](Diagnostic &diagnostic) { said += diagnostic.str(); });
  auto run = [&](StringRef program, SelectScheduleOptions options) {
    said.clear();
    options.arch = "h200";
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(program, &context);
    PassManager generated(&context), withNull(&context);
    generated.addPass(createSelectSchedule(options));
    withNull.addPass(createSelectSchedule(options, SourceFactory()));
    OwningOpRef<ModuleOp> copy = module->clone();
    bool ok = succeeded(generated.run(*module));
    EXPECT_EQ(ok, succeeded(withNull.run(*copy)));
    return ok;
  };
  EXPECT_FALSE(run(kPlain, {}));
  EXPECT_NE(said.find("expected sources of schedules"), std::string::npos);
  EXPECT_NE(said.find("hone/Plugin/Register.h"), std::string::npos);
  EXPECT_TRUE(run(kPinned, {}));
  SelectScheduleOptions options;
  options.schedule = PinnedSchedule::parse("mma_sync, stages = 3");
  EXPECT_TRUE(run(kPlain, options));
  options.schedule = PinnedSchedule();
  options.guess = options.shipped = false; // The default, on purpose.
  EXPECT_TRUE(run(kPlain, options));
  EXPECT_EQ(said, "");
}

TEST_F(SelectScheduleTest, TheOptionIsAValueWithAText) {
  EXPECT_FALSE(PinnedSchedule::parse("").isGiven());
  PinnedSchedule wrong = PinnedSchedule::parse("nothing");
  EXPECT_TRUE(wrong.isGiven());
  EXPECT_FALSE(wrong.schedules());
  EXPECT_NE(wrong.fault().find("nothing"), std::string::npos) << wrong.fault();
  SelectScheduleOptions options;
  options.schedule = llvm::cantFail(parseSchedule("mma_sync, stages = 3"));
  std::unique_ptr<Pass> pass = createSelectSchedule(options, ScheduleSources());
  std::string text;
  llvm::raw_string_ostream os(text);
  pass->printAsTextualPipeline(os);
  size_t from = text.find("schedule={"), to = text.find('}', from);
  ASSERT_NE(to, std::string::npos) << text;
  from += std::string("schedule={").size();
  PinnedSchedule read = PinnedSchedule::parse(text.substr(from, to - from));
  ASSERT_TRUE(read.schedules()) << read.fault();
  EXPECT_EQ(read.schedules()->last, options.schedule.schedules()->last);
}

TEST_F(SelectScheduleTest, APersonsIllegalScheduleIsAnError) {
  context.getDiagEngine().registerHandler([](Diagnostic &) {});
  EXPECT_EQ(select(kPlain, {}, "host"), "failed");
}

} // namespace
