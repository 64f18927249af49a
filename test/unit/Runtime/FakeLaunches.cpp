//===- FakeLaunches.cpp - Launches and tensor maps without a GPU ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches are recorded with the bytes of their parameters.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "lib/Runtime/DriverState.h"

using namespace hone;
using namespace hone::test;

static cu::Result occupancyOfBlocks(int *blocks, cu::Function, int, size_t) {
  *blocks = FakeDriver::get().blocksPerProcessor;
  return FakeDriver::get().note("cuOccupancyMaxActiveBlocksPerMultiprocessor");
}

static cu::Result occupancyOfClusters(int *clusters, cu::Function function,
                                      const cu::LaunchConfig *config) {
  const unsigned *dim = config->attrs->clusterDim;
  int size = dim[0] * dim[1] * dim[2];
  auto *kernel = reinterpret_cast<FakeDriver::Kernel *>(function);
  bool isAllowed =
      size <= 8 || FakeDriver::get().nonPortable.count(kernel->name);
  *clusters = isAllowed ? FakeDriver::get().clusteredBlocks / size : 0;
  return FakeDriver::get().note("cuOccupancyMaxActiveClusters");
}

static cu::Result funcGetParamInfo(cu::Function function, size_t index,
                                   size_t *offset, size_t *size) {
  const auto &sizes =
      FakeDriver::get()
          .paramSizes[reinterpret_cast<FakeDriver::Kernel *>(function)->name];
  *offset = 0;
  if (index < sizes.size())
    *size = sizes[index];
  cu::Result result = FakeDriver::get().note("cuFuncGetParamInfo");
  return result || index < sizes.size() ? result : cu::ERROR_INVALID_VALUE;
}

static cu::Result launchKernelEx(const cu::LaunchConfig *config,
                                 cu::Function function, void **params,
                                 void **) {
  FakeDriver::Launch launch;
  launch.entry = reinterpret_cast<FakeDriver::Kernel *>(function)->name;
  launch.context = FakeDriver::get().context();
  launch.config = *config;
  launch.attributes.assign(config->attrs, config->attrs + config->numAttrs);
  cu::Result result = FakeDriver::get().note("cuLaunchKernelEx");
  std::lock_guard<std::mutex> lock(FakeDriver::get().mutex);
  auto sizes = FakeDriver::get().paramSizes.find(launch.entry);
  if (sizes != FakeDriver::get().paramSizes.end())
    for (size_t size : sizes->second)
      launch.params.emplace_back(static_cast<char *>(*params++), size);
  if (!result)
    FakeDriver::get().launches.push_back(launch);
  return result;
}

/// A map that contains its arguments: type, rank, swizzle, then base, dims, and
/// strides from word `stridesAt` on.
static cu::TensorMap mapOf(cu::TensorMapType type, uint32_t rank,
                           cu::TensorMapSwizzle swizzle, void *base,
                           const uint64_t *dims, const uint64_t *strides,
                           uint32_t stridesAt) {
  cu::TensorMap map = {};
  map.opaque[0] = type * 10000 + rank * 100 + swizzle;
  map.opaque[1] = reinterpret_cast<uint64_t>(base);
  for (uint32_t i = 0; i < rank; ++i) {
    map.opaque[2 + i] = dims[i];
    map.opaque[stridesAt + i] = i + 1 < rank ? strides[i] : 0;
  }
  return map;
}

/// The same, then the box.
static cu::Result
tensorMapEncodeTiled(cu::TensorMap *map, cu::TensorMapType type, uint32_t rank,
                     void *base, const uint64_t *dims, const uint64_t *strides,
                     const uint32_t *box, const uint32_t *, //
                     cu::TensorMapInterleave, cu::TensorMapSwizzle swizzle,
                     cu::TensorMapPromotion, cu::TensorMapFill) {
  *map = mapOf(type, rank, swizzle, base, dims, strides, /*stridesAt=*/7);
  for (uint32_t i = 0; i < rank; ++i)
    map->opaque[11 + i] = box[i];
  return FakeDriver::get().note("cuTensorMapEncodeTiled");
}

/// The same, with the corners and steps of two dimensions in the last words.
static cu::Result
tensorMapEncodeIm2col(cu::TensorMap *map, cu::TensorMapType type, uint32_t rank,
                      void *base, const uint64_t *dims, const uint64_t *strides,
                      const int *lower, const int *upper, uint32_t channels,
                      uint32_t pixels, const uint32_t *elementStrides,
                      cu::TensorMapInterleave, cu::TensorMapSwizzle swizzle,
                      cu::TensorMapPromotion, cu::TensorMapFill) {
  *map = mapOf(type, rank, swizzle, base, dims, strides, /*stridesAt=*/6);
  map->opaque[9] = channels;
  map->opaque[10] = pixels;
  for (uint32_t i = 0; i + 2 < rank; ++i) {
    map->opaque[11 + 2 * i] = uint32_t(lower[i]) << 16 | uint16_t(upper[i]);
    map->opaque[12 + 2 * i] = elementStrides[1 + i];
  }
  map->opaque[15] = elementStrides[0] + elementStrides[rank - 1];
  return FakeDriver::get().note("cuTensorMapEncodeIm2col");
}

void FakeDriver::addLaunches(Driver &table) {
  table.cuOccupancyMaxActiveBlocksPerMultiprocessor = occupancyOfBlocks;
  table.cuOccupancyMaxActiveClusters = occupancyOfClusters;
  table.cuLaunchKernelEx = launchKernelEx;
  table.cuTensorMapEncodeTiled = tensorMapEncodeTiled;
  table.cuTensorMapEncodeIm2col = tensorMapEncodeIm2col;
}

void FakeDriver::knowParams() {
  state->driver.cuFuncGetParamInfo = funcGetParamInfo;
}
