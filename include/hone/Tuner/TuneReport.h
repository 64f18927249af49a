//===- TuneReport.h - Progress and results of hone tune ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line of progress on a terminal, remarks as they come, a table at the end:
//
//   3/20 problems, 155/1280 trials, 00:41 to go; 512x512x512 nt: 3.12 us (81 %
//   of roofline); rejected: 2 illegal, 1 fault
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_TUNEREPORT_H
#define HONE_TUNER_TUNEREPORT_H

#include "hone/Report/Report.h"
#include "hone/Search/Search.h"
#include "hone/Workers/Workers.h"
#include <chrono>

namespace hone {

class TuneReport {
public:
  explicit TuneReport(bool isJson) : isJson(isJson) {}
  ~TuneReport() { clear(); }

  void begin(const std::string &devices, const Arch &arch);
  void show(const SearchState &state);
  void receive(const Record &record);
  void add(const SearchResult &result);
  void end(llvm::ArrayRef<SearchResult> results, const WorkerTotals *totals);
  /// Prints a remark for people.
  void note(const std::string &text);

private:
  using Clock = std::chrono::steady_clock;
  void clear();
  double secondsSince() const;

  bool isJson, isShown = false;
  Arch arch;
  std::string devices;
  Clock::time_point start = Clock::now(), last = start;
};

} // namespace hone

#endif // HONE_TUNER_TUNEREPORT_H
