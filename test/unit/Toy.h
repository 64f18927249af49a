//===- Toy.h - Decisions for tests only -------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/Schedule.md: a new decision takes one row. Here rows are added to
// mma_sync in a table of the tests, and the tests of each folder that walks
// rows show that it accepts them unchanged.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_TOY_H
#define HONE_TEST_TOY_H

#include "hone/Schedule/MmaSync.h"

namespace hone::test {

inline constexpr llvm::StringLiteral kHints[] = {"none", "first", "last"};

inline Decision hint() {
  return {"hint",
          When::compileTime,
          "cache hint of the loads",
          {{1, 1, 3}},
          kHints};
}

/// mma_sync, with `more` after its other decisions.
inline std::vector<Decision>
extendedMmaSync(std::initializer_list<Decision> more) {
  std::vector<Decision> all = MmaSync::kind().decisions;
  all.insert(all.end(), more);
  return all;
}

inline Kind likeMmaSync(const std::vector<Decision> &decisions,
                        Schedule (*makeDefault)(const Problem &,
                                                const Arch &)) {
  Kind kind = MmaSync::kind();
  kind.decisions = decisions;
  kind.makeDefault = makeDefault;
  return kind;
}

/// mma_sync with a cache hint.
inline const Kind &hinted() {
  static const std::vector<Decision> decisions = extendedMmaSync({hint()});
  static const Kind row =
      likeMmaSync(decisions, [](const Problem &, const Arch &) {
        return Schedule(hinted());
      });
  return row;
}

/// Also with the frequency of the hint, which has a meaning only with a hint.
inline const Kind &oftenHinted() {
  static const std::vector<Decision> decisions =
      extendedMmaSync({hint(),
                       {"often",
                        When::runTime,
                        "loads with the hint",
                        {{1, 1, 4096}},
                        {},
                        [](const Schedule &schedule) {
                          return schedule["hint"].front() != 1;
                        }}});
  static const Kind row =
      likeMmaSync(decisions, [](const Problem &, const Arch &) {
        return Schedule(oftenHinted());
      });
  return row;
}

inline const Kind *const kWithHint[] = {&hinted()};
inline const Kind *const kWithOftenHint[] = {&oftenHinted()};

} // namespace hone::test

#endif // HONE_TEST_TOY_H
