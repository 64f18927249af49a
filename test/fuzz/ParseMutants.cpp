//===- ParseMutants.cpp - The parser answers, whatever it reads -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-fuzz-parse damages valid IR (hone.matmul with its attributes, and the
// kernel IR it is built into) in a few places and has each mutant parsed and
// verified in a child process. Accepting and refusing are both fine; dying is
// not.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "RandomMatmul.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hone::fuzz;

//===----------------------------------------------------------------------===//
// Valid texts
//===----------------------------------------------------------------------===//

/// A drawn matmul after `hone-select-schedule`, and for every other number
/// after `hone-build-kernel`; every third in the generic form, where all
/// attributes and regions show.
static void printSeed(MLIRContext &context, int64_t number) {
  Random random(number);
  RandomMatmul matmul = drawMatmul(random);
  std::string pipeline =
      "builtin.module(hone-select-schedule{" + matmul.selectOptions() + "}";
  pipeline += number % 2 ? ",hone-build-kernel,canonicalize)" : ")";
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(matmul.module, &context);
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, llvm::errs());
  if (!module || failed(parsed))
    return;
  PassManager passes(&context);
  static_cast<OpPassManager &>(passes) = std::move(*parsed);
  if (failed(passes.run(*module)))
    return;
  OpPrintingFlags flags;
  if (number % 3 == 0)
    flags.printGenericOpForm();
  module->print(llvm::outs(), flags);
  llvm::outs().flush();
}

static std::vector<std::string> makeSeeds(MLIRContext &context) {
  std::vector<std::string> seeds;
  Options options;
  options.count = 24;
  forEachCase(
      options, [](int64_t number) { return FuzzCase{number, ""}; },
      [&](const FuzzCase &fuzzCase) {
        printSeed(context, fuzzCase.number);
        return true;
      },
      [&](const FuzzCase &, const CaseReport &report) {
        if (report.ending == Ending::good && !report.output.empty())
          seeds.push_back(report.output);
      });
  return seeds;
}

//===----------------------------------------------------------------------===//
// Mutation
//===----------------------------------------------------------------------===//

/// Words, numbers, blanks and single characters, in order.
static std::vector<std::string> split(StringRef text) {
  std::vector<std::string> tokens;
  while (!text.empty()) {
    auto isWord = [](char c) {
      return llvm::isAlnum(c) || c == '_' || c == '.';
    };
    size_t size = text.take_while(isWord).size();
    size = std::max<size_t>(size, 1);
    tokens.push_back(text.take_front(size).str());
    text = text.drop_front(size);
  }
  return tokens;
}

static std::string drawToken(Random &random) {
  return random.pick({"0",
                      "-1",
                      "1",
                      "3",
                      "17",
                      "1024",
                      "65537",
                      "4294967296",
                      "9223372036854775807",
                      "-9223372036854775808",
                      "99999999999999999999999",
                      "?",
                      "x",
                      "f16",
                      "bf16",
                      "f32",
                      "f64",
                      "index",
                      "i1",
                      "i32",
                      "vector<2xf16>",
                      "\"\"",
                      "\"a\"",
                      "\"b\"",
                      "row",
                      "col",
                      "zero",
                      "read",
                      "none",
                      "[]",
                      "{}",
                      "()",
                      "<",
                      ">",
                      "%0",
                      "%arg0",
                      "@x",
                      "!kernel.acc<16 x 16 x f32, warps = 1 x 1>",
                      "#hone.arch<host>",
                      "#hone.arch<sm_80>",
                      "unit",
                      "transposed"});
}

/// One damage to one place.
static void damage(Random &random, std::vector<std::string> &tokens) {
  size_t at = random.below(tokens.size());
  switch (random.below(7)) {
  case 0:
    tokens.erase(tokens.begin() + at);
    break;
  case 1:
    tokens.insert(tokens.begin() + at, tokens[at]);
    break;
  case 2:
    std::swap(tokens[at], tokens[random.below(tokens.size())]);
    break;
  case 3: { // Part of the text is gone.
    size_t end = std::min<size_t>(tokens.size(), at + 1 + random.below(12));
    tokens.erase(tokens.begin() + at, tokens.begin() + end);
    break;
  }
  case 4: { // A flipped bit.
    std::string &token = tokens[at];
    token[random.below(token.size())] ^= char(1 << random.below(7));
    break;
  }
  default: // A number or a word that is somewhere else what it should be.
    for (size_t i = 0; i < tokens.size() && !llvm::isAlnum(tokens[at][0]); ++i)
      at = (at + 1) % tokens.size();
    tokens[at] = drawToken(random);
  }
}

static FuzzCase makeCase(const Options &options,
                         const std::vector<std::string> &seeds,
                         int64_t number) {
  Random random(uint64_t(options.seed) * 1000003 + number);
  std::vector<std::string> tokens = split(random.pickFrom(seeds));
  for (int64_t count = 1 + random.below(3); count > 0 && tokens.size() > 1;
       --count)
    damage(random, tokens);
  return {number, llvm::join(tokens, "")};
}

int main(int argc, char **argv) {
  Options options = Options::parse(argc, argv);
  std::unique_ptr<MLIRContext> context = makeContext();
  std::vector<std::string> seeds = makeSeeds(*context);
  if (seeds.empty()) {
    llvm::outs() << "expected valid texts to start from, but got none\n";
    return 1;
  }
  int64_t accepted = 0, refused = 0, aborted = 0;
  forEachCase(
      options, [&](int64_t number) { return makeCase(options, seeds, number); },
      [&](const FuzzCase &fuzzCase) {
        return bool(parseSourceString<ModuleOp>(fuzzCase.text, context.get()));
      },
      [&](const FuzzCase &fuzzCase, const CaseReport &report) {
        accepted += report.ending == Ending::good;
        refused += report.ending == Ending::bad;
        aborted += report.ending == Ending::aborted;
        if (report.ending == Ending::aborted)
          keepCase(options, fuzzCase, report);
      });
  llvm::outs() << accepted + refused + aborted << " mutants, " << accepted
               << " accepted, " << refused << " refused, " << aborted
               << " aborted\n";
  return aborted ? 1 : 0;
}
