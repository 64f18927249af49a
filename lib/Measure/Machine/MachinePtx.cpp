//===- MachinePtx.cpp - PTX that measures a GPU ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MachinePtx.h. In a format, `{{` stands for one brace.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/MachinePtx.h"
#include "MachineText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::detail;
using llvm::formatv;
using llvm::StringLiteral;
using llvm::StringRef;
using llvm::Twine;

static std::string header(StringRef version, StringRef target) {
  return formatv(".version {0}\n.target {1}\n.address_size 64\n", version,
                 target);
}

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
  std::vector<MachineModule> modules = {{"every GPU",
                                         header("8.0", "sm_80") +
                                             memoryKernels() + mmaKernel(f16) +
                                             mmaKernel(tf32),
                                         /*isRequired=*/true}};
  if (capability >= kAda)
    modules.push_back({"8-bit mma.sync", header("8.4", "sm_89") + mmaKernel(f8),
                       /*isRequired=*/false});
  if (capability >= kHopper)
    modules.push_back({"clusters", header("8.0", "sm_90") + clusterKernels(),
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
