//===- DeviceCheck.cpp - Check of a result on the device ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches the kernels in GpuKernels.gpu.cpp, which the build compiles to the
// PTX embedded here.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/DeviceCheck.h"
#include "hone/Measure/GpuProduct.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace hone;
using llvm::Error;

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"
static constexpr char kImage[] = {
#embed "GpuKernels.ptx"
    , '\0'};
#pragma clang diagnostic pop

llvm::StringRef hone::measureImage() {
  return llvm::StringRef(kImage, sizeof(kImage) - 1);
}

//===----------------------------------------------------------------------===//
// Arenas
//===----------------------------------------------------------------------===//

static int64_t elementBytes(const gpucheck::Matrix &matrix) {
  return sizeOf(static_cast<ElementType>(matrix.type));
}

llvm::Expected<Arena> Arena::create(Device &device, int64_t matrixBytes) {
  llvm::Expected<DeviceBuffer> buffer =
      device.allocate(matrixBytes + 2 * kGuardBytes);
  if (!buffer)
    return buffer.takeError();
  Arena arena;
  arena.buffer = std::move(*buffer);
  return arena;
}

gpucheck::Matrix Arena::place(ElementType type, Order order, int64_t batch,
                              int64_t rows, int64_t cols, int64_t lead,
                              int64_t shift) const {
  gpucheck::Matrix matrix = {};
  matrix.data = buffer.getPointer();
  matrix.offset = kGuardBytes / sizeOf(type) + shift;
  matrix.batch = batch;
  matrix.rows = rows;
  matrix.cols = cols;
  bool inRows = order == Order::row;
  matrix.rowStride = inRows ? lead : 1;
  matrix.colStride = inRows ? 1 : lead;
  matrix.batchStride = lead * (inRows ? rows : cols);
  matrix.type = static_cast<int64_t>(type);
  return matrix;
}

int64_t Arena::bytesOf(const gpucheck::Matrix &matrix) {
  int64_t last = (matrix.batch - 1) * matrix.batchStride +
                 (matrix.rows - 1) * matrix.rowStride +
                 (matrix.cols - 1) * matrix.colStride;
  int64_t end = (matrix.offset + last + 1) * elementBytes(matrix);
  return llvm::alignTo(end, 16) + kGuardBytes;
}

uint64_t hone::addressOf(const gpucheck::Matrix &matrix) {
  return reinterpret_cast<uint64_t>(matrix.data) +
         matrix.offset * elementBytes(matrix);
}

