//===- Windows.h - Windows of trials, and the pixels they read --*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of a convolution reads A through windows. Trials state M and K as
// for other kernels; here are windows that have so many positions, and so many
// steps of K, and the pixels that the copy engine visits.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_WINDOWS_H
#define HONE_LIB_SIMULATE_WINDOWS_H

#include "hone/Simulate/Simulate.h"

namespace hone::simulate {

struct MapValue;

/// True if the plan's A is read through windows.
bool readsWindows(const Subject &subject);

/// The windows of a trial: the stated ones or, for trials that prove a kernel,
/// as many as it has rows, with as many steps of K. `Trial::form` chooses among
/// steps, dilations, paddings and shapes.
WindowArguments windowOf(const Subject &subject, const Trial &trial);

/// Windows with these numbers of positions and taps, in rows and columns.
WindowArguments windowsOf(int64_t images, int64_t channels,
                          std::array<int64_t, 2> out,
                          std::array<int64_t, 2> filter, unsigned form);

/// The elements of K: the trial's, or those of its windows.
int64_t depthOf(const Subject &subject, const Trial &trial);

/// The pixels of one box of the copy engine: it goes from a start in steps to
/// the upper corner, then to the next row, and from the last row to the next
/// image.
class Pixels {
public:
  /// `start` and `offsets`: from the innermost dimension of pixels on.
  Pixels(const MapValue &map, llvm::ArrayRef<int64_t> start, int64_t image,
         llvm::ArrayRef<int64_t> offsets);
  /// Those of a kernel.load or kernel.prefetch, whose operands have these
  /// numbers.
  template <typename OpT>
  static Pixels of(OpT op, const MapValue &map,
                   llvm::function_ref<int64_t(mlir::Value)> number) {
    auto signedNumber = [&](mlir::Value value) {
      return int64_t(int32_t(number(value)));
    };
    llvm::SmallVector<int64_t> start = {signedNumber(op.getLine())};
    llvm::append_range(start, llvm::map_range(op.getBatches(), signedNumber));
    int64_t image = start.pop_back_val();
    return {map, start, image,
            llvm::map_to_vector(op.getOffsets(), signedNumber)};
  }

  /// Why the engine's result is undefined; nothing if it is not.
  std::string fault() const;
  /// The address of the pixel's first channel; nothing outside of the images.
  std::optional<int64_t> address() const;
  void advance();

private:
  int64_t last(size_t dim) const;

  const MapValue &map;
  llvm::SmallVector<int64_t, 3> at, offsets;
  int64_t image;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_WINDOWS_H
