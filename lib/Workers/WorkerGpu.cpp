//===- WorkerGpu.cpp - Measurement on a GPU -------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels arrive compiled; libhone_rt launches them, as in a program. Inputs
// rotate over sets that exceed the L2 cache five times.
//
//===----------------------------------------------------------------------===//

#include "GemmTables.h"
#include "Rivals.h"
#include "WorkerBackend.h"
#include "hone/Device/Nvml.h"
#include "passes/Support.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <utility>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

namespace {
class GpuBackend : public WorkerBackend {
public:
  Error open(int ordinal, int processors, std::string library);
  protocol::Opened describe() override;

  void addKernel(protocol::Kernel kernel) override;
  void dropKernel(StringRef key) override {
    tables->forgetKernel(key);
    kernels.erase(key.str());
  }
  Error setProblem(const Problem &problem) override;
  Error load(size_t at, const protocol::Entered &entered, double best,
             llvm::function_ref<void()> beat) override;
  std::string remarkOn(size_t at) override { return candidates.at(at).remark; }
  std::optional<protocol::KernelFacts> factsOf(size_t at) override;
  Error launch(size_t at) override;
  llvm::Expected<double> check(size_t at, bool whole,
                               StringRef inject) override;
  llvm::Expected<std::vector<double>>
  timeBriefly(size_t at, double best, llvm::function_ref<void()> beat) override;
  llvm::Expected<std::vector<TimedRounds>>
  timeInTurns(llvm::ArrayRef<size_t> who, const Turns &turns,
              llvm::function_ref<void(size_t)> announce) override;
  void clear() override { candidates.clear(); }
  double clockMHz() override { return nvml ? nvml->clockMHz() : 0; }
  std::string heldBackBy() override { return nvml ? nvml->heldBackBy() : ""; }
  bool isLost() override {
    llvm::consumeError(device->synchronize());
    return device->isLost();
  }

private:
  struct Kernel {
    protocol::Kernel source;
    std::unique_ptr<MatmulKernel> loaded;
  };
  struct Candidate {
    Kernel *kernel = nullptr; ///< null for a rival
    Schedule schedule;        ///< set if there is a kernel
    /// The kernel with a plan without programmatic launch.
    std::unique_ptr<MatmulKernel> stripped;
    Contender launch;
    Part part = Part::whole;
    std::string remark;
  };
  llvm::Expected<Kernel *> loadedKernel(StringRef key);
  llvm::Expected<Candidate> ours(const protocol::Entered &entered);
  llvm::Expected<std::vector<TimedRounds>>
  timeOnHost(std::vector<Contender> contenders, const Turns &turns,
             const Announce &announce);
  const PlanAlternative *chosenOf(const Candidate &candidate) const;
  Error makeYardstick(const Candidate &candidate, double seconds);

  std::shared_ptr<Device> device;
  std::optional<Rivals> rivals;
  std::unique_ptr<Nvml> nvml;
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  Arch arch;
  std::map<std::string, Kernel> kernels;
  std::unique_ptr<GemmTables> tables;
  GemmTable *table = nullptr; ///< the problem's
  Warmth warmth;
  std::map<size_t, Candidate> candidates;
};
} // namespace

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

Error GpuBackend::open(int ordinal, int processors, std::string library) {
  if (honeSetDevice(ordinal) != HONE_OK)
    return llvm::createStringError(honeLastError());
  auto opened = GemmKit::open(ordinal, processors);
  if (!opened)
    return opened.takeError();
  device = (*opened)->device;
  if (Error error =
          Arch::lookupDevice(device->getCapability(), device->getName(),
                             device->getProcessors())
              .moveInto(arch))
    return error;
  rivals.emplace(*device, std::move(library));
  nvml = Nvml::open(device->getPciBusId());
  if (Error error = checkTheCheck(**opened))
    return error;
  return GemmTables::create(*context, arch, std::move(*opened))
      .moveInto(tables);
}

