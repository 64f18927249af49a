//===- Images.cpp - Image in memory of a problem's windows ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Images.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/Images.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;

std::optional<Window> hone::imageOf(const Problem &problem) {
  if (!problem.a.access || !problem.a.access->isStatic() ||
      !problem.isStatic() || problem.batch || problem.a.order != Order::row)
    return std::nullopt;
  std::optional<Window> image = problem.a.access->window();
  if (!image)
    return std::nullopt;
  for (Window::Side *side : {&image->h, &image->w})
    side->extent += std::min<int64_t>(*side->high(), 0);
  return image;
}

int64_t hone::elementsOf(const Window &image) {
  return (image.images - 1) * image.imagePitch +
         (image.h.extent - 1) * image.h.pitch +
         (image.w.extent - 1) * image.w.pitch + image.channels;
}

Problem hone::problemOfKernel(const Problem &problem) {
  return problem.hasMatrices() ? problem.open() : problem;
}

int64_t hone::lineStride(int64_t width, ElementType type, int64_t align) {
  return llvm::alignTo(width, std::max<int64_t>(align / sizeOf(type), 1));
}
