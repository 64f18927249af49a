//===- Emulate.h - A program for a GPU, run on this CPU ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program for a GPU is more than its kernels. Host code computes addresses
// and strides, launch plans pick kernels and turn arguments into parameters,
// and copies and waits order the accesses of both sides. An emulation runs all
// of it as it was emitted, on a machine without a GPU:
//
//   | part of the program | how it runs                                       |
//   |---------------------|---------------------------------------------------|
//   | host code           | compiled for this CPU (hone/Jit/Jit.h)            |
//   | launch plan         | parsed, its guards and formulas evaluated         |
//   | kernel of a product | its kernel IR, by the simulator, on real bytes    |
//   |                     | (hone/Simulate/Execute.h)                         |
//   | kernel of the rest  | the LLVM IR that PTX is made of, thread by thread |
//   | memory, copies,     | calls of libhone_rt, which are answered here      |
//   | waits               |                                                   |
//
// It uses all the freedom that a GPU has, and finds faults that a GPU may hide:
//
//   | a program's ...      | the emulation ...                               |
//   |----------------------|-------------------------------------------------|
//   | launches and copies  | runs as late as the program permits, as early,  |
//   |                      | or in between (WorkOrder), in the stream's order|
//   | programmatic launch  | overlaps: an access of a kernel before its wait |
//   |                      | is a finding                                    |
//   | memory of the device | hides from the host: an access ends the process |
//   | other memory         | lets the host access, which is a finding while  |
//   |                      | work that accesses it is pending                |
//   | new and freed memory | fills with NaN; an access of a kernel or copy   |
//   |                      | outside of allocations is a finding             |
//   | workspaces           | allocates with exactly the size of the plan     |
//   | addresses            | computes a second time, from the memrefs of the |
//   |                      | problem before it became a launch               |
//   | products             | compares one by one with the problem's          |
//   |                      | reference                                       |
//
// The PTX itself, and the output of LLVM and ptxas for a kernel of a product,
// are not run.
//
// The caller runs the passes; between them, the emulation reads the module:
//
//   Emulation device(options);
//   ... the pipeline up to hone-select-schedule ...
//   device.recordLaunches(module);
//   ... hone-build-kernel, hone-build-rest ...
//   device.addKernels(module);
//   ... hone-lower-kernel ...
//   device.addCode(module);
//   ... hone-emit ...
//   device.addImages(module);
//   JitOptions code;
//   code.symbols = Emulation::symbols();
//   auto jit = Jit::create(module, code);
//   ... invoke ...
//   device.finish();           the first finding, as an error
//
// Only one can exist in a process: compiled code calls plain C functions, which
// have no `this`.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EMULATE_EMULATE_H
#define HONE_EMULATE_EMULATE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace hone {

/// The time at which started work is done.
struct WorkOrder {
  enum Kind {
    late,  ///< when a wait requires it
    early, ///< at once
    drawn  ///< at each call some of the pending work, drawn with `seed`
  };
  Kind kind = late;
  uint64_t seed = 1;

  /// The order number `index` of a check: late, early, then drawn ones.
  static WorkOrder number(int64_t index, uint64_t seed);
};

struct EmulationOptions {
  /// Products of more multiplications are computed from the problem, at the
  /// launch's addresses: simulating them takes too long.
  int64_t maxMacs = int64_t(1) << 24;
  /// Draws the order of threads, and how many clusters the device holds.
  uint64_t seed = 1;
};

/// The work of an emulation so far.
struct EmulationCounts {
  int64_t launches = 0; ///< of plans
  int64_t products = 0; ///< kernel launches from kernel IR
  int64_t rest = 0;     ///< kernel launches from LLVM IR
  int64_t computed = 0; ///< products that were too large to simulate
  int64_t copies = 0, waits = 0;
};

class Emulation {
public:
  explicit Emulation(EmulationOptions options = {});
  ~Emulation();
  Emulation(const Emulation &) = delete;

  //===--------------------------------------------------------------------===//
  // The program
  //===--------------------------------------------------------------------===//

  /// Inserts a call before each matmul and each call of the rest, with the
  /// addresses of its operands.
  llvm::Error recordLaunches(mlir::ModuleOp module);
  /// Copies kernel IR.
  void addKernels(mlir::ModuleOp module);
  /// Compiles kernels of the rest for this CPU.
  llvm::Error addCode(mlir::ModuleOp lowered);
  /// Entry points of the emitted module's binaries: a launch of any other
  /// kernel fails.
  void addImages(mlir::ModuleOp emitted);
  /// The functions that the emitted module calls by name.
  static llvm::StringMap<void *> symbols();

  //===--------------------------------------------------------------------===//
  // The device
  //===--------------------------------------------------------------------===//

  void setOrder(WorkOrder order);
  /// Device memory, and memory of both sides.
  void *allocate(size_t bytes, bool isShared = false);
  /// Memory of the host, whose use while work is pending is checked.
  void *allocateOnHost(size_t bytes);
  /// Frees it in stream order: pending work may still use it. Memory of the
  /// host is freed at once.
  void release(void *pointer);
  void copy(void *to, const void *from, size_t bytes);
  /// Completes all started work. The error has the findings since the last
  /// call.
  llvm::Error finish();
  EmulationCounts counts() const;
  /// The runtime call of this number, counted from here on, fails without doing
  /// anything; -1: none. A program must not continue as if it had succeeded.
  void failCall(int64_t number);
  /// Runtime calls that can fail, so far.
  int64_t calls() const;

  struct State;

private:
  std::unique_ptr<State> state;
};

} // namespace hone

#endif // HONE_EMULATE_EMULATE_H
