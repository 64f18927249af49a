//===- Dims.h - Reading the dimensions of a matrix --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same letters stand in `#hone.dims<b, m, k>` and behind an operand of a
// matmul, as in `%a[b, m, k]`.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_HONE_DIMS_H
#define HONE_DIALECTS_HONE_DIMS_H

#include "dialects/Hone/Hone.h"
#include "mlir/IR/OpImplementation.h"

namespace hone {

/// Reads letters with commas between and `delimiter` around them. Null after an
/// error, which is reported.
DimsAttr parseDims(mlir::AsmParser &parser,
                   mlir::AsmParser::Delimiter delimiter);

} // namespace hone

#endif // HONE_DIALECTS_HONE_DIMS_H
