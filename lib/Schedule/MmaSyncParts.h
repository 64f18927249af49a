//===- MmaSyncParts.h - Parts of the row of mma_sync ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The row is long: its laws and its defaults have files of their own.
//
// | file                | contents                                  |
// |---------------------|-------------------------------------------|
// | MmaSync.cpp         | the decisions, and a kernel's needs       |
// | MmaSyncLaws.cpp     | the laws                                  |
// | MmaSyncDefault.cpp  | the default for tensor cores              |
// | ExactF32Default.cpp | the default of exact f32                  |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SCHEDULE_MMASYNCPARTS_H
#define HONE_LIB_SCHEDULE_MMASYNCPARTS_H

#include "hone/Schedule/Kind.h"
#include "hone/Schedule/MmaSync.h"

namespace hone::detail {

/// Bytes of an element; 2 where the type is unknown.
inline int64_t bytesOfA(const Problem *problem) {
  return problem ? sizeOf(problem->a.type) : 2;
}
inline int64_t bytesOfB(const Problem *problem) {
  return problem ? sizeOf(problem->b.type) : 2;
}

llvm::ArrayRef<Law> mmaSyncLaws();

Schedule mmaSyncDefault(const Problem &problem, const Arch &arch);
/// The default for products that are exact in f32.
Schedule exactF32Default(const Problem &problem, const Arch &arch);

} // namespace hone::detail

#endif // HONE_LIB_SCHEDULE_MMASYNCPARTS_H
