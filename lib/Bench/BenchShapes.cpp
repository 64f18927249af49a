//===- BenchShapes.cpp - Shapes to time -----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists, files, the grid and samples of them.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/BenchShapes.h"
#include "hone/Schedule/Spelling.h"
#include "hone/Text/File.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LineIterator.h"
#include <tuple>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

std::string hone::toString(const Extents &shape) {
  return formatv("{0}x{1}x{2}", shape[0], shape[1], shape[2]);
}

Problem BenchShape::in(Problem form) const {
  if (convolution)
    return convolution->in(form);
  auto [m, n, k] = extents;
  form.batch = batch;
  return withExtents(form, m, n, k);
}

static llvm::Expected<BenchShape> parseShape(StringRef text) {
  if (text.trim().starts_with(kConvolution)) {
    auto convolution = Convolution::parse(text.trim());
    if (!convolution)
      return convolution.takeError();
    Problem problem = convolution->in(Problem());
    return BenchShape{
        {problem.m, problem.n, problem.k}, std::nullopt, *convolution};
  }
  llvm::SmallVector<StringRef> parts;
  auto [count, product] = text.trim().split('*');
  BenchShape shape;
  bool isBatch = text.contains('*');
  bool good = !isBatch || (!count.getAsInteger(10, shape.batch.emplace()) &&
                           *shape.batch > 0);
  (isBatch ? product : count).split(parts, 'x');
  good = good && parts.size() == 3;
  for (size_t i = 0; good && i < 3; ++i)
    good = !parts[i].getAsInteger(10, shape.extents[i]) && shape.extents[i] > 0;
  if (!good)
    return llvm::createStringError(
        formatv("expected a shape, but got '{0}'; use e.g. 512x512x512, or "
                "16*512x512x64 for a batch",
                text));
  if (std::optional<std::string> fault = shape.in(Problem()).fault())
    return llvm::createStringError(formatv("'{0}': {1}", text, *fault));
  return shape;
}

static llvm::Error addShapes(StringRef list, std::vector<BenchShape> &shapes) {
  for (StringRef part : llvm::split(list, ',')) {
    llvm::Expected<BenchShape> shape = parseShape(part);
    if (!shape)
      return shape.takeError();
    shapes.push_back(*shape);
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<BenchShape>> hone::parseShapes(StringRef text) {
  std::vector<BenchShape> shapes;
  StringRef path = text;
  if (!path.consume_front("@")) {
    if (llvm::Error error = addShapes(text, shapes))
      return std::move(error);
    return shapes;
  }
  constexpr uint64_t kMaxBytes = 64 * kMiB;
  auto buffer = readFile(path, {"a file of shapes", kMaxBytes});
  if (!buffer)
    return buffer.takeError();
  for (llvm::line_iterator line(**buffer, /*SkipBlanks=*/true, '#');
       !line.is_at_eof(); ++line)
    if (!line->trim().empty())
      if (llvm::Error error = addShapes(*line, shapes))
        return std::move(error);
  return shapes;
}

llvm::Expected<std::vector<Extents>> hone::shapeGrid(StringRef size) {
  if (size != "1000")
    return llvm::createStringError(
        formatv("expected a grid of 1000 shapes, but got '{0}'; use "
                "--grid=1000, and --sample for a part of it",
                size));
  constexpr int64_t kExtents[] = {64,   128,  256,  512,   1024,
                                  2048, 4096, 8192, 12288, 16384};
  std::vector<Extents> shapes;
  for (int64_t m : kExtents)
    for (int64_t n : kExtents)
      for (int64_t k : kExtents)
        shapes.push_back({m, n, k});
  // Sorted by work, then by m, n, k.
  auto key = [](const Extents &shape) {
    return std::tuple(shape[0] * shape[1] * shape[2], shape);
  };
  llvm::sort(shapes, [&](const Extents &first, const Extents &second) {
    return key(first) < key(second);
  });
  return shapes;
}

llvm::Expected<std::vector<size_t>> hone::sampleOf(StringRef text,
                                                   size_t count) {
  std::vector<size_t> sample;
  if (text.empty())
    text = "1:1";
  auto [startText, stepText] = text.split(':');
  size_t start, step;
  if (startText.getAsInteger(10, start) || stepText.getAsInteger(10, step) ||
      start == 0 || step == 0)
    return llvm::createStringError(
        formatv("expected START:STEP, counted from 1, but got '{0}'; use e.g. "
                "6:8",
                text));
  for (size_t at = start - 1; at < count; at += step)
    sample.push_back(at);
  return sample;
}
