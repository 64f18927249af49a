//===- WriterPool.h - Remaining candidates of a task ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The candidates of a task without some of them, contiguous as a Trie requires.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_POLICY_WRITERPOOL_H
#define HONE_LIB_POLICY_WRITERPOOL_H

#include "hone/Policy/Tasks.h"

namespace hone::detail {

struct WriterPool {
  WriterPool(const Task &task, llvm::ArrayRef<size_t> out) {
    std::vector<bool> isOut(task.size());
    for (size_t at : out)
      isOut[at] = true;
    for (size_t at = 0; at < task.size(); ++at) {
      if (isOut[at])
        continue;
      places.push_back(at);
      schedules.push_back(task.schedules[at]);
      readings.push_back(task.readings[at]);
      logSeconds.push_back(task.logSeconds[at]);
    }
  }

  std::vector<size_t> places; ///< in the task
  std::vector<Schedule> schedules;
  std::vector<Reading> readings;
  std::vector<double> logSeconds;
};

} // namespace hone::detail

#endif // HONE_LIB_POLICY_WRITERPOOL_H
