//===- MachinePtx.cpp - PTX that measures a GPU ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MachinePtx.h. In a format, `{{` stands for one brace.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/MachinePtx.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::formatv;
using llvm::StringLiteral;
using llvm::StringRef;
using llvm::Twine;

static std::string header(StringRef version, StringRef target) {
  return formatv(".version {0}\n.target {1}\n.address_size 64\n", version,
                 target);
}

/// The thread's number in the grid is %index, the number of threads %total.
static constexpr StringLiteral kIndex = R"(
  mov.u32 %index, %ctaid.x;
  mov.u32 %t0, %ntid.x;
  mov.u32 %t1, %tid.x;
  mad.lo.u32 %index, %index, %t0, %t1;
  mov.u32 %total, %nctaid.x;
  mul.lo.u32 %total, %total, %t0;
)";

//===----------------------------------------------------------------------===//
// Memory, launches, atomics
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kMemoryRegisters = R"({
  .reg .pred %more;
  .reg .b32 %index, %total, %t<2>, %w<16>, %sum, %steps;
  .reg .b64 %to, %from, %words, %i, %stride, %at<4>, %offset;
)";

/// Four independent loads of 16 bytes from `address` of a word's number.
static std::string loads(StringRef load, StringRef wrap) {
  std::string text;
  for (int i = 0; i < kWordsAtOnce; ++i)
    text += formatv("  {0}\n"
                    "  shl.b64 %at{1}, %offset, 4;\n"
                    "  add.s64 %at{1}, %at{1}, %from;\n"
                    "  {2}.v4.u32 {{%w{3}, %w{4}, %w{5}, %w{6}}, [%at{1}];\n"
                    "  add.s64 %i, %i, %stride;\n",
                    wrap, i, load, 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3)
                .str();
  return text;
}

static std::string copyKernel() {
  std::string text = R"(
.visible .entry hone_copy(.param .u64 to, .param .u64 from, .param .u64 words)
)" + kMemoryRegisters.str() +
                     kIndex.str() + R"(
  ld.param.u64 %to, [to];
  ld.param.u64 %from, [from];
  ld.param.u64 %words, [words];
  cvta.to.global.u64 %to, %to;
  cvta.to.global.u64 %from, %from;
  sub.s64 %to, %to, %from;
  cvt.u64.u32 %i, %index;
  cvt.u64.u32 %stride, %total;
copy_next:
  setp.ge.u64 %more, %i, %words;
  @%more bra copy_end;
)" + loads("ld.global", "mov.b64 %offset, %i;");
  for (int i = 0; i < kWordsAtOnce; ++i)
    text += formatv("  add.s64 %at{0}, %at{0}, %to;\n"
                    "  st.global.v4.u32 [%at{0}], {{%w{1}, %w{2}, %w{3}, "
                    "%w{4}};\n",
                    i, 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3)
                .str();
  return text + R"(  bra copy_next;
copy_end:
  ret;
}
)";
}

/// The sum is compared with a value that zeros do not add up to, so that the
/// loads are needed. `ld.global.cg` bypasses the L1 cache.
static std::string readKernel() {
  std::string text = R"(
.visible .entry hone_read(.param .u64 sink, .param .u64 from, .param .u64 mask, .param .u32 steps)
)" + kMemoryRegisters.str() +
                     kIndex.str() + R"(
  ld.param.u64 %to, [sink];
  ld.param.u64 %from, [from];
  ld.param.u64 %words, [mask];
  ld.param.u32 %steps, [steps];
  cvta.to.global.u64 %to, %to;
  cvta.to.global.u64 %from, %from;
  cvt.u64.u32 %i, %index;
  cvt.u64.u32 %stride, %total;
  mov.u32 %sum, 0;
read_next:
)" + loads("ld.global.cg", "and.b64 %offset, %i, %words;");
  for (int i = 0; i < 4 * kWordsAtOnce; ++i)
    text += formatv("  add.u32 %sum, %sum, %w{0};\n", i).str();
  return text + R"(  sub.u32 %steps, %steps, 1;
  setp.ne.u32 %more, %steps, 0;
  @%more bra read_next;
  setp.eq.u32 %more, %sum, 0x9E3779B9;
  @%more st.global.u32 [%to], %sum;
  ret;
}
)";
}

/// An add depends on the answer of the last one, which is below 2^31.
static constexpr StringLiteral kSmallKernels = R"(
.visible .entry hone_empty()
{
  ret;
}

