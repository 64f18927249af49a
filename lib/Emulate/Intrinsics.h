//===- Intrinsics.h - NVVM's intrinsics as functions ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPU intrinsics implemented on this CPU. Kernels that use any other one are
// not run: the table is all that the emulation supports.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_EMULATE_INTRINSICS_H
#define HONE_LIB_EMULATE_INTRINSICS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace hone::emulate {

struct Intrinsic {
  void *function;
  bool meets; ///< threads wait for each other in it
};

/// The function for `llvm.nvvm....`; null if there is none.
const Intrinsic *findIntrinsic(llvm::StringRef name);

/// Functions that are called before accesses of memory.
inline constexpr llvm::StringLiteral kAccess = "hone_emulated_access";
inline constexpr llvm::StringLiteral kAccessWithin =
    "hone_emulated_access_within";
/// All functions that compiled kernels may call, by name: an intrinsic's
/// function has its name, with `_` for each dot.
llvm::StringMap<void *> kernelSymbols();
std::string symbolOf(llvm::StringRef intrinsic);

} // namespace hone::emulate

#endif // HONE_LIB_EMULATE_INTRINSICS_H
