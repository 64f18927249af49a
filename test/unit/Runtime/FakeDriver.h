//===- FakeDriver.h - A CUDA driver without a GPU ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver table whose functions record their arguments and do just enough for
// the runtime: contexts are per thread, libraries have the entry points that
// their bytes name, memory has addresses but no bytes. During its lifetime a
// FakeDriver is the driver of the process.
//
//   FakeDriver fake;
//   fake.failures["cuLaunchKernelEx"] = 1;
//   ... honeLaunch ...
//   EXPECT_EQ(fake.takeCalls(), "cuCtxGetCurrent cuLaunchKernelEx");
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_UNIT_RUNTIME_FAKEDRIVER_H
#define HONE_TEST_UNIT_RUNTIME_FAKEDRIVER_H

#include "hone-c/Runtime.h"
#include "hone/Runtime/Driver.h"
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace hone {
struct DriverState;
} // namespace hone

namespace hone::test {

class FakeDriver {
public:
  FakeDriver();
  ~FakeDriver();

  //===--- The machine ----------------------------------------------------===//
  int capability = 90;
  bool hasPools = true;
  std::string deviceName = "Fake H200";
  int processors = 132;
  int contextProcessors = 0; ///< of a green context; 0: the driver has none
  /// Blocks of any kernel that the device holds at once, for blocks in
  /// clusters; and that a processor holds, for others.
  int clusteredBlocks = 120, blocksPerProcessor = 1;
  /// The result that a function returns instead of doing its work.
  std::map<std::string, cu::Result> failures;
  /// The index of the one call, over all functions from 0, that fails with
  /// error 999; none if negative. `failedCall` is then its name.
  int64_t failingCall = -1;
  std::string failedCall;
  /// The log of the PTX compiler when cuLibraryLoadData fails.
  std::string jitLog;
  /// True: calls that a capture forbids fail, unless the thread's mode is
  /// relaxed.
  bool isCapturing = false;
  /// Sizes of the parameters of kernels, for reading them at a launch.
  std::map<std::string, std::vector<size_t>> paramSizes;
  /// Makes cuFuncGetParamInfo exist, as in newer drivers.
  void knowParams();
  /// Removes the functions for queries of captures and of graphs' lifetimes, as
  /// in older drivers.
  void forgetGraphs();

  //===--- Graphs ---------------------------------------------------------===//
  /// Starts the capture of `stream`. Returns the graph.
  cu::Graph beginCapture(size_t stream);
  /// `stream` joins the capture of `of`.
  void forkCapture(size_t of, size_t stream);
  /// Ends the capture of `stream` and of all that joined it.
  void endCapture(size_t stream);
  /// Another owner of the references of `graph`: an executable or a clone.
  cu::Graph copyGraph(cu::Graph graph);
  /// Releases its references. The last owner's end calls the destructors.
  void destroyGraph(cu::Graph graph);
  /// User objects that still have an owner.
  size_t liveObjects();

  //===--- Recorded calls -------------------------------------------------===//
  struct Launch {
    std::string entry;
    cu::Context context;
    cu::LaunchConfig config;
    std::vector<cu::LaunchAttribute> attributes;
    std::vector<std::string> params; ///< their bytes
  };
  std::vector<Launch> launches;
  std::map<cu::Address, size_t> allocations; ///< address -> bytes
  std::set<cu::Address> cleared;
  /// The words that copies from an address read; clearing removes them.
  std::map<cu::Address, int32_t> words;
  std::map<cu::Address, cu::Stream> freed; ///< on which stream
  unsigned librariesLoaded = 0, librariesUnloaded = 0;
  int64_t liveStreams = 0, liveEvents = 0;
  std::map<std::string, int> sharedLimits; ///< by kernel
  std::set<std::string> nonPortable;

  /// Names of the functions called since the last time, in order.
  std::string takeCalls();
  unsigned countCalls(const std::string &name);
  int64_t callCount = 0;
  /// Blocks of memory, streams, events and libraries that are not yet freed.
  std::map<std::string, int64_t> live();

  /// The current context of this thread, which starts with none.
  static void setContext(cu::Context context);
  static cu::Context context();
  static cu::Context contextOf(cu::Device device);
  static cu::CaptureMode captureMode();

  //===--- For the functions themselves -----------------------------------===//
  struct Library {
    std::string code;
  };
  struct Kernel {
    std::string name;
  };
  std::mutex mutex;
  cu::Result note(const char *call);
  Library *addLibrary(const std::string &code);
  Kernel *addKernel(const std::string &name);
  cu::Address allocate(size_t bytes);
  void free(cu::Address address, cu::Stream stream);
  /// The functions of FakeLaunches.cpp, FakeMemory.cpp and FakeGraphs.cpp.
  static void addLaunches(Driver &table);
  static void addMemory(Driver &table);
  static void addGraphs(Driver &table);

  struct UserObject {
    void *data;
    cu::HostFunction destroy;
    unsigned references;
  };
  struct Graph {
    uint64_t capture;
    std::vector<UserObject *> objects;
  };
  void dropReferences(UserObject *object, unsigned count);
  std::map<size_t, Graph *> captures; ///< by stream
  std::set<UserObject *> objects;
  std::set<Graph *> graphs;
  uint64_t nextId = 1;
  static FakeDriver &get();

private:
  std::vector<std::string> calls;
  std::vector<Library *> libraries;
  std::map<std::string, Kernel *> kernels;
  cu::Address nextAddress = 0x10000;
  DriverState *state;
};

/// Handles errors silently during its lifetime, and keeps their texts.
class CapturedErrors {
public:
  CapturedErrors() { honeSetErrorHandler(handle, this); }
  ~CapturedErrors() { honeSetErrorHandler(nullptr, nullptr); }

  std::vector<std::pair<int32_t, std::string>> errors;
  std::string lastText() { return errors.empty() ? "" : errors.back().second; }

private:
  static void handle(int32_t status, const char *text, void *user) {
    auto &self = *static_cast<CapturedErrors *>(user);
    std::lock_guard<std::mutex> lock(self.mutex);
    self.errors.emplace_back(status, text);
  }
  std::mutex mutex;
};

} // namespace hone::test

#endif // HONE_TEST_UNIT_RUNTIME_FAKEDRIVER_H
