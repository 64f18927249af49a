//===- Dispatcher.cpp - Conversion of C arguments to MLIR's ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the LLVM dialect a memref is an argument for each of its parts: the
// allocated pointer, the aligned pointer, offset, sizes, strides. A dispatcher
// makes them from the C arguments and the type, and calls the body:
//
//   int32 NAME_f(stream, ...):
//     old = honeGetStream(); honeSetStream(stream)
//     status = honeDeviceCount(&count)    // is there a GPU at all?
//     if (!status) {
//       honeTakeStatus()                  // failures before this call
//       lack = 0                          // Guards.h
//       body(...)
//       status = lack == host ? HONE_OUT_OF_MEMORY : honeTakeStatus()
//     }
//     honeSetStream(old)
//     return status
//
// On the host there is no stream and no runtime.
//
//===----------------------------------------------------------------------===//

#include "Guards.h"
#include "Interface.h"
#include "hone-c/Runtime.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace hone;

std::string hone::bodyName(const ExportedFunction &function) {
  return "body." + function.symbol;
}

namespace {
/// Writes one dispatcher.
class Dispatcher {
public:
  Dispatcher(ModuleOp module, const Interface &interface,
             const ExportedFunction &function)
      : module(module), interface(interface), function(function),
        loc(UnknownLoc::get(module.getContext())),
        builder(OpBuilder::atBlockEnd(module.getBody())),
        parameters(function.parameters()) {}

  LogicalResult write();

private:
  // Types.
  Type pointer() { return LLVM::LLVMPointerType::get(builder.getContext()); }
  Type word() { return builder.getI64Type(); }
  Type status() { return builder.getI32Type(); }
  Type passed(Type scalar);
  Type typeOf(const Parameter &parameter);

  // Values.
  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, word(),
                                    builder.getI64IntegerAttr(value));
  }
  Value call(StringRef name, Type result, ValueRange operands);
  Value parameter(Parameter::Kind kind, unsigned index, unsigned dim = 0);
  Value unpack(Type scalar, Value value);
  Value sizeOf(unsigned index, unsigned dim);
  SmallVector<Value> stridesOf(unsigned index, ArrayRef<Value> sizes);
  void addMemref(unsigned index, SmallVectorImpl<Value> &operands);

  void declare();
  /// Calls the body; returns the status, or null after an error.
  Value callBody();
  void storeResults(LLVM::CallOp call);
  LogicalResult writeForDevice();

  ModuleOp module;
  const Interface &interface;
  const ExportedFunction &function;
  Location loc;
  OpBuilder builder;
  std::vector<Parameter> parameters;
  LLVM::LLVMFuncOp op;
};
} // namespace

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The type of a scalar in the C calling convention.
Type Dispatcher::passed(Type scalar) {
  if (scalar.isIndex())
    return word();
  if (scalar.isF16() || scalar.isBF16())
    return builder.getIntegerType(16);
  return scalar;
}

Type Dispatcher::typeOf(const Parameter &parameter) {
  switch (parameter.kind) {
  case Parameter::Kind::pointer:
  case Parameter::Kind::result:
    return pointer();
  case Parameter::Kind::size:
  case Parameter::Kind::stride:
    return word();
  case Parameter::Kind::scalar:
    return passed(function.arguments[parameter.index].type);
  }
  llvm_unreachable("expected a kind of parameter");
}

/// The caller extends integers narrower than an int.
static StringRef extensionOf(Type scalar) {
  if (scalar.isF16() || scalar.isBF16() || scalar.isInteger(1))
    return LLVM::LLVMDialect::getZExtAttrName();
  if (scalar.isInteger(8) || scalar.isInteger(16))
    return LLVM::LLVMDialect::getSExtAttrName();
  return "";
}

void Dispatcher::declare() {
  SmallVector<Type> types = {pointer()};
  for (const Parameter &parameter : parameters)
    types.push_back(typeOf(parameter));
  op = LLVM::LLVMFuncOp::create(builder, loc, function.name,
                                LLVM::LLVMFunctionType::get(status(), types));
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    if (parameter.kind != Parameter::Kind::scalar)
      continue;
    StringRef extension = extensionOf(function.arguments[parameter.index].type);
    if (!extension.empty())
      op.setArgAttr(i + 1, extension, builder.getUnitAttr());
  }
  builder.setInsertionPointToStart(op.addEntryBlock(builder));
}

