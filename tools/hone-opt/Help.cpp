//===- Help.cpp - hone-opt --help -----------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and descriptions come from the registries, so an added pass adds a
// line. A pass registry cannot be walked, but upstream's parser of pipelines
// makes an option of every pass in it, and options can.
//
//===----------------------------------------------------------------------===//

#include "Help.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;
using llvm::StringRef;

/// The options of all such tools that Hone's docs use.
static constexpr StringRef kUsual[] = {
    "pass-pipeline",      "split-input-file",        "emit-bytecode",
    "verify-diagnostics", "mlir-print-ir-after-all", "remarks-filter",
    "load-dialect-plugin"};

bool hone::isHelpRequested(int argc, char **argv) {
  return llvm::any_of(llvm::ArrayRef(argv, argc).drop_front(), [](char *arg) {
    return llvm::is_contained({"-h", "-help", "--help"}, StringRef(arg));
  });
}

namespace {
using Lines = std::vector<std::pair<std::string, std::string>>;

/// The registered passes and pipelines, by name.
struct Registered {
  Lines pipelines, passes, upstream;
};
} // namespace

/// The part of a description that fits next to a name.
static std::string firstLine(StringRef text) {
  constexpr size_t kMax = 66;
  StringRef line = text.split('\n').first.trim();
  if (line.size() <= kMax)
    return line.str();
  return line.take_front(line.take_front(kMax).rfind(' ')).str() + " ...";
}

static Registered
readRegistries(const llvm::DenseMap<StringRef, llvm::cl::Option *> &options) {
  std::vector<StringRef> names;
  for (const auto &option : options)
    names.push_back(option.first);
  llvm::sort(names);
  Registered registered;
  for (StringRef name : names) {
    bool isOurs = name.starts_with("hone-");
    if (const auto *pipeline = mlir::PassPipelineInfo::lookup(name))
      (isOurs ? registered.pipelines : registered.upstream)
          .emplace_back(name, firstLine(pipeline->getPassDescription()));
    else if (const auto *pass = mlir::PassInfo::lookup(name))
      (isOurs ? registered.passes : registered.upstream)
          .emplace_back(name, firstLine(pass->getPassDescription()));
  }
  return registered;
}

static void print(StringRef title, const Lines &lines) {
  llvm::outs() << title << ":\n";
  for (const auto &[name, text] : lines)
    llvm::outs() << llvm::formatv("  --{0,-26} {1}\n", name, text);
  llvm::outs() << "\n";
}

void hone::printHelp(mlir::DialectRegistry &registry) {
  mlir::MlirOptMainConfig::registerCLOptions(registry);
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  const auto &options = llvm::cl::getRegisteredOptions();
  Registered registered = readRegistries(options);
  Lines usual;
  for (StringRef name : kUsual)
    if (auto found = options.find(name); found != options.end())
      usual.emplace_back(name, firstLine(found->second->HelpStr));

  llvm::outs()
      << "hone-opt: mlir-opt with Hone's dialects and passes. Reads a module, "
         "runs passes, prints\nwhat comes out.\n\n"
         "usage: hone-opt [FILE] [passes and options] [-o FILE]\n"
         "Passes: --hone-match --canonicalize, or "
         "--pass-pipeline='builtin.module(hone-match, canonicalize)'\n"
         "Example: hone-opt test/examples/readme.mlir "
         "--hone-pipeline=arch=h200\n\n";
  print("Pipelines", registered.pipelines);
  print("Hone's passes", registered.passes);
  print("Upstream's passes", registered.upstream);
  print("Options", usual);
  llvm::outs()
      << "--help-list lists every option of every pass; --list-passes, "
         "the passes\nwith theirs.\n";
}
