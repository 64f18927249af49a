//===- WorkerHost.cpp - Measurement on this CPU ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels arrive as object files and are linked here. Times are CPU time of the
// thread, which excludes other threads on the core; compilers rest meanwhile
// (lib/Tuner/Workers.cpp).
//
//===----------------------------------------------------------------------===//

#include "WorkerBackend.h"
#include "hone/Driver/Compile.h"
#include "hone/Jit/Object.h"
#include "hone/Matmul/HostProduct.h"
#include "hone/Matmul/ProblemModule.h"
#include "hone/Measure/Timing.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <map>

using namespace hone;
using llvm::Error;
using llvm::StringRef;

namespace {
/// A kernel, linked on its first use: most arrive twice, as trials and as
/// finalists.
struct HostKernel {
  using Function = void (*)(void *a, void *b, void *c);
  std::string bytes;
  std::unique_ptr<LinkedObject> linked;
  Function function = nullptr;

  Error link();
};

class HostBackend : public WorkerBackend {
public:
  explicit HostBackend(const Arch &arch) : arch(arch) {}

  protocol::Opened describe() override {
    return {arch.isa, "host", arch.isa, /*cuda=*/0};
  }
  void addKernel(protocol::Kernel kernel) override;
  void dropKernel(StringRef key) override { kernels.erase(key); }
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
  llvm::Expected<double> check(size_t at, bool whole,
                               StringRef inject) override;
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
  llvm::StringMap<HostKernel> kernels;
  std::map<size_t, HostKernel *> candidates;
};
} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Error HostKernel::link() {
  auto object = LinkedObject::create(bytes);
  if (!object)
    return object.takeError();
  auto address = (*object)->lookup("matmul");
  if (!address)
    return address.takeError();
  linked = std::move(*object);
  bytes.clear();
  function = reinterpret_cast<Function>(*address);
  return Error::success();
}

void HostBackend::addKernel(protocol::Kernel kernel) {
  HostKernel &to = kernels[kernel.key];
  to = {};
  if (!kernel.images.empty())
    to.bytes = std::move(kernel.images.front());
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

Error HostBackend::load(size_t at, const protocol::Entered &entered, double,
                        llvm::function_ref<void()>) {
  const Entrant &who = entered.entrant;
  if (!who.schedule || who.part != Part::whole)
    return llvm::createStringError(
        "expected a schedule for the host, but got " + toString(who));
  auto kernel = kernels.find(entered.key);
  if (kernel == kernels.end())
    return llvm::createStringError("expected a kernel that was sent, but got " +
                                   entered.key);
  if (!kernel->second.function)
    if (Error error = kernel->second.link())
      return error;
  candidates[at] = &kernel->second;
  return Error::success();
}

void HostBackend::run(size_t at) { product.run(candidates.at(at)->function); }

llvm::Expected<double> HostBackend::check(size_t at, bool whole,
                                          StringRef inject) {
  product.poison();
  run(at);
  if (!inject.empty())
    product.plant(inject);
  return product.check(whole);
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// Seconds of a call, averaged over calls of about `atLeast` seconds together.
double HostBackend::timeOnce(size_t at, double about, double atLeast) {
  int64_t calls = std::clamp<int64_t>(atLeast / about, 1, 100000);
  double start = threadSeconds();
  for (int64_t i = 0; i < calls; ++i)
    run(at);
  return (threadSeconds() - start) / calls;
}

llvm::Expected<std::vector<double>>
HostBackend::timeBriefly(size_t at, double best,
                         llvm::function_ref<void()> beat) {
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
HostBackend::timeInTurns(llvm::ArrayRef<size_t> who, const Turns &turns,
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

llvm::Expected<std::unique_ptr<WorkerBackend>> hone::openHostBackend() {
  llvm::Expected<Arch> arch = Arch::lookup("host");
  if (!arch)
    return arch.takeError();
  return std::make_unique<HostBackend>(*arch);
}
