//===- Writing.cpp - hone-lab writing -------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports the time that a writer without a list takes (hone/Model/LawMask.h),
// and how good the model expects its schedules to be.
//
//===----------------------------------------------------------------------===//

#include "lib/Lab/Writing.h"
#include "Lab.h"
#include "hone/Command/Options.h"
#include "hone/Command/Table.h"
#include "lib/Lab/Comparison.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::formatv;

namespace {
struct WritingSettings {
  std::string paths, archName = "h200", weights, trees;
  int64_t beams = 8;
  bool json = false;
};
} // namespace

int hone::labWriting(llvm::ArrayRef<llvm::StringRef> args) {
  WritingSettings settings;
  OptionList list(
      "hone-lab writing --replay=FILE,... [options]",
      "Writes schedules for the problems of tables, and reports the "
      "time of the mask\nand the model's estimates.\n"
      "Example: hone-lab writing --replay=data/h200/dense.csv --beams=1");
  list.add("replay", "FILE,...", settings.paths,
           "tables that have the problems");
  list.require("replay");
  list.add("arch", "NAME", settings.archName, "chip to write for", checkArch);
  list.add("weights", "FILE", settings.weights,
           "weights of hone train; default: built in");
  list.add("trees", "FILE", settings.trees,
           "trees of hone train, in addition to the weights");
  list.add("beams", "N", settings.beams, "schedules of each problem");
  list.add("json", settings.json, "print JSON");
  if (std::optional<int> status = list.parse(args))
    return *status;
  llvm::Expected<Arch> arch = Arch::lookup(settings.archName);
  if (!arch)
    return reportError(arch.takeError(), kExitUsage);
  std::optional<Model> given;
  if (!settings.weights.empty())
    if (llvm::Error error = Model::readFile(settings.weights).moveInto(given))
      return reportError(std::move(error), kExitUsage);
  if (!settings.trees.empty()) {
    if (!given)
      given = Model::shipped();
    if (llvm::Error error =
            Trees::readFile(settings.trees).moveInto(given->trees))
      return reportError(std::move(error), kExitUsage);
  }
  llvm::Expected<DenseTable> tables = readJoined(settings.paths);
  if (!tables)
    return reportError(tables.takeError(), kExitUsage);
  Table table({"problem", "beams", "words", "mask ms", "ms a word", "all ms",
               "over build"});
  for (const DenseShape &shape : *tables) {
    Writing one =
        writingOf(shape.problem, *arch, given ? *given : Model::shipped(),
                  size_t(settings.beams));
    const Problem &problem = shape.problem;
    table.addRow({formatv("{0}x{1}x{2}", problem.m, problem.n, problem.k),
                  std::to_string(one.beams), std::to_string(one.words),
                  formatv("{0:f2}", 1e3 * one.maskSeconds),
                  formatv("{0:f4}", 1e3 * one.maskSeconds /
                                        double(std::max<size_t>(one.words, 1))),
                  formatv("{0:f2}", 1e3 * one.seconds),
                  one.fault.empty() ? formatv("{0:f4}", one.overBuild).str()
                                    : one.fault});
  }
  table.print(settings.json);
  return kExitSuccess;
}
