//===- Number.h - Real numbers in untrusted text ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Use this instead of StringRef::getAsDouble for untrusted text: with thousands
// of digits, LLVM's reader overruns a buffer on its stack.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEXT_NUMBER_H
#define HONE_TEXT_NUMBER_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace hone {

/// The number that all of `text` spells; nothing if it is not a number, or
/// longer than the longest double without redundant digits.
std::optional<double> realNumber(llvm::StringRef text);

/// The shortest text that spells this finite number: "1.41".
std::string shortestText(double value);

} // namespace hone

#endif // HONE_TEXT_NUMBER_H
