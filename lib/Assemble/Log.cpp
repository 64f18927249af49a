//===- Log.cpp - Parser of the assembler's log ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log of `ptxas -v` has a part for each kernel, and warnings before, after
// and between them:
//
//   ptxas info    : (C7510) Potential Performance Loss: ... in function 'k'
//   ptxas info    : Compiling entry function 'k' for 'sm_90a'
//       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 168 registers, used 1 barriers
//
// The driver's compiler writes the same lines without the name of the program.
//
//===----------------------------------------------------------------------===//

#include "hone/Assemble/Assemble.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace hone;
using llvm::StringRef;

/// The number before `unit`, as in "24 bytes spill stores".
static int64_t numberBefore(StringRef line, StringRef unit) {
  StringRef before = line.take_front(line.find(unit)).rtrim();
  StringRef digits = before.take_back(
      before.size() - (before.find_last_not_of("0123456789") + 1));
  int64_t number = 0;
  return digits.getAsInteger(10, number) ? 0 : number;
}

/// The text in the first pair of quotes after `phrase`.
static StringRef quotedAfter(StringRef line, StringRef phrase) {
  size_t at = line.find(phrase);
  if (at == StringRef::npos)
    return {};
  return line.substr(at + phrase.size()).split('\'').second.split('\'').first;
}

/// "C7510: Potential ..." of a line with such a code; otherwise empty.
static std::string warningOf(StringRef line) {
  size_t at = line.find("(C75");
  if (at == StringRef::npos)
    return "";
  auto [code, text] = line.substr(at + 1).split(')');
  return (code + ": " + text.trim()).str();
}

namespace {
class LogReader {
public:
  void read(StringRef line) {
    if (std::string warning = warningOf(line); !warning.empty()) {
      warnings.push_back({quotedAfter(line, "function").str(), warning});
      return;
    }
    StringRef entry = quotedAfter(line, "Compiling entry function");
    if (!entry.empty())
      report.kernels.emplace_back().name = entry.str();
    if (report.kernels.empty())
      return;
    KernelReport &kernel = report.kernels.back();
    if (line.contains("bytes spill stores")) {
      // Called functions count too: they are part of the kernel.
      kernel.spillStores += numberBefore(line, " bytes spill stores");
      kernel.spillLoads += numberBefore(line, " bytes spill loads");
    } else if (line.contains("Used ") && line.contains(" registers")) {
      kernel.registers = numberBefore(line, " registers");
    }
  }

  AssemblyReport take() {
    for (auto &[kernel, text] : warnings)
      for (KernelReport &each : report.kernels)
        // A function that is not a kernel may be called by any kernel.
        if (each.name == kernel || !report.find(kernel))
          each.warnings.push_back(text);
    return std::move(report);
  }

private:
  AssemblyReport report;
  std::vector<std::pair<std::string, std::string>> warnings;
};
} // namespace

AssemblyReport hone::parseAssemblerLog(StringRef log) {
  LogReader reader;
  for (StringRef line : llvm::split(log, '\n'))
    reader.read(line);
  return reader.take();
}

//===----------------------------------------------------------------------===//
// Verdicts
//===----------------------------------------------------------------------===//

std::vector<std::string> KernelReport::faults() const {
  std::vector<std::string> faults;
  if (spillStores > 0 || spillLoads > 0)
    faults.push_back("spills " + std::to_string(spillStores) +
                     " bytes and reads " + std::to_string(spillLoads) +
                     " back, with " + std::to_string(registers) +
                     " registers a thread");
  faults.insert(faults.end(), warnings.begin(), warnings.end());
  if (fencesInMainLoops.value_or(0) > 0)
    faults.push_back("waits for all memory of the GPU (MEMBAR) " +
                     std::to_string(*fencesInMainLoops) +
                     " times in each round of a loop that multiplies");
  return faults;
}

const KernelReport *AssemblyReport::find(StringRef kernel) const {
  auto found = llvm::find_if(
      kernels, [&](const KernelReport &each) { return each.name == kernel; });
  return found == kernels.end() ? nullptr : &*found;
}
