//===- Seeds.cpp - Faults planted in emitted programs ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Seeds.h.
//
//===----------------------------------------------------------------------===//

#include "Seeds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace hone;
using namespace hone::seeds;

std::vector<LLVM::CallOp> Emitted::calls(StringRef name) {
  std::vector<LLVM::CallOp> found;
  module.walk([&](LLVM::CallOp call) {
    if (call.getCallee() == name)
      found.push_back(call);
  });
  return found;
}

LLVM::GlobalOp Emitted::planOf(size_t launch) {
  LLVM::CallOp call = calls("honeLaunch").at(launch);
  auto address = call.getArgOperands()[1].getDefiningOp<LLVM::AddressOfOp>();
  return module.lookupSymbol<LLVM::GlobalOp>(address.getGlobalName());
}

LaunchPlan Emitted::parse(size_t launch) {
  LaunchPlan plan;
  StringRef text = cast<StringAttr>(*planOf(launch).getValue()).getValue();
  std::string why = LaunchPlan::parse(text.str().c_str(), plan);
  if (!why.empty())
    llvm::report_fatal_error(llvm::StringRef(why));
  return plan;
}

void Emitted::changePlan(size_t launch,
                         llvm::function_ref<void(LaunchPlan &)> change) {
  LaunchPlan plan = parse(launch);
  change(plan);
  std::string text = plan.str() + '\0';
  LLVM::GlobalOp global = planOf(launch);
  Builder builder(module.getContext());
  global.setGlobalType(
      LLVM::LLVMArrayType::get(builder.getI8Type(), text.size()));
  global.setValueAttr(builder.getStringAttr(text));
}

LLVM::StoreOp Emitted::argument(size_t launch, StringRef name) {
  LaunchPlan plan = parse(launch);
  int64_t index = llvm::find(plan.args, name.str()) - plan.args.begin();
  LLVM::CallOp call = calls("honeLaunch").at(launch);
  Value array = call.getArgOperands()[2];
  for (Operation *user : array.getUsers()) {
    auto place = dyn_cast<LLVM::GEPOp>(user);
    if (place && place.getRawConstantIndices()[0] == index)
      return cast<LLVM::StoreOp>(*place->getUsers().begin());
  }
  llvm::report_fatal_error("expected an argument of this name");
}

void Emitted::setArgument(size_t launch, StringRef name, int64_t value) {
  LLVM::StoreOp store = argument(launch, name);
  OpBuilder builder(store);
  store.getValueMutable().assign(LLVM::ConstantOp::create(
      builder, store.getLoc(), builder.getI64IntegerAttr(value)));
}

void Emitted::moveArgument(size_t launch, StringRef name, int64_t by) {
  LLVM::StoreOp store = argument(launch, name);
  OpBuilder builder(store);
  Value distance = LLVM::ConstantOp::create(builder, store.getLoc(),
                                            builder.getI64IntegerAttr(by));
  store.getValueMutable().assign(
      LLVM::AddOp::create(builder, store.getLoc(), store.getValue(), distance));
}

void Emitted::copyArgument(size_t launch, StringRef to, StringRef from) {
  LLVM::StoreOp store = argument(launch, to);
  LLVM::StoreOp other = argument(launch, from);
  Value value = other.getValue();
  store->moveBefore(calls("honeLaunch").at(launch));
  store.getValueMutable().assign(value);
}

void Emitted::swapArguments(size_t launch, StringRef one, StringRef other) {
  LLVM::StoreOp first = argument(launch, one);
  LLVM::StoreOp second = argument(launch, other);
  Value value = first.getValue();
  first->moveBefore(calls("honeLaunch").at(launch));
  second->moveBefore(calls("honeLaunch").at(launch));
  first.getValueMutable().assign(second.getValue());
  second.getValueMutable().assign(value);
}

void Emitted::swapLaunches(size_t first, size_t second) {
  std::vector<LLVM::CallOp> launches = calls("honeLaunch");
  LLVM::CallOp moved = launches.at(first);
  moved->moveAfter(launches.at(second));
  // The users of its status move after it.
  for (Operation *user : llvm::make_early_inc_range(moved->getUsers()))
    user->moveAfter(moved);
}

void Emitted::eraseLaunch(size_t launch) {
  LLVM::CallOp call = calls("honeLaunch").at(launch);
  OpBuilder builder(call);
  Value zero = LLVM::ConstantOp::create(builder, call.getLoc(),
                                        builder.getI32IntegerAttr(0));
  call->replaceAllUsesWith(ValueRange{zero});
  call.erase();
}
