//===- ToolSorts.cpp - Sorts of files, with good ones of each -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ToolMutants.h. Seeds are what Hone itself writes, so that a mutant is
// refused for its damage and not for its age.
//
//===----------------------------------------------------------------------===//

#include "Mutate.h"
#include "RandomMatmul.h"
#include "ToolMutants.h"
#include "hone/Database/Database.h"
#include "hone/Evaluate/Compile.h"
#include "hone/Evaluate/ProblemModule.h"
#include "hone/Evaluate/Protocol.h"
#include "hone/Plugin/TuningFile.h"
#include "hone/Policy/Model.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;
using namespace hone::fuzz;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Damage
//===----------------------------------------------------------------------===//

std::string hone::fuzz::withOtherNumber(StringRef text, fuzz::Random &random) {
  std::vector<std::pair<size_t, size_t>> numbers;
  for (size_t at = 0; at < text.size();) {
    size_t size = text.substr(at).take_while(llvm::isDigit).size();
    bool isWord = at > 0 && (llvm::isAlpha(text[at - 1]) ||
                             text[at - 1] == '_' || text[at - 1] == '%');
    if (size && !isWord)
      numbers.emplace_back(at, size);
    at += std::max<size_t>(size, 1);
  }
  if (numbers.empty())
    return text.str();
  auto [at, size] = random.pickFrom(numbers);
  std::string other = random.pick(
      {"0", "-1", "1", "3", "2147483647", "-2147483648", "4294967295",
       "9223372036854775807", "-9223372036854775808"});
  return (text.take_front(at) + other + text.drop_front(at + size)).str();
}

std::string hone::fuzz::withOtherBytes(StringRef bytes, fuzz::Random &random) {
  std::string damaged = bytes.str();
  for (int64_t count = 1 + random.below(4); count > 0 && !damaged.empty();
       --count) {
    size_t at = random.below(damaged.size());
    size_t size = std::min<size_t>(damaged.size() - at, random.below(64) + 1);
    switch (random.below(5)) {
    case 0:
      damaged.erase(at, size);
      break;
    case 1:
      damaged.insert(at, damaged.substr(at, size));
      break;
    case 2:
      damaged.replace(at, size, size, random.chance(50) ? '\0' : '\xff');
      break;
    default:
      damaged[at] ^= char(1 << random.below(8));
    }
  }
  if (random.chance(5))
    damaged.resize(random.below(damaged.size() + 1));
  return damaged;
}

/// Words or numbers of a text, at times both.
static std::string withOtherText(StringRef text, fuzz::Random &random) {
  std::string other = text.str();
  int64_t which = random.below(3);
  if (which != 0)
    other = withOtherNumber(other, random);
  if (which != 1)
    other = damaged(other, random);
  return other;
}

/// The same within the launch plans alone.
static std::string withOtherPlan(StringRef text, fuzz::Random &random) {
  size_t begin = text.find("hone.plans = {"), end = text.find("]}", begin);
  if (begin == StringRef::npos || end == StringRef::npos)
    return withOtherText(text, random);
  return text.take_front(begin).str() +
         withOtherText(text.slice(begin, end), random) +
         text.drop_front(end).str();
}

/// Words of a command line, one on each line.
static std::string withOtherWords(StringRef text, fuzz::Random &random) {
  llvm::SmallVector<std::string> words;
  for (StringRef word : llvm::split(text, '\n'))
    words.push_back(word.str());
  for (int64_t count = 1 + random.below(3); count > 0; --count) {
    std::string &word = words[random.below(words.size())];
    auto [name, value] = StringRef(word).split('=');
    std::string other = random.pick({"0",
                                     "-1",
                                     "x",
                                     "",
                                     "1x1x1",
                                     "9223372036854775807",
                                     "native",
                                     "h200",
                                     "/dev/zero",
                                     "/dev/null",
                                     "/",
                                     "nowhere",
                                     "1,2,3",
                                     ";",
                                     "=",
                                     "\xff",
                                     "ws, stages = 2147483647",
                                     "1e400",
                                     "nan",
                                     "4294967295x1x1"});
    switch (random.below(5)) {
    case 0:
      words.push_back(word);
      break;
    case 1:
      words.erase(words.begin() + random.below(words.size()));
      if (words.empty())
        words.push_back(other);
      break;
    case 2:
      word = other;
      break;
    default:
      word = (name + "=" + other).str();
    }
  }
  return llvm::join(words, "\n");
}

