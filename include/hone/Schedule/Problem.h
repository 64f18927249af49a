//===- Problem.h - The computation of a matmul ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Problem is the canonical form of one matmul-like operation. Two operations
// with the same Problem can use the same tuned schedule; two operations that
// differ in it cannot. *How* the operation runs is not part of it: that is a
// Schedule.
//
//   C[b, m, n] = epilogue(init + sum over k of A[b, m, k] * B[b, k, n])
//
// Its canonical text is the key of the database, so each has just one:
//
//   m = 128, n = ?, k = 64, a = f16:row:16, b = f16:col:16, acc = f32,
//   c = f16:16, init = zero, epilogue = "addf(acc, n:f32)"
//
// | field    | meaning                                                      |
// |----------|--------------------------------------------------------------|
// | batch    | number of independent products; absent for a plain matmul    |
// | m, n, k  | extents; `?` if unknown at compile time                      |
// | rows     | `ragged:8`: rows of A and C belong to 8 groups, each with a  |
// |          | B of its own. `indexed`: rows of A are read through an index |
// |          | on the device; `ragged:8:indexed`: both. Absent if neither   |
// | sum      | `ragged`: batch g sums over segment g of k, and A and B are  |
// |          | shared; absent if each batch sums over all of k              |
// | a, b     | element type, storage order, alignment of every row start in |
// |          | bytes, and `:shared` where one matrix serves the whole batch |
// | acc      | type of the running sum; never narrower than the program's   |
// | products | how products of f32, or sums of those of 8 bits, may be       |
// |          | computed; absent if exactly                                  |
// | c        | element type and alignment of the result, stored in rows     |
// | init     | `zero`, or `read`: the destination's old value is added      |
// | numbers  | how far the bits of C are determined; absent if              |
// |          | `deterministic`                                              |
// | epilogue | elementwise function applied to each sum before it is stored |
// |          | (EpilogueFunction.h)                                         |
//
// Storage order is named after the lines that are contiguous in memory:
//
//   |         | `row`                        | `col`                         |
//   | A (MxK) | K contiguous (BLAS "n")      | M contiguous (BLAS "t")       |
//   | B (KxN) | N contiguous (BLAS "n")      | K contiguous (BLAS "t")       |
//
// A result stored in columns needs no case of its own: C^T = B^T * A^T.
//
// An operand that is no such matrix has its access (Access.h) in place of the
// order, with extents that agree with m, n and k. Then its `order` says which
// index is contiguous. In a convolution, k counts the elements of a window:
//
//   m = 50176, n = 64, k = 576, a = f16:m[32*200704, 28*2x, 56*y] k[3*x, 3*y,
//   64*1] x[56*3584, low 1] y[56*64, low 1]:16, b = f16:col:16, ...
//
// Tensor cores multiply no f32. They read its upper 19 bits, a `tf32`, so a
// program that uses them for matrices of f32 states the loss that it permits:
//
//   | products | a factor is                        | a product is off by     |
//   |----------|------------------------------------|-------------------------|
//   | exact    | itself                             | nothing: it is rounded  |
//   |          |                                    | with the sum            |
//   | tf32x3   | the sum of two tf32: three         | 2^-22, less than the    |
//   |          | products, without low by low       | sum's own rounding      |
//   | tf32     | the nearest tf32                   | 2^-10                   |
//
//   | blocks   | itself, of 8 bits                  | nothing, but sums of    |
//   |          |                                    | kBlock products keep 14 |
//   |          |                                    | bits; these are added   |
//   |          |                                    | up in f32               |
//   | short    | the same                           | nothing, but all of the |
//   |          |                                    | sum keeps 14 bits       |
//
// `products` is a permission: a kernel that computes exactly may serve all of
// them.
//
// `numbers` says which runs give the same bits (docs/Numbers.md):
//
//   | numbers       | the bits of a row of C depend on                     |
//   |---------------|------------------------------------------------------|
//   | free          | the order in which workers arrive, too               |
//   | deterministic | the operands and the kernel                          |
//   | invariant     | this row of A, B, and the problem without M: K is    |
//   |               | added in order, in one part or `invariant:4`         |
//
// f8E4M3FN and f8E5M2 are for A and B only, and multiply each other, too. So is
// i8, whose products with i8 are added in i32, exactly and modulo 2^32: its
// sums are whole numbers, and so is C unless an epilogue makes floats of them.
// Where A is f16 or bf16, a B of 8 bits is first converted to A's type, which
// represents all its values.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_PROBLEM_H
#define HONE_SCHEDULE_PROBLEM_H

#include "hone/Schedule/Access.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace hone {

/// The largest matrix, in bytes: addresses have 47 bits.
constexpr int64_t kMaxMatrixBytes = int64_t(1) << 47;
/// The most multiplications: weeks on the fastest chip.
constexpr int64_t kMaxProducts = int64_t(1) << 62;

/// The largest alignment that a problem can state, in bytes: no kernel benefits
/// from more.
constexpr int64_t kBestAlign = 16;

/// The type of a factor, a sum or a result. Integers are signed.
enum class ElementType { f16, bf16, f32, e4m3, e5m2, i8, i32 };
/// How products may be computed. For f32, from the most to the least accurate;
/// for 8 bits, sums may be `short` in blocks or from end to end.
enum class Products { exact, tf32x3, tf32, blocks, shortSums };
/// The number of products whose sum may be short, if `blocks` is permitted.
constexpr int64_t kBlock = 128;
enum class Init { zero, read };

/// How far the bits of C are determined, from the least to the most.
struct Numbers {
  enum class Kind { free, deterministic, invariant };

  Kind kind = Kind::deterministic;
  /// Of K, whose sums are added in order: 1 unless the kind is `invariant`.
  int64_t parts = 1;

