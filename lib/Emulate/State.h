//===- State.h - State of an emulation --------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Receives launches: Emulate.cpp selects alternatives and enqueues work,
// Products.cpp compares arguments with records and runs products.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_EMULATE_STATE_H
#define HONE_LIB_EMULATE_STATE_H

#include "Fibers.h"
#include "PlanCall.h"
#include "Records.h"
#include "RestCode.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hone::emulate {

/// A parsed call of honeLaunch.
struct LaunchCall {
  std::shared_ptr<const LaunchPlan> plan;
  PlanCall call;
  LaunchedRecord record;
  /// The kernels of the alternative's launches, in order.
  std::vector<mlir::gpu::GPUFuncOp> kernels;
  int64_t workspaceBytes = 0;

  /// The kernel that computes.
  const std::string &entry() const {
    return call.alternative().launches.back().entry;
  }
};

/// The execution of a product's launch, given the address of its workspace.
simulate::Execution executionOf(const LaunchCall &launch, int64_t resident);
/// One text for each argument that differs from the record.
std::vector<std::string> differences(const LaunchCall &launch,
                                     const simulate::Execution &run);
/// The same for the rest.
std::vector<std::string> differencesOfRest(const LaunchCall &launch);

} // namespace hone::emulate

struct hone::Emulation::State {
  explicit State(EmulationOptions options)
      : options(options), fibers(device, options.seed) {}

  /// Runs a launch; returns the program's status.
  int32_t launch(llvm::StringRef plan, llvm::ArrayRef<int64_t> arguments);
  void record(int64_t number, llvm::ArrayRef<int64_t> words);
  /// Checks that the previous record had its launches.
  void closeRecord();
  /// Counts a call of the runtime. True if it does nothing: it is planned to
  /// fail, or the program has ended.
  bool skips();
  /// The status of a skipped call.
  int32_t skippedStatus() const;
  /// Records a failed call, after which the program must not continue.
  void noteFailure(int32_t status);
  /// Handles a status check of the program, which ends if it is not 0.
  void require(int32_t status);
  /// Final checks of a run.
  void endRun();

  EmulationOptions options;
  EmulationCounts counts;
  emulate::Device device;
  emulate::Records records;
  emulate::RestCode rest;
  emulate::Fibers fibers;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  llvm::StringMap<mlir::gpu::GPUFuncOp> kernels;
  llvm::StringSet<> entries;
  std::optional<emulate::LaunchedRecord> pending;
  llvm::StringMap<std::shared_ptr<const LaunchPlan>> plans;
  int64_t calls = 0, failing = -1;
  /// Failed calls, the status of the last one, and whether this run had one.
  int64_t failures = 0;
  int32_t lastStatus = 0;
  bool hasFailed = false, hasEnded = false, asksStatus = false;
  /// The number of clusters that the device holds at once; 0: unknown.
  int64_t resident = 0;

private:
  llvm::Error tryLaunch(llvm::StringRef plan,
                        llvm::ArrayRef<int64_t> arguments);
  llvm::Expected<emulate::LaunchCall>
  understand(llvm::StringRef plan, llvm::ArrayRef<int64_t> arguments);
  llvm::Error launchProduct(emulate::LaunchCall launch);
  llvm::Error launchRest(emulate::LaunchCall launch);
  /// Runs `body` with a private workspace.
  void withWorkspace(const emulate::LaunchCall &launch,
                     llvm::function_ref<void(int64_t address)> body);
  void runProduct(const emulate::LaunchCall &launch, simulate::Execution run);
  bool isInMemory(const emulate::LaunchCall &launch);
};

#endif // HONE_LIB_EMULATE_STATE_H
