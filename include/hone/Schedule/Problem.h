//===- Problem.h - What a matmul asks for -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Problem is one matmul-like operation, canonically. Two operations that have
// the same Problem can use the same tuned schedule; two that differ in it can
// not. It says nothing about *how* the operation runs: that is a Schedule.
//
//   C[b, m, n] = epilogue(init + sum over k of A[b, m, k] * B[b, k, n])
//
// Its canonical text is the key of the database, so it has one spelling:
//
//   m = 128, n = ?, k = 64, a = f16:row:16, b = f16:col:16, acc = f32,
//   c = f16:16, init = zero, epilogue = "addf(acc, n:f32)"
//
// | field   | meaning                                                         |
// |---------|-----------------------------------------------------------------|
// | batch   | number of independent products; absent for a plain matmul       |
// | m, n, k | extents; `?` where the program does not know them               |
// | a, b    | element type, storage order, alignment of every row start in    |
// |         | bytes, and `:shared` where one matrix serves the whole batch    |
// | acc     | type of the running sum; never narrower than the program's      |
// | c       | element type and alignment of the result, always stored in rows |
// | init    | `zero`, or `read`: the destination's old value is added         |
// | epilogue| elementwise function applied to each sum before it is stored:   |
// |         | EpilogueFunction.h                                              |
//
// Storage order is named by what is contiguous in memory:
//
//   |         | `row`                        | `col`                         |
//   | A (MxK) | K contiguous (BLAS "n")      | M contiguous (BLAS "t")       |
//   | B (KxN) | N contiguous (BLAS "n")      | K contiguous (BLAS "t")       |
//
// A result stored in columns is not a case of its own: C^T = B^T * A^T.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_PROBLEM_H
#define HONE_SCHEDULE_PROBLEM_H

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace hone {

/// An extent the program does not know; spelled `?`.
constexpr int64_t kDynamic = -1;
/// The largest of an extent: kernels count in 32 bits.
constexpr int64_t kLargestExtent = INT32_MAX;
/// The largest of a matrix, in bytes: an address has 47 bits.
constexpr int64_t kMostMatrixBytes = int64_t(1) << 47;
/// The most multiplications of a problem: weeks of the fastest chip.
constexpr int64_t kMostProducts = int64_t(1) << 62;

/// The best alignment that a problem can state, in bytes: no kernel gains by
/// more.
constexpr int64_t kBestAlign = 16;

enum class ElementType { f16, bf16, f32 };
enum class Order { row, col };
enum class Init { zero, read };

llvm::StringRef toString(ElementType type);
llvm::StringRef toString(Order order);
std::optional<ElementType> parseElementType(llvm::StringRef text);
/// Size of one element in bytes.
int64_t sizeOf(ElementType type);

/// One input matrix as it lies in memory.
struct Operand {
  ElementType type = ElementType::f16;
  Order order = Order::row;
  /// Largest power of two (at most kBestAlign) that divides the byte address of every
  /// row start, counted from an equally aligned base. The base pointer itself
  /// is checked at the launch site.
  int64_t align = kBestAlign;
  /// In a batched problem: one matrix serves every batch index.
  bool shared = false;

  bool operator==(const Operand &other) const;
};

struct Problem {
  std::optional<int64_t> batch;
  int64_t m = kDynamic, n = kDynamic, k = kDynamic;
  Operand a, b;
  ElementType acc = ElementType::f32;
  ElementType c = ElementType::f16;
  int64_t alignC = kBestAlign;
  Init init = Init::zero;
  /// Canonical text of the epilogue; empty where the sum is stored as it is.
  std::string epilogue;

  /// The canonical text, without a surrounding bracket.
  std::string str() const;
  /// Reads what `str` prints. Fails with a message in the house style.
  static llvm::Expected<Problem> parse(llvm::StringRef text);

  /// The problem without its extents: what a kernel that takes them at run time
  /// is built for. With `align` as if every row started at a multiple of so many
  /// bytes, or of an element's if that is larger.
  Problem open(int64_t align = 0) const;

  /// The problem as older hones knew it, which a database may hold: of an
  /// epilogue of more than 300 characters the beginning and a hash.
  Problem abbreviated() const;
  /// True if no more than that is known of the epilogue.
  bool isAbbreviated() const;

  /// Why this is no problem that any machine has memory and time for; nothing
  /// if it is one. Whatever makes a Problem of numbers that nobody vouches for
  /// asks this before anything else: behind it, sizes of matrices in bytes,
  /// strides, tiles and steps are numbers of 64 bits, and none is 0.
  std::optional<std::string> fault() const;

  /// True if m, n, k and batch are all known.
  bool isStatic() const;
  /// 2 * batch * m * n * k, or nothing where an extent is unknown.
  std::optional<double> flops() const;
  /// Bytes that must cross the memory bus at least once.
  std::optional<double> bytes() const;

  bool operator==(const Problem &other) const { return str() == other.str(); }
  friend llvm::hash_code hash_value(const Problem &problem) {
    return llvm::hash_value(problem.str());
  }
};

} // namespace hone

#endif // HONE_SCHEDULE_PROBLEM_H
