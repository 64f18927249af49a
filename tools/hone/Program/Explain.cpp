//===- Explain.cpp - hone explain -----------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the pipeline up to the choice of schedules, and prints facts about it
// (hone/Report/Facts.h). The reasons come from the passes' own remarks.
//
//===----------------------------------------------------------------------===//

#include "hone/Command/Options.h"
#include "hone/Matmul/Assembled.h"
#include "hone/Report/Facts.h"
#include "mlir/IR/Remarks.h"
#include "passes/Support.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "tools/hone/SharedOptions.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

namespace {
struct Note {
  Location location;
  std::string name, text;
  bool missed;
};

/// Keeps the remarks of the passes.
class NoteKeeper : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit NoteKeeper(std::vector<Note> &notes) : notes(notes) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string text;
    for (const auto &part : remark.getArgs())
      text += part.val;
    notes.push_back({remark.getLocation(), remark.getRemarkName().str(), text,
                     remark.getRemarkType() == llvm::remarks::Type::Missed});
  }

private:
  std::vector<Note> &notes;
};
} // namespace

static LogicalResult keepNotes(MLIRContext &context, std::vector<Note> &notes) {
  remark::RemarkCategories categories;
  categories.passed = categories.missed = "hone";
  return remark::enableOptimizationRemarks(
      context, std::make_unique<NoteKeeper>(notes),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printText(ArrayRef<Facts> matmuls) {
  for (auto [i, facts] : llvm::enumerate(matmuls)) {
    llvm::outs() << (i ? "\n" : "") << "matmul " << i + 1 << "\n";
    size_t width = 0;
    for (const auto &fact : facts)
      width = std::max(width, fact.first.size());
    for (const auto &[name, value] : facts)
      llvm::outs() << "  " << llvm::left_justify(name, width + 2) << value
                   << "\n";
  }
}

static void printJson(ArrayRef<Facts> matmuls) {
  llvm::json::Array array;
  for (const Facts &facts : matmuls) {
    llvm::json::Object object;
    for (const auto &[name, value] : facts)
      object[name] = value;
    array.push_back(std::move(object));
  }
  llvm::outs() << formatv("{0:2}\n", llvm::json::Value(std::move(array)));
}

/// Prints the ops that are not matmuls, and other missed chances. Returns the
/// number of ops that might have been matmuls.
static size_t printMissed(ArrayRef<Note> notes, llvm::raw_ostream &os) {
  // The host runs the ops that are left alone, so their copies are not news.
  llvm::DenseSet<Location> onHost;
  for (const Note &note : notes)
    if (note.name == "not-matched")
      onHost.insert(note.location);
  size_t count = 0;
  for (const Note &note : notes) {
    if (!note.missed || note.name == "schedule" ||
        (note.name != "not-matched" && onHost.contains(note.location)))
      continue;
    bool isLeft = StringRef(note.name).starts_with("not-");
    os << placeOf(note.location) << ": " << (isLeft ? "left alone: " : "")
       << note.text << "\n";
    count += note.name == "not-matched";
  }
  return count;
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

namespace {
struct ExplainOptions : PipelineChoice {
  bool assemble = false, sums = false, json = false;
};
} // namespace

static llvm::Error explainSums(ModuleOp selected, const PipelineChoice &choice,
                               ArrayRef<Problem> problems,
                               MutableArrayRef<Facts> matmuls) {
  OwningOpRef<ModuleOp> module = selected.clone();
  if (llvm::Error error = runSelectedToKernels(*module, choice))
    return error;
  return addSums(*module, problems, matmuls);
}

static llvm::Expected<int> explain(const ExplainOptions &options) {
  if (llvm::Expected<Arch> arch = resolveArchName(options.arch); !arch)
    return arch.takeError();
  std::vector<Note> notes;
  std::unique_ptr<MLIRContext> context = makeContext();
  auto module = readModule(*context, options.file);
  if (!module)
    return module.takeError();
  if (failed(keepNotes(*context, notes)))
    return llvm::createStringError("expected remarks to be available");
  std::vector<Facts> matmuls;
  std::vector<Problem> problems;
  auto explained = [&](Operation *op, const Selection &selection) {
    problems.push_back(cast<MatmulOp>(op).getProblem());
    matmuls.push_back(factsOf(cast<MatmulOp>(op), selection.reason()));
  };
  if (llvm::Error error = runToSelect(**module, options, explained))
    return std::move(error);
  if (options.sums)
    if (llvm::Error error = explainSums(**module, options, problems, matmuls))
      return std::move(error);
  if (options.assemble) {
    auto kernels = assembleMatmuls(**module);
    if (!kernels)
      return kernels.takeError();
    for (auto [facts, each] : llvm::zip_equal(matmuls, *kernels))
      addAssembled(each, facts);
  }
  if (options.json)
    printJson(matmuls);
  else
    printText(matmuls);
  // A build succeeds even if it matches nothing, with these remarks.
  size_t left = printMissed(notes, llvm::errs());
  if (!matmuls.empty() || left)
    return kExitSuccess;
  return llvm::createStringError(formatv(
      "expected a module with a matmul, but got none in '{0}'", options.file));
}

int hone::explainCommand(ArrayRef<StringRef> args) {
  ExplainOptions options;
  OptionList list(
      "hone explain FILE [options]",
      "Shows the schedule of each matmul of FILE, its source and its "
      "consequences. Ops that\nare left alone are reported on standard error.\n"
      "Example: hone explain test/examples/readme.mlir --arch=h200");
  addOptions(list, options);
  list.add("arch", "NAME", options.arch,
           "chip or instruction set to schedule for, native, or host",
           checkArch);
  list.add("ranges", "N", options.ranges,
           "maximum number of kernels for a matmul with one unknown extent");
  list.add("assemble", options.assemble,
           "also print the report of ptxas on the kernels, if it is installed");
  list.add("sums", options.sums,
           "also print the order in which kernels add products");
  list.add("json", options.json, "print JSON");
  return list.run(args, [&] { return explain(options); });
}
