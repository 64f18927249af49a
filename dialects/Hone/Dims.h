//===- Dims.h - Parser of a matrix's dimensions -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `#hone.dims<b, m, k>` and the operands of a matmul, as in `%a[b, m, k]`, have
// the same list of letters.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_HONE_DIMS_H
#define HONE_DIALECTS_HONE_DIMS_H

#include "dialects/Hone/Hone.h"
#include "mlir/IR/OpImplementation.h"

namespace hone {

/// Reads letters separated by commas and enclosed in `delimiter`. Reports
/// errors and then returns null.
DimsAttr parseDims(mlir::AsmParser &parser,
                   mlir::AsmParser::Delimiter delimiter);

} // namespace hone

#endif // HONE_DIALECTS_HONE_DIMS_H
