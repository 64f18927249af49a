//===- Images.h - Registered PTX and cubins ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration only stores the address of an image: it happens while the
// program loads, possibly on a machine without a GPU. The driver gets an image
// once, when the first launch needs one of its kernels.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_RUNTIME_IMAGES_H
#define HONE_LIB_RUNTIME_IMAGES_H

#include "Context.h"
#include <atomic>
#include <map>
#include <mutex>
#include <string_view>

namespace hone {

/// A kernel, ready in the current context.
struct LoadedKernel {
  cu::Kernel kernel;
  cu::Function function;
  cu::Device device;
};

/// One registered image.
class Image {
public:
  enum Kind { unknown, ptx, elf, fatbin };
  /// The kind by its header; unknown if bytes that the header declares are
  /// missing.
  static Kind classify(const void *data, size_t size);

  Image(const void *data, size_t size);
  ~Image();

  /// False if the bytes show that there is no such kernel; for compressed bytes
  /// always true, because only the driver can read them.
  bool mayHave(std::string_view entry) const;

  /// Loads the image, if it is not loaded, and finds `entry` in it.
  /// HONE_NO_IMAGE if there is no such entry, HONE_WRONG_DEVICE if the current
  /// device cannot run it.
  int32_t getKernel(const Driver &driver, const char *entry,
                    cu::Kernel &kernel);
  int32_t getFunction(const Driver &driver, const char *entry,
                      LoadedKernel &result);

private:
  int32_t load(const Driver &driver);
  int32_t checkTarget(const DeviceFacts &facts) const;
  int32_t failLoad(const Driver &driver, const char *call, cu::Result error);

  const std::string_view bytes;
  const Kind kind;
  std::mutex mutex; ///< guards everything below
  const Driver *loader = nullptr;
  cu::Library library = nullptr;
  std::map<std::string, cu::Kernel, std::less<>> kernels;
  /// The driver may compile later, and then writes to this buffer.
  char log[4096] = "";
};

/// `entry` of the newest registered image that has it and runs on this device.
int32_t findFunction(const Driver &driver, const std::string &entry,
                     LoadedKernel &result);

/// The number of images unregistered so far: functions found at another value
/// may be invalid.
extern std::atomic<uint64_t> imageEpoch;

/// Raises the limit of dynamic shared memory to `bytes` if it is lower.
int32_t allowSharedBytes(const Driver &driver, cu::Kernel kernel,
                         cu::Device device, int32_t bytes);

} // namespace hone

#endif // HONE_LIB_RUNTIME_IMAGES_H
