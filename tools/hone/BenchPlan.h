//===- BenchPlan.h - What hone bench gemm measures --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the options to a list of cells. A cell is one shape in one layout, with
// the schedules that compete there. Kernels do not depend on the shape, so the
// cells share them: one for every layout and set of compile-time knobs.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_BENCHPLAN_H
#define HONE_TOOLS_BENCHPLAN_H

#include "BenchRecord.h"
#include "hone/Evaluate/GemmData.h"
#include <set>

namespace hone {

/// The command line.
struct GemmOptions {
  std::string shapes = "1024x1024x1024,4096x4096x4096";
  std::string grid, sample, layouts = "nt,nn", types = "f16:f16";
  std::string schedules = "default", search;
  std::string epilogue = "none", baselines, protocols = "device";
  std::string programmatic = "both", arch = "native", cublas;
  std::string csv, candidatesCsv, rehearse;
  int64_t rounds = 7, finalists = 2, patience = 30;
  bool json = false, list = false;
};

/// The option `rehearse`: a run without a GPU, in which some things behave like
/// what can go wrong. All are counted from 1.
///
///   smooth     nothing does
///   compile    kernels are compiled, as they would be
///   crash:N    and the compiler crashes at the Nth
///   fault:N    the Nth candidate faults
///   hang:N     the Nth candidate never ends
struct Rehearsal {
  bool compiles = false;
  std::set<size_t> crashes, faults, hangs;

  /// Reads a list of these; of an empty text, nothing.
  static llvm::Expected<std::optional<Rehearsal>> parse(llvm::StringRef text);
};

enum class Protocol { device, wallOffline, wallServer };
/// Beside an epilogue ours are compared with ours: with the plain product, and
/// with that and a kernel behind it.
enum class Baseline {
  cublas,
  cublasLtHeuristic,
  cublasLtAuto,
  plain,
  separate
};
llvm::StringRef toString(Protocol protocol);
llvm::StringRef toString(Baseline baseline);

struct Candidate {
  Schedule schedule;
  bool isPlain = false; ///< the product alone, where a run has an epilogue
  size_t kernel = 0;    ///< in BenchPlan::kernels
  double estimate = 0;  ///< seconds, by the cost model
};

struct BenchCell {
  size_t spec = 0; ///< in BenchPlan::specs
  Extents extents = {};
  std::vector<Candidate> candidates;
};

/// A kernel of the run, once it is compiled, or why it could not be.
struct BenchKernel {
  KernelRequest request;
  CompiledKernel compiled;
  std::string failure;
};

struct BenchPlan {
  GemmOptions options;
  std::optional<Rehearsal> rehearsal;
  std::vector<Extents> shapes;
  std::vector<MatmulSpec> specs; ///< one per layout
  std::vector<Protocol> protocols;
  std::vector<Baseline> baselines;
  std::vector<std::string> programmatic; ///< "on", "off"
  std::vector<Schedule> schedules;       ///< listed; beside them:
  bool hasDefault = false;               ///< each problem's default
  /// What a build takes for each problem where nothing was measured.
  bool hasGuess = false;
  size_t searched = 0; ///< so many of the shortlist
  Arch arch;
  std::string device; ///< its name, for the rows
  std::vector<BenchCell> cells;
  std::vector<BenchKernel> kernels;

  Problem problem(const BenchCell &cell) const {
    auto [m, n, k] = cell.extents;
    return specs[cell.spec].problem(m, n, k);
  }
  /// "512x512x512 nt"
  std::string nameOf(const BenchCell &cell) const;
  /// "f16:f16", as the option has it, or "f16:f16 residual" of what is not a
  /// plain product
  std::string typesOf(const BenchCell &cell, bool isPlain) const;
  /// A row of a cell that says what is compared, and nothing else yet.
  BenchRow rowOf(const BenchCell &cell, llvm::StringRef protocol,
                 llvm::StringRef programmatic, llvm::StringRef baseline) const;
  /// All rows that a cell must have when it is done.
  std::vector<BenchRow> rowsOf(const BenchCell &cell) const;
};

/// What a candidate for `spec` leaves in C.
Part outcomeOf(const MatmulSpec &spec, const Candidate &candidate);
/// Reads what does not depend on the arch.
llvm::Expected<BenchPlan> readBenchPlan(const GemmOptions &options);
/// Fills the cells, for the plan's arch, less those that `done` has all rows
/// of; and lists the kernels they need.
void fillCells(BenchPlan &plan, llvm::ArrayRef<BenchRow> done);
/// Compiles the plan's kernels on all cores.
llvm::Error compileKernels(BenchPlan &plan);
/// Has the driver translate them on all cores: it keeps the machine code in a
/// cache of its own, where the process that launches them finds it.
llvm::Error warmDriverCache(const BenchPlan &plan);

} // namespace hone

#endif // HONE_TOOLS_BENCHPLAN_H
