//===- Knobs.h - Names for the numbers of a schedule ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This lets builders, proposers and laws write `knobs.tile[1]` instead of an
// index into the numbers of a row. A kind's struct lists the fields that are
// decisions, in the order of the row, and this header does the rest:
//
//   struct MmaSync : Knobs<MmaSync> {
//     MmaSync() : MmaSync(Schedule(kind())) {}
//     explicit MmaSync(const Schedule &schedule) { read(schedule); }
//     template <typename Self>
//     static auto fields(Self &self) { return std::tie(self.tile, ...); }
//     static const Kind &kind();
//   };
//
// A row may have more decisions after those that the struct names.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_KNOBS_H
#define HONE_SCHEDULE_KNOBS_H

#include "hone/Schedule/Schedule.h"
#include <algorithm>
#include <tuple>

namespace hone {

template <typename KnobsT>
class Knobs {
public:
  static bool are(const Schedule &schedule) {
    return schedule.kind().name == KnobsT::kind().name;
  }
  operator Schedule() const {
    Schedule schedule(KnobsT::kind());
    llvm::MutableArrayRef<int64_t> rest = schedule.numbers();
    std::apply([&](const auto &...field) { (put(rest, field), ...); },
               KnobsT::fields(static_cast<const KnobsT &>(*this)));
    return schedule;
  }

protected:
  void read(const Schedule &schedule) {
    assert(are(schedule) && "expected a schedule of this kind");
    auto fields = KnobsT::fields(static_cast<KnobsT &>(*this));
    takeAll(schedule.numbers(), fields,
            std::make_index_sequence<std::tuple_size_v<decltype(fields)>>());
  }

private:
  // Laws read a schedule millions of times: inline, this is a copy without the
  // addresses of fifty fields.
  template <typename FieldsT, size_t... at>
  LLVM_ATTRIBUTE_ALWAYS_INLINE static void takeAll(llvm::ArrayRef<int64_t> rest,
                                                   const FieldsT &fields,
                                                   std::index_sequence<at...>) {
    (take(rest, std::get<at>(fields)), ...);
  }
  static void take(llvm::ArrayRef<int64_t> &rest, int64_t &field) {
    field = rest.consume_front();
  }
  template <size_t size>
  static void take(llvm::ArrayRef<int64_t> &rest,
                   std::array<int64_t, size> &field) {
    for (int64_t &number : field)
      take(rest, number);
  }
  // Words count from 1.
  static void take(llvm::ArrayRef<int64_t> &rest, bool &field) {
    field = rest.consume_front() == 2;
  }
  static void put(llvm::MutableArrayRef<int64_t> &rest, int64_t field) {
    rest.consume_front() = field;
  }
  template <size_t size>
  static void put(llvm::MutableArrayRef<int64_t> &rest,
                  const std::array<int64_t, size> &field) {
    for (int64_t number : field)
      put(rest, number);
  }
  static void put(llvm::MutableArrayRef<int64_t> &rest, bool field) {
    put(rest, int64_t(field ? 2 : 1));
  }
};

/// A law about a kind's struct as a law about schedules.
template <typename KnobsT, Broken (*broken)(const KnobsT &, const KnownFacts &)>
Broken lawOf(const Schedule &schedule, const KnownFacts &facts) {
  return broken(KnobsT(schedule), facts);
}

} // namespace hone

#endif // HONE_SCHEDULE_KNOBS_H