int64_t hone::elementsOf(const gpucheck::Matrix &matrix) {
  return matrix.batch * matrix.rows * matrix.cols;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<DeviceCheck>>
DeviceCheck::create(Device &device) {
  std::unique_ptr<DeviceCheck> check(new DeviceCheck(device));
  if (Error error = device.load(measureImage()))
    return std::move(error);
  if (Error error = device.findKernels(
          {{&check->fillKernel, "hone_fill"},
           {&check->unfoldKernel, "hone_unfold"},
           {&check->multiplyKernel, "hone_reference"},
           {&check->compareKernel, "hone_compare"},
           {&check->countKernel, "hone_count_written"},
           {&check->verifyKernel, "hone_verify"},
           {&check->differentKernel, "hone_count_different"}}))
    return std::move(error);
  if (Error error = device.allocate(kSlots * sizeof(gpucheck::Findings))
                        .moveInto(check->findings))
    return std::move(error);
  if (Error error = check->clearFindings())
    return std::move(error);
  return check;
}

Error DeviceCheck::launch(cu::Function function, int64_t elements,
                          llvm::ArrayRef<void *> params) {
  constexpr int64_t kThreads = 256;
  int64_t max = 8 * device.getProcessors();
  DeviceLaunch launch;
  launch.function = function;
  launch.block = kThreads;
  launch.grid = static_cast<uint32_t>(std::clamp<int64_t>(
      llvm::divideCeil(elements, kThreads), 1, std::max<int64_t>(max, 1)));
  launch.params = params;
  return device.launch(launch);
}

Error DeviceCheck::poison(const gpucheck::Matrix &matrix) {
  return device.fill(reinterpret_cast<uint64_t>(matrix.data),
                     poisonOf(static_cast<ElementType>(matrix.type)),
                     Arena::bytesOf(matrix));
}

Error DeviceCheck::fill(const gpucheck::Matrix &matrix,
                        const gpucheck::Data &data) {
  gpucheck::Matrix first = matrix;
  gpucheck::Data second = data;
  return launch(fillKernel, elementsOf(matrix), {&first, &second});
}

llvm::Expected<gpucheck::Places> hone::placesOf(const OperandAccess &access) {
  gpucheck::Places places = {};
  llvm::ArrayRef<OperandAccess::Digit> lists[] = {access.lines(), access.sum()};
  bool fits = access.isStatic() && access.batch().empty() &&
              access.axes().size() <= gpucheck::Places::kMaxAxes;
  for (auto [list, digits] : llvm::enumerate(lists)) {
    fits = fits && digits.size() <= gpucheck::Places::kMaxDigits;
    if (!fits)
      return llvm::createStringError(
          "expected windows of images to copy, but got " + access.str());
    places.counts[list] = digits.size();
    for (auto [i, digit] : llvm::enumerate(digits))
      places.digits[list][i] = {digit.extent, digit.step, digit.axis};
  }
  places.axisCount = access.axes().size();
  for (auto [i, axis] : llvm::enumerate(access.axes()))
    places.axes[i] = {axis.extent, axis.pitch, axis.low};
  return places;
}

Error DeviceCheck::unfold(const gpucheck::Matrix &from,
                          const OperandAccess &access,
                          const gpucheck::Matrix &to) {
  auto places = placesOf(access);
  if (!places)
    return places.takeError();
  gpucheck::Matrix first = from, third = to;
  return launch(unfoldKernel, elementsOf(to), {&first, &*places, &third});
}

Error DeviceCheck::multiply(const gpucheck::Matrix &a,
                            const gpucheck::Matrix &b,
                            const gpucheck::Matrix &init, uint64_t c) {
  gpucheck::Matrix first = a, second = b, third = init;
  return launch(multiplyKernel, gpucheck::ProductPieces(a, b).threads(),
                {&first, &second, &third, &c});
}

Error DeviceCheck::compare(const gpucheck::Matrix &c, uint64_t reference,
                           const gpucheck::Bound &bound, size_t slot) {
  gpucheck::Matrix first = c;
  gpucheck::Bound third = bound;
  uint64_t to = slotAddress(slot);
  return launch(compareKernel, elementsOf(c),
                {&first, &reference, &third, &to});
}

Error DeviceCheck::countWritten(const gpucheck::Matrix &matrix, size_t slot) {
  uint64_t arena = reinterpret_cast<uint64_t>(matrix.data);
  int64_t count = Arena::bytesOf(matrix) / elementBytes(matrix);
  int type = static_cast<int>(matrix.type);
  uint64_t to = slotAddress(slot);
  return launch(countKernel, count, {&arena, &count, &type, &to});
}

Error DeviceCheck::countDifferent(const gpucheck::Matrix &c,
                                  const gpucheck::Matrix &expected,
                                  size_t slot) {
  gpucheck::Matrix first = c, second = expected;
  uint64_t to = slotAddress(slot);
  return launch(differentKernel, elementsOf(c), {&first, &second, &to});
}

Error DeviceCheck::verify(const gpucheck::Matrix &matrix,
                          const gpucheck::Data &data, size_t slot) {
  gpucheck::Matrix first = matrix;
  gpucheck::Data second = data;
  uint64_t to = slotAddress(slot);
  return launch(verifyKernel, elementsOf(matrix), {&first, &second, &to});
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

Error DeviceCheck::clearFindings() {
  return device.fill(findings.getAddress(), 0, findings.size());
}

llvm::Expected<std::vector<gpucheck::Findings>>
DeviceCheck::readFindings(size_t count) {
  std::vector<gpucheck::Findings> result(count);
  if (Error error = device.copyOut(result.data(), findings.getAddress(),
                                   count * sizeof(gpucheck::Findings)))
    return std::move(error);
  return result;
}
