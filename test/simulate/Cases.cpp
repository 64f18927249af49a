//===- Cases.cpp - Matmuls to simulate ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds kernel IR from a line of a list.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "dialects/Hone/Hone.h"
#include "hone/Plugin/Register.h"
#include "hone/Schedule/Schedule.h"
#include "hone/Schedule/Spelling.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "passes/SelectSchedule.h"
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
      "ws_coop, tile = 128x64x64, consumers = 2x1, stages = 3, cluster = 2x2",
      "ws_coop, tile = 64x152x64, consumers = 1x1, stages = 3, cluster = 2x4",
      "ws_pingpong, tile = 64x128x64, stages = 4",
      "ws_pingpong, tile = 128x64x64, stages = 4, cluster = 2x1",
      "small, tile = 64x64x64, stages = 4",
      "small, tile = 128x128x64, consumers = 2x2, stages = 4",
      "small, tile = 64x128x64, stages = 4, cluster = 2x1",
      "small, tile = 192x64x192, consumers = 1x1, stages = 2, cluster = 3x2",
      "streamk, tile = 128x128x64, consumers = 2x1, stages = 3",
      "streamk, tile = 128x64x64, consumers = 2x1, stages = 3, cluster = 2x1",
      "swap_ab, tile = 128x16x64, consumers = 2x1, stages = 4",
      "swap_ab, tile = 64x32x64, consumers = 1x1, stages = 3, splits = 2",
      "swap_ab, tile = 24x64x64, consumers = 1x1, stages = 3, cluster = 2x2",
      "cluster_splitk, tile = 64x64x64, stages = 4, splits = 2",
      "cluster_splitk, tile = 64x64x64, stages = 3, splits = 2, cluster = 2x1",
      "cluster_splitk, tile = 64x128x64, consumers = 1x2, stages = 3, splits = "
      "2",
      "cluster_splitk, tile = 128x64x64, consumers = 2x1, stages = 3, splits = "
      "4",
      // Lines without alignment.
      "ws_coop, tile = 128x128x64, consumers = 2x1, stages = 3, store = "
      "threads, pack = ab",
      "ws_pingpong, tile = 64x96x64, stages = 3, store = threads, pack = b",
      "small, tile = 64x64x64, stages = 3, cluster = 2x1, store = threads, "
      "pack = a",
      "streamk, tile = 128x64x64, consumers = 2x1, stages = 3, store = "
      "threads, pack = ab",
      "swap_ab, tile = 24x64x64, stages = 3, store = threads, pack = ab",
      "swap_ab, tile = 32x64x64, stages = 3, splits = 2, store = threads",
      // Factors of two parts, and factors that are transposed on load.
      "ws_coop, tile = 128x64x32, consumers = 2x1, stages = 3, cluster = 2x1, "
      "pack = ab",
      "ws_coop, tile = 256x64x128, consumers = 2x1, stages = 2, pack = ab",
      "ws_pingpong, tile = 128x64x32, stages = 5, pack = ab",
      "small, tile = 64x128x128, stages = 2, consumers = 1x1, pack = b",
      "cluster_splitk, tile = 64x64x128, stages = 2, splits = 2, pack = ab",
      // Chunks: more than slots, all at once, of different sizes.
      "ws_coop, tile = 128x128x64, consumers = 2x1, stages = 3, chunk = 16",
      "ws_coop, tile = 256x96x64, consumers = 2x1, stages = 3, staged = all",
      "ws_pingpong, tile = 128x64x64, stages = 3, staged = all",
      "swap_ab, tile = 88x64x64, stages = 3, chunk = 32",
      "ws_coop, tile = 128x64x64, consumers = 2x1, stages = 3, residual = "
      "threads",
      // Rewrites that apply with any epilogue and any store.
      "ws_coop, tile = 256x64x64, consumers = 2x1, stages = 4, rewrites = "
      "[loads(cols_first), prefetch(2), flight(0), products(by_step), skew(1), "
      "unroll(peel), next(loaded), begin(producer)]",
      "ws_pingpong, tile = 128x64x64, stages = 4, rewrites = [flight(2), "
      "products(by_step), handover(early), unroll(peel), next(stored)]",
  };
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string Case::str() const {
  std::string text = formatv("{0} on {1}, {2}{3}, {4} -> {5}", schedule, arch,
                             colA ? "t" : "n", colB ? "t" : "n", in, out);
  if (windows)
    text += ", windows";
  if (batched)
    text += ", batched";
  if (ragged)
    text += ", ragged";
  if (indexed)
    text += ", indexed";
  if (raggedSum)
    text += ", ragged sum";
  if (!batchesB.empty())
    text += ", two batches, B of " + batchesB;
  if (reads)
    text += ", init(read)";
  if (isInvariant)
    text += ", numbers(invariant)";
  if (!epilogue.empty())
    text += ", " + epilogue;
  if (pad != 8)
    text += ", pad " + std::to_string(pad);
  return text;
}

/// A matrix preceded by this many batch dimensions.
static std::string matrixType(StringRef element, size_t batches) {
  std::string extents, strides;
  for (size_t dim = 0; dim < batches + 2; ++dim) {
    extents += "?x";
    strides += dim < batches + 1 ? "?, " : "1";
  }
  return formatv("memref<{0}{1}, strided<[{2}]>>", extents, element, strides);
}

/// Letters and type of the case's epilogue operand.
static std::pair<std::string, std::string> epilogueOperand(const Case &one) {
  bool hasHeads = !one.batchesB.empty();
  if (one.epilogue == "bias")
    return hasHeads ? std::pair("h, n", "memref<?x?xf32>")
                    : std::pair("n", "memref<?xf32>");
  return {hasHeads ? "h, m, n" : "m, n", matrixType(one.out, hasHeads)};
}

