//===- DeviceProducts.h - Products of a reference on a GPU ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands are copied to the GPU unchanged, in f64 or f32, and the sums are
// copied back. If the GPU is emulated (hone/Emulate/Emulate.h), StandInProducts
// replaces it here: it runs the GPU's threads one after the other on the CPU.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REFERENCE_DEVICEPRODUCTS_H
#define HONE_REFERENCE_DEVICEPRODUCTS_H

#include "hone/Measure/DeviceCheck.h"
#include "hone/Reference/ProductEngine.h"
#include <memory>

namespace hone {

/// Keeps its GPU memory from one product to the next.
class DeviceProducts : public ProductEngine {
public:
  /// Opens the GPU. Its stream is this thread's for the lifetime of the object
  /// (Device.h).
  static llvm::Expected<std::unique_ptr<DeviceProducts>> open(int ordinal = 0);

  /// From here on, copies to the GPU and back take less than half of the time.
  static constexpr double kMinMacs = 1e8;
  bool takes(double macs) const override { return macs >= kMinMacs; }
  llvm::Error multiply(llvm::ArrayRef<Term> terms, double *c) override;

private:
  /// Copies `matrix` to the GPU, into `buffer`.
  llvm::Expected<gpucheck::Matrix> upload(const gpucheck::Matrix &matrix,
                                          DeviceBuffer &buffer);

  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceCheck> check;
  DeviceBuffer left, right, sums;
};

class StandInProducts : public ProductEngine {
public:
  /// More multiplications would take the CPU too many seconds.
  static constexpr double kMaxMacs = 3e8;
  bool takes(double macs) const override { return macs <= kMaxMacs; }
  llvm::Error multiply(llvm::ArrayRef<Term> terms, double *c) override;
};

} // namespace hone

#endif // HONE_REFERENCE_DEVICEPRODUCTS_H
