//===- HostContestants.cpp - Entrants of hone bench host ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenBLAS is opened at run time, so neither building nor running needs it. It
// selects its kernels by the CPU's name, and an old version does not recognise
// a new CPU, so the table has the name of the kernels.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/HostContestants.h"
#include "dialects/Hone/Hone.h"
#include "hone/Jit/Jit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/Build/Host/BuildHost.h"
#include "llvm/Support/FormatVariadic.h"
#include <dlfcn.h>

using namespace hone;
using llvm::formatv;

/// A matmul with unknown extents, so that one compilation serves every size.
static std::string moduleText(const Host &knobs) {
  return formatv(R"(
    func.func @matmul(%a: memref<?x?xf32>, %b: memref<?x?xf32>,
                      %c: memref<?x?xf32>) {{
      hone.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>)
                  outs(%c : memref<?x?xf32>) init(zero) acc(f32)
                  arch(#hone.arch<host>) schedule(#hone.schedule<{0}>)
      return
    })",
                 toString(Schedule(knobs)));
}

llvm::Expected<Contestant> hone::compileHost(const Host &knobs) {
  using namespace mlir;
  MLIRContext context;
  context.loadDialect<HoneDialect, arith::ArithDialect, func::FuncDialect,
                      memref::MemRefDialect, scf::SCFDialect,
                      vector::VectorDialect>();
  auto module = parseSourceString<ModuleOp>(moduleText(knobs), &context);
  if (!module)
    return llvm::createStringError("expected a module that parses");
  SmallVector<MatmulOp> ops;
  module->walk([&](MatmulOp op) { ops.push_back(op); });
  IRRewriter rewriter(&context);
  for (MatmulOp op : ops)
    if (failed(buildHostKernel(rewriter, op, knobs, /*fallback=*/false)))
      return llvm::createStringError("expected a schedule that builds");

  auto jit = Jit::create(*module);
  if (!jit)
    return jit.takeError();
  auto function = (*jit)->lookup("matmul");
  if (!function)
    return function.takeError();
  auto run = [jit = std::shared_ptr<Jit>(std::move(*jit)),
              function = *function](int64_t n, float *a, float *b, float *c) {
    JitArguments arguments;
    for (float *matrix : {a, b, c})
      arguments.addMemRef(matrix, {n, n});
    function(arguments.get().data());
  };
  return Contestant{toString(Schedule(knobs)), run, {}};
}

std::optional<Contestant> hone::openBlas(const std::string &file) {
  using Sgemm = void(int, int, int, int, int, int, float, const float *, int,
                     const float *, int, float, float *, int);
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto *sgemm = library
                    ? reinterpret_cast<Sgemm *>(dlsym(library, "cblas_sgemm"))
                    : nullptr;
  if (!sgemm)
    return std::nullopt;
  if (auto *set = reinterpret_cast<void (*)(int)>(
          dlsym(library, "openblas_set_num_threads")))
    set(1);
  std::string name = "openblas";
  if (auto *core = reinterpret_cast<char *(*)()>(
          dlsym(library, "openblas_get_corename")))
    name += formatv(" ({0} kernels)", core()).str();
  auto run = [sgemm](int64_t n, float *a, float *b, float *c) {
    constexpr int kRowMajor = 101, kNoTranspose = 111;
    sgemm(kRowMajor, kNoTranspose, kNoTranspose, n, n, n, 1, a, n, b, n, 0, c,
          n);
  };
  return Contestant{name, run, {}};
}
