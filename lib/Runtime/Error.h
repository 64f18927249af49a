//===- Error.h - Error reports for the caller -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Failures are returned as a HoneStatus, so that success costs one comparison.
// The text is separate: `fail` stores it for this thread at the point of
// failure, and `report`, at the end of every function of the C interface, makes
// it the thread's last error, counts it and calls the handler. In between, a
// failure may be resolved (the next image may have the kernel).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_RUNTIME_ERROR_H
#define HONE_LIB_RUNTIME_ERROR_H

#include "hone-c/Runtime.h"
#include "hone/Runtime/Driver.h"
#include <string>

namespace hone {

/// Stores `text` and returns `status`.
int32_t fail(HoneStatus status, const std::string &text);
int32_t failCall(const Driver &driver, const char *call, cu::Result error);
int32_t failDriver(); ///< with the reason why there is no driver
/// The text of the last `fail`.
const char *notedText();

/// HONE_OK, or the failure of the driver's function `call`.
inline int32_t check(const Driver &driver, const char *call,
                     cu::Result result) {
  return __builtin_expect(result == cu::SUCCESS, 1)
             ? HONE_OK
             : failCall(driver, call, result);
}

int32_t reportFailure(int32_t status);
/// Ends a function of the C interface.
inline int32_t report(int32_t status) {
  return __builtin_expect(status == HONE_OK, 1) ? HONE_OK
                                                : reportFailure(status);
}

} // namespace hone

#endif // HONE_LIB_RUNTIME_ERROR_H
