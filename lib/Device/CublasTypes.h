//===- CublasTypes.h - Enumerators that both cuBLAS interfaces share ------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The libraries are opened at run time, so their headers are not needed to
// build. These values are those of cublas_v2.h and library_types.h.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_DEVICE_CUBLASTYPES_H
#define HONE_LIB_DEVICE_CUBLASTYPES_H

#include "hone/Schedule/Problem.h"
#include <dlfcn.h>

namespace hone::cublas {

constexpr int kCompute32F = 68, kComputePedantic32F = 69, kCompute32I = 72,
              kComputeTf32 = 77;
constexpr int kR32F = 0, kR16F = 2, kR8I = 3, kR32I = 10, kR16BF = 14,
              kR8E4M3 = 28, kR8E5M2 = 29;
constexpr int32_t kNotTransposed = 0, kTransposed = 1;
constexpr size_t kWorkspaceBytes = size_t(32) << 20;

inline int typeCode(ElementType type) {
  switch (type) {
  case ElementType::f16:
    return kR16F;
  case ElementType::bf16:
    return kR16BF;
  case ElementType::f32:
    return kR32F;
  case ElementType::e4m3:
    return kR8E4M3;
  case ElementType::e5m2:
    return kR8E5M2;
  case ElementType::i8:
    return kR8I;
  case ElementType::i32:
    return kR32I;
  }
  llvm_unreachable("element type without a code");
}

/// Opens `file`, or without one the newest library of this name (such as
/// "libcublasLt") that is found; null if there is none.
inline void *openLibrary(const std::string &file, llvm::StringRef name) {
  if (!file.empty())
    return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  for (llvm::StringRef folder : {"", "/usr/local/cuda/lib64/"})
    for (llvm::StringRef suffix : {".so.13", ".so.12", ".so"})
      if (void *library = dlopen((folder + name + suffix).str().c_str(),
                                 RTLD_NOW | RTLD_LOCAL))
        return library;
  return nullptr;
}

} // namespace hone::cublas

#endif // HONE_LIB_DEVICE_CUBLASTYPES_H
