//===- GemmData.h - Matrices for timing a product ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by benchmarks and the tuner's workers: sets of the matrices of a
// problem on the GPU, with N(0, 1) data, Hone's kernel on them, and a check
// that the timed result is correct.
//
// | problem               | reference                    | compared          |
// |-----------------------|------------------------------|-------------------|
// | a plain product       | its projections and samples  | rows of C * x,    |
// |                       | (ProductCheck); `whole`: all | samples, or all   |
// |                       | of it in f64                 |                   |
// | a batch, or C is read | all of it in f64             | every element     |
// | with an epilogue      | samples, or some of all; the | samples; all must |
// |                       | CPU applies the epilogue     | be written        |
//
// Where A reads windows, a set has their image, and references are computed
// from a matrix of the windows of the first set.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MATMUL_GEMMDATA_H
#define HONE_MATMUL_GEMMDATA_H

#include "hone/Matmul/Entrant.h"
#include "hone/Matmul/MatmulKernel.h"
#include "hone/Matmul/ProblemModule.h"
#include "hone/Measure/DeviceCheck.h"
#include "hone/Measure/ProductCheck.h"
#include "hone/Measure/Timing.h"
#include "hone/Numerics/ErrorBound.h"
#include "hone/Numerics/SumError.h"
#include "hone/Runtime/PlanArguments.h"
#include <array>

namespace hone {

/// A device, the checks on it, and memory that is kept from one problem to the
/// next: allocating it takes longer than timing a small product.
struct GemmKit {
  static llvm::Expected<std::unique_ptr<GemmKit>> open(int ordinal = 0,
                                                       int processors = 0);
  /// Another kit with its own memory, on the same device.
  llvm::Expected<std::unique_ptr<GemmKit>> another() const;

  std::shared_ptr<Device> device;
  std::shared_ptr<DeviceCheck> check;
  std::unique_ptr<ProductCheck> product;
  std::vector<DeviceBuffer> matrices; ///< A, B, C, the epilogue's operands
  DeviceBuffer reference;
  DeviceBuffer unfolded; ///< the windows of A, as a matrix

  /// Bytes of the memory that it keeps.
  size_t bytes() const;
};

/// An error if ProductCheck rejects a correct result or accepts a wrong one.
llvm::Error checkTheCheck(GemmKit &kit);

/// The computation.
struct GemmTask {
  Problem problem; ///< extents known
  std::vector<EpilogueOperand> operands;
  /// The element of C for a sum and the operands' elements, computed op by op
  /// in f64, with a bound for the error of intermediate roundings; null without
  /// an epilogue.
  std::function<Inexact<double>(double sum, llvm::ArrayRef<double> operands)>
      finish;

  static llvm::Expected<GemmTask> of(mlir::MLIRContext &context,
                                     const Problem &problem);
};

/// Sets of the matrices of one problem, in the memory of a kit: one problem at
/// a time. In a program, the cache contains the results of the previous layer,
/// but not the weights that were last read a step ago. Launches that alternate
/// between sets larger than the cache find nothing in it.
///
/// With an epilogue the elements of B have standard deviation 1 / sqrt(K), so
/// that sums lie where the functions are nonlinear.
class GemmData {
public:
  static llvm::Expected<std::unique_ptr<GemmData>>
  create(GemmKit &kit, GemmTask task, size_t sets);
  /// The number of sets that exceed the L2 cache five times.
  static size_t countSets(const GemmKit &kit, const Problem &problem);

  /// Addresses in a set; indices wrap around.
  uint64_t a(size_t set) const { return address(0, set % sets); }
  uint64_t b(size_t set) const { return address(1, set % sets); }
  uint64_t c(size_t set) const { return address(2, set % sets); }
  /// An operand of the epilogue: one for all sets, or one per C.
  uint64_t e(size_t set, size_t index = 0) const {
    return address(3 + index, set % countOf(3 + index));
  }

  /// The plan arguments of a schedule's kernel for a set.
  PlanArguments arguments(size_t set, const Schedule &schedule) const;
  /// Runs `launch` on the first set, between two other launches if there are
  /// several sets; returns the largest error, in units of the tolerance, and
  /// fails if the result is wrong. `whole` compares every
  /// element of a product with f64. `spoil` is called with C before the check,
  /// to show that the check can fail.
  llvm::Expected<double>
  verify(const Contender &launch, Part part, bool whole,
         llvm::function_ref<llvm::Error(uint64_t c)> spoil = {});
  /// The error of `launch` on the first set against f64, for a product without
  /// an epilogue.
  llvm::Expected<SumError> errorOf(const Contender &launch);
  size_t operands() const { return task.operands.size(); }
  const Problem &problem() const { return task.problem; }
  /// `product`, followed by a kernel that applies the named epilogue in place;
  /// an error if C is not whole words of 16 bytes.
  llvm::Expected<Contender> withEpilogue(Contender product) const;

private:
  explicit GemmData(GemmKit &kit) : kit(kit) {}
  uint64_t address(size_t which, size_t set) const {
    return kit.matrices[which].getAddress() + set * bytes[which];
  }
  /// Matrix 0 (A), 1 (B), 2 (C) or the epilogue's operands, of a set. An image
  /// is one row.
  gpucheck::Matrix matrix(size_t which, size_t set) const;
  /// A of the first set as a matrix, also where it is an image.
  gpucheck::Matrix matrixA() const;
  gpucheck::Matrix operandMatrix(size_t index) const;
  /// Distances of adjacent elements along the batch, m and n.
  std::array<int64_t, 3> operandStrides(size_t index) const;
  /// C with its batches below each other.
  gpucheck::Matrix flatC() const;
  size_t countOf(size_t which) const;
  bool needsWhole() const;
  llvm::Error allocate();
  llvm::Error fill(size_t which);
  llvm::Error unfold();
  llvm::Error prepareReference();
  llvm::Error makeWhole();
  llvm::Error prepareEpilogue();
  llvm::Expected<double> judgeEpilogue(Part part);
  llvm::Expected<double> compareWhole();

  GemmKit &kit;
  GemmTask task;
  std::optional<Window> image; ///< that A reads windows of
  size_t sets = 1;
  std::vector<size_t> bytes; ///< per matrix
  double scale = 1;          ///< of B's elements
  double largest = 0;        ///< sampled result or operand
  double steepest = 1;       ///< slope of the epilogue there, except jumps
  double ofSteps = 0;        ///< bound for the error of rounding its steps
  bool hasReference = false;
};

/// Launches of `kernel` on the sets of `data`, with the run-time decisions of
/// `schedule`; kernel and data must outlive them.
llvm::Expected<Contender> contenderOf(MatmulKernel &kernel,
                                      const Schedule &schedule,
                                      const GemmData &data);

} // namespace hone

#endif // HONE_MATMUL_GEMMDATA_H
