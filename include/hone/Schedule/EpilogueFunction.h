//===- EpilogueFunction.h - What is done to a sum ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elementwise function that an epilogue applies to each sum before it is
// stored: values, each made of earlier ones. Its canonical text is part of the
// Problem's, at any length:
//
//   addf(acc, n:f32) | maximumf($0, 0:f32)
//
// | text         | value                                                     |
// |--------------|-----------------------------------------------------------|
// | `acc`        | the sum, in the accumulator's type                        |
// | `n:f32`      | an element of an operand, by the dimensions of C that it  |
// |              | has (letters of `b`, `m`, `n`, or `scalar`) and its type; |
// |              | the second of a kind to be used is `n:f32@2`              |
// | `0.5:f32`    | a constant; `0x7FC00000:f32` where it is no finite number |
// | `true`       | a constant, as is `false`                                 |
// | `$0`         | what an earlier step gives, counted from 0                |
// | `addf(x, y)` | a step: an op of arith or math. In angle brackets stand a |
// |              | comparison's predicate, a rounding mode, fast-math flags: |
// |              | `cmpf<olt fast>(acc, $0)`. A conversion ends in its type: |
// |              | `extf(n:f16):f32`                                         |
//
// The function's value is the last step, unless a value stands behind it.
// Rounding it to C's element type is what storing means, and not said.
//
// One computation has one text: steps stand in the order in which operands need
// them, each once, and what nothing needs is left out.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_EPILOGUEFUNCTION_H
#define HONE_SCHEDULE_EPILOGUEFUNCTION_H

#include "hone/Schedule/Problem.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace hone {

/// An op that an epilogue may hold.
struct EpilogueOpInfo {
  enum Form { plain, comparison, selection, widening, narrowing };
  llvm::StringLiteral name, dialect;
  size_t arity;
  Form form = plain;
};
/// All but constants, by name.
llvm::ArrayRef<EpilogueOpInfo> epilogueOps();
/// The op of that name, or none.
const EpilogueOpInfo *findEpilogueOp(llvm::StringRef name);

/// The format of a type's numbers.
const llvm::fltSemantics &semanticsOf(ElementType type);

struct EpilogueValue {
  enum Kind { sum, operand, constant, step };
  Kind kind = sum;
  /// Nothing stands for a truth value.
  std::optional<ElementType> type;

  std::string dims;  ///< of an operand; empty: a scalar
  size_t number = 1; ///< of an operand, that tells it from its like
  uint32_t bits = 0; ///< of a constant

  const EpilogueOpInfo *op = nullptr; ///< of a step
  /// Of a comparison; the rounding mode of a conversion; or empty.
  std::string mode;
  std::string flags; ///< fast-math flags: "fast", "nnan,nsz", or empty
  llvm::SmallVector<size_t, 3> arguments; ///< of a step: places of values
};

class EpilogueFunction {
public:
  /// Each of values before it.
  std::vector<EpilogueValue> values;

  /// Adds a value; returns its place.
  size_t add(EpilogueValue value);
  /// Says which value is stored. Of a value that is rounded for that, the one
  /// before.
  void setResult(size_t place);
  size_t result() const { return last; }

  /// The canonical text; empty where the sum is stored as it is.
  std::string str() const;
  /// The numbers of the operands that it needs, in the order of the text; which
  /// of a kind is which is no part of that.
  llvm::SmallVector<size_t> operandsByUse() const;
  /// Reads the text of an epilogue of `problem`, canonical or not; untrusted.
  static llvm::Expected<EpilogueFunction> parse(llvm::StringRef text,
                                                const Problem &problem);

private:
  size_t last = 0;
};

} // namespace hone

#endif // HONE_SCHEDULE_EPILOGUEFUNCTION_H
