//===- Scribe.h - Schedules written for one problem -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A writer (Writer.h) with a mask over all legal schedules of a problem
// (LawMask.h). It keeps the mask, so that later schedules for the same problem
// take less time:
//
//   Scribe scribe(model, problem, arch);
//   scribe.write(context, 8)              eight schedules, no list
//   scribe.rewrite(schedule, context, 8)  the same schedule, rewritten
//
// A model's writer decides. A model that only judges writes, too: the odds of a
// word are those of the judges for its witness.
//
// A rewrite is a word like any other. A schedule is written with its rewrites
// as built; then its words up to the first rewrite stay, and the writer
// continues from there.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MODEL_SCRIBE_H
#define HONE_MODEL_SCRIBE_H

#include "hone/Model/LawMask.h"
#include "hone/Model/Model.h"
#include "hone/Model/Writer.h"

namespace hone {

class Scribe {
public:
  /// Extents must be known. `model` must outlive this.
  Scribe(const Model &model, const Problem &problem, const Arch &arch,
         Kinds kinds = allKinds(), LawMaskOptions options = {});

  /// Why nothing can be written; empty if something can.
  std::string fault() const;
  /// At most `count` schedules, those with the shortest expected times first;
  /// none if there is a fault.
  std::vector<Written> write(llvm::ArrayRef<Tried> context, size_t count);
  /// At most `count` legal schedules that differ from `schedule`, which is
  /// legal, in rewrites alone, in the same order.
  std::vector<Written> rewrite(const Schedule &schedule,
                               llvm::ArrayRef<Tried> context, size_t count);

  size_t answers() const { return completion.answers() + rewriting.answers(); }

private:
  Writer writerOf(Mask &mask, llvm::ArrayRef<Tried> context) const;

  const Model &model;
  const Language language;
  const Reader reader;
  const Ensemble untrained;
  Completion completion, rewriting;
  LawMask mask;
};

} // namespace hone

#endif // HONE_MODEL_SCRIBE_H
