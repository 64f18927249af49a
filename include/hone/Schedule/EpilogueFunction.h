//===- EpilogueFunction.h - The function applied to each sum ----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elementwise function that an epilogue applies to each sum before it is
// stored: a list of values, each computed from earlier ones. Its canonical
// text, of any length, is part of the Problem's:
//
//   addf(acc, n:f32) | maximumf($0, 0:f32)
//
// | text         | value                                                     |
// |--------------|-----------------------------------------------------------|
// | `acc`        | the sum, in the accumulator's type                        |
// | `n:f32`      | an element of an operand: the dimensions of C that it has |
// |              | (letters of `b`, `m`, `n`, or `scalar`) and its type; the |
// |              | second such operand to be used is `n:f32@2`               |
// | `0.5:f32`    | a constant; `0x7FC00000:f32` if it is not finite          |
// | `-5:i32`     | a whole one, of i8, i32 or i64                            |
// | `true`       | a constant, as is `false`                                 |
// | `$0`         | the result of an earlier step, counted from 0             |
// | `addf(x, y)` | a step: an op of arith or math. Angle brackets contain a  |
// |              | comparison's predicate, a rounding mode, fast-math flags: |
// |              | `cmpf<olt fast>(acc, $0)`. A conversion ends in its type: |
// |              | `extf(n:f16):f32`                                         |
//
// The function's result is the last step, unless a value follows it. The text
// does not mention the rounding to C's element type, because storing implies
// it. Truncating an integer (`trunci`) is not rounding, and the text does
// mention it.
//
// The product of two i32 is an i64 until it is shifted back: steps and
// constants may have type i64, but operands and results may not.
//
// One computation has one text: each step occurs once, in the order in which
// operands need it, and unused steps are left out.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_EPILOGUEFUNCTION_H
#define HONE_SCHEDULE_EPILOGUEFUNCTION_H

#include "hone/Schedule/Problem.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace hone {

struct ScalarOp;

/// The type of a value in an epilogue.
struct EpilogueType {
  /// The element type in memory; none for a truth value and for an i64.
  std::optional<ElementType> element;
  bool isWide = false; ///< an i64

  EpilogueType() = default;
  EpilogueType(ElementType element) : element(element) {}
  static EpilogueType wide();
  /// "f32", "i1", "i64"; nothing for a type that no epilogue supports.
  static std::optional<EpilogueType> parse(llvm::StringRef text);

  llvm::StringRef name() const;
  bool isTruth() const { return !element && !isWide; }
  bool isInteger() const;
  bool isFloat() const { return element && !isInteger(); }
  int64_t bytes() const;

  bool operator==(const EpilogueType &other) const {
    return element == other.element && isWide == other.isWide;
  }
  bool operator!=(const EpilogueType &other) const { return !(*this == other); }
};

/// The ops that an epilogue may contain, except constants, sorted by their
/// short names (hone/Arithmetic/ScalarOps.h).
llvm::ArrayRef<const ScalarOp *> epilogueOps();
/// The op with that short name, or null.
const ScalarOp *findEpilogueOp(llvm::StringRef name);

/// The floating-point format of a type that is no integer.
const llvm::fltSemantics &semanticsOf(ElementType type);

struct EpilogueValue {
  enum Kind { sum, operand, constant, step };
  Kind kind = sum;
  EpilogueType type;

  std::string dims;  ///< of an operand; empty: a scalar
  size_t number = 1; ///< of an operand, among those of its kind
  uint64_t bits = 0; ///< of a constant, as many as its type has

  const ScalarOp *op = nullptr; ///< of a step
  /// The predicate of a comparison, the rounding mode of a conversion, or
  /// empty.
  std::string mode;
  std::string flags; ///< fast-math flags: "fast", "nnan,nsz", or empty
  llvm::SmallVector<size_t, 3> arguments; ///< of a step: indices of values
};

class EpilogueFunction {
public:
  /// Each is computed from values before it.
  std::vector<EpilogueValue> values;

  /// Adds a value; returns its index.
  size_t add(EpilogueValue value);
  /// Sets which value is stored. If a value is only rounded to be stored, the
  /// value before rounding is the result.
  void setResult(size_t place);
  size_t result() const { return last; }

  /// The canonical text; empty if the sum is stored unchanged.
  std::string str() const;
  /// The numbers of the operands that it needs, in the order of the text, which
  /// does not distinguish operands of the same kind.
  llvm::SmallVector<size_t> operandsByUse() const;
  /// Reads the untrusted text, canonical or not, of an epilogue of `problem`.
  static llvm::Expected<EpilogueFunction> parse(llvm::StringRef text,
                                                const Problem &problem);

private:
  size_t last = 0;
};

} // namespace hone

#endif // HONE_SCHEDULE_EPILOGUEFUNCTION_H
