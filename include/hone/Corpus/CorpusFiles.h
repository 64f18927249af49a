//===- CorpusFiles.h - The folder of a corpus -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   DIR/pairs.jsonl       a line for each pair, with the names of its files
//   DIR/linalg, c, llvm,  files, named after a hash of their text, so that
//       kernel, ptx       pairs with the same text share one
//   DIR/README.md         the data card
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CORPUS_CORPUSFILES_H
#define HONE_CORPUS_CORPUSFILES_H

#include "hone/Corpus/Pair.h"
#include <set>

namespace hone {

struct CorpusPair {
  const Problem &problem;
  const Schedule &schedule;
  const std::string &linalg, &loops, &llvmIr;
  const GpuTexts &gpu;
  const HostErrors &host;
};

struct CorpusCounts {
  size_t pairs = 0, duplicates = 0, leftOut = 0, kernels = 0;
  std::set<std::string> problems;
  std::map<std::string, size_t> splits; ///< pairs by split
};

class CorpusFiles {
public:
  explicit CorpusFiles(std::string folder) : folder(std::move(folder)) {}
  /// Adds a pair unless one with the same texts is there.
  llvm::Error add(const CorpusPair &pair, CorpusCounts &counts);
  /// Writes the lines and the data card.
  llvm::Error finish(const CorpusCounts &counts, llvm::StringRef arch);

private:
  /// The name of a file with this text, which is written once.
  llvm::Expected<std::string>
  place(llvm::StringRef kind, llvm::StringRef ending, llvm::StringRef text);

  std::string folder, lines;
  std::set<std::string> written, pairs;
};

} // namespace hone

#endif // HONE_CORPUS_CORPUSFILES_H
