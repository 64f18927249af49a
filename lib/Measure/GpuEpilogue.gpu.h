//===- GpuEpilogue.gpu.h - Epilogue as a kernel of its own ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second kernel of a program without fusion. Other kernels are compared
// with it, so it is as fast as memory allows: in place, 16 bytes per thread and
// step, the addends of a column in registers, and the cheapest functions
// accurate to 3e-7 of x.
//
// GpuKernels.gpu.cpp includes this file after its functions on elements.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_MEASURE_GPUEPILOGUE_GPU_H
#define HONE_LIB_MEASURE_GPUEPILOGUE_GPU_H

namespace {
/// 16 bytes.
struct alignas(16) Word {
  u32 part[4];
};
template <int type>
struct Numbers {
  static constexpr int kCount = type == kF32 ? 4 : 8;
  float values[kCount];
};
} // namespace

template <int type>
static Numbers<type> unpack(Word word) {
  Numbers<type> numbers;
  for (int i = 0; i < numbers.kCount; ++i) {
    u32 part = word.part[i * 4 / numbers.kCount];
    auto half = static_cast<unsigned short>(part >> (i % 2 * 16));
    numbers.values[i] = type == kF32 ? __builtin_bit_cast(float, part)
                        : type == kF16
                            ? float(__builtin_bit_cast(_Float16, half))
                            : __builtin_bit_cast(float, u32(half) << 16);
  }
  return numbers;
}

template <int type>
static Word pack(const Numbers<type> &numbers) {
  Word word = {};
  for (int i = 0; i < numbers.kCount; ++i)
    word.part[i * 4 / numbers.kCount] |= bitsOf(numbers.values[i], type)
                                         << (type == kF32 ? 0 : i % 2 * 16);
  return word;
}

/// e^x
static float exponential(float x) {
  return __nvvm_ex2_approx_ftz_f(x * 1.4426950409f);
}

/// x (1 + tanh u) / 2 is x / (1 + e^-2u).
static float geluTanh(float x) {
  float u = 0.79788456f * __builtin_fmaf(0.044715f * x * x, x, x);
  return x * __nvvm_rcp_approx_ftz_f(1 + exponential(-2 * u));
}

/// By Abramowitz and Stegun 7.1.26, accurate to 1.5e-7.
static float geluErf(float x) {
  float z = __builtin_fabsf(x) * 0.70710678f;
  float t = __nvvm_rcp_approx_ftz_f(__builtin_fmaf(0.3275911f, z, 1));
  float sum = 1.061405429f;
  constexpr float kRest[] = {-1.453152027f, 1.421413741f, -0.284496736f,
                             0.254829592f};
  for (float next : kRest)
    sum = __builtin_fmaf(sum, t, next);
  float tail = 0.5f * sum * t * exponential(-z * z); // (1 - erf z) / 2
  return x * (x < 0 ? tail : 1 - tail);
}

template <int type, int epilogue>
static Word apply(Word word, const Numbers<type> &added) {
  Numbers<type> numbers = unpack<type>(word);
  for (int i = 0; i < numbers.kCount; ++i) {
    float x = numbers.values[i] + added.values[i];
    numbers.values[i] = epilogue == kBiasRelu       ? (x < 0 ? 0 : x)
                        : epilogue == kBiasGeluErf  ? geluErf(x)
                        : epilogue == kBiasGeluTanh ? geluTanh(x)
                                                    : x;
  }
  return pack<type>(numbers);
}

/// Only threads that form whole rows take part, so each keeps its columns.
template <int type, int epilogue>
static void walkRows(const Elementwise &work) {
  constexpr int kTogether = epilogue == kResidual ? 2 : 4;
  i64 step = i64(stepOfIndex()) / work.words;
  i64 column = i64(firstIndex()) % work.words;
  i64 row = i64(firstIndex()) / work.words;
  if (row >= step)
    return;
  Word *c = static_cast<Word *>(work.c) + column;
  Numbers<type> added = {};
  if (epilogue != kResidual)
    for (int i = 0; i < added.kCount; ++i)
      added.values[i] =
          static_cast<const float *>(work.operand)[column * added.kCount + i];
  auto addedTo = [&](i64 at) {
    if (epilogue != kResidual)
      return added;
    auto residual = static_cast<const Word *>(work.operand) + column;
    return unpack<type>(residual[at * work.words]);
  };
  for (; row + (kTogether - 1) * step < work.rows; row += kTogether * step) {
    Word words[kTogether];
    // All loads are issued before the first is used.
#pragma clang loop unroll(full)
    for (int i = 0; i < kTogether; ++i)
      words[i] = c[(row + i * step) * work.words];
#pragma clang loop unroll(full)
    for (int i = 0; i < kTogether; ++i)
      c[(row + i * step) * work.words] =
          apply<type, epilogue>(words[i], addedTo(row + i * step));
  }
  for (; row < work.rows; row += step)
    c[row * work.words] =
        apply<type, epilogue>(c[row * work.words], addedTo(row));
}

template <int type>
static void walkRows(const Elementwise &work) {
  switch (work.epilogue) {
  case kBiasRelu:
    return walkRows<type, kBiasRelu>(work);
  case kBiasGeluErf:
    return walkRows<type, kBiasGeluErf>(work);
  case kBiasGeluTanh:
    return walkRows<type, kBiasGeluTanh>(work);
  default:
    return walkRows<type, kResidual>(work);
  }
}

#endif // HONE_LIB_MEASURE_GPUEPILOGUE_GPU_H
