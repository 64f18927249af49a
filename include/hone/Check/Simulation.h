//===- Simulation.h - Runs of a module's kernels on the CPU -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of hone simulate. It builds the kernels of a module, or takes the
// existing ones, and runs them on the CPU: the protocol for every order of
// events, and the numbers of one order, compared with the reference.
//
//   auto runs = simulateModule(*module, options);
//   for (const SimulatedRun &run : *runs)
//     run.passed();
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHECK_SIMULATION_H
#define HONE_CHECK_SIMULATION_H

#include "hone/Plugin/Route.h"
#include "hone/Simulate/Simulate.h"

namespace hone {

struct SimulationOptions : PipelineChoice {
  std::string shape;    ///< "MxNxK"; "" for sizes that fill each ring twice
  std::string timeline; ///< a file for the picture of a run
  std::string ofBuild;  ///< the first option for a build on the command line
  bool protocolOnly = false, explore = false, sums = false;
};

/// One kernel at one size.
struct SimulatedRun {
  std::string kernel, sizes, method;
  std::string whyNoNumbers; ///< empty if there are numbers
  simulate::Verdict verdict;
  std::optional<simulate::Exploration> exploration = {};
  std::string sums = {}; ///< the tree of sums, where it is computed

  bool passed() const {
    return verdict.passed() && (!exploration || exploration->passed());
  }
};
/// The runs of each kernel at each size, and the runs that prove every size.
/// Their findings have locations in the module's context.
llvm::Expected<std::vector<SimulatedRun>>
simulateModule(mlir::ModuleOp module, const SimulationOptions &options);

} // namespace hone

#endif // HONE_CHECK_SIMULATION_H
