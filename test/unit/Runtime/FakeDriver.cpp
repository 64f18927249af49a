//===- FakeDriver.cpp - A CUDA driver without a GPU -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the table. Functions that no test inspects only record that
// they were called.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "lib/Runtime/DriverState.h"
#include <cstring>

using namespace hone;
using namespace hone::test;

static FakeDriver *current = nullptr;
static thread_local cu::Context threadContext = nullptr;
static thread_local cu::CaptureMode threadMode = cu::CAPTURE_GLOBAL;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

cu::Result FakeDriver::note(const char *call) {
  std::lock_guard<std::mutex> lock(mutex);
  calls.push_back(call);
  if (callCount++ == failingCall) {
    failedCall = call;
    return 999;
  }
  auto failure = failures.find(call);
  return failure == failures.end() ? cu::SUCCESS : failure->second;
}

std::string FakeDriver::takeCalls() {
  std::lock_guard<std::mutex> lock(mutex);
  std::string result;
  for (const std::string &call : calls)
    result += (result.empty() ? "" : " ") + call;
  calls.clear();
  return result;
}

unsigned FakeDriver::countCalls(const std::string &name) {
  std::lock_guard<std::mutex> lock(mutex);
  unsigned count = 0;
  for (const std::string &call : calls)
    count += call == name;
  return count;
}

std::map<std::string, int64_t> FakeDriver::live() {
  std::lock_guard<std::mutex> lock(mutex);
  return {{"blocks", int64_t(allocations.size()) - int64_t(freed.size())},
          {"streams", liveStreams},
          {"events", liveEvents},
          {"libraries", librariesLoaded - librariesUnloaded}};
}

FakeDriver::Library *FakeDriver::addLibrary(const std::string &code) {
  std::lock_guard<std::mutex> lock(mutex);
  ++librariesLoaded;
  libraries.push_back(new Library{code});
  return libraries.back();
}

FakeDriver::Kernel *FakeDriver::addKernel(const std::string &name) {
  std::lock_guard<std::mutex> lock(mutex);
  Kernel *&kernel = kernels[name];
  if (!kernel)
    kernel = new Kernel{name};
  return kernel;
}

FakeDriver &FakeDriver::get() { return *current; }

void FakeDriver::setContext(cu::Context context) { threadContext = context; }
cu::Context FakeDriver::context() { return threadContext; }
cu::Context FakeDriver::contextOf(cu::Device device) {
  return reinterpret_cast<cu::Context>(0x1000 + 8 * size_t(device));
}
cu::CaptureMode FakeDriver::captureMode() { return threadMode; }

