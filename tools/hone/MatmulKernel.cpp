//===- MatmulKernel.cpp - A compiled matmul, to launch --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memrefs are strided with an open leading dimension, so that one kernel takes
// any; the plan chooses by what is passed.
//
//===----------------------------------------------------------------------===//

#include "MatmulKernel.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ThreadPool.h"
#include <mutex>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The description
//===----------------------------------------------------------------------===//

StringRef hone::toString(Epilogue epilogue) {
  constexpr StringRef kNames[] = {"none", "bias+relu", "bias+gelu(erf)",
                                  "bias+gelu(tanh)", "residual"};
  return kNames[static_cast<size_t>(epilogue)];
}

std::string MatmulSpec::layout() const {
  auto letter = [](Order order) { return order == Order::row ? 'n' : 't'; };
  return {letter(a), letter(b)};
}

std::string MatmulSpec::types() const {
  return formatv("{0} -> {1}", hone::toString(in), hone::toString(out));
}

Problem MatmulSpec::problem(int64_t m, int64_t n, int64_t k) const {
  Problem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  if (batched)
    problem.batch = kDynamic;
  problem.a = {in, a, /*align=*/16, sharedA};
  problem.b = {in, b, /*align=*/16, sharedB};
  problem.c = out;
  problem.init = init;
  // Laws ask only whether there is one.
  if (epilogue != Epilogue::none)
    problem.epilogue = toString(epilogue).str();
  return problem;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static std::string matrixType(ElementType type, bool batched) {
  return formatv(batched ? "memref<?x?x?x{0}, strided<[?, ?, 1]>>"
                         : "memref<?x?x{0}, strided<[?, 1]>>",
                 hone::toString(type));
}

/// The steps from %x (f32), the sum with its bias, to %y (f32).
static StringRef activation(Epilogue epilogue) {
  switch (epilogue) {
  case Epilogue::biasRelu:
    return "%zero = arith.constant 0.0 : f32\n"
           "%y = arith.maximumf %x, %zero : f32\n";
  case Epilogue::biasGeluErf:
    return "%root = arith.constant 0.70710678 : f32\n"
           "%half = arith.constant 0.5 : f32\n"
           "%one = arith.constant 1.0 : f32\n"
           "%0 = arith.mulf %x, %root : f32\n"
           "%1 = math.erf %0 : f32\n"
           "%2 = arith.addf %1, %one : f32\n"
           "%3 = arith.mulf %x, %half : f32\n"
           "%y = arith.mulf %3, %2 : f32\n";
  case Epilogue::biasGeluTanh:
    return "%cubic = arith.constant 0.044715 : f32\n"
           "%root = arith.constant 0.79788456 : f32\n"
           "%half = arith.constant 0.5 : f32\n"
           "%one = arith.constant 1.0 : f32\n"
           "%0 = arith.mulf %x, %x : f32\n"
           "%1 = arith.mulf %0, %x : f32\n"
           "%2 = arith.mulf %1, %cubic : f32\n"
           "%3 = arith.addf %x, %2 : f32\n"
           "%4 = arith.mulf %3, %root : f32\n"
           "%5 = math.tanh %4 : f32\n"
           "%6 = arith.addf %5, %one : f32\n"
           "%7 = arith.mulf %x, %half : f32\n"
           "%y = arith.mulf %7, %6 : f32\n";
  case Epilogue::none:
  case Epilogue::residual:
    return "%one = arith.constant 1.0 : f32\n"
           "%y = arith.mulf %x, %one : f32\n";
  }
  llvm_unreachable("an epilogue");
}

/// " epilogue(%e[n] : ...) { ... }", or nothing.
static std::string epilogueText(const MatmulSpec &spec) {
  if (spec.epilogue == Epilogue::none)
    return "";
  bool residual = spec.epilogue == Epilogue::residual;
  StringRef out = hone::toString(spec.out);
  StringRef operand = residual ? out : "f32";
  std::string text = formatv(
      " epilogue(%e[{0}] : {1}) {{\n^bb0(%sum: f32, %v: {2}):\n",
      residual ? "m, n" : "n",
      residual ? matrixType(spec.out, false) : "memref<?xf32>", operand);
  text += operand == "f32" ? "%x = arith.addf %sum, %v : f32\n"
                           : formatv("%w = arith.extf %v : {0} to f32\n"
                                     "%x = arith.addf %sum, %w : f32\n",
                                     operand)
                                 .str();
  text += activation(spec.epilogue);
  text += out == "f32" ? "hone.yield %y : f32\n"
                       : formatv("%z = arith.truncf %y : f32 to {0}\n"
                                 "hone.yield %z : {0}\n",
                                 out)
                             .str();
  return text + "}";
}

std::string MatmulSpec::moduleText() const {
  std::string typeA = matrixType(in, batched && !sharedA);
  std::string typeB = matrixType(in, batched && !sharedB);
  std::string typeC = matrixType(out, batched);
  std::string extra;
  if (epilogue != Epilogue::none)
    extra = ", %e: " + (epilogue == Epilogue::residual
                            ? matrixType(out, false)
                            : std::string("memref<?xf32>"));
  return formatv("func.func @matmul(%a: {0}, %b: {1}, %c: {2}{3}) {{\n"
                 "  hone.matmul ins({4}%a, {5}%b : {0}, {1}) outs(%c : {2}) "
                 "init({6}) acc(f32){7}\n  return\n}\n",
                 typeA, typeB, typeC, extra, a == Order::col ? "col " : "",
                 b == Order::col ? "col " : "",
                 init == Init::zero ? "zero" : "read", epilogueText(*this));
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

llvm::Expected<CompiledKernel>
hone::compileMatmul(mlir::MLIRContext &context, const KernelRequest &request,
                    StringRef arch, simulate::VerdictCache *verdicts) {
  auto module = parseModule(context, request.spec.moduleText());
  if (!module)
    return module.takeError();
  PipelineChoice choice = {arch.str(), hone::toString(request.schedule),
                           request.spec.fallback, verdicts};
  if (Error error = runFromSelect(**module, choice))
    return std::move(error);
  return kernelOf(**module);
}

/// What the host side of the module would pass.
llvm::StringMap<int64_t> hone::runTimeKnobs(const Schedule &schedule) {
  llvm::StringMap<int64_t> knobs;
  for (const KnobInfo &knob : knobsOf(schedule)) {
    int64_t value;
    if (knob.when == When::runTime &&
        !StringRef(knob.value).getAsInteger(10, value))
      knobs[knob.name] = value;
  }
  return knobs;
}

llvm::Expected<std::unique_ptr<MatmulKernel>>
MatmulKernel::create(mlir::MLIRContext &context, const MatmulSpec &spec,
                     const Schedule &schedule, StringRef arch) {
  auto kernel = compileMatmul(context, {spec, schedule}, arch);
  if (!kernel)
    return kernel.takeError();
  return create(std::move(*kernel), runTimeKnobs(schedule));
}

llvm::Expected<std::unique_ptr<MatmulKernel>>
MatmulKernel::create(CompiledKernel kernel, llvm::StringMap<int64_t> knobs) {
  std::unique_ptr<MatmulKernel> result(new MatmulKernel());
  result->knobs = std::move(knobs);
  result->kernel = std::move(kernel);
  for (const std::string &image : result->kernel.images) {
    void *registered = honeRegisterImage(image.c_str(), image.size());
    if (!registered)
      return llvm::createStringError(
          formatv("honeRegisterImage: {0}", honeLastError()));
    result->images.push_back(registered);
  }
  return result;
}

std::unique_ptr<MatmulKernel> MatmulKernel::sibling(LaunchPlan plan) const {
  std::unique_ptr<MatmulKernel> result(new MatmulKernel());
  result->kernel.planText = plan.str();
  result->kernel.plan = std::move(plan);
  result->knobs = knobs;
  return result;
}

MatmulKernel::~MatmulKernel() {
  honeRelease(&slot);
  for (void *image : images)
    honeUnregisterImage(image);
}

llvm::Expected<std::vector<int64_t>>
MatmulKernel::order(const llvm::StringMap<int64_t> &named) const {
  std::vector<int64_t> values;
  for (const std::string &name : kernel.plan.args) {
    auto found = named.find(name);
    auto knob = knobs.find(name);
    if (found == named.end() && knob == knobs.end())
      return llvm::createStringError(
          formatv("expected a plan of known arguments, but got '{0}'", name));
    values.push_back(found != named.end() ? found->second : knob->second);
  }
  return values;
}

Error MatmulKernel::launch(llvm::ArrayRef<int64_t> arguments) {
  int32_t status = honeLaunch(&slot, kernel.planText.c_str(), arguments.data(),
                              static_cast<int32_t>(arguments.size()));
  if (status == HONE_OK)
    return Error::success();
  return llvm::createStringError(formatv("honeLaunch: {0}", honeLastError()));
}

//===----------------------------------------------------------------------===//
// Many kernels
//===----------------------------------------------------------------------===//

std::vector<llvm::Expected<std::unique_ptr<MatmulKernel>>>
hone::compileAll(llvm::ArrayRef<KernelRequest> requests, StringRef arch,
                 llvm::function_ref<void()> report) {
  std::vector<std::optional<llvm::Expected<std::unique_ptr<MatmulKernel>>>>
      done(requests.size());
  std::mutex mutex;
  std::atomic<size_t> next = 0;
  llvm::DefaultThreadPool pool;
  // A context serves one thread; making one costs about as much as a kernel.
  for (unsigned i = 0; i < pool.getMaxConcurrency(); ++i)
    pool.async([&] {
      std::unique_ptr<mlir::MLIRContext> context = makeContext();
      context->disableMultithreading();
      for (size_t at = next++; at < requests.size(); at = next++) {
        done[at].emplace(MatmulKernel::create(*context, requests[at].spec,
                                              requests[at].schedule, arch));
        std::lock_guard<std::mutex> lock(mutex);
        report();
      }
    });
  pool.wait();
  std::vector<llvm::Expected<std::unique_ptr<MatmulKernel>>> kernels;
  for (auto &kernel : done)
    kernels.push_back(std::move(*kernel));
  return kernels;
}
