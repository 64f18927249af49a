//===- WorkerMeasure.cpp - Measurement protocol of a worker ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All backends (WorkerBackend.h) follow this protocol: each entrant is
// announced before it is used and checked before it is timed. An impossible
// time is rejected.
//
//===----------------------------------------------------------------------===//

#include "WorkerBackend.h"
#include "WorkerChannel.h"
#include "hone/Numerics/Statistics.h"
#include "hone/Schedule/Roofline.h"
#include "hone/Workers/Serve.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

namespace {
class Measurer {
public:
  Measurer(WorkerChannel &channel, WorkerBackend &backend, Arch arch,
           bool isRehearsal)
      : channel(channel), backend(backend), arch(std::move(arch)),
        isRehearsal(isRehearsal) {}
  llvm::Expected<protocol::Measured> measure(const protocol::Measure &job);

private:
  Error begin(const protocol::Measure &job);
  void announce(size_t at);
  void beat();
  Measurement makeReady(size_t at);
  Measurement checked(size_t at, bool whole);
  Measurement trial(size_t at);
  Error finals(protocol::Measured &answer);
  llvm::Expected<double> yardstick(size_t at);
  void judgeAgain(protocol::Measured &answer, llvm::ArrayRef<size_t> who);
  Measurement failedBy(Status status, Error error);
  /// Returns the result of `work`; adds its duration to `seconds`.
  template <typename WorkT>
  auto during(double protocol::Spent::*seconds, WorkT work) {
    auto start = std::chrono::steady_clock::now();
    auto answer = work();
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    spent.*seconds += passed.count();
    return answer;
  }
  StringRef injected(size_t at) const {
    return isRehearsal ? StringRef(job->entrants[at].inject) : StringRef();
  }

  WorkerChannel &channel;
  WorkerBackend &backend;
  Arch arch;
  bool isRehearsal;
  const protocol::Measure *job = nullptr;
  std::optional<Problem> atHand; ///< whose data the backend has
  protocol::Spent spent;         ///< time spent on the question
};
} // namespace

void Measurer::announce(size_t at) {
  protocol::Began began;
  began.number = job->number;
  began.which = int64_t(at);
  channel.send(protocol::toJson(began));
}

void Measurer::beat() {
  channel.send(protocol::toJson(protocol::Beat{job->number}));
}

/// If the context is lost, the status is a fault, not a wrong result.
Measurement Measurer::failedBy(Status status, Error error) {
  return failed(backend.isLost() ? Status::fault : status,
                llvm::toString(std::move(error)));
}

//===----------------------------------------------------------------------===//
// One entrant
//===----------------------------------------------------------------------===//

Measurement Measurer::makeReady(size_t at) {
  announce(at);
  StringRef plan = injected(at);
  breakDown(plan);
  if (plan == "garbage")
    channel.sendGarbage();
  while (plan == "beat")
    beat();
  if (Error error =
          backend.load(at, job->entrants[at], job->best, [&] { beat(); }))
    return failedBy(Status::compileError, std::move(error));
  Measurement measurement;
  std::optional<protocol::KernelFacts> facts = backend.factsOf(at);
  measurement.reason = backend.remarkOn(at);
  if (facts) {
    measurement.registers = facts->registers;
    measurement.spillBytes = facts->spillBytes;
    if (!facts->fault.empty()) {
      measurement.status = Status::compileError;
      measurement.reason = "ptxas: " + facts->fault;
      return measurement;
    }
  }
  if (plan == "error")
    return failed(Status::fault, "launch: a rehearsed error");
  if (Error error = backend.launch(at))
    return failedBy(Status::fault, std::move(error));
  return measurement;
}

Measurement Measurer::checked(size_t at, bool whole) {
  return during(&protocol::Spent::checking, [&] {
    Measurement measurement = makeReady(at);
    if (measurement.isOk())
      if (Error error = backend.check(at, whole, injected(at))
                            .moveInto(measurement.error))
        return failedBy(Status::wrong, std::move(error));
    return measurement;
  });
}

