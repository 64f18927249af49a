//===- Images.cpp - Registry of images ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the image that has a kernel. Several may: a program can contain the
// same kernels for different GPUs, and a tuner registers one candidate after
// the other under one name. So the search goes from the newest to the oldest
// and takes the first that works; if none does, the error is that of the
// newest.
//
//===----------------------------------------------------------------------===//

#include "Images.h"
#include <memory>
#include <vector>

using namespace hone;

namespace {
struct Registry {
  std::mutex mutex;
  std::vector<std::shared_ptr<Image>> images; // oldest first
};
} // namespace

std::atomic<uint64_t> hone::imageEpoch{0};

/// Never destroyed: destructors of the program unregister images.
static Registry &registry() {
  static Registry &instance = *new Registry();
  return instance;
}

void *honeRegisterImage(const void *image, size_t size) {
  if (Image::classify(image, size) == Image::unknown) {
    report(fail(HONE_NO_IMAGE,
                "expected PTX, a cubin or a fat binary, but got something "
                "else"));
    return nullptr;
  }
  auto entry = std::make_shared<Image>(image, size);
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.images.push_back(entry);
  return entry.get();
}

void honeUnregisterImage(void *handle) {
  if (!handle)
    return;
  // Unloaded after the lock is released, when its last user is done.
  std::shared_ptr<Image> removed;
  Registry &all = registry();
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    for (auto it = all.images.begin(); it != all.images.end(); ++it)
      if (it->get() == handle) {
        removed = std::move(*it);
        all.images.erase(it);
        break;
      }
  }
  if (!removed) {
    report(fail(HONE_NO_IMAGE,
                "expected the handle of a registered image, but got another "
                "pointer"));
    return;
  }
  imageEpoch.fetch_add(1, std::memory_order_release);
}

int32_t hone::findFunction(const Driver &driver, const std::string &entry,
                           LoadedKernel &result) {
  // Loading can take seconds: the copies keep the images alive meanwhile.
  std::vector<std::shared_ptr<Image>> images;
  {
    std::lock_guard<std::mutex> lock(registry().mutex);
    images = registry().images;
  }
  int32_t failure = HONE_OK;
  std::string text;
  for (auto it = images.rbegin(); it != images.rend(); ++it) {
    if (!(*it)->mayHave(entry))
      continue;
    int32_t status = (*it)->getFunction(driver, entry.c_str(), result);
    if (status == HONE_OK)
      return HONE_OK;
    if (failure || status == HONE_NO_IMAGE)
      continue;
    failure = status;
    text = notedText();
  }
  if (failure)
    return fail(static_cast<HoneStatus>(failure), text);
  return fail(HONE_NO_IMAGE, "expected an image with the entry point '" +
                                 entry + "', but got none of " +
                                 std::to_string(images.size()) +
                                 " with it; register it first");
}

int32_t hone::allowSharedBytes(const Driver &driver, cu::Kernel kernel,
                               cu::Device device, int32_t bytes) {
  // The limit belongs to the kernel, and plans with different needs may share
  // one, so it must never decrease.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  int32_t limit = 0;
  if (int32_t status =
          check(driver, "cuKernelGetAttribute",
                driver.cuKernelGetAttribute(
                    &limit, cu::MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel, device)))
    return status;
  if (bytes <= limit)
    return HONE_OK;
  return check(driver, "cuKernelSetAttribute",
               driver.cuKernelSetAttribute(cu::MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                           bytes, kernel, device));
}
