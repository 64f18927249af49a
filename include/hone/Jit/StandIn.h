//===- StandIn.h - A CPU in place of the GPU --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program for a GPU is wrong if it reads a result before the kernel has run,
// or memory that it cannot reach; on a real GPU it may still give correct
// results most of the time. The stand-in takes the place of the GPU on a
// machine without one, and behaves as badly as a GPU may:
//
//   | a program's ...      | the stand-in ...                                |
//   |----------------------|-------------------------------------------------|
//   | launches and copies  | executes only when something waits, in order    |
//   | memory of the device | hides from the host: an access ends the process |
//   |                      | with an error that says so                      |
//   | shared memory        | gives to both                                   |
//   | new memory           | fills with NaN                                  |
//
// What a launch computes is the same matmul as vector code for this CPU: the
// module goes through the passes for memory and time as if for the GPU, and
// through the rest for the host. `delay` then turns the calls of these matmuls
// into launches.
//
//   StandIn device;                    // while it lives, it is the device
//   device.delay(module);
//   JitOptions options;
//   options.symbols = StandIn::symbols();
//   auto jit = Jit::create(module, options);
//   device.attach(**jit);
//   ... invoke; synchronize() ...
//
// Only one can exist in a process: compiled code calls plain C functions, which
// have no `this`.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_JIT_STANDIN_H
#define HONE_JIT_STANDIN_H

#include "hone/Jit/Jit.h"

namespace hone {

class StandIn {
public:
  StandIn();
  ~StandIn();
  StandIn(const StandIn &) = delete;

  /// Turns calls of the functions that `hone-build-kernel` wrote for the host
  /// into launches on the stand-in. Copies and waits must already be calls.
  llvm::Error delay(mlir::ModuleOp module);
  /// The symbols that the module then calls by name.
  static llvm::StringMap<void *> symbols();
  /// Finds the functions that launches run.
  llvm::Error attach(Jit &jit);

  /// Device memory, and memory of both sides.
  void *allocate(size_t bytes, bool isShared = false);
  /// Frees it in stream order: pending work may still use it.
  void release(void *pointer);
  void copy(void *to, const void *from, size_t bytes);
  /// Executes everything that was started.
  void synchronize();
  /// The number of launches started so far.
  int64_t launches() const;

  struct State;
  State &getState() { return *state; }

private:
  std::unique_ptr<State> state;
};

} // namespace hone

#endif // HONE_JIT_STANDIN_H
