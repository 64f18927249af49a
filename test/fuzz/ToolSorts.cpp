//===- ToolSorts.cpp - Sorts of files, and the commands that read them ----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ToolMutants.h.
//
//===----------------------------------------------------------------------===//

#include "ToolDamage.h"
#include "ToolMutants.h"
#include "hone/Text/File.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;
using namespace hone::fuzz;
using llvm::StringRef;

static std::string writtenFile(const std::string &path, StringRef text) {
  llvm::cantFail(writeFile(path, text));
  return path;
}

/// Fields of a table with this separator.
static auto fieldsOf(char separator) {
  return [separator](StringRef text, fuzz::Random &random) {
    return withOtherFields(text, separator, random);
  };
}

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
        {"tune", "--kernel=FILE", "--rehearse=smooth", "--trials=1",
         "--worker=/dev/null"}}});
}

/// Inputs of a build's choice: tuning files, records and databases.
static void addTuning(std::vector<FileSort> &sorts, const std::string &folder,
                      const std::string &module) {
  std::string asks = writtenFile(folder + "/module.mlir", module);
  std::string tuned = tuningSeed(), lines = jsonSeed();
  std::string database = databaseSeed(folder);
  std::vector<std::string> build = {"explain", asks, "--arch=h200",
                                    "--database=FILE"};
  std::vector<std::string> import = {"db", "import", "HERE/new.db",
                                     "--from=FILE"};
  sorts.push_back({"tuning text", {tuned}, withOtherText, {build, import}});
  sorts.push_back({"lines of JSON", {lines}, withOtherJson, {import}});
  std::vector<std::vector<std::string>> readers = {
      build,
      {"db", "check", "FILE"},
      {"db", "list", "FILE", "--json"},
      {"db", "show", "FILE"},
      {"db", "stats", "FILE"},
      {"db", "prune", "FILE"},
      {"db", "export", "FILE", "--output=HERE/out.mlir"},
      {"db", "export", "FILE", "--output=HERE/out.jsonl"},
      {"db", "merge", "HERE/new.db", "--from=FILE"},
      {"hone-lab", "ranges", "--db=FILE"}};
  sorts.push_back({"database bytes", {database}, withOtherBytes, readers});
  sorts.push_back({"database rows", {database}, withOtherRows, readers});
  FileSort verdicts = {
      "verdicts",
      {"hone-verdicts 1\nproven " + std::string(64, 'a') + "\nproven " +
       std::string(64, '0') + "\n"},
      withOtherLines,
      {{"hone-opt", asks,
        "builtin.module(hone-pipeline{arch=h200 guess=false "
        "database=HERE/new.db "
        "prove=yes})"},
       {"explain", asks, "--arch=h200", "--database=HERE/new.db",
        "--pipeline=prove=yes guess=false"}}};
  verdicts.beside = {{"new.db", database}};
  verdicts.file = "new.db.verdicts";
  sorts.push_back(std::move(verdicts));
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

/// Models of policies, and the tables they are trained on.
static void addModels(std::vector<FileSort> &sorts, const std::string &folder) {
  std::string table = writtenFile(folder + "/table.csv", tableSeed());
  std::string weights =
      writtenFile(folder + "/seed.weights", weightSeeds().front());
  std::vector<std::string> train = {
      "train",      "--steps=0",  "--synthetic=0",         "--width=8",
      "--hidden=8", "--blocks=1", "--out=HERE/out.weights"};
  auto trained = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> words = train;
    words.insert(words.end(), more);
    return words;
  };
  std::vector<std::string> judge = {"hone-lab",          "policies",
                                    "--replay=" + table, "--trials=1",
                                    "--seeds=1",         "--policies=learned"};
  auto judged = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> words = judge;
    words.insert(words.end(), more);
    return words;
  };
  sorts.push_back({"weights",
                   weightSeeds(),
                   withOtherWeights,
                   {trained({"--tables=" + table, "--from=FILE"}),
                    trained({"--tables=" + table, "--from=FILE," + weights}),
                    judged({"--weights=FILE"})}});
  sorts.push_back({"trees",
                   treeSeeds(),
                   withOtherWeights,
                   {judged({"--weights=" + weights, "--trees=FILE"})}});
  sorts.push_back({"table of times",
                   {tableSeed()},
                   fieldsOf(';'),
                   {{"hone-lab", "fit", "--candidates-csv=FILE", "--judge"},
                    {"hone-lab", "fit", "--candidates-csv=FILE", "--rounds=1"},
                    {"hone-lab", "unseen", "--candidates-csv=FILE"},
                    {"hone-lab", "ranges", "--candidates-csv=FILE", "--model"},
                    {"hone-lab", "policies", "--replay=FILE", "--trials=1",
                     "--seeds=1", "--policies=model"},
                    {"tune", "--shape=128,512,256,nn", "--replay=FILE",
                     "--arch=h200", "--trials=3"},
                    trained({"--tables=FILE"})}});
  sorts.push_back({"rows of a benchmark",
                   {rowSeed()},
                   fieldsOf(','),
                   {{"bench", "summary", "--csv=FILE"},
                    {"bench", "summary", "--csv=FILE", "--json"}}});
}

