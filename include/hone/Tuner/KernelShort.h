//===- KernelShort.h - Kernels in few words ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A language model reads kernels, and answers with lines of them, in a short
// form that loses nothing:
//
// | in a kernel                            | in the short form               |
// |----------------------------------------|---------------------------------|
// | `<64 x 144 x f32, warps = 4 x 1>`      | `<A>`, if it occurs twice       |
// | four spaces ahead of a line            | two                             |
// | `%c4_i32 = arith.constant 4 : i32`     | one line for all of these       |
//
// Letters depend on one kernel's text, so an answer is read without more state.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_KERNELSHORT_H
#define HONE_TUNER_KERNELSHORT_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace hone {

class Shorthand {
public:
  /// Letters for the types of `kernel`.
  explicit Shorthand(llvm::StringRef kernel);

  /// "<A>: <64 x 144 x f32, warps = 4 x 1>", one a line.
  std::string legend() const;
  /// Puts letters in place of types.
  std::string shorten(llvm::StringRef text) const;
  /// Puts types in place of letters. Texts without letters do not change.
  std::string restore(llvm::StringRef text) const;
  /// The short form of a whole kernel.
  std::string kernel(llvm::StringRef text) const;

private:
  std::vector<std::string> types; ///< by letter, with their brackets
};

/// The lines of `after` that differ from `before`, with a line around each run
/// of them: " same", "-before", "+after". Empty if the texts are too long, or
/// differ too much, to be worth it.
std::string lineDifferences(llvm::StringRef before, llvm::StringRef after);

} // namespace hone

#endif // HONE_TUNER_KERNELSHORT_H
