//===- Sources.h - What hone-select-schedule asks ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that knows which rooms answer compilers, and in which order: a
// database of measurements, then the cost model. Behind them is the default.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PLUGIN_SOURCES_H
#define HONE_PLUGIN_SOURCES_H

#include "hone/Schedule/ScheduleSource.h"

namespace hone {

/// Opens `database` to read, if one is named, and guesses behind it.
llvm::Expected<ScheduleSources> openSources(const std::string &database,
                                            bool guess);

} // namespace hone

#endif // HONE_PLUGIN_SOURCES_H