/// The driver's version, or if unknown its CUDA version.
protocol::Opened GpuBackend::describe() {
  int cuda = device->getDriverVersion();
  std::string driver = nvml ? nvml->driverVersion() : "";
  if (driver.empty())
    driver = formatv("CUDA {0}.{1}", cuda / 1000, cuda % 1000 / 10);
  return {device->getName().str(), arch.chip, driver, cuda};
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

Error GpuBackend::setProblem(const Problem &problem) {
  candidates.clear();
  rivals->forget();
  table = nullptr;
  return tables->get(problem).moveInto(table);
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

void GpuBackend::addKernel(protocol::Kernel kernel) {
  std::string key = kernel.key;
  kernels[key] = {std::move(kernel), nullptr};
}

llvm::Expected<GpuBackend::Kernel *> GpuBackend::loadedKernel(StringRef key) {
  auto found = kernels.find(key.str());
  if (found == kernels.end())
    return llvm::createStringError("expected a kernel, but got '" + key + "'");
  Kernel &kernel = found->second;
  if (kernel.loaded)
    return &kernel;
  auto compiled =
      compiledKernel(std::move(kernel.source.images), kernel.source.plan);
  if (!compiled)
    return compiled.takeError();
  if (Error error =
          MatmulKernel::create(std::move(*compiled)).moveInto(kernel.loaded))
    return std::move(error);
  return &kernel;
}

llvm::Expected<GpuBackend::Candidate>
GpuBackend::ours(const protocol::Entered &entered) {
  const Entrant &entrant = entered.entrant;
  Candidate candidate;
  auto kernel = loadedKernel(entered.key);
  if (!kernel)
    return kernel.takeError();
  candidate.kernel = *kernel;
  candidate.schedule = *entrant.schedule;
  MatmulKernel *loaded = (*kernel)->loaded.get();
  LaunchPlan plan = loaded->plan();
  if (!entrant.programmatic && plan.stripProgrammatic()) {
    candidate.stripped = loaded->sibling(std::move(plan));
    loaded = candidate.stripped.get();
  }
  auto launch = contenderOf(*loaded, *entrant.schedule, *table->data);
  if (!launch)
    return launch.takeError();
  candidate.launch = std::move(*launch);
  if (entrant.part != Part::separate)
    return candidate;
  if (Error error = table->data->withEpilogue(std::move(candidate.launch))
                        .moveInto(candidate.launch))
    return std::move(error);
  return candidate;
}

Error GpuBackend::load(size_t at, const protocol::Entered &entered, double best,
                       llvm::function_ref<void()> beat) {
  Candidate candidate;
  if (entered.entrant.schedule) {
    if (Error error = ours(entered).moveInto(candidate))
      return error;
  } else {
    auto made = rivals->get(entered.entrant, *table->data,
                            std::max(best, table->min), beat);
    if (!made)
      return made.takeError();
    candidate.launch = std::move(made->launch);
    candidate.remark = std::move(made->remark);
  }
  candidate.part = entered.entrant.part;
  candidates[at] = std::move(candidate);
  return Error::success();
}

/// The alternative of the plan that runs on the data.
const PlanAlternative *GpuBackend::chosenOf(const Candidate &candidate) const {
  auto ordered = candidate.kernel->loaded->order(
      table->data->arguments(/*set=*/0, candidate.schedule));
  if (!ordered)
    return llvm::consumeError(ordered.takeError()), nullptr;
  return chosenAlternative(candidate.kernel->loaded->plan(), *ordered);
}

std::optional<protocol::KernelFacts> GpuBackend::factsOf(size_t at) {
  std::optional<protocol::KernelFacts> facts;
  if (!candidates.at(at).kernel)
    return facts;
  const Kernel &kernel = *candidates.at(at).kernel;
  const PlanAlternative *chosen = chosenOf(candidates.at(at));
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
  // The default always competes: a ptxas fault makes it slow, not wrong.
  if (facts && !facts->fault.empty() &&
      toString(candidates.at(at).schedule) == table->fallback)
    candidates.at(at).remark = "ptxas: " + std::exchange(facts->fault, "");
  return facts;
}

Error GpuBackend::launch(size_t at) {
  if (Error error = candidates.at(at).launch(0))
    return error;
  return device->synchronize();
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

llvm::Expected<double> GpuBackend::check(size_t at, bool whole,
                                         StringRef inject) {
  const Candidate &candidate = candidates.at(at);
  if (inject != "wrong" && inject != "nan")
    return table->data->verify(candidate.launch, candidate.part, whole);
  return table->data->verify(
      candidate.launch, candidate.part, whole, [&](uint64_t c) {
        return spoil(*device, table->data->problem(), c, inject);
      });
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// Only a kernel without a workspace can be a yardstick: a recorded address
/// becomes invalid when another kernel needs a larger workspace.
Error GpuBackend::makeYardstick(const Candidate &candidate, double seconds) {
  if (!candidate.kernel)
    return Error::success();
  const PlanAlternative *chosen = chosenOf(candidate);
  if (!chosen || !chosen->workspaceBytes.empty())
    return Error::success();
  auto made = Yardstick::make(*device, candidate.launch, seconds);
  if (!made)
    return made.takeError();
  table->yardstick.emplace(std::move(*made));
  table->yardstickKey = candidate.kernel->source.key;
  return Error::success();
}

llvm::Expected<std::vector<double>>
GpuBackend::timeBriefly(size_t at, double best,
                        llvm::function_ref<void()> beat) {
  const Candidate &candidate = candidates.at(at);
  Yardstick *yardstick = table->yardstick ? &*table->yardstick : nullptr;
  auto turns = hone::timeBriefly(*device, candidate.launch, best, table->min,
                                 warmth, beat, yardstick);
  if (turns && !table->yardstick)
    if (Error error = makeYardstick(candidate, quantiles(*turns).median))
      return std::move(error);
  return turns;
}

/// The launches of a graph of some milliseconds: whole rounds over the sets. If
/// further rounds are allowed while the result is uncertain, turns are shorter.
static size_t launchesOf(const Turns &turns, size_t sets) {
  constexpr double kGraphSeconds = 4e-3, kShorter = 1.5e-3;
  constexpr size_t kMaxLaunches = 8192;
  bool mayGoOn = turns.maxRounds > turns.rounds;
  size_t wanted = std::min<size_t>(
      (mayGoOn ? kShorter : kGraphSeconds) / turns.about, kMaxLaunches);
  return llvm::alignTo(std::max<size_t>(wanted, sets), sets);
}

/// Repeatedly launches once and waits for the end.
llvm::Expected<std::vector<TimedRounds>>
GpuBackend::timeOnHost(std::vector<Contender> contenders, const Turns &turns,
                       const Announce &announce) {
  constexpr double kTurnSeconds = 2e-3, kPause = 1e-3;
  constexpr size_t kMinCalls = 5, kMaxCalls = 100, kServerCalls = 20;
  for (Contender &contender : contenders)
    contender = [this, launch = std::move(contender)](size_t set) -> Error {
      if (Error error = launch(set))
        return error;
      return device->synchronize();
    };
  bool isServer = turns.protocol == Protocol::wallServer;
  HostTiming timing;
  timing.rounds = turns.rounds;
  timing.pauseSeconds = isServer ? kPause : 0;
  timing.calls = std::clamp<size_t>(kTurnSeconds / turns.about, kMinCalls,
                                    isServer ? kServerCalls : kMaxCalls);
  return sampleOnHost(contenders, timing, announce);
}

llvm::Expected<std::vector<TimedRounds>>
GpuBackend::timeInTurns(llvm::ArrayRef<size_t> who, const Turns &turns,
                        llvm::function_ref<void(size_t)> announce) {
  std::vector<Contender> contenders;
  for (size_t at : who)
    contenders.push_back(candidates.at(at).launch);
  auto tell = [&](size_t i) { announce(who[i]); };
  if (turns.protocol != Protocol::device)
    return timeOnHost(std::move(contenders), turns, tell);
  GpuTiming timing;
  timing.sets = table->sets;
  timing.rounds = turns.rounds;
  timing.maxRounds = turns.maxRounds;
  timing.launches = launchesOf(turns, timing.sets);
  auto timed = sampleOnGpu(*device, contenders, timing, tell);
  if (turns.about >= kLongLaunch)
    warmth.add(Warmth::kEnough, Warmth::Clock::now());
  return timed;
}

llvm::Expected<std::unique_ptr<WorkerBackend>>
hone::openGpuBackend(int ordinal, int processors, std::string library) {
  auto backend = std::make_unique<GpuBackend>();
  if (Error error = backend->open(ordinal, processors, std::move(library)))
    return std::move(error);
  return backend;
}
