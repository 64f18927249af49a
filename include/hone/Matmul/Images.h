//===- Images.h - Image in memory of a problem's windows --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs and data that are made of a problem's text agree on the layout of
// its operands: matrices have lines without gaps beyond those that their
// alignment needs, and windows have the image of their access.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MATMUL_IMAGES_H
#define HONE_MATMUL_IMAGES_H

#include "hone/Schedule/Problem.h"

namespace hone {

/// The image that A reads windows of, without positions after the last one that
/// is read. Nothing if A is a matrix, a number is unknown, or the windows are
/// not those of an image.
std::optional<Window> imageOf(const Problem &problem);
/// Elements from the beginning of an image to the end of its last channel.
int64_t elementsOf(const Window &image);

/// The problem that a kernel is compiled for: without extents, or this one if A
/// reads windows, because laws bound their numbers.
Problem problemOfKernel(const Problem &problem);

/// Elements from one line of `width` elements to the next, so that lines start
/// at multiples of `align` bytes.
int64_t lineStride(int64_t width, ElementType type, int64_t align);

} // namespace hone

#endif // HONE_MATMUL_IMAGES_H
