//===- Cuda.cpp - The example's use of the CUDA driver --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions are looked up by their names in the library, which include the
// version that cuda.h gives them.
//
//===----------------------------------------------------------------------===//

#include "Cuda.h"
#include "hone-c/Runtime.h"
#include <dlfcn.h>

using namespace example;

template <typename... Args>
static int tryCall(const char *name, Args... args) {
  static void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library)
    fail("expected a GPU, but got no driver: %s", dlerror());
  void *function = dlsym(library, name);
  if (!function)
    fail("expected CUDA 11.4 or newer, but got a driver without %s", name);
  return reinterpret_cast<int (*)(Args...)>(function)(args...);
}

template <typename... Args>
static void call(const char *name, Args... args) {
  if (int status = tryCall(name, args...))
    fail("%s: CUDA error %d", name, status);
}

Cuda::Cuda() {
  constexpr unsigned kNonBlocking = 1;
  call("cuInit", 0u);
  if (honeSetDevice(0) != HONE_OK)
    fail("%s", honeLastError());
  call("cuStreamCreate", &theStream, kNonBlocking);
  call("cuEventCreate", &begin, 0u);
  call("cuEventCreate", &end, 0u);
  honeSetStream(theStream);
}

Graph Cuda::record(const Launch &launch, int launches, int sets) {
  constexpr int kRelaxed = 2;
  call("cuStreamBeginCapture_v2", theStream, kRelaxed);
  bool isGood = true;
  for (int i = 0; isGood && i < launches; ++i)
    isGood = launch(i % sets);
  void *recorded = nullptr;
  int ended = tryCall("cuStreamEndCapture", theStream, &recorded);
  Graph graph;
  graph.launches = launches;
  if (isGood && !ended &&
      tryCall("cuGraphInstantiateWithFlags", &graph.executable, recorded, 0ull))
    graph.executable = nullptr;
  if (recorded)
    call("cuGraphDestroy", recorded);
  if (graph.executable)
    time(graph);
  return graph;
}

double Cuda::time(const Graph &graph) {
  call("cuEventRecord", begin, theStream);
  call("cuGraphLaunch", graph.executable, theStream);
  call("cuEventRecord", end, theStream);
  call("cuEventSynchronize", end);
  float milliseconds = 0;
  call("cuEventElapsedTime", &milliseconds, begin, end);
  return milliseconds * 1e3 / graph.launches;
}

void Cuda::release(Graph &graph) {
  if (graph.executable)
    call("cuGraphExecDestroy", graph.executable);
  graph.executable = nullptr;
}
