//===- Device.h - One GPU to measure on -------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the CUDA driver that measuring needs, found when a Device is
// opened and never linked: memory, kernels, one stream, graphs, and the time
// that a graph takes.
//
// A Device works in the primary context of its GPU. It makes that context
// current for the thread that opened it, and its stream the stream of
// libhone_rt there, so kernels launched by `honeLaunch` run in order with the
// Device's own. A Device that is a part of a GPU works in a green context,
// whose kernels run on that number of processors only, as in a program that
// shares the chip.
//
// Every error names the call that failed. After a fault inside a kernel the
// context is lost and every later call fails in the same way; see `isLost`.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DEVICE_DEVICE_H
#define HONE_DEVICE_DEVICE_H

#include "hone/Runtime/Driver.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hone {

class Device;

/// Memory on the GPU, freed by the destructor.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  DeviceBuffer(Device &device, uint64_t address, size_t bytes)
      : device(&device), address(address), bytes(bytes) {}
  DeviceBuffer(DeviceBuffer &&other) { *this = std::move(other); }
  DeviceBuffer &operator=(DeviceBuffer &&other) {
    std::swap(device, other.device);
    std::swap(address, other.address);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~DeviceBuffer();

  uint64_t getAddress() const { return address; }
  void *getPointer() const { return reinterpret_cast<void *>(address); }
  size_t size() const { return bytes; }

private:
  Device *device = nullptr;
  uint64_t address = 0;
  size_t bytes = 0;
};

/// Recorded work that one call runs.
class DeviceGraph {
public:
  DeviceGraph(Device &device, cu::GraphExec executable)
      : device(&device), executable(executable) {}
  DeviceGraph(DeviceGraph &&other)
      : device(other.device), executable(std::exchange(other.executable, {})) {}
  DeviceGraph &operator=(DeviceGraph &&) = delete;
  ~DeviceGraph();

private:
  friend class Device;
  Device *device;
  cu::GraphExec executable;
};

/// How a kernel is launched; `params` are addresses of its parameters.
struct DeviceLaunch {
  cu::Function function = nullptr;
  uint32_t grid = 1, block = 1, sharedBytes = 0;
  llvm::ArrayRef<void *> params;
  uint32_t cluster = 1; ///< blocks
  /// The kernel may start before its predecessor has ended.
  bool programmatic = false;
};

class Device {
public:
  /// Opens a GPU, or `processors` of it if that is not 0. "expected a GPU, but
  /// got ..." if there is none.
  static llvm::Expected<std::unique_ptr<Device>> open(int ordinal = 0,
                                                      int processors = 0);
  ~Device();
  Device(const Device &) = delete;

  //===--------------------------------------------------------------------===//
  // Facts
  //===--------------------------------------------------------------------===//
  llvm::StringRef getName() const { return name; }
  int getCapability() const { return capability; }
  int getProcessors() const { return processors; }
  int64_t getL2Bytes() const { return l2Bytes; }
  /// The version that the driver supports: 13000 for CUDA 13.0.
  int getDriverVersion() const { return driverVersion; }
  /// Its PCI address, "00000000:1b:00.0".
  llvm::StringRef getPciBusId() const { return pciBusId; }
  bool isLost() const { return lost; }
  llvm::Expected<int> getAttribute(cu::DeviceAttribute attribute);
  /// Bytes of free memory.
  llvm::Expected<size_t> getFreeBytes();

  //===--------------------------------------------------------------------===//
  // Memory. Copies to the host wait; the rest is ordered on the stream.
  //===--------------------------------------------------------------------===//
  llvm::Expected<DeviceBuffer> allocate(size_t bytes);
  /// Grows `buffer` to `bytes` if needed; its contents are lost.
  llvm::Error reserve(DeviceBuffer &buffer, size_t bytes);
  llvm::Error fill(uint64_t address, uint8_t byte, size_t bytes);
  llvm::Error copyIn(uint64_t to, const void *from, size_t bytes);
  llvm::Error copyOut(void *to, uint64_t from, size_t bytes);

  //===--------------------------------------------------------------------===//
  // Work
  //===--------------------------------------------------------------------===//
  /// The stream that everything runs on.
  cu::Stream getStream() const { return stream; }
  llvm::Error synchronize();
  /// Loads an image (PTX or cubin) and makes its kernels available by name.
  llvm::Error load(llvm::StringRef image);
  llvm::Expected<cu::Function> findKernel(llvm::StringRef name);
  llvm::Error
  findKernels(llvm::ArrayRef<std::pair<cu::Function *, const char *>> kernels);
  /// Permits launches with so many bytes of shared memory, and with clusters of
  /// more than eight blocks if the GPU has them.
  llvm::Error permit(cu::Function function, uint32_t sharedBytes);
  llvm::Error launch(const DeviceLaunch &launch);
  /// The clusters of such a launch that fit at once; 0 if the GPU has none of
  /// that size.
  int maxActiveClusters(const DeviceLaunch &launch);

  /// Records the work that `work` enqueues on the stream, by this class or by
  /// libhone_rt.
  llvm::Expected<DeviceGraph> record(llvm::function_ref<llvm::Error()> work);
  llvm::Error replay(DeviceGraph &graph);
  /// Seconds that one replay takes on the GPU.
  llvm::Expected<double> time(DeviceGraph &graph);

private:
  friend class DeviceBuffer;
  friend class DeviceGraph;
  explicit Device(const Driver &driver) : driver(&driver) {}
  llvm::Error initialize(int ordinal, int wanted);
  llvm::Error enterWhole();
  llvm::Error enterPart(int wanted);
  llvm::Error readFacts();
  /// An error if the result is not success.
  llvm::Error check(cu::Result result, const char *call);

  const Driver *driver;
  cu::Device device = -1;
  bool hasContext = false, lost = false;
  cu::GreenContext part = nullptr; ///< of a part of the GPU
  cu::Stream stream = nullptr;
  cu::Event startEvent = nullptr, endEvent = nullptr;
  std::vector<cu::Library> libraries;
  std::string name, pciBusId;
  int capability = 0, processors = 0, driverVersion = 0;
  int64_t l2Bytes = 0;
};

} // namespace hone

#endif // HONE_DEVICE_DEVICE_H
