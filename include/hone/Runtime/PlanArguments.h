//===- PlanArguments.h - The arguments of a matmul's plan -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan lists its arguments by name. Compiled programs pass them from the
// memrefs of a matmul; code with matrices of its own describes them here, and
// gets the values for the plan's names:
//
// | name               | value                                                |
// |--------------------|------------------------------------------------------|
// | a, b, c, e0, ...   | addresses of the matrices, and of an epilogue's      |
// |                    | operands                                             |
// | m, n, k, batch     | extents; batch is all batches together               |
// | heads              | with two batches, the number of inner ones per outer |
// | lda, ldb, ldc      | elements from line to line                           |
// | sa, sb, sc         | elements from one (outer) batch to the next          |
// | ha, hb, hc         | elements from one inner batch to the next            |
// | e0b, e0h, e0m, e0n | distances of adjacent elements of an operand         |
// | others             | run-time decisions of the schedule                   |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_PLANARGUMENTS_H
#define HONE_RUNTIME_PLANARGUMENTS_H

#include "hone/Runtime/LaunchPlan.h"
#include <map>

namespace hone {

class PlanArguments {
public:
  void set(const std::string &name, int64_t value) { values[name] = value; }
  void setExtents(int64_t m, int64_t n, int64_t k, int64_t batch,
                  int64_t heads = 1);
  /// Elements from one batch to the next; 0 if one matrix serves all.
  struct BatchStrides {
    int64_t outer = 0, inner = 0;
  };
  /// `name` is a, b or c.
  void setMatrix(const std::string &name, int64_t address, int64_t line,
                 BatchStrides batches);
  /// An operand of the epilogue, and the distances of its adjacent elements.
  void setOperand(size_t index, int64_t address, BatchStrides batches,
                  int64_t alongM, int64_t alongN);
  bool has(const std::string &name) const { return values.count(name) != 0; }

  /// The values of the arguments of `plan`, in its order. Returns an empty
  /// string, or the error.
  std::string order(const LaunchPlan &plan,
                    std::vector<int64_t> &ordered) const;

private:
  std::map<std::string, int64_t> values;
};

/// The first alternative of a plan whose bound and guard hold; null if there is
/// none.
const PlanAlternative *chosenAlternative(const LaunchPlan &plan,
                                         const std::vector<int64_t> &ordered);

} // namespace hone

#endif // HONE_RUNTIME_PLANARGUMENTS_H