Value Dispatcher::parameter(Parameter::Kind kind, unsigned index,
                            unsigned dim) {
  for (auto [i, parameter] : llvm::enumerate(parameters))
    if (parameter.kind == kind && parameter.index == index &&
        parameter.dim == dim)
      return op.getArgument(i + 1);
  llvm_unreachable("expected a parameter that the function has");
}

//===----------------------------------------------------------------------===//
// Arguments of the body
//===----------------------------------------------------------------------===//

Value Dispatcher::unpack(Type scalar, Value value) {
  if (scalar.isF16() || scalar.isBF16())
    return LLVM::BitcastOp::create(builder, loc, scalar, value);
  return value;
}

Value Dispatcher::sizeOf(unsigned index, unsigned dim) {
  MemRefType type = function.arguments[index].memref();
  return type.isDynamicDim(dim) ? parameter(Parameter::Kind::size, index, dim)
                                : constant(type.getDimSize(dim));
}

SmallVector<Value> Dispatcher::stridesOf(unsigned index,
                                         ArrayRef<Value> sizes) {
  const ExportedArgument &argument = function.arguments[index];
  SmallVector<Value> strides(sizes.size());
  if (argument.isDense()) {
    Value stride = constant(1);
    for (size_t dim = sizes.size(); dim-- > 0;) {
      strides[dim] = stride;
      stride = LLVM::MulOp::create(builder, loc, stride, sizes[dim]);
    }
    return strides;
  }
  SmallVector<int64_t> known;
  int64_t offset;
  argument.getStrides(known, offset);
  for (auto [dim, stride] : llvm::enumerate(known))
    strides[dim] = ShapedType::isDynamic(stride)
                       ? parameter(Parameter::Kind::stride, index, dim)
                       : constant(stride);
  return strides;
}

void Dispatcher::addMemref(unsigned index, SmallVectorImpl<Value> &operands) {
  const ExportedArgument &argument = function.arguments[index];
  MemRefType type = argument.memref();
  SmallVector<int64_t> ignored;
  int64_t offset = 0;
  argument.getStrides(ignored, offset);
  if (ShapedType::isDynamic(offset))
    offset = 0;
  // C passes the element at index zero; MLIR adds the offset of the type.
  Value base = parameter(Parameter::Kind::pointer, index);
  if (offset)
    base = LLVM::GEPOp::create(builder, loc, pointer(), type.getElementType(),
                               base, ArrayRef<LLVM::GEPArg>{int32_t(-offset)});
  SmallVector<Value> sizes;
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    sizes.push_back(sizeOf(index, dim));
  operands.append({base, base, constant(offset)});
  llvm::append_range(operands, sizes);
  llvm::append_range(operands, stridesOf(index, sizes));
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

/// Calls a function of the runtime, and declares it at its first use.
Value Dispatcher::call(StringRef name, Type result, ValueRange operands) {
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!callee) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    callee = LLVM::LLVMFuncOp::create(
        builder, loc, name,
        LLVM::LLVMFunctionType::get(result,
                                    SmallVector<Type>(operands.getTypes())));
  }
  auto op = LLVM::CallOp::create(builder, loc, callee, operands);
  return op.getNumResults() ? op.getResult() : Value();
}

/// A single scalar is the result itself; several are the parts of a struct.
void Dispatcher::storeResults(LLVM::CallOp call) {
  for (auto [index, type] : llvm::enumerate(function.results)) {
    Value value = call.getResult();
    if (function.results.size() > 1)
      value = LLVM::ExtractValueOp::create(builder, loc, value,
                                           ArrayRef<int64_t>{int64_t(index)});
    if (type.isInteger(1))
      value = LLVM::ZExtOp::create(builder, loc, builder.getI8Type(), value);
    LLVM::StoreOp::create(builder, loc, value,
                          parameter(Parameter::Kind::result, index));
  }
}

/// True if the body lacked memory of the host.
static Value lacksHost(OpBuilder &builder, Location loc) {
  Value host = LLVM::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(int32_t(Lack::host)));
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                              loadLack(builder, loc), host);
}

