//===- DeviceCheck.h - Checks results on the GPU ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thousands of products per minute can only be checked if neither the data nor
// the reference leaves the GPU. This launches the kernels that check there:
//
//   1. an arena is filled with bytes of ones, a NaN in every element type
//   2. a matrix in the middle of it is filled with random data
//   3. a reference is computed in f64
//   4. the code under test runs
//   5. its result is compared, and the elements of its arena that are no longer
//      ones are counted: a larger number than that of the result's elements
//      means a write out of bounds
//
// All steps are ordered on the Device's stream. Findings are read at the end.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MEASURE_DEVICECHECK_H
#define HONE_MEASURE_DEVICECHECK_H

#include "hone/Device/Device.h"
#include "hone/Measure/GpuKernels.h"
#include "hone/Numerics/Tolerance.h"
#include <memory>
#include <vector>

namespace hone {

/// A buffer with guard bands and a matrix in the middle.
class Arena {
public:
  /// Bytes before and after the matrix; a multiple of every alignment.
  static constexpr int64_t kGuardBytes = 16384;

  Arena() = default;
  static llvm::Expected<Arena> create(Device &device, int64_t matrixBytes);

  /// A batch of matrices in the arena: `lead` elements from line to line, at
  /// least the length of a line, starting `shift` elements after an aligned
  /// address.
  gpucheck::Matrix place(ElementType type, Order order, int64_t batch,
                         int64_t rows, int64_t cols, int64_t lead,
                         int64_t shift = 0) const;
  /// Bytes of a matrix and its guard bands.
  static int64_t bytesOf(const gpucheck::Matrix &matrix);
  uint64_t getAddress() const { return buffer.getAddress(); }

private:
  DeviceBuffer buffer;
};

/// The address of a matrix's first element.
uint64_t addressOf(const gpucheck::Matrix &matrix);
/// Number of elements, without padding.
int64_t elementsOf(const gpucheck::Matrix &matrix);

/// The parameter of a kernel for an access of known numbers, without a batch.
/// An error if it has too many digits.
llvm::Expected<gpucheck::Places> placesOf(const OperandAccess &access);

class DeviceCheck {
public:
  /// The number of comparisons whose findings fit before they are read.
  static constexpr size_t kSlots = 256;

  static llvm::Expected<std::unique_ptr<DeviceCheck>> create(Device &device);

  /// Makes the matrix and its guard bands bytes of ones.
  llvm::Error poison(const gpucheck::Matrix &matrix);
  llvm::Error fill(const gpucheck::Matrix &matrix, const gpucheck::Data &data);
  /// Copies the elements that `access` reads from `from` on to the matrix `to`
  /// of the same type, zeros among them.
  llvm::Error unfold(const gpucheck::Matrix &from, const OperandAccess &access,
                     const gpucheck::Matrix &to);
  /// c = init + a * b in f64, without gaps; `init` may have no data.
  llvm::Error multiply(const gpucheck::Matrix &a, const gpucheck::Matrix &b,
                       const gpucheck::Matrix &init, uint64_t c);

  /// These add to the findings of a slot.
  llvm::Error compare(const gpucheck::Matrix &c, uint64_t reference,
                      const gpucheck::Bound &bound, size_t slot);
  llvm::Error countWritten(const gpucheck::Matrix &matrix, size_t slot);
  /// Elements that are not bit for bit the same count as wrong; both matrices
  /// have the same layout.
  llvm::Error countDifferent(const gpucheck::Matrix &c,
                             const gpucheck::Matrix &expected, size_t slot);
  llvm::Error verify(const gpucheck::Matrix &matrix, const gpucheck::Data &data,
                     size_t slot);

  llvm::Error clearFindings();
  /// Waits, and returns the findings of the first `count` slots.
  llvm::Expected<std::vector<gpucheck::Findings>> readFindings(size_t count);

private:
  explicit DeviceCheck(Device &device) : device(device) {}
  llvm::Error launch(cu::Function function, int64_t elements,
                     llvm::ArrayRef<void *> params);
  uint64_t slotAddress(size_t slot) const {
    return findings.getAddress() + slot * sizeof(gpucheck::Findings);
  }

  Device &device;
  DeviceBuffer findings;
  cu::Function fillKernel = nullptr, multiplyKernel = nullptr,
               compareKernel = nullptr, countKernel = nullptr,
               unfoldKernel = nullptr, verifyKernel = nullptr,
               differentKernel = nullptr;
};

/// The image with these kernels, PTX for sm_80; holds `hone_empty` too.
llvm::StringRef measureImage();

} // namespace hone

#endif // HONE_MEASURE_DEVICECHECK_H
