// A driver for programs that hone compile wrote, on a machine without a GPU. It
// has two devices, and their memory is the host's. A launch computes the
// product of a mma_sync kernel whose sums start at zero: the types and the
// layout are in the kernel's name, the operands in its parameters.
// Rest.cpp has the functions that do nothing.
#include "Seen.h"
#include "hone/Runtime/Driver.h"
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

using namespace hone;

extern "C" Seen seen = {};
static std::mutex mutex;
static thread_local cu::Context context = nullptr;

static int deviceOf(cu::Context context) {
  return int(reinterpret_cast<size_t>(context)) - 1;
}

//===-- Devices ------------------------------------------------------------------===//

extern "C" {
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuDeviceGetCount(int *count) { return *count = 2, 0; }
int cuDeviceGet(cu::Device *device, int ordinal) {
  return *device = ordinal, ordinal < 0 || ordinal > 1 ? 101 : 0;
}
int cuDeviceGetName(char *name, int size, cu::Device) {
  return strncpy(name, "Fake", size), 0;
}
int cuDeviceGetAttribute(int *value, cu::DeviceAttribute which, cu::Device) {
  *value = which == cu::COMPUTE_CAPABILITY_MAJOR   ? 8
           : which == cu::COMPUTE_CAPABILITY_MINOR ? 0
                                                   : 1000;
  return 0;
}
int cuDevicePrimaryCtxRetain(cu::Context *result, cu::Device device) {
  return *result = reinterpret_cast<cu::Context>(size_t(device + 1)), 0;
}
int cuCtxGetCurrent(cu::Context *result) { return *result = context, 0; }
int cuCtxSetCurrent(cu::Context now) { return context = now, 0; }
int cuCtxGetDevice(cu::Device *device) {
  return *device = deviceOf(context), 0;
}
int cuGetErrorName(cu::Result, const char **text) {
  return *text = "CUDA_ERROR_FAKE", 0;
}
int cuGetErrorString(cu::Result error, const char **text) {
  return *text =
             error == cu::ERROR_OUT_OF_MEMORY ? "out of memory" : "an error",
         0;
}

//===-- Memory -------------------------------------------------------------------===//

int cuMemAllocAsync(cu::Address *address, size_t bytes, cu::Stream) {
  if (seen.failAllocations)
    return cu::ERROR_OUT_OF_MEMORY;
  __atomic_fetch_add(&seen.live, 1, __ATOMIC_RELAXED);
  void *pointer = malloc(bytes);
  memset(pointer, 0xFF, bytes);
  return *address = reinterpret_cast<cu::Address>(pointer), 0;
}
int cuMemAllocManaged(cu::Address *address, size_t bytes, unsigned) {
  return cuMemAllocAsync(address, bytes, nullptr);
}
int cuMemFreeAsync(cu::Address address, cu::Stream) {
  __atomic_fetch_sub(&seen.live, 1, __ATOMIC_RELAXED);
  return free(reinterpret_cast<void *>(address)), 0;
}
int cuMemcpyAsync(cu::Address to, cu::Address from, size_t bytes, cu::Stream) {
  return memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
                bytes),
         0;
}
int cuPointerGetAttribute(void *data, cu::PointerAttribute, cu::Address) {
  return *static_cast<unsigned *>(data) = 0, 0;
}

//===-- Kernels ------------------------------------------------------------------===//

/// A library is its PTX, and a kernel its name in there.
int cuLibraryLoadData(cu::Library *library, const void *code, cu::JitOption *,
                      void **, unsigned, int *, void **, unsigned) {
  std::lock_guard<std::mutex> lock(mutex);
  ++seen.libraries;
  return *library = static_cast<cu::Library>(const_cast<void *>(code)), 0;
}
int cuLibraryGetKernel(cu::Kernel *kernel, cu::Library library,
                       const char *name) {
  auto *code = reinterpret_cast<const char *>(library);
  auto *found = strstr(code, (std::string(".entry ") + name + "(").c_str());
  *kernel = reinterpret_cast<cu::Kernel>(strdup(name));
  return found ? 0 : cu::ERROR_NOT_FOUND;
}
int cuKernelGetFunction(cu::Function *function, cu::Kernel kernel) {
  return *function = reinterpret_cast<cu::Function>(kernel), 0;
}
}

static float toFloat(const void *data, int64_t i, bool isBrain) {
  if (isBrain) {
    uint32_t bits = uint32_t(static_cast<const uint16_t *>(data)[i]) << 16;
    float value;
    return memcpy(&value, &bits, sizeof(value)), value;
  }
  return static_cast<const _Float16 *>(data)[i];
}

static void store(void *data, int64_t i, float value, const std::string &type) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  if (type == "f32")
    static_cast<float *>(data)[i] = value;
  else if (type == "bf16")
    static_cast<uint16_t *>(data)[i] = bits >> 16; // exact in the tests
  else
    static_cast<_Float16 *>(data)[i] = _Float16(value);
}

/// hone_mma_sync_<type of A and B>_<type of C>_<layout>_<hash>, with a b c m n
/// k group lda ldb ldc.
static int run(const std::string &name, void **params) {
  const std::string prefix = "hone_mma_sync_";
  if (name.compare(0, prefix.size(), prefix))
    return cu::ERROR_NOT_FOUND;
  std::string words[3];
  size_t at = prefix.size();
  for (std::string &word : words) {
    size_t end = name.find('_', at);
    word = name.substr(at, end - at);
    at = end + 1;
  }
  void *a = *static_cast<void **>(params[0]),
       *b = *static_cast<void **>(params[1]);
  void *c = *static_cast<void **>(params[2]);
  if (!a || !b || !c)
    return 700; // as a GPU would: CUDA_ERROR_ILLEGAL_ADDRESS
  int32_t extents[3];
  int64_t lines[3];
  for (int i = 0; i < 3; ++i) {
    extents[i] = *static_cast<int32_t *>(params[3 + i]);
    lines[i] = *static_cast<int64_t *>(params[7 + i]);
  }
  auto [m, n, k] = extents;
  bool isBrain = words[0] == "bf16", turnsA = words[2][0] == 't',
       turnsB = words[2][1] == 't';
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t x = 0; x < k; ++x)
        sum +=
            toFloat(a, turnsA ? x * lines[0] + i : i * lines[0] + x, isBrain) *
            toFloat(b, turnsB ? j * lines[1] + x : x * lines[1] + j, isBrain);
      store(c, i * lines[2] + j, sum, words[1]);
    }
  return 0;
}

extern "C" int cuLaunchKernelEx(const cu::LaunchConfig *config,
                                cu::Function function, void **params, void **) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    ++seen.launches;
    seen.stream = config->stream;
    seen.entry = reinterpret_cast<const char *>(function);
    seen.blocks = config->grid[0];
    seen.device = deviceOf(context);
    if (seen.failLaunch && --seen.failLaunch == 0)
      return 719; // CUDA_ERROR_LAUNCH_FAILED
  }
  return run(reinterpret_cast<const char *>(function), params);
}
