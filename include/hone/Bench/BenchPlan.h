//===- BenchPlan.h - The cells of hone bench gemm ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the options into a list of cells. A cell is one shape in one layout,
// with the schedules that compete there.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_BENCH_BENCHPLAN_H
#define HONE_BENCH_BENCHPLAN_H

#include "hone/Bench/BenchRecord.h"
#include "hone/Bench/Share.h"
#include "hone/Matmul/Entrant.h"
#include "hone/Reference/Epilogue.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {

/// The command line.
struct GemmOptions {
  std::string shapes = "1024x1024x1024,4096x4096x4096";
  std::string grid, sample, layouts = "nt,nn", types = "f16:f16";
  /// Neither given: a tune.
  std::string schedules, search;
  std::string epilogue = "none", baselines, protocols = "device";
  std::string programmatic = "both", arch = "native", cublas;
  std::string csv, candidatesCsv, database, rehearse, part;
  int64_t rounds = 11, finalists = 4, patience = 30;
  bool json = false, list = false;
};

/// The first five are libraries, which compute no convolutions of more than one
/// element. `guess` is the choice of a build without a database. If lines of an
/// operand are not multiples of 16 bytes, `cublasLtDirect` runs without copies,
/// `cublasLtPadded` runs on copies into lines that are, and `cublasLtAuto` is
/// the faster of both. With an epilogue, Hone is compared with itself: with the
/// plain product, and with the plain product followed by a kernel for it.
enum class Baseline {
  cublas,
  cublasLtHeuristic,
  cublasLtAuto,
  cublasLtDirect,
  cublasLtPadded,
  guess,
  plain,
  separate
};
llvm::StringRef toString(Baseline baseline);
/// The rivals of which a baseline is the fastest; none for a baseline of Hone.
std::vector<Rival> rivalsOf(Baseline baseline, const Problem &problem);

struct Candidate {
  Schedule schedule;
  bool isPlain = false; ///< the product alone, in a run with an epilogue
  double estimate = 0;  ///< seconds, by the cost model
};

struct BenchCell {
  Problem problem;
  BenchShape shape;
  std::vector<Candidate> candidates;
  std::optional<Schedule> guess; ///< of the baseline
};

struct BenchPlan {
  GemmOptions options;
  std::vector<BenchShape> shapes; ///< of the plan's part
  std::vector<Problem> forms;     ///< one per layout, without extents
  Epilogue epilogue = Epilogue::none;
  std::vector<Protocol> protocols;
  std::vector<Baseline> baselines;
  std::vector<std::string> programmatic; ///< "on", "off"
  std::vector<Schedule> schedules;       ///< listed; in addition:
  bool hasDefault = false;               ///< each problem's default
  /// The schedule of a build for each problem that was not measured.
  bool hasGuess = false;
  size_t searched = 0;    ///< length of the shortlist
  size_t sampled = 0;     ///< schedules of the space, as training data
  int64_t tuneTrials = 0; ///< of a search; see tuneCells()
  Arch arch;
  std::string device; ///< its name in the rows
  std::vector<BenchCell> cells;

  bool isRehearsal() const { return !options.rehearse.empty(); }
  /// True if a baseline is the product without the run's epilogue.
  bool hasPlain() const {
    return llvm::any_of(baselines, [](Baseline baseline) {
      return baseline >= Baseline::plain;
    });
  }
  /// The problem of a cell.
  Problem problemOf(const BenchCell &cell, const Candidate &candidate) const;
  /// The kernels of all cells, each once.
  std::vector<std::pair<Problem, Schedule>> kernels() const;
  /// "512x512x512 nt", "conv:8x28x28x64:96x3x3:1:1 nt"
  std::string nameOf(const BenchCell &cell) const;
  /// "f16:f16", as in the option; with an epilogue "f16:f16 residual", of a
  /// batch "f16:f16 batch=16", and of a convolution its name.
  std::string typesOf(const BenchCell &cell, bool isPlain) const;
  /// A row of a cell that names the comparison, without results.
  BenchRow rowOf(const BenchCell &cell, llvm::StringRef protocol,
                 llvm::StringRef programmatic, llvm::StringRef baseline) const;
  /// All rows that a cell must have when it is done.
  std::vector<BenchRow> rowsOf(const BenchCell &cell) const;
};

/// Reads everything that does not depend on the arch.
llvm::Expected<BenchPlan> readBenchPlan(const GemmOptions &options);
/// Fills in the cells for the plan's arch, except those whose rows are all in
/// `done`.
void fillCells(BenchPlan &plan, llvm::ArrayRef<BenchRow> done);

} // namespace hone

#endif // HONE_BENCH_BENCHPLAN_H
