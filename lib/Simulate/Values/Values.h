//===- Values.h - Numbers of a run ------------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Real bytes in shared memory and real numbers in registers. The addresses that
// the lowering computes (of copies, ldmatrix, stmatrix, descriptors) come from
// the same maps (AddressMap.h, PartialMap.h). The behaviour of the hardware is
// written here from the PTX ISA: the copy engine's swizzle, the bytes that a
// matrix descriptor addresses, and the elements of each lane in an ldmatrix and
// an mma.sync.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_VALUES_H
#define HONE_LIB_SIMULATE_VALUES_H

#include "../Launch.h"
#include "../Program.h"
#include "Offsets.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hone::simulate {

class Machine;
class Provenance;
class Reference;
struct Agent;

/// A distributed value: `count` elements of each thread, thread by thread. Each
/// element is stored as a double that its type can hold: f32 rounded, i32
/// modulo 2^32.
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

/// Executes an op that computes an address or the owner of a part. False for
/// other ops.
bool placeOp(mlir::Operation *op, const LaunchValues &launch, int64_t block,
             llvm::function_ref<int64_t(mlir::Value)> in,
             llvm::function_ref<void(mlir::Value, Register)> out);

class Values {
public:
  Values(const LaunchValues &launch, const Problem &problem, uint64_t seed);
  /// Codes and nodes instead of numbers.
  Values(const LaunchValues &launch, const Problem &problem,
         Provenance &provenance);
  /// Operands are at the launch's addresses, in the memory of this process.
  explicit Values(const LaunchValues &launch);

  /// Starts the next kernel, in the same memory.
  void startLaunch(const LaunchValues &next) { launch = &next; }
  /// Fresh shared memory, full of NaNs.
  void startClusters(int64_t blocks);
  void run(Machine &machine, Agent &agent, mlir::Operation *op);

  /// An operand's elements, now or before the launch.
  std::pair<ElementType, const uint8_t *> contents(llvm::StringRef operand,
                                                   bool isOld) const;

private:
  friend class ValuesOfAgent;

  /// Memory of the operands: elements of A and B by matrix, line and column.
  void fill(const Problem &problem,
            llvm::function_ref<double(const OperandRegion &, int64_t line,
                                      int64_t column)>
                elementOf);
  void addSpan(const OperandRegion &region, uint8_t *start);

  /// The memory of an address, or null outside of the operands.
  uint8_t *address(int64_t address, int64_t count);
  /// Stores bytes of an operand, and nothing outside of them. False if other
  /// bytes have been stored there, in the result.
  bool store(int64_t address, const void *bytes, int64_t count);

  const LaunchValues *launch; ///< of the running kernel
  std::vector<OperandRegion> regions;
  std::vector<std::vector<uint8_t>> memory, before; ///< of each region
  /// The addresses of each region, and its memory.
  struct Span {
    int64_t base, end;
    uint8_t *start;

    bool contains(int64_t address, int64_t count) const {
      return address >= base && address + count <= end;
    }
  };
  std::vector<Span> spans;
  size_t result = 0;                        ///< the region of C
  std::vector<std::vector<uint8_t>> shared; ///< of each block
  std::vector<uint8_t> stored; ///< 1 for the result's bytes that were stored
  OffsetTables tables;
  Provenance *provenance = nullptr; ///< null if there are numbers
};

/// Compares C with the reference; each difference is a finding.
void compare(const Reference &reference, const Trial &trial,
             const LaunchValues &launch, const Values &values,
             mlir::Location loc, Verdict &verdict);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_VALUES_H
