//===- AskedAs.cpp - Description of one machine as another ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See AskedAs.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/AskedAs.h"
#include <algorithm>

using namespace hone;

std::optional<Arch> hone::askedAs(const Arch &machine, llvm::StringRef chip) {
  if (machine.wholeChip() == chip)
    return machine;
  llvm::Expected<Arch> whole = Arch::lookup(chip);
  if (!whole) {
    llvm::consumeError(whole.takeError());
    return std::nullopt;
  }
  if (machine.isHost() || whole->isHost() || whole->isa != machine.isa)
    return std::nullopt;
  int64_t shared = std::min(machine.processors, whole->processors);
  Arch known = llvm::cantFail(whole->part(shared));
  known.processors = machine.processors;
  known.sharedPerBlock = machine.sharedPerBlock;
  known.sharedPerProcessor = machine.sharedPerProcessor;
  known.registersPerProcessor = machine.registersPerProcessor;
  known.threadsPerProcessor = machine.threadsPerProcessor;
  if (machine.clusters.front() > 0)
    known.clusters = machine.clusters;
  return known;
}