/// Texts that an option can name.
static void addTexts(std::vector<FileSort> &sorts, const std::string &module) {
  sorts.push_back({"list of shapes",
                   {"64,64,64,nn\n128,512,256,nn\n7,513,64,nn,f16:f16\n"},
                   fieldsOf(','),
                   {{"tune", "--shapes=FILE", "--replay=HERE/table.csv",
                     "--arch=h200", "--policy=model"}}});
  sorts.back().beside = {{"table.csv", tableSeed()}};
  sorts.push_back(
      {"transcript",
       {"{\"hash\":\"1\",\"question\":{\"model\":\"m\"},"
        "\"answer\":\"ws\",\"cut\":false}\n"
        "{\"hash\":\"2\",\"question\":{\"model\":\"m\"},"
        "\"fault\":\"status 400\",\"cut\":true}\n"},
       withOtherJson,
       {{"tune", "--shape=64,64,64,nn", "--policy=chat", "--llm-replay=FILE",
         "--replay=HERE/table.csv", "--arch=h200"}}});
  sorts.back().beside = {{"table.csv", tableSeed()}};
  auto option = [&](StringRef name, std::vector<std::string> seeds) {
    for (std::string &seed : seeds)
      seed =
          "explain\n" + module + "\n--arch=h200\n--" + name.str() + "=" + seed;
    return seeds;
  };
  std::vector<std::string> texts =
      option("schedule", {"ws, tile = 128x128x64, stages = 3, cluster = 2x1",
                          "mma_sync, tile = 64x64x32, stages = 3",
                          "streamk, tile = 128x64x64, store = threads",
                          "ws, rewrites = [flight(0), prefetch(4)]",
                          "m <= 64: ws, stages = 2; mma_sync"});
  llvm::append_range(
      texts, option("pipeline", {"f32=tf32x3 rest=gpu", "require=exact",
                                 "deterministic=true ranges=4",
                                 "on-error=return workspace=argument"}));
  sorts.push_back({"texts of options",
                   texts,
                   [](StringRef text, fuzz::Random &random) {
                     size_t at = text.rfind("\n--") + 1;
                     at = text.find('=', at) + 1;
                     return text.take_front(at).str() +
                            withOtherText(text.drop_front(at), random);
                   },
                   {{"LINE"}}});
}

std::vector<FileSort> fuzz::allSorts(const std::string &folder,
                                     const std::string &seeds) {
  std::vector<FileSort> sorts;
  std::vector<std::string> modules = moduleSeeds(seeds);
  addKernels(sorts);
  addTuning(sorts, folder, modules.front());
  addModels(sorts, folder);
  std::vector<std::vector<std::string>> readers = {
      {"explain", "FILE", "--arch=h200", "--pipeline=guess=false"},
      {"explain", "FILE", "--arch=sm_80", "--json", "--pipeline=guess=false"},
      {"compile", "FILE", "-o", "HERE/out", "--arch=host",
       "--pipeline=guess=false"},
      {"hone-opt", "FILE",
       "builtin.module(hone-pipeline{arch=h200 rest=gpu guess=false})"}};
  sorts.push_back({"module", modules, withOtherText, readers});
  sorts.push_back(
      {"module numbers", modules, withOtherNumberEverywhere, readers});
  addTexts(sorts, folder + "/module.mlir");
  FileSort frames = {"frames",
                     frameSeeds(),
                     withOtherFrames,
                     {{"worker", "measure"}, {"worker", "compile"}}};
  frames.isInput = true;
  sorts.push_back(std::move(frames));
  sorts.push_back(
      {"command line", lineSeeds(folder), withOtherWords, {{"LINE"}}});
  sorts.back().mayTakeLong = true;
  return sorts;
}
