//===- FindWorker.cpp - Search for the worker program ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tool is its own worker. For a compiler that loads libhone as a plugin,
// the worker is the tool next to the library, as built or installed.
//
//===----------------------------------------------------------------------===//

#include "hone/Workers/Workers.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <dlfcn.h>

using namespace hone;
using llvm::StringRef;
namespace sys = llvm::sys;

static constexpr StringRef kNames[] = {"hone", "hone-static"};

/// The tool in the folder of `file`, or in its subfolder `below`.
static std::optional<std::string> beside(StringRef file, StringRef below) {
  for (StringRef name : kNames) {
    llvm::SmallString<128> path = sys::path::parent_path(file);
    sys::path::append(path, below, name);
    if (sys::fs::can_execute(path))
      return std::string(path);
  }
  return std::nullopt;
}

llvm::Expected<std::string> hone::findWorkerProgram() {
  std::string self = sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&findWorkerProgram));
  if (llvm::is_contained(kNames, sys::path::filename(self)))
    return self;
  if (auto found = beside(self, "."))
    return *found;
  Dl_info library;
  if (dladdr(reinterpret_cast<void *>(&findWorkerProgram), &library) &&
      library.dli_fname) {
    // The tool is next to the library, and not to a link to it.
    llvm::SmallString<128> path;
    if (sys::fs::real_path(library.dli_fname, path))
      path = library.dli_fname;
    if (auto found = beside(path, "../bin"))
      return *found;
  }
  for (StringRef name : kNames)
    if (auto found = sys::findProgramByName(name))
      return *found;
  return llvm::createStringError(
      "expected the tool hone in ../bin of libhone's folder or on the PATH, "
      "but got none; install it, or use --worker=FILE");
}
