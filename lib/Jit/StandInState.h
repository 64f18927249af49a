//===- StandInState.h - What a stand-in knows -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory, the work that is still to do, and the functions that it runs.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_JIT_STANDINSTATE_H
#define HONE_LIB_JIT_STANDINSTATE_H

#include "hone/Jit/StandIn.h"
#include <csignal>
#include <functional>
#include <map>

namespace hone {

struct StandIn::State {
  static constexpr llvm::StringLiteral kLaunchName = "honeStandInLaunch";

  /// A function that is launched. All its operands are memrefs; a launch passes
  /// the address, offset, sizes and strides of each.
  struct Kernel {
    std::string name;
    std::vector<size_t> ranks; ///< of its operands
    Jit::Function function = nullptr;
  };
  struct Block {
    size_t bytes;
    bool isShared;
  };

  bool owns(const void *pointer) const;
  void unmap(void *pointer);
  /// Lets, or does not let, this process touch memory of the device.
  void protect(bool isOpen);
  void run(const Kernel &kernel, llvm::ArrayRef<int64_t> words);

  std::vector<Kernel> kernels;
  std::map<uintptr_t, Block> blocks;
  std::vector<std::function<void()>> queue;
  int64_t launchCount = 0;
  struct sigaction oldAction = {};
};

} // namespace hone

#endif // HONE_LIB_JIT_STANDINSTATE_H
