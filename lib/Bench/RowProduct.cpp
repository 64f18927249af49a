//===- RowProduct.cpp - A product of any number of rows -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RowProduct.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/RowProduct.h"
#include "hone/Driver/Compile.h"
#include "hone/Numerics/Tolerance.h"
#include "hone/Plugin/Sources.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace hone;
using llvm::Error;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

static std::string moduleOf(const Problem &problem) {
  bool inCols = problem.b.order == Order::col;
  std::string a =
      formatv("memref<?x{0}x{1}>", problem.k, toString(problem.a.type));
  std::string b =
      formatv("memref<{0}x{1}x{2}>", inCols ? problem.n : problem.k,
              inCols ? problem.k : problem.n, toString(problem.b.type));
  std::string c = formatv("memref<?x{0}x{1}>", problem.n, toString(problem.c));
  std::string products =
      problem.products == Products::exact
          ? ""
          : formatv(" products({0})", toString(problem.products)).str();
  return formatv("func.func @product(%a: {0}, %b: {1}, %c: {2}) {{\n"
                 "  hone.matmul ins(%a, {3}%b : {0}, {1}) outs(%c : {2}) "
                 "init(zero) acc({4}){5} numbers({6})\n  return\n}\n",
                 a, b, c, inCols ? "col " : "", toString(problem.acc), products,
                 problem.numbers.str());
}

llvm::Expected<std::unique_ptr<RowProduct>>
RowProduct::compile(mlir::MLIRContext &context, const Problem &problem,
                    const RowProductOptions &options) {
  auto module = parseModule(context, moduleOf(problem));
  if (!module)
    return module.takeError();
  PipelineOptions pipeline;
  pipeline.arch = options.arch;
  pipeline.schedule = PinnedSchedule::parse(options.schedule);
  pipeline.database = options.database;
  if (options.ranges)
    pipeline.ranges = options.ranges;
  auto target =
      options.standIn ? Program::Target::standIn : Program::Target::device;
  auto product = std::make_unique<RowProduct>();
  product->problem = problem;
  if (Error error = Program::compile(**module, pipeline, openSources, target,
                                     runtimeSymbols())
                        .moveInto(product->program))
    return std::move(error);
  if (options.standIn)
    product->operands = product->program->standInMemory(/*isOnHost=*/false);
  else if (Error error = Memory::device().moveInto(product->operands))
    return std::move(error);
  return product;
}

Error RowProduct::enqueue(int64_t m, void *a, void *b, void *c) {
  JitArguments arguments;
  arguments.addMemRef(a, {m, problem.k});
  if (problem.b.order == Order::col)
    arguments.addMemRef(b, {problem.n, problem.k});
  else
    arguments.addMemRef(b, {problem.k, problem.n});
  arguments.addMemRef(c, {m, problem.n});
  return program->getJit().invoke("product", arguments);
}

Error RowProduct::run(int64_t m, void *a, void *b, void *c) {
  if (Error error = enqueue(m, a, b, c))
    return error;
  return operands->finish();
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

llvm::Expected<OperandMemory> OperandMemory::allocate(Memory &memory,
                                                      size_t bytes) {
  auto pointer = memory.allocate(bytes);
  if (!pointer)
    return pointer.takeError();
  return OperandMemory(memory, *pointer);
}

/// A generator whose numbers are the same everywhere.
static uint64_t drawBits(uint64_t &state) {
  state += 0x9e3779b97f4a7c15;
  uint64_t bits = state;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

/// Sums of twelve uniform numbers: no function whose last bit differs between
/// libraries.
static double drawNormal(uint64_t &state) {
  double sum = -6;
  for (int i = 0; i < 12; ++i)
    sum += double(drawBits(state) >> 11) * 0x1p-53;
  return sum;
}

std::vector<uint8_t> hone::drawElements(ElementType type, size_t count,
                                        uint64_t seed) {
  constexpr size_t kDrawn = 1 << 16;
  size_t size = sizeOf(type);
  uint64_t state = seed;
  std::vector<uint8_t> drawn(kDrawn * size), data(count * size);
  for (size_t i = 0; i < kDrawn; ++i)
    storeElement(type, drawn.data(), int64_t(i),
                 drawNormal(state) * deviationOf(type));
  for (size_t i = 0; i < count;) {
    uint64_t bits = drawBits(state);
    for (int part = 0; part < 4 && i < count; ++part, ++i, bits >>= 16)
      std::memcpy(&data[i * size], &drawn[bits % kDrawn * size], size);
  }
  return data;
}
