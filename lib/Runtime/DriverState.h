//===- DriverState.h - Result of opening the driver -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `Driver::get` in parts, so that each can be tested on a machine without a
// GPU: the source of symbols is a parameter, and a test can replace the
// machine's driver by its own, or by none.
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

/// Fills the table by `resolve` (a name to an address, or null) and initialises
/// the driver.
DriverState makeDriver(void *(*resolve)(void *handle, const char *symbol),
                       void *handle);

/// Opens the shared library `file` and makes a driver of it.
DriverState openDriver(const char *file);

/// The driver of this process.
const DriverState &driverState();

/// Makes `state` the driver of this process; null restores the original. Slots
/// that have launched keep their driver.
void setDriverForTesting(const DriverState *state);

} // namespace hone

#endif // HONE_LIB_RUNTIME_DRIVERSTATE_H
