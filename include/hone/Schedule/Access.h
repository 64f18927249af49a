//===- Access.h - Places of an operand's elements in memory -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product reads A[b, m, k]. An *access* says where that element lies: it
// splits each of the three indices into digits, and gives each digit a step in
// memory, in elements. A list holds digits from the outermost on, as
// extent*step.
//
//   A, 128 x 64, lines 80 apart             m[128*80] k[64*1]
//   the same, stored by columns             m[128*1] k[64*130]
//   8 heads of 64 side by side              b[8*64] m[128*512] k[64*1]
//   rows (i, j) of X[j, i, k]               m[4*64, 32*256] k[64*1]
//
// `?` is a number that is known at run time. The two simplest accesses have
// names of their own: `row` is m[?*?] k[?*1], and `col` is m[?*1] k[?*?].
//
// **Windows.** In a convolution a digit of m, the place of the window, and a
// digit of k, the place in the window, move along one dimension of an image:
//
//   A[(i, p, q), (r, s, c)] = X[i, 2p + r - 1, q + s - 1, c], zero outside
//
// Where no window reaches outside, digits have steps in memory as all others:
// they overlap, which is allowed. Otherwise the dimension is an *axis*, x, y or
// z. Digits then have steps along the axis, and the axis has a number of
// positions, their distance in memory, and the positions before the image:
//
//   X of 32x56x56x64: m[32*200704, 28*2x, 56*y] k[3*x, 3*y, 64*1]
//                     x[56*3584, low 1] y[56*64, low 1]
//
// An element at position p has p * distance added to its place. An element with
// a position below 0, or at the end of the axis or after it, is zero.
//
// **One text.** An access is canonical: digits of one value are dropped, digits
// that count on from each other are one (m[4*32, 32*1] is m[128*1]), an axis
// along which no window reaches outside becomes steps in memory, steps along an
// axis have no common factor with `low`, and an axis ends with the last
// position that a digit reaches. So two spellings of one function have one
// text, if each digit moves between two elements that are not zero, and no
// index moves twice along an axis. The order of digits is not free: it is the
// order in which m and k count.
//
// **Form.** A kernel is compiled for the *form* of an access: which digits
// there are, which of them have step 1, and which move along which axis.
// The numbers are arguments of its launch.
//
//   m[?*?, ?*?x, ?*?y] k[?*?x, ?*?y, ?*1] x[?*?, low ?] y[?*?, low ?]
//
// **Window.** `window()` reads an access as an image, for the copy engine: also
// one whose windows overlap without axes, whose numbers then only have to give
// the same places as the program's.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_ACCESS_H
#define HONE_SCHEDULE_ACCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hone {

/// A number that is unknown at compile time; printed as `?`.
constexpr int64_t kDynamic = -1;
/// The largest extent: kernels count in 32 bits.
constexpr int64_t kLargestExtent = INT32_MAX;

enum class Order { row, col };

/// An image that windows slide over. Numbers are `kDynamic` where they are
/// known at run time only.
///
///   A[(i, p, q), (r, s, c)] = X[i, p * h.step + r * h.dilation - h.low,
///                                  q * w.step + s * w.dilation - w.low, c]
///
/// X[i, y, x, c] is at i * imagePitch + y * h.pitch + x * w.pitch + c; a
/// windowed access may have batches besides (groups).
struct Window {
  /// A dimension of the image along which windows move.
  struct Side {
    int64_t extent = 1; ///< positions of the image (H, W)
    int64_t pitch = 0;  ///< elements from one position to the next
    int64_t count = 1;  ///< windows (P, Q)
    int64_t size = 1;   ///< elements of a window (R, S)
    int64_t step = 1, dilation = 1;
    int64_t low = 0; ///< positions of padding before the image

