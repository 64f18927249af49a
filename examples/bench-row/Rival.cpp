//===- Rival.cpp - The same product by cuBLASLt ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLASLt stores matrices by columns. Our C by rows is C^T by columns, so the
// call computes C^T = B^T * A^T: its first operand is our B.
//
//===----------------------------------------------------------------------===//

#include "Rival.h"
#include "Cuda.h"
#include <dlfcn.h>

using namespace example;

// Enumerators of cublasLt.h and library_types.h, by value.
static constexpr int kCompute32F = 68, kR32F = 0, kR16F = 2;
static constexpr int kTransA = 3, kMaxWorkspace = 1;
static constexpr size_t kWorkspaceBytes = size_t(32) << 20;

template <typename... Args>
static int tryCall(void *library, const char *name, Args... args) {
  void *function = dlsym(library, name);
  if (!function)
    fail("expected cuBLASLt, but got a library without %s", name);
  return reinterpret_cast<int (*)(Args...)>(function)(args...);
}

template <typename... Args>
static void call(void *library, const char *name, Args... args) {
  if (int status = tryCall(library, name, args...))
    fail("%s: cuBLAS status %d", name, status);
}

static void *openLibrary(const std::string &file) {
  if (!file.empty())
    return dlopen(file.c_str(), RTLD_NOW);
  for (const char *name : {"libcublasLt.so.13", "libcublasLt.so.12",
                           "/usr/local/cuda/lib64/libcublasLt.so"})
    if (void *library = dlopen(name, RTLD_NOW))
      return library;
  return nullptr;
}

std::unique_ptr<Rival> Rival::open(const std::string &file,
                                   const Product &product, void *stream) {
  constexpr int kMax = 100;
  void *library = openLibrary(file);
  if (!library) {
    std::fprintf(stderr, "skipped cuBLASLt: %s\n", dlerror());
    return nullptr;
  }
  std::unique_ptr<Rival> rival(new Rival);
  rival->library = library;
  rival->stream = stream;
  if (honeAlloc(&rival->workspace, kWorkspaceBytes) != HONE_OK)
    fail("%s", honeLastError());
  auto m = uint64_t(product.m), n = uint64_t(product.n),
       k = uint64_t(product.k);
  int32_t isTransposed = product.isNt;
  call(library, "cublasLtCreate", &rival->handle);
  call(library, "cublasLtMatmulDescCreate", &rival->description, kCompute32F,
       kR32F);
  call(library, "cublasLtMatmulDescSetAttribute", rival->description, kTransA,
       &isTransposed, sizeof isTransposed);
  auto layout = [&](void **to, uint64_t rows, uint64_t cols) {
    call(library, "cublasLtMatrixLayoutCreate", to, kR16F, rows, cols,
         int64_t(rows));
  };
  layout(&rival->layoutA, k, m);
  layout(&rival->layoutB, product.isNt ? k : n, product.isNt ? n : k);
  layout(&rival->layoutC, n, m);
  void *preference = nullptr;
  call(library, "cublasLtMatmulPreferenceCreate", &preference);
  call(library, "cublasLtMatmulPreferenceSetAttribute", preference,
       kMaxWorkspace, &kWorkspaceBytes, sizeof kWorkspaceBytes);
  std::vector<Answer> answers(kMax);
  int count = 0;
  call(library, "cublasLtMatmulAlgoGetHeuristic", rival->handle,
       rival->description, rival->layoutB, rival->layoutA, rival->layoutC,
       rival->layoutC, preference, kMax, answers.data(), &count);
  for (int i = 0; i < count; ++i)
    if (answers[i].state == 0)
      rival->found.push_back(answers[i]);
  return rival;
}

bool Rival::launch(const void *a, const void *b, void *c, int algorithm) {
  const float one = 1, zero = 0;
  const uint64_t *how = found[algorithm].algorithm;
  return tryCall(library, "cublasLtMatmul", handle, description, &one, b,
                 layoutB, a, layoutA, &zero, c, layoutC, c, layoutC, how,
                 workspace, kWorkspaceBytes, stream) == 0;
}
