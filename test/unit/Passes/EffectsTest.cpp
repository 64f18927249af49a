//===- EffectsTest.cpp - Effects of the kernel ops against their lowering -===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kernel has one op that does something. Every effect that the op states
// needs an instruction of the lowered kernel, and every instruction an effect.
// Which instructions belong to an effect stands here alone.
//
//===----------------------------------------------------------------------===//

#include "KernelCases.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/KernelInterfaces.h"
#include "dialects/Kernel/Modelled.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Passes.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace mlir;
using namespace hone;
using namespace hone::kernel;
using namespace hone::test;

namespace {

using Words = std::set<std::string>;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

const char *spaceOf(Value pointer) {
  unsigned space =
      cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace();
  return space == 1 ? "global" : space == 3 ? "shared" : "cluster";
}

/// Instructions that only read ids and elect threads: no effect needs them.
bool isAuxiliary(StringRef name) {
  return name.starts_with("nvvm.read.ptx.sreg") || name == "nvvm.elect.sync" ||
         name == "nvvm.shfl.sync" || name == "nvvm.setmaxregister" ||
         name == "nvvm.convert.float.to.tf32";
}

/// The families of inline PTX, each named by a part of its text.
void addPtx(StringRef text, Words &families) {
  for (const char *part :
       {"ld.global", "st.global", "ld.shared", "st.shared", "ld.acquire",
        "atom.", "mma.sync", "wgmma.mma_async", "wgmma.wait_group",
        "mbarrier.arrive", "mbarrier.try_wait", "fence.", "barrier.sync",
        "ld.volatile", "cp.async"})
    if (text.contains(part))
      families.insert(part);
}

Words familiesOf(ModuleOp module) {
  Words families;
  module.walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      families.insert(load.getOrdering() == LLVM::AtomicOrdering::acquire
                          ? "ld.acquire"
                          : std::string("ld.") + spaceOf(load.getAddr()));
    else if (auto store = dyn_cast<LLVM::StoreOp>(op))
      families.insert(std::string("st.") + spaceOf(store.getAddr()));
    else if (auto ptx = dyn_cast<LLVM::InlineAsmOp>(op))
      addPtx(ptx.getAsmString(), families);
    else if (auto depend = dyn_cast<NVVM::GriddepcontrolOp>(op))
      families.insert(("griddepcontrol." +
                       NVVM::stringifyGridDepActionKind(depend.getKind()))
                          .str());
    else if (isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp, LLVM::FenceOp>(op) ||
             (name.starts_with("nvvm.") && !isAuxiliary(name)))
      families.insert(name.str());
    if (auto bulk =
            dyn_cast<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(op);
        bulk && bulk.getMulticastMask())
      families.insert("multicast");
  });
  return families;
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

std::string wordsOf(const Effect &effect) {
  constexpr const char *kKinds[] = {
      "address",  "compute", "read",   "write",        "prefetch", "init",
      "arrive",   "expect",  "land",   "wait",         "meet",     "meetArrive",
      "meetWait", "fence",   "commit", "waitCommitted"};
  constexpr const char *kMemories[] = {"",           " registers", " shared",
                                       " cluster",   " global",    " workspace",
                                       " tensorMap", " launches"};
  constexpr const char *kEngines[] = {"", " copies", " stores", " products"};
  std::string words = std::string(kKinds[int(effect.kind)]) +
                      kMemories[int(effect.memory)] +
                      kEngines[int(effect.engine)];
  if (effect.proxy == Proxy::async && effect.engine == Engine::none)
    words += " async";
  bool isWarp =
      effect.kind == EffectKind::compute && effect.executor == Executor::warp;
  return isWarp ? words + " warp" : words;
}

Words effectsOf(ModuleOp module) {
  Words words;
  module.walk([&](KernelEffectsOpInterface op) {
    for (const Effect &effect : op.getKernelEffects())
      words.insert(wordsOf(effect));
  });
  // No instruction of their own.
  words.erase("address");
  words.erase("compute registers");
  return words;
}

/// An effect needs one of the instructions in each of its rows.
struct Row {
  const char *effect;
  Words instructions;
};

