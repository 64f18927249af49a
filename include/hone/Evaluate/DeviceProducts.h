//===- DeviceProducts.h - A GPU that multiplies for a reference -*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands go to the GPU as they are, in f64 or f32, and the sums come back.
// Where a stand-in takes the GPU's place (hone/Jit/StandIn.h) another does so
// here: what the threads of the GPU do, one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_DEVICEPRODUCTS_H
#define HONE_EVALUATE_DEVICEPRODUCTS_H

#include "hone/Evaluate/ProductEngine.h"
#include "hone/Measure/DeviceCheck.h"
#include <memory>

namespace hone {

/// Keeps the memory that it needs from one product to the next.
class DeviceProducts : public ProductEngine {
public:
  /// Opens the GPU; its stream is the thread's while this lives (Device.h).
  static llvm::Expected<std::unique_ptr<DeviceProducts>> open(int ordinal = 0);

  /// From here on copies to the GPU and back are not most of the time.
  static constexpr double kLeastMacs = 1e8;
  bool takes(double macs) const override { return macs >= kLeastMacs; }
  llvm::Error multiply(llvm::ArrayRef<Term> terms, double *c) override;

private:
  /// `matrix` on the GPU, in the memory of `buffer`.
  llvm::Expected<gpu::Matrix> upload(const gpu::Matrix &matrix,
                                     DeviceBuffer &buffer);
  llvm::Error reserve(DeviceBuffer &buffer, size_t bytes);

  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceCheck> check;
  DeviceBuffer left, right, sums;
};

class StandInProducts : public ProductEngine {
public:
  /// What takes this CPU seconds.
  static constexpr double kMostMacs = 3e8;
  bool takes(double macs) const override { return macs <= kMostMacs; }
  llvm::Error multiply(llvm::ArrayRef<Term> terms, double *c) override;
};

} // namespace hone

#endif // HONE_EVALUATE_DEVICEPRODUCTS_H
