//===- Values.h - The numbers of a run --------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Real bytes in shared memory and real numbers in registers. What the lowering
// computes (who copies what, where ldmatrix and stmatrix point, descriptors) is
// computed by the same maps (AddressMap.h, PartialMap.h); what the hardware
// does with it is written down here from the PTX ISA: where the copy engine's
// swizzle puts a byte, what a matrix descriptor reads, which lane gets what of
// an ldmatrix and an mma.sync.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_VALUES_H
#define HONE_LIB_SIMULATE_VALUES_H

#include "Launch.h"
#include "Program.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hone::simulate {

class Machine;
class Reference;
struct Agent;

/// A distributed value: `count` elements of each thread, thread by thread. Each
/// is held as a double that its type has: f32 rounded, i32 modulo 2^32.
struct Tile {
  int64_t count = 0;
  std::vector<double> elements;

  double &at(int64_t thread, int64_t index) {
    return elements[thread * count + index];
  }
  double at(int64_t thread, int64_t index) const {
    return elements[thread * count + index];
  }
};

/// Carries out an op that says where something is or which part is whose. False
/// if it is not one of those.
bool placeOp(mlir::Operation *op, const LaunchValues &launch, int64_t block,
             llvm::function_ref<int64_t(mlir::Value)> in,
             llvm::function_ref<void(mlir::Value, Register)> out);

class Values {
public:
  Values(const LaunchValues &launch, const Problem &problem, uint64_t seed);
  /// Operands are where the launch says, in the memory of this process.
  explicit Values(const LaunchValues &launch);

  /// The next kernel, in the same memory.
  void startLaunch(const LaunchValues &next) { launch = &next; }
  /// Fresh shared memory, full of NaNs.
  void startClusters(int64_t blocks);
  void run(Machine &machine, Agent &agent, mlir::Operation *op);

  /// An operand's elements, now or before the launch.
  std::pair<ElementType, const uint8_t *> contents(llvm::StringRef operand,
                                                   bool isOld) const;
  /// True if the bytes of the element are no longer those before the launch.
  bool hasChanged(llvm::StringRef operand, int64_t index) const;

private:
  friend class ValuesOfAgent;

  /// Where an address lies, or null outside of the operands.
  uint8_t *address(int64_t address, int64_t count);
  /// Stores bytes of an operand, and nothing outside of them. False if others
  /// have been stored there, in the result.
  bool store(int64_t address, const void *bytes, int64_t count);

  const LaunchValues *launch; ///< the kernel's that runs
  std::vector<Region> regions;
  std::vector<std::vector<uint8_t>> memory, before; ///< of each region
  /// Where the bytes of each region are.
  std::vector<uint8_t *> starts;
  std::vector<std::vector<uint8_t>> shared; ///< of each block
  std::vector<bool> stored; ///< bytes of the result that have been
};

/// Holds C against the reference; what differs is a finding.
void compare(const Reference &reference, const Trial &trial,
             const LaunchValues &launch, const Values &values,
             mlir::Location loc, Verdict &verdict);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_VALUES_H
