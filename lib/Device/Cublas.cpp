//===- Cublas.cpp - cublasGemmEx as a baseline ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As in CublasLt.cpp, a result in rows is the transposed result in columns.
//
//===----------------------------------------------------------------------===//

#include "CublasTypes.h"
#include "hone/Device/CublasLt.h"
#include "hone/Schedule/ExactF32.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::cublas;
using llvm::Error;
using llvm::formatv;

static constexpr int kChooseAlgorithm = -1; ///< of cublas_v2.h

#define HONE_CUBLAS_FUNCTIONS(X)                                               \
  X(cublasCreate_v2, (void **))                                                \
  X(cublasDestroy_v2, (void *))                                                \
  X(cublasSetStream_v2, (void *, void *))                                      \
  X(cublasSetWorkspace_v2, (void *, void *, size_t))                           \
  X(cublasGemmEx,                                                              \
    (void *, int, int, int, int, int, const void *, const void *, int, int,    \
     const void *, int, int, const void *, void *, int, int, int, int))

struct hone::CublasFunctions {
#define HONE_DECLARE(name, params) int(*name) params = nullptr;
  HONE_CUBLAS_FUNCTIONS(HONE_DECLARE)
#undef HONE_DECLARE

  Error find(void *library) {
#define HONE_FIND(name, params)                                                \
  name = reinterpret_cast<int(*) params>(dlsym(library, #name));               \
  if (!name)                                                                   \
    return llvm::createStringError(                                            \
        "expected cuBLAS 11 or newer, but got a library without " #name);
    HONE_CUBLAS_FUNCTIONS(HONE_FIND)
#undef HONE_FIND
    return Error::success();
  }
};

static Error checkStatus(int status, const char *call) {
  if (status == 0)
    return Error::success();
  return llvm::createStringError(formatv("{0}: status {1}", call, status));
}

#define HONE_TRY(call, ...)                                                    \
  if (Error error = checkStatus(table->call(__VA_ARGS__), #call))              \
  return llvm::Error(std::move(error))

/// The library beside a file of cuBLASLt: both come together.
static std::string withoutLt(llvm::StringRef file) {
  constexpr llvm::StringLiteral kLt = "libcublasLt";
  size_t at = file.rfind(kLt);
  if (at == llvm::StringRef::npos)
    return file.str();
  return (file.take_front(at) + "libcublas" + file.drop_front(at + kLt.size()))
      .str();
}

Cublas::Cublas() : table(std::make_unique<CublasFunctions>()) {}

Cublas::~Cublas() {
  if (handle)
    table->cublasDestroy_v2(handle);
}

llvm::Expected<std::unique_ptr<Cublas>> Cublas::open(Device &device,
                                                     llvm::StringRef file) {
  void *library = openLibrary(withoutLt(file), "libcublas");
  if (!library)
    return llvm::createStringError(
        formatv("expected cuBLAS to compare with, but got: {0}; use "
                "--cublas=FILE",
                dlerror()));
  std::unique_ptr<Cublas> result(new Cublas());
  auto &table = result->table;
  if (Error error = table->find(library))
    return std::move(error);
  HONE_TRY(cublasCreate_v2, &result->handle);
  HONE_TRY(cublasSetStream_v2, result->handle, device.getStream());
  auto workspace = device.allocate(kWorkspaceBytes);
  if (!workspace)
    return workspace.takeError();
  result->workspace = std::move(*workspace);
  HONE_TRY(cublasSetWorkspace_v2, result->handle,
           result->workspace.getPointer(), kWorkspaceBytes);
  return result;
}

/// Where f32 must be exact, no library setting may reduce its precision.
static int computeCode(const Problem &problem) {
  return problem.products == Products::tf32 ? kComputeTf32
         : isExactF32(problem)              ? kComputePedantic32F
                                            : kCompute32F;
}

Error Cublas::run(const Problem &problem, uint64_t a, uint64_t b, uint64_t c) {
  auto pointer = [](uint64_t address) {
    return reinterpret_cast<void *>(address);
  };
  int m = problem.m, n = problem.n, k = problem.k;
  bool rowA = problem.a.order == Order::row;
  bool rowB = problem.b.order == Order::row;
  const float one = 1, zero = 0;
  HONE_TRY(cublasGemmEx, handle, rowB ? kNotTransposed : kTransposed,
           rowA ? kNotTransposed : kTransposed, n, m, k, &one, pointer(b),
           typeCode(problem.b.type), rowB ? n : k, pointer(a),
           typeCode(problem.a.type), rowA ? k : m, &zero, pointer(c),
           typeCode(problem.c), n, computeCode(problem), kChooseAlgorithm);
  return Error::success();
}

#undef HONE_TRY
#undef HONE_CUBLAS_FUNCTIONS