const char kBulkLoad[] = "nvvm.cp.async.bulk.tensor.shared.cluster.global";
const char kMulticast[] = "multicast";
const char kBulkStore[] = "nvvm.cp.async.bulk.tensor.global.shared.cta";
const char kProduct[] = "wgmma.mma_async";

const std::vector<Row> &rows() {
  static const std::vector<Row> rows = {
      {"read global", {"ld.global"}},
      {"write global", {"st.global"}},
      {"read shared", {"ld.shared", "nvvm.ldmatrix"}},
      {"write shared", {"st.shared", "nvvm.stmatrix"}},
      {"read cluster", {"ld.cluster"}},
      {"read cluster", {"nvvm.mapa"}},
      {"compute registers warp", {"nvvm.mma.sync", "mma.sync"}},
      {"read global copies", {"nvvm.cp.async.shared.global", "ld.global"}},
      {"write shared copies", {"nvvm.cp.async.shared.global", "st.shared"}},
      {"commit copies", {"nvvm.cp.async.commit.group"}},
      {"waitCommitted copies", {"nvvm.cp.async.wait.group"}},
      {"init shared", {"nvvm.mbarrier.init"}},
      {"fence cluster", {"nvvm.fence.mbarrier.init"}},
      {"wait shared", {"mbarrier.try_wait"}},
      {"arrive shared",
       {"nvvm.mbarrier.arrive", "nvvm.mbarrier.arrive.expect_tx"}},
      {"expect shared", {"nvvm.mbarrier.arrive.expect_tx"}},
      {"arrive cluster", {"nvvm.mbarrier.arrive"}},
      {"arrive cluster", {"nvvm.mapa"}},
      {"meet shared", {"nvvm.barrier0", "nvvm.barrier"}},
      {"meet cluster", {"nvvm.cluster.arrive"}},
      {"meet cluster", {"nvvm.cluster.wait"}},
      {"meetArrive cluster", {"nvvm.cluster.arrive"}},
      {"meetWait cluster", {"nvvm.cluster.wait"}},
      {"fence shared async", {"nvvm.fence.proxy"}},
      {"fence registers async", {"nvvm.wgmma.fence.aligned"}},
      {"arrive launches", {"griddepcontrol.launch_dependents"}},
      {"wait launches", {"griddepcontrol.wait"}},
      {"prefetch tensorMap", {"nvvm.prefetch"}},
      {"prefetch global async", {"nvvm.cp.async.bulk.tensor.prefetch"}},
      {"read global async", {kBulkLoad}},
      {"write shared async", {kBulkLoad}},
      {"land shared async", {kBulkLoad}},
      {"write cluster async", {kBulkLoad}},
      {"write cluster async", {kMulticast}},
      {"land cluster async", {kBulkLoad}},
      {"read shared stores", {kBulkStore}},
      {"write global stores", {kBulkStore}},
      {"commit stores", {"nvvm.cp.async.bulk.commit.group"}},
      {"waitCommitted stores", {"nvvm.cp.async.bulk.wait_group"}},
      {"read shared products", {kProduct}},
      {"write registers products", {kProduct}},
      {"commit products", {"nvvm.wgmma.commit.group.sync.aligned"}},
      {"waitCommitted products", {"nvvm.wgmma.wait.group.sync.aligned"}},
      {"read workspace", {"ld.global"}},
      {"write workspace", {"st.global"}},
      {"fence workspace", {"llvm.fence"}},
      {"arrive workspace", {"llvm.atomicrmw"}},
      {"wait workspace", {"ld.acquire"}},
  };
  return rows;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

class KernelEffects : public testing::Test {
protected:
  KernelEffects() {
    context.loadDialect<KernelDialect, gpu::GPUDialect, arith::ArithDialect,
                        scf::SCFDialect, math::MathDialect, LLVM::LLVMDialect,
                        NVVM::NVVMDialect>();
  }

  OwningOpRef<ModuleOp> parse(const KernelCase &each) {
    std::string body = each.body;
    if (each.inRole)
      body = "kernel.role \"all\" warps 4 {\n^bb0(%g: i32):\n" + body + "\n}";
    return parseSourceString<ModuleOp>(
        R"(gpu.module @m [#nvvm.target<chip = "sm_90a">] attributes {hone.plans = {}} {
  gpu.func @k(%map: !kernel.map<64 x 64 x f16, rank = 2>,
      %matrix: !kernel.matrix<f16, align = 16>, %narrow: !kernel.matrix<f16, align = 2>,
      %out: !kernel.matrix<f32, align = 16>, %ws: !kernel.buffer<f32>,
      %ends: !kernel.buffer<i32>, %i: i32, %j: i32)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
)" + body + "\ngpu.return\n}\n}",
        &context);
  }

  MLIRContext context;
};

