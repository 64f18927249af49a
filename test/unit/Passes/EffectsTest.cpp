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

struct Case {
  const char *name;
  bool inRole;
  const char *body;
};

// clang-format off
const Case kCases[] = {
    {"barriers.init", true, R"(%bars = kernel.barriers at 65536 : !kernel.barriers<2 of 1>
kernel.barriers.init %bars : !kernel.barriers<2 of 1>)"},
    {"await", true, R"(%bars = kernel.barriers at 65536 : !kernel.barriers<2 of 1>
kernel.await %bars[%i] phase %i : !kernel.barriers<2 of 1>)"},
    {"expect", true, R"(%bars = kernel.barriers at 65536 : !kernel.barriers<2 of 1>
kernel.expect %bars[%i] bytes 64 : !kernel.barriers<2 of 1>)"},
    {"arrive", true, R"(%bars = kernel.barriers at 65536 : !kernel.barriers<2 of 1>
kernel.arrive %bars[%i] : !kernel.barriers<2 of 1>)"},
    {"arrive everywhere", true, R"(%bars = kernel.barriers at 65536 : !kernel.barriers<2 of 1>
kernel.arrive %bars[%i] everywhere 2 : !kernel.barriers<2 of 1>)"},
    {"barrier", false, R"(kernel.barrier)"},
    {"group.barrier", true, R"(kernel.group.barrier)"},
    {"role.barrier", true, R"(kernel.role.barrier)"},
    {"cluster.sync", true, R"(kernel.cluster.sync)"},
    {"cluster.arrive", true, R"(kernel.cluster.arrive)"},
    {"cluster.wait", true, R"(kernel.cluster.wait)"},
    {"proxy.fence", true, R"(kernel.proxy.fence)"},
    {"mma.fence", true, R"(kernel.mma.fence)"},
    {"depend.release", true, R"(kernel.depend.release)"},
    {"depend.wait", true, R"(kernel.depend.wait)"},
    {"map.prefetch", true, R"(kernel.map.prefetch %map : !kernel.map<64 x 64 x f16, rank = 2>)"},
    {"prefetch", true, R"(%ring = kernel.ring at 0 : !kernel.ring<2 of 128 x 64 x f16>
kernel.prefetch %map[%i, %i] like %ring : !kernel.map<64 x 64 x f16, rank = 2> like !kernel.ring<2 of 128 x 64 x f16>)"},
    {"load", true, R"(%ring = kernel.ring at 0 : !kernel.ring<2 of 128 x 64 x f16>
%bars = kernel.barriers at 65536 : !kernel.barriers<2 of 1>
kernel.load %map[%i, %i] to %ring[%i] signals %bars : !kernel.map<64 x 64 x f16, rank = 2> to !kernel.ring<2 of 128 x 64 x f16>, !kernel.barriers<2 of 1>)"},
    {"load part", true, R"(%ring = kernel.ring at 0 : !kernel.ring<2 of 128 x 64 x f16>
%bars = kernel.barriers at 65536 : !kernel.barriers<2 of 1>
kernel.load %map[%i, %i] to %ring[%i] signals %bars part %i of 2 : !kernel.map<64 x 64 x f16, rank = 2> to !kernel.ring<2 of 128 x 64 x f16>, !kernel.barriers<2 of 1>)"},
    {"store.async", true, R"(%ring = kernel.ring at 0 : !kernel.ring<2 of 128 x 64 x f16>
kernel.store.async %ring[%i] from %i to %map[%i, %i] : !kernel.ring<2 of 128 x 64 x f16> to !kernel.map<64 x 64 x f16, rank = 2>)"},
    {"store.commit", true, R"(kernel.store.commit)"},
    {"store.wait", true, R"(kernel.store.wait 0)"},
    {"segment", true, R"(%segment, %first, %end, %depth, %number, %tiles = kernel.segment %i of %ends[%i] rows %i depth %j by 64 columns %j : !kernel.buffer<i32>
%acc = kernel.acc.undefined : !kernel.acc<64 x 128 x f32, warps = 4 x 1>
kernel.store %acc to %out[%first, %i] : !kernel.acc<64 x 128 x f32, warps = 4 x 1> to !kernel.matrix<f32, align = 16>)"},
    {"segment.bounds", true, R"(%first, %end = kernel.segment.bounds %i of %ends[%i] rows %j : !kernel.buffer<i32>
%acc = kernel.acc.undefined : !kernel.acc<64 x 128 x f32, warps = 4 x 1>
kernel.store %acc to %out[%first, %i] : !kernel.acc<64 x 128 x f32, warps = 4 x 1> to !kernel.matrix<f32, align = 16>)"},
    {"copy", false, R"(%ring = kernel.ring at 0 : !kernel.ring<2 of 128 x 64 x f16>
kernel.copy %matrix[%i, %i] to %ring[%i] : !kernel.matrix<f16, align = 16> to !kernel.ring<2 of 128 x 64 x f16>)"},
    {"copy.commit", false, R"(kernel.copy.commit)"},
    {"copy.wait", false, R"(kernel.copy.wait 0)"},
    {"mma.async", true, R"(%ring = kernel.ring at 0 : !kernel.ring<2 of 128 x 64 x f16>
%acc = kernel.acc.undefined : !kernel.acc<64 x 128 x f32, warps = 4 x 1>
%x = kernel.mma.async %ring[%i] rows %i, %ring[%i] cols %i step 0 to %acc : !kernel.ring<2 of 128 x 64 x f16>, !kernel.ring<2 of 128 x 64 x f16>, !kernel.acc<64 x 128 x f32, warps = 4 x 1>)"},
    {"mma.commit", true, R"(kernel.mma.commit)"},
    {"mma.wait", true, R"(kernel.mma.wait 0)"},
    {"read", false, R"(%ring = kernel.ring at 0 : !kernel.ring<2 of 128 x 64 x f16>
%x = kernel.read %ring[%i] step 0 : !kernel.ring<2 of 128 x 64 x f16> -> !kernel.fragment<"a", 128 x f16, warps = 4 x 1>)"},
    {"stage", true, R"(%acc = kernel.acc.undefined : !kernel.acc<64 x 128 x f32, warps = 4 x 1>
%to = kernel.ring at 0 : !kernel.ring<1 of 64 x 128 x f32>
kernel.stage %acc to %to[%i] at %i : !kernel.acc<64 x 128 x f32, warps = 4 x 1> to !kernel.ring<1 of 64 x 128 x f32>)"},
    {"unstage", true, R"(%to = kernel.ring at 0 : !kernel.ring<1 of 64 x 128 x f32>
%x = kernel.unstage %to[%i] at %i : !kernel.ring<1 of 64 x 128 x f32> -> !kernel.acc<64 x 128 x f32, warps = 4 x 1>
kernel.store %x to %out[%i, %i] : !kernel.acc<64 x 128 x f32, warps = 4 x 1> to !kernel.matrix<f32, align = 16>)"},
    {"unstage f16", true, R"(%to = kernel.ring at 0 : !kernel.ring<1 of 64 x 64 x f16>
%x = kernel.unstage %to[%i] at %i : !kernel.ring<1 of 64 x 64 x f16> -> !kernel.acc<64 x 64 x f16, warps = 4 x 1>
kernel.store %x to %matrix[%i, %i] : !kernel.acc<64 x 64 x f16, warps = 4 x 1> to !kernel.matrix<f16, align = 16>)"},
    {"stage f16", true, R"(%acc = kernel.acc.undefined : !kernel.acc<64 x 64 x f16, warps = 4 x 1>
%to = kernel.ring at 0 : !kernel.ring<1 of 64 x 64 x f16>
kernel.stage %acc to %to[%i] at %i : !kernel.acc<64 x 64 x f16, warps = 4 x 1> to !kernel.ring<1 of 64 x 64 x f16>)"},
    {"store", true, R"(%acc = kernel.acc.undefined : !kernel.acc<64 x 128 x f32, warps = 4 x 1>
kernel.store %acc to %out[%i, %i] : !kernel.acc<64 x 128 x f32, warps = 4 x 1> to !kernel.matrix<f32, align = 16>)"},
    {"store.lines", true, R"(%ring = kernel.ring at 0 : !kernel.ring<2 of 128 x 64 x f16>
kernel.store.lines 64 of %ring[%i] from %i to %matrix[%i, %i] : !kernel.ring<2 of 128 x 64 x f16> to !kernel.matrix<f16, align = 16>)"},
    {"copy.lines", false, R"(kernel.copy.lines run %i of %matrix to %matrix : !kernel.matrix<f16, align = 16> to !kernel.matrix<f16, align = 16>)"},
    {"transpose.lines", false, R"(kernel.transpose.lines run %i of %matrix to %matrix : !kernel.matrix<f16, align = 16> to !kernel.matrix<f16, align = 16>)"},
    {"partial.put", true, R"(%acc = kernel.acc.undefined : !kernel.acc<64 x 128 x f32, warps = 4 x 1>
%p = kernel.partial at 1024 : !kernel.partial<128 x 128>
kernel.partial.put %acc to %p[%i, %i] : !kernel.acc<64 x 128 x f32, warps = 4 x 1> to !kernel.partial<128 x 128>)"},
    {"partial.sum", true, R"(%p = kernel.partial at 1024 : !kernel.partial<128 x 128>
%x = kernel.partial.sum %p[%i] of 8 x 2 : !kernel.partial<128 x 128> -> !kernel.acc<8 x 128 x f32, warps = 4 x 1, run = 8>
kernel.store %x to %out[%i, %i] : !kernel.acc<8 x 128 x f32, warps = 4 x 1, run = 8> to !kernel.matrix<f32, align = 16>)"},
    {"partial.sum own", true, R"(%p = kernel.partial at 1024 : !kernel.partial<128 x 128>
%x = kernel.partial.sum %p[%i] of 1 x 2 : !kernel.partial<128 x 128> -> !kernel.acc<8 x 128 x f32, warps = 4 x 1, run = 8>
kernel.store %x to %out[%i, %i] : !kernel.acc<8 x 128 x f32, warps = 4 x 1, run = 8> to !kernel.matrix<f32, align = 16>)"},
    {"sums.put", true, R"(%acc = kernel.acc.undefined : !kernel.acc<64 x 128 x f32, warps = 4 x 1>
%s = kernel.sums %ws at 8192 : !kernel.buffer<f32> -> !kernel.sums<128 x 128>
kernel.sums.put %acc to %s[%i] at %i, %i : !kernel.acc<64 x 128 x f32, warps = 4 x 1> to !kernel.sums<128 x 128>)"},
    {"sums.total", true, R"(%s = kernel.sums %ws at 8192 : !kernel.buffer<f32> -> !kernel.sums<128 x 128>
%x = kernel.sums.total %s[%i to %j] at %i : !kernel.sums<128 x 128> -> !kernel.acc<16 x 128 x f32, warps = 4 x 1, run = 8>
kernel.store %x to %out[%i, %i] : !kernel.acc<16 x 128 x f32, warps = 4 x 1, run = 8> to !kernel.matrix<f32, align = 16>)"},
    {"count.arrive", true, R"(%n = kernel.counters %ws : !kernel.buffer<f32> -> !kernel.counters
kernel.count.arrive %n[%i] : !kernel.counters)"},
    {"count.await", true, R"(%n = kernel.counters %ws : !kernel.buffer<f32> -> !kernel.counters
kernel.count.await %n[%i] for %i : !kernel.counters)"},
    {"count.leave", true, R"(%n = kernel.counters %ws : !kernel.buffer<f32> -> !kernel.counters
kernel.count.leave %n[%i] of %i : !kernel.counters)"},
    {"copy narrow", false, R"(%ring = kernel.ring at 0 : !kernel.ring<2 of 128 x 64 x f16>
kernel.copy %narrow[%i, %i] to %ring[%i] : !kernel.matrix<f16, align = 2> to !kernel.ring<2 of 128 x 64 x f16>)"},
    {"mma", false, R"(%a16 = kernel.ring at 0 : !kernel.ring<2 of 64 x 64 x f16>
%acc = kernel.zero : !kernel.acc<64 x 64 x f32, warps = 2 x 2>
%a = kernel.read %a16[%i] step 0 : !kernel.ring<2 of 64 x 64 x f16> -> !kernel.fragment<"a", 64 x f16, warps = 2 x 2>
%b = kernel.read %a16[%i] step 0 : !kernel.ring<2 of 64 x 64 x f16> -> !kernel.fragment<"b", 64 x f16, warps = 2 x 2>
%x = kernel.mma %a, %b, %acc : !kernel.fragment<"a", 64 x f16, warps = 2 x 2>, !kernel.fragment<"b", 64 x f16, warps = 2 x 2>, !kernel.acc<64 x 64 x f32, warps = 2 x 2>
kernel.store %x to %out[%i, %i] : !kernel.acc<64 x 64 x f32, warps = 2 x 2> to !kernel.matrix<f32, align = 16>)"},
    {"mma.fetched", true, R"(%b32 = kernel.ring at 0 : !kernel.ring<2 of 64 x 32 x f32>
%acc = kernel.zero : !kernel.acc<64 x 64 x f32, warps = 4 x 1>
%rows = kernel.read %b32[%i] rows %i step 0 : !kernel.ring<2 of 64 x 32 x f32> -> !kernel.fragment<"a", 64 x f32, warps = 4 x 1>
%high, %low = kernel.split %rows : !kernel.fragment<"a", 64 x f32, warps = 4 x 1>
%x = kernel.mma.fetched %low, %b32[%i] cols %i step 1 to %acc : !kernel.fragment<"a", 64 x f32, warps = 4 x 1>, !kernel.ring<2 of 64 x 32 x f32>, !kernel.acc<64 x 64 x f32, warps = 4 x 1>)"},
};
// clang-format on

class KernelEffects : public testing::Test {
protected:
  KernelEffects() {
    context.loadDialect<KernelDialect, gpu::GPUDialect, arith::ArithDialect,
                        scf::SCFDialect, math::MathDialect, LLVM::LLVMDialect,
                        NVVM::NVVMDialect>();
  }

  OwningOpRef<ModuleOp> parse(const Case &each) {
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
  for (const Case &each : kCases) {
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
  for (const Case &each : kCases) {
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
  for (const Case &each : kCases)
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
    Case each = {body, false, body};
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
