//===- WholeKernel.h - Handwritten kernels ----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A person or a model can change the IR of a built kernel by hand, beyond the
// rewrites. The result is a *whole kernel*. It replaces only the kernel that it
// was made from, so its surroundings stay the same: the schedule determines the
// launch plan, the laws, the facts for the cost model and the key. The
// schedule's list of rewrites names the kernel, which is then used instead of a
// built one:
//
//   ws, tile = 128x128x64, ..., rewrites = [whole(k8f3a291c0d03bb7)]
//
// So every form of a schedule can name a whole kernel: a database, a tuning
// file, a pin, a search. The text of the kernel is stored separately, under the
// same name:
//
//   | where           | the text                                            |
//   |-----------------|-----------------------------------------------------|
//   | a database      | a row of the table `kernels`                        |
//   | a tuning file,  | an op `hone.kernel "k8f3a291c0d03bb7" = [...]`      |
//   | a module        |                                                     |
//   | lines of JSON   | an object with `kernel` and `text`                  |
//
// The name is the beginning of the text's SHA-256 and is checked wherever a
// text is read. The name only identifies the text. A proof (docs/Simulate.md)
// is stored under a digest of everything that it depends on, including the
// whole kernel.
//
// In a row of numbers the name is three numbers of 20 bits, so a schedule
// remains a row of numbers. Searches do not draw or learn these numbers: code
// that iterates over decisions skips them with `namesWholeKernel`.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_WHOLEKERNEL_H
#define HONE_SCHEDULE_WHOLEKERNEL_H

#include "hone/Schedule/Schedule.h"

namespace hone {

/// A text and its name.
struct WholeKernel {
  std::string name, text;

  static WholeKernel of(std::string text);
};

/// The longest text: built kernels take some tens of kilobytes.
constexpr size_t kMaxKernelBytes = size_t(1) << 20;

/// "k" and 15 hexadecimal digits.
bool isKernelName(llvm::StringRef name);

/// Why this cannot be a kernel of that name; nothing if it can. Does not check
/// whether the text is kernel IR.
std::optional<std::string> faultOf(const WholeKernel &kernel);

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// The decision whose value is a name: the rewrite that has no words.
bool namesWholeKernel(const Decision &decision);
/// The name of the kernel that is used instead of the built one.
std::optional<std::string> wholeKernelOf(const Schedule &schedule);
/// `base` with that kernel instead of its own, and no other rewrites. An error
/// if kernels of this kind cannot be replaced.
llvm::Expected<Schedule> withWholeKernel(Schedule base, llvm::StringRef name);

//===----------------------------------------------------------------------===//
// Untrusted text
//===----------------------------------------------------------------------===//

/// MLIR's parser recurses for every bracket, and its time grows faster than the
/// square of a number's digits. Real kernels have few of either.
struct TooMuch {
  unsigned line;
  std::string what; ///< "expected at most ..., but got more"
};
/// The first place of `text` that must not be given to the parser.
std::optional<TooMuch> tooMuchOf(llvm::StringRef text);

} // namespace hone

#endif // HONE_SCHEDULE_WHOLEKERNEL_H
