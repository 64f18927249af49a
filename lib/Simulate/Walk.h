//===- Walk.h - Path of one thread through a kernel -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No branch of a kernel depends on time, so the path of each thread can be
// computed without waiting for others: each runs from its start to its end
// separately. A visitor is called for each step.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_WALK_H
#define HONE_LIB_SIMULATE_WALK_H

#include "Launch.h"
#include "Program.h"
#include "Roster.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hone::simulate {

/// The maximum number of steps, for all threads together, in a proof.
constexpr int64_t kMaxWalked = int64_t(1) << 27;
/// The finding where this limit is exceeded.
Finding pastLimit(const Program &program);

class Walk {
public:
  Walk(const Program &program, const LaunchValues &launch,
       const Member &member);

  /// Called before each step; false ends the walk.
  using Visitor = llvm::function_ref<bool(Walk &walk, const Step &step)>;
  /// Takes all steps up to the end, but at most `left`, and reduces `left` by
  /// their number.
  void run(int64_t &left, Visitor visit);

  int64_t number(mlir::Value value) const {
    return registers[program.registerOf(value)].number;
  }
  int64_t input(const Step &step, size_t index) const {
    return registers[step.in[index]].number;
  }
  /// The result of a step that computes.
  int64_t result(const Step &step);
  /// The thread's place, for messages.
  Place placeOf(const Step &step) const;

private:
  size_t next(size_t at);

  const Program &program;
  const LaunchValues &launch;
  const Member &member;
  std::vector<Register> registers;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_WALK_H
