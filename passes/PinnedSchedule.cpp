//===- PinnedSchedule.cpp - Schedule of an option -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The option's text on command lines; see Passes.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

using namespace hone;

PinnedSchedule PinnedSchedule::parse(llvm::StringRef text) {
  PinnedSchedule pinned;
  if (text.empty())
    return pinned;
  llvm::Expected<RangedSchedule> schedules = parseRangedSchedule(text);
  if (schedules)
    return std::move(*schedules);
  pinned.error = llvm::toString(schedules.takeError());
  return pinned;
}

void llvm::cl::parser<PinnedSchedule>::print(raw_ostream &os,
                                             const PinnedSchedule &value) {
  std::string text = value.schedules() ? toString(*value.schedules()) : "";
  mlir::detail::pass_options::printOptionValue<parser<std::string>>(os, text);
}