TEST_F(KernelEffects, AreThoseOfTheLowering) {
  for (const KernelCase &each : kKernelCases) {
    SCOPED_TRACE(each.name);
    OwningOpRef<ModuleOp> module = parse(each);
    ASSERT_TRUE(module);
    Words effects = effectsOf(*module);
    ASSERT_FALSE(effects.empty());
    PassManager passes(&context);
    passes.addPass(createLowerKernel());
    ASSERT_TRUE(succeeded(passes.run(*module)));
    Words found = familiesOf(*module), explained, known;
    for (const Row &row : rows()) {
      if (!effects.count(row.effect))
        continue;
      known.insert(row.effect);
      bool isThere = false;
      for (const std::string &instruction : row.instructions)
        if (found.count(instruction)) {
          isThere = true;
          explained.insert(instruction);
        }
      EXPECT_TRUE(isThere) << "no instruction for: " << row.effect;
    }
    EXPECT_EQ(known, effects) << "an effect has no row";
    EXPECT_EQ(explained, found) << "an instruction has no effect";
  }
}

// Where the hardware needs all threads of a warp, the op says so: the proof
// reports such an op in a role of one thread.
TEST_F(KernelEffects, SayWhereWholeWarpsExecute) {
  size_t count = 0;
  for (const KernelCase &each : kKernelCases) {
    SCOPED_TRACE(each.name);
    OwningOpRef<ModuleOp> module = parse(each);
    ASSERT_TRUE(module);
    bool isAligned = false;
    module->walk([&](Operation *op) { isAligned |= isForWholeWarps(op); });
    PassManager passes(&context);
    passes.addPass(createLowerKernel());
    ASSERT_TRUE(succeeded(passes.run(*module)));
    Words found = familiesOf(*module);
    for (const char *instruction :
         {"nvvm.ldmatrix", "nvvm.stmatrix", "nvvm.mma.sync", "mma.sync",
          "wgmma.mma_async", "nvvm.barrier0", "nvvm.barrier"})
      if (found.count(instruction)) {
        ++count;
        EXPECT_TRUE(isAligned) << instruction;
      }
  }
  EXPECT_GE(count, 6u);
}

// Every op that has the interface is in a kernel above, or computes only.
TEST_F(KernelEffects, OfEveryOpAreTested) {
  std::set<StringRef> tested;
  for (const KernelCase &each : kKernelCases)
    parse(each)->walk(
        [&](Operation *op) { tested.insert(op->getName().getStringRef()); });
  const std::set<StringRef> inRegistersOrPlaces = {
      "kernel.tile",  "kernel.matrix",  "kernel.operand",
      "kernel.slice", "kernel.worker",  "kernel.cluster.rank",
      "kernel.fma",   "kernel.acc.add", "kernel.epilogue"};
  for (RegisteredOperationName name :
       context.getRegisteredOperationsByDialect("kernel"))
    EXPECT_TRUE(!name.hasInterface<KernelEffectsOpInterface>() ||
                tested.count(name.getStringRef()) ||
                inRegistersOrPlaces.count(name.getStringRef()))
        << name.getStringRef().str();
}

// An op of the dialect without effects is not modelled; neither is one of
// another dialect.
TEST_F(KernelEffects, AreWhatMakesAnOpModelled) {
  for (const char *body :
       {R"("kernel.launch"() <{plan = @m::@k, names = []}> : () -> ())",
        "%x = gpu.thread_id x"}) {
    KernelCase each = {body, false, body};
    OwningOpRef<ModuleOp> module = parse(each);
    ASSERT_TRUE(module);
    gpu::GPUFuncOp kernel;
    module->walk([&](gpu::GPUFuncOp each) { kernel = each; });
    Operation *found = firstUnmodelled(kernel);
    ASSERT_TRUE(found);
    EXPECT_FALSE(isa<KernelEffectsOpInterface>(found));
  }
}

} // namespace
