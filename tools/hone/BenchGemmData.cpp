//===- BenchGemmData.cpp - Matrices to time a product on ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every set has data of its own. Outputs never become inputs.
//
//===----------------------------------------------------------------------===//

#include "BenchGemm.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace hone;
using llvm::Error;
using llvm::formatv;

gpu::Matrix GemmData::matrix(size_t which, size_t set) const {
  auto [m, n, k] = extents;
  Order order = which == 0 ? spec.a : which == 1 ? spec.b : Order::row;
  gpu::Matrix matrix = {};
  matrix.data = reinterpret_cast<void *>(buffers[which].getAddress() +
                                         set * bytes[which]);
  matrix.batch = 1;
  matrix.rows = which == 1 ? k : m;
  matrix.cols = which == 0 ? k : n;
  bool inRows = order == Order::row;
  matrix.rowStride = inRows ? matrix.cols : 1;
  matrix.colStride = inRows ? 1 : matrix.rows;
  matrix.type = static_cast<int64_t>(which == 2 ? spec.out : spec.in);
  return matrix;
}

Error GemmData::allocate(size_t sets) {
  constexpr size_t kAlign = 256;
  for (size_t which : {0, 1, 2}) {
    gpu::Matrix one = matrix(which, 0);
    size_t size = elementsOf(one) * sizeOf(static_cast<ElementType>(one.type));
    bytes[which] = llvm::alignTo(size, kAlign);
    llvm::Expected<DeviceBuffer> buffer = device.allocate(bytes[which] * sets);
    if (!buffer)
      return buffer.takeError();
    buffers[which] = std::move(*buffer);
  }
  for (size_t set = 0; set < sets; ++set)
    for (size_t which : {0, 1})
      if (Error error =
              check.fill(matrix(which, set),
                         {gpu::kNormal, /*seed=*/1 + which + 2 * set, 1}))
        return error;
  return device.synchronize();
}

llvm::Expected<std::unique_ptr<GemmData>>
GemmData::create(Device &device, DeviceCheck &check, const MatmulSpec &spec,
                 std::array<int64_t, 3> extents, size_t sets) {
  std::unique_ptr<GemmData> data(new GemmData(device, check));
  data->spec = spec;
  data->extents = extents;
  if (Error error = data->allocate(sets))
    return std::move(error);
  return data;
}

llvm::StringMap<int64_t> GemmData::arguments(size_t set) const {
  auto [m, n, k] = extents;
  llvm::StringMap<int64_t> named;
  named["a"] = static_cast<int64_t>(a(set));
  named["b"] = static_cast<int64_t>(b(set));
  named["c"] = static_cast<int64_t>(c(set));
  named["m"] = m;
  named["n"] = n;
  named["k"] = k;
  named["lda"] = spec.a == Order::row ? k : m;
  named["ldb"] = spec.b == Order::row ? n : k;
  named["ldc"] = n;
  return named;
}

Error GemmData::verify(const Contender &launch) {
  gpu::Matrix c = matrix(2, 0);
  llvm::Expected<DeviceBuffer> reference =
      device.allocate(elementsOf(c) * sizeof(double));
  if (!reference)
    return reference.takeError();
  if (Error error = device.fill(this->c(0), 0xFF, bytes[2]))
    return error;
  if (Error error = launch(0))
    return error;
  if (Error error = check.multiply(matrix(0, 0), matrix(1, 0), {},
                                   reference->getAddress()))
    return error;
  Tolerance tolerance = Tolerance::ofSum(spec.out, extents[2]);
  if (Error error = check.clearFindings())
    return error;
  if (Error error =
          check.compare(c, reference->getAddress(),
                        {tolerance.relative, tolerance.absolute, 0}, 0))
    return error;
  auto findings = check.readFindings(1);
  if (!findings)
    return findings.takeError();
  float worst;
  std::memcpy(&worst, &findings->front().worst, sizeof(worst));
  if (findings->front().wrong)
    return llvm::createStringError(
        formatv("expected a right product, but got {0} wrong elements, the "
                "worst at {1:F1} times the tolerance",
                findings->front().wrong, worst));
  return Error::success();
}

llvm::Expected<Contender> hone::contenderOf(MatmulKernel &kernel,
                                            const GemmData &data, size_t sets) {
  std::vector<std::vector<int64_t>> arguments;
  for (size_t set = 0; set < sets; ++set) {
    auto ordered = kernel.order(data.arguments(set));
    if (!ordered)
      return ordered.takeError();
    arguments.push_back(std::move(*ordered));
  }
  return Contender([&kernel, arguments](size_t set) {
    return kernel.launch(arguments[set % arguments.size()]);
  });
}
