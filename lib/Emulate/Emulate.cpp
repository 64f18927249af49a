//===- Emulate.cpp - Emulation of a whole GPU program on the CPU ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches: from a plan's text and arguments to work in the stream.
//
//===----------------------------------------------------------------------===//

#include "hone/Emulate/Emulate.h"
#include "State.h"
#include "dialects/Kernel/Kernel.h"
#include "hone-c/Runtime.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace mlir;
using namespace hone;
using namespace hone::emulate;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

llvm::Error Emulation::recordLaunches(ModuleOp module) {
  return state->records.add(module);
}

void Emulation::addKernels(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = ModuleOp::create(module.getLoc());
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    copy->push_back(gpuModule.clone());
  copy->walk([&](gpu::GPUFuncOp kernel) {
    state->kernels[kernel.getName()] = kernel;
  });
  state->modules.push_back(std::move(copy));
}

static bool isRest(gpu::GPUFuncOp kernel) {
  return kernel->hasAttr(kernel::kRestAttr);
}

llvm::Error Emulation::addCode(ModuleOp lowered) {
  llvm::StringSet<> names;
  for (const auto &kernel : state->kernels)
    if (isRest(kernel.getValue()))
      names.insert(kernel.getKey());
  return state->rest.add(lowered, names);
}

void Emulation::addImages(ModuleOp emitted) {
  constexpr StringLiteral kEntry = ".entry ";
  for (auto binary : emitted.getOps<gpu::BinaryOp>())
    for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
      StringRef text = object.getObject().getValue();
      while (!(text = text.substr(text.find(kEntry))).empty()) {
        text = text.drop_front(kEntry.size());
        state->entries.insert(text.take_until(
            [](char letter) { return letter == '(' || isspace(letter); }));
      }
    }
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

WorkOrder WorkOrder::number(int64_t index, uint64_t seed) {
  if (index == 0)
    return {late, seed};
  return {index == 1 ? early : drawn, seed + uint64_t(index)};
}

/// A device, or the part of it that a context has, may hold few clusters.
void Emulation::setOrder(WorkOrder order) {
  state->device.setOrder(order);
  state->resident =
      order.kind == WorkOrder::late ? 0 : 3 + int64_t(order.seed % 5);
}
void *Emulation::allocate(size_t bytes, bool isShared) {
  return state->device.allocate(bytes, isShared ? Device::Side::both
                                                : Device::Side::device);
}
void *Emulation::allocateOnHost(size_t bytes) {
  return state->device.allocate(bytes, Device::Side::host);
}
void Emulation::release(void *pointer) { state->device.release(pointer); }
void Emulation::copy(void *to, const void *from, size_t bytes) {
  state->device.copy(to, from, bytes);
}
EmulationCounts Emulation::counts() const { return state->counts; }
int64_t Emulation::calls() const { return state->calls; }
void Emulation::failCall(int64_t number) {
  state->failing = number < 0 ? -1 : state->calls + number;
}