//===----------------------------------------------------------------------===//
// Seeds
//===----------------------------------------------------------------------===//

/// Kernels as hone-build-kernel prints them: of drawn matmuls, of all kinds.
static std::vector<std::string> kernelSeeds(size_t count) {
  std::vector<std::string> seeds;
  constexpr size_t kMostBytes = 100000;
  for (uint64_t seed = 1; seeds.size() < count && seed < 20 * count; ++seed) {
    fuzz::Random random(seed);
    RandomMatmul matmul = drawMatmul(random);
    if (matmul.arch == "host")
      continue;
    auto context = fuzz::makeContext();
    auto module = parseModule(*context, matmul.module);
    if (!module) {
      llvm::consumeError(module.takeError());
      continue;
    }
    PipelineOptions options;
    options.arch = matmul.arch;
    options.schedule = matmul.schedule;
    llvm::Error error = runPasses(**module, [&](mlir::OpPassManager &pm) {
      buildPipeline(pm, options, /*makeSources=*/nullptr,
                    {PipelineStep::select, PipelineStep::build});
    });
    std::string text;
    llvm::raw_string_ostream(text) << **module;
    if (!error && text.size() < kMostBytes)
      seeds.push_back(std::move(text));
    llvm::consumeError(std::move(error));
  }
  return seeds;
}

/// What `hone rewrite --kernel` takes: a class of problems and its schedule.
static std::vector<std::string> wholeSeeds() {
  std::vector<std::string> seeds;
  for (StringRef schedule :
       {"ws, tile = 64x64x64, consumers = 1x1, persistent = no, stages = 2",
        "ws, tile = 128x128x64, stages = 3",
        "ws, tile = 128x64x64, cluster = 2x1, stages = 3"}) {
    auto context = fuzz::makeContext();
    Problem problem;
    problem.m = problem.n = problem.k = 512;
    auto program = llvm::cantFail(ProblemModule::of(problem.open(kBestAlign)));
    auto module = llvm::cantFail(parseModule(*context, program.text));
    PipelineOptions options;
    options.arch = "h200";
    options.schedule = schedule.str();
    options.fallback = false;
    llvm::cantFail(runPasses(*module, [&](mlir::OpPassManager &pm) {
      buildPipeline(pm, options, /*makeSources=*/nullptr,
                    {PipelineStep::select, PipelineStep::build});
    }));
    llvm::raw_string_ostream(seeds.emplace_back()) << *module;
  }
  return seeds;
}

static std::vector<std::string> moduleSeeds() {
  std::vector<std::string> seeds;
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    fuzz::Random random(seed);
    seeds.push_back(drawMatmul(random).module);
  }
  seeds.push_back(
      R"(func.func @layer(%x: tensor<8x64xf16>, %w: tensor<64x32xf16>, %b: tensor<32xf16>) -> tensor<8x32xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<8x32xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<8x32xf16>) -> tensor<8x32xf16>
  %p = linalg.matmul ins(%x, %w : tensor<8x64xf16>, tensor<64x32xf16>) outs(%f : tensor<8x32xf16>) -> tensor<8x32xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<8x32xf16>, tensor<32xf16>) outs(%e : tensor<8x32xf16>) {
  ^bb0(%s: f16, %c: f16, %o: f16):
    %t = arith.addf %s, %c : f16
    linalg.yield %t : f16
  } -> tensor<8x32xf16>
  return %r : tensor<8x32xf16>
}
)");
  return seeds;
}

