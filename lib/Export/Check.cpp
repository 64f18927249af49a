//===- Check.cpp - Check of exportable modules ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a module before the passes run: a function that no C program could
// call is an error at its source location, and costs no compilation.
//
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "hone/Export/Export.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/Support.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using llvm::formatv;

llvm::Error hone::errorAt(Location location, const Twine &text) {
  return llvm::createStringError(placePrefix(location) + text);
}

static constexpr StringLiteral kTypes =
    "f16, bf16, f32, f64, i1, i8, i16, i32, i64 or index";

/// True for tensors, memrefs and scalars that C can name.
static bool isKnown(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return scalarInC(type).has_value();
  return shaped.hasRank() && isa<TensorType, MemRefType>(type) &&
         scalarInC(shaped.getElementType());
}

/// The reason why a C program cannot pass memory of this type; "" if it can.
static std::string whyNoMemory(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (memref && memref.getMemorySpace())
    return "memory of the default space";
  if (memref && failed(memref.getStridesAndOffset(strides, offset)))
    return "a memref whose layout is strided";
  return "";
}

static llvm::Error checkArgument(func::FuncOp function,
                                 BlockArgument argument) {
  std::string expected = whyNoMemory(argument.getType());
  if (!isKnown(argument.getType()))
    expected = formatv("a ranked tensor, a memref or a scalar of {0}", kTypes);
  if (expected.empty())
    return llvm::Error::success();
  return errorAt(
      function.getLoc(),
      formatv("expected argument {0} of '{1}' to be {2}, but got {3}",
              argument.getArgNumber(), function.getName(), expected,
              argument.getType()));
}

static llvm::Error checkFunction(func::FuncOp function) {
  if (!isIdentifier(function.getName()))
    return errorAt(
        function.getLoc(),
        formatv(
            "expected a function whose name is one in C, but got '{0}'; use "
            "letters, digits and underscores",
            function.getName()));
  for (BlockArgument argument : function.getArguments())
    if (llvm::Error error = checkArgument(function, argument))
      return error;
  for (Type type : function.getResultTypes())
    if (!isKnown(type))
      return errorAt(
          function.getLoc(),
          formatv("expected results of '{0}' that are ranked tensors, "
                  "memrefs or scalars of {1}, but got {2}",
                  function.getName(), kTypes, type));
  return llvm::Error::success();
}

/// The first call of `symbol` in the module.
static Operation *findCall(ModuleOp module, Operation *symbol) {
  auto uses = SymbolTable::getSymbolUses(symbol, module);
  return uses && !uses->empty() ? uses->begin()->getUser() : nullptr;
}

llvm::Error hone::checkExportable(ModuleOp module, StringRef name) {
  bool isAny = false;
  std::string message = messageName(name);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration()) {
      if (Operation *call = findCall(module, function))
        return errorAt(
            call->getLoc(),
            formatv("expected calls of functions that the module "
                    "defines, but got one of '{0}', which would need "
                    "a library of its own",
                    function.getName()));
      continue;
    }
    if (!function.isPublic())
      continue;
    isAny = true;
    if (llvm::Error error = checkFunction(function))
      return error;
    if ((name + "_" + function.getName()).str() == message)
      return errorAt(function.getLoc(),
                     formatv("expected a name other than '{0}': {1} gives the "
                             "text of an error",
                             function.getName(), message));
  }
  if (isAny)
    return llvm::Error::success();
  return errorAt(module.getLoc(),
                 "expected a module with a public function, but "
                 "got none; use func.func @NAME");
}
