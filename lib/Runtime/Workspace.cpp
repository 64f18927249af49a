//===- Workspace.cpp - Scratch memory of kernels --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of streams; for captures see GraphWorkspace.cpp.
//
// A buffer grows to the largest requested size and stays. Blocks that it has
// outgrown stay too: another thread that launches on the stream may have just
// read their address.
//
// Streams are identified by their handles. A handle is reused after its stream
// was destroyed, which the driver does when the stream's work is done; so the
// new stream finds the memory as the old one left it.
//
//===----------------------------------------------------------------------===//

#include "Workspace.h"
#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>

using namespace hone;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

int64_t hone::blockBytes(int64_t bytes, const Block *old) {
  constexpr int64_t kSmallest = 1 << 16;
  return std::max({bytes, kSmallest, old ? 2 * old->bytes : 0});
}

int32_t OwnStream::create() {
  return check(driver, "cuStreamCreate",
               driver.cuStreamCreate(&stream, cu::STREAM_NON_BLOCKING));
}

int32_t OwnStream::destroy(int32_t status) {
  cu::Result error = driver.cuStreamDestroy(stream);
  return status ? status : check(driver, "cuStreamDestroy", error);
}

int32_t OwnStream::allocate(Block &block) {
  return hone::allocate(driver, stream, block.bytes, block.address);
}

int32_t OwnStream::clear(const Block &block) {
  if (int32_t status =
          check(driver, "cuMemsetD8Async",
                driver.cuMemsetD8Async(block.address, 0, block.bytes, stream)))
    return status;
  return synchronize();
}

int32_t OwnStream::fill(const Block &block, const void *data) {
  if (int32_t status = check(
          driver, "cuMemcpyHtoDAsync",
          driver.cuMemcpyHtoDAsync(block.address, data, block.bytes, stream)))
    return status;
  return synchronize();
}

int32_t OwnStream::synchronize() { return hone::synchronize(driver, stream); }

int32_t OwnStream::free(const Block &block) {
  return release(driver, stream, block.address);
}

