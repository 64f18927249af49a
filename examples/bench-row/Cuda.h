//===- Cuda.h - The example's use of the CUDA driver ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stream, graphs and their time, from the libcuda.so.1 that is found at run
// time: the build needs no part of CUDA.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EXAMPLES_BENCHROW_CUDA_H
#define HONE_EXAMPLES_BENCHROW_CUDA_H

#include <cstdio>
#include <cstdlib>
#include <functional>

namespace example {

/// Prints the failure, and ends the program.
template <typename... Args>
[[noreturn]] void fail(const char *format, Args... args) {
  std::fprintf(stderr, "error: ");
  std::fprintf(stderr, format, args...);
  std::fprintf(stderr, "\n");
  std::exit(1);
}

using Stream = void *;

/// Launches on one stream, recorded.
struct Graph {
  void *executable = nullptr; ///< null: it could not be recorded
  int launches = 0;
};

/// One call of the timed kernel, on the buffers of set `set`; false if it
/// fails.
using Launch = std::function<bool(int set)>;

class Cuda {
public:
  /// Makes a stream on device 0.
  Cuda();
  Stream stream() const { return theStream; }
  /// Records `launches` calls that go round over `sets` sets, and replays them
  /// once: the first replay loads and uploads.
  Graph record(const Launch &launch, int launches, int sets);
  /// Microseconds per launch in one replay.
  double time(const Graph &graph);
  void release(Graph &graph);

private:
  Stream theStream = nullptr;
  void *begin = nullptr, *end = nullptr; ///< events
};

} // namespace example

#endif // HONE_EXAMPLES_BENCHROW_CUDA_H
