//===- VerdictFile.h - Which kernels were proven ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file beside a database or a tuning file that remembers what was proven, so
// that a build on another day or another machine need not prove it again:
//
//   hone-verdicts 1
//   proven 1f3a...     64 digits: the SHA-256 of all that the proof depends on
//
// | what happens                     | what it means                          |
// |----------------------------------|----------------------------------------|
// | the file is missing              | nothing was proven yet                 |
// | a line is damaged, or the file   | it is ignored, and `complaint` says    |
// | is of something else             | so; the other lines count              |
// | a writer dies in a line          | that line is damaged; the next writer  |
// |                                  | starts another one                     |
// | two writers                      | each line is one write at the end of   |
// |                                  | the file: both are there               |
// | the file cannot be written       | an error, and nothing else             |
//
// A digest says nothing about any other kernel, so a line that chance or an old
// hone left there is never asked for. It is no signature: whoever may write the
// file may claim a proof, as whoever may write the database may claim a time.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_VERDICTFILE_H
#define HONE_SIMULATE_VERDICTFILE_H

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include <string>

namespace hone::simulate {

class VerdictFile {
public:
  /// Without a path it knows nothing and keeps nothing.
  explicit VerdictFile(std::string path = "");
  /// The file that belongs to a database or a tuning file.
  static std::string beside(llvm::StringRef database);

  /// What was wrong with the file when it was read, in one line; empty if
  /// nothing was.
  const std::string &complaint() const { return fault; }
  bool contains(llvm::StringRef digest) const {
    return digests.contains(digest);
  }
  llvm::Error add(llvm::StringRef digest);

private:
  void read(llvm::StringRef text);

  std::string readFrom(llvm::StringRef file);

  std::string path, fault;
  llvm::StringSet<> digests;
};

} // namespace hone::simulate

#endif // HONE_SIMULATE_VERDICTFILE_H
