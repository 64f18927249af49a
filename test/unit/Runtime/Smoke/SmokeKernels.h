//===- SmokeKernels.h - Small kernels in PTX --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel per possible fault of a launch, written by hand so that the
// runtime is tested without the compiler. There are two images, because a GPU
// of compute capability 8.0 can run only the first.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_UNIT_RUNTIME_SMOKEKERNELS_H
#define HONE_TEST_UNIT_RUNTIME_SMOKEKERNELS_H

namespace hone::test {

/// smoke_add: c[i] = a[i] + b[i]. smoke_shared: out[0] = the last word of
/// `bytes` of dynamic shared memory, after 42 was written there. smoke_count:
/// out[0] = how many launches had this workspace before. smoke_alone: out[0] +=
/// 1 if another launch used this workspace while this one did, for some
/// milliseconds; leaves it cleared.
constexpr const char *kSmoke80 = R"(
.version 7.0
.target sm_80
.address_size 64

.visible .entry smoke_add(.param .u64 a, .param .u64 b, .param .u64 c,
                          .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .f32 %f<4>;
  .reg .b64 %d<8>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r4, [n];
  setp.ge.u32 %p, %r1, %r4;
  @%p ret;
  ld.param.u64 %d1, [a];
  ld.param.u64 %d2, [b];
  ld.param.u64 %d3, [c];
  mul.wide.u32 %d4, %r1, 4;
  add.u64 %d5, %d1, %d4;
  add.u64 %d6, %d2, %d4;
  add.u64 %d7, %d3, %d4;
  ld.global.f32 %f1, [%d5];
  ld.global.f32 %f2, [%d6];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%d7], %f3;
  ret;
}

.extern .shared .align 16 .b8 dynamic[];

.visible .entry smoke_shared(.param .u64 out, .param .u32 bytes)
{
  .reg .b32 %r<5>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [out];
  ld.param.u32 %r1, [bytes];
  mov.u32 %r2, dynamic;
  add.u32 %r3, %r2, %r1;
  st.shared.u32 [%r3+-4], 42;
  bar.sync 0;
  ld.shared.u32 %r4, [%r3+-4];
  st.global.u32 [%d1], %r4;
  ret;
}

.visible .entry smoke_count(.param .u64 out, .param .u64 workspace)
{
  .reg .b32 %r<2>;
  .reg .b64 %d<3>;
  ld.param.u64 %d1, [out];
  ld.param.u64 %d2, [workspace];
  atom.global.add.u32 %r1, [%d2], 1;
  st.global.u32 [%d1], %r1;
  ret;
}

.visible .entry smoke_alone(.param .u64 out, .param .u64 workspace)
{
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %d<7>;
  ld.param.u64 %d1, [out];
  ld.param.u64 %d2, [workspace];
  atom.global.add.u32 %r1, [%d2], 1;
  mov.u64 %d3, %globaltimer;
stay:
  mov.u64 %d4, %globaltimer;
  sub.u64 %d5, %d4, %d3;
  setp.lt.u64 %p, %d5, 3000000;
  @%p bra stay;
  atom.global.add.u32 %r2, [%d2], -1;
  // Alone it finds 0 and then its own 1.
  add.u32 %r3, %r1, %r2;
  setp.eq.u32 %p, %r3, 1;
  @%p ret;
  atom.global.add.u32 %r3, [%d1], 1;
  ret;
}
)";

/// smoke_tma: copies the 16 x 8 box at (x * 16, y * 8) of a matrix to out, one
/// box after the other. smoke_windows: copies 16 windows of 8 channels, from
/// `first` on, to out. smoke_cluster: out[block] = its rank in its cluster +
/// 100 * blocks of the cluster. smoke_chain: out[0] += 1, after the kernel
/// before it on the stream is done.
constexpr const char *kSmoke90 = R"(
.version 8.0
.target sm_90
.address_size 64

