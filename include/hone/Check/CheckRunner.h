//===- CheckRunner.h - Launches and checks of cases -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hone check` is a list of cases; this runs them. Cases that read the same
// matrices form a group: data and reference are computed once per group. A case
// is launched
//
//   alone     once, followed by a wait
//   in burst  several times without a pause, each to its own output
//   in chain  each launch reads the previous result (square matrices)
//
// always with N(0, 1) data, alone also with 0 and 1. If repeats are requested,
// that many more launches follow, in bursts: each must reproduce the bits of
// the first. With invariant numbers all schedules of a problem must have the
// bits of its first one.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHECK_CHECKRUNNER_H
#define HONE_CHECK_CHECKRUNNER_H

#include "hone/Matmul/MatmulKernel.h"
#include "hone/Measure/DeviceCheck.h"
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace hone {

/// Extents, and the layout of the matrices in memory.
struct CheckShape {
  int64_t m = 1, n = 1, k = 1;
  /// All batches; and with two batches, the inner ones per outer one.
  int64_t batch = 1, heads = 1;
  int64_t pad = 0;   ///< elements between the lines of every matrix
  int64_t shift = 0; ///< elements from an aligned address to every matrix
  /// With two batches, those of "bh" that B has; else empty.
  std::string batchesB = {};

  std::string str() const;
};

struct CheckCase {
  CheckCase(const Problem &problem, const CheckShape &shape,
            const Schedule &schedule = Schedule())
      : problem(problem), shape(shape), schedule(schedule) {}

  Problem problem; ///< without extents
  CheckShape shape;
  Schedule schedule;
  MatmulKernel *kernel = nullptr;

  //===--------------------------------------------------------------------===//
  // Outcome
  //===--------------------------------------------------------------------===//
  double worst = 0;       ///< largest error, in units of the tolerance
  uint64_t wrong = 0;     ///< elements, over all launches
  size_t repeats = 0;     ///< comparisons of bits
  uint64_t different = 0; ///< elements, over all comparisons
  std::string failure;    ///< empty if the case is correct
};

/// The batch strides of `matrix`, which is a, b or c of a case.
PlanArguments::BatchStrides batchStridesOf(const CheckCase &one, char operand,
                                           const gpucheck::Matrix &matrix);

/// Adds the findings about one launch, whose result is `c`, to its case.
void addFindings(CheckCase &one, const gpucheck::Findings &findings,
                 const gpucheck::Matrix &c, const char *mode);
/// Adds the findings about all repeats.
void addRepeats(CheckCase &one, const gpucheck::Findings &findings,
                const gpucheck::Matrix &c);
/// Makes an error the failure of every case that has none yet.
void addError(llvm::MutableArrayRef<CheckCase *> group, llvm::Error error);

class CheckRunner {
public:
  /// Allocates matrices of `extent` x `extent` elements.
  static llvm::Expected<std::unique_ptr<CheckRunner>>
  create(Device &device, int64_t extent, size_t repeats);

  /// Compares the reference of the GPU with one of the CPU.
  llvm::Error checkReference();
  /// Runs cases that agree in shape, input type, init and, if C is read, in its
  /// type.
  void runGroup(llvm::MutableArrayRef<CheckCase *> group);
  /// Runs a case as a chain.
  void runChain(CheckCase &one);
  /// Runs a case with an epilogue, which the CPU applies to the reference.
  void runEpilogue(CheckCase &one);

private:
  static constexpr size_t kBurst = 3;
  /// Slots for findings: one per launch of a case, and one for all its repeats.
  static constexpr size_t kSlots = 1 + kBurst + 1;
  CheckRunner(Device &device, size_t repeats)
      : device(device), repeats(repeats) {}

  /// The matrices of one group; A and B in both orders, by hone::Order.
  struct Operands {
    std::array<gpucheck::Matrix, 2> a, b;
    gpucheck::Data dataA, dataB, dataC;
    gpucheck::Matrix init; ///< no data if C is not read
  };
  gpucheck::Matrix placeC(const CheckCase &one, size_t output) const {
    return placeIn(arenasC[output], one);
  }
  static gpucheck::Matrix placeIn(const Arena &arena, const CheckCase &one);
  /// The reference of a group, one outer batch after the other.
  llvm::Error multiply(const CheckCase &one, const Operands &operands);
  llvm::Error makeOperands(const CheckCase &one, bool zeroOne,
                           Operands &operands);
  llvm::Error prepareOutput(const CheckCase &one, const Operands &operands,
                            const gpucheck::Matrix &c);
  llvm::Error launch(const CheckCase &one, const gpucheck::Matrix &a,
                     const gpucheck::Matrix &b, const gpucheck::Matrix &c,
                     const gpucheck::Matrix *extra = nullptr);
  /// The same on the operands in the case's orders.
  llvm::Error launchOn(const Operands &operands, const CheckCase &one,
                       const gpucheck::Matrix &c);
  llvm::Error runMember(CheckCase &one, const Operands &operands, bool zeroOne,
                        size_t firstSlot);
  llvm::Error repeat(CheckCase &one, const Operands &operands, size_t slot);
  llvm::Error compareSchedules(CheckCase &one, const Operands &operands,
                               size_t slot);
  llvm::Error runData(llvm::MutableArrayRef<CheckCase *> group, bool zeroOne);
  llvm::Error checkInputs(llvm::MutableArrayRef<CheckCase *> group,
                          const Operands &operands);
  llvm::Error tryChain(CheckCase &one);
  llvm::Error tryEpilogue(CheckCase &one);
  llvm::Error compareEpilogue(CheckCase &one, const gpucheck::Matrix &c,
                              const gpucheck::Matrix &extra, double scale);
  /// Elements of a matrix as the CPU reads them, without gaps.
  llvm::Expected<std::vector<double>> download(const gpucheck::Matrix &matrix);

  Device &device;
  size_t repeats;
  std::unique_ptr<DeviceCheck> check;
  std::array<Arena, 2> arenasA, arenasB;
  std::array<Arena, 1 + kBurst> arenasC;
  Arena arenaInit;
  /// The result of a problem's first schedule, whose problem and shape it is.
  Arena arenaFirst;
  std::string first;
  DeviceBuffer reference;
};

} // namespace hone

#endif // HONE_CHECK_CHECKRUNNER_H
