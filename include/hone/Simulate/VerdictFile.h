//===- VerdictFile.h - File of proven kernels -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file next to a database or a tuning file with the digests of proven
// kernels, so that later builds and other machines need not prove them again:
//
//   hone-verdicts 1
//   proven 1f3a...     64 digits: the SHA-256 of all that the proof depends on
//
// | event                            | consequence                            |
// |----------------------------------|----------------------------------------|
// | the file is missing              | no kernel was proven yet               |
// | a line is damaged, or the file   | it is ignored, and `complaint` reports |
// | has another format               | it; the other lines count              |
// | a writer dies within a line      | that line is damaged; the next writer  |
// |                                  | starts another one                     |
// | two writers                      | each line is one write at the end of   |
// |                                  | the file: both are there               |
// | the file cannot be written       | an error, and nothing else             |
//
// A digest matches only one kernel, so a random or outdated line has no effect.
// It is not a signature: a user who may write the file can forge a proof, just
// as a user who may write the database can forge a time.
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
  /// Without a path it is empty and stores nothing.
  explicit VerdictFile(std::string path = "");
  /// The file that belongs to a database or a tuning file.
  static std::string beside(llvm::StringRef database);

  /// The fault of the file when it was read, in one line; empty if there was
  /// none.
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
