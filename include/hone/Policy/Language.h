//===- Language.h - A schedule as a row of words ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whoever lists all schedules can only choose among those on the list. Whoever
// writes them can reach every one. So a schedule is a sentence: words from
// left to right, first the kind, then number by number what its row decides.
//
//   mma_sync, tile = 64x128x64, warps = 2x4, ...
//
//   kind=mma_sync mma_sync.tile.0=64 mma_sync.tile.1=128 mma_sync.tile.2=64
//   mma_sync.warps.0=2 mma_sync.warps.1=4 ...
//
// | what     | is                                                              |
// |----------|-----------------------------------------------------------------|
// | word     | a slot and a value: `mma_sync.tile.1`, 128                      |
// | slot     | what is decided: the kind, or one number of one decision        |
// | sentence | every slot of one kind, once, in the order of its row           |
// | prefix   | the first words of a sentence: a schedule that is being written |
//
// All of it is made of the table of kinds, and nothing here names a kind or a
// decision. A decision that is added to a row is a slot more. Slots have the
// names that weights are stored with (Reader.h), so weights that do not know a
// slot go on knowing the others.
//
// A prefix names each of its slots once and in order. So what was written so
// far is a row of numbers, as a schedule is, and a network can read it at once
// instead of word by word (Writer.h).
//
// The language knows no law: which words may follow says a Mask (Mask.h).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_LANGUAGE_H
#define HONE_POLICY_LANGUAGE_H

#include "hone/Schedule/Schedule.h"
#include <vector>

namespace hone {

/// What a word decides: the kind, or part `part` of a decision.
struct Slot {
  std::string name;
  const Kind *kind = nullptr; ///< null: the kind is what is decided
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

  /// The slot of the kind, then those of every kind, one behind the other.
  llvm::ArrayRef<Slot> slots() const { return all; }
  /// The slot of the word that follows; none where nothing does. `prefix` is
  /// one, as `read` would have it.
  std::optional<size_t> next(llvm::ArrayRef<Word> prefix) const;

  Sentence spell(const Schedule &schedule) const;
  /// The schedule of a sentence. What is none is an error: a word too many or
  /// too few, one out of its place, or a value that its slot does not have.
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

#endif // HONE_POLICY_LANGUAGE_H
