//===- Checks.cpp - Statuses of calls that can fail -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the ops of host code that can fail and puts a check after each.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "passes/Emit/Emit.h"
#include "passes/Emit/Failures.h"
#include "passes/Memory/Buffers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hone;

static constexpr StringLiteral kRequire = "honeRequire";

bool hone::isRequire(Operation *op) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  return call && call.getCallee() == kRequire;
}

//===----------------------------------------------------------------------===//
// Ops that can fail
//===----------------------------------------------------------------------===//

/// True for a call of libhone_rt whose status has no user.
static bool isUnread(Operation *op) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  if (!call)
    return false;
  std::optional<StringRef> callee = call.getCallee();
  return callee &&
         llvm::is_contained({"honeLaunch", "honeCopy", "honeSynchronize",
                             "honeConstant", "honeAssertion"},
                            *callee) &&
         call.use_empty();
}

/// True for an op that upstream lowers to functions without a status.
static bool hasNoStatus(Operation *op) {
  // Such a wait returns the thread's stream.
  if (auto wait = dyn_cast<gpu::WaitOp>(op))
    return !wait.getAsyncToken() || !wait.getAsyncDependencies().empty();
  return isa<gpu::AllocOp, gpu::DeallocOp, gpu::MemcpyOp, gpu::MemsetOp,
             gpu::LaunchFuncOp, gpu::LaunchOp, gpu::HostRegisterOp,
             gpu::HostUnregisterOp, gpu::SetDefaultDeviceOp>(op);
}

/// Calls `visit` with each op of host code, but not with ops of a kernel's
/// body.
static void walkHost(func::FuncOp function,
                     function_ref<void(Operation *)> visit) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    visit(op);
    return isa<gpu::LaunchOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace {
/// Adds checks to a module.
class Checks {
public:
  Checks(ModuleOp module, OnError onError)
      : module(module), onError(onError), symbols(module),
        functions(hostFunctions(module)) {}

  LogicalResult add();

private:
  /// The functions that can fail: those with an op that can, or a call of one.
  llvm::SetVector<Operation *> findFailing();
  bool mayReturnEarly(Operation *op, llvm::SetVector<Operation *> &failing);

  void require(Operation *op, Value status);
  void checkBetweenMarks(Operation *op);
  Value textOf(OpBuilder &builder, Operation *op);
  LLVM::LLVMFuncOp declare(StringRef name, Type result, ArrayRef<Type> types);
  void eraseUnused();

  Type pointer() { return LLVM::LLVMPointerType::get(module.getContext()); }
  Type status() { return IntegerType::get(module.getContext(), 32); }
  Type mark() { return IntegerType::get(module.getContext(), 64); }

  ModuleOp module;
  OnError onError;
  SymbolTable symbols;
  SmallVector<func::FuncOp> functions;
  llvm::StringMap<LLVM::GlobalOp> texts;
};
} // namespace

LLVM::LLVMFuncOp Checks::declare(StringRef name, Type result,
                                 ArrayRef<Type> types) {
  if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return found;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::LLVMFuncOp::create(builder, module.getLoc(), name,
                                  LLVM::LLVMFunctionType::get(result, types));
}

/// "honeLaunch of plan 'mlp' in 'main'".
static std::string describe(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  if (auto call = dyn_cast<LLVM::CallOp>(op)) {
    text = call.getCallee()->str();
    if (text == "honeLaunch")
      if (auto plan = call->getOperand(1).getDefiningOp<LLVM::AddressOfOp>()) {
        StringRef name = plan.getGlobalName();
        name.consume_back("_plan");
        text += " of plan '" + name.str() + "'";
      }
  } else if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
    text += " of kernel '" + launch.getKernelName().str() + "'";
  }
  return text + " in '" + op->getParentOfType<func::FuncOp>().getName().str() +
         "'";
}

Value Checks::textOf(OpBuilder &builder, Operation *op) {
  std::string text = describe(op);
  LLVM::GlobalOp &global = texts[text];
  if (!global) {
    std::string bytes = text + '\0';
    OpBuilder outside(module.getContext());
    global = LLVM::GlobalOp::create(
        outside, op->getLoc(),
        LLVM::LLVMArrayType::get(outside.getI8Type(), bytes.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, "hone_where",
        outside.getStringAttr(bytes));
    symbols.insert(global, module.getBody()->begin());
  }
  return LLVM::AddressOfOp::create(builder, op->getLoc(), global);
}

/// Requires that `status`, which is defined after `op`, is 0.
void Checks::require(Operation *op, Value status) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfterValue(status);
  // An exit needs no message: the failure is in honeLastError.
  Value where =
      onError == OnError::abort
          ? textOf(builder, op)
          : LLVM::ZeroOp::create(builder, op->getLoc(), pointer()).getResult();
  Type none = LLVM::LLVMVoidType::get(op->getContext());
  LLVM::CallOp::create(builder, op->getLoc(),
                       declare(kRequire, none, {this->status(), pointer()}),
                       ValueRange{status, where});
}

void Checks::checkBetweenMarks(Operation *op) {
  OpBuilder builder(op);
  Value before =
      LLVM::CallOp::create(builder, op->getLoc(),
                           declare("honeFailureMark", mark(), {}), ValueRange())
          .getResult();
  builder.setInsertionPointAfter(op);
  auto since = LLVM::CallOp::create(
      builder, op->getLoc(), declare("honeStatusSince", status(), {mark()}),
      before);
  require(op, since.getResult());
}

bool Checks::mayReturnEarly(Operation *op,
                            llvm::SetVector<Operation *> &failing) {
  if (isa<func::CallIndirectOp>(op))
    return true;
  func::FuncOp callee = calledFunction(op);
  return callee && failing.contains(callee);
}

llvm::SetVector<Operation *> Checks::findFailing() {
  llvm::SetVector<Operation *> failing;
  size_t before;
  do {
    before = failing.size();
    for (func::FuncOp function : functions)
      walkHost(function, [&](Operation *op) {
        if (isUnread(op) || hasNoStatus(op) || mayReturnEarly(op, failing))
          failing.insert(function);
      });
  } while (failing.size() > before);
  return failing;
}

/// Erases values that only honeRequire needed.
void Checks::eraseUnused() {
  auto declared = module.lookupSymbol<LLVM::LLVMFuncOp>(kRequire);
  if (declared && SymbolTable::symbolKnownUseEmpty(declared, module))
    declared.erase();
}

LogicalResult Checks::add() {
  llvm::SetVector<Operation *> failing = findFailing();
  for (Operation *function : failing) {
    SmallVector<Operation *> unread, between;
    walkHost(cast<func::FuncOp>(function), [&](Operation *op) {
      if (isUnread(op))
        unread.push_back(op);
      else if (hasNoStatus(op) ||
               (onError == OnError::leave && mayReturnEarly(op, failing)))
        between.push_back(op);
    });
    for (Operation *op : unread)
      require(op, op->getResult(0));
    for (Operation *op : between)
      checkBetweenMarks(op);
    if (onError == OnError::leave &&
        failed(addExits(cast<func::FuncOp>(function))))
      return failure();
  }
  eraseUnused();
  return success();
}

LogicalResult hone::checkFailures(ModuleOp module, OnError onError) {
  return onError == OnError::handler ? success()
                                     : Checks(module, onError).add();
}
