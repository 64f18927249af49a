//===- KernelPatch.h - Edits of a kernel's text -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A patch replaces lines of a text. It is a tenth of the text, so a language
// model that answers with patches is ten times faster.
//
//   applyPatch(text, {{"kernel.mma.wait 1 for %acc", "kernel.mma.wait 0 ..."}})
//
// | lines to find                     | result                               |
// |-----------------------------------|--------------------------------------|
// | occur once                        | replaced, by any number of lines     |
// | occur never, or several times     | an error with the number of times    |
// | are lines that another edit finds | an error                             |
// | none, or more than the text has   | an error                             |
//
// All edits find lines of the text as it was, so their order does not matter.
// Spaces at both ends of a line are ignored.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_KERNELPATCH_H
#define HONE_TUNER_KERNELPATCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace hone {

/// Whole lines, separated by line breaks.
struct Edit {
  std::string find, replace;
};

/// The most edits of a patch.
constexpr size_t kMaxEdits = 32;

/// `text` with all edits, or an error that names the first wrong one. The
/// result may be no kernel.
llvm::Expected<std::string> applyPatch(llvm::StringRef text,
                                       llvm::ArrayRef<Edit> edits);

} // namespace hone

#endif // HONE_TUNER_KERNELPATCH_H
