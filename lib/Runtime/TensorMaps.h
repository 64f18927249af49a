//===- TensorMaps.h - Cache of encoded tensor maps --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encoding a tensor map takes the driver longer than the rest of a launch, and
// most programs launch on the same few matrices. So each tensor map of a plan
// caches its last encodings by their input values.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_RUNTIME_TENSORMAPS_H
#define HONE_LIB_RUNTIME_TENSORMAPS_H

#include "Error.h"
#include <atomic>
#include <mutex>
#include <string_view>

namespace hone {

/// A plan's name for the elements of a tensor map.
struct MapElement {
  std::string_view name;
  int64_t bytes;
  cu::TensorMapType type;
};

inline constexpr MapElement kMapElements[] = {
    {"f16", 2, cu::TENSOR_MAP_FLOAT16},    {"bf16", 2, cu::TENSOR_MAP_BFLOAT16},
    {"f32", 4, cu::TENSOR_MAP_FLOAT32},    {"tf32", 4, cu::TENSOR_MAP_TFLOAT32},
    {"f8E4M3FN", 1, cu::TENSOR_MAP_UINT8}, {"f8E5M2", 1, cu::TENSOR_MAP_UINT8},
    {"i8", 1, cu::TENSOR_MAP_UINT8},       {"i32", 4, cu::TENSOR_MAP_INT32},
};

/// The element type of this name, or null.
inline const MapElement *findMapElement(std::string_view name) {
  for (const MapElement &element : kMapElements)
    if (element.name == name)
      return &element;
  return nullptr;
}

/// The inputs of a tensor map at a launch: its address, `rank` extents and
/// `rank - 1` strides in bytes, in this order. For a window, they are followed
/// by its lower corners, upper corners and steps, one of each for every
/// dimension of pixels.
struct TensorMapKey {
  static constexpr unsigned maxRank = 5, maxPixels = maxRank - 2,
                            maxWords = 2 * maxRank + 3 * maxPixels;
  uint64_t words[maxWords];
  unsigned rank;
  unsigned pixels = 0; ///< dimensions of pixels; 0: no window

  unsigned size() const { return 2 * rank + 3 * pixels; }
  const uint64_t *dims() const { return words + 1; }
  const uint64_t *strides() const { return words + 1 + rank; }
  const uint64_t *lower() const { return words + 2 * rank; }
  const uint64_t *upper() const { return lower() + pixels; }
  const uint64_t *steps() const { return upper() + pixels; }
};

/// The constant inputs of a tensor map. The box of a window is channels, then
/// pixels.
struct TensorMapShape {
  cu::TensorMapType type;
  cu::TensorMapSwizzle swizzle;
  unsigned rank;
  uint32_t box[TensorMapKey::maxRank];
  bool isWindow;
};

/// The limits of windows, by the number of dimensions of pixels: their corners
/// are numbers of so many bits with a sign, and offsets without one.
constexpr int64_t windowBits(size_t pixels) {
  return pixels == 1 ? 16 : pixels == 2 ? 8 : 5;
}
/// The largest distance of adjacent windows.
inline constexpr int64_t kMaxWindowStep = 8;

/// Sixteen entries; one not used recently is replaced. Readers take no lock: an
/// entry has a sequence number that is odd during a write, and a reader that
/// sees it change treats the entry as a miss. A miss is always correct, only
/// slower.
class TensorMapCache {
public:
  bool find(const TensorMapKey &key, cu::TensorMap &map);
  void insert(const TensorMapKey &key, const cu::TensorMap &map);

private:
  static constexpr unsigned kEntries = 16, kMapWords = 16;

  struct Entry {
    std::atomic<uint32_t> sequence{0};
    std::atomic<uint64_t> key[TensorMapKey::maxWords] = {};
    std::atomic<uint64_t> map[kMapWords] = {};
  };

  bool read(const Entry &entry, const TensorMapKey &key, cu::TensorMap &map);

  /// Hashes of the keys, stored contiguously, so that a search stays in two
  /// cache lines. 0 marks an empty entry.
  std::atomic<uint64_t> hashes[kEntries] = {};
  std::atomic<bool> used[kEntries] = {};
  Entry entries[kEntries];
  std::mutex mutex; ///< for writers
  unsigned hand = 0;
};

/// The tensor map for `key`, from the cache or the driver.
int32_t getTensorMap(const Driver &driver, const TensorMapShape &shape,
                     const TensorMapKey &key, TensorMapCache &cache,
                     cu::TensorMap &map);

} // namespace hone

#endif // HONE_LIB_RUNTIME_TENSORMAPS_H
