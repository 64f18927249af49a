//===- Residue.cpp - Undefined symbols of an object file ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that links an exported module has libc, libm, its compiler's
// runtime and, if needed, libhone_rt. Any other function called by a lowering
// (in MLIR's runner libraries, for example) would be an undefined symbol that
// the user cannot resolve.
//
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/RuntimeLibcalls.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TargetParser/Host.h"

using namespace hone;
using llvm::StringRef;

/// Names of libhone_rt have their own prefixes, except for a function that
/// libgcc lacks before version 13.
static bool isOfRuntime(StringRef name) {
  return name.starts_with("hone") || name.starts_with("mgpu") ||
         name == "__truncsfbf2";
}

/// Functions of libc and libm, of compilers' runtimes (__truncsfhf2), and
/// symbols that linkers provide.
static bool isOfToolchain(StringRef name,
                          const llvm::TargetLibraryInfoImpl &library) {
  llvm::LibFunc function;
  return library.getLibFunc(name, function) ||
         !llvm::RTLIB::RuntimeLibcallsInfo::lookupLibcallImplName(name)
              .empty() ||
         name == "_GLOBAL_OFFSET_TABLE_" || name == "__tls_get_addr";
}

llvm::Expected<std::string> hone::librariesFor(StringRef object) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(object, "object"));
  if (!file)
    return file.takeError();
  llvm::TargetLibraryInfoImpl library{
      llvm::Triple(llvm::sys::getProcessTriple())};
  bool needsRuntime = false;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined))
      continue;
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    needsRuntime |= isOfRuntime(*name);
    // The first entry of an ELF symbol table has no name.
    if (name->empty() || isOfRuntime(*name) || isOfToolchain(*name, library))
      continue;
    return llvm::createStringError(llvm::formatv(
        "expected code that needs libhone_rt, libc and libm alone, but got a "
        "call of '{0}'",
        *name));
  }
  return needsRuntime ? "-lhone_rt -lm" : "-lm";
}
