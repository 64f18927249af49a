//===- Workspace.h - Scratch memory of kernels ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that split K need memory between their launches or blocks. Launches
// of one stream follow each other, so one buffer per stream serves all of them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_RUNTIME_WORKSPACE_H
#define HONE_LIB_RUNTIME_WORKSPACE_H

#include "Context.h"

namespace hone {

/// At least `bytes` (more than 0) of memory for the stream of `place`. If
/// `zeroed`, it was cleared when it was allocated, and only launches that ask
/// for it zeroed ever see it.
int32_t getWorkspace(const Place &place, int64_t bytes, bool zeroed,
                     cu::Address &address);

} // namespace hone

#endif // HONE_LIB_RUNTIME_WORKSPACE_H
