//===- Worker.cpp - hone worker -------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process that a tuner starts for work that may crash. It has no use for
// people, so it is in no list of commands.
//
//===----------------------------------------------------------------------===//

#include "hone/Workers/Serve.h"
#include "tools/hone/Commands.h"
#include "tools/hone/Options.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

int hone::workerCommand(llvm::ArrayRef<StringRef> args) {
  std::string role, verdicts;
  bool isRehearsal = false;
  OptionList list("hone worker compile|measure",
                  "What hone tune starts; talks in frames, not to people.");
  list.positional("ROLE", role, "compile or measure");
  list.add("rehearsal", isRehearsal, "break down where one is told to");
  list.add("verdicts", "FILE", verdicts, "the verdicts of a compiler");
  if (std::optional<int> status = list.parse(args))
    return *status;
  if (role != "compile" && role != "measure")
    return reportError(
        llvm::createStringError(formatv(
            "expected a role, but got '{0}'; use compile or measure", role)),
        kExitUsage);
  return role == "compile" ? serveCompiler(isRehearsal, verdicts)
                           : serveDevice(isRehearsal);
}
