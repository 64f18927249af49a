//===- Records.cpp - Records of launch operands ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Records.h. Only upstream's ops compute the recorded descriptors.
//
//===----------------------------------------------------------------------===//

#include "Records.h"
#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::emulate;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// In the module
//===----------------------------------------------------------------------===//

/// Stores the descriptor of `memref` from `words[at]` on.
static void storeWords(OpBuilder &builder, Location loc, Value memref,
                       Value words, int64_t &at) {
  auto store = [&](Value index) {
    Value word =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
    Value place = arith::ConstantIndexOp::create(builder, loc, at++);
    memref::StoreOp::create(builder, loc, word, words, place);
  };
  store(memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref));
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  store(metadata.getOffset());
  llvm::for_each(metadata.getSizes(), store);
  llvm::for_each(metadata.getStrides(), store);
}

static func::FuncOp declareRecord(ModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  Type i64 = builder.getI64Type();
  Type words = MemRefType::get({ShapedType::kDynamic}, i64);
  auto record = func::FuncOp::create(builder, module.getLoc(), kRecordName,
                                     builder.getFunctionType({i64, words}, {}));
  record.setPrivate();
  return record;
}

/// Inserts the call before `op`, for the last added record.
void Records::addCall(Operation *op, ValueRange memrefs) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  int64_t count = 0, at = 0;
  for (const LaunchRecord::Operand &operand : records.back().operands)
    count += 2 + 2 * operand.rank;
  Value words = memref::AllocOp::create(
      builder, loc, MemRefType::get({count}, builder.getI64Type()));
  for (Value memref : memrefs)
    storeWords(builder, loc, memref, words, at);
  Value any =
      memref::CastOp::create(builder, loc, callee.getArgumentTypes()[1], words);
  Value number =
      arith::ConstantIntOp::create(builder, loc, records.size() - 1, 64);
  func::CallOp::create(builder, loc, callee, ValueRange{number, any});
  memref::DeallocOp::create(builder, loc, words);
}

static LaunchRecord::Operand describe(Operation *op, std::string name,
                                      Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t bytes = DataLayout::closest(op).getTypeSize(type.getElementType());
  return {std::move(name), size_t(type.getRank()), bytes, ElementType::f32, ""};
}

static std::string placeOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream(text) << op->getLoc();
  return text;
}

/// Letters of an image's dimensions.
static StringRef imageLetters(WindowAttr window) {
  return window.getSize().size() == 1 ? "ixc" : "iyxc";
}

static WindowArguments windowOf(WindowAttr window, ShapedType image) {
  WindowArguments of;
  int64_t sides = window.getSize().size();
  for (int64_t side = 0; side < sides; ++side) {
    WindowArguments::Side &to = side == sides - 1 ? of.w : of.h;
    to.out = window.countAlong(side, image.getDimSize(side + 1));
    to.filter = window.getSize()[side];
    to.step = window.getStep()[side];
    to.dilation = window.getDilation()[side];
    to.pad = window.getLow()[side];
  }
  return of;
}

void Records::addProduct(Operation *operation) {
  auto op = cast<MatmulOp>(operation);
  LaunchRecord &record = records.emplace_back();
  record.place = placeOf(op);
  record.reference.emplace(op);
  record.batches = op.getBatches().str();
  auto add = [&](std::string name, Value memref, StringRef letters) {
    LaunchRecord::Operand &added =
        record.operands.emplace_back(describe(op, std::move(name), memref));
    added.letters = letters.str();
    Type element = cast<MemRefType>(memref.getType()).getElementType();
    added.type = toAnyElementType(element).value_or(ElementType::f32);
  };
  WindowAttr window = op.getWindowAttr();
  if (window)
    record.window = windowOf(window, cast<ShapedType>(op.getA().getType()));
  // Rows that are read through an index have a number of their own.
  add("a", op.getA(),
      window           ? imageLetters(window)
      : op.getGather() ? "rk"
                       : op.getLettersA());
  add("b", op.getB(), op.getLettersB());
  add("c", op.getC(), op.getLettersC());
  for (auto [i, operand] : llvm::enumerate(op.getEpilogueOperands()))
    add("e" + std::to_string(i), operand, op.getDimsOf(i));
  if (op.getRagged())
    add("segments", op.getEnds(), "b");
  if (op.getGather())
    add("index", op.getIndex(), "m");
  SmallVector<Value> memrefs = {op.getA(), op.getB(), op.getC()};
  llvm::append_range(memrefs, op.getFurther());
  addCall(op, memrefs);
}