static cu::Device deviceOf(cu::Context context) {
  return (reinterpret_cast<size_t>(context) - 0x1000) / 8;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static FakeDriver::Kernel *asKernel(cu::Kernel kernel) {
  return reinterpret_cast<FakeDriver::Kernel *>(kernel);
}

namespace {
struct ErrorText {
  cu::Result error;
  const char *name, *text;
};
} // namespace

static constexpr ErrorText kErrors[] = {
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", nullptr},
};

static cu::Result findText(cu::Result error, const char *ErrorText::*which,
                           const char **text) {
  *text = nullptr;
  for (const ErrorText &entry : kErrors)
    if (entry.error == error)
      *text = entry.*which;
  return *text ? cu::SUCCESS : cu::ERROR_INVALID_VALUE;
}
static cu::Result getErrorName(cu::Result error, const char **text) {
  return findText(error, &ErrorText::name, text);
}
static cu::Result getErrorString(cu::Result error, const char **text) {
  return findText(error, &ErrorText::text, text);
}

static cu::Result deviceGet(cu::Device *device, int ordinal) {
  *device = ordinal;
  cu::Result result = current->note("cuDeviceGet");
  return result ? result : ordinal < 0 || ordinal > 1 ? 101 : 0;
}

static cu::Result deviceGetName(char *name, int size, cu::Device) {
  strncpy(name, current->deviceName.c_str(), size);
  return current->note("cuDeviceGetName");
}

static cu::Result deviceGetAttribute(int *value, cu::DeviceAttribute which,
                                     cu::Device) {
  *value = which == cu::COMPUTE_CAPABILITY_MAJOR   ? current->capability / 10
           : which == cu::COMPUTE_CAPABILITY_MINOR ? current->capability % 10
           : which == cu::MEMORY_POOLS_SUPPORTED   ? current->hasPools
           : which == cu::MULTIPROCESSOR_COUNT     ? current->processors
                                                   : 1000 + which;
  return current->note("cuDeviceGetAttribute");
}

static cu::Result ctxGetCurrent(cu::Context *context) {
  *context = threadContext;
  return current->note("cuCtxGetCurrent");
}

static cu::Result ctxSetCurrent(cu::Context context) {
  cu::Result result = current->note("cuCtxSetCurrent");
  if (!result)
    threadContext = context;
  return result;
}

static cu::Result ctxGetDevice(cu::Device *device) {
  *device = deviceOf(threadContext);
  return current->note("cuCtxGetDevice");
}

static cu::Result primaryCtxRetain(cu::Context *context, cu::Device device) {
  cu::Result result = current->note("cuDevicePrimaryCtxRetain");
  if (!result)
    *context = FakeDriver::contextOf(device);
  return result;
}

static bool isForbidden() {
  return current->isCapturing && threadMode != cu::CAPTURE_RELAXED;
}

/// The bytes of an image, whose length the driver does not receive.
static std::string imageAt(const char *code) {
  auto number = [&](size_t offset, size_t size) {
    uint64_t value = 0;
    memcpy(&value, code + offset, size);
    return value;
  };
  if (!strncmp(code,
               "\x7f"
               "ELF",
               4))
    return std::string(code, number(40, 8) + number(58, 2) * number(60, 2));
  if (!strncmp(code, "\x50\xed\x55\xba", 4))
    return std::string(code, number(6, 2) + number(8, 8));
  return code;
}

static cu::Result libraryLoadData(cu::Library *library, const void *code,
                                  cu::JitOption *options, void **values,
                                  unsigned count, int *, void **, unsigned) {
  cu::Result result = current->note("cuLibraryLoadData");
  if (isForbidden())
    return 900;
  for (unsigned i = 0; result && i < count; ++i)
    if (options[i] == cu::JIT_ERROR_LOG_BUFFER)
      strcpy(static_cast<char *>(values[i]), current->jitLog.c_str());
  if (!result)
    *library = reinterpret_cast<cu::Library>(
        current->addLibrary(imageAt(static_cast<const char *>(code))));
  return result;
}

static cu::Result libraryUnload(cu::Library) {
  cu::Result result = current->note("cuLibraryUnload");
  current->librariesUnloaded += !result;
  return result;
}

static cu::Result libraryGetKernel(cu::Kernel *kernel, cu::Library library,
                                   const char *name) {
  cu::Result result = current->note("cuLibraryGetKernel");
  const std::string &code =
      reinterpret_cast<FakeDriver::Library *>(library)->code;
  if (!result && code.find(name) == code.npos)
    return cu::ERROR_NOT_FOUND;
  *kernel = reinterpret_cast<cu::Kernel>(current->addKernel(name));
  return result;
}

static cu::Result kernelGetFunction(cu::Function *function, cu::Kernel kernel) {
  *function = reinterpret_cast<cu::Function>(kernel);
  cu::Result result = current->note("cuKernelGetFunction");
  return isForbidden() ? 900 : result;
}

static cu::Result kernelGetAttribute(int *value, cu::FunctionAttribute,
                                     cu::Kernel kernel, cu::Device) {
  *value = current->sharedLimits.try_emplace(asKernel(kernel)->name, 48 * 1024)
               .first->second;
  return current->note("cuKernelGetAttribute");
}

static cu::Result kernelSetAttribute(cu::FunctionAttribute which, int value,
                                     cu::Kernel kernel, cu::Device) {
  if (which == cu::NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
    current->nonPortable.insert(asKernel(kernel)->name);
  else
    current->sharedLimits[asKernel(kernel)->name] = value;
  return current->note("cuKernelSetAttribute");
}

static cu::Result ctxGetDevResource(cu::Context, cu::Resource *resource,
                                    cu::Resource::Type type) {
  if (cu::Result result = current->note("cuCtxGetDevResource"))
    return result;
  if (type != cu::Resource::PROCESSORS || !current->contextProcessors)
    return cu::ERROR_NOT_SUPPORTED;
  resource->type = type;
  resource->processors = current->contextProcessors;
  return cu::SUCCESS;
}

static cu::Result streamCreate(cu::Stream *stream, unsigned) {
  *stream = reinterpret_cast<cu::Stream>(0x77);
  cu::Result result = current->note("cuStreamCreate");
  current->liveStreams += !result;
  return result;
}

static cu::Result streamDestroy(cu::Stream) {
  cu::Result result = current->note("cuStreamDestroy");
  current->liveStreams -= !result;
  return result;
}

static cu::Result eventCreate(cu::Event *event, unsigned) {
  cu::Result result = current->note("cuEventCreate");
  if (!result)
    *event = reinterpret_cast<cu::Event>(0x88);
  current->liveEvents += !result;
  return result;
}

static cu::Result eventDestroy(cu::Event) {
  cu::Result result = current->note("cuEventDestroy");
  current->liveEvents -= !result;
  return result;
}

static cu::Result exchangeCaptureMode(cu::CaptureMode *mode) {
  cu::Result result = current->note("cuThreadExchangeStreamCaptureMode");
  if (!result)
    std::swap(*mode, threadMode);
  return result;
}

static cu::Result driverGetVersion(int *version) {
  *version = 13000;
  return cu::SUCCESS;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

#pragma clang diagnostic ignored "-Wunused-parameter"

static Driver makeTable() {
  Driver table = {};
#define HONE_NOTE_ONLY(NAME, VERSION, PARAMS)                                  \
  table.NAME = [] PARAMS -> cu::Result { return current->note(#NAME); };
  HONE_DRIVER_FUNCTIONS(HONE_NOTE_ONLY)
#undef HONE_NOTE_ONLY
  table.version = 13000;
  table.cuDriverGetVersion = driverGetVersion;
  table.cuGetErrorName = getErrorName;
  table.cuGetErrorString = getErrorString;
  table.cuDeviceGet = deviceGet;
  table.cuDeviceGetName = deviceGetName;
  table.cuDeviceGetAttribute = deviceGetAttribute;
  table.cuDeviceTotalMem = [](size_t *bytes, cu::Device) {
    *bytes = size_t(1) << 37;
    return current->note("cuDeviceTotalMem");
  };
  table.cuCtxGetCurrent = ctxGetCurrent;
  table.cuCtxSetCurrent = ctxSetCurrent;
  table.cuCtxGetDevice = ctxGetDevice;
  table.cuCtxGetDevResource = ctxGetDevResource;
  table.cuDevicePrimaryCtxRetain = primaryCtxRetain;
  table.cuLibraryLoadData = libraryLoadData;
  table.cuLibraryUnload = libraryUnload;
  table.cuLibraryGetKernel = libraryGetKernel;
  table.cuKernelGetFunction = kernelGetFunction;
  table.cuKernelGetAttribute = kernelGetAttribute;
  table.cuKernelSetAttribute = kernelSetAttribute;
  table.cuStreamCreate = streamCreate;
  table.cuStreamDestroy = streamDestroy;
  table.cuEventCreate = eventCreate;
  table.cuEventDestroy = eventDestroy;
  table.cuThreadExchangeStreamCaptureMode = exchangeCaptureMode;
  FakeDriver::addLaunches(table);
  FakeDriver::addMemory(table);
  FakeDriver::addGraphs(table);
  return table;
}

FakeDriver::FakeDriver() {
  // Never deleted: the runtime's tables have the driver's address as key, and a
  // second fake must not get the address of the first.
  static auto &states = *new std::vector<DriverState *>();
  state = states.emplace_back(new DriverState());
  state->usable = true;
  state->driver = makeTable();
  current = this;
  threadContext = nullptr;
  honeSetStream(nullptr);
  setDriverForTesting(state);
}

FakeDriver::~FakeDriver() {
  setDriverForTesting(nullptr);
  honeSetStream(nullptr);
  threadContext = nullptr;
  current = nullptr;
  for (Library *library : libraries)
    delete library;
  for (auto &[name, kernel] : kernels)
    delete kernel;
  for (Graph *graph : graphs)
    delete graph;
  for (UserObject *object : objects)
    delete object;
}
