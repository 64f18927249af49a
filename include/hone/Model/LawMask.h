//===- LawMask.h - Legal next words of a space without a list ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mask (Mask.h) over all schedules that keep the laws. Nothing is listed: a
// word may follow if a legal schedule was found that begins with the words so
// far and this one (hone/Space/Completion.h). States are made on demand.
//
//   Completion completion(problem, arch);
//   LawMask mask(completion, language, reader);
//   if (mask.isEmpty())
//     ...                        no kind has a legal schedule here
//   Writer(networks, language, mask, context).beams(8)
//
// The witness of a state stands for the schedules after it, and its estimate
// for their soft minimum. So it should be a good one. Where a word differs from
// the witness of the state before, its later numbers are improved by the
// reader's estimates when the writer continues there, some `looks` of them.
// States that follow a witness inherit its numbers without any effort.
//
// A number with more than 256 values is offered some of them. `follow` accepts
// the others, too, so that every legal schedule can be written.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MODEL_LAWMASK_H
#define HONE_MODEL_LAWMASK_H

#include "hone/Model/Mask.h"
#include "hone/Space/Completion.h"
#include <deque>

namespace hone {

struct LawMaskOptions {
  size_t looks = 48;       ///< of a state whose word differs from the witness
  size_t firstLooks = 400; ///< of each kind
};

class LawMask : public Mask {
public:
  /// All must outlive this; `language` and `reader` have the kinds of
  /// `completion`.
  LawMask(Completion &completion, const Language &language,
          const Reader &reader, LawMaskOptions options = {});

  /// The schedules that begin with the first `fixed` numbers of `schedule`,
  /// which is legal. They need no improvement: it is their witness.
  LawMask(Completion &completion, const Language &language,
          const Reader &reader, const Schedule &schedule, size_t fixed);

  /// True if no kind has a legal schedule.
  bool isEmpty() const { return !hasBegun; }
  llvm::ArrayRef<Step> next(State state) override;
  Ahead ahead(State state) override;
  void lookAhead(llvm::ArrayRef<State> states) override;
  Schedule written(State state) override;
  std::optional<Step> follow(State state, Word word) override;

  size_t states() const { return nodes.size(); }

private:
  struct Node {
    Schedule witness;
    size_t fixed; ///< numbers that are written
    bool isImproved = true, isOpen = false;
    std::vector<Step> steps = {};
    std::optional<Reading> reading = {};
  };
  Schedule improved(const Schedule &witness, size_t fixed, size_t looks);
  State add(Schedule witness, size_t fixed, bool isImproved);
  std::vector<std::pair<int64_t, std::optional<Schedule>>>
  valuesAfter(const Node &node);
  void open(Node &node);

  Completion &completion;
  const Language &language;
  const Reader &reader;
  const LawMaskOptions options;
  bool hasBegun = false;
  std::deque<Node> nodes; ///< references stay valid
};

} // namespace hone

#endif // HONE_MODEL_LAWMASK_H
