//===- Suggest.h - "did you mean" in errors ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   return failure("expected one of " + listed(names) + ", but got '" + word +
//                  "'" + didYouMean(word, names));
//
// gives "..., but got 'H20'; did you mean 'h200'?".
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEXT_SUGGEST_H
#define HONE_TEXT_SUGGEST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace hone {

/// "; did you mean 'NAME'?" with the name that is closest to `word`, whatever
/// its case. Empty if more than a third of the letters differ, or a quarter in
/// a word with digits.
std::string didYouMean(llvm::StringRef word,
                       llvm::ArrayRef<llvm::StringRef> names);

} // namespace hone

#endif // HONE_TEXT_SUGGEST_H
