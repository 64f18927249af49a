//===- Records.h - Where the operands of launches are -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second source of every address, stride and extent that a launch gets. A
// call stands before each matmul and each call of the rest, from a time when
// they still had memrefs as operands:
//
//   honeEmulatedRecord(number, words)
//   hone.matmul ins(...)                        soon one launch or several
//
// The number says which op it is, the words describe its operands: address of
// the memory, offset, sizes and strides of one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_EMULATE_RECORDS_H
#define HONE_LIB_EMULATE_RECORDS_H

#include "hone/Simulate/Execute.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <deque>

namespace hone::emulate {

/// The function that the module calls.
constexpr llvm::StringLiteral kRecordName = "honeEmulatedRecord";

/// What is known of an op before it runs.
struct LaunchRecord {
  struct Operand {
    std::string name; ///< a, b, c, e0; p0, p1 of the rest
    size_t rank;
    int64_t elementBytes;
    /// Of a product: the type, and a letter for each dimension.
    ElementType type = ElementType::f32;
    std::string letters;
  };

  std::string place; ///< of the op, for messages
  std::vector<Operand> operands;
  /// Of a product; none for the rest.
  std::optional<simulate::Reference> reference;
  /// The batches of a product, outermost first.
  std::string batches;
};

/// One run of the op.
struct LaunchedRecord {
  struct Operand {
    int64_t address; ///< of the first element
    std::vector<int64_t> sizes, strides;

    /// Bytes from there to the end of the last element; 0 if there is none.
    int64_t bytes(int64_t elementBytes) const;
    /// The first and behind the last byte of each line, in order.
    std::vector<std::pair<int64_t, int64_t>> lines(int64_t elementBytes) const;
    bool isSame(const Operand &other) const {
      return address == other.address && sizes == other.sizes &&
             strides == other.strides;
    }
  };

  const LaunchRecord *record;
  std::vector<Operand> operands;
  /// Launches that it has had. Of more than two batches the outer ones are
  /// loops on the host, with a launch for each turn.
  int64_t launched = 0;

  int64_t extentOf(char letter) const;
  /// The batches that are loops.
  llvm::StringRef loops() const;
  int64_t launchesWanted() const;
  /// True if the two operands, by number, have bytes in common.
  bool overlap(size_t one, size_t other) const;
};

class Records {
public:
  llvm::Error add(mlir::ModuleOp module);
  /// The words that a call passes.
  LaunchedRecord read(int64_t number, llvm::ArrayRef<int64_t> words) const;

private:
  void addProduct(mlir::Operation *op);
  void addRest(mlir::func::CallOp call);
  void addCall(mlir::Operation *op, mlir::ValueRange memrefs);

  mlir::func::FuncOp callee;
  std::deque<LaunchRecord> records; ///< addresses stay valid
};

} // namespace hone::emulate

#endif // HONE_LIB_EMULATE_RECORDS_H
