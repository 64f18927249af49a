//===- StreamTiming.h - GPU time of all work of a call ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled function launches kernels, copies and frees on the thread's
// stream, any number of times; only some of that can be captured in a graph. So
// its GPU time is measured with two events around several calls in a row,
// without waiting for any of them:
//
//   fill | start | call | call | ... | call | end
//
// Events alone would also count the time in which the GPU waits for the host to
// enqueue. Therefore the GPU first gets memory to fill, for about as long as
// the host needs to enqueue all calls, so that they are queued when the fill
// ends. Waits within a call (a host loop between two kernels) are part of its
// time and cannot be hidden.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MEASURE_STREAMTIMING_H
#define HONE_MEASURE_STREAMTIMING_H

#include "hone/Runtime/Driver.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace hone {

struct StreamTiming {
  size_t calls = 10; ///< between two events
  size_t rounds = 7;
};

/// Seconds per call, one value per round. `enqueue` puts one call on `stream`
/// and does not wait for it.
llvm::Expected<std::vector<double>>
timeOnStream(const Driver &driver, cu::Stream stream,
             const StreamTiming &timing,
             llvm::function_ref<llvm::Error()> enqueue);

} // namespace hone

#endif // HONE_MEASURE_STREAMTIMING_H
