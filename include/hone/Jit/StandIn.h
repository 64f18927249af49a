//===- StandIn.h - A device that is late ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program for a GPU is wrong if it reads a result before the kernel has run,
// or memory that is not there; on a real GPU it may still come out right, most
// of the time. The stand-in takes the place of the GPU on a machine without
// one, and is as unkind as a GPU may be:
//
//   | a program's ...      | the stand-in ...                                 |
//   |----------------------|--------------------------------------------------|
//   | launches and copies  | does them only when something waits, in order    |
//   | memory of the device | keeps it from the host: a touch ends the process |
//   |                      | with an error that says so                       |
//   | shared memory        | is there for both, as it is                      |
//   | new memory           | fills with NaN                                   |
//
// What a launch computes is the same matmul as vector code for this CPU: the
// module goes through the passes on memory and time for the GPU, and through
// the rest for the host. `delay` then makes launches of the calls of these
// matmuls.
//
//   StandIn device;                    // while it lives, it is the device
//   device.delay(module);
//   JitOptions options;
//   options.symbols = StandIn::symbols();
//   auto jit = Jit::create(module, options);
//   device.attach(**jit);
//   ... invoke; synchronize() ...
//
// One at a time in a process: what compiled code calls has no room for a `this`.
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
  /// into launches on the stand-in. Copies and waits must be calls already.
  llvm::Error delay(mlir::ModuleOp module);
  /// What the module then calls by name.
  static llvm::StringMap<void *> symbols();
  /// Finds the functions that launches run.
  llvm::Error attach(Jit &jit);

  /// Memory of the device, and of both sides.
  void *allocate(size_t bytes, bool isShared = false);
  /// In its turn: what is still to run may use it.
  void release(void *pointer);
  void copy(void *to, const void *from, size_t bytes);
  /// Does everything that was started.
  void synchronize();
  /// How many launches were started so far.
  int64_t launches() const;

  struct State;
  State &getState() { return *state; }

private:
  std::unique_ptr<State> state;
};

} // namespace hone

#endif // HONE_JIT_STANDIN_H
