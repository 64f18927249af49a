//===- BenchGemm.h - Matrices to time a product on --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `hone bench gemm` and `hone bench launch` share: sets of matrices on the
// GPU with N(0, 1) data, our kernel on them, and a check that what is timed is
// right.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_BENCHGEMM_H
#define HONE_TOOLS_BENCHGEMM_H

#include "MatmulKernel.h"
#include "hone/Measure/DeviceCheck.h"
#include "hone/Measure/ProductCheck.h"
#include "hone/Measure/Timing.h"

namespace hone {

/// A device, what checks on it, and memory that is kept from one problem to the
/// next: allocating it costs more than timing a small product.
struct GemmKit {
  static llvm::Expected<std::unique_ptr<GemmKit>> open();

  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceCheck> check;
  std::unique_ptr<ProductCheck> product;
  std::array<DeviceBuffer, 4> matrices; ///< A, B, C, the epilogue's
  DeviceBuffer reference;

  /// Makes `buffer` at least so large; what it held is lost.
  llvm::Error reserve(DeviceBuffer &buffer, size_t bytes);
};

/// An error if ProductCheck refuses what is right or passes what is wrong.
llvm::Error checkTheCheck(GemmKit &kit);

/// What a contender leaves in C.
enum class Outcome {
  product,  ///< A * B
  fused,    ///< with the epilogue, rounded once
  separate, ///< with the epilogue, applied to a product that was rounded
};

/// Sets of the matrices of one problem, in the memory of a kit: one problem
/// at a time. Inputs and outputs are counted apart, because it is the inputs
/// that must exceed a cache.
///
/// With an epilogue the elements of B have the deviation 1 / sqrt(K), so that
/// sums are where the functions bend.
class GemmData {
public:
  struct Counts {
    size_t inputs = 1, outputs = 1;
  };
  static llvm::Expected<std::unique_ptr<GemmData>>
  create(GemmKit &kit, const MatmulSpec &spec, std::array<int64_t, 3> extents,
         Counts counts);

  /// Addresses in a set; the sets repeat.
  uint64_t a(size_t set) const { return address(0, set % counts.inputs); }
  uint64_t b(size_t set) const { return address(1, set % counts.inputs); }
  uint64_t c(size_t set) const { return address(2, set % counts.outputs); }
  /// The epilogue's operand: one bias, or a residual for every C.
  uint64_t e(size_t set) const {
    return address(3, set % countOf(/*which=*/3));
  }

  /// What the plan of a kernel gets for a set.
  llvm::StringMap<int64_t> arguments(size_t set) const;
  /// Runs `launch` on the first set, with a launch before and behind it where
  /// there are several sets; an error if the result is wrong. Always by the
  /// checks of ProductCheck, and `whole` compares every element of a product
  /// with f64.
  llvm::Error verify(const Contender &launch, Outcome outcome, bool whole);
  /// `product` and behind it a kernel that applies the epilogue in place; an
  /// error where C is not whole words of 16 bytes.
  llvm::Expected<Contender> withEpilogue(Contender product) const;

private:
  explicit GemmData(GemmKit &kit) : kit(kit) {}
  uint64_t address(size_t which, size_t set) const {
    return kit.matrices[which].getAddress() + set * bytes[which];
  }
  /// Matrix 0 (A), 1 (B), 2 (C) or 3 (the epilogue's) of a set.
  gpu::Matrix matrix(size_t which, size_t set) const;
  size_t countOf(size_t which) const;
  llvm::Error allocate();
  llvm::Error prepareEpilogue();
  llvm::Error judgeEpilogue(Outcome outcome);
  llvm::Error compareWhole();

  GemmKit &kit;
  MatmulSpec spec;
  std::array<int64_t, 3> extents = {};
  Counts counts;
  std::array<size_t, 4> bytes = {};
  double scale = 1;   ///< of B's elements
  double largest = 0; ///< argument of the epilogue, of those sampled
  bool hasReference = false;
};

/// Launches of `kernel` on the sets of `data`, with the run-time knobs of
/// `schedule`; kernel and data must outlive them.
llvm::Expected<Contender> contenderOf(MatmulKernel &kernel,
                                      const Schedule &schedule,
                                      const GemmData &data);

} // namespace hone

#endif // HONE_TOOLS_BENCHGEMM_H
