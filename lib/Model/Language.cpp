//===- Language.cpp - Schedules as sequences of words ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Language.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Language.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::ArrayRef;
using llvm::formatv;

static constexpr size_t kKindSlot = 0;

Language::Language(Kinds table) : kinds(table.vec()) {
  all.push_back({"kind"});
  for (const Kind *kind : kinds) {
    begins.push_back(all.size());
    for (const Decision &decision : kind->decisions)
      for (size_t part = 0; part < decision.size(); ++part)
        all.push_back(
            {formatv("{0}.{1}.{2}", kind->name, decision.name, part).str(),
             kind, &decision, part});
  }
  begins.push_back(all.size());
}

std::optional<size_t> Language::next(ArrayRef<Word> prefix) const {
  if (prefix.empty())
    return kKindSlot;
  auto kind = size_t(prefix.front().value - 1);
  size_t slot = begins[kind] + prefix.size() - 1;
  return slot < begins[kind + 1] ? std::optional(slot) : std::nullopt;
}

Sentence Language::spell(const Schedule &schedule) const {
  auto kind = llvm::find(kinds, &schedule.kind());
  assert(kind != kinds.end() && "expected a schedule of these kinds");
  size_t place = kind - kinds.begin(), slot = begins[place];
  Sentence words = {{kKindSlot, int64_t(place) + 1}};
  for (int64_t number : schedule.numbers())
    words.push_back({slot++, number});
  return words;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static llvm::Error refuse(const llvm::formatv_object_base &wanted,
                          const llvm::Twine &got) {
  return llvm::createStringError(
      formatv("expected {0}, but got {1}; use words as they are spelled",
              wanted.str(), got.str()));
}

llvm::Expected<Schedule> Language::read(ArrayRef<Word> sentence) const {
  if (sentence.empty())
    return refuse(formatv("a kind"), "no word");
  int64_t kind = sentence.front().value;
  if (sentence.front().slot != kKindSlot || kind < 1 ||
      kind > int64_t(kinds.size()))
    return refuse(formatv("a kind"), text(sentence.front()));
  Schedule schedule(*kinds[kind - 1]);
  ArrayRef<Word> rest = sentence.drop_front();
  if (rest.size() != schedule.numbers().size())
    return refuse(formatv("{0} words behind {1}", schedule.numbers().size(),
                          text(sentence.front())),
                  llvm::Twine(rest.size()));
  size_t slot = begins[kind - 1];
  for (auto [number, word] : llvm::zip_equal(schedule.numbers(), rest)) {
    const Slot &wanted = all[slot];
    if (word.slot != slot ||
        !wanted.decision->choices[wanted.part].has(word.value))
      return refuse(formatv("a value of {0}", wanted.name), text(word));
    number = word.value;
    ++slot;
  }
  return schedule;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string Language::text(const Word &word) const {
  if (word.slot >= all.size())
    return formatv("word {0} of slot {1}", word.value, word.slot);
  const Slot &slot = all[word.slot];
  auto isOf = [&](size_t count) {
    return word.value >= 1 && word.value <= int64_t(count);
  };
  if (!slot.kind && isOf(kinds.size()))
    return formatv("{0}={1}", slot.name, kinds[word.value - 1]->name);
  if (slot.kind && isOf(slot.decision->words.size()))
    return formatv("{0}={1}", slot.name, slot.decision->words[word.value - 1]);
  return formatv("{0}={1}", slot.name, word.value);
}

std::string Language::text(ArrayRef<Word> words) const {
  return llvm::join(
      llvm::map_range(words, [&](const Word &word) { return text(word); }),
      " ");
}
