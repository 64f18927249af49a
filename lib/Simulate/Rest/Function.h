//===- Function.h - Function that a rest kernel has to compute --*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that a kernel was made from: a list of linalg ops, the *steps*.
// Each step is read here from its maps, types and body, independently of the
// passes that build the kernel. At a *point* (a position along each loop of a
// step) it defines
//
//   - which elements the step touches, as bytes from the start of an array,
//   - the results, as terms over these elements.
//
// An array is a memref argument or a constant table.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REST_FUNCTION_H
#define HONE_LIB_SIMULATE_REST_FUNCTION_H

#include "Terms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/Error.h"

namespace hone::simulate::rest {

/// Memory that a kernel touches.
struct Array {
  mlir::Value value; ///< in the function
  mlir::MemRefType type;
  std::string table; ///< the symbol of a constant; empty for an argument
  unsigned argument = 0;
  llvm::SmallVector<Polynomial> extents, strides;
  /// Symbols of strides that are known only at the launch, by dimension.
  std::map<unsigned, Symbol> openStrides;

  int64_t elementBytes() const;
};

/// The bits of an op's fast-math flags.
unsigned fastMathOf(mlir::Operation *op);

/// A position along each loop of a step.
using Point = llvm::SmallVector<Polynomial>;

struct GenericStep {
  mlir::linalg::GenericOp op;
  llvm::SmallVector<Polynomial> extents; ///< of the loops
  llvm::SmallVector<unsigned> parallel, reduced;

  unsigned inputs() const;
  unsigned results() const;
  Polynomial countOf(llvm::ArrayRef<unsigned> loops) const;
};

class Function {
public:
  /// Reads `function`; fails where it has a form that cannot be compared.
  static llvm::Expected<std::unique_ptr<Function>>
  read(mlir::func::FuncOp function, Terms &terms);

  mlir::func::FuncOp op() const { return function; }
  const std::vector<Array> &arrays() const { return memory; }
  const std::vector<GenericStep> &steps() const { return all; }
  /// The array of a memref; nothing if the function has no such array.
  std::optional<unsigned> arrayOf(mlir::Value memref) const;
  std::optional<unsigned> tableNamed(llvm::StringRef symbol) const;

  /// The array of operand `number` of `step`; nothing for a scalar.
  std::optional<unsigned> arrayOf(const GenericStep &step,
                                  unsigned number) const;
  /// The element of operand `number` at `point`: a load, or a scalar argument.
  std::optional<TermId> elementOf(const GenericStep &step, unsigned number,
                                  const Point &point);
  /// The values that the body yields at `point`, with `before` as its results
  /// so far.
  std::optional<llvm::SmallVector<TermId>>
  evaluate(const GenericStep &step, const Point &point,
           llvm::ArrayRef<TermId> before);
  /// The elements that the body loaded in the last evaluation.
  llvm::ArrayRef<TermId> loads() const { return loaded; }

  /// The fast-math flags of its ops, all together.
  unsigned fastMath() const { return flags; }
  /// The reason that two points may write one element of a result; empty if
  /// none do.
  std::string whyNotApart(const GenericStep &step) const;
  /// For several steps, the reason that one may touch at `point`, which is in
  /// row `row` of `rows`, an element that another row's block writes; empty if
  /// it does not.
  std::string whyOtherRow(const GenericStep &step, const Point &point,
                          const Polynomial &row, const Polynomial &rows);
  /// The reason that an element is outside of its array; empty if none is.
  std::string whyOutside(const GenericStep &step, const Point &point);

private:
  Function(mlir::func::FuncOp function, Terms &terms)
      : function(function), terms(terms) {}
  llvm::Error readArrays();
  llvm::Error readSteps();
  bool isWritten(unsigned array) const;
  std::optional<int64_t> bytesOf(const Array &array) const;
  void unifyExtents();
  void readStrides(Array &array);
  std::optional<Polynomial> positionOf(mlir::AffineExpr expr,
                                       const Point &point);
  std::optional<TermId> valueOf(mlir::Value value,
                                llvm::DenseMap<mlir::Value, TermId> &values);
  std::optional<TermId> loadIn(mlir::Operation *op,
                               llvm::DenseMap<mlir::Value, TermId> &values);
  std::optional<llvm::SmallVector<TermId>>
  evaluateBlock(mlir::Block &block, const Point &point,
                llvm::DenseMap<mlir::Value, TermId> &values, unsigned depth);
  bool evaluateLoop(mlir::scf::ForOp loop, const Point &point,
                    llvm::DenseMap<mlir::Value, TermId> &values,
                    unsigned depth);
  std::optional<llvm::SmallVector<TermId>>
  valuesOf(mlir::ValueRange range, llvm::DenseMap<mlir::Value, TermId> &values);

  mlir::func::FuncOp function;
  Terms &terms;
  std::vector<Array> memory;
  std::vector<GenericStep> all;
  std::vector<TermId> loaded;
  unsigned flags = 0;
};

} // namespace hone::simulate::rest

#endif // HONE_LIB_SIMULATE_REST_FUNCTION_H
