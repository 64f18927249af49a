//===- AtOnce.cpp - Checks of concurrent launches -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs, branches of graphs and threads have their own workspaces. The kernel
// runs for some milliseconds and counts other launches in its workspace.
//
//===----------------------------------------------------------------------===//

#include "Smoke.h"
#include <algorithm>
#include <atomic>
#include <thread>

using namespace hone;
using namespace hone::test;

namespace {
/// A stream that belongs to the thread during this object's lifetime.
struct OwnStream {
  OwnStream() {
    driver->cuStreamCreate(&stream, cu::STREAM_NON_BLOCKING);
    honeSetStream(stream);
  }
  ~OwnStream() {
    driver->cuStreamSynchronize(stream);
    driver->cuStreamDestroy(stream);
    honeSetStream(nullptr);
  }
  cu::Stream stream;
};

/// Launches that detect each other if they share one workspace.
struct Alone {
  Alone() : plan("out", lines()), out(1) {
    out.write(std::vector<uint32_t>{0});
    honeSynchronize();
  }
  static std::string lines() {
    return "workspace 4 zero\nlaunch smoke_alone\nparam ptr out\n"
           "param ptr ws\n";
  }
  int32_t launch() { return plan({out.address()}); }
  /// The number of launches that detected another, after `count` concurrent
  /// ones.
  uint32_t met() {
    driver->cuCtxSynchronize();
    return out.read()[0];
  }

  Plan plan;
  Words out;
};
} // namespace

/// `count` launches, captured on `stream`.
static cu::GraphExec captureAlone(Alone &alone, cu::Stream stream, int count,
                                  bool &good) {
  cu::Graph graph;
  cu::GraphExec exec = nullptr;
  good &= !driver->cuStreamBeginCapture(stream, cu::CAPTURE_GLOBAL);
  for (int i = 0; i < count; ++i)
    good &= alone.launch() == HONE_OK;
  good &= !driver->cuStreamEndCapture(stream, &graph) &&
          !driver->cuGraphInstantiate(&exec, graph, 0);
  // The executable keeps the workspace.
  driver->cuGraphDestroy(graph);
  return exec;
}

/// Launches with a shared buffer must detect each other on this GPU.
static void checkOverlapShows() {
  Plan plan("out both", "launch smoke_alone\nparam ptr out\nparam ptr both\n");
  Words out(1), shared(1);
  out.write(std::vector<uint32_t>{0});
  shared.write(std::vector<uint32_t>{0});
  honeSynchronize();
  bool good = true;
  {
    OwnStream one, two;
    for (int i = 0; i < 4; ++i)
      for (cu::Stream stream : {one.stream, two.stream}) {
        honeSetStream(stream);
        good &= plan({out.address(), shared.address()}) == HONE_OK;
      }
  }
  uint32_t met = out.read()[0];
  result("overlap_shows", good && met > 0, honeLastError());
}

static void checkGraphsAtOnce() {
  Alone alone;
  bool good = true;
  uint32_t met;
  {
    OwnStream other, stream;
    cu::GraphExec one = captureAlone(alone, stream.stream, 4, good);
    cu::GraphExec two = captureAlone(alone, stream.stream, 4, good);
    for (int i = 0; good && i < 3; ++i)
      good &= !driver->cuGraphLaunch(one, stream.stream) &&
              !driver->cuGraphLaunch(two, other.stream);
    // The graphs are destroyed while they run.
    driver->cuGraphExecDestroy(one);
    driver->cuGraphExecDestroy(two);
    // A launch on the stream of the capture, and one of a new graph.
    honeSetStream(other.stream);
    good &= alone.launch() == HONE_OK;
    honeSetStream(stream.stream);
    cu::GraphExec three = captureAlone(alone, stream.stream, 4, good);
    good &= !driver->cuGraphLaunch(three, stream.stream);
    met = alone.met();
    driver->cuGraphExecDestroy(three);
  }
  result("graphs_of_one_stream_at_once", good && met == 0,
         std::string(honeLastError()) + " (" + std::to_string(met) + " met)");
}

/// Two branches of one capture, which the graph may run at once.
static void checkBranches() {
  Alone alone;
  bool good = true;
  uint32_t met;
  {
    OwnStream branch, stream;
    cu::Event fork, join;
    cu::Graph graph;
    cu::GraphExec exec = nullptr;
    driver->cuEventCreate(&fork, cu::EVENT_DISABLE_TIMING);
    driver->cuEventCreate(&join, cu::EVENT_DISABLE_TIMING);
    driver->cuStreamBeginCapture(stream.stream, cu::CAPTURE_GLOBAL);
    driver->cuEventRecord(fork, stream.stream);
    driver->cuStreamWaitEvent(branch.stream, fork, 0);
    for (int i = 0; i < 4; ++i)
      for (cu::Stream each : {stream.stream, branch.stream}) {
        honeSetStream(each);
        good &= alone.launch() == HONE_OK;
      }
    driver->cuEventRecord(join, branch.stream);
    driver->cuStreamWaitEvent(stream.stream, join, 0);
    good &= !driver->cuStreamEndCapture(stream.stream, &graph) &&
            !driver->cuGraphInstantiate(&exec, graph, 0) &&
            !driver->cuGraphLaunch(exec, stream.stream);
    met = alone.met();
    driver->cuGraphExecDestroy(exec);
    driver->cuGraphDestroy(graph);
    driver->cuEventDestroy(fork);
    driver->cuEventDestroy(join);
  }
  result("branches_of_a_capture_at_once", good && met == 0,
         std::string(honeLastError()) + " (" + std::to_string(met) + " met)");
}

static void checkThreads() {
  Alone alone;
  std::atomic<bool> good{true};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      honeSetDevice(0);
      honeSetStream(cu::streamPerThread());
      for (int j = 0; j < 4; ++j)
        if (alone.launch() != HONE_OK)
          good = false;
      // Driver 580 hangs where a thread ends before the work on its stream.
      honeSynchronize();
    });
  for (std::thread &thread : threads)
    thread.join();
  uint32_t met = alone.met();
  result("stream_per_thread", good && met == 0,
         std::string(honeLastError()) + " (" + std::to_string(met) + " met)");
}

/// A sequence of graphs needs no more memory than one.
static void checkGraphsMemory() {
  constexpr int64_t bytes = int64_t(1) << 30;
  Plan plan("out bytes", "workspace bytes zero\nlaunch smoke_count\n"
                         "param ptr out\nparam ptr ws\n");
  Words out(1);
  OwnStream stream;
  size_t min = SIZE_MAX, before = 0, now, total;
  driver->cuMemGetInfo(&before, &total);
  bool good = true;
  for (int i = 0; good && i < 20; ++i) {
    cu::Graph graph;
    driver->cuStreamBeginCapture(stream.stream, cu::CAPTURE_GLOBAL);
    good &= plan({out.address(), bytes}) == HONE_OK;
    good &= !driver->cuStreamEndCapture(stream.stream, &graph);
    driver->cuGraphDestroy(graph);
    driver->cuMemGetInfo(&now, &total);
    min = std::min(min, now);
  }
  result("graphs_give_memory_back", good && before - min < 3 * size_t(bytes),
         std::string(honeLastError()) + " (" +
             std::to_string((before - min) >> 20) + " MiB in use)");
}

void hone::test::checkLaunchesAtOnce() {
  checkOverlapShows();
  checkGraphsAtOnce();
  checkBranches();
  checkThreads();
  checkGraphsMemory();
}
