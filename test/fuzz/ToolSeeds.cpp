//===- ToolSeeds.cpp - Valid files of each sort ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hone itself writes the seeds, so that a mutant is refused for its damage and
// not for an outdated format.
//
//===----------------------------------------------------------------------===//

#include "RandomMatmul.h"
#include "ToolMutants.h"
#include "hone/Bench/BenchRecord.h"
#include "hone/Database/Database.h"
#include "hone/Driver/Compile.h"
#include "hone/Driver/Pipeline.h"
#include "hone/Model/Model.h"
#include "hone/Plugin/TuningFile.h"
#include "hone/Policy/GrowTrees.h"
#include "hone/Policy/Tasks.h"
#include "hone/Workers/Protocol.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;
using namespace hone::fuzz;
using llvm::StringRef;

std::vector<std::string> fuzz::kernelSeeds(size_t count) {
  std::vector<std::string> seeds;
  constexpr size_t kMaxBytes = 100000;
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
    options.schedule = PinnedSchedule::parse(matmul.schedule);
    llvm::Error error = runPasses(**module, [&](mlir::OpPassManager &pm) {
      buildPipeline(pm, options, /*makeSources=*/nullptr,
                    {PipelineStep::select, PipelineStep::build});
    });
    std::string text;
    llvm::raw_string_ostream(text) << **module;
    if (!error && text.size() < kMaxBytes)
      seeds.push_back(std::move(text));
    llvm::consumeError(std::move(error));
  }
  return seeds;
}

std::vector<std::string> fuzz::wholeSeeds() {
  return {
      buildKernel(
          "ws, tile = 64x64x64, consumers = 1x1, persistent = no, stages = 2"),
      buildKernel("ws, tile = 128x128x64, stages = 3"),
      buildKernel("ws, tile = 128x64x64, cluster = 2x1, stages = 3")};
}

std::vector<std::string> fuzz::moduleSeeds(const std::string &folder) {
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
  std::error_code code;
  for (llvm::sys::fs::directory_iterator at(folder, code), end;
       !folder.empty() && !code && at != end; at.increment(code))
    if (StringRef(at->path()).ends_with(".mlir"))
      if (auto file = llvm::MemoryBuffer::getFile(at->path()))
        seeds.push_back((*file)->getBuffer().str());
  return seeds;
}

std::string fuzz::bytecodeOf(StringRef text) {
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

std::string fuzz::databaseSeed(const std::string &folder) {
  std::string path = folder + "/seed.db";
  {
    Database database = llvm::cantFail(Database::open(path, Access::write));
    llvm::cantFail(database.add(records()));
  }
  return (*llvm::MemoryBuffer::getFile(path))->getBuffer().str();
}

std::string fuzz::tableSeed() {
  std::string text =
      "# A comment.\nschedule;nn f16:f16;64x64x64;128x512x256;7x513x64\n";
  for (StringRef schedule : {"ws, tile = 64x64x64, stages = 3",
                             "ws, tile = 128x128x64, stages = 4", "mma_sync"})
    text += toString(llvm::cantFail(parseSchedule(schedule))) +
            ";;3.25;5.5;4.125\n";
  return text;
}

std::string fuzz::rowSeed() {
  std::string text = BenchRow::header().str() + "\n";
  for (int64_t at = 0; at < 4; ++at) {
    BenchRow row;
    row.shape = {64 << at, 512, 256};
    row.layout = at % 2 ? "nt" : "nn";
    row.types = "f16:f16";
    row.protocol = "gpu";
    row.programmatic = "on";
    row.baseline = "cublaslt";
    row.status = "ok";
    row.schedule = "ws, stages = 3";
    row.ours = {3e-6, 2.9e-6, 3.1e-6, 7};
    row.theirs = {4e-6, 3.9e-6, 4.1e-6, 7};
    row.roofline = 1e-6;
    row.rounds = 7;
    row.device = "a device";
    text += row.csv() + "\n";
  }
  return text;
}

std::vector<std::string> fuzz::weightSeeds() {
  return {Model(NetworkShape{0, 8, 2, 1, 8}, 1).str(),
          Model(NetworkShape{0, 16, 2, 2, 16}, 2).str()};
}

std::vector<std::string> fuzz::treeSeeds() {
  Arch arch = llvm::cantFail(Arch::lookup("h200"));
  std::mt19937_64 dice(1);
  std::vector<Task> tasks;
  for (int at = 0; at < 3; ++at)
    tasks.push_back(drawTask(arch, dice));
  TreesOptions options;
  options.rounds = 6;
  options.groves = 1;
  options.depth = 3;
  return {growTrees(tasks, options).str()};
}

std::string fuzz::jsonSeed() {
  std::string lines;
  for (const Record &record : records())
    lines += toJson(record) + "\n";
  return lines;
}

std::string fuzz::tuningSeed() {
  std::string text;
  for (const Record &record : records())
    text += tuningLine(record);
  return text;
}

std::vector<std::string> fuzz::frameSeeds() {
  using namespace protocol;
  Record record = records()[0];
  Compile compile;
  compile.problem = record.problem.open(kBestAlign);
  compile.schedule = record.schedule;
  compile.arch = "h200";
  Kernel kernel;
  kernel.key = "k";
  kernel.plan = "hone plan";
  kernel.images = {"image"};
  Measure measure;
  measure.problem = record.problem;
  measure.entrants.emplace_back();
  measure.entrants.back().entrant.schedule = record.schedule;
  measure.entrants.back().key = "k";
  Open open = {"rehearsal:h200", ""};
  Drop drop = {"k"};
  std::string opened = frame(toJson(open));
  return {frame(toJson(compile)),
          frame(toJson(compile)) + frame(toJson(compile)),
          opened + frame(toJson(kernel)) + frame(toJson(measure)),
          opened + frame(toJson(measure)) + frame(toJson(drop)),
          "hone-worker 3 14\n{\"is\":\"beat\"}\n"};
}
