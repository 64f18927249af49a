//===- MachineFile.h - A machine as text ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of a GPU, one a line; docs/Schedule.md lists the keys:
//
//   hone-machine 1
//   name = h200
//   isa = sm_90a
//   processors = 132
//   ...
//
// Text after a `#` is a comment. A file ends in `.machine` and describes one
// machine; data/machines.txt describes all known chips, one after the other.
// Files are untrusted. An error names the file, the line and the key.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_MACHINEFILE_H
#define HONE_SCHEDULE_MACHINEFILE_H

#include "hone/Schedule/Arch.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"
#include <vector>

namespace hone {

/// `file` is the name for errors. The arch has the machine's name.
llvm::Expected<Arch> parseMachine(llvm::StringRef text, llvm::StringRef file);
/// Any number of machines.
llvm::Expected<std::vector<Arch>> parseMachines(llvm::StringRef text,
                                                llvm::StringRef file);
llvm::Expected<Arch> readMachine(llvm::StringRef path);

/// Calls `each` with the key and the place of every rate and time of a machine:
/// those that a file has to have, then those that only a measurement yields.
void forEachRate(Arch &arch,
                 llvm::function_ref<void(llvm::StringRef, double &)> each);

/// The text of a GPU, which parses as the same machine.
std::string printMachine(const Arch &arch);
/// The same keys and values.
llvm::json::Object machineToJson(const Arch &arch);

/// True if a machine can have this name: small letters, digits, `.`, `_` and
/// `-`, and for a part of a chip `/` and the number of its processors; no
/// other name of an arch, such as `native`, `sm_90a` or the path of a file.
bool isMachineName(llvm::StringRef name);

} // namespace hone

#endif // HONE_SCHEDULE_MACHINEFILE_H
