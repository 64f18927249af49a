//===- Signature.h - Arguments and results of a function --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call with random data needs the shapes of a function's arguments, and which
// of them it only writes. Both follow from the function after `hone-match`.
//
// Dynamic dimensions that must agree (Dims.h) are one number; `--dims` gives
// one for each, in order of first appearance.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REFERENCE_SIGNATURE_H
#define HONE_REFERENCE_SIGNATURE_H

#include "hone/Reference/Element.h"
#include "hone/Reference/Ranges.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Passes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace hone {

/// A tensor, a memref, or a scalar (rank 0 and `isScalar`).
struct Argument {
  Element element;
  IntegerRange range;      ///< of integers
  bool isPositive = false; ///< floats that go into a root
  bool isSorted = false;   ///< integers that are ends of ragged rows
  bool isScalar = false;
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0; ///< of the first element, from the type
  /// The function writes it before reading it.
  bool isOutput = false;
  /// A tensor is a value: a program may use its memory for anything.
  bool isTensor = false;

  int64_t elements() const; ///< without padding
  int64_t extent() const;   ///< elements from the first to past the last
};

/// A function that only multiplies two of its arguments: each element of its
/// result can be checked on its own.
struct PlainProduct {
  size_t a, b;     ///< arguments
  bool colA, colB; ///< stored as k x m, n x k
  int64_t m, n, k;
  ElementType type;                    ///< of the result
  Products products = Products::exact; ///< its permission
};

/// The memory of this machine.
int64_t bytesOfMachine();

/// The function or the extents that a caller named are not the module's.
class RequestError : public llvm::ErrorInfo<RequestError, llvm::StringError> {
public:
  static char ID;
  explicit RequestError(const llvm::Twine &why)
      : ErrorInfo(why, llvm::inconvertibleErrorCode()) {}
};

struct Signature {
  std::string name;
  std::vector<Argument> arguments;
  /// Shaped results; sizes are known once the function has run.
  struct Result {
    Element element;
    size_t rank;
  };
  std::vector<Result> results;

  //===--------------------------------------------------------------------===//
  // Its computation
  //===--------------------------------------------------------------------===//
  size_t matmuls = 0;
  double macs = 0; ///< multiplications and additions of all matmuls
  std::optional<PlainProduct> product;

  /// Reads the function `name` of `module`, or its only public one if `name` is
  /// empty. `dims` are the values of its dynamic dimensions. `permitted`
  /// applies to products whose ops do not state a permission.
  static llvm::Expected<Signature> read(mlir::ModuleOp module,
                                        llvm::StringRef name,
                                        llvm::ArrayRef<int64_t> dims,
                                        const MatchOptions &permitted = {});
};

} // namespace hone

#endif // HONE_REFERENCE_SIGNATURE_H
