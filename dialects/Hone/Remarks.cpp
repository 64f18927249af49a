//===- Remarks.cpp - Remarks in the category "hone" -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Remarks.h.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Remarks.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

static remark::RemarkOpts remarkOptions(Operation *op, StringRef name) {
  auto function = isa<FunctionOpInterface>(op)
                      ? cast<FunctionOpInterface>(op)
                      : op->getParentOfType<FunctionOpInterface>();
  return remark::RemarkOpts::name(name).category("hone").function(
      function ? function.getName() : StringRef());
}

void hone::remarkPassed(Operation *op, StringRef name, const Twine &text) {
  remark::passed(op->getLoc(), remarkOptions(op, name)) << text.str();
}

void hone::remarkPassed(Operation *op, StringRef name,
                        llvm::function_ref<std::string()> text) {
  if (auto remark = remark::passed(op->getLoc(), remarkOptions(op, name)))
    remark << text();
}

void hone::remarkMissed(Operation *op, StringRef name, const Twine &text) {
  remark::missed(op->getLoc(), remarkOptions(op, name)) << text.str();
}
