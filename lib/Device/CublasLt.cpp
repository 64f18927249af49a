//===- CublasLt.cpp - cuBLASLt matmul as a baseline -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLASLt stores matrices in columns. A result in rows is the transposed
// result in columns, so the call computes C^T = B^T * A^T: the library's first
// operand is B, and a matrix stored in rows is, read by columns, already
// transposed.
//
//===----------------------------------------------------------------------===//

#include "hone/Device/CublasLt.h"
#include "CublasTypes.h"
#include "hone/Schedule/ExactF32.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::cublas;
using llvm::Error;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

// Enumerators of cublasLt.h, by value.
static constexpr int kTransA = 3, kTransB = 4, kMaxWorkspace = 1;
/// int8_t: with it, sums of 8-bit floats are short throughout. Zero by default.
static constexpr int kFastAccum = 25;
static constexpr int kBatchCount = 5, kBatchStride = 6;

namespace {
/// cublasLtMatmulHeuristicResult_t
struct HeuristicResult {
  uint64_t algorithm[8];
  size_t workspaceBytes;
  int state;
  float waves;
  int reserved[4];
};
} // namespace

#define HONE_CUBLAS_FUNCTIONS(X)                                               \
  X(int, cublasLtCreate, (void **))                                            \
  X(int, cublasLtDestroy, (void *))                                            \
  X(size_t, cublasLtGetVersion, ())                                            \
  X(const char *, cublasLtGetStatusString, (int))                              \
  X(int, cublasLtMatmulDescCreate, (void **, int, int))                        \
  X(int, cublasLtMatmulDescDestroy, (void *))                                  \
  X(int, cublasLtMatmulDescSetAttribute, (void *, int, const void *, size_t))  \
  X(int, cublasLtMatrixLayoutCreate,                                           \
    (void **, int, uint64_t, uint64_t, int64_t))                               \
  X(int, cublasLtMatrixLayoutDestroy, (void *))                                \
  X(int, cublasLtMatrixLayoutSetAttribute,                                     \
    (void *, int, const void *, size_t))                                       \
  X(int, cublasLtMatmulPreferenceCreate, (void **))                            \
  X(int, cublasLtMatmulPreferenceDestroy, (void *))                            \
  X(int, cublasLtMatmulPreferenceSetAttribute,                                 \
    (void *, int, const void *, size_t))                                       \
  X(int, cublasLtMatmulAlgoGetHeuristic,                                       \
    (void *, void *, void *, void *, void *, void *, void *, int, void *,      \
     int *))                                                                   \
  X(int, cublasLtMatmul,                                                       \
    (void *, void *, const void *, const void *, void *, const void *, void *, \
     const void *, const void *, void *, void *, void *, const void *, void *, \
     size_t, void *))

struct hone::CublasTable {
#define HONE_DECLARE(result, name, params) result(*name) params = nullptr;
  HONE_CUBLAS_FUNCTIONS(HONE_DECLARE)
#undef HONE_DECLARE

