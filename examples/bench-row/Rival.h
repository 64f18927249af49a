//===- Rival.h - The same product by cuBLASLt -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library is opened at run time. It gets the best conditions: 32 MiB of
// workspace, and a trial of every algorithm that its heuristic returns.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EXAMPLES_BENCHROW_RIVAL_H
#define HONE_EXAMPLES_BENCHROW_RIVAL_H

#include "Kernel.h"
#include <memory>

namespace example {

class Rival {
public:
  /// Null, with a remark on standard error, where there is no cuBLASLt.
  static std::unique_ptr<Rival> open(const std::string &file,
                                     const Product &product, void *stream);
  int algorithms() const { return int(found.size()); }
  bool launch(const void *a, const void *b, void *c, int algorithm);

private:
  Rival() = default;
  /// cublasLtMatmulHeuristicResult_t
  struct Answer {
    uint64_t algorithm[8];
    size_t workspaceBytes;
    int state;
    float waves;
    int reserved[4];
  };
  void *library = nullptr, *handle = nullptr, *description = nullptr;
  void *layoutA = nullptr, *layoutB = nullptr, *layoutC = nullptr;
  void *workspace = nullptr, *stream = nullptr;
  std::vector<Answer> found;
};

} // namespace example

#endif // HONE_EXAMPLES_BENCHROW_RIVAL_H