Measurement Measurer::trial(size_t at) {
  Measurement measurement = checked(at, /*whole=*/false);
  if (!measurement.isOk())
    return measurement;
  auto turns = during(&protocol::Spent::timing, [&] {
    return backend.timeBriefly(at, job->best, [&] { beat(); });
  });
  if (!turns)
    return failedBy(Status::fault, turns.takeError());
  if (injected(at) == "fast")
    for (double &seconds : *turns)
      seconds *= 1e-6;
  measurement.times = quantiles(*turns);
  measurement.clockMHz = backend.clockMHz();
  double tflops = *job->problem.flops() / measurement.times.median * 1e-12;
  if (double peak = peakTflops(job->problem, arch); peak > 0 && tflops > peak)
    return failed(Status::wrong,
                  formatv("expected at most {0:F0} TFLOP/s, but got {1:F0}; "
                          "the measurement is at fault",
                          peak, tflops));
  return measurement;
}

//===----------------------------------------------------------------------===//
// Several, in turns
//===----------------------------------------------------------------------===//

/// A short time of one entrant, to detect a drifting clock.
llvm::Expected<double> Measurer::yardstick(size_t at) {
  auto turns = backend.timeBriefly(at, 0, [&] { beat(); });
  if (!turns)
    return turns.takeError();
  return quantiles(*turns).median;
}

/// Checks the results again after timing.
void Measurer::judgeAgain(protocol::Measured &answer,
                          llvm::ArrayRef<size_t> who) {
  for (size_t at : who) {
    announce(at);
    if (Error error = backend.check(at, /*whole=*/false, "").takeError())
      answer.results[at] =
          failedBy(Status::wrong,
                   llvm::createStringError("after it was timed: " +
                                           llvm::toString(std::move(error))));
  }
}

