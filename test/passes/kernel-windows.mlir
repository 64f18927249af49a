// Loads and prefetches through a map of windows: the engine's mode for them, coordinates of channel,
// column, row and image, and offsets of 16 bits.

// RUN: hone-opt %s | hone-opt | FileCheck %s
// RUN: hone-opt %s --mlir-print-op-generic | hone-opt | FileCheck %s
// RUN: hone-opt %s --hone-lower-kernel | FileCheck %s --check-prefix=LOWER
// RUN: hone-opt %s --hone-lower-kernel --hone-emit | sed "s/\\\\0A/\n/g" | FileCheck %s --check-prefix=PTX

gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx80">] attributes {hone.plans = {}} {
  // CHECK-LABEL: gpu.func @windows
  // CHECK-SAME: !kernel.map<64 x 64 x f16, rank = 4, window>
  // CHECK-SAME: !kernel.map<32 x 32 x f32, rank = 3, rounded, window>
  // LOWER-LABEL: llvm.func @windows
  // PTX: .entry windows
  gpu.func @windows(%map: !kernel.map<64 x 64 x f16, rank = 4, window>, %line: !kernel.map<32 x 32 x f32, rank = 3, rounded, window>, %at: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = kernel.ring at 0 : <2 of 64 x 128 x f16>
    %lines = kernel.ring at 32768 : <2 of 64 x 32 x f32>
    %full = kernel.barriers at 49152 : <2 of 1>
    %rank = kernel.cluster.rank
    kernel.role "producer" warps 4 one_thread {
      // Two panels: channels are coordinates, pixels are not.
      // CHECK: kernel.load %{{.*}}[%[[AT:.*]], %[[AT]], %[[AT]], %[[AT]]] offsets(%[[AT]], %[[AT]]) to %{{.*}}[%[[AT]]] signals %{{.*}} : <64 x 64 x f16, rank = 4, window> to <2 of 64 x 128 x f16>, <2 of 1>
      // LOWER: %[[OFFSET:.*]] = llvm.trunc %{{.*}} : i32 to i16
      // LOWER-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] im2col[%{{.*}}, %{{.*}}] {mode = #nvvm.tma_load_mode<im2col>}
      // PTX-COUNT-2: cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%{{.*}}], [%{{.*}}, {%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}}], [%{{.*}}], {%{{.*}}, %{{.*}}};
      kernel.load %map[%at, %at, %at, %at] offsets(%at, %at) to %ring[%at] signals %full : <64 x 64 x f16, rank = 4, window> to <2 of 64 x 128 x f16>, <2 of 1>
      // A part of a tile, for all blocks.
      // CHECK: kernel.load %{{.*}}[%[[AT]], %[[AT]], %[[AT]]] offsets(%[[AT]]) to %{{.*}}[%[[AT]]] signals %{{.*}} part %{{.*}} of 2 :
      // LOWER: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}} im2col[%{{.*}}] multicast_mask = %{{.*}} {mode = #nvvm.tma_load_mode<im2col>}
      // PTX: cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [%{{.*}}], [%{{.*}}, {%{{.*}}, %{{.*}}, %{{.*}}}], [%{{.*}}], {%{{.*}}}, %{{.*}};
      kernel.load %line[%at, %at, %at] offsets(%at) to %lines[%at] signals %full part %rank of 2 : <32 x 32 x f32, rank = 3, rounded, window> to <2 of 64 x 32 x f32>, <2 of 1>
      // CHECK: kernel.prefetch %{{.*}}[%[[AT]], %[[AT]], %[[AT]], %[[AT]]] offsets(%[[AT]], %[[AT]]) like
      // LOWER-COUNT-2: nvvm.cp.async.bulk.tensor.prefetch %{{.*}}, box[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] im2col[%{{.*}}, %{{.*}}]
      // PTX-COUNT-2: cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%{{.*}}, {%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}}], {%{{.*}}, %{{.*}}};
      kernel.prefetch %map[%at, %at, %at, %at] offsets(%at, %at) like %ring : <64 x 64 x f16, rank = 4, window> like <2 of 64 x 128 x f16>
    }
    gpu.return
  }
}
