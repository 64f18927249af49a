//===- WholeKernel.h - Kernels that no schedule describes -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A person, or a model, takes the kernel IR that a builder wrote and changes it
// by hand, beyond what rewrites can say. The result is a *whole kernel*. It
// takes the place of the kernel that it was made from and of no other, so
// everything around it stays as it is: the schedule gives the launch plan, the
// laws, the facts for the cost model and the key, and says in its list of
// rewrites that the kernel is not built, but taken by its name:
//
//   ws, tile = 128x128x64, ..., rewrites = [whole(k8f3a291c0d03bb7)]
//
// So whatever carries a schedule carries it: a database, a tuning file, a pin,
// a search. The text of the kernel travels beside it, under the same name:
//
//   | where           | the text                                            |
//   |-----------------|-----------------------------------------------------|
//   | a database      | a row of the table `kernels`                        |
//   | a tuning file,  | an op `hone.kernel "k8f3a291c0d03bb7" = [...]`      |
//   | a module        |                                                     |
//   | lines of JSON   | an object with `kernel` and `text`                  |
//
// The name is the beginning of the text's SHA-256 and is checked wherever a
// text is read. It is an address and no seal: a proof (docs/Simulate.md) is
// remembered by a digest of everything that it depends on, all of the kernel
// included.
//
// In a row of numbers the name is three of 20 bits, so a schedule is numbers
// still. Nobody draws or learns them: who walks through decisions asks
// `namesWholeKernel`.
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

/// The longest text: kernels that builders write take some tens of kilobytes.
constexpr size_t kMaxKernelBytes = size_t(1) << 20;

/// "k" and 15 hexadecimal digits.
bool isKernelName(llvm::StringRef name);

/// Why this can not be a kernel of that name; nothing if it can. Whether the
/// text is kernel IR is for others to find out.
std::optional<std::string> faultOf(const WholeKernel &kernel);

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// The decision whose value is a name: the rewrite that has no words.
bool namesWholeKernel(const Decision &decision);
/// The name of the kernel that is taken instead of being built.
std::optional<std::string> wholeKernelOf(const Schedule &schedule);
/// `base` with that kernel in the place of its own, and no other rewrites. An
/// error if kernels of this kind can not be replaced.
llvm::Expected<Schedule> withWholeKernel(Schedule base, llvm::StringRef name);

//===----------------------------------------------------------------------===//
// Text that nobody vouches for
//===----------------------------------------------------------------------===//

/// MLIR's parser calls itself for every bracket, and takes a time that grows
/// with more than the square of a number's digits. Nothing that people write
/// has many of either.
struct TooMuch {
  unsigned line;
  std::string what; ///< "expected at most ..., but got more"
};
/// The first place of `text` that must not be given to the parser.
std::optional<TooMuch> tooMuchOf(llvm::StringRef text);

} // namespace hone

#endif // HONE_SCHEDULE_WHOLEKERNEL_H