.visible .entry smoke_tma(.param .align 64 .b8 map[128], .param .u64 out)
{
  .shared .align 128 .b8 tile[512];
  .shared .align 8 .b64 barrier;
  .reg .pred %p, %done;
  .reg .b32 %r<12>;
  .reg .b64 %d<8>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ctaid.y;
  mov.u32 %r4, %nctaid.x;
  mov.u32 %r5, tile;
  mov.u32 %r6, barrier;
  setp.ne.u32 %p, %r1, 0;
  @%p bra wait;
  mbarrier.init.shared::cta.b64 [%r6], 1;
  fence.proxy.async;
  mov.b64 %d5, map;
  cvta.param.u64 %d1, %d5;
  shl.b32 %r7, %r2, 4;
  shl.b32 %r8, %r3, 3;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 512;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
      [%r5], [%d1, {%r7, %r8}], [%r6];
wait:
  bar.sync 0;
again:
  mbarrier.try_wait.parity.shared::cta.b64 %done, [%r6], 0;
  @!%done bra again;
  shl.b32 %r9, %r1, 2;
  add.u32 %r10, %r5, %r9;
  ld.shared.u32 %r11, [%r10];
  mad.lo.u32 %r3, %r3, %r4, %r2;
  shl.b32 %r3, %r3, 7;
  add.u32 %r3, %r3, %r1;
  ld.param.u64 %d2, [out];
  mul.wide.u32 %d3, %r3, 4;
  add.u64 %d4, %d2, %d3;
  st.global.u32 [%d4], %r11;
  ret;
}

.visible .entry smoke_windows(.param .align 64 .b8 map[128], .param .u64 out,
    .param .u32 first, .param .u32 x, .param .u32 y, .param .u32 image,
    .param .u32 dx, .param .u32 dy)
{
  .shared .align 128 .b8 windows[512];
  .shared .align 8 .b64 arrival;
  .reg .pred %p, %done;
  .reg .b16 %h<3>;
  .reg .b32 %r<12>;
  .reg .b64 %d<6>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r5, windows;
  mov.u32 %r6, arrival;
  setp.ne.u32 %p, %r1, 0;
  @%p bra wait;
  mbarrier.init.shared::cta.b64 [%r6], 1;
  fence.proxy.async;
  mov.b64 %d5, map;
  cvta.param.u64 %d1, %d5;
  ld.param.u32 %r2, [first];
  ld.param.u32 %r3, [x];
  ld.param.u32 %r4, [y];
  ld.param.u32 %r7, [image];
  ld.param.u16 %h1, [dx];
  ld.param.u16 %h2, [dy];
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 512;
  cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes
      [%r5], [%d1, {%r2, %r3, %r4, %r7}], [%r6], {%h1, %h2};
wait:
  bar.sync 0;
again:
  mbarrier.try_wait.parity.shared::cta.b64 %done, [%r6], 0;
  @!%done bra again;
  shl.b32 %r9, %r1, 2;
  add.u32 %r10, %r5, %r9;
  ld.shared.u32 %r11, [%r10];
  ld.param.u64 %d2, [out];
  mul.wide.u32 %d3, %r1, 4;
  add.u64 %d4, %d2, %d3;
  st.global.u32 [%d4], %r11;
  ret;
}

.visible .entry smoke_cluster(.param .u64 out)
{
  .reg .b32 %r<5>;
  .reg .b64 %d<4>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %cluster_ctarank;
  mov.u32 %r3, %cluster_nctarank;
  mad.lo.u32 %r4, %r3, 100, %r2;
  ld.param.u64 %d1, [out];
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d3, %d1, %d2;
  st.global.u32 [%d3], %r4;
  ret;
}

.visible .entry smoke_chain(.param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %d<2>;
  griddepcontrol.launch_dependents;
  griddepcontrol.wait;
  ld.param.u64 %d1, [out];
  ld.global.u32 %r1, [%d1];
  add.u32 %r2, %r1, 1;
  st.global.u32 [%d1], %r2;
  ret;
}
)";

/// To get the compiler's message.
constexpr const char *kSmokeBroken = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry smoke_broken()
{
  add.u32 %r1, nonsense;
}
)";

/// For a different GPU; only those of 10.0 can run it.
constexpr const char *kSmokeElsewhere = R"(
.version 8.6
.target sm_100a
.address_size 64
.visible .entry smoke_elsewhere() { ret; }
)";

} // namespace hone::test

#endif // HONE_TEST_UNIT_RUNTIME_SMOKEKERNELS_H
