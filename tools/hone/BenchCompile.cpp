//===- BenchCompile.cpp - Kernels, before anything is timed ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule can crash the compiler, or make it give up in a way that ends the
// process. So every core has a child that compiles one kernel after the other,
// and when a child ends early, only the kernel it was at is lost.
//
//===----------------------------------------------------------------------===//

#include "BenchPlan.h"
#include "ChildProcess.h"
#include "Table.h"
#include "hone/Device/Device.h"
#include "hone/Simulate/VerdictCache.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Threading.h"
#include <atomic>
#include <csignal>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

namespace {
/// What the children share: the next kernel that nobody has taken.
struct Queue {
  std::atomic<size_t> next{0};
};

class Compilers {
public:
  Compilers(BenchPlan &plan, Queue &queue)
      : plan(plan), queue(queue), progress(plan.kernels.size()) {}
  Error run();

private:
  Error start();
  /// Compiles what is in the queue, in a child.
  int work(int pipe);
  void hear(size_t which, StringRef line);

  BenchPlan &plan;
  Queue &queue;
  Progress progress;
  std::vector<ChildProcess> children;
  std::vector<std::optional<size_t>> begun; ///< by child: the kernel it is at
};
} // namespace

int Compilers::work(int pipe) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  context->disableMultithreading();
  simulate::VerdictCache verdicts;
  for (size_t at = queue.next++; at < plan.kernels.size(); at = queue.next++) {
    say(pipe, 'B', std::to_string(at));
    if (plan.rehearsal && plan.rehearsal->crashes.count(at + 1))
      raise(SIGSEGV);
    auto kernel = compileMatmul(*context, plan.kernels[at].request,
                                plan.arch.name, &verdicts);
    if (kernel)
      say(pipe, 'K',
          llvm::encodeBase64(kernel->planText) + " " +
              llvm::join(llvm::map_range(kernel->images,
                                         [](const std::string &image) {
                                           return llvm::encodeBase64(image);
                                         }),
                         " "));
    else
      say(pipe, 'F', llvm::toString(kernel.takeError()));
  }
  return 0;
}

Error Compilers::start() {
  auto child = ChildProcess::start([&](int pipe) { return work(pipe); });
  if (!child)
    return child.takeError();
  children.push_back(std::move(*child));
  begun.emplace_back();
  return Error::success();
}

static std::string decoded(StringRef text) {
  std::vector<char> bytes;
  if (Error error = llvm::decodeBase64(text, bytes))
    llvm::consumeError(std::move(error)); // parsing what came will fail
  return std::string(bytes.begin(), bytes.end());
}

void Compilers::hear(size_t which, StringRef line) {
  StringRef text = line.drop_front();
  if (line.front() == 'B') {
    size_t at = 0;
    text.getAsInteger(10, at);
    begun[which] = at;
    return;
  }
  BenchKernel &kernel = plan.kernels[*begun[which]];
  begun[which].reset();
  progress.step("compiling kernels");
  if (line.front() == 'F') {
    kernel.failure = text.str();
    return;
  }
  auto [planText, images] = text.split(' ');
  kernel.compiled.planText = decoded(planText);
  for (StringRef image : llvm::split(images, ' '))
    kernel.compiled.images.push_back(decoded(image));
  kernel.failure =
      LaunchPlan::parse(kernel.compiled.planText.c_str(), kernel.compiled.plan);
}

Error Compilers::run() {
  size_t count = std::min<size_t>(
      plan.kernels.size(), llvm::hardware_concurrency().compute_thread_count());
  for (size_t i = 0; i < count; ++i)
    if (Error error = start())
      return error;
  std::string text;
  while (!children.empty()) {
    ChildProcess::waitForAny(children);
    for (size_t i = 0; i < children.size(); ++i) {
      ChildProcess::Event event;
      while ((event = children[i].next(text, 0)) == ChildProcess::line)
        hear(i, text);
      if (event == ChildProcess::silence)
        continue;
      std::string why = children[i].wait();
      if (begun[i])
        plan.kernels[*begun[i]].failure = "the compiler ended: " + why;
      children.erase(children.begin() + i);
      begun.erase(begun.begin() + i);
      if (!why.empty())
        if (Error error = start())
          return error;
      break;
    }
  }
  return Error::success();
}

Error hone::compileKernels(BenchPlan &plan) {
  auto memory = SharedMemory::allocate(sizeof(Queue));
  if (!memory)
    return memory.takeError();
  Queue *queue = new (memory->get()) Queue();
  return Compilers(plan, *queue).run();
}

//===----------------------------------------------------------------------===//
// The driver's part
//===----------------------------------------------------------------------===//

/// Loads what is in the queue and throws it away. What fails here fails again
/// where it is launched, and is reported there.
static int translate(const BenchPlan &plan, Queue &queue, int pipe) {
  auto device = Device::open();
  if (!device) {
    llvm::consumeError(device.takeError());
    return 1;
  }
  for (size_t at = queue.next++; at < plan.kernels.size(); at = queue.next++) {
    const CompiledKernel &kernel = plan.kernels[at].compiled;
    for (const std::string &image : kernel.images)
      llvm::consumeError((*device)->load(image));
    for (const PlanAlternative &alternative : kernel.plan.alternatives)
      for (const KernelLaunch &launch : alternative.launches)
        llvm::consumeError((*device)->findKernel(launch.entry).takeError());
    say(pipe, 'L', std::to_string(at));
  }
  return 0;
}

Error hone::warmDriverCache(const BenchPlan &plan) {
  // A process takes a second to open the GPU; a kernel takes a quarter of one.
  constexpr size_t kWorthwhile = 16;
  if (plan.kernels.size() < kWorthwhile)
    return Error::success();
  auto memory = SharedMemory::allocate(sizeof(Queue));
  if (!memory)
    return memory.takeError();
  Queue *queue = new (memory->get()) Queue();
  std::vector<ChildProcess> children;
  for (int i = llvm::hardware_concurrency().compute_thread_count(); i > 0;
       --i) {
    auto child = ChildProcess::start(
        [&](int pipe) { return translate(plan, *queue, pipe); });
    if (!child)
      return child.takeError();
    children.push_back(std::move(*child));
  }
  Progress progress(plan.kernels.size());
  std::string text;
  while (!children.empty()) {
    ChildProcess::waitForAny(children);
    llvm::erase_if(children, [&](ChildProcess &child) {
      ChildProcess::Event event;
      while ((event = child.next(text, 0)) == ChildProcess::line)
        progress.step("loading kernels");
      return event == ChildProcess::end;
    });
  }
  return Error::success();
}
