//===- TensorMaps.cpp - Cache of encoded tensor maps ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache, and the calls of the driver's encoders. Values that the encoder
// would reject with "invalid argument" are checked first, so that the error
// names one.
//
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"

using namespace hone;

/// Never 0.
static uint64_t hashOf(const TensorMapKey &key) {
  uint64_t hash = 0x9e3779b97f4a7c15;
  for (unsigned i = 0; i < key.size(); ++i) {
    hash = (hash ^ key.words[i]) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash | 1;
}

bool TensorMapCache::read(const Entry &entry, const TensorMapKey &key,
                          cu::TensorMap &map) {
  uint32_t before = entry.sequence.load(std::memory_order_acquire);
  if (before & 1)
    return false;
  for (unsigned i = 0; i < key.size(); ++i)
    if (entry.key[i].load(std::memory_order_relaxed) != key.words[i])
      return false;
  for (unsigned i = 0; i < kMapWords; ++i)
    map.opaque[i] = entry.map[i].load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  return entry.sequence.load(std::memory_order_relaxed) == before;
}

bool TensorMapCache::find(const TensorMapKey &key, cu::TensorMap &map) {
  uint64_t hash = hashOf(key);
  for (unsigned i = 0; i < kEntries; ++i) {
    if (hashes[i].load(std::memory_order_relaxed) != hash ||
        !read(entries[i], key, map))
      continue;
    // Written only when it changes, so the line stays in every core's cache.
    if (!used[i].load(std::memory_order_relaxed))
      used[i].store(true, std::memory_order_relaxed);
    return true;
  }
  return false;
}

void TensorMapCache::insert(const TensorMapKey &key, const cu::TensorMap &map) {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t hash = hashOf(key);
  for (const std::atomic<uint64_t> &other : hashes)
    if (other.load(std::memory_order_relaxed) == hash)
      return; // another thread was faster
  while (used[hand].exchange(false, std::memory_order_relaxed))
    hand = (hand + 1) % kEntries;
  Entry &entry = entries[hand];
  uint32_t before = entry.sequence.load(std::memory_order_relaxed);
  entry.sequence.store(before + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  for (unsigned i = 0; i < key.size(); ++i)
    entry.key[i].store(key.words[i], std::memory_order_relaxed);
  for (unsigned i = 0; i < kMapWords; ++i)
    entry.map[i].store(map.opaque[i], std::memory_order_relaxed);
  entry.sequence.store(before + 2, std::memory_order_release);
  hashes[hand].store(hash, std::memory_order_relaxed);
  used[hand].store(true, std::memory_order_relaxed);
  hand = (hand + 1) % kEntries;
}

template <typename T>
static int32_t failKey(const std::string &expected, T got) {
  return fail(HONE_BAD_PLAN, "expected a tensor map with " + expected +
                                 ", but got " + std::to_string(got));
}

static int32_t checkWindow(const TensorMapKey &key) {
  int64_t max = int64_t(1) << (windowBits(key.pixels) - 1);
  for (unsigned i = 0; i < 2 * key.pixels; ++i)
    if (int64_t corner = key.lower()[i]; corner < -max || corner >= max)
      return failKey("corners from " + std::to_string(-max) + " to " +
                         std::to_string(max - 1),
                     corner);
  for (unsigned i = 0; i < key.pixels; ++i) {
    if (key.steps()[i] < 1 || key.steps()[i] > kMaxWindowStep)
      return failKey("steps from 1 to " + std::to_string(kMaxWindowStep),
                     int64_t(key.steps()[i]));
    int64_t last = key.dims()[1 + i] - 1 + key.upper()[i];
    if (int64_t(key.lower()[i]) > last)
      return failKey("a lower corner of at most " + std::to_string(last),
                     int64_t(key.lower()[i]));
  }
  return HONE_OK;
}

static int32_t checkKey(const TensorMapKey &key) {
  if (key.words[0] % 16 != 0)
    return failKey("an address that is a multiple of 16", key.words[0]);
  for (unsigned i = 0; i < key.rank; ++i)
    if (key.dims()[i] < 1 || key.dims()[i] > uint64_t(1) << 32)
      return failKey("extents from 1 to 4294967296", key.dims()[i]);
  for (unsigned i = 0; i + 1 < key.rank; ++i)
    if (key.strides()[i] % 16 != 0 || key.strides()[i] >= uint64_t(1) << 40)
      return failKey("strides that are multiples of 16 bytes below 2^40",
                     key.strides()[i]);
  return key.pixels ? checkWindow(key) : HONE_OK;
}

// With an L2 promotion of 128 bytes the copy engine reads only the needed parts
// of these. With 256 it would read more than a box: 1 to 3 % slower if the bus
// is the limit, and 7 to 13 % if lines start within a sector.
static constexpr auto kPromotion = cu::TENSOR_MAP_L2_128B;

static int32_t encodeWindow(const Driver &driver, const TensorMapShape &shape,
                            const TensorMapKey &key, cu::TensorMap &map) {
  int lower[TensorMapKey::maxPixels], upper[TensorMapKey::maxPixels];
  uint32_t steps[TensorMapKey::maxRank] = {1, 1, 1, 1, 1};
  for (unsigned i = 0; i < key.pixels; ++i) {
    lower[i] = int64_t(key.lower()[i]), upper[i] = int64_t(key.upper()[i]);
    steps[1 + i] = key.steps()[i];
  }
  return check(driver, "cuTensorMapEncodeIm2col",
               driver.cuTensorMapEncodeIm2col(
                   &map, shape.type, shape.rank,
                   reinterpret_cast<void *>(key.words[0]), key.dims(),
                   key.strides(), lower, upper, shape.box[0], shape.box[1],
                   steps, cu::TENSOR_MAP_INTERLEAVE_NONE, shape.swizzle,
                   kPromotion, cu::TENSOR_MAP_OOB_ZERO));
}

static int32_t encodeTiles(const Driver &driver, const TensorMapShape &shape,
                           const TensorMapKey &key, cu::TensorMap &map) {
  constexpr uint32_t elementStrides[TensorMapKey::maxRank] = {1, 1, 1, 1, 1};
  return check(driver, "cuTensorMapEncodeTiled",
               driver.cuTensorMapEncodeTiled(
                   &map, shape.type, shape.rank,
                   reinterpret_cast<void *>(key.words[0]), key.dims(),
                   key.strides(), shape.box, elementStrides,
                   cu::TENSOR_MAP_INTERLEAVE_NONE, shape.swizzle, kPromotion,
                   cu::TENSOR_MAP_OOB_ZERO));
}

int32_t hone::getTensorMap(const Driver &driver, const TensorMapShape &shape,
                           const TensorMapKey &key, TensorMapCache &cache,
                           cu::TensorMap &map) {
  if (cache.find(key, map))
    return HONE_OK;
  if (int32_t status = checkKey(key))
    return status;
  auto encode = shape.isWindow ? encodeWindow : encodeTiles;
  if (int32_t status = encode(driver, shape, key, map))
    return status;
  cache.insert(key, map);
  return HONE_OK;
}
