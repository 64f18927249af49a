//===- MachinePtx.h - Kernels that measure a GPU ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX of small kernels, each of which keeps one part of a GPU busy: memory, the
// L2 cache, tensor cores, a barrier of a cluster, an atomic. They are text,
// because no compiler here emits all of their instructions, and because a
// driver assembles text for the GPU that it has.
//
// | kernel                 | parameters                    | one launch       |
// |------------------------|-------------------------------|------------------|
// | hone_copy              | to, from, words of 16 bytes   | copies once      |
// | hone_read              | sink, from, words - 1, steps  | reads `steps` x 4|
// |                        |                               | words a thread   |
// | hone_empty             |                               | ends             |
// | hone_empty_overlap     |                               | waits for its    |
// |                        |                               | predecessor      |
// | hone_cluster_barrier   | steps                         | so many barriers |
// | hone_atomic            | counter, steps                | so many adds of  |
// |                        |                               | a block          |
// | hone_mma_*, hone_wgmma_* | sink, clocks, steps         | see ProductKernel|
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MEASURE_MACHINEPTX_H
#define HONE_MEASURE_MACHINEPTX_H

#include "hone/Schedule/Arch.h"
#include <string>
#include <vector>

namespace hone {

/// An image whose kernels need an instruction set.
struct MachineModule {
  llvm::StringRef name;
  std::string text;
  /// False if an older driver may lack its PTX version.
  bool isRequired;
};

/// Kernels that multiply. Every warp (mma.sync) or warpgroup (wgmma) multiplies
/// tiles in registers or in shared memory, whose elements are random ones of
/// 0.5 to 2: a tensor core draws less power for zeros and keeps a higher clock.
/// A thread stores an f32 to `sink`; the first one stores the clock and the
/// time (ns) before and after to `clocks`, four numbers of 64 bits.
struct ProductKernel {
  llvm::StringRef name;
  double MeasuredRates::*rate;
  uint32_t threads;            ///< of a block
  uint32_t blocksPerProcessor; ///< that are launched
  double flopsPerStep;         ///< of a block
};

/// The modules and kernels that a GPU of this capability can run.
std::vector<MachineModule> machineModules(int capability);
std::vector<ProductKernel> productKernels(int capability);

/// Words that a thread of hone_copy and of hone_read moves at once.
constexpr int64_t kWordsAtOnce = 4;

} // namespace hone

#endif // HONE_MEASURE_MACHINEPTX_H
