//===- Support.cpp - Arch names and scalars -------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The query of the driver for the machine's GPU is here and not in
// lib/Schedule, which has only tables.
//
//===----------------------------------------------------------------------===//

#include "passes/Support.h"
#include "hone-c/Runtime.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Arch
//===----------------------------------------------------------------------===//

static llvm::Expected<Arch> lookupNative() {
  HoneDeviceInfo info = {};
  if (honeDeviceInfo(/*device=*/0, &info) == HONE_OK)
    return Arch::lookupDevice(info.capability, info.name, info.processors);
  return llvm::createStringError(Twine("arch 'native': ") + honeLastError() +
                                 "; use an arch by name, or host");
}

llvm::Expected<Arch> hone::resolveArchName(StringRef name) {
  return name == "native" ? lookupNative() : Arch::lookup(name);
}

std::optional<Arch> hone::resolveArchOption(ModuleOp module, StringRef name) {
  llvm::Expected<Arch> arch = resolveArchName(name);
  if (arch)
    return *arch;
  // The place of a module is not a place in its file.
  emitError(UnknownLoc::get(module.getContext()))
      << llvm::toString(arch.takeError());
  return std::nullopt;
}

LogicalResult hone::forGpu(ModuleOp module, StringRef name,
                           function_ref<LogicalResult(const Arch &)> run) {
  std::optional<Arch> arch = resolveArchOption(module, name);
  if (!arch)
    return failure();
  return arch->isHost() ? success() : run(*arch);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

std::string hone::placePrefix(Location location) {
  if (isa<UnknownLoc>(location))
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = dyn_cast<FileLineColLoc>(location))
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn();
  else
    os << location;
  return text + ": ";
}

std::optional<int64_t> hone::bytesOfElement(Type type) {
  constexpr int64_t kMax = 16;
  if (auto complex = dyn_cast<ComplexType>(type)) {
    auto part = bytesOfElement(complex.getElementType());
    return part ? std::optional(2 * *part) : std::nullopt;
  }
  if (auto vector = dyn_cast<VectorType>(type);
      vector && vector.getRank() > 0 && !vector.isScalable()) {
    // LLVM has arrays of vectors, whose bits have no gaps.
    uint64_t bits = vector.getElementTypeBitWidth() * vector.getShape().back();
    return llvm::PowerOf2Ceil(llvm::divideCeil(bits, 8)) *
           llvm::product_of(vector.getShape().drop_back());
  }
  if (!type.isIntOrIndexOrFloat())
    return std::nullopt;
  uint64_t bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  int64_t bytes = llvm::PowerOf2Ceil(llvm::divideCeil(bits, 8));
  return bytes <= kMax ? std::optional(bytes) : std::nullopt;
}

Value hone::convertScalar(OpBuilder &builder, Location loc, Value value,
                          Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  bool widens = from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth();
  if (isa<IntegerType>(from) && isa<FloatType>(type))
    return arith::SIToFPOp::create(builder, loc, type, value);
  if (isa<IntegerType>(from))
    return widens ? Value(arith::ExtSIOp::create(builder, loc, type, value))
                  : Value(arith::TruncIOp::create(builder, loc, type, value));
  return widens ? Value(arith::ExtFOp::create(builder, loc, type, value))
                : Value(arith::TruncFOp::create(builder, loc, type, value));
}
