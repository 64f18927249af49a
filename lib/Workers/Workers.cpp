//===- Workers.cpp - Evaluator that uses processes ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A question waits for its kernels, then for a device. Both sides are event
// driven: one loop waits for every process at once.
//
//===----------------------------------------------------------------------===//

#include "WorkersImpl.h"
#include "hone/Matmul/ProblemModule.h"
#include "hone/Schedule/WholeKernel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

Error Workers::Impl::open() {
  // Faults may be planned for a device, too, which needs compiled kernels.
  if (!options.faults.planned.empty() &&
      !llvm::StringRef(options.devices.front()).starts_with("rehearsal"))
    options.faults.planned["compile"].insert(0);
  for (const std::string &name : options.devices) {
    devices.push_back(std::make_unique<DeviceWorker>(name, options, totals));
    if (Error error = devices.back()->open())
      return error;
    const protocol::Opened &facts = devices.back()->facts();
    if (facts.arch == devices.front()->facts().arch)
      continue;
    return llvm::createStringError(formatv(
        "expected devices of one arch, but got {0} and {1}; use one run each",
        devices.front()->facts().arch, facts.arch));
  }
  const protocol::Opened &facts = devices.front()->facts();
  llvm::Expected<Arch> found =
      Arch::lookup(options.arch.empty() ? facts.arch : options.arch);
  if (!found)
    return found.takeError();
  // A GPU that is in no table has its own name in its file only.
  if (Arch::isFile(options.arch) && found->chip != facts.arch &&
      found->device != facts.name)
    return llvm::createStringError(
        formatv("expected a machine file of {0}, the device, but got one of "
                "{1}; use 'hone machine' to make one",
                facts.arch, found->chip));
  arch = *found;
  toolchain = thisToolchain(facts.driver);
  pool.setTarget(arch, facts.cuda);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// A schedule is measured by itself, without a fallback kernel of another kind.
KernelRequest Workers::Impl::requestOf(const Problem &problem,
                                       const Schedule &schedule) const {
  KernelRequest request = KernelRequest::of(problem, schedule);
  request.fallback = false;
  std::optional<std::string> name = wholeKernelOf(schedule);
  if (name && options.kernelText)
    request.kernelText = options.kernelText(*name);
  return request;
}

MeasureRequest MeasureRequest::of(Question question) {
  MeasureRequest request;
  request.number = question.number;
  request.isFinal = question.isFinal();
  request.problem = std::move(question.problem);
  request.best = question.best;
  for (Schedule &schedule : question.schedules)
    request.entrants.emplace_back().schedule = std::move(schedule);
  return request;
}

/// Where a kernel cannot address the operands, its sibling would run instead.
std::optional<std::string>
Workers::Impl::refuses(const Problem &problem, const Schedule &schedule) const {
  if (auto law = check(schedule, &problem, &arch))
    return law;
  return checkMemory(schedule, problem);
}

void Workers::Impl::ask(MeasureRequest request) {
  Pending pending;
  size_t count = request.entrants.size();
  pending.keys.resize(count);
  pending.results.resize(count);
  pending.rounds.resize(count);
  pending.inject.resize(count);
  for (auto [i, entrant] : llvm::enumerate(request.entrants)) {
    if (!request.isFinal)
      pending.inject[i] =
          options.faults.at(++candidates, /*isCompilation=*/false);
    if (!entrant.schedule)
      continue;
    Problem problem = problemFor(entrant, request.problem);
    if (auto why = refuses(problem, *entrant.schedule)) {
      pending.results[i] = failed(Status::illegal, *why);
      continue;
    }
    pending.keys[i] = kernelKey(problem, *entrant.schedule, arch);
    pool.acquire(requestOf(problem, *entrant.schedule), pending.keys[i]);
  }
  pending.problem = request.problem.str();
  pending.question = std::move(request);
  questions.push_back(std::move(pending));
}

void Workers::Impl::askForKernels(Pending &pending) {
  pending.hasKernels = true;
  for (auto [i, key] : llvm::enumerate(pending.keys)) {
    if (key.empty() || pending.results[i])
      continue;
    KernelEntry &kernel = pool.entry(key);
    if (kernel.state == KernelEntry::State::failed)
      pending.results[i] = kernel.failure;
    pending.hasKernels &= kernel.state != KernelEntry::State::waiting;
    pending.seconds += std::exchange(kernel.seconds, 0);
  }
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

void Workers::Impl::collectAnswers() {
  for (auto pending = questions.begin(); pending != questions.end();) {
    if (pending->device || !pending->isAnswered()) {
      ++pending;
      continue;
    }
    Reply reply;
    reply.number = pending->question.number;
    for (auto &result : pending->results)
      reply.measurements.push_back(std::move(*result));
    if (pending->question.isFinal)
      reply.rounds = std::move(pending->rounds);
    reply.seconds = pending->seconds;
    for (const std::string &key : pending->keys)
      if (!key.empty())
        pool.release(key);
    replies.push_back(std::move(reply));
    pending = questions.erase(pending);
  }
}

Error Workers::Impl::turn() {
  if (Error error = pool.turn(compilersRest))
    return error;
  if (Error error = receiveDevices())
    return error;
  for (Pending &pending : questions)
    if (!pending.device)
      askForKernels(pending);
  handOut();
  collectAnswers();
  return Error::success();
}

llvm::Expected<std::optional<Reply>> Workers::Impl::next(double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr double kTick = 0.1;
  Clock::time_point start = Clock::now();
  while (true) {
    if (Error error = turn())
      return std::move(error);
    if (!replies.empty()) {
      Reply reply = std::move(replies.front());
      replies.pop_front();
      return std::optional<Reply>(std::move(reply));
    }
    double passed = std::chrono::duration<double>(Clock::now() - start).count();
    if (passed >= seconds)
      return std::nullopt;
    std::vector<WorkerProcess *> processes;
    pool.addTo(processes);
    for (auto &device : devices)
      processes.push_back(device->getProcess());
    WorkerProcess::waitForAny(processes, std::min(kTick, seconds - passed));
  }
}

//===----------------------------------------------------------------------===//
// The evaluator
//===----------------------------------------------------------------------===//

Workers::Workers(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Workers::~Workers() = default;

llvm::Expected<std::unique_ptr<Workers>> Workers::start(WorkerOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  if (Error error = impl->open())
    return std::move(error);
  return std::unique_ptr<Workers>(new Workers(std::move(impl)));
}

void Workers::ask(MeasureRequest request) { impl->ask(std::move(request)); }

Error Workers::prepare(llvm::ArrayRef<std::pair<Problem, Schedule>> kernels,
                       llvm::function_ref<void()> report) {
  std::vector<std::string> keys;
  for (const auto &[problem, schedule] : kernels) {
    keys.push_back(kernelKey(problem, schedule, impl->arch));
    impl->pool.acquire(impl->requestOf(problem, schedule), keys.back());
  }
  Error error = impl->pool.finish(report);
  for (const std::string &key : keys)
    impl->pool.release(key);
  return error;
}

const protocol::Kernel *Workers::kernelOf(const Problem &problem,
                                          const Schedule &schedule) const {
  const KernelEntry *entry =
      impl->pool.find(kernelKey(problem, schedule, impl->arch));
  bool isReady = entry && entry->state == KernelEntry::State::ready;
  return isReady ? &entry->kernel : nullptr;
}

const protocol::Opened &Workers::device() const {
  return impl->devices.front()->facts();
}

llvm::Expected<std::optional<Reply>> Workers::next(double seconds) {
  return impl->next(seconds);
}

/// Two kernels per compiler, and some candidates per device.
size_t Workers::maxInFlight() const {
  return 2 * impl->pool.jobs() + 4 * impl->devices.size();
}

int64_t Workers::policyThreads() const {
  constexpr int64_t kJobsOfPolicyThread = 4;
  if (impl->arch.isHost() || !impl->options.faults.planned.empty())
    return 0;
  return llvm::divideCeilSigned(int64_t(impl->pool.jobs()),
                                kJobsOfPolicyThread);
}

const Arch &Workers::arch() const { return impl->arch; }
Toolchain Workers::toolchain() const { return impl->toolchain; }
const WorkerTotals &Workers::totals() const { return impl->totals; }

std::string Workers::describe() const {
  std::vector<std::string> names;
  for (const auto &device : impl->devices)
    names.push_back(
        formatv("{0}: {1}", device->getName(), device->facts().name));
  return llvm::join(names, ", ");
}