.visible .entry hone_atomic(.param .u64 counter, .param .u32 steps)
{
  .reg .pred %more;
  .reg .b32 %lane, %steps, %old, %one;
  .reg .b64 %to;
  mov.u32 %lane, %tid.x;
  setp.ne.u32 %more, %lane, 0;
  @%more bra atomic_end;
  ld.param.u64 %to, [counter];
  ld.param.u32 %steps, [steps];
  cvta.to.global.u64 %to, %to;
  mov.u32 %one, 1;
atomic_next:
  atom.global.add.u32 %old, [%to], %one;
  shr.u32 %one, %old, 31;
  add.u32 %one, %one, 1;
  sub.u32 %steps, %steps, 1;
  setp.ne.u32 %more, %steps, 0;
  @%more bra atomic_next;
atomic_end:
  ret;
}
)";

static constexpr StringLiteral kClusterKernels = R"(
.visible .entry hone_empty_overlap()
{
  griddepcontrol.launch_dependents;
  griddepcontrol.wait;
  ret;
}

.visible .entry hone_cluster_barrier(.param .u32 steps)
{
  .reg .pred %more;
  .reg .b32 %steps;
  ld.param.u32 %steps, [steps];
barrier_next:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  sub.u32 %steps, %steps, 1;
  setp.ne.u32 %more, %steps, 0;
  @%more bra barrier_next;
  ret;
}
)";

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// A type of operands.
struct OperandType {
  StringLiteral name, ptx;
  int bits;
  /// Of random bits, those that are kept and those that are set: elements of
  /// 0.5 to 2 of either sign.
  StringLiteral keep, set;
  double MeasuredRates::*mma, MeasuredRates::*wgmma;
};
} // namespace

static constexpr OperandType kOperands[] = {
    {"f16", "f16", 16, "0x87FF87FF", "0x38003800", &MeasuredRates::mmaF16Tflops,
     &MeasuredRates::wgmmaF16Tflops},
    {"tf32", "tf32", 32, "0x80FFFFFF", "0x3F000000",
     &MeasuredRates::mmaTf32Tflops, &MeasuredRates::wgmmaTf32Tflops},
    {"f8", "e4m3", 8, "0x8F8F8F8F", "0x30303030", &MeasuredRates::mmaF8Tflops,
     &MeasuredRates::wgmmaF8Tflops},
};

/// Bytes of K that one instruction takes of a line.
static constexpr int kInstructionBytes = 32;

static int depthOf(const OperandType &operand) {
  return kInstructionBytes * 8 / operand.bits;
}

/// Leaves a random word of elements in %`name`, of the number in %seed, which
/// becomes the next one.
static std::string randomWord(const OperandType &operand, const Twine &name) {
  return formatv("  mul.lo.u32 %t0, %seed, 0x9E3779B9;\n"
                 "  shr.u32 %t1, %t0, 15;\n"
                 "  xor.b32 %t0, %t0, %t1;\n"
                 "  mul.lo.u32 %t0, %t0, 0x85EBCA6B;\n"
                 "  shr.u32 %t1, %t0, 13;\n"
                 "  xor.b32 %t0, %t0, %t1;\n"
                 "  and.b32 %t0, %t0, {0};\n"
                 "  or.b32 %{2}, %t0, {1};\n"
                 "  add.u32 %seed, %seed, 1;\n",
                 operand.keep, operand.set, name.str());
}

/// Stores the clock and the time at `offset` of %clocks, in the first thread.
static std::string stamp(int offset) {
  return formatv("  @%first mov.u64 %stamp0, %clock64;\n"
                 "  @%first mov.u64 %stamp1, %globaltimer;\n"
                 "  @%first st.global.v2.u64 [%clocks+{0}], {{%stamp0, "
                 "%stamp1};\n",
                 offset);
}

