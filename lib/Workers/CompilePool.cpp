//===- CompilePool.cpp - Pool of compiler processes -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CompilePool.h.
//
//===----------------------------------------------------------------------===//

#include "CompilePool.h"
#include "hone/Assemble/Assemble.h"
#include "hone/Driver/Compile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Threading.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;

CompilePool::CompilePool(const WorkerOptions &options, WorkerTotals &totals)
    : options(options), totals(totals),
      limit(options.jobs > 0
                ? options.jobs
                : llvm::hardware_concurrency().compute_thread_count()) {}

/// True if the ptxas here has the version of the driver's, so that it makes the
/// same machine code.
static bool hasSameAssembler(int64_t cuda) {
  std::optional<std::string> version = assemblerVersion();
  return version && cuda > 0 &&
         *version == formatv("{0}.{1}", cuda / 1000, cuda % 1000 / 10).str();
}

void CompilePool::setTarget(const Arch &target, int64_t cuda) {
  // Measurements on this CPU alternate with the compilers and take about a
  // quarter of their time. More compilers would only build kernels too early.
  constexpr size_t kMaxOnHost = 4;
  if (target.isHost() && options.jobs <= 0)
    limit = std::min(limit, kMaxOnHost);
  arch = target.name;
  assembles = hasSameAssembler(cuda);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

KernelEntry &CompilePool::acquire(const KernelRequest &request,
                                  const std::string &key) {
  auto [found, isNew] = kernels.try_emplace(key);
  KernelEntry &entry = found->second;
  if (entry.users++ == 0 && !isNew)
    llvm::erase(idle, key);
  if (isNew)
    queue.push_back({++count, key, request});
  return entry;
}

void CompilePool::release(const std::string &key) {
  KernelEntry &entry = kernels.at(key);
  if (--entry.users == 0)
    idle.push_back(key);
  forgetOldKernels();
}

/// Bounds the memory. Failed entries are small, and stay.
void CompilePool::forgetOldKernels() {
  constexpr size_t kMaxBytes = size_t(1) << 30;
  while (bytes > kMaxBytes && !idle.empty()) {
    auto found = kernels.find(idle.front());
    idle.pop_front();
    if (found->second.state != KernelEntry::State::ready)
      continue;
    bytes -= found->second.kernel.bytes();
    kernels.erase(found);
  }
}

void CompilePool::blame(const std::string &key, Status status,
                        const std::string &why) {
  constexpr unsigned kMax = 2;
  KernelEntry &entry = kernels.at(key);
  // A hang costs half a minute, in whichever worker.
  entry.breakdowns += status == Status::timeout ? kMax : 1;
  if (entry.breakdowns < kMax)
    return;
  entry.state = KernelEntry::State::failed;
  entry.failure =
      failed(Status::fault, "its kernel has broken down elsewhere: " + why);
}

//===----------------------------------------------------------------------===//
// Compilers
//===----------------------------------------------------------------------===//

void CompilePool::addTo(std::vector<WorkerProcess *> &processes) const {
  for (const Compiler &compiler : compilers)
    processes.push_back(compiler.process.get());
}

size_t CompilePool::open() const {
  return queue.size() + llvm::count_if(compilers, [](const Compiler &each) {
           return !!each.job;
         });
}

Error CompilePool::finish(llvm::function_ref<void()> report) {
  constexpr double kTick = 0.1;
  size_t left = open();
  while (left) {
    if (Error error = turn(/*rests=*/false))
      return error;
    for (size_t now = open(); left > now; --left)
      report();
    std::vector<WorkerProcess *> processes;
    addTo(processes);
    if (left)
      WorkerProcess::waitForAny(processes, kTick);
  }
  return Error::success();
}

Error CompilePool::turn(bool rests) {
  llvm::erase_if(compilers, [&](Compiler &each) { return receive(each); });
  return rests ? Error::success() : handOut();
}

bool CompilePool::isBusy() const {
  return llvm::any_of(
      compilers, [](const Compiler &each) { return each.job.has_value(); });
}

Error CompilePool::handOut() {
  while (!queue.empty()) {
    auto free = llvm::find_if(compilers,
                              [](const Compiler &each) { return !each.job; });
    if (free == compilers.end()) {
      if (compilers.size() >= limit)
        break;
      std::vector<std::string> command = {options.program, "worker", "compile"};
      if (!options.faults.planned.empty())
        command.push_back("--rehearsal");
      if (!options.verdicts.empty())
        command.push_back("--verdicts=" + options.verdicts);
      auto process = WorkerProcess::start(command);
      if (!process)
        return process.takeError();
      compilers.push_back({std::move(*process), std::nullopt});
      continue;
    }
    Job job = std::move(queue.front());
    queue.pop_front();
    protocol::Compile message;
    message.number = job.number;
    message.problem = job.request.problem;
    message.schedule = job.request.schedule;
    message.fallback = job.request.fallback;
    message.kernelIr = job.request.kernelIr;
    message.batchesB = job.request.batchesB;
    message.kernelText = job.request.kernelText;
    message.arch = arch;
    message.code = assembles;
    message.inject = options.faults.at(job.number, /*isCompilation=*/true);
    free->process->expectSomething();
    free->process->send(protocol::toJson(message));
    free->job = std::move(job);
  }
  return Error::success();
}

void CompilePool::finish(Compiler &compiler, protocol::Compiled result) {
  KernelEntry &entry = kernels.at(compiler.job->key);
  result.kernel.key = compiler.job->key;
  compiler.job.reset();
  entry.seconds = result.seconds;
  ++totals.compiled;
  if (result.status != Status::ok) {
    entry.state = KernelEntry::State::failed;
    entry.failure = failed(result.status, result.reason);
    return;
  }
  entry.state = KernelEntry::State::ready;
  entry.kernel = std::move(result.kernel);
  bytes += entry.kernel.bytes();
}

/// Ends the worker, which has exited or is no longer usable.
void CompilePool::lose(Compiler &compiler, Status status,
                       const std::string &why) {
  ++totals.respawned;
  if (!compiler.job)
    return;
  KernelEntry &entry = kernels.at(compiler.job->key);
  entry.state = KernelEntry::State::failed;
  entry.failure = failed(status, why);
  compiler.job.reset();
}

/// Whether the compiler exceeded its time or its memory.
bool CompilePool::isOver(Compiler &compiler) {
  if (!compiler.job)
    return false;
  if (compiler.process->silence() > options.patience) {
    lose(
        compiler, Status::timeout,
        formatv("the compiler sent no message for {0:F0} s", options.patience));
    return true;
  }
  double max = WorkerOptions::kMaxPatience * options.patience;
  if (compiler.process->waited() > max) {
    lose(compiler, Status::timeout,
         formatv("the compiler was not done after {0:F0} s", max));
    return true;
  }
  if (compiler.process->residentBytes() > options.memoryBytes) {
    lose(compiler, Status::compileError,
         formatv("the compiler took more than {0} MiB",
                 options.memoryBytes >> 20));
    return true;
  }
  return false;
}

bool CompilePool::receive(Compiler &compiler) {
  while (true) {
    auto message = compiler.process->next();
    if (!message) {
      lose(compiler, Status::compileError,
           "the compiler reported: " + llvm::toString(message.takeError()));
      return true;
    }
    if (!*message)
      break;
    auto result = protocol::read<protocol::Compiled>(**message);
    if (!result || !compiler.job || result->number != compiler.job->number) {
      lose(compiler, Status::compileError,
           result ? "the compiler sent an answer without a question"
                  : "the compiler reported: " +
                        llvm::toString(result.takeError()));
      return true;
    }
    finish(compiler, std::move(*result));
  }
  if (compiler.process->hasEnded()) {
    std::string why = compiler.process->wait();
    lose(compiler, Status::compileError, "the compiler ended: " + why);
    return true;
  }
  return isOver(compiler);
}

//===----------------------------------------------------------------------===//
// Batch compilation
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<llvm::Expected<CompiledKernel>>>
hone::compileAll(llvm::ArrayRef<KernelRequest> requests, const Arch &arch,
                 int64_t cuda, llvm::function_ref<void()> report) {
  auto options = WorkerOptions::make(/*program=*/"", {}, /*rehearsal=*/"");
  if (!options)
    return options.takeError();
  WorkerTotals totals;
  CompilePool pool(*options, totals);
  pool.setTarget(arch, cuda);
  for (auto [i, request] : llvm::enumerate(requests))
    pool.acquire(request, std::to_string(i));
  if (Error error = pool.finish(report))
    return std::move(error);
  std::vector<llvm::Expected<CompiledKernel>> kernels;
  for (size_t i = 0; i < requests.size(); ++i) {
    KernelEntry &entry = pool.entry(std::to_string(i));
    if (entry.state == KernelEntry::State::ready)
      kernels.push_back(
          compiledKernel(std::move(entry.kernel.images), entry.kernel.plan));
    else if (entry.failure.status == Status::illegal)
      kernels.push_back(llvm::make_error<RefusedRewrite>(entry.failure.reason));
    else
      kernels.push_back(llvm::createStringError(entry.failure.reason));
  }
  return kernels;
}
