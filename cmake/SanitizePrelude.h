//===- SanitizePrelude.h - LLVM's headers beside its libraries --*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included before everything else with HONE_SANITIZE. LLVM's headers take our
// being instrumented to mean that LLVM is, too: its allocators would poison a
// slab here which libLLVM.so hands out there, without unpoisoning it.
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/Compiler.h"

#undef LLVM_ADDRESS_SANITIZER_BUILD
#define LLVM_ADDRESS_SANITIZER_BUILD 0
#define __asan_poison_memory_region(p, size)
#define __asan_unpoison_memory_region(p, size)
