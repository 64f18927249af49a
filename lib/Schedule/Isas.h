//===- Isas.h - The table of instruction sets -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Arch.cpp's table that machine files are checked against.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SCHEDULE_ISAS_H
#define HONE_LIB_SCHEDULE_ISAS_H

#include "hone/Schedule/Arch.h"
#include "llvm/ADT/SmallVector.h"

namespace hone::detail {

/// Sets the instruction set, its capability and its PTX version; false if there
/// is none of this name.
bool setIsa(Arch &arch, llvm::StringRef name);
llvm::SmallVector<llvm::StringRef> isaNames();

} // namespace hone::detail

#endif // HONE_LIB_SCHEDULE_ISAS_H
