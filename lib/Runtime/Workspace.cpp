//===- Workspace.cpp - Scratch memory of kernels --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer grows to the largest size that was asked for and stays. Blocks it
// has outgrown stay too: a captured graph may have their address, and nobody
// tells us when the graph is gone. Each block is at least twice the one before,
// so all the old ones together are smaller than the one in use.
//
// New blocks are allocated and cleared on a stream of our own. On the caller's
// it would become part of the graph if that stream is being captured, and be
// there only while the graph runs. The wait at the end is for that stream only:
// nothing of the caller's is on it.
//
//===----------------------------------------------------------------------===//

#include "Workspace.h"
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <tuple>

using namespace hone;

namespace {

struct Block {
  cu::Address address;
  int64_t bytes;
  const Block *outgrown;
};

struct Buffer {
  std::mutex mutex; ///< for growing
  std::atomic<const Block *> block{nullptr};
};

using Key = std::tuple<const Driver *, cu::Context, cu::Stream, bool>;

constexpr int64_t kSmallest = 1 << 16;

} // namespace

/// Buffers live as long as the process.
static Buffer &findBuffer(const Key &key) {
  static std::mutex mutex;
  static auto &buffers = *new std::map<Key, Buffer>();
  std::lock_guard<std::mutex> lock(mutex);
  return buffers[key];
}

static int32_t allocateCleared(const Driver &driver, cu::Stream own,
                               int64_t bytes, bool zeroed,
                               cu::Address &address) {
  if (int32_t status = allocate(driver, own, bytes, address))
    return status;
  if (zeroed)
    if (int32_t status = check(driver, "cuMemsetD8Async",
                               driver.cuMemsetD8Async(address, 0, bytes, own)))
      return status;
  return check(driver, "cuStreamSynchronize", driver.cuStreamSynchronize(own));
}

static int32_t makeBlock(const Driver &driver, int64_t bytes, bool zeroed,
                         Block &block) {
  RelaxedCapture relaxed(driver);
  cu::Stream own;
  if (int32_t status =
          check(driver, "cuStreamCreate",
                driver.cuStreamCreate(&own, cu::STREAM_NON_BLOCKING)))
    return status;
  int32_t status = allocateCleared(driver, own, bytes, zeroed, block.address);
  block.bytes = bytes;
  driver.cuStreamDestroy(own);
  return status;
}

static int32_t grow(const Driver &driver, Buffer &buffer, int64_t bytes,
                    bool zeroed, const Block *&block) {
  std::lock_guard<std::mutex> lock(buffer.mutex);
  const Block *old = buffer.block.load(std::memory_order_relaxed);
  if (old && old->bytes >= bytes) {
    block = old; // another thread was faster
    return HONE_OK;
  }
  Block fresh = {0, 0, old};
  int64_t wanted = std::max({bytes, kSmallest, old ? 2 * old->bytes : 0});
  if (int32_t status = makeBlock(driver, wanted, zeroed, fresh))
    return status;
  block = new Block(fresh);
  buffer.block.store(block, std::memory_order_release);
  return HONE_OK;
}

int32_t hone::getWorkspace(const Place &place, int64_t bytes, bool zeroed,
                           cu::Address &address) {
  // A thread mostly stays on its stream.
  static thread_local Key lastKey;
  static thread_local Buffer *last = nullptr;
  Key key(place.driver, place.context, place.stream, zeroed);
  if (!last || key != lastKey) {
    last = &findBuffer(key);
    lastKey = key;
  }
  const Block *block = last->block.load(std::memory_order_acquire);
  if (!block || block->bytes < bytes)
    if (int32_t status = grow(*place.driver, *last, bytes, zeroed, block))
      return status;
  address = block->address;
  return HONE_OK;
}
