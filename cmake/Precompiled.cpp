//===- Precompiled.cpp - Nothing but the headers of the rooms -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CMake precompiles headers for a target, and a target has a source.
//
//===----------------------------------------------------------------------===//
