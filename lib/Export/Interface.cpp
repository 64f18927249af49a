//===- Interface.cpp - C interface of a module ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Interface.h.
//
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Memory/Buffers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::optional<std::string> hone::scalarInC(Type type) {
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  // Passed as bits: C has no type for either that all compilers support.
  if (type.isF16() || type.isBF16())
    return "uint16_t";
  if (type.isIndex())
    return "int64_t";
  if (type.isSignlessInteger(1))
    return "bool";
  for (unsigned bits : {8, 16, 32, 64})
    if (type.isSignlessInteger(bits))
      return formatv("int{0}_t", bits).str();
  return std::nullopt;
}

std::string hone::elementInC(Type type) {
  return type.isF16() || type.isBF16() ? "void" : *scalarInC(type);
}

std::string hone::toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

void ExportedArgument::getStrides(SmallVectorImpl<int64_t> &strides,
                                  int64_t &offset) const {
  if (failed(memref().getStridesAndOffset(strides, offset)))
    llvm_unreachable("expected a layout that checkExportable let pass");
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static void addMemref(const ExportedArgument &argument, unsigned index,
                      std::vector<Parameter> &parameters) {
  using Kind = Parameter::Kind;
  parameters.push_back({Kind::pointer, index, 0, argument.name});
  MemRefType type = argument.memref();
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      parameters.push_back({Kind::size, index, dim,
                            formatv("{0}_size{1}", argument.name, dim).str()});
  if (argument.isDense())
    return;
  SmallVector<int64_t> strides;
  int64_t offset;
  argument.getStrides(strides, offset);
  for (auto [dim, stride] : llvm::enumerate(strides))
    if (ShapedType::isDynamic(stride))
      parameters.push_back(
          {Kind::stride, index, unsigned(dim),
           formatv("{0}_stride{1}", argument.name, dim).str()});
}

std::vector<Parameter> ExportedFunction::parameters() const {
  std::vector<Parameter> parameters;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    if (argument.memref())
      addMemref(argument, index, parameters);
    else
      parameters.push_back(
          {Parameter::Kind::scalar, unsigned(index), 0, argument.name});
  }
  for (size_t index = 0; index < results.size(); ++index)
    parameters.push_back({Parameter::Kind::result, unsigned(index), 0,
                          formatv("value{0}", index).str()});
  return parameters;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static llvm::Expected<ExportedFunction> readFunction(func::FuncOp op,
                                                     StringRef prefix) {
  ExportedFunction function;
  function.symbol = op.getName().str();
  function.name = (prefix + "_" + op.getName()).str();
  for (BlockArgument argument : op.getArguments()) {
    unsigned index = argument.getArgNumber();
    bool isResult = bool(op.getArgAttr(index, kResultAttr));
    bool isWritten = isResult || op.getArgAttr(index, kWrittenAttr) ||
                     op.getArgAttr(index, kWorkspaceAttr);
    function.arguments.push_back({"", argument.getType(), isWritten, isResult});
  }
  for (Type type : op.getResultTypes()) {
    if (!scalarInC(type))
      return errorAt(
          op.getLoc(),
          formatv("expected results of '{0}' that become memory of the "
                  "caller's, or scalars, but got {1}; use memrefs without "
                  "gaps",
                  op.getName(), type));
    function.results.push_back(type);
  }
  if (auto numbers = op->getAttrOfType<StringAttr>(kProductNumbersAttr))
    function.numbers = numbers.str();
  chooseNames(function, op);
  return function;
}

llvm::Expected<Interface> hone::readInterface(ModuleOp module, StringRef name) {
  Interface interface;
  interface.name = name.str();
  for (auto op : module.getOps<func::FuncOp>()) {
    if (!op.isPublic() || op.isDeclaration())
      continue;
    auto function = readFunction(op, name);
    if (!function)
      return function.takeError();
    interface.takesHostMemory |= boundaryOf(op) == Boundary::host;
    interface.functions.push_back(std::move(*function));
  }
  return interface;
}