static std::string epilogueText(const Case &one) {
  if (one.epilogue.empty())
    return "";
  bool isBias = one.epilogue == "bias";
  auto [letters, type] = epilogueOperand(one);
  // Sums of integers are stored as integers.
  bool isInteger = one.out == "i32";
  std::string text =
      formatv(" epilogue(%e[{0}] : {1}) {{\n^bb0(%s: {3}, %v: {2}):\n", letters,
              type, isBias ? "f32" : one.out, isInteger ? "i32" : "f32");
  if (isInteger)
    return text + "%y = arith.addi %s, %v : i32\nhone.yield %y : i32\n}";
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

/// "tf32" are f32 that are multiplied as tf32.
static Problem problemOf(const Case &one) {
  Problem problem;
  llvm::cantFail(setTypes(problem, one.in + ":" + one.out));
  return problem;
}

/// A convolution of an unknown number of images and filters.
static constexpr StringRef kConvolution = R"(
func.func @matmul(%a: memref<?x14x13x64xf16>, %b: memref<576x96xf16>,
                  %c: memref<?x96xf16, strided<[?, 1]>>) {
  hone.matmul ins(%a window(3x3, step 1x2, low 1x1, high 1x2), %b
      : memref<?x14x13x64xf16>, memref<576x96xf16>)
    outs(%c : memref<?x96xf16, strided<[?, 1]>>) init(zero) acc(f32)
  return
}
)";

std::string Case::moduleText() const {
  if (windows)
    return kConvolution.str();
  size_t batches = batchesB.empty() ? batched : 2;
  Problem problem = problemOf(*this);
  std::string typeA = matrixType(toString(problem.a.type), batches),
              typeB = matrixType(toString(problem.b.type),
                                 ragged             ? 1
                                 : batchesB.empty() ? batches
                                                    : batchesB.size()),
              typeC = matrixType(out, raggedSum ? 1 : batches), products;
  if (problem.products != Products::exact)
    products = formatv(" products({0})", toString(problem.products));
  if (isInvariant)
    products += " numbers(invariant)";
  std::string extra, lettersB, groups;
  if (!epilogue.empty())
    extra = ", %e: " + epilogueOperand(*this).second;
  if (ragged || raggedSum) {
    extra += ", %ends: memref<?xi32>";
    groups = "ragged(%ends : memref<?xi32>) ";
  }
  if (indexed) {
    extra += ", %index: memref<?xi64>";
    groups += "gather(%index : memref<?xi64>) ";
  }
  if (batchesB == "h")
    lettersB = colB ? "[h, n, k]" : "[h, k, n]";
  return formatv("func.func @matmul(%a: {0}, %b: {1}, %c: {2}{3}) {{\n"
                 "  hone.matmul ins({4}%a, {5}%b{6} : {0}, {1}) outs(%c : {2}) "
                 "{11}init({7}) acc({10}){8}{9}\n  return\n}\n",
                 typeA, typeB, typeC, extra, colA ? "col " : "",
                 colB && lettersB.empty() ? "col " : "", lettersB,
                 reads ? "read" : "zero", products, epilogueText(*this),
                 toString(problem.acc), groups);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

bool hone::test::isLegal(const Case &one) {
  // Law 6 is of the operands' accesses, which the problem below does not have.
  if (one.windows && StringRef(one.schedule).contains("prefetch("))
    return false;
  Problem problem = problemOf(one);
  if (one.batched || !one.batchesB.empty())
    problem.batch = kDynamic;
  if (one.ragged)
    problem.groups = kDynamic;
  problem.isIndexed = one.indexed;
  if (one.raggedSum) {
    problem.isRaggedSum = problem.a.shared = problem.b.shared = true;
    problem.batch = kDynamic;
  }
  problem.a.order = one.colA ? Order::col : Order::row;
  problem.b.order = one.colB ? Order::col : Order::row;
  problem.init = one.reads ? Init::read : Init::zero;
  if (one.isInvariant)
    problem.numbers.kind = Numbers::Kind::invariant;
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

static std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

/// The module parsed back from its own text, which must print the same. Null,
/// with a reason on standard error, if it differs or does not parse.
static OwningOpRef<ModuleOp> readBack(ModuleOp module) {
  std::string text = textOf(module);
  auto again = parseSourceString<ModuleOp>(text, module.getContext());
  if (!again)
    llvm::errs() << "expected kernel IR that can be read back\n";
  else if (textOf(*again) == text)
    return again;
  else
    llvm::errs() << "expected the same text of kernel IR that was read back\n";
  return nullptr;
}

std::optional<Built> hone::test::build(MLIRContext &context, const Case &one) {
  Built built;
  built.module = parseSourceString<ModuleOp>(one.moduleText(), &context);
  if (!built.module)
    return std::nullopt;
  PassManager select(&context), lower(&context);
  SelectScheduleOptions options;
  options.arch = one.arch;
  options.schedule = PinnedSchedule::parse(one.schedule);
  select.addPass(createSelectSchedule(options, ScheduleSources()));
  if (failed(select.run(*built.module)))
    return std::nullopt;
  built.module->walk([&](MatmulOp op) { built.references.emplace_back(op); });
  BuildKernelOptions withoutFallback;
  withoutFallback.fallback = false;
  lower.addPass(createBuildKernel(withoutFallback));
  lower.addPass(createCanonicalizerPass());
  if (failed(lower.run(*built.module)))
    return std::nullopt;
  built.module = readBack(*built.module);
  if (!built.module)
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
