//===- Cause.cpp - Classes of failures ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Cause.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Numerics/Cause.h"
#include "llvm/ADT/StringExtras.h"

using namespace hone;
using llvm::StringRef;

/// Whether a text has the name of a fault of the simulator: "[overwritten; ".
static bool hasFault(StringRef text) {
  for (size_t at = text.find('['); at != StringRef::npos;
       at = text.find('[', at + 1)) {
    StringRef rest = text.drop_front(at + 1);
    StringRef name =
        rest.take_while([](char one) { return one >= 'a' && one <= 'z'; });
    if (!name.empty() && rest.drop_front(name.size()).starts_with(";"))
      return true;
  }
  return false;
}

std::string hone::causeOf(const Measurement &measurement) {
  StringRef reason = measurement.reason;
  switch (measurement.status) {
  case Status::ok:
    return "";
  case Status::illegal:
    if (reason.consume_front("schedule_c"))
      return "law " + reason.take_while(llvm::isDigit).str();
    return "rewrite";
  case Status::compileError:
    if (hasFault(reason))
      return "proof";
    if (!reason.starts_with("ptxas: "))
      return "build";
    return reason.contains("spills ") ? "spill" : "assembler";
  case Status::wrong:
  case Status::fault:
  case Status::timeout:
    break;
  }
  return toString(measurement.status).str();
}
