//===- Nvml.h - A GPU's clock and throttling --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU sets its own clock, by temperature and power. A measurement records the
// clock at which it was taken, and whether anything besides the power limit
// throttled the chip. NVML, which comes with the driver, is opened at run time
// and never required: without it these values stay unknown.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DEVICE_NVML_H
#define HONE_DEVICE_NVML_H

#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>

namespace hone {

class Nvml {
public:
  /// For the GPU at a PCI address; null if there is no NVML, or it does not
  /// have the GPU. Stays open until the process ends.
  static std::unique_ptr<Nvml> open(llvm::StringRef pciBusId);

  /// "580.159.04", or empty.
  std::string driverVersion() const;
  /// Clock of the multiprocessors, in MHz; 0 if unknown.
  double clockMHz() const;
  /// The causes of throttling besides the power limit, as text for users; empty
  /// if there are none.
  std::string heldBackBy() const;

private:
  struct Library;
  Nvml(const Library &library, void *device)
      : library(library), device(device) {}
  const Library &library;
  void *device;
};

} // namespace hone

#endif // HONE_DEVICE_NVML_H
