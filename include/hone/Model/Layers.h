//===- Layers.h - Parameters and functions of a network ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The place of each parameter in the vector, and math functions with the same
// results on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MODEL_LAYERS_H
#define HONE_MODEL_LAYERS_H

#include "hone/Model/Network.h"
#include "llvm/ADT/bit.h"
#include <type_traits>

namespace hone::detail {

/// The vector's pieces as matrices; of `const float` or of `float`.
template <typename FloatT>
struct Parts {
  using Map = Eigen::Map<
      std::conditional_t<std::is_const_v<FloatT>, const Matrix, Matrix>>;
  struct Block {
    Map gainA, biasA, query, key, value, out;
    Map gainB, biasB, up, upBias, down, downBias;
  };

  Map input, inputBias, standing, nothing;
  std::vector<Block> blocks;
  Map gain, bias, last, lastBias;
  FloatT *end; ///< end of the last piece

  Parts(const NetworkShape &shape, FloatT *data) : Parts(shape, Cut{data}) {}

private:
  /// Hands out consecutive pieces.
  struct Cut {
    FloatT *next;
    Map operator()(int64_t rows, int64_t cols) {
      FloatT *here = next;
      next += rows * cols;
      return {here, rows, cols};
    }
  };

  // Initialization follows the order of the members and the braces.
  Parts(const NetworkShape &shape, Cut cut)
      : input(cut(shape.inputs, shape.width)), inputBias(cut(1, shape.width)),
        standing(cut(kStandings, shape.width)), nothing(cut(1, shape.width)),
        blocks(cutBlocks(shape, cut)), gain(cut(1, shape.width)),
        bias(cut(1, shape.width)), last(cut(shape.width, 1)),
        lastBias(cut(1, 1)), end(cut.next) {}

  static std::vector<Block> cutBlocks(const NetworkShape &shape, Cut &cut) {
    int64_t d = shape.width, h = shape.hidden;
    std::vector<Block> blocks;
    for (int64_t block = 0; block < shape.blocks; ++block)
      blocks.push_back(Block{cut(1, d), cut(1, d), cut(d, d), cut(d, d),
                             cut(d, d), cut(d, d), cut(1, d), cut(1, d),
                             cut(d, h), cut(1, h), cut(h, d), cut(1, d)});
    return blocks;
  }
};

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// e to a power, with an error of 2e-7. The C library's results differ between
/// machines.
inline float expOf(float value) {
  constexpr float kLog2E = 1.44269504f, kLn2High = 0.693359375f,
                  kLn2Low = -2.12194440e-4f;
  // In this order a NaN becomes a number.
  value = std::min(std::max(-87.0f, value), 88.0f);
  float whole = std::floor(value * kLog2E + 0.5f);
  float x = value - whole * kLn2High - whole * kLn2Low;
  float sum = 1.9875691e-4f;
  for (float factor : {1.3981999e-3f, 8.3334519e-3f, 4.1665796e-2f,
                       1.6666665e-1f, 5.0000001e-1f})
    sum = sum * x + factor;
  sum = sum * x * x + x + 1.0f;
  // A power of two is built from its exponent, -126 to 127 after the clamp.
  return sum * llvm::bit_cast<float>((int32_t(whole) + 127) << 23);
}

inline float sigmoidOf(float value) { return 1.0f / (1.0f + expOf(-value)); }

} // namespace hone::detail

#endif // HONE_MODEL_LAYERS_H
