//===- DriverState.h - How opening the driver went --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `Driver::get` in parts, so that each can be tested on a machine without a
// GPU: where symbols come from is a parameter, and a test can put a driver of
// its own (or none at all) in the place of the machine's.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_RUNTIME_DRIVERSTATE_H
#define HONE_LIB_RUNTIME_DRIVERSTATE_H

#include "hone-c/Runtime.h"
#include "hone/Runtime/Driver.h"

namespace hone {

/// The oldest driver with libraries (cuLibraryLoadData) and launch attributes.
constexpr int32_t kOldestDriver = 12000;

struct DriverState {
  bool usable = false;
  Driver driver = {};
  HoneStatus status = HONE_NO_DRIVER; ///< if not usable
  std::string why;
};

/// Fills the table from `resolve` (a name to an address, or null) and
/// initialises the driver.
DriverState makeDriver(void *(*resolve)(void *handle, const char *symbol),
                       void *handle);

/// Opens the shared library `file` and makes a driver of it.
DriverState openDriver(const char *file);

/// The driver of this process.
const DriverState &driverState();

/// From now on `state` is the driver of this process; null undoes it. Slots
/// that have launched keep the driver they launched with.
void setDriverForTesting(const DriverState *state);

} // namespace hone

#endif // HONE_LIB_RUNTIME_DRIVERSTATE_H
