//===- Mistakes.cpp - Mistakes in kernels, one at a time ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a kernel op by op; the other files Mistakes*.cpp have the lists.
//
//===----------------------------------------------------------------------===//

#include "MistakeList.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone;
using namespace hone::test;
using llvm::StringRef;

StringRef hone::test::toString(Cause cause) {
  constexpr StringRef kWords[] = {"waits",  "counts", "clears", "clips",
                                  "shares", "plan",   "orders"};
  return kWords[static_cast<size_t>(cause)];
}

//===----------------------------------------------------------------------===//
// Small changes
//===----------------------------------------------------------------------===//

int64_t hone::test::clusterOf(gpu::GPUFuncOp kernel) {
  auto sizes = kernel->getAttrOfType<DenseI32ArrayAttr>(
      NVVM::NVVMDialect::getClusterDimAttrName());
  return sizes ? sizes[0] : 1;
}

void hone::test::addToAttribute(Operation *op, StringRef name, int64_t by) {
  auto before = op->getAttrOfType<IntegerAttr>(name);
  op->setAttr(name, IntegerAttr::get(before.getType(), before.getInt() + by));
}

Value hone::test::constantLike(OpBuilder &builder, Value like, int64_t value) {
  return arith::ConstantOp::create(
      builder, like.getLoc(), builder.getIntegerAttr(like.getType(), value));
}

void hone::test::addToOperand(Operation *op, unsigned number, int64_t by) {
  OpBuilder builder(op);
  Value before = op->getOperand(number);
  op->setOperand(number,
                 arith::AddIOp::create(builder, op->getLoc(), before,
                                       constantLike(builder, before, by)));
}

void hone::test::shiftOperand(Operation *op, unsigned number, int64_t by,
                              int64_t modulus) {
  addToOperand(op, number, by);
  OpBuilder builder(op);
  Value sum = op->getOperand(number);
  op->setOperand(number,
                 arith::RemUIOp::create(builder, op->getLoc(), sum,
                                        constantLike(builder, sum, modulus)));
}

void hone::test::guardByZero(Operation *op, Value value) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       value, constantLike(builder, value, 0));
  auto branch = scf::IfOp::create(builder, loc, isZero);
  op->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

MistakeList::MistakeList(gpu::GPUFuncOp kernel, const Problem &problem)
    : cluster(clusterOf(kernel)) {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *each) {
    op = each;
    listWaits(*this);
    listCounts(*this);
    listClears(*this);
    listClips(*this);
    listShares(*this);
    listRegisters(*this);
    listMixups(*this);
    listSizes(*this);
    listHidden(*this);
    if (problem.numbers.isInvariant())
      listOrders(*this);
    ++index;
  });
  listMerges(*this, kernel);
}

void MistakeList::add(Cause cause, StringRef kind, const llvm::Twine &detail,
                      Make make) {
  Mistake mistake;
  mistake.cause = cause;
  mistake.kind = kind.str();
  mistake.op = op->getName().getStringRef().str();
  mistake.detail = detail.str();
  mistake.index = index;
  mistake.make = std::move(make);
  list.push_back(std::move(mistake));
}

std::vector<Mistake> hone::test::mistakesIn(gpu::GPUFuncOp kernel,
                                            const Problem &problem) {
  return std::move(MistakeList(kernel, problem).list);
}

//===----------------------------------------------------------------------===//
// Mutants
//===----------------------------------------------------------------------===//

Operation *hone::test::operationAt(gpu::GPUFuncOp kernel, size_t wanted) {
  Operation *found = nullptr;
  size_t index = 0;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (index++ == wanted)
      found = op;
  });
  return found;
}

// The copy stays in the kernel's module, whose attributes give the target.
Mutant::Mutant(gpu::GPUFuncOp kernel, const Mistake &mistake)
    : copy(kernel.clone()) {
  kernel->getBlock()->push_back(copy);
  if (mistake.make)
    mistake.make(operationAt(copy, mistake.index));
}
