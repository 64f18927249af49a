//===- Language.h - A schedule as a row of words ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A policy that chooses from a list is limited to that list; one that writes
// schedules can reach all of them. So a schedule is a sentence: words from left
// to right, first the kind, then the numbers of its decisions, one by one.
//
//   mma_sync, tile = 64x128x64, warps = 2x4, ...
//
//   kind=mma_sync mma_sync.tile.0=64 mma_sync.tile.1=128 mma_sync.tile.2=64
//   mma_sync.warps.0=2 mma_sync.warps.1=4 ...
//
// | term     | is                                                             |
// |----------|----------------------------------------------------------------|
// | word     | a slot and a value: `mma_sync.tile.1`, 128                     |
// | slot     | the kind, or one number of one decision                        |
// | sentence | every slot of one kind, once, in the order of its row          |
// | prefix   | the first words of a sentence: an unfinished schedule          |
//
// The table of kinds defines the language, and nothing here names a kind or a
// decision. A new decision in a row adds a slot. Slots have the names under
// which weights are stored (Reader.h), so weights that lack a slot remain valid
// for the others.
//
// A prefix names each of its slots once and in order. So a prefix is a row of
// numbers, like a schedule, and a network can read it at once instead of word
// by word (Writer.h).
//
// The language ignores the laws: a Mask (Mask.h) decides which words may
// follow.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MODEL_LANGUAGE_H
#define HONE_MODEL_LANGUAGE_H

#include "hone/Schedule/Schedule.h"
#include <vector>

namespace hone {

/// The choice that a word makes: the kind, or part `part` of a decision.
struct Slot {
  std::string name;
  const Kind *kind = nullptr; ///< null: the slot of the kind
  const Decision *decision = nullptr;
  size_t part = 0;
};

struct Word {
  size_t slot = 0;
  /// Of a kind, its place in the table, from 1 on.
  int64_t value = 0;

  bool operator==(const Word &other) const {
    return slot == other.slot && value == other.value;
  }
  bool operator<(const Word &other) const {
    return std::pair(slot, value) < std::pair(other.slot, other.value);
  }
};
using Sentence = std::vector<Word>;

class Language {
public:
  explicit Language(Kinds kinds = allKinds());

  /// The slot of the kind, then the slots of every kind in order.
  llvm::ArrayRef<Slot> slots() const { return all; }
  /// The slot of the next word; none if the sentence is complete. `prefix` must
  /// be the beginning of a sentence that `read` accepts.
  std::optional<size_t> next(llvm::ArrayRef<Word> prefix) const;

  Sentence spell(const Schedule &schedule) const;
  /// The schedule of a sentence. An error if there is a word too many or too
  /// few, a word in the wrong place, or a value that its slot does not have.
  llvm::Expected<Schedule> read(llvm::ArrayRef<Word> sentence) const;

  /// `mma_sync.tile.1=128`; a choice between words shows the word.
  std::string text(const Word &word) const;
  std::string text(llvm::ArrayRef<Word> words) const;

private:
  /// Where the slots of a kind begin, by its place in the table.
  std::vector<size_t> begins;
  std::vector<Slot> all;
  std::vector<const Kind *> kinds;
};

} // namespace hone

#endif // HONE_MODEL_LANGUAGE_H
