//===- Compile.cpp - hone compile -----------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the files that hone/Export/Export.h makes of a module into a directory
// of its own. A directory with other files is left alone. Files from an earlier
// run that this one did not write are removed.
//
//===----------------------------------------------------------------------===//

#include "hone/Driver/Compile.h"
#include "hone/Export/Export.h"
#include "hone/Plugin/Route.h"
#include "hone/Plugin/Sources.h"
#include "hone/Schedule/Arch.h"
#include "hone/Text/File.h"
#include "passes/Support.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "tools/hone/SharedOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hone;
using llvm::formatv;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {
struct CompileOptions : PipelineChoice {
  std::string directory, name, cpu, arguments = "device", format = "ptx";
};
} // namespace

//===----------------------------------------------------------------------===//
// The directory
//===----------------------------------------------------------------------===//

/// True if `hone compile` writes a file of this name.
static bool isOwn(StringRef file, StringRef name) {
  static constexpr StringLiteral kSuffixes[] = {".h", ".o", ".ptx", ".cubin",
                                                ".plan"};
  return file.starts_with((name + ".").str()) &&
         llvm::is_contained(kSuffixes, path::extension(file));
}

static llvm::Error failFile(StringRef what, StringRef file,
                            std::error_code error) {
  return llvm::createStringError(
      formatv("expected {0}, but got '{1}': {2}", what, file, error.message()));
}

/// The files in `directory`; an error if one of them is not from Hone.
static llvm::Expected<std::vector<std::string>> findOwn(StringRef directory,
                                                        StringRef name) {
  std::vector<std::string> files;
  if (!fs::exists(directory))
    return files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end;
       !error && entry != end; entry.increment(error)) {
    StringRef file = path::filename(entry->path());
    if (!isOwn(file, name))
      return llvm::createStringError(
          formatv("expected a directory with nothing but {0}.* in it, but got "
                  "'{1}' with '{2}'; use -o with one that is empty or new",
                  name, directory, file));
    files.push_back(entry->path());
  }
  if (error)
    return failFile("a directory to write into", directory, error);
  return files;
}

/// Writes the files and prints their paths.
static llvm::Error writeFiles(ArrayRef<ExportedFile> files, StringRef directory,
                              ArrayRef<std::string> old) {
  if (std::error_code error = fs::create_directories(directory))
    return failFile("a directory to write into", directory, error);
  // A header that fits another object would be worse than none.
  for (const std::string &file : old)
    if (std::error_code error = fs::remove(file))
      return failFile("a file to replace", file, error);
  for (const ExportedFile &file : files) {
    llvm::SmallString<128> place(directory);
    path::append(place, file.name);
    if (llvm::Error error = hone::writeFile(place, file.bytes))
      return error;
    llvm::outs() << place << "\n";
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

/// The file's name without its extension, as an identifier.
static std::string nameOfFile(StringRef file) {
  std::string name = path::stem(file).str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return isIdentifier(name) && name != "_" ? name : "module";
}

static llvm::Expected<OwningOpRef<ModuleOp>> readNamed(MLIRContext &context,
                                                       StringRef file) {
  auto buffer = readFileOrStdin(file, {"a file to read", kMaxModuleBytes});
  if (!buffer)
    return buffer.takeError();
  std::string text = (*buffer)->getBuffer().str();
  auto module = parseModule(context, std::move(*buffer));
  if (module)
    nameArguments(**module, text);
  return module;
}

static llvm::Expected<int> compile(const CompileOptions &options) {
  llvm::Expected<Arch> arch = resolveArchName(options.arch);
  if (!arch)
    return arch.takeError();
  auto old = findOwn(options.directory, options.name);
  if (!old)
    return old.takeError();
  PipelineOptions pipeline;
  if (llvm::Error error = setOptions(options, pipeline))
    return std::move(error);
  pipeline.arguments = sideOf(options.arguments);
  pipeline.format =
      options.format == "cubin" ? BinaryFormat::cubin : BinaryFormat::ptx;
  ExportOptions out;
  out.name = options.name;
  // Code that launches kernels runs on any CPU; code that computes is built for
  // this machine.
  out.cpu = !options.cpu.empty() ? options.cpu
            : arch->isHost()     ? "native"
                                 : "generic";
  if (out.cpu == "native")
    out.cpu.clear();
  std::unique_ptr<MLIRContext> context = makeContext();
  auto module = readNamed(*context, options.file);
  if (!module)
    return module.takeError();
  auto files = exportModule(**module, pipeline, openSources, out);
  if (!files)
    return files.takeError();
  if (llvm::Error error = writeFiles(*files, options.directory, *old))
    return std::move(error);
  return kExitSuccess;
}

int hone::compileCommand(ArrayRef<StringRef> args) {
  CompileOptions options;
  OptionList list("hone compile FILE -o DIR [options]",
                  "Writes FILE as DIR/NAME.h and DIR/NAME.o, which a program "
                  "in C or C++ is built\nwith; it needs libhone_rt, and "
                  "nothing of MLIR (docs/Embedding.md). Kernels and\nlaunch "
                  "plans are files in the same folder.\n"
                  "Example: hone compile test/examples/readme.mlir -o out "
                  "--arch=sm_90a");
  addOptions(list, options);
  list.add("out", "DIR", options.directory,
           "the output folder, created if it is missing");
  list.abbreviate('o', "out");
  list.add("name", "NAME", options.name,
           "names the files and starts every name in C (default: FILE's)");
  list.add("arch", "NAME", options.arch,
           "chip or instruction set to compile for, native, or host",
           checkArch);
  list.add("arguments", "SIDE", options.arguments,
           "where arguments and results are, device or host",
           {"device", "host"});
  list.add("format", "FORMAT", options.format,
           "ptx, or cubin: needs ptxas, and runs on one architecture",
           {"ptx", "cubin"});
  list.add("cpu", "CPU", options.cpu,
           "CPU of the host code, e.g. x86-64-v3 (default: generic; native for "
           "host)");
  return list.run(args, [&]() -> llvm::Expected<int> {
    if (options.directory.empty())
      return asUsage(llvm::createStringError(
          "expected a directory to write into, but got none; use -o DIR"));
    if (options.name.empty())
      options.name = nameOfFile(options.file);
    if (!isIdentifier(options.name))
      return asUsage(llvm::createStringError(
          formatv("--name: expected a name of letters, digits and underscores, "
                  "but got '{0}'",
                  options.name)));
    return compile(options);
  });
}