  Error find(void *library) {
#define HONE_FIND(result, name, params)                                        \
  name = reinterpret_cast<result(*) params>(dlsym(library, #name));            \
  if (!name)                                                                   \
    return llvm::createStringError(                                            \
        "expected cuBLASLt 11 or newer, but got a library without " #name);
    HONE_CUBLAS_FUNCTIONS(HONE_FIND)
#undef HONE_FIND
    return Error::success();
  }
  Error check(int status, const char *call) {
    if (status == 0)
      return Error::success();
    return llvm::createStringError(
        formatv("{0}: {1}", call, cublasLtGetStatusString(status)));
  }
};

#define HONE_TRY(call, ...)                                                    \
  if (Error error = table->check(table->call(__VA_ARGS__), #call))             \
  return llvm::Error(std::move(error))

CublasLt::CublasLt(Device &device)
    : device(device), table(std::make_unique<CublasTable>()) {}

CublasLt::~CublasLt() {
  if (handle)
    table->cublasLtDestroy(handle);
}

llvm::Expected<std::unique_ptr<CublasLt>> CublasLt::open(Device &device,
                                                         llvm::StringRef file) {
  void *library = openLibrary(file.str(), "libcublasLt");
  if (!library)
    return llvm::createStringError(
        formatv("expected cuBLASLt to compare with, but got: {0}; use "
                "--cublas=FILE",
                dlerror()));
  std::unique_ptr<CublasLt> result(new CublasLt(device));
  auto &table = result->table;
  if (Error error = table->find(library))
    return std::move(error);
  HONE_TRY(cublasLtCreate, &result->handle);
  result->version = table->cublasLtGetVersion();
  llvm::Expected<DeviceBuffer> workspace = device.allocate(kWorkspaceBytes);
  if (!workspace)
    return workspace.takeError();
  result->workspace = std::move(*workspace);
  return result;
}

//===----------------------------------------------------------------------===//
// One matmul
//===----------------------------------------------------------------------===//

namespace {
/// A matrix in the library's layout of columns: one stored in rows is
/// transposed.
struct Columns {
  ElementType type;
  int64_t rows, cols, lead;
  int64_t batch, stride; ///< 0 matrices: no batch
};
} // namespace

static Columns columnsOf(ElementType type, bool inRows, int64_t rows,
                         int64_t cols, int64_t lead, int64_t batch,
                         bool isShared) {
  Columns seen = {type, inRows ? cols : rows, inRows ? rows : cols, 0, batch,
                  0};
  seen.lead = lead ? lead : seen.rows;
  seen.stride = isShared ? 0 : seen.lead * seen.cols;
  return seen;
}

static Error addLayout(CublasTable *table, void *&layout, const Columns &seen) {
  HONE_TRY(cublasLtMatrixLayoutCreate, &layout, typeCode(seen.type), seen.rows,
           seen.cols, seen.lead);
  if (!seen.batch)
    return Error::success();
  int32_t count = seen.batch;
  HONE_TRY(cublasLtMatrixLayoutSetAttribute, layout, kBatchCount, &count,
           sizeof(count));
  HONE_TRY(cublasLtMatrixLayoutSetAttribute, layout, kBatchStride, &seen.stride,
           sizeof(seen.stride));
  return Error::success();
}

Error CublasMatmul::describe(const Problem &problem) {
  int32_t first = problem.b.order == Order::row ? kNotTransposed : kTransposed;
  int32_t second = problem.a.order == Order::row ? kNotTransposed : kTransposed;
  // The library has no mode between tf32 and f32: a problem that permits three
  // products is compared with exact ones. If only exact ones are permitted, no
  // library setting may reduce the precision.
  addsIntegers = isInteger(problem.acc);
  int compute = addsIntegers                         ? kCompute32I
                : problem.products == Products::tf32 ? kComputeTf32
                : isExactF32(problem)                ? kComputePedantic32F
                                                     : kCompute32F;
  HONE_TRY(cublasLtMatmulDescCreate, &desc, compute,
           typeCode(accumulatorOf(problem.a.type)));
  HONE_TRY(cublasLtMatmulDescSetAttribute, desc, kTransA, &first,
           sizeof(first));
  HONE_TRY(cublasLtMatmulDescSetAttribute, desc, kTransB, &second,
           sizeof(second));
  // A problem that permits only short blocks is compared with sums that the
  // library promotes.
  int8_t isFast = problem.products == Products::shortSums;
  if (sizeOf(problem.a.type) == 1 && !addsIntegers)
    HONE_TRY(cublasLtMatmulDescSetAttribute, desc, kFastAccum, &isFast,
             sizeof(isFast));
  return Error::success();
}

Error CublasMatmul::addLayouts(const Problem &problem, CublasLeads leads) {
  int64_t m = problem.m, n = problem.n, k = problem.k;
  int64_t batch = problem.batch.value_or(0);
  std::pair<void **, Columns> layouts[] = {
      {&layoutA, columnsOf(problem.a.type, problem.a.order == Order::row, m, k,
                           leads.a, batch, problem.a.shared)},
      {&layoutB, columnsOf(problem.b.type, problem.b.order == Order::row, k, n,
                           leads.b, batch, problem.b.shared)},
      {&layoutC, columnsOf(problem.c, /*inRows=*/true, m, n, leads.c, batch,
                           /*isShared=*/false)}};
  for (auto &[layout, seen] : layouts)
    if (Error error = addLayout(table, *layout, seen))
      return error;
  return Error::success();
}

Error CublasMatmul::findAlgorithms(int max) {
  void *preference = nullptr;
  HONE_TRY(cublasLtMatmulPreferenceCreate, &preference);
  table->cublasLtMatmulPreferenceSetAttribute(
      preference, kMaxWorkspace, &workspaceBytes, sizeof(workspaceBytes));
  std::vector<HeuristicResult> results(max);
  int count = 0;
  int status = table->cublasLtMatmulAlgoGetHeuristic(
      handle, desc, layoutB, layoutA, layoutC, layoutC, preference, max,
      results.data(), &count);
  table->cublasLtMatmulPreferenceDestroy(preference);
  if (Error error = table->check(status, "cublasLtMatmulAlgoGetHeuristic"))
    return error;
  for (const HeuristicResult &result :
       llvm::ArrayRef(results).take_front(count))
    if (result.state == 0)
      llvm::copy(result.algorithm, algorithms.emplace_back().data);
  if (algorithms.empty())
    return llvm::createStringError(
        "expected an algorithm of cuBLASLt, but got none");
  return Error::success();
}

llvm::Expected<std::unique_ptr<CublasMatmul>>
CublasLt::prepare(const Problem &problem, int max, CublasLeads leads,
                  std::optional<size_t> workspaceBytes) {
  if (!problem.isStatic() || problem.init != Init::zero ||
      !problem.epilogue.empty())
    return llvm::createStringError("expected a plain static problem");
  if (problem.convertsB())
    return llvm::createStringError(
        formatv("expected a and b of one size, which cuBLASLt multiplies, but "
                "got {0} and {1}",
                toString(problem.a.type), toString(problem.b.type)));
  auto matmul = std::make_unique<CublasMatmul>();
  matmul->table = table.get();
  matmul->device = &device;
  matmul->handle = handle;
  matmul->workspace = workspace.getAddress();
  matmul->workspaceBytes = workspaceBytes.value_or(kWorkspaceBytes);
  if (Error error = matmul->describe(problem))
    return std::move(error);
  if (Error error = matmul->addLayouts(problem, leads))
    return std::move(error);
  if (Error error = matmul->findAlgorithms(max))
    return std::move(error);
  return matmul;
}

CublasMatmul::~CublasMatmul() {
  for (void *layout : {layoutA, layoutB, layoutC})
    if (layout)
      table->cublasLtMatrixLayoutDestroy(layout);
  if (desc)
    table->cublasLtMatmulDescDestroy(desc);
}

Error CublasMatmul::run(uint64_t a, uint64_t b, uint64_t c, size_t candidate,
                        uint64_t residual) {
  auto pointer = [](uint64_t address) {
    return reinterpret_cast<void *>(address);
  };
  // Scaling factors have the type of the accumulator.
  const float floats[] = {residual ? 1.0f : 0.0f, 1};
  const int32_t integers[] = {residual ? 1 : 0, 1};
  const void *beta = addsIntegers ? static_cast<const void *>(integers)
                                  : static_cast<const void *>(floats);
  const void *one = addsIntegers ? static_cast<const void *>(integers + 1)
                                 : static_cast<const void *>(floats + 1);
  HONE_TRY(cublasLtMatmul, handle, desc, one, pointer(b), layoutB, pointer(a),
           layoutA, beta, pointer(residual ? residual : c), layoutC, pointer(c),
           layoutC, algorithms[candidate].data, pointer(workspace),
           workspaceBytes, device->getStream());
  return Error::success();
}

#undef HONE_TRY
#undef HONE_CUBLAS_FUNCTIONS
