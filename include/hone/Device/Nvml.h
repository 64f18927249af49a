//===- Nvml.h - What a GPU says of itself -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU sets its own clock, by its temperature and its power. A measurement
// says which clock it was taken at, and whether the chip was held back by more
// than its power limit. NVML, which comes with the driver, is opened at run
// time and never needed: where it is not found nothing is known.
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
  /// Of the GPU at a place in this machine; null where there is no NVML, or it
  /// does not know the GPU. Stays open until the process ends.
  static std::unique_ptr<Nvml> open(llvm::StringRef pciBusId);

  /// "580.159.04", or empty.
  std::string driverVersion() const;
  /// Of the multiprocessors, in MHz; 0 where it is not known.
  double clockMHz() const;
  /// What slows the chip down besides its power limit, for people; empty for
  /// nothing.
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
