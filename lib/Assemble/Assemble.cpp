//===- Assemble.cpp - Execution of the CUDA toolkit's programs ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptxas and cuobjdump read and write files, so this uses temporary ones.
//
//===----------------------------------------------------------------------===//

#include "hone/Assemble/Assemble.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

std::optional<std::string> hone::findTool(StringRef name) {
  if (auto found = llvm::sys::findProgramByName(name))
    return *found;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (auto root = llvm::sys::Process::GetEnv(variable)) {
      llvm::SmallString<128> path(*root);
      llvm::sys::path::append(path, "bin", name);
      if (llvm::sys::fs::can_execute(path))
        return std::string(path);
    }
  return std::nullopt;
}

namespace {
/// A temporary file that is deleted with this object.
class Scratch {
public:
  Error create(StringRef suffix) {
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("hone", suffix, path))
      return llvm::createStringError("cannot create a temporary file: " +
                                     error.message());
    remover.setFile(path);
    return Error::success();
  }

  Error write(StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    os << text;
    os.close();
    if (os.has_error())
      return llvm::createStringError("cannot write " + path.str() + ": " +
                                     os.error().message());
    return Error::success();
  }

  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

  StringRef name() const { return path; }

private:
  llvm::SmallString<64> path;
  llvm::FileRemover remover;
};
} // namespace

/// Runs a program with both of its outputs in `log`.
static int runTool(llvm::ArrayRef<StringRef> args, const Scratch &log) {
  constexpr unsigned kSeconds = 300;
  std::optional<StringRef> redirects[] = {StringRef(), log.name(), log.name()};
  return llvm::sys::ExecuteAndWait(args.front(), args, /*Env=*/std::nullopt,
                                   redirects, kSeconds);
}

/// The listing of the machine code; empty without cuobjdump.
static std::string disassemble(const Scratch &cubin, const Scratch &log) {
  auto tool = findTool("cuobjdump");
  if (!tool || runTool({*tool, "-sass", cubin.name()}, log) != 0)
    return "";
  return log.read();
}

std::optional<std::string> hone::assemblerVersion() {
  std::optional<std::string> ptxas = findTool("ptxas");
  Scratch log;
  if (!ptxas)
    return std::nullopt;
  if (Error error = log.create("log")) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  if (runTool({*ptxas, "--version"}, log) != 0)
    return std::nullopt;
  std::string text = log.read();
  StringRef release = StringRef(text).split("release ").second;
  return release.take_while([](char c) { return llvm::isDigit(c) || c == '.'; })
      .str();
}

Expected<Assembly> hone::assemblePtx(StringRef ptx, StringRef isa,
                                     Listing listing) {
  auto ptxas = findTool("ptxas");
  if (!ptxas)
    return llvm::createStringError(
        "expected ptxas on the PATH or in CUDA_HOME, but got none");
  Scratch source, object, log;
  for (auto [file, suffix] :
       {std::pair(&source, "ptx"), std::pair(&object, "cubin"),
        std::pair(&log, "log")})
    if (Error error = file->create(suffix))
      return std::move(error);
  if (Error error = source.write(ptx))
    return std::move(error);
  std::string arch = ("-arch=" + isa).str();
  int status =
      runTool({*ptxas, arch, "-v", source.name(), "-o", object.name()}, log);
  std::string text = log.read();
  if (status != 0)
    return llvm::createStringError("ptxas rejected the kernels: " +
                                   StringRef(text).trim());
  Assembly assembly = {object.read(), parseAssemblerLog(text)};
  if (listing == Listing::no)
    return assembly;
  std::string sass = disassemble(object, log);
  if (!sass.empty())
    addFences(sass, assembly.report);
  return assembly;
}