    /// Positions of padding after the image that windows reach; below 0 by the
    /// positions of the image that none reaches. Nothing if a number is
    /// unknown.
    std::optional<int64_t> high() const;
  };
  int64_t images = 1, imagePitch = 0;
  Side h, w;
  int64_t channels = 1; ///< contiguous
};

class OperandAccess {
public:
  /// A digit of an index.
  struct Digit {
    int64_t extent;
    int64_t step;  ///< in elements of memory, or in positions of the axis
    int axis = -1; ///< the axis along which it moves; -1: none

    bool operator==(const Digit &other) const {
      return extent == other.extent && step == other.step && axis == other.axis;
    }
  };
  /// A dimension that windows leave.
  struct Axis {
    int64_t extent; ///< positions
    int64_t pitch;  ///< elements from one position to the next
    int64_t low;    ///< positions before the first one

    bool operator==(const Axis &other) const {
      return extent == other.extent && pitch == other.pitch && low == other.low;
    }
  };
  using Digits = std::vector<Digit>;

  /// The access in its canonical form. Digits name axes by their index.
  OperandAccess(Digits batch, Digits lines, Digits sum,
                std::vector<Axis> axes = {});
  /// `row` and `col`, of unknown numbers.
  explicit OperandAccess(Order order);
  /// The access of a window; the inverse of `window`, but for other numbers
  /// that give the same places.
  explicit OperandAccess(const Window &window);

  llvm::ArrayRef<Digit> batch() const { return lists[0]; }
  /// Of m, or of n for a B.
  llvm::ArrayRef<Digit> lines() const { return lists[1]; }
  llvm::ArrayRef<Digit> sum() const { return lists[2]; }
  llvm::ArrayRef<Axis> axes() const { return moving; }

  /// The order of a matrix: the lines or the sum have step 1, and each of both
  /// is one digit. Nothing for any other access.
  std::optional<Order> order() const;
  /// The image of an access with one list of channels, and up to two
  /// dimensions along which windows move. Nothing for any other access.
  std::optional<Window> window() const;
  /// The access without its numbers.
  OperandAccess form() const;
  /// Number of values of b, m (or n) or k: `kDynamic` if it is unknown.
  int64_t batches() const { return extentOf(lists[0]); }
  int64_t lineCount() const { return extentOf(lists[1]); }
  int64_t sumCount() const { return extentOf(lists[2]); }
  /// True if every number is known.
  bool isStatic() const;

  /// The place of an element from the beginning of the operand, or nothing for
  /// an element that is zero. For static accesses.
  std::optional<int64_t> at(int64_t batch, int64_t line, int64_t sum) const;
  /// Elements from the beginning of the operand to the end of the last one that
  /// is read; nothing if a number is unknown.
  std::optional<int64_t> span() const;
  /// Different elements that are read, at most; nothing if a number is unknown.
  std::optional<double> elements() const;

  /// Why no product reads through this access; nothing if one may. Code that
  /// takes an access from untrusted numbers calls this first: after it, places
  /// fit 48 bits.
  std::optional<std::string> fault() const;

  /// The canonical text, with `lines` as the name of the second list.
  std::string str(char lines = 'm') const;
  /// Parses the output of `str`. Fails with a message in the house style.
  static llvm::Expected<OperandAccess> parse(llvm::StringRef text,
                                             char lines = 'm');

  bool operator==(const OperandAccess &other) const {
    return lists[0] == other.lists[0] && lists[1] == other.lists[1] &&
           lists[2] == other.lists[2] && moving == other.moving;
  }
  friend llvm::hash_code hash_value(const OperandAccess &access);

private:
  static int64_t extentOf(llvm::ArrayRef<Digit> digits);
  void canonicalize();
  void freeAxes();
  void reduceAxes();
  void nameAxes();
  Digits digitsOn(int axis) const;
  template <typename Action>
  void changeDigitsOn(int axis, Action action);

  Digits lists[3];
  std::vector<Axis> moving;
};

} // namespace hone

#endif // HONE_SCHEDULE_ACCESS_H