Value Dispatcher::callBody() {
  auto body = module.lookupSymbol<LLVM::LLVMFuncOp>(bodyName(function));
  SmallVector<Value> operands;
  for (auto [index, argument] : llvm::enumerate(function.arguments)) {
    if (argument.memref())
      addMemref(index, operands);
    else
      operands.push_back(
          unpack(argument.type, parameter(Parameter::Kind::scalar, index)));
  }
  if (!body || body.getNumArguments() != operands.size()) {
    module.emitError("expected '")
        << bodyName(function) << "' to take the " << operands.size()
        << " parts of its arguments";
    return {};
  }
  if (!interface.isHost)
    call("honeTakeStatus", status(), {});
  storeLack(builder, loc, Lack::none);
  storeResults(LLVM::CallOp::create(builder, loc, body, operands));
  Value noted = interface.isHost
                    ? LLVM::ZeroOp::create(builder, loc, status()).getResult()
                    : call("honeTakeStatus", status(), {});
  Value outOfMemory = LLVM::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(HONE_OUT_OF_MEMORY));
  return LLVM::SelectOp::create(builder, loc, lacksHost(builder, loc),
                                outOfMemory, noted);
}

LogicalResult Dispatcher::writeForDevice() {
  Type none = LLVM::LLVMVoidType::get(builder.getContext());
  Value old = call("honeGetStream", pointer(), {});
  call("honeSetStream", none, op.getArgument(0));
  Value count =
      LLVM::AllocaOp::create(builder, loc, pointer(), status(), constant(1));
  Value unusable = call("honeDeviceCount", status(), count);
  Value zero = LLVM::ZeroOp::create(builder, loc, status());
  Value isUsable = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                                        unusable, zero);
  Block *start = builder.getInsertionBlock();
  Block *run = builder.createBlock(&op.getBody());
  Value result = callBody();
  if (!result)
    return failure();
  Block *end = builder.createBlock(&op.getBody(), {}, status(), loc);
  call("honeSetStream", none, old);
  LLVM::ReturnOp::create(builder, loc, end->getArgument(0));
  builder.setInsertionPointToEnd(start);
  LLVM::CondBrOp::create(builder, loc, isUsable, run, ValueRange(), end,
                         unusable);
  builder.setInsertionPointToEnd(run);
  LLVM::BrOp::create(builder, loc, result, end);
  return success();
}

LogicalResult Dispatcher::write() {
  declare();
  if (!interface.isHost)
    return writeForDevice();
  Value result = callBody();
  if (!result)
    return failure();
  LLVM::ReturnOp::create(builder, loc, result);
  return success();
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

/// The address of a text.
static Value addText(OpBuilder &builder, Location loc, ModuleOp module,
                     StringRef name, StringRef text) {
  std::string bytes = text.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
  OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
  auto global = LLVM::GlobalOp::create(outside, loc, type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name,
                                       builder.getStringAttr(bytes));
  return LLVM::AddressOfOp::create(builder, loc, global);
}

/// const char *NAME_message(void): the missing resource, or the runtime's text.
static void addMessage(ModuleOp module, const Interface &interface) {
  Location loc = UnknownLoc::get(module.getContext());
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto type = LLVM::LLVMFunctionType::get(pointer, {});
  LLVM::LLVMFuncOp runtime;
  if (!interface.isHost)
    runtime = LLVM::LLVMFuncOp::create(builder, loc, "honeLastError", type);
  auto function =
      LLVM::LLVMFuncOp::create(builder, loc, messageName(interface.name), type);
  builder.setInsertionPointToStart(function.addEntryBlock(builder));
  Value own = addText(builder, loc, module, "export.out_of_memory",
                      "expected memory of the host, but got none");
  Value other = runtime
                    ? LLVM::CallOp::create(builder, loc, runtime, ValueRange())
                          .getResult()
                    : addText(builder, loc, module, "export.no_message", "");
  Value message =
      LLVM::SelectOp::create(builder, loc, lacksHost(builder, loc), own, other);
  LLVM::ReturnOp::create(builder, loc, message);
}

LogicalResult hone::addDispatchers(ModuleOp lowered,
                                   const Interface &interface) {
  for (const ExportedFunction &function : interface.functions)
    if (failed(Dispatcher(lowered, interface, function).write()))
      return failure();
  addMessage(lowered, interface);
  return success();
}
