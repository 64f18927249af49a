//===- CommonLaws.h - Laws that several kinds share -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws differ in their numbers and reasons. The checks of a number and their
// messages are the same for all kinds.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SCHEDULE_COMMONLAWS_H
#define HONE_LIB_SCHEDULE_COMMONLAWS_H

#include "hone/Schedule/Kind.h"

namespace hone::detail {

/// A number or a text in a reason.
class Stated {
public:
  Stated(llvm::StringRef text) : text(text) {}
  template <typename Number,
            std::enable_if_t<std::is_integral_v<Number>, bool> = true>
  Stated(Number number) : number(int64_t(number)), isNumber(true) {}

  void appendTo(std::string &out) const;

private:
  llvm::StringRef text;
  int64_t number = 0;
  bool isNumber = false;
};

/// `format` with `all[N]` for each {N}; other braces must not occur. A writer's
/// mask breaks laws often, and formatv would take 40 % of the mask's time.
std::string reasonOf(llvm::StringRef format, llvm::ArrayRef<Stated> all);

/// A broken law, with the reason that `reasonOf` makes of the arguments.
template <typename... Arguments>
Broken refuse(const KnownFacts &facts, const char *format,
              const Arguments &...arguments) {
  if (!facts.wantsReason)
    return std::string();
  return reasonOf(format, {Stated(arguments)...});
}

/// `what` must be a multiple of `unit`, which the message calls `unitText`.
Broken multipleOf(const KnownFacts &facts, llvm::StringRef what, int64_t value,
                  int64_t unit, const llvm::Twine &unitText);
/// The message begins with the unit, and `why` follows.
Broken multipleBecause(const KnownFacts &facts, llvm::StringRef what,
                       int64_t value, int64_t unit, llvm::StringRef why);
/// `what` must be between `min` and `max`.
Broken within(const KnownFacts &facts, llvm::StringRef what, int64_t value,
              int64_t min, int64_t max);
Broken atMost(const KnownFacts &facts, llvm::StringRef what, int64_t value,
              int64_t max);
/// The number of tile rows that are walked together has 16 bits in the kernel.
Broken groupFits(const KnownFacts &facts, int64_t group);

/// Every kernel adds floats in f32 and integers in i32, and stores the type of
/// its sums unless an epilogue converts it.
Broken refuseAccumulator(const Problem &problem);
/// Tensor cores multiply f16, bf16 and i8, and f32 and 8-bit floats as their
/// permissions allow.
Broken refuseTensorCoreTypes(const Problem &problem);
/// The same where factors come from registers. Then threads can multiply f32,
/// too.
Broken refuseRegisterTypes(const Problem &problem);

/// The parts of K in which `numbers` have every kernel add; nothing if the
/// order is free, as that of integers is.
std::optional<int64_t> partsOfK(const Problem &problem);
/// Elements of k at whose multiples K is cut in parts: 128 bytes.
int64_t unitOfParts(const Problem &problem);
/// The kernel adds K in the parts that the problem states, of steps of tileK.
Broken keepsParts(const KnownFacts &facts, llvm::StringRef what, int64_t parts,
                  int64_t tileK);

} // namespace hone::detail

#endif // HONE_LIB_SCHEDULE_COMMONLAWS_H
