//===- MemoryPtx.cpp - PTX of memory, launches and clusters ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MachineText.h. In a format, `{{` stands for one brace.
//
//===----------------------------------------------------------------------===//

#include "MachineText.h"
#include "hone/Measure/MachinePtx.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::detail;
using llvm::formatv;
using llvm::StringLiteral;
using llvm::StringRef;

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

std::string detail::memoryKernels() {
  return copyKernel() + readKernel() + kSmallKernels.str();
}

std::string detail::clusterKernels() { return kClusterKernels.str(); }
