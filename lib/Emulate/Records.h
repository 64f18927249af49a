//===- Records.h - Records of launch operands -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An independent source of every address, stride and extent that a launch gets.
// A call is inserted before each matmul and each call of the rest while their
// operands are still memrefs:
//
//   honeEmulatedRecord(number, words)
//   hone.matmul ins(...)                        later one launch or several
//
// The number identifies the op; the words describe its operands: address of the
// memory, offset, sizes and strides, one operand after the other.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_EMULATE_RECORDS_H
#define HONE_LIB_EMULATE_RECORDS_H

#include "hone/Simulate/Execute.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <deque>

namespace hone::emulate {

/// The function called by the module.
constexpr llvm::StringLiteral kRecordName = "honeEmulatedRecord";

/// Static data about an op.
struct LaunchRecord {
  struct Operand {
    std::string name; ///< a, b, c, e0; p0, p1 of the rest
    size_t rank;
    int64_t elementBytes;
    /// For a product: the type, and a letter for each dimension.
    ElementType type = ElementType::f32;
    std::string letters;
  };

  std::string place; ///< location of the op, for messages
  std::vector<Operand> operands;
  /// For a product; none for the rest.
  std::optional<simulate::Reference> reference;
  /// The batches of a product, outermost first.
  std::string batches;
  /// The windows of a product that reads them, without the image's extents.
  std::optional<WindowArguments> window;
};

/// One execution of the op.
struct LaunchedRecord {
  struct Operand {
    int64_t address; ///< of the first element
    std::vector<int64_t> sizes, strides;

    /// Bytes from there to the end of the last element; 0 if there is none.
    int64_t bytes(int64_t elementBytes) const;
    /// The first byte and the end of each line, in order.
    std::vector<std::pair<int64_t, int64_t>> lines(int64_t elementBytes) const;
    bool isSame(const Operand &other) const {
      return address == other.address && sizes == other.sizes &&
             strides == other.strides;
    }
  };

  const LaunchRecord *record;
  std::vector<Operand> operands;
  /// The number of launches so far. With more than two batches the outer ones
  /// are loops on the host, with a launch per iteration.
  int64_t launched = 0;

  int64_t extentOf(char letter) const;
  /// The batches that are loops on the host.
  llvm::StringRef loops() const;
  int64_t launchesWanted() const;
  /// True if the two operands, by number, have bytes in common.
  bool overlap(size_t one, size_t other) const;
};

class Records {
public:
  llvm::Error add(mlir::ModuleOp module);
  /// Reads the words of a call.
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
