//===- Keywords.h - Words shared by grammars --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `products(tf32)` of an op and `#hone.products<tf32>` read the same word, and
// so do the clause and the attribute of numbers.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_HONE_KEYWORDS_H
#define HONE_DIALECTS_HONE_KEYWORDS_H

#include "dialects/Hone/Hone.h"

namespace hone {

/// `exact`, `tf32x3` or `tf32`; reports any other word at its location.
mlir::FailureOr<Products> parseProductsKeyword(mlir::AsmParser &parser);
/// `3x3, step 2x2, low 1x1`: a window without its brackets. Reports errors and
/// then returns null.
WindowAttr parseWindow(mlir::AsmParser &parser);
void printWindow(mlir::AsmPrinter &printer, WindowAttr window);
/// `free`, `deterministic`, `invariant`, `invariant:4`; the same.
mlir::FailureOr<Numbers> parseNumbersKeyword(mlir::AsmParser &parser);

} // namespace hone

#endif // HONE_DIALECTS_HONE_KEYWORDS_H
