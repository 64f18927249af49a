//===- Error.cpp - Last error, count and handler --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts are kept in plain arrays: destructors of the program unregister images,
// and may run after those of thread-local objects.
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "DriverState.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

using namespace hone;

namespace {
struct Text {
  char data[1024];

  void set(const char *text, size_t size) {
    bool fits = size < sizeof(data);
    size = fits ? size : sizeof(data) - 1;
    memcpy(data, text, size);
    data[size] = '\0';
    if (!fits)
      memcpy(data + size - 3, "...", 3);
  }
};

struct Handler {
  HoneErrorHandler function = nullptr;
  void *user = nullptr;
};
} // namespace

static thread_local Text noted, last;
static thread_local int32_t lastStatus = HONE_OK, untakenStatus = HONE_OK;
static thread_local int64_t failureCount = 0;
static thread_local bool lastIsPrinted = false;
static std::atomic<int64_t> errorCount{0};
static std::mutex handlerMutex;
static Handler handler; // guarded by handlerMutex

int32_t hone::fail(HoneStatus status, const std::string &text) {
  noted.set(text.data(), text.size());
  return status;
}

int32_t hone::failCall(const Driver &driver, const char *call,
                       cu::Result error) {
  HoneStatus status = error == cu::ERROR_OUT_OF_MEMORY ? HONE_OUT_OF_MEMORY
                      : error == cu::ERROR_NO_DEVICE   ? HONE_NO_DEVICE
                                                       : HONE_CUDA_ERROR;
  return fail(status, driver.describe(call, error));
}

int32_t hone::failDriver() {
  const DriverState &state = driverState();
  return fail(state.status, state.why);
}

const char *hone::notedText() { return noted.data; }

/// Prints each text once: without a driver every call of a program fails for
/// the same reason. Texts with numbers may be numerous; beyond some thousand
/// all are printed.
static void printOnce(const char *text) {
  constexpr size_t kMaxTexts = 4096;
  static std::mutex mutex;
  static auto &printed = *new std::set<std::string>();
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (printed.size() < kMaxTexts ? !printed.insert(text).second
                                   : printed.count(text) > 0)
      return;
  }
  fprintf(stderr, "hone: %s\n", text);
}

int32_t hone::reportFailure(int32_t status) {
  last = noted;
  lastStatus = untakenStatus = status;
  ++failureCount;
  errorCount.fetch_add(1, std::memory_order_relaxed);
  Handler now;
  {
    std::lock_guard<std::mutex> lock(handlerMutex);
    now = handler;
  }
  lastIsPrinted = !now.function;
  if (now.function)
    now.function(status, last.data, now.user);
  else
    printOnce(last.data);
  return status;
}

int32_t honeTakeStatus(void) { return std::exchange(untakenStatus, HONE_OK); }

int64_t honeFailureMark(void) { return failureCount; }

int32_t honeStatusSince(int64_t mark) {
  return failureCount == mark ? HONE_OK : lastStatus;
}

void honeRequire(int32_t status, const char *where) {
  if (__builtin_expect(status == HONE_OK, 1))
    return;
  if (lastIsPrinted)
    fprintf(stderr, "hone: the program ends here: %s\n", where);
  else
    fprintf(stderr, "hone: the program ends here: %s: %s\n", where, last.data);
  abort();
}

int32_t honeRuntimeVersion(void) { return HONE_VERSION_NUMBER; }

const char *honeLastError(void) { return last.data; }

int64_t honeErrorCount(void) {
  return errorCount.load(std::memory_order_relaxed);
}

void honeSetErrorHandler(HoneErrorHandler function, void *user) {
  std::lock_guard<std::mutex> lock(handlerMutex);
  handler = {function, user};
}
