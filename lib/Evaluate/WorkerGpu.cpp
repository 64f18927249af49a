//===- WorkerGpu.cpp - Measuring on a GPU ---------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels come compiled; libhone_rt launches them, as in a program. Inputs
// rotate over sets that exceed the L2 cache twice.
//
//===----------------------------------------------------------------------===//

#include "WorkerBed.h"
#include "dialects/Hone/Hone.h"
#include "hone/Device/Nvml.h"
#include "hone/Evaluate/BriefTiming.h"
#include "hone/Evaluate/GemmData.h"
#include "hone/Runtime/Expression.h"
#include "hone/Simulate/Reference.h"
#include "passes/Support.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

namespace {
class GpuBed : public WorkerBed {
public:
  Error open(int ordinal);
  protocol::Opened describe() override;

  void addKernel(protocol::Kernel kernel) override;
  void dropKernel(StringRef key) override {
    if (key == yardstickKey)
      yardstick.reset();
    kernels.erase(key.str());
  }
  Error setProblem(const Problem &problem) override;
  Error load(size_t at, const Schedule &schedule, StringRef key) override;
  std::optional<protocol::KernelFacts> factsOf(size_t at) override;
  Error launch(size_t at) override;
  Error check(size_t at, bool whole, StringRef inject) override;
  llvm::Expected<std::vector<double>>
  timeBriefly(size_t at, double best, llvm::function_ref<void()> beat) override;
  llvm::Expected<std::vector<std::vector<double>>>
  timeInTurns(llvm::ArrayRef<size_t> who, size_t rounds, double about,
              llvm::function_ref<void(size_t)> announce) override;
  void clear() override { candidates.clear(); }
  double clockMHz() override { return nvml ? nvml->clockMHz() : 0; }
  std::string heldBackBy() override { return nvml ? nvml->heldBackBy() : ""; }
  bool isLost() override {
    llvm::consumeError(kit->device->synchronize());
    return kit->device->isLost();
  }

private:
  struct Kernel {
    protocol::Kernel source;
    std::unique_ptr<MatmulKernel> loaded;
  };
  struct Candidate {
    Kernel *kernel;
    Contender launch;
  };
  const PlanAlternative *chosenOf(const MatmulKernel &kernel) const;
  Error makeYardstick(const Candidate &candidate, double seconds);

  std::unique_ptr<GemmKit> kit;
  std::unique_ptr<Nvml> nvml;
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  Arch arch;
  std::map<std::string, Kernel> kernels;
  std::unique_ptr<GemmData> data;
  GemmData::Counts counts;
  double least = 0; ///< seconds of the problem's arithmetic at its peak
  std::map<size_t, Candidate> candidates;
  std::optional<Yardstick> yardstick; ///< the problem's first that ran
  std::string yardstickKey;
};
} // namespace

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

Error GpuBed::open(int ordinal) {
  if (honeSetDevice(ordinal) != HONE_OK)
    return llvm::createStringError(honeLastError());
  auto opened = GemmKit::open(ordinal);
  if (!opened)
    return opened.takeError();
  kit = std::move(*opened);
  auto found =
      Arch::lookupDevice(kit->device->getCapability(), kit->device->getName());
  if (!found)
    return found.takeError();
  arch = *found;
  nvml = Nvml::open(kit->device->getPciBusId());
  return checkTheCheck(*kit);
}

