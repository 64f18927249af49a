//===- PlansHold.cpp - Fuzzer of launch plans for small extents -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-fuzz-plans draws matmuls with an extent of 0, 1 or 2, of all types, in
// any layout, for every arch. The schedule is the default, one of any kind, or
// a build's choice. It builds the kernels and evaluates the host's arguments of
// each launch: it walks the host's code over memrefs with drawn extents,
// strides and addresses. Some alternative of the plan must hold. The last line
// counts:
//
//   5000 have an alternative, 0 have none, 0 failed
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "SmallMatmul.h"
#include "dialects/Kernel/Kernel.h"
#include "hone/Runtime/PlanArguments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hone;
using namespace hone::fuzz;

namespace {

/// A memref at run time.
struct Memory {
  int64_t address = 0, offset = 0;
  SmallVector<int64_t> sizes, strides;
};

/// Computes numbers of the host's code, whose memrefs are arguments.
class Host {
public:
  explicit Host(const DenseMap<Value, Memory> &memories) : memories(memories) {}

  int64_t evaluate(Value value) {
    Operation *op = value.getDefiningOp();
    auto operand = [&](unsigned index) {
      return evaluate(op->getOperand(index));
    };
    auto memory = [&]() -> const Memory & {
      return memories.at(op->getOperand(0));
    };
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return cast<IntegerAttr>(constant.getValue()).getInt();
    if (isa<arith::IndexCastOp>(op))
      return operand(0);
    if (isa<arith::AddIOp>(op))
      return operand(0) + operand(1);
    if (isa<arith::MulIOp>(op))
      return operand(0) * operand(1);
    if (isa<arith::DivUIOp>(op))
      return uint64_t(operand(0)) / uint64_t(operand(1));
    if (isa<memref::DimOp>(op))
      return memory().sizes[operand(1)];
    if (isa<memref::ExtractAlignedPointerAsIndexOp>(op))
      return memory().address;
    if (auto parts = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
      if (value == parts.getOffset())
        return memory().offset;
      for (auto [result, stride] :
           llvm::zip(parts.getStrides(), memory().strides))
        if (value == result)
          return stride;
    }
    llvm::report_fatal_error("expected host code of launch arguments, but got "
                             "another op; teach it to Host::evaluate");
  }

private:
  const DenseMap<Value, Memory> &memories;
};

/// Memrefs that are legal arguments of the function.
class Caller {
public:
  Caller(func::FuncOp function, const Extents &extents, Random &random)
      : random(random) {
    for (auto [i, argument] : llvm::enumerate(function.getArguments()))
      memories[argument] =
          draw(cast<MemRefType>(argument.getType()), extents.dims[i], extents);
  }
  const DenseMap<Value, Memory> &get() const { return memories; }

private:
  /// The letters of the dimensions show which extents must be equal.
  Memory draw(MemRefType type, StringRef letters, const Extents &extents) {
    Memory memory;
    memory.address = 16 * (1 + random.below(1 << 20));
    auto [strides, offset] = type.getStridesAndOffset();
    memory.offset = ShapedType::isDynamic(offset) ? random.below(50) : offset;
    for (char letter : letters)
      memory.sizes.push_back(extents.of(letter));
    int64_t reached = 1;
    memory.strides.resize(type.getRank());
    for (int64_t dim = type.getRank(); dim-- > 0;) {
      int64_t stride = strides[dim];
      if (ShapedType::isDynamic(stride)) {
        bool isDense = type.getLayout().isIdentity();
        // Elements of C must be distinct, so only inner strides have gaps.
        stride = reached + (isDense || dim > 0 ? 0 : random.below(9));
        if (!isDense && random.chance(10))
          stride = -stride;
      }
      memory.strides[dim] = stride;
      // For memrefs with gaps an upper bound of the offsets is enough.
      reached =
          type.getLayout().isIdentity()
              ? stride * memory.sizes[dim]
              : std::max(reached, std::abs(stride) *
                                      std::max<int64_t>(memory.sizes[dim], 1));
    }
    return memory;
  }

  Random &random;
  DenseMap<Value, Memory> memories;
};

LaunchPlan planOf(ModuleOp module, kernel::LaunchOp launch) {
  auto kernels = module.lookupSymbol<gpu::GPUModuleOp>(
      launch.getPlan().getRootReference());
  return kernel::planOf(kernels, launch).getValue();
}

/// True if every launch of the module has an alternative, for some calls.
bool hold(ModuleOp module, const SmallMatmul &matmul, Random &random) {
  constexpr int64_t kCalls = 4;
  auto function = *module.getOps<func::FuncOp>().begin();
  bool allHold = true;
  for (int64_t call = 0; call < kCalls; ++call) {
    Extents extents = matmul.drawExtents(random);
    Caller caller(function, extents, random);
    function.walk([&](kernel::LaunchOp launch) {
      LaunchPlan plan = planOf(module, launch);
      Host host(caller.get());
      std::vector<int64_t> values;
      for (Value arg : launch.getArgs())
        values.push_back(host.evaluate(arg));
      if (chosenAlternative(plan, values))
        return;
      allHold = false;
      llvm::errs() << "no alternative of\n" << plan.str() << "holds for";
      for (auto [name, value] : llvm::zip(plan.args, values))
        llvm::errs() << " " << name << " = " << value;
      llvm::errs() << "\n";
    });
  }
  return allHold;
}

} // namespace

static SmallMatmul matmulOf(const Options &options, int64_t number) {
  Random random(uint64_t(options.seed) * 1000003 + number);
  return drawSmallMatmul(random);
}

/// Runs in a child.
static bool runCase(MLIRContext &context, const SmallMatmul &matmul,
                    int64_t number) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(matmul.module, &context);
  FailureOr<OpPassManager> parsed =
      parsePassPipeline(matmul.pipeline(), llvm::errs());
  if (!module || failed(parsed))
    return false;
  PassManager passes(&context);
  static_cast<OpPassManager &>(passes) = std::move(*parsed);
  Random random(number);
  return succeeded(passes.run(*module)) && hold(*module, matmul, random);
}

int main(int argc, char **argv) {
  Options options = Options::parse(argc, argv);
  std::unique_ptr<MLIRContext> context = makeContext();
  int64_t good = 0, without = 0, failed = 0;
  forEachCase(
      options,
      [&](int64_t number) {
        SmallMatmul matmul = matmulOf(options, number);
        return FuzzCase{number, "// hone-opt --pass-pipeline=\"" +
                                    matmul.pipeline() + "\"\n" + matmul.module};
      },
      [&](const FuzzCase &fuzzCase) {
        return runCase(*context, matmulOf(options, fuzzCase.number),
                       fuzzCase.number);
      },
      [&](const FuzzCase &fuzzCase, const CaseReport &report) {
        bool isOpen = StringRef(report.output).contains("no alternative of");
        good += report.ending == Ending::good;
        without += report.ending != Ending::good && isOpen;
        failed += report.ending != Ending::good && !isOpen;
        if (report.ending != Ending::good)
          keepCase(options, fuzzCase, report);
      });
  llvm::outs() << good << " have an alternative, " << without << " have none, "
               << failed << " failed\n";
  return without || failed ? 1 : 0;
}
