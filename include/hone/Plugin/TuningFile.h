//===- TuningFile.h - What was learned, as text -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tuning file says for each problem which schedule to take, one `hone.tuned`
// (dialects/Hone/Hone.td) a line, and nothing else:
//
//   hone.tuned #hone.problem<m = 512, ...> on #hone.arch<h200> =
//     #hone.schedule<small, ...> {us = 3.12, grade = "chosen", ...}
//
// It is what a build takes instead of a database: for version control, for
// review, for machines that have no database. Files may be concatenated,
// sorted, and edited by hand; bytecode is read as well.
//
// It is untrusted input. It is read in a context of its own that knows no
// dialect but hone and what that needs, and all that is wrong is said with its
// place:
//
// | what                              | then                                 |
// |-----------------------------------|--------------------------------------|
// | it does not parse                 | an error there                       |
// | a schedule breaks a law           | an error at the line                 |
// | a problem twice for a chip        | an error, and a note at the first    |
// | another op than `hone.tuned`      | an error there                       |
// | no time, no toolchain             | fine: a person may have written it   |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PLUGIN_TUNINGFILE_H
#define HONE_PLUGIN_TUNINGFILE_H

#include "hone/Database/Record.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <vector>

namespace hone {

/// A place in a text, and what is to be said of it.
struct Complaint {
  std::string file;
  unsigned line = 0, column = 0;
  std::string text;
  bool isNote = false; ///< on the one before
};

/// What is wrong with a tuning file; its message has a line for each.
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
  Complaint place; ///< of the line, with nothing to say
};

/// Reads a tuning file.
llvm::Expected<std::vector<TunedLine>>
parseTuningFile(llvm::MemoryBufferRef buffer);

/// The line of a record, with a line break.
std::string tuningLine(const Record &record);

} // namespace hone

#endif // HONE_PLUGIN_TUNINGFILE_H
