//===- PlanArguments.h - The arguments of a matmul's plan -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan lists its arguments by name. Compiled programs pass them from the
// memrefs of a matmul; code with matrices of its own describes them here, and
// gets the values for the plan's names:
//
// | name               | value                                                |
// |--------------------|------------------------------------------------------|
// | a, b, c, e0, ...   | addresses of the matrices, and of an epilogue's      |
// |                    | operands                                             |
// | m, n, k, batch     | extents; batch is all batches together               |
// | heads              | with two batches, the number of inner ones per outer |
// | lda, ldb, ldc      | elements from line to line                           |
// | sa, sb, sc         | elements from one (outer) batch to the next          |
// | ha, hb, hc         | elements from one inner batch to the next            |
// | e0b, e0h, e0m, e0n | distances of adjacent elements of an operand         |
// | segments, groups   | address and number of the ends of ragged rows; sb is |
// |                    | then from group to group                             |
// | index, ma          | address of the index of A's rows, and their number   |
// | images, channels,  | of the input and the filter of a convolution, and    |
// | taps               | for its columns (w) and rows (h):                    |
// | inw, outw, filterw | pixels of the input, of the result, of the filter    |
// | stepw, dilw, padw  | distance of adjacent windows, of adjacent taps, and  |
// |                    | of the first window to the first pixel               |
// | lda, ha, sa        | then: elements from pixel to pixel, row to row,      |
// |                    | image to image                                       |
// | others             | run-time decisions of the schedule                   |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_PLANARGUMENTS_H
#define HONE_RUNTIME_PLANARGUMENTS_H

#include "hone/Runtime/LaunchPlan.h"
#include <map>

namespace hone {

/// The windows through which a convolution reads A. Row (image, i, j) of A,
/// with the element (r, s, c) of K, is the pixel i * h.step + r * h.dilation -
/// h.pad, j * w.step + s * w.dilation - w.pad, or zero outside of the image.
struct WindowArguments {
  struct Side {
    int64_t in = 1, out = 1, filter = 1, step = 1, dilation = 1, pad = 0;
  };
  int64_t images = 1, channels = 1;
  Side h, w; ///< rows and columns

  int64_t rows() const { return images * h.out * w.out; }
  int64_t taps() const { return h.filter * w.filter; }
  /// Calls `visit` with the image, row and column of every pixel, inside of the
  /// image or not: window by window, tap by tap.
  template <typename Visit>
  void forPixels(Visit visit) const {
    for (int64_t at = 0; at < rows(); ++at)
      for (int64_t tap = 0; tap < taps(); ++tap)
        visit(at / w.out / h.out,
              at / w.out % h.out * h.step + tap / w.filter * h.dilation - h.pad,
              at % w.out * w.step + tap % w.filter * w.dilation - w.pad);
  }
};

class PlanArguments {
public:
  void set(const std::string &name, int64_t value) { values[name] = value; }
  void setExtents(int64_t m, int64_t n, int64_t k, int64_t batch,
                  int64_t heads = 1);
  /// Elements from one batch to the next; 0 if one matrix serves all.
  struct BatchStrides {
    int64_t outer = 0, inner = 0;
  };
  /// `name` is a, b or c.
  void setMatrix(const std::string &name, int64_t address, int64_t line,
                 BatchStrides batches);
  /// An operand of the epilogue, and the distances of its adjacent elements.
  void setOperand(size_t index, int64_t address, BatchStrides batches,
                  int64_t alongM, int64_t alongN);
  /// The ends of ragged rows.
  void setSegments(int64_t address, int64_t groups);
  /// The index of A's rows.
  void setIndex(int64_t address, int64_t rows);
  /// Also replaces `k`.
  void setWindow(const WindowArguments &window);
  bool has(const std::string &name) const { return values.count(name) != 0; }

  /// The values of the arguments of `plan`, in its order. Returns an empty
  /// string, or the error.
  std::string order(const LaunchPlan &plan,
                    std::vector<int64_t> &ordered) const;

private:
  std::map<std::string, int64_t> values;
};

/// The first alternative of a plan whose bound and guard hold; null if there is
/// none.
const PlanAlternative *chosenAlternative(const LaunchPlan &plan,
                                         const std::vector<int64_t> &ordered);

} // namespace hone

#endif // HONE_RUNTIME_PLANARGUMENTS_H