static std::string beginProducts(const Twine &name, StringRef registers) {
  return formatv(R"(
.visible .entry {0}(.param .u64 sink, .param .u64 clocks, .param .u32 steps)
.maxntid 256, 1, 1
{{
  .reg .pred %more, %first;
  .reg .b32 %index, %total, %t<2>, %seed, %steps;
  .reg .b64 %sink, %clocks, %stamp<2>, %offset;
{1}{2}
  ld.param.u64 %sink, [sink];
  ld.param.u64 %clocks, [clocks];
  ld.param.u32 %steps, [steps];
  cvta.to.global.u64 %sink, %sink;
  cvta.to.global.u64 %clocks, %clocks;
  setp.eq.u32 %first, %index, 0;
  shl.b32 %seed, %index, 6;
)",
                 name.str(), registers, kIndex);
}

/// Counts down to the label, and stores the sum of the accumulators.
static std::string endProducts(StringRef label, int accumulators) {
  std::string text = formatv("  sub.u32 %steps, %steps, 1;\n"
                             "  setp.ne.u32 %more, %steps, 0;\n"
                             "  @%more bra {0};\n{1}",
                             label, stamp(16));
  for (int i = 1; i < accumulators; ++i)
    text += formatv("  add.f32 %d0, %d0, %d{0};\n", i).str();
  return text + "  mul.wide.u32 %offset, %index, 4;\n"
                "  add.s64 %sink, %sink, %offset;\n"
                "  st.global.f32 [%sink], %d0;\n"
                "  ret;\n}\n";
}

static std::string zeros(int accumulators) {
  std::string text;
  for (int i = 0; i < accumulators; ++i)
    text += formatv("  mov.f32 %d{0}, 0f00000000;\n", i).str();
  return text;
}

/// Independent products of a warp: enough to hide their latency.
static constexpr int kChains = 8;

static std::string mmaKernel(const OperandType &operand) {
  std::string text = beginProducts("hone_mma_" + operand.name,
                                   formatv("  .reg .b32 %a<4>, %b<{0}>;\n"
                                           "  .reg .f32 %d<{1}>;\n",
                                           2 * kChains, 4 * kChains)
                                       .str());
  for (int i = 0; i < 4; ++i)
    text += randomWord(operand, "a" + Twine(i));
  for (int i = 0; i < 2 * kChains; ++i)
    text += randomWord(operand, "b" + Twine(i));
  text +=
      zeros(4 * kChains) + stamp(0) + "mma_next_" + operand.name.str() + ":\n";
  for (int i = 0; i < kChains; ++i)
    text += formatv("  mma.sync.aligned.m16n8k{0}.row.col.f32.{1}.{1}.f32 "
                    "{{%d{2}, %d{3}, %d{4}, %d{5}}, {{%a0, %a1, %a2, %a3}, "
                    "{{%b{6}, %b{7}}, {{%d{2}, %d{3}, %d{4}, %d{5}};\n",
                    depthOf(operand), operand.ptx, 4 * i, 4 * i + 1, 4 * i + 2,
                    4 * i + 3, 2 * i, 2 * i + 1)
                .str();
  return text + endProducts(("mma_next_" + operand.name).str(), 4 * kChains);
}

/// Lines of 128 bytes with the widest swizzle, as in the kernels: 64 of A for
/// each of two warpgroups, 256 of B for both.
static constexpr int kLineBytes = 128, kRowsA = 64, kColsB = 256, kGroups = 2;
static constexpr int kTileBytes = (kGroups * kRowsA + kColsB) * kLineBytes;
/// Instructions of a step: their number makes waiting for them cheap.
static constexpr int kInstructions = 16;

/// The fields of a descriptor besides the address: a swizzle of 128 bytes, and
/// 1024 bytes from eight lines to the next.
static constexpr StringLiteral kDescriptor = "0x4000004000010000";

static std::string fillTiles(const OperandType &operand) {
  return formatv(R"(  mov.u32 %line, tiles;
  mul.lo.u32 %word, %thread, 4;
fill_next_{0}:
{1}  add.u32 %at, %line, %word;
  st.shared.u32 [%at], %value;
  add.u32 %word, %word, 1024;
  setp.lt.u32 %more, %word, {2};
  @%more bra fill_next_{0};
  fence.proxy.async.shared::cta;
  bar.sync 0;
)",
                 operand.name, randomWord(operand, "value"), kTileBytes);
}

/// The descriptors of the warpgroup's tile of A and of B.
static std::string makeDescriptors() {
  return formatv(R"(  shr.u32 %group, %thread, 7;
  mad.lo.u32 %at, %group, {0}, %line;
  shr.u32 %at, %at, 4;
  cvt.u64.u32 %tileA, %at;
  or.b64 %tileA, %tileA, {2};
  add.u32 %at, %line, {1};
  shr.u32 %at, %at, 4;
  cvt.u64.u32 %tileB, %at;
  or.b64 %tileB, %tileB, {2};
)",
                 kRowsA * kLineBytes, kGroups * kRowsA * kLineBytes,
                 kDescriptor);
}

