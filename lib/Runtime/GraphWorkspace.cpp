//===- GraphWorkspace.cpp - Scratch memory owned by a graph ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A captured launch runs whenever its graph does, so its memory belongs to no
// stream. Each block is the data of a user object that the graph holds. The
// driver gives a reference to every object made from the graph (an executable,
// one updated with it, a clone, a graph that has it as a child), takes it back
// when that object is destroyed and its last run is over, and calls `retire`
// when no reference is left.
//
//   capture   block -- user object -- graph -- executable ... destroyed
//                                                                |
//   next capture in the context   <-- retired blocks <-- retire -+
//
// `retire` runs where driver calls are not allowed: it only pushes the block on
// a list, without a lock. The next capture that needs a block takes one that
// fits from the list and frees the others.
//
//===----------------------------------------------------------------------===//

#include "Workspace.h"
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

using namespace hone;

namespace {

/// A stream's part of a capture.
struct Key {
  const Driver *driver;
  uint64_t capture; ///< unique in the process
  /// Its handle; the driver reports nothing else about a captured stream.
  cu::Stream stream;
  uint64_t thread; ///< of CU_STREAM_PER_THREAD; 0 for other streams
  bool zeroed;

  auto tied() const {
    return std::tie(driver, capture, stream, thread, zeroed);
  }
  bool operator<(const Key &other) const { return tied() < other.tied(); }
};

struct GraphBlock : Block {
  Key key;
  cu::Context context;
  GraphBlock *nextRetired = nullptr;
};

/// Never destroyed: the driver may retire blocks until the process ends.
struct Table {
  std::mutex mutex;
  /// The newest block of each key. If it is already retired, the capture is
  /// over and its key is not used again.
  std::map<Key, GraphBlock *> blocks;
};

} // namespace

static Table &table() {
  static Table &instance = *new Table();
  return instance;
}

static std::atomic<GraphBlock *> retired{nullptr};

/// Called when no graph has the block any more.
static void retire(void *data) {
  auto *block = static_cast<GraphBlock *>(data);
  block->nextRetired = retired.load(std::memory_order_relaxed);
  while (!retired.compare_exchange_weak(block->nextRetired, block,
                                        std::memory_order_release,
                                        std::memory_order_relaxed))
    ;
}

/// Takes the retired blocks of `place` from the list and removes their keys.
static std::vector<std::unique_ptr<GraphBlock>>
takeRetired(const Place &place) {
  std::vector<std::unique_ptr<GraphBlock>> taken;
  GraphBlock *it = retired.exchange(nullptr, std::memory_order_acquire);
  while (it) {
    GraphBlock *block = it;
    it = it->nextRetired;
    if (block->key.driver != place.driver || block->context != place.context) {
      retire(block);
      continue;
    }
    auto known = table().blocks.find(block->key);
    if (known != table().blocks.end() && known->second == block)
      table().blocks.erase(known);
    taken.emplace_back(block);
  }
  return taken;
}

/// Takes the smallest retired block of at least `bytes` and frees the others. A
/// block that cannot be freed stays retired.
static int32_t takeBest(const Place &place, OwnStream &own, int64_t bytes,
                        std::unique_ptr<GraphBlock> &best) {
  int32_t status = HONE_OK;
  for (std::unique_ptr<GraphBlock> &old : takeRetired(place)) {
    if (old->bytes >= bytes && (!best || old->bytes < best->bytes))
      std::swap(best, old);
    int32_t failure = old ? own.free(*old) : HONE_OK;
    if (!failure)
      continue;
    retire(old.release());
    status = failure;
  }
  return status;
}

/// Gets a block of at least `bytes`: a retired one that fits, or a new one of
/// `wanted`. On failure, `block` has the memory that must be retired.
static int32_t obtain(const Place &place, int64_t bytes, int64_t wanted,
                      bool zeroed, GraphBlock &block) {
  return withOwnStream(*place.driver, [&](OwnStream &own) -> int32_t {
    std::unique_ptr<GraphBlock> best;
    int32_t status = takeBest(place, own, bytes, best);
    if (best)
      static_cast<Block &>(block) = *best;
    if (status)
      return status;
    if (!best) {
      block.bytes = wanted;
      return makeBlock(own, zeroed, block);
    }
    // A graph that was edited, or whose run failed, may have left data in it.
    return zeroed ? own.clear(block) : HONE_OK;
  });
}

/// Makes `graph` the block's owner; on failure the block is retired.
static int32_t giveTo(const Driver &driver, cu::Graph graph,
                      GraphBlock *block) {
  cu::UserObject object;
  if (int32_t status = check(
          driver, "cuUserObjectCreate",
          driver.cuUserObjectCreate(&object, block, retire, /*references=*/1,
                                    cu::USER_OBJECT_NO_DESTRUCTOR_SYNC))) {
    retire(block);
    return status;
  }
  int32_t status =
      check(driver, "cuGraphRetainUserObject",
            driver.cuGraphRetainUserObject(graph, object, /*references=*/1,
                                           cu::GRAPH_USER_OBJECT_MOVE));
  if (status)
    driver.cuUserObjectRelease(object, 1); // retires it
  return status;
}

int32_t hone::getGraphWorkspace(const Place &place, const Capture &capture,
                                int64_t bytes, bool zeroed,
                                cu::Address &address) {
  Key key = {place.driver, capture.id, place.stream, threadOf(place.stream),
             zeroed};
  std::lock_guard<std::mutex> lock(table().mutex);
  auto known = table().blocks.find(key);
  const GraphBlock *old =
      known == table().blocks.end() ? nullptr : known->second;
  if (old && old->bytes >= bytes) {
    address = old->address;
    return HONE_OK;
  }
  auto fresh = std::make_unique<GraphBlock>();
  fresh->key = key;
  fresh->context = place.context;
  if (int32_t status =
          obtain(place, bytes, blockBytes(bytes, old), zeroed, *fresh)) {
    if (fresh->address)
      retire(fresh.release());
    return status;
  }
  GraphBlock *block = fresh.release();
  address = block->address;
  if (int32_t status = giveTo(*place.driver, capture.graph, block))
    return status;
  table().blocks[key] = block;
  return HONE_OK;
}