static std::string bytecodeOf(StringRef text) {
  auto context = fuzz::makeContext();
  auto module = llvm::cantFail(parseModule(*context, text));
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed(mlir::writeBytecodeToFile(*module, os)))
    return "";
  return bytes;
}

static std::vector<Record> records() {
  std::vector<Record> all;
  for (int64_t at = 0; at < 6; ++at) {
    Record record;
    record.arch = at % 2 ? "h200" : "a100";
    record.problem.m = 64 << at;
    record.problem.n = 512;
    record.problem.k = 64 * (at + 1);
    record.schedule = defaultSchedule(
        record.problem, llvm::cantFail(Arch::lookup(record.arch)));
    record.times = {3e-6, 2.9e-6, 3.1e-6, 7};
    record.toolchain = {"580.1", "22.1", "0.1", 1};
    all.push_back(std::move(record));
  }
  return all;
}

static std::string databaseSeed(const std::string &folder) {
  std::string path = folder + "/seed.db";
  {
    Database database = llvm::cantFail(Database::open(path, Access::write));
    llvm::cantFail(database.add(records()));
  }
  return (*llvm::MemoryBuffer::getFile(path))->getBuffer().str();
}

/// A small table as `hone bench gemm --candidates-csv` writes it.
static std::string tableSeed() {
  std::string text =
      "# A comment.\nschedule;nn f16:f16;64x64x64;128x512x256;7x513x64\n";
  for (StringRef schedule : {"ws, tile = 64x64x64, stages = 3",
                             "ws, tile = 128x128x64, stages = 4", "mma_sync"})
    text +=
        toString(llvm::cantFail(parseSchedule(schedule))) + ";3.25;5.5;4.125\n";
  return text;
}

static std::vector<std::string> frameSeeds() {
  return {
      protocol::frame(protocol::toJson(protocol::Open{"rehearsal:h200", ""})),
      "hone-worker 3 2\n{}\n", "hone-worker 3 14\n{\"is\":\"beat\"}\n"};
}