int32_t hone::makeBlock(OwnStream &own, bool zeroed, Block &block) {
  if (int32_t status = own.allocate(block))
    return status;
  int32_t status = zeroed ? own.clear(block) : own.synchronize();
  if (!status)
    return HONE_OK;
  std::string why = notedText();
  (void)own.free(block);
  block.address = 0;
  return fail(static_cast<HoneStatus>(status), why);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

namespace {

struct StreamBlock : Block {
  std::unique_ptr<StreamBlock> outgrown;
};

struct Buffer {
  ~Buffer() { delete block.load(std::memory_order_relaxed); }

  std::mutex mutex; ///< for growing
  std::atomic<StreamBlock *> block{nullptr};
};

struct Key {
  const Driver *driver;
  cu::Context context;
  cu::Stream stream;
  uint64_t thread; ///< of CU_STREAM_PER_THREAD; 0 for other streams
  bool zeroed;

  auto tied() const {
    return std::tie(thread, driver, context, stream, zeroed);
  }
  bool operator<(const Key &other) const { return tied() < other.tied(); }
  bool operator==(const Key &other) const { return tied() == other.tied(); }
};

/// All buffers. Never destroyed: threads may launch until the process ends.
struct Table {
  std::mutex mutex;
  std::map<Key, Buffer> buffers;
  /// The numbers of ended threads whose buffers remain.
  std::set<uint64_t> ended;
};

} // namespace

static Table &table() {
  static Table &instance = *new Table();
  return instance;
}

static Buffer &findBuffer(const Key &key) {
  std::lock_guard<std::mutex> lock(table().mutex);
  return table().buffers[key];
}

static int32_t grow(const Driver &driver, Buffer &buffer, int64_t bytes,
                    bool zeroed, const StreamBlock *&block) {
  std::lock_guard<std::mutex> lock(buffer.mutex);
  StreamBlock *old = buffer.block.load(std::memory_order_relaxed);
  if (old && old->bytes >= bytes) {
    block = old; // another thread was faster
    return HONE_OK;
  }
  auto fresh = std::make_unique<StreamBlock>();
  fresh->bytes = blockBytes(bytes, old);
  return withOwnStream(driver, [&](OwnStream &own) -> int32_t {
    if (int32_t status = makeBlock(own, zeroed, *fresh))
      return status;
    fresh->outgrown.reset(old);
    block = fresh.get();
    buffer.block.store(fresh.release(), std::memory_order_release);
    return HONE_OK;
  });
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Takes the buffers of ended threads out of the table.
static std::map<Key, Buffer> takeEnded(uint64_t thread) {
  std::map<Key, Buffer> ended;
  std::lock_guard<std::mutex> lock(table().mutex);
  auto &all = table().buffers;
  table().ended.insert(thread);
  for (uint64_t number : table().ended)
    for (auto it = all.lower_bound({nullptr, nullptr, nullptr, number, false});
         it != all.end() && it->first.thread == number;) {
      auto next = std::next(it);
      ended.insert(all.extract(it));
      it = next;
    }
  table().ended.clear();
  return ended;
}

/// Frees the blocks in the current context, the newest first; on failure the
/// rest stays in the buffer.
static int32_t freeBlocks(const Key &key, Buffer &buffer) {
  while (StreamBlock *block = buffer.block.load()) {
    if (int32_t status = release(*key.driver, key.stream, block->address))
      return status;
    buffer.block.store(block->outgrown.release());
    delete block;
  }
  return HONE_OK;
}

static int32_t freeInContext(const Key &key, Buffer &buffer) {
  const Driver &driver = *key.driver;
  cu::Context before = nullptr;
  if (int32_t status =
          check(driver, "cuCtxGetCurrent", driver.cuCtxGetCurrent(&before)))
    return status;
  if (int32_t status =
          check(driver, "cuCtxSetCurrent", driver.cuCtxSetCurrent(key.context)))
    return status;
  int32_t status = freeBlocks(key, buffer);
  cu::Result error = driver.cuCtxSetCurrent(before);
  return status ? status : check(driver, "cuCtxSetCurrent", error);
}

/// Frees a thread's buffers in the order of its stream, which still exists: the
/// driver's own data of the thread is older than this object and is destroyed
/// later. A failed free is repeated when the next thread ends.
static void freeBuffersOf(uint64_t thread) {
  std::map<Key, Buffer> ended = takeEnded(thread);
  while (!ended.empty()) {
    auto buffer = ended.extract(ended.begin());
    report(freeInContext(buffer.key(), buffer.mapped()));
    if (!buffer.mapped().block.load())
      continue;
    std::lock_guard<std::mutex> lock(table().mutex);
    table().ended.insert(buffer.key().thread);
    table().buffers.insert(std::move(buffer));
  }
}

/// The buffer of the thread's last launch: most threads stay on one stream.
static thread_local Key lastKey = {};
static thread_local Buffer *lastBuffer = nullptr;

/// A number unique among all threads, because the system reuses thread ids; 0
/// before the first use.
static thread_local uint64_t ownNumber = 0;

namespace {
/// Other thread-local destructors may launch after this one. They find the same
/// thread number, and their buffers are never freed.
struct ThreadEnd {
  ~ThreadEnd() {
    lastBuffer = nullptr;
    freeBuffersOf(ownNumber);
  }
};
} // namespace

static uint64_t threadNumber() {
  static std::atomic<uint64_t> threads{0};
  static thread_local ThreadEnd end;
  (void)end;
  if (!ownNumber)
    ownNumber = ++threads;
  return ownNumber;
}

uint64_t hone::threadOf(cu::Stream stream) {
  return stream == cu::streamPerThread() ? threadNumber() : 0;
}

static Key keyOf(const Place &place, bool zeroed) {
  // The default stream has two handles.
  bool isLegacy = place.stream == cu::streamLegacy();
  return {place.driver, place.context, isLegacy ? nullptr : place.stream,
          threadOf(place.stream), zeroed};
}

//===----------------------------------------------------------------------===//
// Workspace of the next launch
//===----------------------------------------------------------------------===//

static int32_t getStreamWorkspace(const Place &place, int64_t bytes,
                                  bool zeroed, cu::Address &address) {
  Key key = keyOf(place, zeroed);
  if (!lastBuffer || !(key == lastKey)) {
    lastBuffer = &findBuffer(key);
    lastKey = key;
  }
  const StreamBlock *block = lastBuffer->block.load(std::memory_order_acquire);
  if (!block || block->bytes < bytes)
    if (int32_t status = grow(*place.driver, *lastBuffer, bytes, zeroed, block))
      return status;
  address = block->address;
  return HONE_OK;
}

int32_t hone::getWorkspace(const Place &place, int64_t bytes, bool zeroed,
                           cu::Address &address) {
  const Driver &driver = *place.driver;
  // The default stream cannot be captured.
  bool mayCapture = place.stream && place.stream != cu::streamLegacy();
  if (!mayCapture || !canOwnByGraph(driver))
    return getStreamWorkspace(place, bytes, zeroed, address);
  cu::CaptureStatus status = cu::CAPTURE_NONE;
  Capture capture = {};
  if (int32_t failure = check(
          driver, "cuStreamGetCaptureInfo",
          driver.cuStreamGetCaptureInfo(place.stream, &status, &capture.id,
                                        &capture.graph, nullptr, nullptr)))
    return failure;
  if (__builtin_expect(status == cu::CAPTURE_ACTIVE, 0))
    return getGraphWorkspace(place, capture, bytes, zeroed, address);
  return getStreamWorkspace(place, bytes, zeroed, address);
}
