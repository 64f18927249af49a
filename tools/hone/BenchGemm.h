//===- BenchGemm.h - Matrices to time a product on --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `hone bench gemm` and `hone bench launch` share: sets of matrices on the
// GPU with N(0, 1) data, our kernel and cuBLASLt's on them, and a check that
// what is timed is right.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_BENCHGEMM_H
#define HONE_TOOLS_BENCHGEMM_H

#include "MatmulKernel.h"
#include "hone/Device/CublasLt.h"
#include "hone/Measure/DeviceCheck.h"
#include "hone/Measure/Timing.h"

namespace hone {

/// `sets` times the matrices of one problem.
class GemmData {
public:
  static llvm::Expected<std::unique_ptr<GemmData>>
  create(Device &device, DeviceCheck &check, const MatmulSpec &spec,
         std::array<int64_t, 3> extents, size_t sets);

  /// Addresses in a set.
  uint64_t a(size_t set) const {
    return buffers[0].getAddress() + set * bytes[0];
  }
  uint64_t b(size_t set) const {
    return buffers[1].getAddress() + set * bytes[1];
  }
  uint64_t c(size_t set) const {
    return buffers[2].getAddress() + set * bytes[2];
  }

  /// What the plan of a kernel gets for a set.
  llvm::StringMap<int64_t> arguments(size_t set) const;
  /// Runs `launch` on the first set; an error if the result is wrong.
  llvm::Error verify(const Contender &launch);

private:
  GemmData(Device &device, DeviceCheck &check) : device(device), check(check) {}
  /// Matrix 0 (A), 1 (B) or 2 (C) of a set.
  gpu::Matrix matrix(size_t which, size_t set) const;
  llvm::Error allocate(size_t sets);

  Device &device;
  DeviceCheck &check;
  MatmulSpec spec;
  std::array<int64_t, 3> extents = {};
  std::array<size_t, 3> bytes = {};
  std::array<DeviceBuffer, 3> buffers;
};

/// Launches of `kernel` on the sets of `data`; both must outlive them.
llvm::Expected<Contender> contenderOf(MatmulKernel &kernel,
                                      const GemmData &data, size_t sets);

} // namespace hone

#endif // HONE_TOOLS_BENCHGEMM_H
