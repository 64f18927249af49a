//===- Abi.cpp - Runtime functions for emulated programs ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of libhone_rt that emitted host code calls, with its
// signatures, and the memory functions of the host.
//
//===----------------------------------------------------------------------===//

#include "State.h"
#include "hone-c/Runtime.h"
#include <algorithm>

using namespace hone;
using namespace hone::emulate;

/// The emulation of this process; null for none. Compiled code cannot receive a
/// pointer to it.
static Emulation::State *currentState = nullptr;

Emulation::Emulation(EmulationOptions options)
    : state(std::make_unique<State>(options)) {
  currentState = state.get();
}

Emulation::~Emulation() {
  state->device.synchronize();
  currentState = nullptr;
}

//===----------------------------------------------------------------------===//
// libhone_rt
//===----------------------------------------------------------------------===//

static int32_t onLaunch(HoneKernel **, const char *plan, const int64_t *args,
                        int32_t count) {
  if (currentState->skips())
    return currentState->skippedStatus();
  return currentState->launch(plan, {args, size_t(count)});
}

static int32_t onCopy(void *to, const void *from, size_t bytes) {
  if (currentState->skips())
    return currentState->skippedStatus();
  ++currentState->counts.copies;
  currentState->device.copy(to, from, bytes);
  return HONE_OK;
}

/// The slot holds the address; the memory lives as long as the device.
static int32_t onResident(void **slot, const void *data, size_t bytes,
                          void **pointer) {
  *pointer = nullptr;
  if (currentState->skips())
    return currentState->skippedStatus();
  if (!*slot && bytes > 0) {
    static const int32_t zero = 0;
    *slot = currentState->device.allocate(bytes, Device::Side::device);
    currentState->device.copy(*slot, data ? data : &zero, bytes);
  }
  *pointer = *slot;
  return HONE_OK;
}
static int32_t onAssertion(void **slot, const char * /*text*/, void **pointer) {
  return onResident(slot, nullptr, sizeof(int32_t), pointer);
}

static int32_t onSynchronize() {
  if (currentState->skips())
    return currentState->skippedStatus();
  ++currentState->counts.waits;
  currentState->device.synchronize();
  return HONE_OK;
}

static void *onAllocate(uint64_t bytes, void * /*stream*/, bool isShared) {
  if (currentState->skips() || bytes == 0)
    return nullptr;
  return currentState->device.allocate(bytes, isShared ? Device::Side::both
                                                       : Device::Side::device);
}

static void onRelease(void *pointer, void * /*stream*/) {
  currentState->device.release(pointer);
}

static void onMemcpy(void *to, void *from, size_t bytes, void * /*stream*/) {
  (void)onCopy(to, from, bytes);
}

/// Fills `count` elements from `to` on, in the stream's order.
template <typename Element>
static void onMemset(void *to, Element value, size_t count, void *) {
  if (currentState->skips())
    return;
  Device &device = currentState->device;
  device.enqueue([=, &device] {
    std::string fault = device.faultOf(to, count * sizeof(Element));
    if (!fault.empty())
      return device.complain("a fill touches " + fault);
    device.touch(to, /*isWrite=*/true);
    std::fill_n(static_cast<Element *>(to), count, value);
  });
}

static void onRequire(int32_t status, const char * /*where*/) {
  currentState->require(status);
}
static int64_t onFailureMark() { return currentState->failures; }
static int32_t onStatusSince(int64_t mark) {
  return currentState->failures == mark ? int32_t(HONE_OK)
                                        : currentState->lastStatus;
}

/// There is a single stream.
static void *stream() { return nullptr; }
static void ignore(void *) {}
static void ignoreBoth(void *, void *) {}
static void synchronizeStream(void *) { (void)onSynchronize(); }

//===----------------------------------------------------------------------===//
// The host's memory
//===----------------------------------------------------------------------===//

/// New memory holds NaN, like the device's. Late work detects that it was
/// freed.
static void *onMalloc(size_t bytes) {
  return currentState->device.allocate(bytes, Device::Side::host);
}
static void onFree(void *pointer) { currentState->device.release(pointer); }

/// `words` is a memref of rank 1, passed as its parts like in MLIR.
static void onRecord(int64_t number, int64_t * /*allocated*/, int64_t *words,
                     int64_t offset, int64_t size, int64_t /*stride*/) {
  currentState->record(number, {words + offset, size_t(size)});
}

llvm::StringMap<void *> Emulation::symbols() {
  llvm::StringMap<void *> symbols;
  auto add = [&](llvm::StringRef name, auto *function) {
    symbols[name] = reinterpret_cast<void *>(function);
  };
  add(kRecordName, onRecord);
  add("honeLaunch", onLaunch);
  add("honeCopy", onCopy);
  add("honeConstant", onResident);
  add("honeAssertion", onAssertion);
  add("honeReleaseResident", ignore);
  add("honeSynchronize", onSynchronize);
  add("honeRequire", onRequire);
  add("honeFailureMark", onFailureMark);
  add("honeStatusSince", onStatusSince);
  add("mgpuMemAlloc", onAllocate);
  add("mgpuMemFree", onRelease);
  add("mgpuStreamCreate", stream);
  add("mgpuStreamDestroy", ignore);
  add("mgpuStreamSynchronize", synchronizeStream);
  add("mgpuStreamWaitEvent", ignoreBoth);
  add("mgpuEventCreate", stream);
  add("mgpuEventDestroy", ignore);
  add("mgpuEventRecord", ignoreBoth);
  add("mgpuEventSynchronize", synchronizeStream);
  add("mgpuMemcpy", onMemcpy);
  add("mgpuMemset16", onMemset<uint16_t>);
  add("mgpuMemset32", onMemset<uint32_t>);
  add("malloc", onMalloc);
  add("free", onFree);
  return symbols;
}