static std::string writtenFile(const std::string &path, StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream(path, code) << text;
  return path;
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

/// Kernels and plans in modules.
static void addKernels(std::vector<FileSort> &sorts) {
  constexpr size_t kKernels = 24;
  std::vector<std::string> kernels = kernelSeeds(kKernels);
  std::vector<std::vector<std::string>> commands = {
      {"simulate", "FILE", "--protocol-only", "--shape=65x72x72"},
      {"simulate", "FILE", "--shape=40x72x136"},
      {"explain", "FILE"},
      {"hone-opt", "FILE",
       "builtin.module(hone-verify-kernel{m=72 n=72 k=64})"},
      {"hone-opt", "FILE", "builtin.module(hone-lower-kernel,hone-emit)"}};
  sorts.push_back({"kernel numbers", kernels, withOtherNumber, commands});
  sorts.push_back({"kernel text", kernels, withOtherText, commands});
  sorts.push_back({"plan text", kernels, withOtherPlan, commands});
  sorts.push_back(
      {"whole kernel",
       wholeSeeds(),
       withOtherText,
       {{"rewrite", "--kernel=FILE", "--arch=h200", "--protocol-only"},
        {"tune", "--kernel=FILE", "--replay=/dev/null"}}});
}

/// What a build is told by.
static void addTuning(std::vector<FileSort> &sorts, const std::string &folder,
                      const std::string &module) {
  std::string tuned, lines;
  for (const Record &record : records()) {
    tuned += tuningLine(record);
    lines += toJson(record) + "\n";
  }
  std::string asks = writtenFile(folder + "/module.mlir", module);
  std::vector<std::string> build = {"explain", asks, "--arch=h200",
                                    "--database=FILE"};
  std::vector<std::string> import = {"db", "import", "HERE/new.db",
                                     "--from=FILE"};
  sorts.push_back({"tuning text", {tuned}, withOtherText, {build, import}});
  sorts.push_back({"lines of JSON", {lines}, withOtherText, {import}});
  sorts.push_back({"database",
                   {databaseSeed(folder)},
                   withOtherBytes,
                   {build,
                    {"db", "check", "FILE"},
                    {"db", "list", "FILE", "--json"},
                    {"db", "stats", "FILE"},
                    {"db", "export", "FILE", "--output=HERE/out.mlir"},
                    {"db", "merge", "HERE/new.db", "--from=FILE"}}});
  sorts.push_back({"bytecode",
                   {bytecodeOf(module), bytecodeOf(tuned)},
                   withOtherBytes,
                   {build,
                    import,
                    {"explain", "FILE"},
                    {"simulate", "FILE"},
                    {"run", "FILE", "--arch=host"},
                    {"compile", "FILE", "-o", "HERE/out"},
                    {"rewrite", "FILE"},
                    {"rewrite", "--kernel=FILE"}}});
}

/// What a policy is made of.
static void addModels(std::vector<FileSort> &sorts, const std::string &folder) {
  const NetworkShape small = {0, 8, 2, 1, 8};
  std::string table = writtenFile(folder + "/table.csv", tableSeed());
  sorts.push_back({"weights",
                   {Model(small, 1).str()},
                   withOtherBytes,
                   {{"train", "--tables=" + table, "--from=FILE", "--steps=0",
                     "--synthetic=0", "--out=HERE/out.weights"}}});
  sorts.push_back({"table of times",
                   {tableSeed()},
                   withOtherText,
                   {{"bench", "fit", "--candidates-csv=FILE", "--judge"},
                    {"train", "--tables=FILE", "--steps=0", "--synthetic=0",
                     "--out=HERE/out.weights"}}});
}

std::vector<FileSort> hone::fuzz::allSorts(const std::string &folder) {
  std::vector<FileSort> sorts;
  std::vector<std::string> modules = moduleSeeds();
  addKernels(sorts);
  addTuning(sorts, folder, modules.front());
  addModels(sorts, folder);
  sorts.push_back({"module",
                   modules,
                   withOtherText,
                   {{"explain", "FILE", "--arch=h200"},
                    {"explain", "FILE", "--arch=sm_80", "--json"},
                    {"hone-opt", "FILE",
                     "builtin.module(hone-pipeline{arch=h200 rest=gpu})"}}});
  sorts.push_back({"list of shapes",
                   {"512,512,512\n64x64x64\n7,513,64,nt,f16:f32\n"},
                   withOtherText,
                   {{"tune", "--shapes=FILE", "--replay=/dev/null"}}});
  sorts.push_back({"transcript",
                   {"{\"hash\":\"1\",\"question\":{\"model\":\"m\"},"
                    "\"answer\":\"ws\",\"cut\":false}\n"},
                   withOtherText,
                   {{"tune", "--shape=8,8,8", "--policy=chat",
                     "--llm-replay=FILE", "--replay=/dev/null"}}});
  FileSort frames = {"frames",
                     frameSeeds(),
                     withOtherBytes,
                     {{"worker", "measure"}, {"worker", "compile"}}};
  frames.isInput = true;
  sorts.push_back(std::move(frames));
  std::string module = folder + "/module.mlir";
  sorts.push_back(
      {"command line",
       {"explain\n" + module + "\n--arch=h200\n--schedule=ws\n--ranges=4",
        "simulate\n" + module + "\n--shape=64x64x64\n--protocol-only",
        "rewrite\n" + module + "\n--rewrites=flight(0)\n--arch=h200",
        "compile\n" + module + "\n-o\nout\n--name=x\n--format=ptx",
        "tune\n--shape=8,8,8\n--trials=4\n--replay=/dev/null\n--seed=1",
        "train\n--tables=nowhere\n--steps=10\n--out=x\n--rate=5",
        "db\nlist\nnowhere.db\n--json\n--arch=h200",
        "bench\nfit\n--candidates-csv=nowhere\n--rounds=1\n--tenths=1",
        "bench\ngemm\n--list\n--arch=h200\n--shapes=64x64x64"},
       withOtherWords,
       {{"LINE"}}});
  return sorts;
}
