//===- Measurement.cpp - Result of one candidate --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names.
//
//===----------------------------------------------------------------------===//

#include "hone/Numerics/Measurement.h"

using namespace hone;
using llvm::StringRef;

static constexpr StringRef kStatusNames[] = {
    "ok", "illegal", "compile-error", "wrong", "fault", "timeout"};
static_assert(std::size(kStatusNames) == kStatusCount);
static constexpr StringRef kGradeNames[] = {"trial", "finalist", "chosen"};

template <typename T>
static std::optional<T> parse(llvm::ArrayRef<StringRef> names, StringRef text) {
  for (size_t i = 0; i < names.size(); ++i)
    if (text == names[i])
      return T(i);
  return std::nullopt;
}

llvm::ArrayRef<StringRef> hone::statusNames() { return kStatusNames; }

StringRef hone::toString(Status status) { return kStatusNames[size_t(status)]; }

std::optional<Status> hone::parseStatus(StringRef text) {
  return parse<Status>(kStatusNames, text);
}

StringRef hone::toString(Grade grade) { return kGradeNames[size_t(grade)]; }

std::optional<Grade> hone::parseGrade(StringRef text) {
  return parse<Grade>(kGradeNames, text);
}

Measurement hone::failed(Status status, std::string reason) {
  Measurement measurement;
  measurement.status = status;
  measurement.reason = std::move(reason);
  return measurement;
}