Error Measurer::finals(protocol::Measured &answer) {
  constexpr double kCheapFlops = 1e10;
  bool whole = *job->problem.flops() <= kCheapFlops;
  std::vector<size_t> who;
  for (size_t at = 0; at < job->entrants.size(); ++at) {
    answer.results[at] = checked(at, whole);
    if (answer.results[at].isOk())
      who.push_back(at);
    else if (backend.isLost())
      return Error::success();
  }
  answer.rounds.resize(job->entrants.size());
  if (who.empty())
    return Error::success();
  announce(who.front());
  auto before = yardstick(who.front());
  if (!before)
    return before.takeError();
  Turns turns = {size_t(job->rounds), size_t(job->maxRounds), job->protocol,
                 *before};
  auto timed = during(&protocol::Spent::finals, [&] {
    return backend.timeInTurns(who, turns, [&](size_t at) { announce(at); });
  });
  if (!timed)
    return timed.takeError();
  auto after = yardstick(who.front());
  if (!after)
    return after.takeError();
  answer.drift = *after / *before - 1;
  answer.heldBack = backend.heldBackBy();
  double clock = backend.clockMHz();
  for (auto [seconds, at] : llvm::zip_equal(*timed, who)) {
    Measurement &result = answer.results[at];
    result.times = quantiles(seconds.samples);
    result.grade = Grade::finalist;
    result.clockMHz = clock;
    answer.rounds[at] = std::move(seconds.rounds);
  }
  judgeAgain(answer, who);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

Error Measurer::begin(const protocol::Measure &question) {
  job = &question;
  if (question.entrants.empty())
    return llvm::createStringError("expected entrants to measure, but got "
                                   "none");
  constexpr int64_t kMaxRounds = 1 << 20;
  for (int64_t rounds : {question.rounds, question.maxRounds})
    if (rounds < 0 || rounds > kMaxRounds)
      return llvm::createStringError(
          formatv("expected 0 to {0} rounds, but got {1}", kMaxRounds, rounds));
  backend.clear();
  const Problem &problem = question.problem;
  if (atHand && *atHand == problem)
    return Error::success();
  atHand.reset();
  if (!problem.isStatic() || *problem.flops() <= 0)
    return llvm::createStringError(
        "expected a problem with extents above 0, but got " + problem.str());
  if (Error error = during(&protocol::Spent::laying,
                           [&] { return backend.setProblem(problem); }))
    return error;
  atHand = problem;
  return Error::success();
}

llvm::Expected<protocol::Measured>
Measurer::measure(const protocol::Measure &question) {
  auto start = std::chrono::steady_clock::now();
  protocol::Measured answer;
  answer.number = question.number;
  answer.results.resize(question.entrants.size());
  spent = {};
  if (Error error = begin(question)) {
    std::string why = llvm::toString(std::move(error));
    for (Measurement &result : answer.results)
      result = failed(Status::fault, why);
    answer.rounds.resize(question.rounds ? question.entrants.size() : 0);
  } else if (question.rounds > 0) {
    if (Error failure = finals(answer))
      return std::move(failure);
  } else {
    for (size_t at = 0; at < question.entrants.size() && !backend.isLost();
         ++at)
      answer.results[at] = trial(at);
  }
  std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - start;
  answer.seconds = passed.count();
  answer.spent = spent;
  return answer;
}

//===----------------------------------------------------------------------===//
// The role
//===----------------------------------------------------------------------===//

/// Opens "0", "0/64" for so many of its processors, "host", "rehearsal:h200"
/// (or any other name of an arch), or "rehearsal:h200:exact" without noise.
llvm::Expected<std::unique_ptr<WorkerBackend>>
hone::openBackend(const protocol::Open &open) {
  constexpr double kNoise = 0.01;
  StringRef device = open.device;
  if (device == "host")
    return openHostBackend();
  if (device.consume_front("rehearsal:")) {
    bool isExact = device.consume_back(":exact");
    return openRehearsalBackend(device, isExact ? 0 : kNoise);
  }
  auto [number, share] = device.split('/');
  int ordinal, processors = 0;
  bool isPart = number.size() < device.size();
  if (number.getAsInteger(10, ordinal) || ordinal < 0 ||
      (isPart && (share.getAsInteger(10, processors) || processors < 1)))
    return llvm::createStringError(
        formatv("expected a device, but got '{0}'; use the number of a GPU, "
                "NUMBER/PROCESSORS for a part of it, or host",
                device));
  return openGpuBackend(ordinal, processors, open.library);
}

/// Reads the name of the device and opens it. Returns null after a reported
/// failure.
static std::unique_ptr<WorkerBackend> openAsTold(WorkerChannel &channel) {
  auto message = channel.receive();
  if (!message || !*message) {
    llvm::consumeError(message.takeError());
    return nullptr;
  }
  auto open = protocol::read<protocol::Open>(**message);
  auto backend = open ? openBackend(*open) : open.takeError();
  if (!backend) {
    channel.send(protocol::toJson(
        protocol::Refused{llvm::toString(backend.takeError())}));
    return nullptr;
  }
  channel.send(protocol::toJson((*backend)->describe()));
  return std::move(*backend);
}

/// Prints the error, which the tuner shows as the worker's last line.
static int complain(Error error) {
  llvm::errs() << llvm::toString(std::move(error)) << "\n";
  return 1;
}

/// Handles one message. An error ends the worker.
static Error answer(WorkerChannel &channel, WorkerBackend &backend,
                    Measurer &measurer, const llvm::json::Value &message) {
  StringRef kind = protocol::kindOf(message);
  if (kind == protocol::Kernel::kind) {
    auto kernel = protocol::read<protocol::Kernel>(message);
    if (!kernel)
      return kernel.takeError();
    backend.addKernel(std::move(*kernel));
    return Error::success();
  }
  if (kind == protocol::Drop::kind) {
    auto drop = protocol::read<protocol::Drop>(message);
    if (!drop)
      return drop.takeError();
    backend.dropKernel(drop->key);
    return Error::success();
  }
  auto job = protocol::read<protocol::Measure>(message);
  if (!job)
    return job.takeError();
  auto measured = measurer.measure(*job);
  if (!measured)
    return measured.takeError();
  channel.send(protocol::toJson(*measured));
  return Error::success();
}

int hone::serveDevice(bool isRehearsal) {
  WorkerChannel channel;
  std::unique_ptr<WorkerBackend> backend = openAsTold(channel);
  if (!backend)
    return 1;
  llvm::Expected<Arch> arch = Arch::lookup(backend->describe().arch);
  if (!arch)
    return complain(arch.takeError());
  Measurer measurer(channel, *backend, *arch, isRehearsal);
  while (true) {
    auto message = channel.receive();
    if (!message)
      return complain(message.takeError());
    if (!*message)
      return 0;
    if (Error error = answer(channel, *backend, measurer, **message))
      return complain(std::move(error));
    // After a fault inside a kernel every call fails, so a new process must
    // continue.
    if (backend->isLost())
      return complain(llvm::createStringError("the GPU's context is lost"));
  }
}