static std::string wgmmaKernel(const OperandType &operand) {
  constexpr int kAccumulators = kRowsA * kColsB / 128;
  constexpr int kSteps = kLineBytes / kInstructionBytes;
  std::string name = operand.name.str(), accumulators;
  for (int i = 0; i < kAccumulators; ++i)
    accumulators += (i ? ", %d" : "%d") + std::to_string(i);
  std::string text =
      beginProducts("hone_wgmma_" + operand.name,
                    formatv("  .reg .pred %adds;\n"
                            "  .reg .b32 %thread, %line, %word, %at, %value, "
                            "%group;\n"
                            "  .reg .b64 %tileA, %tileB, %stepA<{0}>, "
                            "%stepB<{0}>;\n"
                            "  .reg .f32 %d<{1}>;\n"
                            "  .shared .align 1024 .b8 tiles[{2}];\n",
                            kSteps, kAccumulators, kTileBytes)
                        .str()) +
      "  mov.u32 %thread, %tid.x;\n" + fillTiles(operand) + makeDescriptors();
  for (int i = 0; i < kSteps; ++i)
    text += formatv("  add.s64 %stepA{0}, %tileA, {1};\n"
                    "  add.s64 %stepB{0}, %tileB, {1};\n",
                    i, i * kInstructionBytes / 16)
                .str();
  // Only 16-bit types can be transposed, and say that they are not.
  StringRef last = operand.bits == 16 ? ", 1, 1, 0, 0;\n" : ", 1, 1;\n";
  text += zeros(kAccumulators) + "  setp.eq.u32 %adds, %t0, %t0;\n" + stamp(0) +
          "wgmma_next_" + name + ":\n  wgmma.fence.sync.aligned;\n";
  for (int i = 0; i < kInstructions; ++i)
    text +=
        formatv("  wgmma.mma_async.sync.aligned.m64n256k{0}.f32.{1}.{1} "
                "{{{2}}, %stepA{3}, %stepB{3}, %adds{4}",
                depthOf(operand), operand.ptx, accumulators, i % kSteps, last)
            .str();
  return text +
         "  wgmma.commit_group.sync.aligned;\n"
         "  wgmma.wait_group.sync.aligned 0;\n" +
         endProducts("wgmma_next_" + name, kAccumulators);
}

//===----------------------------------------------------------------------===//
// By capability
//===----------------------------------------------------------------------===//

static constexpr int kAda = 89, kHopper = 90;

std::vector<MachineModule> hone::machineModules(int capability) {
  const OperandType &f16 = kOperands[0], &tf32 = kOperands[1],
                    &f8 = kOperands[2];
  std::vector<MachineModule> modules = {
      {"every GPU",
       header("8.0", "sm_80") + copyKernel() + readKernel() +
           kSmallKernels.str() + mmaKernel(f16) + mmaKernel(tf32),
       /*isRequired=*/true}};
  if (capability >= kAda)
    modules.push_back({"8-bit mma.sync", header("8.4", "sm_89") + mmaKernel(f8),
                       /*isRequired=*/false});
  if (capability >= kHopper)
    modules.push_back({"clusters",
                       header("8.0", "sm_90") + kClusterKernels.str(),
                       /*isRequired=*/true});
  if (capability == kHopper)
    modules.push_back({"wgmma",
                       header("8.0", "sm_90a") + wgmmaKernel(f16) +
                           wgmmaKernel(tf32) + wgmmaKernel(f8),
                       /*isRequired=*/true});
  return modules;
}

std::vector<ProductKernel> hone::productKernels(int capability) {
  constexpr uint32_t kThreads = 256;
  static constexpr StringLiteral kMma[] = {"hone_mma_f16", "hone_mma_tf32",
                                           "hone_mma_f8"};
  static constexpr StringLiteral kWgmma[] = {
      "hone_wgmma_f16", "hone_wgmma_tf32", "hone_wgmma_f8"};
  std::vector<ProductKernel> kernels;
  for (auto [i, operand] : llvm::enumerate(kOperands)) {
    double depth = depthOf(operand);
    if (capability == kHopper)
      kernels.push_back(
          {kWgmma[i], operand.wgmma, kThreads,
           /*blocksPerProcessor=*/1,
           2.0 * kRowsA * kColsB * depth * kInstructions * kGroups});
    if (operand.bits > 8 || capability >= kAda)
      kernels.push_back({kMma[i], operand.mma, kThreads,
                         /*blocksPerProcessor=*/2,
                         2.0 * 16 * 8 * depth * kChains * (kThreads / 32)});
  }
  return kernels;
}
