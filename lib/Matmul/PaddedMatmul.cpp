//===- PaddedMatmul.cpp - Vendor library on padded copies -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One set of copies serves all sets of inputs: they are written again before
// every product, as in a program.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/PaddedMatmul.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;

/// Lines and extents are multiples of so many elements: 16 bytes and more.
static constexpr int64_t kMultiple = 8;

//===----------------------------------------------------------------------===//
// Copied operands
//===----------------------------------------------------------------------===//

/// The number of 16-bit halves in an element.
static int64_t halvesOf(ElementType type) { return sizeOf(type) / 2; }

Error PaddedMatmul::addOperands(const Problem &problem) {
  constexpr int64_t kWordBytes = 16;
  auto add = [&](size_t at, ElementType type, bool inRows, int64_t rows,
                 int64_t cols) {
    int64_t lines = inRows ? rows : cols, length = inRows ? cols : rows;
    operands[at] = {"ABC" [at], lines, length * halvesOf(type), 0, {}};
    if (length * sizeOf(type) % kWordBytes != 0)
      operands[at].lead = llvm::alignTo(length, kMultiple) * halvesOf(type);
  };
  add(0, problem.a.type, problem.a.order == Order::row, problem.m, problem.k);
  add(1, problem.b.type, problem.b.order == Order::row, problem.k, problem.n);
  add(2, problem.c, /*inRows=*/true, problem.m, problem.n);
  if (llvm::any_of(operands, [](const Operand &each) { return each.lead; }))
    return Error::success();
  return llvm::createStringError(
      "skipped copies: all lines are multiples of 16 bytes");
}

/// Rounds an extent up only if both operands with it are copies, which have
/// padding.
Problem PaddedMatmul::rounded(const Problem &problem) const {
  bool a = operands[0].lead, b = operands[1].lead, c = operands[2].lead;
  Problem result = problem;
  if (a && c)
    result.m = llvm::alignTo(problem.m, kMultiple);
  if (b && c)
    result.n = llvm::alignTo(problem.n, kMultiple);
  if (a && b)
    result.k = llvm::alignTo(problem.k, kMultiple);
  return result;
}

/// Zeroes all copies, because the copy kernel does not write the padding lines.
Error PaddedMatmul::allocate() {
  for (Operand &operand : operands) {
    if (!operand.lead)
      continue;
    size_t lines = llvm::alignTo(operand.rows, kMultiple);
    auto buffer =
        device.allocate(lines * operand.lead * sizeof(gpucheck::Half));
    if (!buffer)
      return buffer.takeError();
    operand.copy = std::move(*buffer);
    if (Error error =
            device.fill(operand.copy.getAddress(), 0, operand.copy.size()))
      return error;
  }
  return Error::success();
}

llvm::Expected<std::unique_ptr<PaddedMatmul>>
PaddedMatmul::create(Device &device, CublasLt &library, const Problem &problem,
                     int max) {
  if (problem.batch)
    return llvm::createStringError("skipped copies: the problem is a batch");
  std::unique_ptr<PaddedMatmul> padded(new PaddedMatmul(device));
  auto kernel = device.findKernel("hone_copy_lines");
  if (!kernel)
    return kernel.takeError();
  padded->copyKernel = *kernel;
  if (Error error = padded->addOperands(problem))
    return std::move(error);
  if (Error error = padded->allocate())
    return std::move(error);
  Problem rounded = padded->rounded(problem);
  auto leadOf = [&](size_t at, ElementType type) {
    return padded->operands[at].lead / halvesOf(type);
  };
  CublasLeads leads = {leadOf(0, problem.a.type), leadOf(1, problem.b.type),
                       leadOf(2, problem.c)};
  bool isRounded = rounded.m != problem.m || rounded.n != problem.n ||
                   rounded.k != problem.k;
  std::vector<Problem> ways = {problem};
  if (isRounded)
    ways.push_back(rounded);
  for (const Problem &each : ways) {
    auto product = library.prepare(each, max, leads);
    if (!product)
      return product.takeError();
    padded->products.push_back(std::move(*product));
  }
  return padded;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

size_t PaddedMatmul::candidates() const {
  size_t count = 0;
  for (const auto &product : products)
    count += product->candidates();
  return count;
}

Error PaddedMatmul::copyLines(gpucheck::Lines lines) {
  constexpr int64_t kThreads = 256, kBlocks = 8;
  int64_t words =
      llvm::divideCeil(lines.rows * lines.toLead, gpucheck::kHalves);
  DeviceLaunch launch;
  launch.function = copyKernel;
  launch.block = kThreads;
  launch.grid = static_cast<uint32_t>(std::min<int64_t>(
      llvm::divideCeil(words, kThreads), kBlocks * device.getProcessors()));
  void *params[] = {&lines};
  launch.params = params;
  return device.launch(launch);
}

Error PaddedMatmul::run(uint64_t a, uint64_t b, uint64_t c, size_t candidate) {
  auto at = [](uint64_t address) {
    return reinterpret_cast<gpucheck::Half *>(address);
  };
  uint64_t addresses[] = {a, b, c};
  uint64_t used[3];
  for (auto [operand, given, place] :
       llvm::zip_equal(operands, addresses, used)) {
    place = operand.lead ? operand.copy.getAddress() : given;
    if (!operand.lead || operand.name == 'C')
      continue;
    if (Error error = copyLines({at(place), at(given), operand.rows,
                                 operand.cols, operand.lead, operand.cols}))
      return error;
  }
  size_t index = candidate;
  auto product = products.begin();
  for (; index >= (*product)->candidates(); ++product)
    index -= (*product)->candidates();
  if (Error error = (*product)->run(used[0], used[1], used[2], index))
    return error;
  const Operand &result = operands[2];
  if (!result.lead)
    return Error::success();
  return copyLines(
      {at(c), at(used[2]), result.rows, result.cols, result.cols, result.lead});
}

std::string PaddedMatmul::describe(size_t candidate) const {
  std::vector<std::string> copied;
  for (const Operand &operand : operands)
    if (operand.lead)
      copied.push_back(std::string(1, operand.name));
  return formatv("copies of {0}; algorithm {1} of {2}",
                 llvm::join(copied, " and "), candidate + 1, candidates());
}
