//===- WorkerHost.cpp - Measuring on this CPU -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JIT compiles a candidate in this process: should it break down there, it
// is this candidate that does. Time is that of the thread, which a neighbour
// that takes the core does not add to.
//
//===----------------------------------------------------------------------===//

#include "HostProduct.h"
#include "WorkerBed.h"
#include "hone/Evaluate/Compile.h"
#include "hone/Evaluate/ProblemModule.h"
#include "hone/Jit/Jit.h"
#include "hone/Measure/Timing.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <map>

using namespace hone;
using llvm::Error;
using llvm::StringRef;

namespace {
/// Compiled kernels by what they were compiled for. A finalist was a trial, and
/// a kernel takes any extents, so most are asked for again.
class HostKernels {
public:
  struct Kernel {
    std::unique_ptr<Jit> jit;
    Jit::Function function;
  };
  explicit HostKernels(Arch arch) : arch(std::move(arch)) {}
  llvm::Expected<std::shared_ptr<Kernel>> get(const Problem &problem,
                                              const Schedule &schedule);

private:
  llvm::Expected<std::unique_ptr<Jit>> compile(const Problem &problem,
                                               const Schedule &schedule);
  Arch arch;
  std::unique_ptr<mlir::MLIRContext> context;
  llvm::StringMap<std::shared_ptr<Kernel>> kernels;
};

class HostBed : public WorkerBed {
public:
  explicit HostBed(const Arch &arch) : arch(arch), kernels(arch) {}

  protocol::Opened describe() override {
    return {arch.isa, "host", arch.isa, /*cuda=*/0};
  }
  Error setProblem(const Problem &given) override {
    problem = given;
    candidates.clear();
    return product.set(given);
  }
  Error load(size_t at, const protocol::Entered &entered, double best,
             llvm::function_ref<void()> beat) override;
  Error launch(size_t at) override {
    run(at);
    return Error::success();
  }
  Error check(size_t at, bool whole, StringRef inject) override;
  llvm::Expected<std::vector<double>>
  timeBriefly(size_t at, double best, llvm::function_ref<void()> beat) override;
  llvm::Expected<std::vector<TimedRounds>>
  timeInTurns(llvm::ArrayRef<size_t> who, const Turns &turns,
              llvm::function_ref<void(size_t)> announce) override;
  void clear() override { candidates.clear(); }

private:
  void run(size_t at);
  double timeOnce(size_t at, double about, double atLeast);

  Arch arch;
  Problem problem;
  HostProduct product;
  HostKernels kernels;
  std::map<size_t, std::shared_ptr<HostKernels::Kernel>> candidates;
};
} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<Jit>>
HostKernels::compile(const Problem &problem, const Schedule &schedule) {
  auto program = ProblemModule::of(openProblem(problem));
  if (!program)
    return program.takeError();
  if (!context) {
    context = makeContext();
    context->disableMultithreading();
  }
  auto module = parseModule(*context, program->text);
  if (!module)
    return module.takeError();
  if (Error error = runFromSelect(**module, {arch.name, toString(schedule)}))
    return std::move(error);
  return Jit::create(**module);
}

llvm::Expected<std::shared_ptr<HostKernels::Kernel>>
HostKernels::get(const Problem &problem, const Schedule &schedule) {
  std::string key = kernelKey(problem, schedule, arch);
  if (auto known = kernels.find(key); known != kernels.end())
    return known->second;
  // What contexts and engines have made they keep, so not for ever.
  constexpr size_t kMost = 200;
  if (kernels.size() >= kMost) {
    kernels.clear();
    context.reset();
  }
  auto jit = compile(problem, schedule);
  if (!jit)
    return jit.takeError();
  auto function = (*jit)->lookup("matmul");
  if (!function)
    return function.takeError();
  return kernels[key] =
             std::make_shared<Kernel>(Kernel{std::move(*jit), *function});
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

Error HostBed::load(size_t at, const protocol::Entered &entered, double,
                    llvm::function_ref<void()>) {
  const Entrant &who = entered.entrant;
  if (!who.schedule || who.part != Part::whole)
    return llvm::createStringError(
        "expected a schedule for the host, but got " + toString(who));
  auto kernel = kernels.get(problem, *who.schedule);
  if (!kernel)
    return kernel.takeError();
  candidates[at] = std::move(*kernel);
  return Error::success();
}

void HostBed::run(size_t at) {
  JitArguments arguments;
  for (HostMatrix &matrix : product.matrices())
    arguments.addMemRef(matrix.bytes.data(), {matrix.lines(), matrix.width()},
                        {matrix.lead, 1});
  candidates.at(at)->function(arguments.get().data());
}

Error HostBed::check(size_t at, bool whole, StringRef inject) {
  product.poison();
  run(at);
  if (!inject.empty())
    product.plant(inject);
  return product.check(whole);
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// Seconds of a call, over calls that take about `atLeast` together.
double HostBed::timeOnce(size_t at, double about, double atLeast) {
  int64_t calls = std::clamp<int64_t>(atLeast / about, 1, 100000);
  double start = threadSeconds();
  for (int64_t i = 0; i < calls; ++i)
    run(at);
  return (threadSeconds() - start) / calls;
}

llvm::Expected<std::vector<double>>
HostBed::timeBriefly(size_t at, double best, llvm::function_ref<void()> beat) {
  constexpr double kTurn = 5e-3, kFar = 2;
  constexpr int kTurns = 3;
  beat();
  double about = std::max(timeOnce(at, 1, 0), 1e-8);
  std::vector<double> turns;
  for (int turn = 0; turn < kTurns; ++turn) {
    beat();
    turns.push_back(timeOnce(at, about, kTurn));
    if (best > 0 && turns.back() > kFar * best)
      break;
  }
  return turns;
}

llvm::Expected<std::vector<TimedRounds>>
HostBed::timeInTurns(llvm::ArrayRef<size_t> who, const Turns &turns,
                     llvm::function_ref<void(size_t)> announce) {
  constexpr double kTurn = 20e-3;
  std::vector<TimedRounds> timed(who.size());
  for (size_t round = 0; round < turns.rounds; ++round)
    for (size_t turn = 0; turn < who.size(); ++turn) {
      size_t i = (turn + round) % who.size();
      announce(who[i]);
      timed[i].rounds.push_back(timeOnce(who[i], turns.about, kTurn));
      timed[i].samples.push_back(timed[i].rounds.back());
    }
  return timed;
}

llvm::Expected<std::unique_ptr<WorkerBed>> hone::openHostBed() {
  llvm::Expected<Arch> arch = Arch::lookup("host");
  if (!arch)
    return arch.takeError();
  return std::make_unique<HostBed>(*arch);
}
