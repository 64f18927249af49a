//===- KernelCases.h - A kernel for each op of kernel IR --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kernel has one op that does something, and the ops before it that it needs.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_UNIT_PASSES_KERNELCASES_H
#define HONE_TEST_UNIT_PASSES_KERNELCASES_H

namespace hone::test {

struct KernelCase {
  const char *name;
  bool inRole;
  const char *body;
};

// clang-format off
inline const KernelCase kKernelCases[] = {
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

} // namespace hone::test

#endif // HONE_TEST_UNIT_PASSES_KERNELCASES_H
