//===- Workspace.h - Scratch memory of kernels ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that split K need memory between their launches or blocks.
// Consecutive launches can share memory; launches that may run at once must
// not. Two owners order their launches, and each has memory of its own:
//
// | owner                | order of its launches          | lifetime         |
// |----------------------|--------------------------------|------------------|
// | a stream             | that of the stream             | the process's;   |
// |                      |                                | the thread's for |
// |                      |                                | CU_STREAM_PER_-  |
// |                      |                                | THREAD           |
// | a stream's part of a | that of the graph; the runs of | until the last   |
// | capture              | one executable follow each     | graph with it is |
// |                      | other                          | destroyed        |
//
// So two graphs captured on one stream can run at once, and so can the branches
// of one capture.
//
// Each owner has separate memory for zeroed requests: launches leave the start
// of it cleared, and leave any data in the other.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_RUNTIME_WORKSPACE_H
#define HONE_LIB_RUNTIME_WORKSPACE_H

#include "Context.h"

namespace hone {

/// Returns at least `bytes` (more than 0) of memory for the next launch on the
/// stream of `place`. If `zeroed`, it was cleared at its allocation, and only
/// launches that request zeroed memory use it.
int32_t getWorkspace(const Place &place, int64_t bytes, bool zeroed,
                     cu::Address &address);

//===----------------------------------------------------------------------===//
// The parts
//===----------------------------------------------------------------------===//

struct Block {
  cu::Address address = 0;
  int64_t bytes = 0;
};

/// A number unique among all threads for the calling thread, if `stream` is
/// CU_STREAM_PER_THREAD; 0 for other streams.
uint64_t threadOf(cu::Stream stream);

/// The size to allocate for an owner that needs `bytes` and has `old`. Each
/// block is at least twice the one before, so all the old ones together are
/// smaller than the one in use.
int64_t blockBytes(int64_t bytes, const Block *old);

/// A private stream for allocations. On the caller's stream, a capture would
/// make them part of the graph, valid only while it runs. No work of the caller
/// is on this stream, so its waits are short.
class OwnStream {
public:
  /// Allocates `block.bytes`.
  int32_t allocate(Block &block);
  /// Waits until it is done.
  int32_t clear(const Block &block);
  /// Copies host memory into the block, and waits until it is done.
  int32_t fill(const Block &block, const void *data);
  int32_t synchronize();
  /// Frees a block that is no longer used.
  int32_t free(const Block &block);

private:
  explicit OwnStream(const Driver &driver) : driver(driver) {}
  int32_t create();
  /// Returns `status`, or this call's failure if `status` is HONE_OK.
  int32_t destroy(int32_t status);

  template <typename Body>
  friend int32_t withOwnStream(const Driver &driver, Body body);

  const Driver &driver;
  cu::Stream stream = nullptr;
};

/// Runs `body` with a private stream. Returns the first failure: of creating
/// the stream, of the body, or of destroying it.
template <typename Body>
int32_t withOwnStream(const Driver &driver, Body body) {
  return inRelaxedMode(driver, [&]() -> int32_t {
    OwnStream own(driver);
    if (int32_t status = own.create())
      return status;
    return own.destroy(body(own));
  });
}

/// Allocates `block.bytes` and, if `zeroed`, clears them. On failure nothing
/// stays allocated.
int32_t makeBlock(OwnStream &own, bool zeroed, Block &block);

/// A capture that a stream takes part in.
struct Capture {
  uint64_t id;
  cu::Graph graph;
};

/// True if `driver` can report the capture of a stream, and keep memory for the
/// lifetime of a graph.
inline bool canOwnByGraph(const Driver &driver) {
  return driver.cuStreamGetCaptureInfo && driver.cuUserObjectCreate &&
         driver.cuUserObjectRelease && driver.cuGraphRetainUserObject;
}

/// `getWorkspace` for a stream that is being captured.
int32_t getGraphWorkspace(const Place &place, const Capture &capture,
                          int64_t bytes, bool zeroed, cu::Address &address);

} // namespace hone

#endif // HONE_LIB_RUNTIME_WORKSPACE_H
