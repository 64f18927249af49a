//===- MachineKeys.h - Keys of machine files --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bounds of a number are far beyond any GPU: they exclude impossible numbers,
// and numbers with which a cost model would overflow.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SCHEDULE_MACHINE_MACHINEKEYS_H
#define HONE_LIB_SCHEDULE_MACHINE_MACHINEKEYS_H

#include "hone/Schedule/Arch.h"
#include "hone/Text/File.h"
#include "llvm/ADT/StringRef.h"

namespace hone::detail {

inline constexpr llvm::StringLiteral kHeader = "hone-machine 1";
inline constexpr uint64_t kMaxMachineBytes = kMiB;

struct Whole {
  llvm::StringLiteral key;
  int64_t Arch::*member;
  int64_t min, max;
};
struct Real {
  llvm::StringLiteral key;
  double Arch::*member;
  double min, max;
};
/// A number that only a measurement yields, and no file has to have.
struct Rate {
  llvm::StringLiteral key;
  double MeasuredRates::*member;
  double min, max;
};

inline constexpr Whole kLimits[] = {
    {"processors", &Arch::processors, 1, 1024},
    {"shared_per_block", &Arch::sharedPerBlock, 1024, 4 << 20},
    {"shared_per_processor", &Arch::sharedPerProcessor, 1024, 4 << 20},
    {"threads_per_processor", &Arch::threadsPerProcessor, 128, 1 << 16},
    {"registers_per_processor", &Arch::registersPerProcessor, 1024, 1 << 22},
};
inline constexpr Whole kCacheBytes = {"cache_bytes", &Arch::cacheBytes, 1024,
                                      int64_t(1) << 40};
inline constexpr Real kRates[] = {
    {"clock_ghz", &Arch::clockGHz, 0.01, 100},
    {"memory_gbs", &Arch::memoryGBs, 1, 1e6},
    {"tflops", &Arch::peakTflops, 0.01, 1e6},
};
inline constexpr Rate kMeasured[] = {
    {"clock_load_ghz", &MeasuredRates::clockGHz, 0.01, 100},
    {"l2_gbs", &MeasuredRates::l2GBs, 1, 1e7},
    {"wgmma_f16_tflops", &MeasuredRates::wgmmaF16Tflops, 0.01, 1e6},
    {"wgmma_tf32_tflops", &MeasuredRates::wgmmaTf32Tflops, 0.01, 1e6},
    {"wgmma_f8_tflops", &MeasuredRates::wgmmaF8Tflops, 0.01, 1e6},
    {"mma_f16_tflops", &MeasuredRates::mmaF16Tflops, 0.01, 1e6},
    {"mma_tf32_tflops", &MeasuredRates::mmaTf32Tflops, 0.01, 1e6},
    {"mma_f8_tflops", &MeasuredRates::mmaF8Tflops, 0.01, 1e6},
    {"launch_seconds", &MeasuredRates::launchSeconds, 1e-9, 1},
    {"launch_overlap_seconds", &MeasuredRates::launchOverlapSeconds, 1e-9, 1},
    {"cluster_barrier_seconds", &MeasuredRates::clusterBarrierSeconds, 1e-10,
     1},
    {"atomic_seconds", &MeasuredRates::atomicSeconds, 1e-10, 1},
};
inline constexpr llvm::StringLiteral kPublished = "published",
                                     kMeasuredWord = "measured";

/// Keys that a file has to have, besides those of kLimits and kRates.
inline constexpr llvm::StringLiteral kNeeded[] = {"name", "isa", "capability",
                                                  "cache_bytes", "source"};
inline constexpr llvm::StringLiteral kOptional[] = {"device", "clusters",
                                                    "driver"};

} // namespace hone::detail

#endif // HONE_LIB_SCHEDULE_MACHINE_MACHINEKEYS_H
