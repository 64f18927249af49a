//===- TuningFile.h - The best schedules, as text ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tuning file has the schedule to use for each problem, with one `hone.tuned`
// (dialects/Hone/Hone.td) per line and nothing else:
//
//   hone.tuned #hone.problem<m = 512, ...> on #hone.arch<h200> =
//     #hone.schedule<small, ...> {us = 3.12, grade = "chosen", ...}
//
// A schedule may name a whole kernel (hone/Schedule/WholeKernel.h), whose text
// is then in the file, too, as a `hone.kernel` of several lines.
//
// A build uses it instead of a database: for version control, for review, for
// machines without SQLite. Files may be concatenated, sorted and edited by
// hand; bytecode is refused.
//
// It is untrusted input, read in a context of its own with no dialects but hone
// and those that it needs. Every fault is reported with its place:
//
// | file                          | outcome                            |
// |-------------------------------|------------------------------------|
// | it does not parse             | an error there                     |
// | a schedule breaks a law       | an error at the line               |
// | a problem twice for a chip    | an error, and a note at the first  |
// | an op other than these two    | an error there                     |
// | a kernel whose name is not    | an error there                     |
// | that of its text              |                                    |
// | a line that names a kernel    | an error at the line               |
// | that is not in the file       |                                    |
// | no time, no toolchain         | fine: a person may have written it |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PLUGIN_TUNINGFILE_H
#define HONE_PLUGIN_TUNINGFILE_H

#include "hone/Database/Record.h"
#include "hone/Schedule/WholeKernel.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <vector>

namespace hone {

/// A place in a text, and a message about it.
struct Complaint {
  std::string file;
  unsigned line = 0, column = 0;
  std::string text;
  bool isNote = false; ///< to the complaint before it
};

/// The faults of a tuning file; its message has one line per complaint.
class TuningFileError : public llvm::ErrorInfo<TuningFileError> {
public:
  static char ID;
  explicit TuningFileError(std::vector<Complaint> complaints)
      : complaints(std::move(complaints)) {}
  const std::vector<Complaint> &getComplaints() const { return complaints; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::vector<Complaint> complaints;
};

/// One line: a record, as far as the line has its parts.
struct TunedLine {
  Record record;
  bool hasTime = false, hasToolchain = false;
  Complaint place; ///< of the line, without a text
};

/// A whole file.
struct TuningFile {
  std::vector<TunedLine> lines;
  std::vector<WholeKernel> kernels;
};

/// Reads a tuning file.
llvm::Expected<TuningFile> parseTuningFile(llvm::MemoryBufferRef buffer);

/// A record's line, with a line break.
std::string tuningLine(const Record &record);
/// A kernel's op, with a line break.
std::string tuningText(const WholeKernel &kernel);

} // namespace hone

#endif // HONE_PLUGIN_TUNINGFILE_H
