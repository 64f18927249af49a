//===- MatmulKernel.cpp - A compiled matmul, to launch --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memrefs are strided with an open leading dimension, so that one kernel takes
// any; the plan chooses by what is passed.
//
//===----------------------------------------------------------------------===//

#include "hone/Evaluate/MatmulKernel.h"
#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Kernel.h"
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

std::string MatmulSpec::layout() const {
  auto letter = [](Order order) { return order == Order::row ? 'n' : 't'; };
  return {letter(a), letter(b)};
}

Error MatmulSpec::setLayout(StringRef text) {
  a = text.starts_with("t") ? Order::col : Order::row;
  b = text.ends_with("t") ? Order::col : Order::row;
  if (layout() == text)
    return Error::success();
  return llvm::createStringError(
      formatv("expected a layout, but got '{0}'; use nn, nt, tn or tt", text));
}

Error MatmulSpec::setTypes(StringRef text) {
  auto [first, second] = text.split(':');
  std::optional<ElementType> inputs = parseElementType(first),
                             result = parseElementType(second);
  if (!inputs || !result)
    return llvm::createStringError(
        formatv("expected types, but got '{0}'; use e.g. f16:f32", text));
  in = *inputs, out = *result;
  return Error::success();
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

/// A matrix and, before it, so many batches.
static std::string matrixType(ElementType type, size_t batches) {
  std::string extents = "?x?x", strides = "?, 1";
  for (; batches; --batches) {
    extents += "?x";
    strides = "?, " + strides;
  }
  return formatv("memref<{0}{1}, strided<[{2}]>>", extents,
                 hone::toString(type), strides);
}

/// What stands before and behind B: its order, or the dimensions that it has.
static std::pair<const char *, const char *> dimsOfB(const MatmulSpec &spec) {
  if (spec.batchesB == "h")
    return {"", spec.b == Order::col ? "[h, n, k]" : "[h, k, n]"};
  return {spec.b == Order::col ? "col " : "", ""};
}

std::string MatmulSpec::moduleText() const {
  size_t batches = batchesB.empty() ? batched : 2;
  size_t ofB = batchesB.empty() ? batched && !sharedB : batchesB.size();
  std::string typeA = matrixType(in, sharedA ? 0 : batches);
  std::string typeB = matrixType(in, ofB);
  std::string typeC = matrixType(out, batches);
  auto [before, behind] = dimsOfB(*this);
  std::string typeE = epilogue == Epilogue::residual
                          ? matrixType(out, 0)
                          : std::string("memref<?xf32>");
  std::string extra = epilogue == Epilogue::none ? "" : ", %e: " + typeE;
  return formatv("func.func @matmul(%a: {0}, %b: {1}, %c: {2}{3}) {{\n"
                 "  hone.matmul ins({4}%a, {5}%b{6} : {0}, {1}) outs(%c : {2}) "
                 "init({7}) acc(f32){8}\n  return\n}\n",
                 typeA, typeB, typeC, extra, a == Order::col ? "col " : "",
                 before, behind, init == Init::zero ? "zero" : "read",
                 epilogueText(epilogue, out, typeE));
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

llvm::Expected<CompiledKernel>
hone::compileMatmul(mlir::MLIRContext &context, const KernelRequest &request,
                    StringRef arch, simulate::VerdictCache *verdicts) {
  bool isBuilt = !request.kernelIr.empty();
  auto module = isBuilt ? readModule(context, request.kernelIr)
                        : parseModule(context, request.spec.moduleText());
  if (!module)
    return module.takeError();
  if (isBuilt) {
    if (Error error = runFromKernel(**module))
      return std::move(error);
    return kernelOf(**module);
  }
  PinnedChoice choice = {arch.str(), hone::toString(request.schedule),
                         request.spec.fallback, verdicts};
  if (Error error = runFromSelect(**module, choice))
    return std::move(error);
  return kernelOf(**module);
}

llvm::Expected<KernelRequest> hone::readKernelIr(StringRef path) {
  auto context = makeContext();
  auto module = readModule(*context, path);
  if (!module)
    return module.takeError();
  std::vector<kernel::LaunchOp> launches;
  (*module)->walk([&](kernel::LaunchOp op) { launches.push_back(op); });
  if (launches.size() != 1)
    return llvm::createStringError(
        formatv("expected kernel IR with one kernel.launch in '{0}', but got "
                "{1}; use hone-opt --hone-build-kernel",
                path, launches.size()));
  auto problem = launches[0]->getAttrOfType<ProblemAttr>("hone.problem");
  auto schedule = launches[0]->getAttrOfType<ScheduleAttr>("hone.schedule");
  if (!problem || !schedule)
    return llvm::createStringError(formatv(
        "expected a kernel.launch that says its problem and its schedule, but "
        "got one without in '{0}'",
        path));
  Problem from = problem.getValue();
  bool isOpen = from.m == kDynamic && from.n == kDynamic && from.k == kDynamic;
  if (!isOpen || from.batch || !from.epilogue.empty())
    return llvm::createStringError(
        formatv("expected a plain product of any extents in '{0}', but got "
                "{1}; use memref<?x?xf16, strided<[?, 1]>>",
                path, from.str()));
  KernelRequest request;
  request.spec.in = from.a.type;
  request.spec.out = from.c;
  request.spec.a = from.a.order;
  request.spec.b = from.b.order;
  request.spec.init = from.init;
  request.schedule = schedule.getValue();
  request.kernelIr = path.str();
  return request;
}

/// What the host side of the module would pass.
llvm::StringMap<int64_t> hone::runTimeKnobs(const Schedule &schedule) {
  llvm::StringMap<int64_t> knobs;
  for (const Schedule::Decided &one : schedule.decided())
    if (one.decision->when == When::runTime)
      knobs[one.decision->name] = one.numbers.front();
  return knobs;
}

llvm::Expected<std::unique_ptr<MatmulKernel>>
MatmulKernel::create(mlir::MLIRContext &context, const KernelRequest &request,
                     StringRef arch) {
  auto kernel = compileMatmul(context, request, arch);
  if (!kernel)
    return kernel.takeError();
  return create(std::move(*kernel), runTimeKnobs(request.schedule));
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
        done[at].emplace(MatmulKernel::create(*context, requests[at], arch));
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
