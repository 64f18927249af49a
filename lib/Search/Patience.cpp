//===- Patience.cpp - Limit of trials without a gain ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patience.h"
#include <algorithm>
#include <cassert>

using namespace hone::detail;

void Patience::restart(int64_t enough, double known) {
  assert(received == asked && "expected every reply before trials count anew");
  limit = enough;
  gained = asked;
  best = known;
}

void Patience::receive(int64_t trial, double seconds, double gain) {
  early.emplace(trial, seconds);
  for (auto at = early.begin(); at != early.end() && at->first == received + 1;
       at = early.erase(at)) {
    received = at->first;
    if (at->second > 0 && (best == 0 || at->second <= kWorthwhile * best)) {
      if (best == 0 || at->second <= gain * best)
        gained = std::max(gained, received);
      best = at->second;
    }
  }
}