llvm::Error Emulation::finish() {
  if (!state->hasEnded)
    state->closeRecord();
  state->pending.reset();
  state->endRun();
  state->device.synchronize();
  std::vector<std::string> findings = state->device.takeFindings();
  if (findings.empty())
    return llvm::Error::success();
  constexpr size_t kMaxTold = 4;
  std::string text = findings.front();
  for (size_t i = 1; i < std::min(findings.size(), kMaxTold); ++i)
    text += "; " + findings[i];
  if (findings.size() > kMaxTold)
    text += formatv("; and {0} more", findings.size() - kMaxTold);
  return llvm::createStringError(text);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

bool Emulation::State::skips() {
  if (hasEnded)
    return true;
  if (hasFailed)
    device.complain(formatv(
        "the program continues after a call of the runtime that returned {0}",
        lastStatus));
  hasFailed = false;
  if (calls++ != failing)
    return false;
  noteFailure(HONE_CUDA_ERROR);
  return true;
}

int32_t Emulation::State::skippedStatus() const {
  return hasEnded ? HONE_OK : HONE_CUDA_ERROR;
}

void Emulation::State::noteFailure(int32_t status) {
  ++failures;
  pending.reset();
  lastStatus = status;
  hasFailed = true;
}

void Emulation::State::require(int32_t status) {
  asksStatus = true;
  hasEnded |= status != HONE_OK;
}

void Emulation::State::endRun() {
  // A program that returns a status leaves its handling to the caller.
  if (hasFailed && asksStatus && !hasEnded)
    device.complain("the program drops the status of its last call");
  hasFailed = hasEnded = asksStatus = false;
}

void Emulation::State::closeRecord() {
  if (pending && pending->launched != pending->launchesWanted())
    device.complain(formatv("expected {0} launches for {1}, but got {2}",
                            pending->launchesWanted(), pending->record->place,
                            pending->launched));
  pending.reset();
}

void Emulation::State::record(int64_t number, ArrayRef<int64_t> words) {
  if (hasEnded)
    return;
  closeRecord();
  pending = records.read(number, words);
}

int32_t Emulation::State::launch(StringRef plan, ArrayRef<int64_t> arguments) {
  ++counts.launches;
  llvm::Error error = tryLaunch(plan, arguments);
  if (!error)
    return HONE_OK;
  device.complain("a launch fails: " + llvm::toString(std::move(error)));
  noteFailure(HONE_BAD_PLAN);
  return HONE_BAD_PLAN;
}

llvm::Expected<LaunchCall>
Emulation::State::understand(StringRef text, ArrayRef<int64_t> arguments) {
  LaunchCall launch;
  std::shared_ptr<const LaunchPlan> &known = plans[text];
  if (!known) {
    auto plan = std::make_shared<LaunchPlan>();
    std::string why = LaunchPlan::parse(text.str().c_str(), *plan);
    if (!why.empty())
      return llvm::createStringError("launch plan, " + why);
    known = std::move(plan);
  }
  launch.plan = known;
  auto call = PlanCall::create(*known, arguments);
  if (!call)
    return call.takeError();
  launch.call = std::move(*call);
  auto bytes = launch.call.workspaceBytes();
  if (!bytes)
    return bytes.takeError();
  launch.workspaceBytes = *bytes;
  for (const KernelLaunch &planned : launch.call.alternative().launches) {
    gpu::GPUFuncOp kernel = kernels.lookup(planned.entry);
    if (!kernel || !entries.contains(planned.entry))
      return llvm::createStringError(formatv(
          "expected a kernel of the program, but got '{0}'", planned.entry));
    launch.kernels.push_back(kernel);
  }
  return launch;
}

llvm::Error Emulation::State::tryLaunch(StringRef plan,
                                        ArrayRef<int64_t> arguments) {
  auto launch = understand(plan, arguments);
  if (!launch)
    return launch.takeError();
  bool ofRest = isRest(launch->kernels.front());
  if (!pending || pending->record->reference.has_value() == ofRest)
    return llvm::createStringError(
        formatv("expected a launch of the op that comes next in the program, "
                "but got one of '{0}'",
                launch->entry()));
  launch->record = *pending;
  ++pending->launched;
  if (pending->launched > pending->launchesWanted())
    return llvm::createStringError(
        formatv("expected {0} launches for {1}, but got more",
                pending->launchesWanted(), pending->record->place));
  return ofRest ? launchRest(std::move(*launch))
                : launchProduct(std::move(*launch));
}

/// Checks that every operand is in memory of the device, and records the
/// accesses of the product.
bool Emulation::State::isInMemory(const LaunchCall &launch) {
  for (auto [known, operand] : llvm::zip_equal(launch.record.record->operands,
                                               launch.record.operands)) {
    int64_t bytes = operand.bytes(known.elementBytes);
    if (bytes == 0)
      continue;
    auto *pointer = reinterpret_cast<void *>(operand.address);
    device.touch(pointer, known.name == "c");
    std::string fault = device.faultOfKernel(pointer, bytes);
    if (fault.empty())
      continue;
    device.complain(formatv("operand '{0}' of the launch for {1} is {2}",
                            known.name, launch.record.record->place, fault));
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Checks that a workspace that starts with zeros ends with zeros.
void Emulation::State::withWorkspace(
    const LaunchCall &launch, llvm::function_ref<void(int64_t address)> body) {
  int64_t bytes = launch.workspaceBytes;
  if (bytes == 0)
    return body(0);
  void *workspace = device.allocate(bytes, Device::Side::device);
  int64_t cleared = launch.call.alternative().workspaceZeroed
                        ? std::min<int64_t>(bytes, LaunchPlan::clearedBytes)
                        : 0;
  std::memset(workspace, 0, cleared);
  body(reinterpret_cast<int64_t>(workspace));
  auto *start = static_cast<const char *>(workspace);
  if (std::any_of(start, start + cleared, [](char byte) { return byte; }))
    device.complain(formatv("the launch for {0} leaves the start of its "
                            "workspace changed",
                            launch.record.record->place));
  device.release(workspace);
}

static int64_t macsOf(const simulate::Execution &run) {
  int64_t macs = 1;
  for (auto [letter, extent] : run.extents)
    if (llvm::StringRef("bhmnk").contains(letter))
      macs *= extent;
  return macs;
}

void Emulation::State::runProduct(const LaunchCall &launch,
                                  simulate::Execution run) {
  if (!isInMemory(launch))
    return;
  if (macsOf(run) > options.maxMacs) {
    ++counts.computed;
    return simulate::computeProduct(run);
  }
  counts.products += int64_t(launch.kernels.size());
  withWorkspace(launch, [&](int64_t address) {
    run.workspace = address;
    auto verdict = simulate::execute(run);
    if (!verdict)
      return device.complain(llvm::toString(verdict.takeError()));
    for (const simulate::Finding &finding : verdict->findings)
      device.complain(formatv(
          "the kernel '{0}' of the launch for {1}, "
          "'{2}' {3} [{4}; {5}]",
          launch.entry(), launch.record.record->place, finding.at.op,
          finding.text, simulate::toString(finding.fault), finding.at.str()));
  });
}

llvm::Error Emulation::State::launchProduct(LaunchCall launch) {
  simulate::Execution run = executionOf(launch, resident);
  std::vector<std::string> wrong = differences(launch, run);
  for (std::string &difference : wrong)
    device.complain(std::move(difference));
  if (!wrong.empty())
    return llvm::Error::success();
  device.enqueue([this, launch = std::move(launch), run = std::move(run)] {
    runProduct(launch, run);
  });
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

/// The value of a parameter, in the kernel's form.
static llvm::Expected<int64_t> wordOf(const LaunchCall &launch,
                                      const LaunchParam &param) {
  if (param.kind == LaunchParam::tensorMap)
    return llvm::createStringError(
        "expected a kernel of the rest without tensor maps");
  auto value = launch.call.evaluate(param.value);
  if (value && param.kind == LaunchParam::i32 && *value != int32_t(*value))
    return llvm::createStringError(
        formatv("expected '{0}' to fit in 32 bits, but got {1}",
                param.value.str(), *value));
  return value;
}

llvm::Error Emulation::State::launchRest(LaunchCall launch) {
  for (std::string &difference : differencesOfRest(launch))
    device.complain(std::move(difference));
  const KernelLaunch &planned = launch.call.alternative().launches.front();
  BlockLaunch block;
  block.code = rest.find(planned.entry, block.meets);
  if (!block.code)
    return llvm::createStringError(
        formatv("expected code of '{0}'", planned.entry));
  block.overlaps = planned.programmatic;
  for (auto [formula, number] : {std::pair(&planned.grid[0], &block.grid),
                                 {&planned.block[0], &block.threads}}) {
    auto value = launch.call.evaluate(*formula);
    if (!value)
      return value.takeError();
    *number = *value;
  }
  constexpr int64_t kMaxThreads = 1024;
  if (block.grid < 0 || block.grid > INT32_MAX || block.threads < 1 ||
      block.threads > kMaxThreads)
    return llvm::createStringError(
        formatv("expected a grid and blocks that a GPU has for '{0}', but got "
                "{1} blocks of {2} threads",
                planned.entry, block.grid, block.threads));
  std::vector<int64_t> words;
  for (const LaunchParam &param : planned.params) {
    auto word = wordOf(launch, param);
    if (!word)
      return word.takeError();
    words.push_back(*word);
  }
  device.enqueue([this, launch = std::move(launch), block,
                  words = std::move(words)]() mutable {
    ++counts.rest;
    block.words = words.data();
    std::string fault = fibers.run(block);
    if (!fault.empty())
      device.complain(formatv("the kernel '{0}' of the launch for {1}: {2}",
                              launch.entry(), launch.record.record->place,
                              fault));
  });
  return llvm::Error::success();
}