void Records::addRest(func::CallOp call) {
  LaunchRecord &record = records.emplace_back();
  record.place = placeOf(call);
  SmallVector<Value> memrefs;
  for (auto [i, operand] : llvm::enumerate(call.getOperands()))
    if (isa<MemRefType>(operand.getType())) {
      memrefs.push_back(operand);
      record.operands.push_back(
          describe(call, "p" + std::to_string(i), operand));
    }
  addCall(call, memrefs);
}

llvm::Error Records::add(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    auto call = dyn_cast<func::CallOp>(op);
    auto called =
        call ? module.lookupSymbol<func::FuncOp>(call.getCallee()) : nullptr;
    if (isa<MatmulOp>(op) || (called && called->hasAttr(kernel::kRestAttr)))
      ops.push_back(op);
  });
  callee = declareRecord(module);
  for (Operation *op : ops) {
    auto matmul = dyn_cast<MatmulOp>(op);
    if (!matmul)
      addRest(cast<func::CallOp>(op));
    else if (!isa<MemRefType>(matmul.getC().getType()))
      return llvm::createStringError(
          formatv("{0}: expected a matmul in memory", placeOf(op)));
    else if (!matmul.getArchAttr().getValue().isHost())
      addProduct(op);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// In the run
//===----------------------------------------------------------------------===//

int64_t LaunchedRecord::Operand::bytes(int64_t elementBytes) const {
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    if (size <= 0)
      return 0;
    last += (size - 1) * stride;
  }
  return (last + 1) * elementBytes;
}

std::vector<std::pair<int64_t, int64_t>>
LaunchedRecord::Operand::lines(int64_t elementBytes) const {
  if (bytes(elementBytes) == 0)
    return {};
  // Adjacent elements form one line.
  std::vector<std::pair<int64_t, int64_t>> lines = {
      {address, address + elementBytes}};
  for (size_t dim = sizes.size(); dim-- > 0;) {
    int64_t step = strides[dim] * elementBytes;
    if (lines.size() == 1 && lines[0].second - lines[0].first == step) {
      lines[0].second += (sizes[dim] - 1) * step;
      continue;
    }
    size_t count = lines.size();
    for (int64_t i = 1; i < sizes[dim]; ++i)
      for (size_t line = 0; line < count; ++line)
        lines.push_back(
            {lines[line].first + i * step, lines[line].second + i * step});
  }
  llvm::sort(lines);
  return lines;
}

bool LaunchedRecord::overlap(size_t one, size_t other) const {
  auto bytesOf = [&](size_t i) { return record->operands[i].elementBytes; };
  const Operand &left = operands[one], &right = operands[other];
  if (left.address + left.bytes(bytesOf(one)) <= right.address ||
      right.address + right.bytes(bytesOf(other)) <= left.address)
    return false;
  auto inLeft = left.lines(bytesOf(one)), inRight = right.lines(bytesOf(other));
  for (size_t i = 0, j = 0; i < inLeft.size() && j < inRight.size();) {
    if (inLeft[i].first < inRight[j].second &&
        inRight[j].first < inLeft[i].second)
      return true;
    inLeft[i].second < inRight[j].second ? ++i : ++j;
  }
  return false;
}

int64_t LaunchedRecord::extentOf(char letter) const {
  for (auto [known, operand] : llvm::zip_equal(record->operands, operands))
    if (size_t dim = known.letters.find(letter); dim != std::string::npos)
      return operand.sizes[dim];
  return 1;
}

StringRef LaunchedRecord::loops() const {
  constexpr size_t kOfKernels = 2;
  StringRef batches = record->batches;
  return batches.drop_back(std::min(batches.size(), kOfKernels));
}

int64_t LaunchedRecord::launchesWanted() const {
  int64_t count = 1;
  for (char letter : loops())
    count *= extentOf(letter);
  return count;
}

LaunchedRecord Records::read(int64_t number, ArrayRef<int64_t> words) const {
  LaunchedRecord launched = {&records[number], {}};
  for (const LaunchRecord::Operand &operand : launched.record->operands) {
    size_t rank = operand.rank;
    launched.operands.push_back({words[0] + words[1] * operand.elementBytes,
                                 words.slice(2, rank).vec(),
                                 words.slice(2 + rank, rank).vec()});
    words = words.drop_front(2 + 2 * rank);
  }
  return launched;
}
