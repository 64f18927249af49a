//===- Replace.h - Replacement of parts of a text ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   std::string text = "m % 64x";
//   replaceAll(text, "x", "y"); // "m % 64y"
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEXT_REPLACE_H
#define HONE_TEXT_REPLACE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hone {

/// Puts `to` in place of each `from`, which is not empty, in one pass.
inline void replaceAll(std::string &text, llvm::StringRef from,
                       llvm::StringRef to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
}

} // namespace hone

#endif // HONE_TEXT_REPLACE_H
