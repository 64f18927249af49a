//===- CheckedPass.h - Base of passes with options --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR takes the last value of an option that is given twice, and refuses a
// wrong word without the right ones. Hone's passes and its pipeline check both
// before MLIR parses their options.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_HONE_CHECKEDPASS_H
#define HONE_DIALECTS_HONE_CHECKEDPASS_H

#include "mlir/Pass/Pass.h"

namespace hone {

/// Parses "name=value ..." into `options`. Fails, with the reason in `errors`,
/// also if an option is given twice or has none of its words as its value.
mlir::LogicalResult parseOptions(mlir::detail::PassOptions &options,
                                 llvm::StringRef text,
                                 llvm::raw_ostream &errors);

using OptionErrors =
    llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)>;
/// The same for the options of a pass, as Pass::initializeOptions.
mlir::LogicalResult parseOptions(mlir::Pass &pass, llvm::StringRef text,
                                 OptionErrors errorHandler);

/// A pass whose options are checked.
template <typename BaseT>
class CheckedPass : public BaseT {
public:
  using BaseT::BaseT;

  mlir::LogicalResult initializeOptions(llvm::StringRef text,
                                        OptionErrors errorHandler) override {
    return parseOptions(*this, text, errorHandler);
  }
};

} // namespace hone

#endif // HONE_DIALECTS_HONE_CHECKEDPASS_H
