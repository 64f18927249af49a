//===- PaddedMatmul.h - A library on padded copies --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where lines of an operand are not whole words of 16 bytes, cuBLASLt falls
// back to kernels at a fraction of the chip. A program can avoid that by
// copying such operands first:
//
//   copy A, copy B   those whose lines are odd, into padded lines
//   product          cuBLASLt, by one of its algorithms
//   copy C           back, if its lines are odd
//
// An extent that occurs only in copies may also be rounded up, with zeros in
// the gap, which some kernels require. Both variants are tried.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MATMUL_PADDEDMATMUL_H
#define HONE_MATMUL_PADDEDMATMUL_H

#include "hone/Device/CublasLt.h"
#include "hone/Measure/GpuLines.h"

namespace hone {

class PaddedMatmul {
public:
  /// An error if there is nothing to copy, or a batch.
  static llvm::Expected<std::unique_ptr<PaddedMatmul>>
  create(Device &device, CublasLt &library, const Problem &problem, int max);

  size_t candidates() const;
  /// Enqueues the copies and the product.
  llvm::Error run(uint64_t a, uint64_t b, uint64_t c, size_t candidate);
  /// "copies of A and C; algorithm 3 of 16"
  std::string describe(size_t candidate) const;

private:
  /// A matrix with odd lines and its copy, or one that is used without a copy.
  struct Operand {
    char name;
    int64_t rows, cols; ///< lines, and the length of a line in halves
    int64_t lead = 0;   ///< of the copy, in halves; 0: none
    DeviceBuffer copy;
  };

  explicit PaddedMatmul(Device &device) : device(device) {}
  llvm::Error addOperands(const Problem &problem);
  llvm::Error allocate();
  Problem rounded(const Problem &problem) const;
  llvm::Error copyLines(gpucheck::Lines lines);

  Device &device;
  cu::Function copyKernel = nullptr;
  Operand operands[3]; ///< A, B, C
  /// With the problem's extents, and with rounded ones where these differ.
  std::vector<std::unique_ptr<CublasMatmul>> products;
};

} // namespace hone

#endif // HONE_MATMUL_PADDEDMATMUL_H