  /// Of a cluster's blocks, which share K. Fewer are half as many, and so on:
  /// all kinds can cut K in this way.
  static constexpr int64_t kMaxParts = 16;

  bool isInvariant() const { return kind == Kind::invariant; }
  bool isDefault() const { return kind == Kind::deterministic; }
  bool operator==(const Numbers &other) const {
    return kind == other.kind && parts == other.parts;
  }
  friend llvm::hash_code hash_value(const Numbers &numbers) {
    return llvm::hash_combine(numbers.kind, numbers.parts);
  }
  /// "invariant", or "invariant:4" for four parts.
  std::string str() const;
  /// Parses the output of `str`. Fails with a message in the house style.
  static llvm::Expected<Numbers> parse(llvm::StringRef text);
};

llvm::StringRef toString(ElementType type);
llvm::StringRef toString(Order order);
llvm::StringRef toString(Products products);
llvm::StringRef toString(Init init);
std::optional<ElementType> parseElementType(llvm::StringRef text);
std::optional<Products> parseProducts(llvm::StringRef text);
std::optional<Init> parseInit(llvm::StringRef text);
/// The permissions other than `exact` that products of `type` may have; may be
/// empty.
llvm::ArrayRef<Products> permissionsOf(ElementType type);
/// "tf32x3 or tf32".
std::string wordsOf(llvm::ArrayRef<Products> products);
/// Size of one element in bytes.
int64_t sizeOf(ElementType type);
bool isInteger(ElementType type);
/// Floats of 8 bits.
bool isShortFloat(ElementType type);
/// Whether B has 8 bits and is converted to A's type, of 16, before the tensor
/// cores multiply: that type represents all its values.
bool isConverted(ElementType a, ElementType b);
/// Whether A and B may have these types: the same type, two floats of 8 bits,
/// or one that is converted to the other.
bool areMultiplied(ElementType a, ElementType b);
/// Whether A and B may have the type, and whether C and operands of epilogues
/// may.
bool isFactor(ElementType type);
bool isResult(ElementType type);
/// The type in which kernels add products of `factor`.
ElementType accumulatorOf(ElementType factor);

/// The layout of one input matrix in memory.
struct Operand {
  ElementType type = ElementType::f16;
  Order order = Order::row;
  /// Largest power of two (at most kBestAlign) that divides the byte address of
  /// every row start, counted from an equally aligned base. The base pointer
  /// itself is checked at the launch site.
  int64_t align = kBestAlign;
  /// In a batched problem: one matrix serves every batch index.
  bool shared = false;
  /// Its access if it is not a matrix; else none.
  std::optional<OperandAccess> access;

  bool operator==(const Operand &other) const;
};

/// Whether both operands are matrices, or have accesses of one form.
bool haveOneForm(const Operand &one, const Operand &other);

struct Problem {
  std::optional<int64_t> batch;
  int64_t m = kDynamic, n = kDynamic, k = kDynamic;
  /// Of ragged rows: the number of groups. A group's rows are a segment, whose
  /// end is known on the device alone.
  std::optional<int64_t> groups;
  /// Rows of A are read through an index on the device. Rows of an A of any
  /// number of lines may repeat; an index of no line reads zeros.
  bool isIndexed = false;
  /// Each batch sums over a segment of k, whose end is known on the device
  /// alone.
  bool isRaggedSum = false;
  Operand a, b;
  ElementType acc = ElementType::f32;
  /// Exact where A and B have 16 bits.
  Products products = Products::exact;
  ElementType c = ElementType::f16;
  int64_t alignC = kBestAlign;
  Init init = Init::zero;
  Numbers numbers;
  /// Canonical text of the epilogue; empty if the sum is stored unchanged.
  std::string epilogue;

  /// The canonical text, without a surrounding bracket.
  std::string str() const;
  /// Parses the output of `str`. Fails with a message in the house style.
  static llvm::Expected<Problem> parse(llvm::StringRef text);

  /// The problem without its extents, for which a kernel that takes them at run
  /// time is built. With `align`, every row starts at a multiple of that many
  /// bytes, or of an element's size if that is larger.
  Problem open(int64_t align = 0) const;

  /// The problem with the usual numbers, for which most schedules are known.
  Problem withUsualNumbers() const;

  /// The problem as older versions of hone stored it in a database: only the
  /// beginning and a hash of an epilogue longer than 300 characters.
  Problem abbreviated() const;
  /// True if only the abbreviation of the epilogue is known.
  bool isAbbreviated() const;

  /// Why no machine has the memory or the time for this problem; nothing if one
  /// may. Code that makes a Problem from untrusted numbers calls this first:
  /// after it, sizes of matrices in bytes, strides, tiles and steps fit 64
  /// bits, and none is 0.
  std::optional<std::string> fault() const;

  /// True if m, n, k, batch and groups are all known.
  bool isStatic() const;
  /// True if A and B are matrices: their lines are at one distance, unless the
  /// batch changes.
  bool hasMatrices() const { return !a.access && !b.access; }
  /// True if ends or indices on the device decide which elements are multiplied.
  bool readsPlaces() const { return groups || isIndexed || isRaggedSum; }
  /// Whether B is converted to A's type before it is multiplied.
  bool convertsB() const { return isConverted(a.type, b.type); }
  /// B's type when it is multiplied: A's type where it is converted.
  ElementType multipliedB() const;
  /// 2 * batch * m * n * k, or nothing if an extent is unknown.
  std::optional<double> flops() const;
  /// Bytes that must cross the memory bus at least once.
  std::optional<double> bytes() const;

  /// True if the canonical texts are equal.
  bool operator==(const Problem &other) const;
  friend llvm::hash_code hash_value(const Problem &problem);
};

} // namespace hone

#endif // HONE_SCHEDULE_PROBLEM_H
