//===- Remarks.h - Remarks in the category "hone" ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_HONE_REMARKS_H
#define HONE_DIALECTS_HONE_REMARKS_H

#include "mlir/IR/Operation.h"

namespace hone {

/// Reports a decision, or a missed one with the reason, through MLIR's remark
/// engine, in the category "hone" (`--remarks-filter=hone`). `name` is one
/// word, easy to grep.
void remarkPassed(mlir::Operation *op, llvm::StringRef name,
                  const llvm::Twine &text);
/// For a text that is expensive to compute: without a remark listener, `text`
/// is not called.
void remarkPassed(mlir::Operation *op, llvm::StringRef name,
                  llvm::function_ref<std::string()> text);
void remarkMissed(mlir::Operation *op, llvm::StringRef name,
                  const llvm::Twine &text);

} // namespace hone

#endif // HONE_DIALECTS_HONE_REMARKS_H
