//===- Arch.h - Machines that schedules are for -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An Arch has the properties that a schedule's legality and speed depend on: an
// instruction set and the sizes of one chip. It is named in one of five ways:
//
// | name                    | means                                           |
// |-------------------------|-------------------------------------------------|
// | `h200`, `a100`, ...     | that chip                                       |
// | `sm_90a`, `sm_80`, ...  | the instruction set, with its reference chip    |
// | `dir/x.machine`         | the machine that this file describes            |
// |                         | (MachineFile.h)                                 |
// | `h200/64`, `sm_90/64`,  | 64 of its processors: the part that a green     |
// | `x.machine/64`          | context leaves to one program                   |
// | `host`                  | the CPU that runs the tool                      |
//
// `native`, the GPU in this machine, is resolved earlier (`resolveArchName` in
// passes/Support.h), because this library must not call the driver. A name that
// is not in the table is an error: LLVM only warns about an unknown GPU and
// then emits code for another one.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_ARCH_H
#define HONE_SCHEDULE_ARCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <string>

namespace hone {

/// Rates and costs that `hone machine` measures on a GPU; 0 if not measured.
struct MeasuredRates {
  double clockGHz = 0; ///< while the tensor cores are busy
  double l2GBs = 0;    ///< bandwidth of reads that hit the L2 cache
  /// Dense products of wgmma and mma.sync by the type of their operands.
  double wgmmaF16Tflops = 0, wgmmaTf32Tflops = 0, wgmmaF8Tflops = 0;
  double mmaF16Tflops = 0, mmaTf32Tflops = 0, mmaF8Tflops = 0;
  /// From the start of an empty kernel to the start of its successor, in a
  /// graph; with and without programmatic launch.
  double launchSeconds = 0, launchOverlapSeconds = 0;
  double clusterBarrierSeconds = 0; ///< of two blocks
  /// An atomic add to one address, with its answer, while a thread of every
  /// processor adds to that address.
  double atomicSeconds = 0;
};

struct Arch {
  /// The requested name, the chip that it stands for, and LLVM's name
  /// of its instruction set (`sm_90a`, or the host's CPU name).
  std::string name, chip, isa;
  /// PTX version for LLVM, as a subtarget feature (`+ptx80`).
  std::string features;
  /// 80 for sm_80, 90 for sm_90a; 0 for the host.
  int capability = 0;
  /// Part of the name that a driver reports ("H100 PCIe"); empty: of none.
  std::string device;
  /// The driver under which the numbers were measured; empty if they are
  /// published ones.
  std::string driver;
  bool isMeasured = false;

  //===--------------------------------------------------------------------===//
  // GPU: limits that decide legality
  //===--------------------------------------------------------------------===//
  int64_t processors = 0;         ///< streaming multiprocessors
  int64_t sharedPerBlock = 0;     ///< bytes that a block may request
  int64_t sharedPerProcessor = 0; ///< bytes
  int64_t registersPerProcessor = 65536;
  int64_t threadsPerProcessor = 0;
  /// Clusters of 2, 4, 8 and 16 blocks that fit at once, one block per
  /// processor; 0 if unknown. Fewer than `processors` suggests: a cluster stays
  /// within a group of processors, and groups do not divide evenly.
  std::array<int64_t, 4> clusters = {};

  //===--------------------------------------------------------------------===//
  // Host
  //===--------------------------------------------------------------------===//
  int64_t vectorBits = 0; ///< widest vector register; 0 on a GPU

  //===--------------------------------------------------------------------===//
  // Rates, for rooflines; never for legality
  //===--------------------------------------------------------------------===//
  double clockGHz = 0;
  double memoryGBs = 0;   ///< bandwidth of a copy
  double peakTflops = 0;  ///< dense f16/bf16 with f32 accumulate; f32 on a host
  int64_t cacheBytes = 0; ///< last-level cache
  MeasuredRates measured;

  bool isHost() const { return capability == 0; }
  /// The chip of which this is all or a part: `h200` of `h200/64`.
  llvm::StringRef wholeChip() const {
    return llvm::StringRef(chip).split('/').first;
  }
  /// This chip with only `processors` of its processors: a machine with its own
  /// name. Its caches and memory have the size and bandwidth of the whole chip.
  llvm::Expected<Arch> part(int64_t processors) const;
  /// Blocks of the largest cluster that is certain to launch; 1 without
  /// clusters. More than 8 are not portable: a chip launches them if it is
  /// whole and known to have room for 16.
  int64_t maxClusterBlocks() const;
  /// Clusters of `blocks` blocks that fit at once if a processor has room for
  /// one block; a lower bound where `blocks` is no power of two, and 0 above
  /// `maxClusterBlocks()`.
  int64_t residentClusters(int64_t blocks) const;

  /// Finds `name` in the table of chips and instruction sets, reads the file if
  /// it is the path of one, or describes the CPU for `host`.
  static llvm::Expected<Arch> lookup(llvm::StringRef name);
  /// The chip of the table that a driver's answer describes: compute capability
  /// (90) and marketing name ("NVIDIA H200"). A device that has fewer
  /// `processors` than the chip, such as an instance of MIG, is a part of it; 0
  /// is all.
  static llvm::Expected<Arch> lookupDevice(int capability, llvm::StringRef name,
                                           int64_t processors = 0);
  /// Every name `lookup` takes besides files, for help texts and errors.
  static llvm::ArrayRef<llvm::StringRef> names();
  /// True if `name` is the path of a machine file, or a part of such a machine.
  static bool isFile(llvm::StringRef name);
};

bool operator==(const Arch &a, const Arch &b);

/// Equal machines have equal hashes; machines of one name and other numbers
/// are rare.
inline llvm::hash_code hash_value(const Arch &arch) {
  return llvm::hash_value(arch.name);
}

} // namespace hone

#endif // HONE_SCHEDULE_ARCH_H
