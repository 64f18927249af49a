//===- Workspace.h - Scratch memory of kernels ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that split K need memory between their launches or blocks. Launches
// that follow each other can use the same; launches that may run at once must
// not. Who follows whom is known of two things, and each has memory of its own:
//
//   | owner                | launches follow each other     | the memory's end |
//   |----------------------|--------------------------------|------------------|
//   | a stream             | in its order                   | the process's; a |
//   |                      |                                | thread's, for    |
//   |                      |                                | CU_STREAM_PER_-  |
//   |                      |                                | THREAD           |
//   | a stream's part of a | in the graph, whose executions | that of the last |
//   | capture              | of one executable follow each  | graph that has   |
//   |                      | other                          | it               |
//
// So two graphs that were captured on one stream run at once, and so do the
// branches of one capture.
//
// What an owner's launches asked for zeroed is apart from what they did not:
// launches leave the start of the one cleared and anything in the other.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_RUNTIME_WORKSPACE_H
#define HONE_LIB_RUNTIME_WORKSPACE_H

#include "Context.h"

namespace hone {

/// At least `bytes` (more than 0) of memory for the next launch on the stream
/// of `place`. If `zeroed`, it was cleared when its owner got it, and only
/// launches that ask for it zeroed ever see it.
int32_t getWorkspace(const Place &place, int64_t bytes, bool zeroed,
                     cu::Address &address);

//===----------------------------------------------------------------------===//
// The parts
//===----------------------------------------------------------------------===//

struct Block {
  cu::Address address = 0;
  int64_t bytes = 0;
};

/// A number of the calling thread that no other thread ever has, if `stream` is
/// CU_STREAM_PER_THREAD; 0 for other streams.
uint64_t threadOf(cu::Stream stream);

/// How much to allocate for an owner that wants `bytes` and has `old`. Each
/// block is at least twice the one before, so that all the old ones together
/// are smaller than the one in use.
int64_t blockBytes(int64_t bytes, const Block *old);

/// A stream of ours, for memory that does not belong on the caller's: there it
/// would become part of the graph if that stream is being captured, and be
/// memory only while the graph runs. Nothing of the caller's is on it, so its
/// waits are short.
class OwnStream {
public:
  /// Allocates `block.bytes`.
  int32_t allocate(Block &block);
  /// Waits until it is done.
  int32_t clear(const Block &block);
  int32_t synchronize();
  /// Frees what nothing uses any more.
  int32_t free(const Block &block);

private:
  explicit OwnStream(const Driver &driver) : driver(driver) {}
  int32_t create();
  /// `status`, unless that is good and this fails.
  int32_t destroy(int32_t status);

  template <typename Body>
  friend int32_t withOwnStream(const Driver &driver, Body body);

  const Driver &driver;
  cu::Stream stream = nullptr;
};

/// The status of `body`, which gets a stream; of what makes or destroys that
/// one, if it is the first to fail.
template <typename Body>
int32_t withOwnStream(const Driver &driver, Body body) {
  return inRelaxedMode(driver, [&]() -> int32_t {
    OwnStream own(driver);
    if (int32_t status = own.create())
      return status;
    return own.destroy(body(own));
  });
}

/// Allocates `block.bytes` and, if `zeroed`, clears them. Nothing is left
/// behind where that fails.
int32_t makeBlock(OwnStream &own, bool zeroed, Block &block);

/// A capture that a stream takes part in.
struct Capture {
  uint64_t id;
  cu::Graph graph;
};

/// True if `driver` can say what a stream is captured into, and keep memory for
/// as long as a graph.
inline bool canOwnByGraph(const Driver &driver) {
  return driver.cuStreamGetCaptureInfo && driver.cuUserObjectCreate &&
         driver.cuUserObjectRelease && driver.cuGraphRetainUserObject;
}

/// `getWorkspace` for a stream that is being captured.
int32_t getGraphWorkspace(const Place &place, const Capture &capture,
                          int64_t bytes, bool zeroed, cu::Address &address);

} // namespace hone

#endif // HONE_LIB_RUNTIME_WORKSPACE_H
