//===- Terms.h - Terms that a rest kernel computes --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel and the function that it was made from are executed on *terms*:
// expressions over elements in memory, scalar arguments and positions. Equal
// terms are one term, so values that both compute in the same way are compared
// by number. Functions that the kernel expands (an exponential, for example)
// are compared by values (TermValues.h).
//
// Integers that depend on positions alone are polynomials (Polynomial.h), as
// long as they fit their type; values loaded from memory stay terms.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REST_TERMS_H
#define HONE_LIB_SIMULATE_REST_TERMS_H

#include "Polynomial.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"
#include <tuple>

namespace hone::simulate::rest {

using TermId = unsigned;

struct Term {
  enum Kind {
    number,   ///< `position`
    constant, ///< `attribute`, a float
    load,     ///< the element of array `index`, `position` bytes after its
              ///< start
    scalar,   ///< argument `index` of the function
    word,     ///< the bits of that argument, or its lower ones
    carried,  ///< result `index` of the earlier points, while it is summed
    partial,  ///< a thread's part of result `index`
    folded,   ///< result `index`, where one thread has summed all points
    shuffled, ///< another thread's value: event `index`
    shared,   ///< read from shared memory: event `index`
    result,   ///< of op `name` on `operands`
    started,  ///< a loop in a body, inside `index` others: bounds, first values
    counter,  ///< the number of a round of that loop, which is term `index`
    ofRound,  ///< value `position` that a round of it has from the one before
    looped,   ///< result `index` of a loop: its start, and a round's results
  } kind;
  mlir::Type type;
  unsigned index = 0;
  Polynomial position = Polynomial();
  std::string name = "";
  mlir::Attribute attribute = {};
  llvm::SmallVector<TermId, 3> operands = {};
  mlir::Operation *op = nullptr; ///< an op that computes it
};

/// A loop in a body, while its round is computed.
struct LoopTerms {
  TermId start, counter;
  llvm::SmallVector<TermId> values; ///< from the round before
};

class Terms {
public:
  explicit Terms(Symbols &symbols) : symbols(symbols) {}

  const Term &operator[](TermId id) const { return terms[id]; }
  size_t size() const { return terms.size(); }

  TermId number(const Polynomial &value, mlir::Type type);
  TermId load(unsigned array, const Polynomial &bytes, mlir::Type type);
  /// Argument `index`, of type `type`, as a parameter of type `passed`.
  TermId scalar(unsigned index, mlir::Type type, mlir::Type passed);
  /// A leaf of another kind.
  TermId leaf(Term::Kind kind, unsigned index, mlir::Type type);
  /// A number or a float; nothing for another attribute.
  std::optional<TermId> constant(mlir::TypedAttr value);
  /// The result of `op`, which has no side effects, on `operands`; nothing if
  /// the op is not modelled.
  std::optional<TermId> apply(mlir::Operation *op,
                              llvm::ArrayRef<TermId> operands);
  /// The lane of `op`, a choice of a vector.
  TermId select(mlir::Operation *op, TermId condition, TermId a, TermId b);

  /// Any round of a loop with these bounds and first values, inside `depth`
  /// others. Loops with equal starts and rounds have equal results.
  LoopTerms openLoop(llvm::ArrayRef<TermId> bounds,
                     llvm::ArrayRef<TermId> values, unsigned depth);
  llvm::SmallVector<TermId> closeLoop(const LoopTerms &loop,
                                      llvm::ArrayRef<TermId> yielded);

  /// An integer as a polynomial, in which unknown terms are symbols.
  Polynomial numberOf(TermId id);
  /// The operands of a chain of ops `name`, in order.
  llvm::SmallVector<TermId> flatten(TermId id, llvm::StringRef name) const;
  /// All leaves of an expression, also those inside of loops.
  void leavesOf(TermId id, llvm::SmallVectorImpl<TermId> &leaves) const;

  Symbols &symbols;

private:
  using Key = std::tuple<int, const void *, unsigned, Polynomial, std::string,
                         const void *, std::vector<TermId>>;
  TermId intern(Term term);
  std::optional<TermId> applyCast(mlir::Operation *op, TermId operand);
  std::optional<TermId> applyNumbers(mlir::Operation *op, TermId a, TermId b);
  std::optional<TermId> decide(mlir::Operation *op, TermId a, TermId b);
  std::optional<TermId> applySelect(llvm::ArrayRef<TermId> operands);
  bool fits(const Polynomial &value, mlir::Type type) const;
  bool keepsPromises(mlir::Operation *op, const Polynomial &x,
                     const Polynomial &y, const Polynomial &value) const;

  std::vector<Term> terms;
  std::map<Key, TermId> known;
  std::map<TermId, Polynomial> unknowns; ///< of terms that are not polynomials
  std::map<Symbol, TermId> termsOfUnknowns;
  /// The types of scalar arguments.
  std::map<unsigned, mlir::Type> scalarTypes;
};

/// True for ops on scalars that depend on nothing but their operands. Results
/// of other ops cannot be proven.
bool isKnownScalar(mlir::Operation *op);
/// One name for all ops that compute the same function.
std::string canonicalName(mlir::Operation *op);
/// Whether the operands of the op of this name may be exchanged, and combined
/// in any order.
bool isCommutative(llvm::StringRef name);
/// `index` is a number of 64 bits.
mlir::Type canonicalType(mlir::Type type);
unsigned widthOf(mlir::Type type);

} // namespace hone::simulate::rest

#endif // HONE_LIB_SIMULATE_REST_TERMS_H