/// The driver's own version, or at least which CUDA it speaks.
protocol::Opened GpuBed::describe() {
  int cuda = kit->device->getDriverVersion();
  std::string driver = nvml ? nvml->driverVersion() : "";
  if (driver.empty())
    driver = formatv("CUDA {0}.{1}", cuda / 1000, cuda % 1000 / 10);
  return {kit->device->getName().str(), arch.chip, driver, cuda};
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

/// The problem's epilogue, carried out op by op in f64.
static llvm::Expected<GemmTask> taskOf(mlir::MLIRContext &context,
                                       const Problem &problem) {
  GemmTask task;
  task.problem = problem;
  if (problem.epilogue.empty())
    return task;
  auto program = ProblemModule::of(problem);
  if (!program)
    return program.takeError();
  task.operands = program->operands;
  auto module = parseModule(context, program->text);
  if (!module)
    return module.takeError();
  (*module)->walk([&](MatmulOp op) {
    task.finish = [reference = simulate::Reference(op)](
                      double sum, llvm::ArrayRef<double> operands) {
      return reference.finish({sum, 0}, operands).value;
    };
  });
  return task;
}

Error GpuBed::setProblem(const Problem &problem) {
  candidates.clear();
  yardstick.reset();
  data.reset();
  auto task = taskOf(*context, problem);
  if (!task)
    return task.takeError();
  counts = GemmData::countSets(*kit, problem);
  auto made = GemmData::create(*kit, std::move(*task), counts);
  if (!made)
    return made.takeError();
  data = std::move(*made);
  least = *problem.flops() / (arch.peakTflops * 1e12);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

void GpuBed::addKernel(protocol::Kernel kernel) {
  std::string key = kernel.key;
  kernels[key] = {std::move(kernel), nullptr};
}

Error GpuBed::load(size_t at, const Schedule &schedule, StringRef key) {
  auto found = kernels.find(key.str());
  if (found == kernels.end())
    return llvm::createStringError("expected a kernel, but got '" + key + "'");
  Kernel &kernel = found->second;
  if (!kernel.loaded) {
    CompiledKernel compiled;
    compiled.planText = kernel.source.plan;
    compiled.images = std::move(kernel.source.images);
    std::string fault =
        LaunchPlan::parse(compiled.planText.c_str(), compiled.plan);
    if (!fault.empty())
      return llvm::createStringError("expected a launch plan, but got " +
                                     fault);
    auto created = MatmulKernel::create(std::move(compiled));
    if (!created)
      return created.takeError();
    kernel.loaded = std::move(*created);
  }
  auto launch = contenderOf(*kernel.loaded, schedule, *data);
  if (!launch)
    return launch.takeError();
  candidates[at] = {&kernel, std::move(*launch)};
  return Error::success();
}

/// The alternative of a plan whose guard holds for the data.
const PlanAlternative *GpuBed::chosenOf(const MatmulKernel &kernel) const {
  const LaunchPlan &plan = kernel.plan();
  llvm::StringMap<int64_t> named = data->arguments(0);
  std::vector<int64_t> values;
  for (const std::string &name : plan.args)
    values.push_back(named.lookup(name));
  for (const PlanAlternative &alternative : plan.alternatives) {
    Expression guard;
    int64_t holds = 0;
    if (Expression::parse(alternative.guard, plan.args, guard).empty() &&
        guard.evaluate(values.data(), holds) == Expression::Fault::none &&
        holds)
      return &alternative;
  }
  return nullptr;
}

std::optional<protocol::KernelFacts> GpuBed::factsOf(size_t at) {
  const Kernel &kernel = *candidates.at(at).kernel;
  const PlanAlternative *chosen = chosenOf(*kernel.loaded);
  std::optional<protocol::KernelFacts> facts;
  if (!chosen)
    return facts;
  for (const KernelLaunch &launch : chosen->launches) {
    auto found = kernel.source.facts.find(launch.entry);
    if (found == kernel.source.facts.end())
      continue;
    if (!facts)
      facts.emplace();
    facts->registers = std::max(facts->registers, found->second.registers);
    facts->spillBytes += found->second.spillBytes;
    if (facts->fault.empty())
      facts->fault = found->second.fault;
  }
  return facts;
}

Error GpuBed::launch(size_t at) {
  if (Error error = candidates.at(at).launch(0))
    return error;
  return kit->device->synchronize();
}

/// Spoils an element in the middle of C.
static Error spoil(Device &device, const Problem &problem, uint64_t c,
                   StringRef how) {
  int64_t middle = problem.m / 2 * problem.n + problem.n / 2;
  std::vector<char> line(problem.n * sizeOf(problem.c));
  double value = how == "nan" ? std::nan("") : 1e4;
  for (int64_t i = 0; i < problem.n; ++i)
    storeElement(problem.c, line.data(), i, value);
  uint64_t at = c + (middle / problem.n) * line.size();
  if (Error error = device.copyIn(at, line.data(), line.size()))
    return error;
  return device.synchronize();
}

Error GpuBed::check(size_t at, bool whole, StringRef inject) {
  const Contender &launch = candidates.at(at).launch;
  if (inject != "wrong" && inject != "nan")
    return data->verify(launch, data->part(), whole);
  return data->verify(launch, data->part(), whole, [&](uint64_t c) {
    return spoil(*kit->device, data->problem(), c, inject);
  });
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// What is recorded must stay valid: a workspace moves when another kernel
/// wants a larger one.
Error GpuBed::makeYardstick(const Candidate &candidate, double seconds) {
  const PlanAlternative *chosen = chosenOf(*candidate.kernel->loaded);
  if (!chosen || !chosen->workspaceBytes.empty())
    return Error::success();
  auto made = Yardstick::make(*kit->device, candidate.launch, seconds);
  if (!made)
    return made.takeError();
  yardstick.emplace(std::move(*made));
  yardstickKey = candidate.kernel->source.key;
  return Error::success();
}

llvm::Expected<std::vector<double>>
GpuBed::timeBriefly(size_t at, double best, llvm::function_ref<void()> beat) {
  const Candidate &candidate = candidates.at(at);
  auto turns = hone::timeBriefly(*kit->device, candidate.launch, best, least,
                                 beat, yardstick ? &*yardstick : nullptr);
  if (turns && !yardstick)
    if (Error error = makeYardstick(candidate, quantiles(*turns).median))
      return std::move(error);
  return turns;
}

llvm::Expected<std::vector<std::vector<double>>>
GpuBed::timeInTurns(llvm::ArrayRef<size_t> who, size_t rounds, double about,
                    llvm::function_ref<void(size_t)> announce) {
  constexpr double kGraphSeconds = 4e-3;
  constexpr size_t kMostLaunches = 8192, kMostRounds = 4;
  std::vector<Contender> contenders;
  for (size_t at : who)
    contenders.push_back(candidates.at(at).launch);
  GpuTiming timing;
  timing.sets = counts.inputs;
  timing.rounds = rounds;
  timing.mostRounds = kMostRounds * rounds;
  size_t wanted = std::min<size_t>(kGraphSeconds / about, kMostLaunches);
  timing.launches =
      llvm::alignTo(std::max<size_t>(wanted, timing.sets), timing.sets);
  auto timed = sampleOnGpu(*kit->device, contenders, timing,
                           [&](size_t i) { announce(who[i]); });
  if (!timed)
    return timed.takeError();
  std::vector<std::vector<double>> seconds;
  for (TimedRounds &each : *timed)
    seconds.push_back(std::move(each.rounds));
  return seconds;
}

llvm::Expected<std::unique_ptr<WorkerBed>> hone::openGpuBed(int ordinal) {
  auto bed = std::make_unique<GpuBed>();
  if (Error error = bed->open(ordinal))
    return std::move(error);
  return bed;
}
