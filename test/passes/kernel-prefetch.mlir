// One thread fetches a tile to the L2, box by box, without a signal.

// RUN: hone-opt %s | hone-opt | FileCheck %s
// RUN: hone-opt %s --hone-lower-kernel | FileCheck %s --check-prefix=LOWER

gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx80">] attributes {hone.plans = {}} {
  // CHECK-LABEL: gpu.func @fetch
  // LOWER-LABEL: llvm.func @fetch
  gpu.func @fetch(%map: !kernel.map<32 x 64 x f16, rank = 2>, %batched: !kernel.map<32 x 64 x f16, rank = 3>, %at: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = kernel.ring at 0 : <2 of 64 x 128 x f16>
    kernel.role "producer" warps 4 one_thread {
      // Two panels of two boxes each.
      // CHECK: kernel.prefetch %{{.*}}[%[[AT:.*]], %[[AT]]] like %{{.*}} : <32 x 64 x f16, rank = 2> like <2 of 64 x 128 x f16>
      // LOWER-COUNT-4: nvvm.cp.async.bulk.tensor.prefetch %{{.*}}, box[%{{.*}}, %{{.*}}] :
      // LOWER-NOT: box[%{{[^,]*}}, %{{[^,]*}}] :
      kernel.prefetch %map[%at, %at] like %ring : <32 x 64 x f16, rank = 2> like <2 of 64 x 128 x f16>
      // A half of the lines, of a matrix of a batch.
      // CHECK: kernel.prefetch %{{.*}}[%[[AT]], %[[AT]], %[[AT]]] like %{{.*}} part %[[AT]] of 2 : <32 x 64 x f16, rank = 3> like <2 of 64 x 128 x f16>
      // LOWER-COUNT-2: nvvm.cp.async.bulk.tensor.prefetch %{{.*}}, box[%{{.*}}, %{{.*}}, %{{.*}}] :
      // LOWER-NOT: nvvm.cp.async.bulk.tensor.prefetch
      kernel.prefetch %batched[%at, %at, %at] like %ring part %at of 2 : <32 x 64 x f16, rank = 3> like <2 of 64 x 128 x f16>
    }
    gpu.return
  }
}
