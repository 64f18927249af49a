//===- Cases.cpp - Matmuls to simulate ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a line of a list to kernel IR.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "dialects/Hone/Hone.h"
#include "hone/Plugin/Register.h"
#include "hone/Schedule/Schedule.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hone;
using namespace hone::test;
using llvm::formatv;

std::vector<std::string> hone::test::schedulesOfEveryKind() {
  return {
      "mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 1",
      "mma_sync, tile = 64x64x32, warps = 2x2, stages = 3",
      "mma_sync, tile = 64x128x64, warps = 2x4, stages = 4",
      "mma_sync, tile = 64x64x32, warps = 2x2, stages = 3, splits = 2",
      "mma_sync, tile = 64x64x32, warps = 2x2, stages = 3, slices = 2",
      "mma_sync, tile = 32x64x32, warps = 2x2, stages = 2, splits = 2, slices "
      "= 2",
      "ws_coop, tile = 128x256x64, consumers = 2x1, stages = 3",
      "ws_coop, tile = 256x128x64, consumers = 1x2, stages = 3, group = 1",
      "ws_coop, tile = 128x128x64, consumers = 2x1, stages = 4, cluster = 2x1",
      "ws_coop, tile = 128x128x64, consumers = 2x1, stages = 4, cluster = 1x2",
      "ws_coop, tile = 128x64x128, consumers = 2x1, stages = 3",
      "ws_pingpong, tile = 64x128x64, stages = 4",
      "ws_pingpong, tile = 128x64x64, stages = 4, cluster = 2x1",
      "small, tile = 64x64x64, stages = 4",
      "small, tile = 128x128x64, consumers = 2x2, stages = 4",
      "small, tile = 64x128x64, stages = 4, cluster = 2x1",
      "streamk, tile = 128x128x64, consumers = 2x1, stages = 3",
      "streamk, tile = 128x64x64, consumers = 2x1, stages = 3, cluster = 2x1",
      "swap_ab, tile = 128x16x64, consumers = 2x1, stages = 4",
      "swap_ab, tile = 64x32x64, consumers = 1x1, stages = 3, splits = 2",
      "cluster_splitk, tile = 64x64x64, stages = 4, splits = 2",
      "cluster_splitk, tile = 64x128x64, consumers = 1x2, stages = 3, splits = "
      "2",
      "cluster_splitk, tile = 128x64x64, consumers = 2x1, stages = 3, splits = "
      "4",
  };
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string Case::str() const {
  std::string text = formatv("{0} on {1}, {2}{3}, {4} -> {5}", schedule, arch,
                             colA ? "t" : "n", colB ? "t" : "n", in, out);
  if (batched)
    text += ", batched";
  if (reads)
    text += ", init(read)";
  if (!epilogue.empty())
    text += ", " + epilogue;
  if (pad != 8)
    text += ", pad " + std::to_string(pad);
  return text;
}

static std::string matrixType(StringRef element, bool batched) {
  return formatv(batched ? "memref<?x?x?x{0}, strided<[?, ?, 1]>>"
                         : "memref<?x?x{0}, strided<[?, 1]>>",
                 element);
}

static std::string epilogueText(const Case &one) {
  if (one.epilogue.empty())
    return "";
  bool isBias = one.epilogue == "bias";
  std::string type = isBias ? "memref<?xf32>" : matrixType(one.out, false);
  std::string text =
      formatv(" epilogue(%e[{0}] : {1}) {{\n^bb0(%s: f32, %v: {2}):\n",
              isBias ? "n" : "m, n", type, isBias ? "f32" : one.out);
  if (isBias)
    text += "%x = arith.addf %s, %v : f32\n%t = math.tanh %x : f32\n"
            "%y = arith.mulf %x, %t : f32\n";
  else if (one.out == "f32")
    text += "%y = arith.addf %s, %v : f32\n";
  else
    text += formatv("%w = arith.extf %v : {0} to f32\n"
                    "%y = arith.addf %s, %w : f32\n",
                    one.out);
  if (one.out == "f32")
    return text + "hone.yield %y : f32\n}";
  return text + formatv("%z = arith.truncf %y : f32 to {0}\nhone.yield %z : "
                        "{0}\n}",
                        one.out)
                    .str();
}

std::string Case::moduleText() const {
  std::string typeIn = matrixType(in, batched),
              typeOut = matrixType(out, batched);
  std::string extra;
  if (!epilogue.empty())
    extra = ", %e: " + (epilogue == "bias" ? std::string("memref<?xf32>")
                                           : matrixType(out, false));
  return formatv("func.func @matmul(%a: {0}, %b: {0}, %c: {1}{2}) {{\n"
                 "  hone.matmul ins({3}%a, {4}%b : {0}, {0}) outs(%c : {1}) "
                 "init({5}) acc(f32){6}\n  return\n}\n",
                 typeIn, typeOut, extra, colA ? "col " : "", colB ? "col " : "",
                 reads ? "read" : "zero", epilogueText(*this));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

bool hone::test::isLegal(const Case &one) {
  Problem problem;
  if (one.batched)
    problem.batch = kDynamic;
  problem.a = {*parseElementType(one.in), one.colA ? Order::col : Order::row,
               16, false};
  problem.b = {*parseElementType(one.in), one.colB ? Order::col : Order::row,
               16, false};
  problem.c = *parseElementType(one.out);
  problem.init = one.reads ? Init::read : Init::zero;
  problem.epilogue = one.epilogue;
  llvm::Expected<Schedule> schedule = parseSchedule(one.schedule);
  llvm::Expected<Arch> arch = Arch::lookup(one.arch);
  if (!schedule || !arch) {
    llvm::errs() << toString(schedule.takeError()) << toString(arch.takeError())
                 << "\n";
    abort();
  }
  return !check(*schedule, &problem, &*arch);
}

std::unique_ptr<MLIRContext> hone::test::makeContext() {
  DialectRegistry registry;
  registerDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

std::optional<Built> hone::test::build(MLIRContext &context, const Case &one) {
  Built built;
  built.module = parseSourceString<ModuleOp>(one.moduleText(), &context);
  if (!built.module)
    return std::nullopt;
  PassManager select(&context), lower(&context);
  SelectScheduleOptions options;
  options.arch = one.arch;
  options.schedule = one.schedule;
  select.addPass(createSelectSchedule(options));
  if (failed(select.run(*built.module)))
    return std::nullopt;
  built.module->walk([&](MatmulOp op) { built.references.emplace_back(op); });
  BuildKernelOptions withoutFallback;
  withoutFallback.fallback = false;
  lower.addPass(createBuildKernel(withoutFallback));
  lower.addPass(createCanonicalizerPass());
  if (failed(lower.run(*built.module)))
    return std::nullopt;
  FailureOr<std::vector<simulate::Subject>> subjects =
      simulate::subjectsOf(*built.module);
  if (failed(subjects))
    return std::nullopt;
  built.subjects = std::move(*subjects);
  return built;
}

void hone::test::inParallel(size_t count,
                            std::function<void(MLIRContext &, size_t)> run) {
  std::atomic<size_t> next = 0;
  llvm::DefaultThreadPool pool;
  for (unsigned i = 0; i < pool.getMaxConcurrency(); ++i)
    pool.async([&] {
      std::unique_ptr<MLIRContext> context = makeContext();
      for (size_t at = next++; at < count; at = next++)
        run(*context, at);
    });
  pool.wait();
}
