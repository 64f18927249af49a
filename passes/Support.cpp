//===- Support.cpp - What several passes share ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asking the driver for the machine's GPU happens here and not in the Schedule
// room, which knows tables only.
//
//===----------------------------------------------------------------------===//

#include "passes/Support.h"
#include "hone-c/Runtime.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

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

void hone::remarkMissed(Operation *op, StringRef name, const Twine &text) {
  remark::missed(op->getLoc(), remarkOptions(op, name)) << text.str();
}

//===----------------------------------------------------------------------===//
// Arch
//===----------------------------------------------------------------------===//

static llvm::Expected<Arch> lookupNative() {
  HoneDeviceInfo info = {};
  if (honeDeviceInfo(/*device=*/0, &info) == HONE_OK)
    return Arch::lookupDevice(info.capability, info.name);
  return llvm::createStringError(
      Twine("expected a GPU for arch 'native', but got: ") + honeLastError() +
      "; use an arch by name, or host");
}

llvm::Expected<Arch> hone::resolveArchName(StringRef name) {
  return name == "native" ? lookupNative() : Arch::lookup(name);
}

std::optional<Arch> hone::resolveArchOption(ModuleOp module, StringRef name) {
  llvm::Expected<Arch> arch = resolveArchName(name);
  if (arch)
    return *arch;
  emitError(module.getLoc()) << llvm::toString(arch.takeError());
  return std::nullopt;
}

LogicalResult hone::forGpu(ModuleOp module, StringRef name,
                           function_ref<LogicalResult(const Arch &)> run) {
  std::optional<Arch> arch = resolveArchOption(module, name);
  if (!arch)
    return failure();
  return arch->isHost() ? success() : run(*arch);
}
