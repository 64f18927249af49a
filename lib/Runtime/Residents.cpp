//===- Residents.cpp - Memory that a program keeps on the device ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants and the flags of assertions. Each has one block in every context
// that uses it, made by the first call there and freed with the program. The
// block is made on a private stream, so a capture does not record it.
//
//===----------------------------------------------------------------------===//

#include "Workspace.h"
#include <map>
#include <mutex>
#include <set>
#include <string>

using namespace hone;

struct HoneResident {
  const char *text; ///< of an assertion; null for a constant
  std::mutex mutex; ///< guards the blocks
  std::map<std::pair<const Driver *, cu::Context>, Block> blocks;
};

namespace {
/// All residents. Never destroyed: programs may run until the process ends.
struct Roster {
  std::mutex mutex;
  std::set<HoneResident *> all;
};
} // namespace

static Roster &roster() {
  static Roster &instance = *new Roster();
  return instance;
}

static HoneResident &residentOf(HoneResident **slot, const char *text) {
  if (HoneResident *known = __atomic_load_n(slot, __ATOMIC_ACQUIRE))
    return *known;
  std::lock_guard<std::mutex> lock(roster().mutex);
  if (!*slot) {
    auto *fresh = new HoneResident{text, {}, {}};
    roster().all.insert(fresh);
    __atomic_store_n(slot, fresh, __ATOMIC_RELEASE);
  }
  return **slot;
}

/// Fills a new block with `data`, or with zeros if that is null.
static int32_t makeResident(const Driver &driver, const void *data,
                            Block &block) {
  return withOwnStream(driver, [&](OwnStream &own) -> int32_t {
    if (int32_t status = makeBlock(own, /*zeroed=*/!data, block))
      return status;
    if (!data)
      return HONE_OK;
    int32_t status = own.fill(block, data);
    if (status) {
      std::string why = notedText();
      (void)own.free(block);
      block.address = 0;
      return fail(static_cast<HoneStatus>(status), why);
    }
    return HONE_OK;
  });
}

static int32_t getResident(HoneResident **slot, const char *text,
                           const void *data, size_t bytes, void **pointer) {
  *pointer = nullptr;
  if (bytes == 0)
    return HONE_OK;
  return inPlace([&](const Place &place) -> int32_t {
    HoneResident &resident = residentOf(slot, text);
    std::lock_guard<std::mutex> lock(resident.mutex);
    auto key = std::make_pair(place.driver, place.context);
    auto known = resident.blocks.find(key);
    if (known == resident.blocks.end()) {
      Block block = {0, int64_t(bytes)};
      int32_t status = makeResident(*place.driver, data, block);
      // Where only the private stream failed, the memory exists.
      if (block.address)
        known = resident.blocks.emplace(key, block).first;
      if (status)
        return status;
    }
    *pointer = reinterpret_cast<void *>(known->second.address);
    return HONE_OK;
  });
}

int32_t honeConstant(HoneResident **slot, const void *data, size_t bytes,
                     void **pointer) {
  return getResident(slot, nullptr, data, bytes, pointer);
}

int32_t honeAssertion(HoneResident **slot, const char *text, void **pointer) {
  return getResident(slot, text, nullptr, sizeof(int32_t), pointer);
}

/// Frees a block, which no longer exists where the driver has ended.
static int32_t freeBlock(const Driver &driver, cu::Context context,
                         Block &block) {
  cu::Context before = nullptr;
  cu::Result ended = driver.cuCtxGetCurrent(&before);
  if (ended == cu::ERROR_DEINITIALIZED) {
    block = {};
    return HONE_OK;
  }
  if (int32_t status = check(driver, "cuCtxGetCurrent", ended))
    return status;
  if (int32_t status =
          check(driver, "cuCtxSetCurrent", driver.cuCtxSetCurrent(context)))
    return status;
  int32_t status = check(driver, "cuMemFree", driver.cuMemFree(block.address));
  if (!status)
    block = {};
  cu::Result error = driver.cuCtxSetCurrent(before);
  return status ? status : check(driver, "cuCtxSetCurrent", error);
}

static int32_t freeBlocks(HoneResident &resident) {
  for (auto &[key, block] : resident.blocks)
    if (block.address)
      if (int32_t status = freeBlock(*key.first, key.second, block))
        return status;
  return HONE_OK;
}

void honeReleaseResident(HoneResident **slot) {
  HoneResident *resident = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  if (!resident || report(freeBlocks(*resident)))
    return;
  {
    std::lock_guard<std::mutex> lock(roster().mutex);
    roster().all.erase(resident);
  }
  __atomic_store_n(slot, static_cast<HoneResident *>(nullptr),
                   __ATOMIC_RELEASE);
  delete resident;
}

/// Reads and clears a flag, in the order of the thread's stream.
static int32_t takeFlag(const Place &place, cu::Address flag, int32_t &value) {
  const Driver &driver = *place.driver;
  if (int32_t status = check(
          driver, "cuMemcpyDtoHAsync",
          driver.cuMemcpyDtoHAsync(&value, flag, sizeof(value), place.stream)))
    return status;
  if (int32_t status = synchronize(driver, place.stream))
    return status;
  if (value == 0)
    return HONE_OK;
  return check(driver, "cuMemsetD8Async",
               driver.cuMemsetD8Async(flag, 0, sizeof(value), place.stream));
}

int32_t honeTakeAssertion(const char **text) {
  *text = nullptr;
  return inPlace([&](const Place &place) -> int32_t {
    std::lock_guard<std::mutex> lock(roster().mutex);
    for (HoneResident *resident : roster().all) {
      if (!resident->text)
        continue;
      std::lock_guard<std::mutex> own(resident->mutex);
      auto known = resident->blocks.find({place.driver, place.context});
      if (known == resident->blocks.end())
        continue;
      int32_t value = 0;
      if (int32_t status = takeFlag(place, known->second.address, value))
        return status;
      if (value) {
        *text = resident->text;
        return HONE_OK;
      }
    }
    return HONE_OK;
  });
}
