//===- StreamTiming.h - GPU time of whatever a call enqueues ----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled function launches kernels, copies and frees on the thread's
// stream, and may do any of it many times; only some of that can be captured in
// a graph. So its GPU time is taken by two events around several calls in a
// row, none of which is waited for:
//
//   fill | start | call | call | ... | call | end
//
// An event alone would also count the time in which the GPU waits for the host
// to enqueue. Before the first event the GPU is therefore given memory to fill,
// for about as long as the host needs to enqueue all calls; when the fill is
// over, they wait in line. What a call waits for by itself (a host loop between
// two kernels) is part of its time, and can not be hidden.
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

/// Seconds per call, one value a round. `enqueue` puts one call on `stream`,
/// and does not wait for it.
llvm::Expected<std::vector<double>>
timeOnStream(const Driver &driver, cu::Stream stream,
             const StreamTiming &timing,
             llvm::function_ref<llvm::Error()> enqueue);

} // namespace hone

#endif // HONE_MEASURE_STREAMTIMING_H
