//===- KernelInterfaces.h - Effects of kernel ops ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op of kernel IR states its effects through one interface, and the checks
// and the explorer read them there:
//
//   kernel.load     read global (async), write shared (async), land at barrier
//   kernel.arrive   arrive at a barrier
//   kernel.mma      compute in registers, by whole warps
//
// The lowering does not read them: a mistake here would otherwise be in the
// emitted code, too, and in no test. EffectsTest.cpp compares the two.
//
// An op without effects makes every kernel that has it `not-modelled`.
// CONTRIBUTING.md has the steps to add an op.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_KERNELINTERFACES_H
#define HONE_DIALECTS_KERNEL_KERNELINTERFACES_H

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace hone::kernel {

enum class EffectKind : uint8_t {
  address,       ///< computes a place or a number; touches nothing
  compute,       ///< from registers to registers
  read,          ///< of `memory`
  write,         ///< of `memory`
  prefetch,      ///< a read that only warms a cache
  init,          ///< barriers start their first phase
  arrive,        ///< at a barrier or a counter
  expect,        ///< bytes are announced to a barrier
  land,          ///< bytes will count for a barrier when they are there
  wait,          ///< for a barrier, a counter or the preceding kernel
  meet,          ///< arrive, and wait for all threads of the scope
  meetArrive,    ///< the first half of `meet`
  meetWait,      ///< the second half of `meet`
  fence,         ///< orders accesses; touches nothing
  commit,        ///< operations of `engine` become a group
  waitCommitted, ///< for groups of `engine`
};

enum class Memory : uint8_t {
  none,
  registers, ///< fragments and accumulators
  shared,    ///< of the own block
  cluster,   ///< shared memory of other blocks, too
  global,
  workspace, ///< sums and counters that blocks share
  tensorMap,
  launches, ///< the order of kernels on a stream
};

/// The generic proxy is the threads' own loads and stores.
enum class Proxy : uint8_t { generic, async };

enum class Executor : uint8_t {
  thread, ///< every thread for itself
  leader, ///< one thread for the group
  warp,   ///< all threads of a warp together
  group,  ///< all threads of a warpgroup together
};

/// A unit that works on while threads go on.
enum class Engine : uint8_t { none, copies, stores, products };

struct Effect {
  EffectKind kind;
  Memory memory = Memory::none;
  Executor executor = Executor::thread;
  Proxy proxy = Proxy::generic;
  Engine engine = Engine::none;
  /// The operand or result that it is about, or null.
  mlir::Value value = {};
};
using Effects = llvm::SmallVector<Effect, 4>;

} // namespace hone::kernel

#include "dialects/Kernel/KernelInterfaces.h.inc"

namespace hone::kernel {

/// Adds the interface to the ops of the dialect; the dialect calls it.
void attachEffects(mlir::MLIRContext *context);

/// True if `op` has an effect for which `fits` is true.
template <typename Fits>
bool hasKernelEffect(mlir::Operation *op, Fits fits) {
  auto effects = llvm::dyn_cast<KernelEffectsOpInterface>(op);
  return effects && llvm::any_of(effects.getKernelEffects(), fits);
}

/// True if all threads of a warp, or of a group, execute `op` together: its
/// instruction is `.aligned`.
inline bool isForWholeWarps(mlir::Operation *op) {
  return hasKernelEffect(op, [](const Effect &effect) {
    return effect.executor == Executor::warp ||
           effect.executor == Executor::group;
  });
}

} // namespace hone::kernel

#endif // HONE_DIALECTS_KERNEL_KERNELINTERFACES_H
